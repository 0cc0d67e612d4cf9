"""Lists of names of a block of table rows, laid end to end: one series of names, and how many each row has."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from samehand.read.table_columns import Columns, cleaned
from samehand.read.tables import author_list, decoded
from samehand.read.values import is_et_al

_MAY_BE_ET_AL = r"(?i)(?:al|others)\.?[{} ]*$"
"""Every text for which `is_et_al` holds has this, and few others."""

Integers = npt.NDArray[np.int64]
Booleans = npt.NDArray[np.bool_]


@dataclass
class NameLists:
    """`counts[i]` names of row i stand in `names`, after those of the rows before it."""

    names: pl.Series
    counts: Integers
    truncated: Booleans

    def series(self) -> pl.Series:
        """The lists as a column.

        >>> NameLists(pl.Series(["A", "B"]), np.array([2, 0]), np.zeros(2, bool)).series().to_list()
        [['A', 'B'], []]
        """
        return listed(self.names, self.counts)

    def inserted(self, focal: pl.Series, focus: Integers) -> pl.Series:
        """The lists as a column, with one more name in each row, at the place `focus`.

        >>> lists = NameLists(pl.Series(["A", "B"]), np.array([2, 0]), np.zeros(2, bool))
        >>> lists.inserted(pl.Series(["X", "Y"]), np.array([1, 0])).to_list()
        [['A', 'X', 'B'], ['Y']]
        """
        counts = self.counts + 1
        new = _starts(counts) + focus
        order = np.empty(counts.sum(), dtype=np.int64)
        is_new = np.zeros(len(order), dtype=np.bool_)
        is_new[new] = True
        order[new] = len(self.names) + np.arange(len(focal))
        order[~is_new] = np.arange(len(self.names))
        return listed(pl.concat([self.names, focal.alias(self.names.name)]).gather(order), counts)


def beside(values: pl.Series, focus: Integers, counts: Integers) -> pl.Series:
    """Lists as long as the lists of authors, empty but for the value at `focus`; [] where it is null.

    >>> beside(pl.Series(["MIT", None]), np.array([1, 0]), np.array([2, 1])).to_list()
    [['', 'MIT'], []]
    """
    given = values.is_not_null().to_numpy()
    lengths = np.where(given, counts, 0)
    order = np.zeros(lengths.sum(), dtype=np.int64)
    order[(_starts(lengths) + focus)[given]] = 1 + np.flatnonzero(given)
    return listed(pl.concat([pl.Series(values.name, [""]), values]).gather(order), lengths)


def name_lists(columns: Columns, name: str) -> NameLists:
    """A column of lists of names, or of texts that hold such lists, as `author_list` reads each.

    >>> lists = name_lists(Columns(2, {"authors": [["Ann  Lee", "et al."], None]}), "authors")
    >>> lists.series().to_list(), lists.truncated.tolist()
    ([['Ann Lee'], []], [True, False])
    """
    column = columns.columns.get(name)
    if isinstance(column, pl.Series) and column.dtype == pl.List(pl.String):
        counts = column.list.len().fill_null(0).cast(pl.Int64)
        return _of_texts(column.filter(counts > 0).explode(), counts.to_numpy())
    values = columns.values(name)
    if set(map(type, values)) <= {list, type(None)}:
        lists = [value or [] for value in values]
        if set(map(type, chain.from_iterable(lists))) <= {str, type(None)}:
            return _of_texts(*laid_out(name, lists))
    return _one_by_one(values, name)


def _one_by_one(values: list[Any], name: str) -> NameLists:
    read = [author_list(decoded(value), name) for value in values]
    names, counts = laid_out(name, [names for names, _ in read])
    return NameLists(names, counts, np.fromiter((cut for _, cut in read), dtype=np.bool_, count=len(read)))


def laid_out(name: str, lists: list[list[str]]) -> tuple[pl.Series, Integers]:
    """Lists of texts end to end, and how many each has.

    >>> names, counts = laid_out("keywords", [["a", "b"], []])
    >>> names.to_list(), counts.tolist()
    (['a', 'b'], [2, 0])
    """
    counts = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    return pl.Series(name, list(chain.from_iterable(lists)), dtype=pl.String), counts


def _of_texts(texts: pl.Series, counts: Integers) -> NameLists:
    """Names as they stand in lists: cleaned, without empty ones, "et al." taken as a sign."""
    names = cleaned(texts)
    others = _places_of_et_al(names)
    truncated = np.zeros(len(counts), dtype=np.bool_)
    keep = names.is_not_null().to_numpy().copy()
    keep[others] = False
    if not keep.all():
        rows = np.repeat(np.arange(len(counts)), counts)
        truncated[rows[others]] = True
        counts = np.bincount(rows[keep], minlength=len(counts)).astype(np.int64)
        names = names.filter(pl.Series(keep))
    return NameLists(names, counts, truncated)


def _places_of_et_al(names: pl.Series) -> list[int]:
    places = names.str.contains(_MAY_BE_ET_AL).arg_true()
    return [place for place in places if is_et_al(names[place])]


def _starts(counts: Integers) -> Integers:
    return np.cumsum(counts) - counts


def listed(flat: pl.Series, counts: Integers) -> pl.Series:
    """Texts end to end as a column of lists.

    >>> listed(pl.Series(["A", "B"]), np.array([0, 2])).to_list()
    [[], ['A', 'B']]
    """
    offsets = pl.Series(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)).to_arrow()
    texts = flat.to_arrow(compat_level=pl.CompatLevel.newest())
    return pl.Series(flat.name, _Capsule(pa.LargeListArray.from_arrays(offsets, texts)))


@dataclass
class _Capsule:
    """An Arrow array for Polars to take as it is: handed over bare, it is copied, after a slow import."""

    array: pa.Array

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        schema, array = self.array.__arrow_c_array__(requested_schema)
        return schema, array
