"""From values as a source wrote them to clean text, pages, years and names; shared by all readers.

A value that cannot be text (an object where a title should stand) raises `BadValue`, which a reader turns
into a `Reject`: a wrong type is reported, never guessed at.
"""

from __future__ import annotations

import math
import re
from datetime import date
from functools import lru_cache
from typing import Any

from samehand.normalise import identifiers, years
from samehand.records import Reject

RAW_LIMIT = 2_000
_DASHES = re.compile(r"\s*[-‐‑‒–—−]+\s*")
_PLAIN_PAGES = re.compile(r"\w+(?:-\w+)?")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ET_AL = re.compile(r"(?i)^(?:et\.?\s*al|and others|others)\.?$")
_TYPE_NAMES = {dict: "an object", list: "a list", bool: "true or false"}


class BadValue(Exception):  # noqa: N818 - it is the value that is bad; readers turn it into a Reject
    """A value of a type that its field cannot have."""


def clean(text: str) -> str | None:
    """Text with single white space and without control characters; None where nothing is left.

    >>> clean("  On \\n Hands ")
    'On Hands'
    """
    if text.isprintable() and "  " not in text:
        return text.strip() or None
    if not text.isprintable():
        text = _LONE_SURROGATE.sub("\ufffd", _CONTROL.sub("", text))
    return " ".join(text.split()) or None


def text_of(value: Any, name: str) -> str | None:
    """A scalar as clean text; the first element of a list; `BadValue` for objects.

    >>> text_of(123, "title")
    '123'
    """
    if type(value) is str:
        return clean(value)
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, list):
        return text_of(value[0], name) if value else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    raise BadValue(f"{name} holds {_TYPE_NAMES.get(type(value), type(value).__name__)}, not text")


def texts_of(value: Any, name: str) -> list[str]:
    """A list of scalars as clean texts, empty ones dropped; a scalar is a list of one.

    >>> texts_of(["a", None, " b "], "keywords")
    ['a', 'b']
    """
    values = value if isinstance(value, list) else [value]
    return [text for text in (text_of(item, name) for item in values) if text]


@lru_cache(maxsize=4096)
def _cached_year(text: str) -> int | None:
    return years.year(text)


def year_of(value: Any) -> int | None:
    """The year in a value of any type, or None.

    >>> year_of("1994."), year_of(float("nan")), year_of([1994])
    (1994, None, 1994)
    """
    if isinstance(value, list) and value:
        return year_of(value[0])
    if isinstance(value, str):
        return _cached_year(value)
    if isinstance(value, date):
        return years.year(value.year)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return years.year(value)
    return None


def pages_of(value: Any) -> str | None:
    """Pages with one plain hyphen, without closing punctuation.

    >>> pages_of("67 -- 95.")
    '67-95'
    """
    text = text_of(value, "pages")
    if not text:
        return None
    plain = text if _PLAIN_PAGES.fullmatch(text) else _DASHES.sub("-", text)
    return plain.strip(" .,;-") or None


def doi_of(value: Any) -> str | None:
    """The normalised DOI in a value, or None.

    >>> doi_of("https://doi.org/10.1000/ABC")
    '10.1000/abc'
    """
    return identifiers.doi(value) if isinstance(value, str) and "10." in value else None


def literal(name: str) -> str:
    """A name that no parser may divide, in braces; braces of its own are dropped.

    >>> literal("World {Health} Organization")
    '{World Health Organization}'
    """
    return "{" + name.replace("{", "").replace("}", "") + "}"


def joined_name(family: str | None, given: str | None = None, suffix: str | None = None) -> str | None:
    """ "Family, Suffix, Given" of the parts that are there.

    A family name of several words without anything else is braced, so that it stays whole.

    >>> joined_name("van der Berg", "Jan", "Jr."), joined_name("De Luca"), joined_name(None, "Plato")
    ('van der Berg, Jr., Jan', '{De Luca}', 'Plato')
    """
    if not family:
        return given
    parts = [part for part in (family, suffix, given) if part]
    if len(parts) == 1:
        return literal(family) if " " in family else family
    return ", ".join(part.replace(",", " ") if "," in part else part for part in parts)


def name_of(value: Any, name: str) -> str | None:
    """A name given as text, or as an object with its parts under the names that CSL and others use.

    >>> name_of({"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"}, "authors")
    'van der Berg, Jan'
    """
    if not isinstance(value, dict):
        return text_of(value, name)
    part = {key: text_of(value[key], name) for key in value if key in _NAME_PARTS}
    whole = part.get("literal") or part.get("name")
    family = part.get("family") or part.get("last") or part.get("lastname")
    if not family and whole:
        return literal(whole) if "literal" in part else whole
    particles = [part.get("dropping-particle"), part.get("non-dropping-particle"), family]
    given = part.get("given") or part.get("first") or part.get("firstname")
    family = " ".join(piece for piece in particles if piece) or None
    return joined_name(family, given, part.get("suffix"))


_NAME_PARTS = frozenset(
    (
        "family",
        "given",
        "suffix",
        "literal",
        "name",
        "first",
        "last",
        "firstname",
        "lastname",
        "dropping-particle",
        "non-dropping-particle",
    )
)


def names_of(value: Any, column: str) -> tuple[list[str], bool]:
    """The names of a list, and whether "et al." stood among them.

    >>> names_of(["Ann Lee", "et al."], "authors")
    (['Ann Lee'], True)
    """
    names = []
    truncated = False
    for item in value if type(value) is list else [value]:
        name = clean(item) if type(item) is str else name_of(item, column)
        if name is None:
            continue
        if is_et_al(name):
            truncated = True
        else:
            names.append(name)
    return names, truncated


def is_et_al(name: str) -> bool:
    """Whether a clean text in place of a name says that the list leaves names out.

    >>> is_et_al("{et al.}"), is_et_al("Al Others")
    (True, False)
    """
    return name[0] in "eEaAoO{" and _ET_AL.match(name.strip("{} ")) is not None


def rejected(source: str, line: int, reason: str, raw: str | bytes) -> Reject:
    """A reject whose raw text is cut to a size that a table can carry.

    >>> rejected("a.json", 2, "not JSON", b"{\\xff").raw
    '{\\ufffd'
    """
    if isinstance(raw, bytes):
        raw = raw[: 4 * RAW_LIMIT].decode("utf-8", "replace")
    raw = _LONE_SURROGATE.sub("\ufffd", raw[:RAW_LIMIT]).replace("\0", "\ufffd")
    return Reject(source, line, reason, raw)
