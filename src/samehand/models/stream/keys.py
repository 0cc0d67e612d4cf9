"""What the mentions of a library are looked up by, so that one new record touches a few of them only.

An author has the key of its block (or the block that the input gives); a venue its words; a paper its identifiers, its
title, and its first author and year with the first and with the last word of its title, one of which a misprint leaves.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from samehand.block import WORDS_TO_COMPARE
from samehand.records import Kind

KEY = ("kind", "key", "mention", "reference")
"""The columns of the store's table that every mention has."""

IDENTIFIERS = ("doi", "arxiv", "pmid")
NEAR = "near:"
"""How the keys of first author, year and one word of the title begin."""


def keys_of(kind: Kind, mentions: pl.DataFrame) -> pl.DataFrame:
    """The keys of mentions (normalise/mentions.py), columns `KEY`; a paper may have several, or none.

    >>> from samehand.normalise.mentions import author_mentions
    >>> from samehand.records import Reference, references_frame
    >>> paper = Reference("a.bib", 1, id="x", authors=["Ada van Dam"])
    >>> keys_of("author", author_mentions(references_frame([paper]))).row(0)
    ('author', 'a vandam', 'x/author/1', 'x')
    """
    if kind == "paper":
        keys = pl.concat_list(
            *(pl.lit(f"{name}:") + pl.col(name) for name in IDENTIFIERS), _title(), *_author_and_word()
        )
    else:
        keys = pl.concat_list(pl.coalesce("given_block", "block") if kind == "author" else "key")
    table = mentions.select(kind=pl.lit(kind), key=keys, mention="id", reference="reference")
    return _exploded(table)


def _exploded(table: pl.DataFrame) -> pl.DataFrame:
    return table.explode("key").filter(pl.col("key") != "").select(KEY)


def _title() -> pl.Expr:
    """A title of a few words ("Editorial") says too little to be looked for."""
    is_long = pl.col("title_tokens").list.len() >= WORDS_TO_COMPARE
    return pl.when(is_long).then(pl.lit("title:") + pl.col("title_key"))


def _author_and_word() -> Iterator[pl.Expr]:
    words = pl.col("title_tokens").list
    for word in (words.first(), words.last()):
        yield pl.format(f"{NEAR}{{}} {{}} {{}}", "first_author", "year", word)
