"""Before any evidence: how many persons may hide behind a block's name?

| feature | of the block |
|---|---|
| constant | 1 |
| first_names | ln(K + 1), K the full first names seen anywhere in the library with this initial and last name |
| one_first_name | 1 / (K + 1) |
| initials | ln(L + 1), L the first initials seen anywhere with this last name: it is large for a common one |
| mentions | ln of the block's size |
| census | ln(1 + the last name's bearers among 100,000 people), by the US census of 1990 |
| initial | ln of the share of names that begin with this initial |
| density | ln of the pairs of mentions that share a co-author, as a share of all pairs |
| alike | ln s / (1 - s), s the share of pairs that look like one person's (likeness.py) |

Their weighted sum is the prior log-odds, in the spirit of the citation model's P(n), that two mentions of
the block are one person.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import numpy as np
import polars as pl

from samehand.models.persons.evidence import Evidence
from samehand.models.persons.layout import BLOCK, COAUTHORS, FEATURES, Floats, Longs
from samehand.models.persons.likeness import alike
from samehand.normalise.name_parts import distinct_parts

RAREST_INITIAL = 0.003


def ambiguity(authors: pl.DataFrame, found: Evidence, block_starts: Longs) -> Floats:
    """The features of each block of described mentions, sorted by block; shape (blocks, features)."""
    names = _owners(authors)
    people = _people(authors)
    initial = pl.col("first").str.head(1).alias("initial")
    spelled = people.filter(pl.col("first").str.len_chars() > 1)
    first_names = spelled.group_by(initial, "last").agg(first_names=pl.col("first").n_unique())
    initials = people.group_by("last").agg(initials=pl.col("first").str.head(1).n_unique())
    shares = people.group_by(initial).agg(share=pl.len() / people.height)
    table = (
        names.join(first_names, on=["initial", "last"], how="left", maintain_order="left")
        .join(initials, on="last", how="left", maintain_order="left")
        .join(shares, on="initial", how="left", maintain_order="left")
        .join(census_last_names(), on="last", how="left", maintain_order="left")
    )
    several = pl.col("first_names").fill_null(0)
    features = table.select(
        constant=pl.lit(1.0),
        first_names=several.log1p(),
        one_first_name=1.0 / (several + 1),
        initials=pl.col("initials").fill_null(1).log1p(),
        mentions=pl.Series(np.log(np.diff(block_starts))),
        census=pl.col("bearers").fill_null(0.0).log1p(),
        initial=(pl.col("share").fill_null(0.0) + RAREST_INITIAL).log(),
        density=pl.Series(_density(found, block_starts)),
        alike=pl.Series(alike(found, block_starts)),
    ).select(FEATURES[BLOCK:])
    return np.ascontiguousarray(features.to_numpy(), np.float64)


def _owners(authors: pl.DataFrame) -> pl.DataFrame:
    """The commonest initial and last name of each block, in the order of the blocks."""
    last = pl.col("last").str.replace_all("[ -]", "")
    counts = authors.group_by("block", pl.col("initial"), last).len()
    common = counts.sort("len", "initial", "last", descending=[True, False, False])
    return common.unique("block", keep="first", maintain_order=True).sort("block").drop("len")


def _people(authors: pl.DataFrame) -> pl.DataFrame:
    """The distinct first and last names of all authors and co-authors."""
    _, parts = distinct_parts(authors["authors"].explode().drop_nulls())
    both = pl.concat([parts.select("first", "last"), authors.select("first", "last")])
    return both.with_columns(pl.all().str.replace_all("[ -]", "")).unique()


@cache
def census_last_names() -> pl.DataFrame:
    """Last names of the US census of 1990 (from the package `names`): columns last, bearers (among 100,000)."""
    lines = (files("names") / "dist.all.last").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines]
    return pl.DataFrame(
        {"last": [row[0].lower() for row in rows], "bearers": [1000.0 * float(row[1]) for row in rows]}
    ).unique("last", keep="first", maintain_order=True)


def _density(found: Evidence, block_starts: Longs) -> Floats:
    """ln((pairs that share a co-author, each shared one counted, + 1) / (pairs + 2)) of each block."""
    mention = np.repeat(np.arange(len(found.starts) - 1), np.diff(found.starts))
    block = np.repeat(np.arange(len(block_starts) - 1), np.diff(block_starts))[mention]
    held = pl.DataFrame({"block": block, "token": found.tokens}).filter(
        found.field[found.tokens] == COAUTHORS
    )
    holders = held.group_by("block", "token").len().with_columns(pl.col("len").cast(pl.Float64))
    shared = holders.group_by("block").agg(pairs=(pl.col("len") * (pl.col("len") - 1) / 2).sum())
    pairs = np.zeros(len(block_starts) - 1)
    pairs[shared["block"].to_numpy()] = shared["pairs"].to_numpy()
    size = np.diff(block_starts).astype(np.float64)
    return np.log((pairs + 1.0) / (size * (size - 1.0) / 2.0 + 2.0))
