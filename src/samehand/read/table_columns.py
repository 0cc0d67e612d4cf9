"""The columns of a block of table rows, read as `RowReader` reads each value, but many at a time.

Values are looked at in Python only where they must be: text that is clean already is recognised by one
regular expression, and years and identifiers are read once for each distinct value. A value that cannot be
read raises `BadValue`, as it does in a row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from samehand.read.tables import READERS, VERBATIM, decoded
from samehand.read.values import BadValue, clean, text_of

_UNCLEAN = r"[\x00-\x1f\x7f\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}&]|  |^ | $|^$"
"""Where `clean` or the decoding of entities may change a text: odd white space, control characters, "&"."""

_NUMBERS = {int, float}
_NONE = type(None)


class Columns:
    """The columns of a block under their names in `SYNONYMS`, each as a list of values or as a series."""

    def __init__(self, height: int, columns: dict[str, list[Any] | pl.Series]) -> None:
        self.height = height
        self.columns = columns

    def values(self, name: str) -> list[Any]:
        """The values of a column, None where a row has none.

        >>> Columns(2, {}).values("year")
        [None, None]
        """
        column = self.columns.get(name)
        if column is None:
            return [None] * self.height
        return column.to_list() if isinstance(column, pl.Series) else column

    def text(self, name: str) -> pl.Series:
        """A column as clean text, as `text_of` reads each value.

        >>> Columns(2, {"volume": [3, " IV "]}).text("volume").to_list()
        ['3', 'IV']
        """
        column = self.columns.get(name)
        if column is None:
            return pl.Series(name, [None], dtype=pl.String).new_from_index(0, self.height)
        if not isinstance(column, pl.Series) or column.dtype != pl.String:
            column = _texts(name, self.values(name))
        return cleaned(column.alias(name), verbatim=name in VERBATIM)

    def read(self, name: str) -> list[Any]:
        """A column as its own reader reads it, each distinct value once.

        >>> Columns(2, {"year": ["1999.", 2001]}).read("year")
        [1999, 2001]
        """
        reader = READERS[name]
        return self.mapped(name, lambda value: reader(decoded(value)))

    def mapped(self, name: str, function: Callable[[Any], Any]) -> list[Any]:
        """A function of each value of a column, called once for each distinct value.

        >>> Columns(3, {"position": [1, None, 1]}).mapped("position", lambda value: value or 0)
        [1, 0, 1]
        """
        values = self.values(name)
        # Numbers of different types are equal in Python, though their texts differ; the rest cannot be hashed.
        if not set(map(type, values)) <= {str, int, _NONE}:
            return [function(value) for value in values]
        answers = {value: function(value) for value in set(values)}
        return [answers[value] for value in values]


def _texts(name: str, values: list[Any]) -> pl.Series:
    types = set(map(type, values))
    if not types <= {str, int, float, _NONE}:
        raise BadValue(f"{name} is not all text")
    if types & _NUMBERS:
        values = [text_of(value, name) if type(value) in _NUMBERS else value for value in values]
    return pl.Series(name, values, dtype=pl.String)


def cleaned(texts: pl.Series, *, verbatim: bool = False) -> pl.Series:
    """The texts as `clean` leaves them, HTML entities decoded unless `verbatim`.

    >>> cleaned(pl.Series(["On  Hands", "A &lt; B", " "])).to_list()
    ['On Hands', 'A < B', None]
    """
    places = texts.str.contains(_UNCLEAN).arg_true()
    if not len(places):
        return texts
    mended = [clean(text if verbatim else decoded(text)) for text in texts.gather(places)]
    return texts.scatter(places, pl.Series(mended, dtype=pl.String))
