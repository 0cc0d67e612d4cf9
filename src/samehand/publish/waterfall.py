"""An explanation as a waterfall: from the prior, each bar begins where the last one ended, up to the score.

In the terminal by Rich, as a picture by the report's charts. Above 0 the two sides are more likely one person than two.
"""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
from rich.console import Console
from rich.table import Table
from rich.text import Text

from samehand.models.persons.explanation import Explanation, Side
from samehand.publish.charts import AFTER, AGAINST, INK, as_svg, chart_of
from samehand.publish.shown import shown

SMALL = 0.05
"""Bars lighter than this are drawn as one."""

CELLS = 20
DETAIL_SHOWN = 46
MENTIONS_SHOWN = 3
NAME_SHOWN = 60
PICTURE_WIDTH = 420

SCORE = "score"

_FOR, _AGAINST = "green", "red"
_SIDES = ["for one person", "against", "all together"]


@dataclass(frozen=True)
class Step:
    """A bar of the waterfall, from `start` to `end`."""

    label: str
    detail: str
    start: float
    end: float

    @property
    def contribution(self) -> float:
        """What it adds to the score."""
        return self.end - self.start


def steps(explanation: Explanation) -> list[Step]:
    """The bars of an explanation in order: the prior, the heavy ones, the light ones together, and the score."""
    bars = [explanation.prior, *explanation.bars]
    heavy = [(bar.label, bar.detail, bar.contribution) for bar in bars if abs(bar.contribution) >= SMALL]
    light = [bar for bar in bars if 0 < abs(bar.contribution) < SMALL]
    if light:
        heavy.append((f"{len(light)} more", "", sum(bar.contribution for bar in light)))
    drawn, end = [], 0.0
    for label, detail, contribution in heavy:
        drawn.append(Step(label, shown(detail, DETAIL_SHOWN), end, end + contribution))
        end += contribution
    sure = (
        f"probability {explanation.probability:.2f}"
        if explanation.compared
        else "never compared: the names differ too much"
    )
    return [*drawn, Step(SCORE, sure, 0.0, explanation.score)]


def headline(explanation: Explanation) -> str:
    """What is compared, in one line."""
    return " and ".join(shown(side.title, NAME_SHOWN) for side in (explanation.left, explanation.right))


def verdict(explanation: Explanation) -> list[str]:
    """What the library and the model say, in sentences."""
    held = (
        f"One person in the library: {explanation.entity}."
        if explanation.entity
        else "Two persons in the library."
    )
    sure = (
        f"The author model gives {explanation.probability:.2f} that they are one."
        if explanation.compared
        else "Names so different are never compared; if they were, this would speak for and against:"
    )
    decided = [f"A curator decided that they are {explanation.decided}."] if explanation.decided else []
    return [*explanation.remarks, *decided, f"{held} {sure}"]


def print_waterfall(explanation: Explanation, console: Console) -> None:
    """The explanation for people, as bars in a terminal."""
    console.print(Text(headline(explanation), style="bold"))
    for side in (explanation.left, explanation.right):
        console.print(Text(_mentions(side), style="dim"))
    for sentence in verdict(explanation):
        console.print(Text(sentence))
    drawn = steps(explanation)
    low, high = (
        min(min(step.start, step.end) for step in drawn),
        max(max(step.start, step.end) for step in drawn),
    )
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    for step in drawn:
        style = "bold" if step.label == SCORE else ""
        label = Text(step.label, style=style).append(f"  {step.detail}", style="dim")
        table.add_row(label, Text(f"{step.contribution:+.2f}", style=style), _cells(step, low, high))
    console.print(table)


def _mentions(side: Side) -> str:
    """The first few mentions of a side, and how many more there are."""
    more = len(side.mentions) - MENTIONS_SHOWN
    listed = ", ".join(shown(id) for id in side.mentions[:MENTIONS_SHOWN])
    return f"{listed} and {more:,} more" if more > 0 else listed


def _cells(step: Step, low: float, high: float) -> Text:
    """A bar in cells of text, with a line where 0 is."""

    def cell(value: float) -> int:
        return round((value - low) / max(high - low, SMALL) * CELLS)

    begin, end = sorted((cell(step.start), cell(step.end)))
    zero = cell(0.0)
    text = Text()
    for place in range(CELLS + 1):
        if begin <= place < max(end, begin + 1):
            text.append("█", style=_FOR if step.contribution >= 0 else _AGAINST)
        else:
            text.append("│" if place == zero else " ", style="dim")
    return text


def _side(step: Step) -> str:
    """What the colour of a step says."""
    return _SIDES[2] if step.label == SCORE else _SIDES[int(step.contribution < 0)]


def waterfall_svg(explanation: Explanation) -> str:
    """The explanation as a picture that stands alone."""
    drawn = steps(explanation)
    rows = [
        {
            "label": f"{step.label}\n{step.detail}".strip(),
            "start": step.start,
            "end": step.end,
            "right": max(step.start, step.end),
            "figure": f"{step.contribution:+.2f}",
            "side": _side(step),
        }
        for step in drawn
    ]
    lines = alt.Axis(
        labelExpr="split(datum.label, '\\n')", labelLimit=330, labelPadding=8, domain=False, ticks=False
    )
    base = chart_of(rows).encode(y=alt.Y("label:N", sort=None, title=None, axis=lines))
    colour = alt.Color(
        "side:N",
        scale=alt.Scale(domain=_SIDES, range=[AFTER, AGAINST, INK]),
        legend=alt.Legend(orient="top", title=None),
    )
    axis = alt.Axis(tickCount=6, format="~g")
    bars = base.mark_bar(height=14).encode(
        x=alt.X("start:Q", title="score: above 0, more likely one person than two", axis=axis),
        x2="end:Q",
        color=colour,
    )
    figures = base.mark_text(align="left", dx=5, color=INK, fontSize=11).encode(x="right:Q", text="figure:N")
    zero = chart_of([{"zero": 0}]).mark_rule(color=INK).encode(x="zero:Q")
    title = alt.TitleParams(
        headline(explanation), subtitle=verdict(explanation), anchor="start", color=INK, subtitleColor=INK
    )
    chart = (bars + figures + zero).properties(width=PICTURE_WIDTH, height=38 * len(rows), title=title)
    said = "; ".join(f"{step.label} {step.contribution:+.2f}" for step in drawn)
    return as_svg(chart, f"{headline(explanation)}: {said}.", background="white")
