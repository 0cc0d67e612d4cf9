"""Drawings as SVG made on the server: shapes with classes that the stylesheet colours, and no style of their own.

Words stand beside them in HTML where they can, so that text is never scaled; every drawing has a description.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from samehand.models.persons.explanation import Explanation
from samehand.publish.waterfall import SCORE, steps

WIDTH, HEIGHT = 400, 190
LEFT, BOTTOM, TOP, RIGHT = 52, 24, 24, 10

WIDEST_BAR = 12.0
"""Of a timeline, in hundredths of its width."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Timeline:
    """Counts by year as bars, with what to write under them."""

    svg: Markup
    first: int
    last: int
    busiest: int
    most: int


def timeline(counts: Sequence[tuple[int, int]]) -> Timeline | None:
    """A bar for each year from the first to the last; None where no year is known.

    >>> drawn = timeline([(1999, 2), (2001, 5)])
    >>> drawn.busiest, str(drawn.svg).count("<rect")
    (2001, 2)
    """
    if not counts:
        return None
    first, last = counts[0][0], counts[-1][0]
    busiest, most = max(counts, key=lambda pair: pair[1])
    slot = 100 / (last - first + 1)
    width = min(0.82 * slot, WIDEST_BAR)
    bars = []
    for year, count in counts:
        left, height = (year - first + 0.5) * slot - width / 2, 40 * count / most
        bars.append(_rectangle("bar-one", left, 40 - height, width, height))
    said = f"From {first} to {last}, most in {busiest}: {most}"
    svg = _picture(bars, said, "0 0 100 40", stretched=True)
    return Timeline(svg, first, last, busiest, most)


@dataclass(frozen=True)
class Fall:
    """A row of a waterfall: what it is, what it adds, and its bar."""

    label: str
    detail: str
    contribution: float
    is_sum: bool
    svg: Markup


def waterfall(explanation: Explanation) -> list[Fall]:
    """The bars of an explanation, each beginning where the last one ended; all on one scale."""
    drawn = steps(explanation)
    ends = [0.0, *(step.start for step in drawn), *(step.end for step in drawn)]
    low, span = min(ends), max(max(ends) - min(ends), 0.1)

    def place(value: float) -> float:
        return 100 * (value - low) / span

    rows = []
    for step in drawn:
        is_sum = step.label == SCORE
        colour = "bar-sum" if is_sum else "bar-for" if step.contribution >= 0 else "bar-against"
        begin, end = sorted((place(step.start), place(step.end)))
        parts = [
            _line("zero", (place(0.0), 0), (place(0.0), 12)),
            _rectangle(colour, begin, 2, max(end - begin, 0.6), 8),
        ]
        rows.append(Fall(step.label, step.detail, step.contribution, is_sum, _strip(parts)))
    return rows


def share(value: float) -> Markup:
    """A bar that is filled as far as a share of 1 says.

    >>> str(share(0.5)).count("<rect")
    2
    """
    return _strip([_rectangle("track", 0, 2, 100, 8), _rectangle("bar-one", 0, 2, 100 * value, 8)])


@dataclass(frozen=True)
class Axis:
    """From where to where an axis goes, and the words at its ends."""

    low: float
    high: float
    first: str
    last: str
    title: str

    def place(self, value: float) -> float:
        """Where a value stands, from 0 to 1."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


def curve(
    lines: Sequence[Sequence[Point]],
    across: Axis,
    up: Axis,
    said: str,
    *,
    dots: Sequence[Point] = (),
    diagonal: bool = False,
) -> Markup:
    """Lines (at most two are told apart) and dots over two axes.

    >>> axis = Axis(0, 1, "0", "1", "x")
    >>> str(curve([[(0, 0), (1, 1)]], axis, axis, "a line")).count("<polyline")
    1
    """

    def at(point: Point) -> Point:
        x = LEFT + across.place(point[0]) * (WIDTH - LEFT - RIGHT)
        y = TOP + (1 - up.place(point[1])) * (HEIGHT - TOP - BOTTOM)
        return x, y

    corners = [(across.low, up.low), (across.high, up.low), (across.low, up.high), (across.high, up.high)]
    origin, right, top, opposite = (at(corner) for corner in corners)
    parts = [_line("axis", origin, right), _line("axis", origin, top)]
    parts += [_line("axis", origin, opposite)] if diagonal else []
    for number, points in enumerate(lines):
        parts.append(_polyline("line-one" if number == 0 else "line-two", [at(point) for point in points]))
    parts += [
        Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3"/>').format(*at(point)) for point in dots
    ]
    parts += [
        _text(up.last, LEFT - 6, TOP + 8, "end"),
        _text(up.first, LEFT - 6, HEIGHT - BOTTOM, "end"),
        _text(across.first, LEFT, HEIGHT - 8, "start"),
        _text(across.last, WIDTH - RIGHT, HEIGHT - 8, "end"),
        _text(across.title, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "middle", "faint"),
        _text(up.title, LEFT, TOP - 10, "start", "faint"),
    ]
    return _picture(parts, said, f"0 0 {WIDTH} {HEIGHT}")


def _picture(parts: Sequence[Markup], said: str, box: str, *, stretched: bool = False) -> Markup:
    ratio = Markup(' preserveAspectRatio="none"') if stretched else Markup("")
    head = Markup('<svg role="img" aria-label="{}" viewBox="{}"{}>').format(said, box, ratio)
    return head + Markup("").join(parts) + Markup("</svg>")


def _strip(parts: Sequence[Markup]) -> Markup:
    """A drawing that only repeats what stands beside it in figures."""
    head = Markup('<svg class="strip" aria-hidden="true" viewBox="0 0 100 12" preserveAspectRatio="none">')
    return head + Markup("").join(parts) + Markup("</svg>")


def _rectangle(name: str, x: float, y: float, width: float, height: float) -> Markup:
    shape = '<rect class="{}" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"/>'
    return Markup(shape).format(name, x, y, width, height)


def _line(name: str, start: Point, end: Point) -> Markup:
    shape = '<line class="{}" x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}" vector-effect="non-scaling-stroke"/>'
    return Markup(shape).format(name, *start, *end)


def _polyline(name: str, points: Sequence[Point]) -> Markup:
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return Markup('<polyline class="{}" points="{}"/>').format(name, places)


def _text(text: str, x: float, y: float, anchor: str, name: str = "") -> Markup:
    shape = '<text class="{}" x="{:.1f}" y="{:.1f}" font-size="11" text-anchor="{}">{}</text>'
    return Markup(shape).format(name, x, y, anchor, escape(text))
