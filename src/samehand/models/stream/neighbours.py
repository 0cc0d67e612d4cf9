"""The author mentions of one block as the index of a library has them: read in one query, kept as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from samehand.models.stream.evidence import FIELDS, NO_YEAR, Bag
from samehand.models.stream.packing import BESIDE, WORD_BITS, code, unpack
from samehand.store import Store

Longs = npt.NDArray[np.int64]

BYTES_OF_A_MENTION = 500
"""What the texts and entries of one mention take, about."""

_ROWS = pl.Schema(
    {
        "mention": pl.String(),
        "reference": pl.String(),
        "year": pl.Int64(),
        "given_name": pl.String(),
        "is_given": pl.Int64(),
        "said": pl.String(),
        "entity": pl.String(),
    }
)
_SQL = (
    'SELECT k."mention", k."reference", k."year", k."given_name", k."is_given", k."said", a."entity" '
    'FROM keys AS k JOIN assignments AS a ON a."mention" = k."mention" '
    'WHERE k."key" = $1 AND k."kind" = \'author\''
)


@dataclass(frozen=True)
class Words:
    """The words of several records, as numbers.

    Those of record i are `numbers[starts[i]:starts[i + 1]]`, field after field; `codes[number]` is the code of a word
    (packing.py), in ascending order.
    """

    codes: Longs
    starts: Longs
    numbers: Longs

    def find(self, field: int, token: str) -> int:
        """The number of a word; -1 if no record has it."""
        wanted = code(field, token)
        place = int(np.searchsorted(self.codes, wanted))
        return place if place < len(self.codes) and self.codes[place] == wanted else -1

    def bag(self, record: int) -> Bag:
        """The words of one record."""
        numbers = self.numbers[self.starts[record] : self.starts[record + 1]]
        fields = self.codes[numbers] >> WORD_BITS
        starts = np.searchsorted(fields, np.arange(len(FIELDS) + 1))
        return Bag(starts.astype(np.int64), numbers, np.ones(len(numbers), np.int64))


@dataclass(frozen=True)
class Neighbours:
    """The mentions of a block, arrivals included, with their entities.

    `is_given`: the input itself gave the block. `reference_counts`: how many of the block's references have each word,
    whichever of their authors it belongs to.
    """

    mentions: list[str]
    references: list[str]
    entities: list[str]
    years: Longs
    given_names: list[str]
    is_given: bool
    words: Words
    reference_counts: Longs

    def field_totals(self) -> list[int]:
        """How many words the block's references have in each field, each counted once a reference."""
        fields = self.words.codes >> WORD_BITS
        return [int(total) for total in np.bincount(fields, self.reference_counts, len(FIELDS))]

    @property
    def bytes(self) -> int:
        """About how much memory they take."""
        arrays = (self.words.codes, self.words.starts, self.words.numbers, self.reference_counts, self.years)
        return sum(array.nbytes for array in arrays) + BYTES_OF_A_MENTION * len(self.mentions)


def read_neighbours(store: Store, key: str) -> Neighbours:
    """The mentions of the block that has this key."""
    return neighbours_of(store.query(_ROWS, _SQL, (key,)))


def neighbours_of(rows: pl.DataFrame) -> Neighbours:
    """The same of a table of rows: mention, reference, year, given_name, is_given, said, entity.

    >>> said = pl.Series(["", ""])
    >>> names = {"mention": ["x/author/1", "y/author/2"], "reference": ["x", "y"], "entity": ["a1", "a1"]}
    >>> rows = pl.DataFrame(names | {"year": [None, 2001], "given_name": ["a", "ann"], "is_given": [0, 0], "said": said})
    >>> neighbours_of(rows).years.tolist()
    [-1000000, 2001]
    """
    starts, packed = unpack(rows["said"])
    codes, numbers = np.unique(packed & ~BESIDE, return_inverse=True)
    record = np.repeat(np.arange(rows.height), np.diff(starts))
    is_first = rows["reference"].is_first_distinct().to_numpy()
    is_own = packed < BESIDE
    own_starts = np.searchsorted(record[is_own], np.arange(rows.height + 1))
    return Neighbours(
        rows["mention"].to_list(),
        rows["reference"].to_list(),
        rows["entity"].to_list(),
        rows["year"].fill_null(NO_YEAR).to_numpy().astype(np.int64),
        rows["given_name"].to_list(),
        bool(rows["is_given"].sum()),
        Words(codes, own_starts.astype(np.int64), numbers[is_own].astype(np.int64)),
        np.bincount(numbers[is_first[record]], minlength=len(codes)),
    )
