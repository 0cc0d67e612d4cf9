"""A year out of whatever stands in a year field."""

from __future__ import annotations

import re

FIRST_YEAR, LAST_YEAR = 1400, 2100
"""Print begins in the middle of the fifteenth century; a year past the last one is a slip."""

_FOUR_DIGITS = re.compile(r"(?<!\d)\d{4}(?!\d)")
_LONGEST = 1000


def year(value: str | int | float | None) -> int | None:
    """The first number of exactly four digits between 1400 and 2100; two-digit years are not guessed.

    >>> [year(text) for text in ("Sept. 1994", "1994/95", "1994a", "2019-03-01", "'94", "in press")]
    [1994, 1994, 1994, 2019, None, None]
    >>> year(1994.0), year(1994.5), year(float("nan")), year(94)
    (1994, None, None, None)
    """
    if value is None:
        return None
    if isinstance(value, str):
        candidates = (int(digits) for digits in _FOUR_DIGITS.findall(value[:_LONGEST]))
        return next((number for number in candidates if FIRST_YEAR <= number <= LAST_YEAR), None)
    # NaN and the infinities fail the comparison.
    return int(value) if FIRST_YEAR <= value <= LAST_YEAR and value == int(value) else None
