"""How templates show values: numbers with thin spaces, probabilities, times in ISO, and nothing that can do anything."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import orjson
from jinja2 import Environment

from samehand.publish.shown import shown

THIN = "\u202f"

MENU = (
    ("/", "Overview"),
    ("/authors", "Authors"),
    ("/papers", "Papers"),
    ("/venues", "Venues"),
    ("/review", "Review"),
    ("/duplicates", "Duplicates"),
    ("/history", "History"),
    ("/runs", "Runs"),
)
"""The pages that every page leads to."""

SURE_ENOUGH = 0.995


def number(value: float, digits: int = 0) -> str:
    """A number with thin spaces between the thousands; figures below 10,000 need none.

    >>> number(1234567).split(THIN), number(9876), number(2.5, 1)
    (['1', '234', '567'], '9876', '2.5')
    """
    text = f"{value:,.{digits}f}"
    return text.replace(",", THIN) if abs(value) >= 10_000 else text.replace(",", "")


def probability(value: float) -> str:
    """A probability with two digits, and never rounded to certainty.

    >>> probability(0.874), probability(0.9993), probability(1.0), probability(0.0001)
    ('0.87', '>0.99', '1.00', '<0.01')
    """
    if SURE_ENOUGH <= value < 1.0:
        return ">0.99"
    return "<0.01" if 0.0 < value < 1.0 - SURE_ENOUGH else f"{value:.2f}"


def moment(value: datetime | None) -> str:
    """A time to the minute, in UTC.

    >>> moment(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2026-01-02 03:04'
    """
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if value else ""


def counted(count: int, what: str) -> str:
    """A count and what is counted, in the right number.

    >>> counted(1, "entity"), counted(3, "mention"), counted(2, "entity")
    ('1 entity', '3 mentions', '2 entities')
    """
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number(count)} {what if count == 1 else plural}"


def seconds(value: float) -> str:
    """A duration for people.

    >>> seconds(0.034), seconds(2.5), seconds(75), seconds(7322)
    ('34 ms', '2.5 s', '1 min 15 s', '2 h 2 min')
    """
    if value < 1:
        return f"{1000 * value:.0f} ms"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def as_json(value: Sequence[str]) -> str:
    """A list as the value of one hidden field: a form may have a thousand fields, a list more items.

    >>> as_json(["x", 'y"'])
    '["x","y\\\\""]'
    """
    return orjson.dumps(value).decode()


def install_filters(environment: Environment) -> None:
    """Let the templates use all of these."""
    environment.filters |= {
        "shown": shown,
        "number": number,
        "probability": probability,
        "moment": moment,
        "counted": counted,
        "seconds": seconds,
        "as_json": as_json,
    }
    environment.globals["menu"] = MENU
