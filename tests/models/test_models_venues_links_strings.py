"""Words in common, runs spelled, and candidates found."""

from __future__ import annotations

import numpy as np
import pytest

from samehand.models.venues.links_candidates import MOST, candidate_pairs
from samehand.models.venues.links_match import evidence_of_pairs, letters_in_common, run_spelled, runs_within
from samehand.models.venues.links_strings import lay_out


def common(left: str, right: str) -> int:
    letters = np.frombuffer((left + right).encode(), np.uint8)
    return letters_in_common(letters, 0, len(left), len(left), len(left) + len(right))


@pytest.mark.parametrize(
    ("short", "long", "letters"),
    [
        ("artif", "artificial", 5),
        ("j", "journal", 1),
        ("intl", "international", 3),
        ("natl", "national", 3),
        ("commun", "communications", 6),
        ("datbase", "database", 5),
        ("pesronal", "personal", 6),
        ("architectural", "architecture", 8),
        ("hands", "feet", 0),
        ("art", "hart", 0),
        ("report", "review", 0),
        ("#15", "#15", 0),
    ],
)
def test_letters_in_common(short: str, long: str, letters: int) -> None:
    assert common(short, long) == letters
    assert common(long, short) == letters


@pytest.mark.parametrize(
    ("word", "run", "size"),
    [
        ("acl", "association for computational linguistics", 4),
        ("popl", "principles of programming languages", 4),
        ("coling", "computational linguistics", 2),
        ("datamining", "data mining", 2),
        ("stoc", "symposium on theory of computing", 5),
        ("acl", "association computational logic", 3),
        ("acl", "association for computational", 0),
        ("data", "data", 0),
        ("a", "association computing", 0),
    ],
)
def test_runs_spelled(word: str, run: str, size: int) -> None:
    strings = lay_out([tuple(run.split()), (word,)])
    assert run_spelled(strings, strings.words[-1], 0, len(run.split())) == size


def evidence(*names: str) -> float:
    """Between the first two of some names."""
    strings = lay_out([tuple(name.split()) for name in names])
    return evidence_of_pairs(strings, runs_within(strings), np.array([[0, 1]]))[0]


CROWD = ("journal of kites", "annals of ropes", "conference on bridges", "meeting of gardeners")


def test_an_acronym_vouches_for_what_it_stands_for() -> None:
    explained = "society of velvet looms sovl"
    assert evidence("sovl", explained, *CROWD) > evidence("sovl", "sovl meeting in gothenburg", *CROWD)


def test_two_meanings_of_one_acronym_contradict_each_other() -> None:
    left, right = "semantic web congress swc", "society of wearable computers swc"
    assert evidence(left, right, *CROWD) < evidence("swc", left, *CROWD)
    assert evidence(left, right, *CROWD) < 0.0


def test_words_left_over_cost() -> None:
    assert evidence("velvet looms", "velvet looms", *CROWD) > evidence(
        "velvet looms", "velvet looms oslo", *CROWD
    )


def test_candidates_meet_through_words_beginnings_and_acronyms() -> None:
    names = ["velvet looms", "velv silk", "vl", "ropes", "silken ropes"]
    pairs = {
        tuple(pair) for pair in candidate_pairs(lay_out([tuple(name.split()) for name in names])).tolist()
    }
    assert {(0, 1), (0, 2), (1, 4), (3, 4)} <= pairs
    assert (0, 3) not in pairs


def test_candidates_are_bounded() -> None:
    names = [("velvet", f"loom{chr(97 + n % 26)}{chr(97 + n // 26)}") for n in range(300)]
    assert len(candidate_pairs(lay_out(names))) <= 300 * MOST


def test_no_strings_have_no_candidates() -> None:
    assert candidate_pairs(lay_out([])).shape == (0, 2)
