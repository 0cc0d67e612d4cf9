"""The forms of an author's name that publishing needs, worked out once per distinct spelling."""

from __future__ import annotations

from functools import lru_cache

import polars as pl

from samehand.normalise.names import Name, display, parse_name
from samehand.publish.vote import spelling_key

FORMS = pl.Schema(
    {
        "written": pl.String,  # as in the reference
        "form": pl.String,  # "First Middle von Last, Jr"
        "inverted": pl.String,  # "von Last, Jr, First Middle"; literal names in braces
        "full": pl.Int8,  # 2: a first name in full; 1: initials; 0: a last name only
        "folded": pl.String,  # `form` without accents, case and full stops
        "first": pl.String,  # first name, folded
        "middle": pl.String,  # middle names, folded
        "last": pl.String,  # last name, folded
    }
)


PARTS = ("first", "middle", "last")


def inverted(name: Name) -> str:
    """The name by its last name first, as RIS and BibTeX write it; a name that is all last name in braces.

    >>> inverted(parse_name("Ada King Lovelace"))
    'Lovelace, Ada King'
    >>> inverted(parse_name("{World Health Organization}"))
    '{World Health Organization}'
    """
    if name.literal:
        return "{" + name.last + "}"
    given = " ".join(part for part in (name.first, name.middle) if part)
    if not given and not name.suffix and " " in name.last:
        return "{" + name.last + "}"
    return ", ".join(part for part in (name.last, name.suffix, given) if part)


def fullness(name: Name) -> int:
    """2 for a first name in full, 1 for an initial, 0 for none.

    >>> fullness(parse_name("Ada Lovelace")), fullness(parse_name("A. Lovelace"))
    (2, 1)
    """
    letters = sum(character.isalpha() for character in name.first)
    return 2 if name.literal or letters > 1 else letters


def name_forms(written: pl.Series) -> pl.DataFrame:
    """One row per distinct name of `written`, schema `FORMS`.

    >>> name_forms(pl.Series(["Lovelace, Ada", "Lovelace, Ada"]))["form"].to_list()
    ['Ada Lovelace']
    """
    distinct = written.unique(maintain_order=True).drop_nulls()
    names = [_parsed(text) for text in distinct]
    forms = pl.Series([display(name) for name in names], dtype=pl.String)
    return pl.DataFrame(
        {
            "written": distinct,
            "form": forms,
            "inverted": [inverted(name) for name in names],
            "full": [fullness(name) for name in names],
            "folded": spelling_key(forms),
            **{
                part: spelling_key(pl.Series([getattr(name, part) for name in names], dtype=pl.String))
                for part in PARTS
            },
        },
        schema=FORMS,
    )


_parsed = lru_cache(maxsize=1 << 18)(parse_name)
"""Papers, authors and the report ask for the same names."""
