"""What an author mention says, packed into one text of the store: the codes of its words, eight letters each.

A code is a number of 48 bits: the upper four say the field of evidence.py, the lower 44 are a hash of the word. Codes are
compared as numbers, so that the mentions of a name are learnt without a word being looked at; words of one field share a
code by chance in one pair of 10^13.

The words that only the *other* authors of the reference have (said_together in corpus.py, without the mention's own)
stand with it too, marked BESIDE: the background of the name leaves out all words of its references.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from samehand.models.stream.evidence import FIELDS

if TYPE_CHECKING:
    from samehand.models.stream.persons import Record

Longs = npt.NDArray[np.int64]

WORD_BITS = 44
BYTES, LETTERS = 6, 8
BESIDE = 8 << WORD_BITS
"""Added to the code of a word that the mention's own record does not have."""

OF_A_MENTION = (0, 1, 4)
"""The fields that differ between the authors of a reference: title and venue are those of the reference."""


@lru_cache(maxsize=200_000)
def code(field: int, token: str) -> int:
    """The code of a word of a field.

    >>> code(1, "hand") >> WORD_BITS, code(1, "hand") == code(2, "hand")
    (1, False)
    """
    return field << WORD_BITS | _hash(token)


def _hash(token: str) -> int:
    digest = blake2b(token.encode("utf-8", "surrogatepass"), digest_size=BYTES).digest()
    return int.from_bytes(digest, "little") & ((1 << WORD_BITS) - 1)


def pack(record: Record, together: Record) -> str:
    """A mention's record, and what all mentions of its reference say together, as one text.

    >>> alone = {"title_stems": ["hand", "thumb"]}
    >>> len(pack(alone, alone)), len(pack(alone, alone | {"coauthors": ["a lee"]}))
    (16, 24)
    """
    own = {code(field, token) for field, name in enumerate(FIELDS) for token in record.get(name) or ()}
    all_codes = {
        code(field, token) for field, name in enumerate(FIELDS) for token in together.get(name) or ()
    }
    codes = sorted([*own, *(BESIDE + beside for beside in all_codes - own)])
    return base64.b64encode(b"".join(one.to_bytes(BYTES, "little") for one in codes)).decode()


def unpack(texts: pl.Series) -> tuple[Longs, Longs]:
    """The codes of packed texts: those of text i are `codes[starts[i]:starts[i + 1]]`.

    >>> starts, codes = unpack(pl.Series([pack({"title_stems": ["hand"]}, {}), "", pack({"coauthors": ["a lee"]}, {})]))
    >>> starts.tolist(), codes[0] == code(2, "hand")
    ([0, 1, 1, 2], np.True_)
    """
    lengths = texts.str.len_bytes().to_numpy().astype(np.int64) // LETTERS
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    raw = base64.b64decode("".join(texts.to_list()))
    wide = np.zeros((len(raw) // BYTES, 8), np.uint8)
    wide[:, :BYTES] = np.frombuffer(raw, np.uint8).reshape(-1, BYTES)
    return starts, wide.view("<i8").ravel().astype(np.int64, copy=False)


def pack_table(records: pl.DataFrame) -> pl.Series:
    """`pack` of every row of a table of features.py with a column `reference`.

    >>> table = pl.DataFrame({field: [["x"]] for field in FIELDS} | {"reference": ["r"]})
    >>> unpack(pack_table(table))[1].tolist() == [code(field, "x") for field in range(len(FIELDS))]
    True
    """
    own = [_coded(records, field) for field in range(len(FIELDS))]
    beside = [_beside(records["reference"], own[field]) for field in OF_A_MENTION]
    pairs = pl.concat([*own, *beside]).sort("row", "code")
    codes = np.ascontiguousarray(pairs["code"].to_numpy(), "<i8")
    letters = base64.b64encode(codes.view(np.uint8).reshape(-1, 8)[:, :BYTES].tobytes())
    starts = LETTERS * np.searchsorted(pairs["row"].to_numpy(), np.arange(records.height + 1))
    offsets = pa.py_buffer(starts.astype(np.int64))
    return pl.Series("said", pa.LargeStringArray.from_buffers(records.height, offsets, pa.py_buffer(letters)))


def _coded(records: pl.DataFrame, field: int) -> pl.DataFrame:
    """Columns row and code: the words of one field."""
    words = (
        records.select(row=pl.int_range(pl.len(), dtype=pl.Int64), token=FIELDS[field])
        .explode("token")
        .drop_nulls("token")
    )
    distinct = words["token"].unique()
    codes = pl.Series([code.__wrapped__(field, token) for token in distinct], dtype=pl.Int64)
    numbered = pl.DataFrame({"token": distinct, "code": codes})
    return words.join(numbered, on="token").select("row", "code")


def _beside(references: pl.Series, own: pl.DataFrame) -> pl.DataFrame:
    """Columns row and code: the words that other mentions of the reference have, and the row has not."""
    rows = pl.DataFrame(
        {"row": pl.int_range(len(references), dtype=pl.Int64, eager=True), "reference": references}
    ).with_columns(pl.col("reference").rank("dense"))
    together = own.join(rows, on="row").select("reference", "code").unique()
    others = together.join(rows, on="reference").join(own, on=["row", "code"], how="anti")
    return others.select("row", pl.col("code") + BESIDE)
