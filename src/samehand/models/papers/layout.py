"""Facts as arrays: what kernels compare.

Lists of words are in compressed rows: those of record r are `codes[starts[r]:starts[r + 1]]`, ascending, a smaller
code being rarer. Titles, texts and surnames share one vocabulary, so that a title or a name can be looked for in a
text.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.block.canopies import Codes, Floats, Ints, WordIndex, index_words
from samehand.models.papers.words import corrections, read_slips, run_together

COMMON_SHARE = 0.02
FEW = 400
"""A word brings candidates unless it stands in more records than FEW and in more than COMMON_SHARE of them."""


@dataclass(frozen=True)
class Lists:
    """One list of codes for each record."""

    starts: Ints
    codes: Codes

    def of(self, record: int) -> Codes:
        """The codes of one record."""
        return self.codes[self.starts[record] : self.starts[record + 1]]


@dataclass(frozen=True)
class Layout:
    """The distinct records of a collection."""

    facts: pl.DataFrame  # schema facts.FACTS
    index: WordIndex  # of the words of the whole texts
    titles: Lists  # of the whole text where there is no title
    venues: Lists
    venue_weights: Floats
    surnames: Lists  # in the order of the authors
    rarity: Floats  # of each word: its idf over the greatest idf possible, in [0, 1]
    numbers: npt.NDArray[np.bool_]  # whether a word is a number


def lay_out(facts: pl.DataFrame) -> Layout:
    """The arrays of a table of facts.

    >>> from samehand.models.papers.facts import facts_of
    >>> from samehand.records import Reference, references_frame
    >>> papers = [Reference("a.bib", n, title="On Hands", year=1990 + n) for n in range(2)]
    >>> lay_out(facts_of(references_frame(papers))).titles.starts.tolist()
    [0, 2, 4]
    """
    text = facts["text"].str.split(" ")
    titled = facts.select(pl.when(pl.col("title") != "").then("title").otherwise("text")).to_series()
    joined = run_together(text)
    text = read_slips(text, joined)
    slips = corrections(text)
    index = index_words(read_slips(text, slips), max(FEW, int(COMMON_SHARE * facts.height)))
    vocabulary = index.vocabulary["word"]
    venue_index = index_words(facts["venue"])
    return Layout(
        facts=facts,
        index=index,
        titles=_coded(
            read_slips(read_slips(titled.str.split(" "), joined), slips), vocabulary, distinct=True
        ),
        venues=Lists(venue_index.starts, venue_index.words),
        venue_weights=venue_index.weights,
        surnames=_coded(read_slips(facts["surnames"], slips), vocabulary, distinct=False),
        rarity=index.weights / np.log1p(max(facts.height, 1)),
        numbers=vocabulary.str.contains(r"\d|^[ivx]+$").to_numpy(),
    )


def _coded(words: pl.Series, vocabulary: pl.Series, distinct: bool) -> Lists:
    """Word lists as codes; words that no text has are left out. Distinct codes are sorted, others keep their order."""
    codes = pl.DataFrame(
        {"word": vocabulary, "code": pl.int_range(vocabulary.len(), dtype=pl.Int32, eager=True)}
    )
    long = (
        words.alias("word")
        .to_frame()
        .with_row_index("row")
        .explode("word", empty_as_null=True, keep_nulls=True)
        .join(codes, on="word", how="inner", maintain_order="left")
    )
    if distinct:
        long = long.unique(["row", "code"]).sort("row", "code")
    starts = np.searchsorted(long["row"].to_numpy(), np.arange(words.len() + 1)).astype(np.int64)
    return Lists(starts, long["code"].to_numpy().astype(np.int32))
