"""From the numbers of a field to columns of text: Arrow does it, no loop of Python touches a mention.

`MENTIONS` are the columns `samehand resolve` takes, `TRUTH` says which mentions are one person.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samehand.evaluate.synthetic.names import Inventory
from samehand.evaluate.synthetic.noise import Bytes, misspell
from samehand.evaluate.synthetic.teams import Integers
from samehand.kernels import kernel

LETTERS = [chr(ord("A") + i) for i in range(26)]

MENTIONS = pa.schema(
    {
        "id": pa.string(),
        "paper_id": pa.string(),
        "position": pa.int32(),
        "first": pa.string(),
        "middle": pa.string(),
        "last": pa.string(),
        "name": pa.string(),
        "title": pa.string(),
        "venue": pa.string(),
        "year": pa.int32(),
        "coauthors": pa.list_(pa.string()),
    }
)
TRUTH = pa.schema({"id": pa.string(), "cluster": pa.string()})


class Forms(NamedTuple):
    """All given names in all their forms, then the 26 initials; `dotted` has initials with a full stop."""

    plain: pa.StringArray
    dotted: pa.StringArray
    lasts: pa.StringArray


def forms(names: Inventory) -> Forms:
    """The written forms of an inventory of names."""
    plain = pa.concat_arrays([*names.firsts, pa.array(LETTERS)])
    dotted = pa.concat_arrays([*names.firsts, pa.array([f"{letter}." for letter in LETTERS])])
    return Forms(plain, dotted, names.lasts)


class Name(NamedTuple):
    """The columns of a written name."""

    first: pa.StringArray
    middle: pa.StringArray
    last: pa.StringArray
    name: pa.StringArray


def written_names(written: npt.NDArray[np.void], forms: Forms) -> Name:
    """The names of all mentions as their sources write them (noise.WRITTEN -> text)."""
    first_index = pa.array(written["first"])
    middle_index = pa.array(written["middle"], mask=written["middle"] < 0)
    first = misspelt(forms.plain.take(first_index), written["first_edit"])
    dotted = misspelt(forms.dotted.take(first_index), written["first_edit"])
    last = misspelt(forms.lasts.take(pa.array(written["last"])), written["last_edit"])
    if written["swapped"].any():
        swapped = pa.array(written["swapped"])
        dotted, last = pc.if_else(swapped, last, dotted), pc.if_else(swapped, first, last)
        first = pc.if_else(swapped, dotted, first)
    return Name(
        first,
        forms.plain.take(middle_index),
        last,
        _displayed(dotted, forms.dotted.take(middle_index), last, written["inverted"]),
    )


def _displayed(
    first: pa.StringArray, middle: pa.StringArray, last: pa.StringArray, inverted: npt.NDArray[np.bool_]
) -> pa.StringArray:
    """ "First M. Last", or "Last, First M." where inverted."""
    direct = pc.binary_join_element_wise(first, middle, last, " ", null_handling="skip")
    if not inverted.any():
        return direct
    comma = pc.binary_join_element_wise(last, ",", "")
    turned = pc.binary_join_element_wise(comma, first, middle, " ", null_handling="skip")
    return pc.if_else(pa.array(inverted), turned, direct)


def misspelt(texts: pa.StringArray, edits: npt.NDArray[np.uint16]) -> pa.StringArray:
    """The texts, with those changed that have an edit (noise.misspell).

    >>> misspelt(pa.array(["Gramen", "Tosal"]), np.array([0, 4], "u2")).to_pylist()
    ['Gramen', 'Toal']
    """
    if not edits.any():
        return texts
    starts = np.frombuffer(texts.buffers()[1], np.int32, len(texts) + 1, 4 * texts.offset)
    old: Bytes = np.frombuffer(texts.buffers()[2], np.uint8)
    new, new_starts = np.empty(len(old) + len(texts), np.uint8), np.empty(len(texts) + 1, np.int32)
    misspell(old, starts, np.ascontiguousarray(edits), new, new_starts)
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(new_starts), pa.py_buffer(new))


@kernel
def coauthor_indices(starts: Integers) -> tuple[Integers, Integers]:
    """For each slot the others of its record, and where each slot's begin; `starts`: record -> first slot."""
    sizes = np.diff(starts)
    total = np.sum(sizes * (sizes - 1))
    others = np.empty(total, np.int32)
    begins = np.empty(starts[-1] + 1, np.int32)
    end = 0
    for record in range(len(sizes)):
        for slot in range(starts[record], starts[record + 1]):
            begins[slot] = end
            for other in range(starts[record], starts[record + 1]):
                if other != slot:
                    others[end] = other
                    end += 1
    begins[starts[-1]] = end
    return others, begins


def coauthors(names: pa.StringArray, starts: Integers) -> pa.ListArray:
    """The other names of each mention's record.

    >>> coauthors(pa.array(["A", "B", "C", "D"]), np.array([0, 3, 4], "i4")).to_pylist()
    [['B', 'C'], ['A', 'C'], ['A', 'B'], []]
    """
    others, begins = coauthor_indices(starts)
    return pa.ListArray.from_arrays(pa.array(begins), names.take(pa.array(others)))


def numbered(letter: str, numbers: npt.NDArray[np.int64]) -> pa.StringArray:
    """Short identifiers.

    >>> numbered("m", np.array([0, 41])).to_pylist()
    ['m0', 'm41']
    """
    return pc.binary_join_element_wise(letter, pa.array(numbers).cast(pa.string()), "")
