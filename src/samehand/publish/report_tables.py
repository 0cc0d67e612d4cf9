"""The tables of the report: what was merged most, what deserves a look, what could not be read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from samehand.publish.suspects import suspect_authors, suspect_papers, twin_authors, twin_papers
from samehand.publish.uncertain import uncertain_names, uncertain_persons

if TYPE_CHECKING:
    from samehand.publish.exports import Resolution

ROWS_SHOWN = 12
VARIANTS_SHOWN = 6
EXAMPLES_SHOWN = 3
RAW_SHOWN = 120

Cell = str | int | float | list[str]


@dataclass
class Table:
    """A table of the page; `total` counts all rows there are, and `file` holds those not shown."""

    caption: str
    columns: list[str]
    rows: list[list[Cell]]
    total: int
    file: str


@dataclass
class Section:
    """A heading, a sentence, and its tables."""

    id: str
    title: str
    intro: str
    tables: list[Table] = field(default_factory=list)


def sections(resolution: Resolution) -> list[Section]:
    """The sections of the page in order; one whose tables would all be empty has none."""
    merged = [
        _merged_papers(resolution),
        _merged_named(resolution, "authors"),
        _merged_named(resolution, "venues"),
    ]
    versions = [_works(resolution)]
    uncertain = [_uncertain_persons(resolution), _uncertain_names(resolution)]
    doubtful = [_suspect_authors(resolution), _suspect_papers(resolution)]
    twins = [_twin_papers(resolution), _twin_authors(resolution)]
    return [
        Section("merged", "Most merged", "Entities with the most spellings, side by side.", _filled(merged)),
        Section("works", "Works", "Versions of one work, kept apart as papers.", _filled(versions)),
        Section(
            "uncertain",
            "Names that need a look",
            "Where the model expects most mistakes: mentions that probably belong to somebody else, most first.",
            _filled(uncertain),
        ),
        Section(
            "doubtful",
            "Worth a look",
            "Signs that an entity may hold more than one thing.",
            _filled(doubtful),
        ),
        Section("twins", "Near misses", "The same words, yet kept apart.", _filled(twins)),
        Section(
            "rejects",
            "Could not be read",
            "Every record is in an entity or here.",
            _filled([_rejects(resolution)]),
        ),
        Section("files", "Files read", "Where the references came from.", _filled([_files(resolution)])),
    ]


def _filled(tables: list[Table]) -> list[Table]:
    return [table for table in tables if table.rows]


def _merged_papers(resolution: Resolution) -> Table:
    merged = resolution.papers.filter(pl.col("mentions") > 1).sort(
        "variants", "mentions", "entity", descending=[True, True, False]
    )
    top = merged.head(ROWS_SHOWN)
    rows: list[list[Cell]] = [
        [title, mentions, variants]
        for title, mentions, variants in zip(
            top["title"].fill_null("(untitled)"),
            top["mentions"],
            _references_of(top, resolution),
            strict=True,
        )
    ]
    return Table("Papers", ["Paper", "References", "As written"], rows, merged.height, "papers.csv")


def _works(resolution: Resolution) -> Table:
    """Works that have several versions, each with its type, venue, year and number of references."""
    said = pl.concat_str(
        [pl.col("type"), pl.col("venue"), pl.col("year").cast(pl.String)], separator=", ", ignore_nulls=True
    )
    works = (
        resolution.papers.group_by("work", maintain_order=True)
        .agg(
            pl.col("title").sort_by("mentions", descending=True, maintain_order=True).first(),
            pl.len(),
            pl.col("mentions").sum(),
            pl.format("{} ({})", said, "mentions").alias("versions"),
        )
        .filter(pl.col("len") > 1)
        .sort("mentions", "work", descending=[True, False])
    )
    rows: list[list[Cell]] = [
        [row["title"] or "(untitled)", row["mentions"], _limited(row["versions"])]
        for row in works.head(ROWS_SHOWN).to_dicts()
    ]
    return Table(
        "Works in several versions", ["Work", "References", "Versions"], rows, works.height, "papers.csv"
    )


def _references_of(papers: pl.DataFrame, resolution: Resolution) -> list[list[str]]:
    """Per paper its distinct references as "title. venue, year (count)"."""
    members = papers.select("entity", pl.col("references").alias("id")).explode("id")
    title = pl.coalesce("title", "text", "key", "id").str.strip_chars(".")
    place = pl.concat_str(
        [pl.col("venue"), pl.col("year").cast(pl.String)], separator=", ", ignore_nulls=True
    )
    written = pl.when(place != "").then(pl.format("{}. {}", title, place)).otherwise(title)
    joined = members.join(resolution.references, on="id", how="left", maintain_order="left")
    counted = (
        joined.select("entity", written.alias("written"))
        .group_by("entity", "written", maintain_order=True)
        .len()
    )
    lists = (
        counted.sort("len", descending=True, maintain_order=True)
        .group_by("entity")
        .agg(pl.format("{} ({})", "written", "len").alias("written"))
    )
    found = dict(lists.iter_rows())
    return [_limited(found[entity]) for entity in papers["entity"]]


def _limited(texts: list[str]) -> list[str]:
    """The first few of a list, and how many more there are."""
    more = len(texts) - VARIANTS_SHOWN
    return texts if more <= 1 else [*texts[:VARIANTS_SHOWN], f"… and {more:,} more"]


def _merged_named(resolution: Resolution, name: str) -> Table:
    """The authors or venues with the most spellings."""
    table: pl.DataFrame = getattr(resolution, name)
    spellings = pl.col("variants").list.len()
    merged = table.filter(spellings > 1).sort(spellings, "mentions", "entity", descending=[True, True, False])
    top = merged.head(ROWS_SHOWN)
    spelled = _venue_spellings(top, resolution) if name == "venues" else top["variants"].to_list()
    rows: list[list[Cell]] = [
        [title, mentions, _limited(variants)]
        for title, mentions, variants in zip(top["name"], top["mentions"], spelled, strict=True)
    ]
    return Table(
        name.title(), [name[:-1].title(), "Mentions", "As written"], rows, merged.height, f"{name}.csv"
    )


def _uncertain_persons(resolution: Resolution) -> Table:
    found = uncertain_persons(resolution.mentions)
    top = found.head(ROWS_SHOWN).join(
        resolution.authors.drop("mentions"), on="entity", how="left", maintain_order="left"
    )
    rows: list[list[Cell]] = [
        [row["name"], round(row["expected"], 1), row["mentions"], _limited(row["variants"]), row["entity"]]
        for row in top.to_dicts()
    ]
    columns = ["Author", "Misplaced, expected", "Mentions", "As written", "Entity"]
    return Table("Persons", columns, rows, found.height, "mentions.parquet")


def _uncertain_names(resolution: Resolution) -> Table:
    found = uncertain_names(resolution.references, resolution.mentions)
    rows: list[list[Cell]] = [
        [row["name"], round(row["expected"], 1), row["mentions"], row["persons"]]
        for row in found.head(ROWS_SHOWN).to_dicts()
    ]
    columns = ["Name", "Misplaced, expected", "Mentions", "Persons"]
    return Table("Names, all their persons together", columns, rows, found.height, "mentions.parquet")


def _venue_spellings(venues: pl.DataFrame, resolution: Resolution) -> list[list[str]]:
    """Per venue its spellings as "name (count)", or "name (count, 93%)" where mentions so spelled have a probability."""
    counted = (
        resolution.mentions.join(venues.select("entity"), on="entity", how="semi")
        .group_by("entity", "name", maintain_order=True)
        .agg(pl.len(), pl.col("probability").mean())
        .sort("len", descending=True, maintain_order=True)
    )
    sure = pl.format("{} ({}, {}%)", "name", "len", (100 * pl.col("probability")).round().cast(pl.Int64))
    shown = pl.when(pl.col("probability").is_null()).then(pl.format("{} ({})", "name", "len")).otherwise(sure)
    found = dict(counted.group_by("entity", maintain_order=True).agg(shown.alias("shown")).iter_rows())
    return [found[entity] for entity in venues["entity"]]


def _suspect_authors(resolution: Resolution) -> Table:
    found = suspect_authors(resolution.references, resolution.mentions, resolution.authors)
    top = found.head(ROWS_SHOWN).join(
        resolution.authors.drop("mentions"), on="entity", how="left", maintain_order="left"
    )
    rows: list[list[Cell]] = [[row["name"], row["why"], _limited(row["variants"])] for row in top.to_dicts()]
    return Table(
        "Authors who may be several people",
        ["Author", "Sign", "As written"],
        rows,
        found.height,
        "authors.csv",
    )


def _suspect_papers(resolution: Resolution) -> Table:
    found = suspect_papers(resolution.references, resolution.mentions, resolution.papers)
    top = found.head(ROWS_SHOWN).join(
        resolution.papers.drop("mentions"), on="entity", how="left", maintain_order="left"
    )
    rows: list[list[Cell]] = [
        [row["title"] or "(untitled)", row["why"], variants]
        for row, variants in zip(top.to_dicts(), _references_of(top, resolution), strict=True)
    ]
    return Table(
        "Papers that may be several", ["Paper", "Sign", "As written"], rows, found.height, "papers.csv"
    )


def _twin_papers(resolution: Resolution) -> Table:
    found = twin_papers(resolution.papers)
    details = pl.format(
        "{}: {}, {}",
        "entity",
        pl.col("venue").fill_null("no venue"),
        pl.col("year").cast(pl.String).fill_null("no year"),
    )
    told = dict(resolution.papers.select("entity", details.alias("details")).iter_rows())
    rows = _twin_rows(found, told)
    return Table(
        "Papers with one title", ["Title", "Mentions", "Kept apart"], rows, found.height, "papers.csv"
    )


def _twin_authors(resolution: Resolution) -> Table:
    found = twin_authors(resolution.authors)
    company = pl.col("coauthors").list.head(3).list.join(", ")
    details = pl.when(company != "").then(pl.format("{}: with {}", "entity", company)).otherwise("entity")
    told = dict(resolution.authors.select("entity", details.alias("details")).iter_rows())
    rows = _twin_rows(found, told)
    return Table(
        "Authors with one name", ["Name", "Mentions", "Kept apart"], rows, found.height, "authors.csv"
    )


def _twin_rows(found: pl.DataFrame, told: dict[str, str]) -> list[list[Cell]]:
    return [
        [row["name"], row["mentions"], _limited([told[entity] for entity in row["entities"]])]
        for row in found.head(ROWS_SHOWN).to_dicts()
    ]


def _rejects(resolution: Resolution) -> Table:
    place = pl.format("{}:{}: {}", "source", "line", pl.col("raw").fill_null("").str.slice(0, RAW_SHOWN))
    reasons = (
        resolution.rejects.with_columns(place.alias("example"))
        .group_by("reason", maintain_order=True)
        .agg(pl.len().alias("count"), pl.col("example").head(EXAMPLES_SHOWN))
        .sort("count", "reason", descending=[True, False])
    )
    rows: list[list[Cell]] = [
        [row["reason"], row["count"], row["example"]] for row in reasons.head(ROWS_SHOWN).to_dicts()
    ]
    return Table("Rejects by reason", ["Reason", "Records", "Examples"], rows, reasons.height, "rejects.csv")


def _files(resolution: Resolution) -> Table:
    read = resolution.references.group_by("source", maintain_order=True).agg(pl.len().alias("references"))
    refused = resolution.rejects.group_by("source", maintain_order=True).agg(pl.len().alias("rejects"))
    files = read.join(refused, on="source", how="full", coalesce=True, maintain_order="left_right").fill_null(
        0
    )
    files = files.sort("rejects", "references", descending=True, maintain_order=True)
    rows: list[list[Cell]] = [list(row) for row in files.head(ROWS_SHOWN).iter_rows()]
    return Table("Files", ["File", "References", "Rejects"], rows, files.height, "keys.csv")
