"""The waterfall: bars that join up, words and figures in the terminal and the picture, and nothing hostile in either."""

from __future__ import annotations

import io
import itertools
import math
from dataclasses import replace

import pytest
from lxml import etree
from rich.console import Console

from samehand.models.persons.explanation import Bar, Explanation, Side
from samehand.publish.waterfall import SCORE, print_waterfall, steps, verdict, waterfall_svg


def explanation(*contributions: float, detail: str = "bo day", **fields: object) -> Explanation:
    """Bars of these contributions, after a prior of -1."""
    bars = [Bar(f"bar {number}", each, detail, [], []) for number, each in enumerate(contributions)]
    score = sum(contributions) - 1.0
    return replace(
        Explanation(
            left=Side(["x", "y"], ["Ann Lee"]),
            right=Side(["z"], ["A. Lee"]),
            entity=None,
            score=score,
            temperature=1.0,
            probability=1 / (1 + math.exp(-score)),
            compared=True,
            decided=None,
            remarks=[],
            prior=Bar("how ambiguous the name is", -1.0, '"a lee", 3 mentions', [], []),
            bars=bars,
        ),
        **fields,  # type: ignore[arg-type]
    )


def printed(shown: Explanation, width: int = 100) -> str:
    stream = io.StringIO()
    print_waterfall(shown, Console(file=stream, width=width))
    return stream.getvalue()


@pytest.mark.parametrize("contributions", [(3.0, -1.5, 0.5), (0.02, -0.03), (), (-4.0,)])
def test_each_step_begins_where_the_last_ended(contributions: tuple[float, ...]) -> None:
    *drawn, score = steps(explanation(*contributions))
    assert drawn[0].start == 0
    assert all(math.isclose(one.end, other.start) for one, other in itertools.pairwise(drawn))
    assert math.isclose(drawn[-1].end, score.end)
    assert (score.label, score.start) == (SCORE, 0.0)


def test_light_bars_are_drawn_as_one() -> None:
    labels = [step.label for step in steps(explanation(2.0, 0.02, -0.03, 0.0))]
    assert labels == ["how ambiguous the name is", "bar 0", "2 more", SCORE]


def test_the_terminal_shows_names_reasons_and_figures() -> None:
    text = printed(explanation(3.0, -1.5, entity="a123", decided="same", remarks=["The weakest join."]))
    for part in (
        "Ann Lee (2 mentions) and A. Lee", "x, y", "bo day", "+3.00", "-1.50", "+0.50", "One person in the library: a123",
        "gives 0.62 that they are one", "A curator decided that they are same.", "The weakest join.", "█",
    ):  # fmt: skip
        assert part in text


def test_bars_for_and_against_stand_where_they_belong() -> None:
    lines = {line.split()[0]: line for line in printed(explanation(3.0, detail="")).splitlines()[4:]}
    prior, score = lines["how"], lines[SCORE]
    assert prior.index("█") < score.index("█")
    assert lines["bar"].count("█") > score.count("█") > 0


def test_names_of_different_blocks_get_no_probability() -> None:
    apart = explanation(3.0, compared=False)
    assert "are never compared" in " ".join(verdict(apart))
    assert "probability" not in printed(apart)


def test_the_picture_is_whole_and_says_what_it_shows() -> None:
    picture = etree.fromstring(waterfall_svg(explanation(3.0, -1.5)).encode())
    text = " ".join(picture.itertext())
    for part in ("Ann Lee (2 mentions) and A. Lee", "bar 0", "+3.00", "-1.50", "bo day"):
        assert part in text
    assert "bar 1 -1.50" in picture.get("aria-label")


@pytest.mark.parametrize(
    "evil", ["<script>alert(1)</script>", "\x1b[31mred\x00", "\u202egnihtyna", "[bold]x[/bold]"]
)
def test_hostile_names_are_only_text(evil: str) -> None:
    shown = explanation(3.0, detail=evil, left=Side([evil], [evil]), remarks=[])
    picture = etree.fromstring(waterfall_svg(shown).encode())
    assert not picture.xpath("//*[local-name()='script']")
    for text in (printed(shown, 200), "".join(picture.itertext())):
        assert not {"\x1b", "\x00", "\u202e"} & set(text)
    assert evil.startswith(("\x1b", "\u202e")) or evil in printed(shown, 200)
