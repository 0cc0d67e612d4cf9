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

from samehand.kernels import kernel
from samehand.models.persons.evidence import Bags
from samehand.models.persons.layout import BLOCK, COAUTHORS, FEATURES, Floats, Ints, Longs
from samehand.models.persons.likeness import shares
from samehand.models.persons.people import joined
from samehand.models.persons.statistics import Statistics

RAREST_INITIAL = 0.003


def ambiguity(
    names: pl.DataFrame,
    of_mention: Ints,
    bags: Bags,
    block_starts: Longs,
    portraits: Longs,
    whole: Statistics,
) -> Floats:
    """The features of each block, shape (blocks, features); mention m, of a block after the other, has a row of names."""
    census = whole.words.census
    owners = _owners(names, of_mention, block_starts)
    table = (
        owners.join(census.first_names, on=["initial", "last"], how="left", maintain_order="left")
        .join(census.initials, on="last", how="left", maintain_order="left")
        .join(census.shares, on="initial", how="left", maintain_order="left")
        .join(census_last_names(), on="written", how="left", maintain_order="left")
    )
    share = shares(portraits, whole.manner.ratio, whole.mean)
    several = pl.col("first_names").fill_null(0)
    features = table.select(
        constant=pl.lit(1.0),
        first_names=several.log1p(),
        one_first_name=1.0 / (several + 1),
        initials=pl.col("initials").fill_null(1).log1p(),
        mentions=pl.Series(np.log(np.diff(block_starts))),
        census=pl.col("bearers").fill_null(0.0).log1p(),
        initial=(pl.col("share").fill_null(0.0) + RAREST_INITIAL).log(),
        density=pl.Series(density(bags.starts, bags.tokens, bags.field, block_starts)),
        alike=pl.Series(np.log(share / (1.0 - share))),
    ).select(FEATURES[BLOCK:])
    return np.ascontiguousarray(features.to_numpy(), np.float64)


def _owners(names: pl.DataFrame, of_mention: Ints, block_starts: Longs) -> pl.DataFrame:
    """The commonest initial and last name of each block (`last` as a hash, `written` as text), in the order of blocks."""
    block = np.repeat(np.arange(len(block_starts) - 1), np.diff(block_starts))
    known = names.select("initial", written=joined("last")).with_row_index("name")
    counts = (
        pl.DataFrame({"block": block, "name": of_mention.astype(np.uint32)}).group_by("block", "name").len()
    )
    owned = counts.join(known, on="name").group_by("block", "initial", "written").agg(pl.col("len").sum())
    common = owned.sort("len", "initial", "written", descending=[True, False, False])
    first = common.unique("block", keep="first", maintain_order=True).sort("block")
    return first.select("initial", "written", last=pl.col("written").hash(0))


@cache
def census_last_names() -> pl.DataFrame:
    """Last names of the US census of 1990 (from the package `names`): columns written, bearers (among 100,000)."""
    lines = (files("names") / "dist.all.last").read_text("utf-8").splitlines()
    rows = [line.split() for line in lines]
    return pl.DataFrame(
        {"written": [row[0].lower() for row in rows], "bearers": [1000.0 * float(row[1]) for row in rows]}
    ).unique("written", keep="first", maintain_order=True)


@kernel
def density(starts: Longs, tokens: Ints, field: Ints, block_starts: Longs) -> Floats:
    """ln((pairs that share a co-author, each shared one counted, + 1) / (pairs + 2)) of each block."""
    seen, holders = np.full(field.shape[0], -1, np.int64), np.zeros(field.shape[0], np.int64)
    found = np.empty(block_starts.shape[0] - 1)
    for block in range(found.shape[0]):
        pairs = 0.0
        for mention in range(block_starts[block], block_starts[block + 1]):
            for place in range(starts[mention], starts[mention + 1]):
                token = tokens[place]
                if field[token] != COAUTHORS:
                    continue
                if seen[token] != block:
                    seen[token], holders[token] = block, 0
                pairs += holders[token]
                holders[token] += 1
        size = float(block_starts[block + 1] - block_starts[block])
        found[block] = np.log((pairs + 1.0) / (size * (size - 1.0) / 2.0 + 2.0))
    return found
