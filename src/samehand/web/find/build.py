"""The tables by which entities are found: facts, record, words, links and years of each, made of references and mentions.

`tables` makes them for all entities of the frames it is given; keeper.py gives it a whole library after a run, and the
few references around an entity after a decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from samehand.normalise.tokens import fold_series, tokens_series
from samehand.publish import canonical
from samehand.publish.ballots import of_kind
from samehand.publish.exports import EXPORTS
from samehand.records import KINDS, Kind
from samehand.store.schema import FACETS, FACTS, LINKS, WORDS, YEARS

LINKS_KEPT = 50
"""Co-authors, authors and venues kept of each entity, those it shares most references with; papers are all kept."""

LONGEST_NAME = 300

SIZES = ((1, "1"), (9, "2-9"), (99, "10-99"), (999, "100-999"))
LARGEST_SIZE = "1000+"
SURE = ((0.7, "doubtful"), (0.9, "likely"), (0.99, "sure"))
SUREST = "certain"
UNKNOWN = "unknown"


@dataclass(frozen=True)
class Tables:
    """What is kept of entities: the tables of these names in store/schema.py; `entity` until `numbered` gives `place`."""

    facts: pl.DataFrame
    records: pl.DataFrame
    words: pl.DataFrame
    links: pl.DataFrame
    years: pl.DataFrame


def tables(references: pl.DataFrame, mentions: pl.DataFrame, works: pl.DataFrame) -> Tables:
    """The tables of all entities of these mentions, with `entity` in the place of `place`.

    >>> from samehand.publish import example
    >>> from samehand.store.schema import WORKS
    >>> made = tables(example.references(), example.mentions(), WORKS.to_frame())
    >>> made.facts.sort("entity").select("entity", "name", "size", "last_year").rows()[0]
    ('aada', 'Ada Lovelace', 2, 2001)
    >>> sorted(made.words.filter(entity="vjournal")["word"])
    ['hands', 'j', 'journal', 'of']
    """
    told = {kind: EXPORTS[f"{kind}s"](references, mentions, works) for kind in KINDS}
    years = references.select(reference="id", year=pl.col("year").cast(pl.Int64))
    paper_of = of_kind(mentions, "paper").select("reference", paper="entity").unique("reference")
    slots = (
        mentions.select("kind", "entity", "reference", "probability", written="name")
        .join(years, on="reference", how="left")
        .join(paper_of, on="reference", how="left")
    )
    names = _names(told)
    return Tables(_facts(slots, names), _records(told), _words(mentions, names), _links(slots), _years(slots))


def _names(told: Mapping[Kind, pl.DataFrame]) -> pl.DataFrame:
    """`entity`, `name`, `sort_name`: the canonical names of all kinds."""
    return pl.concat(
        [
            told["paper"].select("entity", name="title", sort_name="title"),
            told["author"].select("entity", "name", "sort_name"),
            told["venue"].select("entity", "name", sort_name="name"),
        ]
    )


def _records(told: Mapping[Kind, pl.DataFrame]) -> pl.DataFrame:
    """`entity`, `record`: the rows of the canonical tables as JSON."""
    return pl.concat(
        table.select("entity", record=pl.struct(pl.all()).struct.json_encode()) for table in told.values()
    )


def _facts(slots: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    facts = (
        slots.group_by("entity", "kind")
        .agg(
            pl.len().cast(pl.Int64).alias("size"),
            pl.coalesce("paper", "reference").n_unique().cast(pl.Int64).alias("papers"),
            pl.col("year").min().alias("first_year"),
            pl.col("year").max().alias("last_year"),
            pl.col("probability").fill_nan(None).mean().alias("sure"),
            pl.col("written").first(),
        )
        .join(names, on="entity", how="left")
    )
    named = facts.with_columns(
        _short(pl.coalesce(column, "written", pl.lit(""))).alias(column) for column in ("name", "sort_name")
    )
    return named.with_columns(
        sort=fold_series(named["sort_name"]),
        size_class=_class_of("size", SIZES, LARGEST_SIZE),
        sure_class=_class_of("sure", SURE, SUREST).fill_null(UNKNOWN),
        decade=pl.col("last_year") // 10 * 10,
    )


def _short(text: pl.Expr) -> pl.Expr:
    return text.str.slice(0, LONGEST_NAME)


def _class_of(column: str, limits: tuple[tuple[float, str], ...], above: str) -> pl.Expr:
    """The name of the first class whose limit a value does not exceed."""
    found = pl.lit(above)
    for limit, name in reversed(limits):
        found = pl.when(pl.col(column) <= limit).then(pl.lit(name)).otherwise(found)
    return pl.when(pl.col(column).is_not_null()).then(found)


def _words(mentions: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Every word of every spelling of an entity once."""
    spellings = pl.concat(
        [
            mentions.select("entity", "name"),
            names.select("entity", "name"),
        ]
    ).unique()
    return (
        spellings.with_columns(word=tokens_series(spellings["name"].str.slice(0, LONGEST_NAME)))
        .select("entity", "word")
        .explode("word")
        .drop_nulls()
        .unique()
    )


def _years(slots: pl.DataFrame) -> pl.DataFrame:
    counted = slots.filter(pl.col("year").is_not_null()).group_by("entity", "year")
    return counted.agg(pl.col("reference").n_unique().cast(pl.Int64).alias("count"))


def _links(slots: pl.DataFrame) -> pl.DataFrame:
    authors, venues = (slots.filter(kind=kind).select("entity", "reference") for kind in ("author", "venue"))
    short = authors.filter(pl.len().over("reference") <= canonical.LONGEST_BYLINE)
    papers = (
        slots.filter(pl.col("kind") != "paper", pl.col("paper").is_not_null())
        .group_by("entity", other="paper")
        .agg(pl.col("year").max().fill_null(0).alias("weight"))
    )
    return pl.concat(
        [
            _shared(short, short, "coauthor"),
            _shared(authors, venues, "venue"),
            _shared(venues, authors, "author"),
            papers.select("entity", "other", "weight", role=pl.lit("paper")),
        ]
    )


def _shared(ones: pl.DataFrame, others: pl.DataFrame, role: str) -> pl.DataFrame:
    """With whom entities share references, the most frequent first."""
    pairs = ones.join(others.rename({"entity": "other"}), on="reference").filter(
        pl.col("entity") != pl.col("other")
    )
    counted = pairs.group_by("entity", "other").agg(
        pl.col("reference").n_unique().cast(pl.Int64).alias("weight")
    )
    rank = pl.struct(-pl.col("weight"), "other").rank("ordinal").over("entity")
    return counted.filter(rank <= LINKS_KEPT).select("entity", "other", "weight", role=pl.lit(role))


def numbered(made: Tables, places: pl.DataFrame) -> Tables:
    """The tables as they are stored; `places` has the columns entity and place."""

    def placed(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
        return frame.join(places, on="entity").select(schema.names())

    classes = made.facts.select("entity", "kind", "size_class", "sure_class", "decade")
    return Tables(
        placed(made.facts, FACTS),
        made.records.join(places, on="entity", how="semi"),
        placed(made.words.join(classes, on="entity"), WORDS).sort("kind", "word", "place"),
        placed(made.links, LINKS).sort("place", "role", "weight", "other"),
        placed(made.years, YEARS).sort("place", "year"),
    )


def places(facts: pl.DataFrame) -> pl.DataFrame:
    """`entity`, `place`: kind by kind, the larger first, then by name.

    >>> facts = pl.DataFrame({"entity": ["a1", "a2"], "kind": ["author"] * 2, "size": [1, 5], "sort": ["x", "y"]})
    >>> places(facts).rows()
    [('a2', 1), ('a1', 2)]
    """
    order = facts.sort("kind", "size", "sort", "entity", descending=[False, True, False, False])
    return order.select("entity", place=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))


def facets(facts: pl.DataFrame) -> pl.DataFrame:
    """How many entities fall into each class, schema `FACETS`."""
    counted = facts.group_by("kind", "size_class", "sure_class", "decade").agg(
        pl.len().cast(pl.Int64).alias("count")
    )
    return counted.select(FACETS.names())
