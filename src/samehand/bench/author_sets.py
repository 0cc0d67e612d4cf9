"""The labelled author sets, in blocks: as they are, and one of them with first names cut to initials."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from samehand.bench import Options
from samehand.bench.labelled import labelled_sets
from samehand.block import Blocked, block
from samehand.evaluate.synthetic import generate
from samehand.normalise.mentions import author_mentions
from samehand.read import read

CUT = "acl-a"
"""The set that is also scored with first names cut to initials: its names are mostly in full."""

QUICK = 2_000
"""With --quick, whole blocks until there are so many mentions."""


def author_sets(options: Options) -> Iterator[tuple[str, Blocked, pl.DataFrame]]:
    """Name, blocked mentions and truth of each labelled set of authors that --set leaves in."""
    for labelled in labelled_sets(replace(options, set=None), "authors"):
        plain = labelled.name.removeprefix("authors/")
        for name in (plain, f"{plain}-initials") if plain == CUT else (plain,):
            if options.set in (None, name, f"authors/{name}"):
                blocked = read_authors(labelled.records, initials=name != plain)
                blocked = first_blocks(blocked, QUICK) if options.quick else blocked
                truth = pl.read_csv(labelled.truth, schema_overrides={"cluster": pl.String})
                yield f"authors/{name}", blocked, truth.join(blocked.mentions, on="id", how="semi")


def read_authors(records: Path, *, initials: bool = False) -> Blocked:
    """The author mentions of a file in their blocks; with `initials`, first and middle names are cut to theirs."""
    references = read(records).references
    if initials:
        references = references.with_columns(
            authors=pl.col("authors").list.eval(cut_to_initials(pl.element()))
        )
    return block("author", author_mentions(references), references)


def cut_to_initials(name: pl.Expr) -> pl.Expr:
    """Names "Last, First Middle" with first and middle names cut; other names as they are.

    >>> names = pl.Series(["Lund, Bianca-Maria Eve", "Lund"]).to_frame("name")
    >>> names.select(cut_to_initials(pl.col("name"))).to_series().to_list()
    ['Lund, B-M E', 'Lund']
    """
    last, given = name.str.extract(r"^([^,]*),"), name.str.extract(r", (.*)$")
    short = given.str.replace_all(r"(\p{L})[\p{L}\p{M}'’.]*", "${1}")
    return pl.coalesce(pl.concat_str(last, short, separator=", "), name)


def first_blocks(blocked: Blocked, mentions: int) -> Blocked:
    """Whole blocks in the order of their first mention, until there are at least so many mentions."""
    sizes = blocked.mentions.group_by("block", maintain_order=True).len()
    before = sizes.with_columns(before=pl.col("len").cum_sum() - pl.col("len"))
    kept = before.filter(pl.col("before") < mentions)
    return replace(
        blocked, mentions=blocked.mentions.join(kept, on="block", how="semi", maintain_order="left")
    )


def blocks_alike(size: int, count: int, seed: int) -> Blocked:
    """Blocks of just this size: generated persons side by side, all of them written with one and the same name."""
    with tempfile.TemporaryDirectory() as folder:
        made = generate(size * count, Path(folder, "made.parquet"), seed=seed)
        mentions = pl.read_parquet(made.output).join(pl.read_parquet(made.truth), on="id")
        alike = mentions.sort("cluster", "id").with_columns(
            name=pl.lit("A. Lund"), first=pl.lit("A"), middle=pl.lit(None, pl.String), last=pl.lit("Lund"),
            block=pl.format("block {}", pl.int_range(pl.len()) // size),
        )  # fmt: skip
        file = Path(folder, "alike.parquet")
        alike.drop("cluster").write_parquet(file)
        return read_authors(file)
