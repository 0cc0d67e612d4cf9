"""Charts of the report: Vega-Lite specifications turned into SVG that carries no script.

Colours are written as fixed values here (`INK`, `GRID`, `BEFORE`, `AFTER`) and replaced by the stylesheet's
variables through attribute selectors, so that one SVG reads on light and on dark pages.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

import altair as alt
import polars as pl
import vl_convert

INK = "#1a1a2e"
GRID = "#d8d8e0"
BEFORE = "#a9b4c8"
AFTER = "#2f6f8f"
AGAINST = "#c8553d"

WIDTH = 330
"""Inner width; narrow enough to be read at its own size on a telephone."""

PLURALS = {"paper": "papers", "author": "authors", "venue": "venues"}

_FONT = "ui-sans-serif, system-ui, sans-serif"


def counts_chart(counts: pl.DataFrame) -> str:
    """Mentions before and entities after, per kind; `counts`: kind, mentions, entities.

    >>> svg = counts_chart(pl.DataFrame({"kind": ["paper"], "mentions": [9], "entities": [7]}))
    >>> svg.startswith("<svg"), "9 mentions are 7 papers" in svg
    (True, True)
    """
    rows = [
        {"kind": PLURALS[row["kind"]], "what": what, "count": row[what], "label": f"{row[what]:,}"}
        for row in counts.to_dicts()
        for what in ("mentions", "entities")
    ]
    base = chart_of(rows).encode(
        y=alt.Y(
            "kind:N",
            sort=None,
            title=None,
            axis=alt.Axis(labelFontSize=13, domain=False, ticks=False, labelPadding=6),
        ),
        yOffset=alt.YOffset("what:N", sort=["mentions", "entities"]),
        x=alt.X("count:Q", title=None, axis=None, scale=alt.Scale(domain=[0, 1.2 * max(counts["mentions"])])),
    )
    colour = alt.Color(
        "what:N",
        scale=alt.Scale(domain=["mentions", "entities"], range=[BEFORE, AFTER]),
        legend=alt.Legend(orient="top", title=None),
    )
    bars = base.mark_bar().encode(color=colour)
    labels = base.mark_text(align="left", dx=4, color=INK, fontSize=11).encode(text="label:N")
    chart = (bars + labels).properties(width=WIDTH - 60, height=70 * counts.height)
    said = "; ".join(
        f"{row['mentions']:,} mentions are {row['entities']:,} {PLURALS[row['kind']]}"
        for row in counts.to_dicts()
    )
    return as_svg(chart, f"Mentions before and entities after: {said}.")


def sizes_chart(sizes: pl.DataFrame, what: str) -> str:
    """How many `what` there are of each size, per kind; `sizes`: kind, size. Sizes double from bar to bar.

    >>> svg = sizes_chart(pl.DataFrame({"kind": ["paper", "paper"], "size": [1, 3]}), "entities")
    >>> "the largest has 3 mentions" in svg
    True
    """
    table = size_classes(sizes)
    labels = [_class_label(number) for number in range(max(table["class"]) + 1)]
    kinds = table["kind"].unique(maintain_order=True).to_list()
    charts = [
        _size_bars(table.filter(pl.col("kind") == kind), PLURALS[kind], labels, with_axis=kind == kinds[-1])
        for kind in kinds
    ]
    chart = alt.vconcat(*charts, spacing=14).resolve_scale(x="shared")
    return as_svg(chart, f"Sizes of {what}: " + "; ".join(_largest(sizes)) + ".")


def years_chart(years: pl.Series) -> str:
    """Papers per year; the few that are far older than all others are counted in the description only.

    >>> "from 1999 to 2001" in years_chart(pl.Series([1999, 2001, 2001]))
    True
    """
    start = first_year_drawn(years)
    drawn = years.filter(years >= start)
    table = drawn.rename("year").value_counts().sort("year")
    years_axis = alt.Axis(
        format="d", ticks=False, labelFlush=False, labelOverlap="greedy", labelSeparation=12
    )
    bins = alt.Bin(step=_year_step(drawn), maxbins=500)
    chart = (
        chart_of(table.to_dicts())
        .mark_bar(color=AFTER)
        .encode(
            x=alt.X("year:Q", title=None, bin=bins, axis=years_axis),
            y=alt.Y("sum(count):Q", title=None, axis=alt.Axis(tickCount=4, format=",d", tickMinStep=1)),
        )
        .properties(width=WIDTH, height=220)
    )
    busiest = table.sort("count", "year", descending=[True, False]).row(0, named=True)
    said = f"{drawn.len():,} papers from {table['year'][0]} to {table['year'][-1]}"
    older = f" {years.len() - drawn.len():,} are older." if drawn.len() < years.len() else ""
    return as_svg(chart, f"Papers per year: {said}, most ({busiest['count']:,}) in {busiest['year']}.{older}")


def first_year_drawn(years: pl.Series) -> int:
    """The year from which on 99 of 100 papers date.

    >>> first_year_drawn(pl.Series([1687] + [2001] * 200))
    2001
    """
    return int(years.sort()[years.len() // 100])


def size_classes(sizes: pl.DataFrame) -> pl.DataFrame:
    """`kind`, `class`, `label`, `count`: how many sizes are 1, 2, 3-4, 5-8, ...

    >>> size_classes(pl.DataFrame({"kind": ["paper"] * 3, "size": [1, 3, 4]}))["label"].to_list()
    ['1', '3–4']
    """
    size_class = pl.col("size").cast(pl.Float64).log(2).round(9).ceil().cast(pl.Int64)
    table = sizes.with_columns(size_class.alias("class")).group_by("kind", "class", maintain_order=True)
    counted = table.agg(pl.len().alias("count"))
    kinds = pl.DataFrame({"kind": list(PLURALS), "_order": range(len(PLURALS))}).cast({"_order": pl.Int64})
    labels = pl.col("class").map_elements(_class_label, return_dtype=pl.String)
    return (
        counted.join(kinds, on="kind")
        .sort("_order", "class")
        .with_columns(labels.alias("label"))
        .drop("_order")
    )


def _class_label(number: int) -> str:
    low, high = 2 ** (number - 1) + 1, 2**number
    return f"{high}" if number < 2 else f"{low}–{high}"


def compact(number: int) -> str:
    """A count in at most four characters, to stand above a narrow bar.

    >>> compact(987), compact(29_085), compact(9_950), compact(1_200_000)
    ('987', '29k', '10k', '1.2M')
    """
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if number >= size:
            scaled = number / size
            return f"{scaled:.0f}{unit}" if scaled >= 9.95 else f"{scaled:.1f}{unit}"
    return str(number)


def _size_bars(table: pl.DataFrame, title: str, labels: list[str], *, with_axis: bool) -> Any:
    """Bars of one kind on a logarithmic scale, each with its figure; the last kind has the axis of all."""
    rows = [row | {"figure": compact(row["count"]), "bottom": 0.6} for row in table.to_dicts()]
    top = max(row["count"] for row in rows)
    axis = alt.Axis(labels=with_axis, ticks=False, labelAngle=-35, labelPadding=5)
    base = chart_of(rows).encode(
        x=alt.X("label:N", sort=labels, title=None, scale=alt.Scale(domain=labels), axis=axis),
        y=alt.Y("count:Q", title=None, axis=None, scale=alt.Scale(type="log", domain=[0.6, max(2, top * 3)])),
    )
    bars = base.mark_bar(color=AFTER).encode(y2=alt.Y2("bottom:Q"))
    labels = base.mark_text(dy=-6, color=INK, fontSize=10).encode(text="figure:N")
    heading = alt.TitleParams(title, anchor="start", fontSize=12, color=INK, offset=2)
    return (bars + labels).properties(width=WIDTH, height=64, title=heading)


def _largest(sizes: pl.DataFrame) -> list[str]:
    table = sizes.group_by("kind", maintain_order=True).agg(pl.len().alias("count"), pl.col("size").max())
    return [
        f"{row['count']:,} of {PLURALS[row['kind']]}, the largest has {row['size']:,} mentions"
        for row in table.to_dicts()
    ]


def _year_step(years: pl.Series) -> int:
    """One bar per year, or per 2, 5, 10 or 20 years, so that there are at most about eighty bars."""
    span = int(years.max()) - int(years.min())  # type: ignore[arg-type]
    return next(step for step in (1, 2, 5, 10, 20) if span / step <= 80 or step == 20)


def chart_of(rows: list[dict[str, Any]]) -> Any:
    """A chart of these rows, which the specification carries within it."""
    return alt.Chart(alt.InlineData(values=rows))


def as_svg(chart: Any, description: str, background: str = "transparent") -> str:
    """The chart as an SVG element that scales down, with a description for those who do not see it."""
    styled = (
        chart.configure(font=_FONT, background=background, padding=4)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            gridColor=GRID,
            domainColor=GRID,
            tickColor=GRID,
            titleFontWeight="normal",
            labelFontSize=11,
            titleFontSize=11,
        )
        .configure_legend(labelColor=INK, labelFontSize=12, symbolType="square")
    )
    drawn = vl_convert.vegalite_to_svg(styled.to_dict())
    label = escape(description, quote=True)
    opening = f'<svg role="img" aria-label="{label}" '
    drawn = re.sub(r"^<svg ", opening, drawn, count=1)
    return re.sub(r"(<svg[^>]*>)", rf"\1<title>{label}</title>", drawn, count=1)
