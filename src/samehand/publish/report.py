"""`report.html`: one calm page that says what was done, shows it, and lists what deserves a look.

The page holds no script, asks nothing of any other host, and isolates every name it shows: what a record
contains can look odd, but cannot do anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from samehand.publish import charts
from samehand.publish.report_tables import sections
from samehand.publish.shown import shown
from samehand.records import KINDS

if TYPE_CHECKING:
    from samehand.publish.exports import Resolution


@dataclass
class Picture:
    """A chart with its caption."""

    svg: Markup
    caption: str


def render(resolution: Resolution) -> str:
    """The whole page as HTML; the same resolution gives the same text."""
    environment = Environment(
        loader=PackageLoader("samehand.publish"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = shown
    return environment.get_template("report.html").render(
        counts=_counts(resolution),
        files=resolution.references["source"].n_unique(),
        pictures=_pictures(resolution),
        sections=[section for section in sections(resolution) if section.tables],
        settings=resolution.settings,
    )


def _counts(resolution: Resolution) -> dict[str, int]:
    tables = ("references", "papers", "authors", "venues", "rejects")
    return {name: getattr(resolution, name).height for name in tables}


def _pictures(resolution: Resolution) -> list[Picture]:
    """The charts for which there is something to draw."""
    sizes = resolution.mentions.group_by("kind", "entity", maintain_order=True).agg(pl.len().alias("size"))
    by_kind = sizes.group_by("kind").agg(pl.col("size").sum().alias("mentions"), pl.len().alias("entities"))
    counts = pl.DataFrame({"kind": KINDS}).join(by_kind, on="kind", maintain_order="left")
    years = resolution.papers["year"].drop_nulls()
    drawn = []
    if counts.height:
        drawn.append((charts.counts_chart(counts), "What was written, and how many things it names."))
        drawn.append(
            (
                charts.sizes_chart(sizes, "entities"),
                "How many mentions one entity has; heights are logarithmic.",
            )
        )
    if years.len():
        older = int((years < charts.first_year_drawn(years)).sum())
        caption = f"Papers by year; {older:,} older ones are not drawn." if older else "Papers by year."
        drawn.append((charts.years_chart(years), caption))
    if resolution.blocks.height:
        drawn.append(
            (
                charts.sizes_chart(resolution.blocks, "blocks"),
                "How many mentions were compared with each other at once; heights are logarithmic.",
            )
        )
    return [Picture(Markup(svg), caption) for svg, caption in drawn]
