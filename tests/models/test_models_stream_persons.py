"""The evidence model: its kernel against the formula written out, and what `Persons` promises a library."""

from __future__ import annotations

from collections import Counter
from math import lgamma, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.models.stream import evidence
from samehand.models.stream.background import NOTHING, Background, Counts
from samehand.models.stream.evidence import CONCENTRATION, FIELDS, WEIGHT
from samehand.models.stream.given_names import GivenNames, compare
from samehand.models.stream.persons import Persons
from samehand.models.stream.replay import replay

CORPUS = Counts(({"common": 900, "hand": 40, "a": 5, "b": 1},) * len(FIELDS), (4_000,) * len(FIELDS))
BACKGROUND = Background(CORPUS, NOTHING)

words = st.lists(st.sampled_from(["common", "hand", "a", "b", "c", "d"]), max_size=4, unique=True)
records = st.fixed_dictionaries(dict.fromkeys(FIELDS, words) | {"year": st.none() | st.integers(1990, 2010)})
histories = st.lists(st.tuples(records, st.integers(0, 3)), min_size=1, max_size=12)


def record(*coauthors: str, year: int | None = 2000, **more: list[str]) -> dict[str, object]:
    return {"coauthor_names": list(coauthors), "year": year} | more


def scores_by_the_formula(learnt, new):
    """The scores of all persons for a record, written out without indices or sharing."""
    persons = sorted({person for _, person in learnt})
    every = [Counter(word for old, _ in learnt for word in old[name]) for name in FIELDS]
    found = {}
    for person in persons:
        own = [old for old, whose in learnt if whose == person]
        n = len(own)
        score = evidence.LARGER * log(n)
        years = [old["year"] for old in own if old["year"] is not None]
        if new["year"] is not None and years:
            score -= evidence.RECENCY * min(max(new["year"] - max(years), 0), evidence.FADE)
        for f, name in enumerate(FIELDS):
            counts = Counter(word for old in own for word in old[name])
            total, tokens, a = counts.total(), len(new[name]), CONCENTRATION[f]
            if total == 0 or tokens == 0:
                continue
            factor = lgamma(a + total) + lgamma(a + tokens) - lgamma(a) - lgamma(a + total + tokens)
            for word in new[name]:
                if counts[word]:
                    others = every[f][word] - counts[word]
                    b = BACKGROUND.frequency(f, word) + evidence.INSIDE * others / (every[f].total() + 100.0)
                    c = counts[word]
                    factor += lgamma(a * b + c + 1) + lgamma(a * b) - lgamma(a * b + c) - lgamma(a * b + 1)
            tempered = (2 * n / (n + 1)) ** -evidence.TEMPER * factor
            score += WEIGHT[f] * max(tempered, -evidence.CAP)
        found[person] = score
    return found


def taught(history) -> Persons[int]:
    persons: Persons[int] = Persons(BACKGROUND)
    for old, person in history:
        persons.learn(old, person)
    return persons


@settings(max_examples=60, deadline=None)
@given(histories, records)
def test_probabilities_are_those_of_the_formula(history, new):
    scores = scores_by_the_formula(history, new)
    scores[None] = evidence.NEW + evidence.CROWD * log(len(scores) + 1)
    total = np.logaddexp.reduce(list(scores.values()))
    found = taught(history).assign(new)
    assert set(found.persons) == set(scores)
    for person, probability in zip(found.persons, found.probabilities, strict=True):
        assert log(probability) == pytest.approx(scores[person] - total, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(histories, records, st.integers(0, 3), st.integers(0, 3))
def test_merged_persons_are_as_if_learnt_together(history, new, gone, kept):
    present = {person for _, person in history}
    if gone == kept or not {gone, kept} <= present:
        return
    merged = taught(history)
    merged._merge(gone, kept)
    together = taught([(old, kept if person == gone else person) for old, person in history])
    left, right = merged.assign(new), together.assign(new)
    assert dict(zip(left.persons, left.probabilities, strict=True)) == pytest.approx(
        dict(zip(right.persons, right.probabilities, strict=True))
    )
    assert len(merged) == len(together)


def odds(found) -> float:
    """Of person 0 against a new one."""
    shares = dict(zip(found.persons, found.probabilities, strict=True))
    return shares[0] / shares[None]


def test_assigning_teaches_nothing():
    persons = taught([(record("x"), 0), (record("y"), 1)])
    first = persons.assign(record("x", "unseen"))
    assert first.probabilities.tolist() == persons.assign(record("x", "unseen")).probabilities.tolist()
    assert sum(map(len, persons._vocabulary)) == 2


def test_a_shared_rare_coauthor_decides_and_a_common_one_does_not():
    persons = taught([(record("b"), 0), (record("common"), 1)])
    assert persons.assign(record("b")).best == 0
    assert persons.assign(record("common")).best is None


def test_a_coauthor_of_several_persons_tells_less():
    alone = taught([(record("b"), 0), (record("z"), 1)]).assign(record("b"))
    shared = taught([(record("b"), 0), (record("b"), 1)]).assign(record("b"))
    assert odds(alone) > 1.5 * odds(shared)


def test_later_answers_change_with_what_is_learnt():
    persons = taught([(record("b"), 0)])
    before = persons.assign(record("q")).best
    persons.learn(record("q", "b"), 0)
    assert (before, persons.assign(record("q")).best) == (None, 0)


def test_old_persons_fade():
    persons = taught([(record("b", year=1990), 0), (record("b", year=2009), 1)])
    ranked = persons.assign(record("b", year=2010)).persons
    assert ranked.index(1) < ranked.index(0)
    assert taught([(record("b", year=None), 0)]).assign(record("b", year=None)).best == 0


def test_nobody_known_means_a_new_person():
    found = Persons(BACKGROUND).assign(record("x"))
    assert (found.best, found.margin) == (None, float("inf"))


def test_repair_merges_fragments_but_no_two_certain_persons():
    def fragments(certain: bool) -> Persons[str]:
        persons: Persons[str] = Persons(BACKGROUND)
        for number in range(4):
            persons.learn(record("b", "q", year=2000 + number), "known", certain=True)
            persons.learn(record("b", "q", year=2000 + number), "fragment", certain=certain)
        return persons

    persons = fragments(certain=False)
    [merge] = persons.repair()
    assert (merge.gone, merge.kept) == ("fragment", "known")
    assert 0.5 < merge.probability <= 1.0
    assert len(persons) == 1
    assert persons.assign(record("b")).persons == ("known", None)
    assert fragments(certain=True).repair() == []


def test_of_two_fragments_the_older_stays():
    persons = taught([(record("b", "q"), 5), (record("z"), 6), (record("b", "q"), 7), (record("b", "q"), 5)])
    assert [merge[:2] for merge in persons.repair()] == [(7, 5)]


def test_background_leaves_the_name_itself_out():
    own = Counts(({"hand": 40},) * len(FIELDS), (40,) * len(FIELDS))
    assert Background(CORPUS, own).frequency(0, "hand") == Background(CORPUS, own).frequency(0, "never")
    assert BACKGROUND.frequency(0, "hand") > BACKGROUND.frequency(0, "never")


def test_refresh_looks_frequencies_up_again():
    persons = taught([(record("b"), 0)])
    before = persons.assign(record("b")).probabilities[0]
    persons.refresh(Background(Counts(({"b": 3_000},) * len(FIELDS), (4_000,) * len(FIELDS)), NOTHING))
    after = persons.assign(record("b"))
    assert dict(zip(after.persons, after.probabilities, strict=True))[0] < before


def test_replay_asks_and_believes_the_answer():
    stream = [record("b"), record("unseen"), record("unseen")]
    labels = replay(stream, np.array([0]), lambda year: BACKGROUND, ask=lambda before, found: 0)
    assert labels.tolist() == [0, 0]
    assert replay(stream, np.array([0]), lambda year: BACKGROUND).tolist() == [1, 1]


def test_many_persons_and_tokens_fit():
    random = np.random.default_rng(0)
    persons: Persons[int] = Persons(BACKGROUND)
    for number in range(400):
        persons.learn(record(*(str(word) for word in random.integers(0, 3_000, 30))), number % 150)
    assert len(persons) == 150
    assert persons.assign(record("1", "2", "3")).probabilities.sum() == pytest.approx(1.0)


def test_repair_keeps_apart_whom_it_is_told_to():
    def fragments() -> Persons[str]:
        persons: Persons[str] = Persons(BACKGROUND)
        for name in ("known", "one", "two"):
            for number in range(3):
                persons.learn(record("b", "q", year=2000 + number), name, certain=name == "known")
        return persons

    assert {merge.gone for merge in fragments().repair()} == {"one", "two"}
    merged = fragments().repair([("known", "one"), ("one", "two")])
    assert [merge[:2] for merge in merged] == [("two", "known")]


def test_whom_a_record_cannot_be_has_no_share():
    persons = taught([(record("b"), 0), (record("b"), 1)])
    found = persons.assign(record("b"), without=[0, 99])
    assert set(found.persons) == {1, None}
    assert found.probabilities.sum() == pytest.approx(1.0)


def named(name: str, *coauthors: str) -> dict[str, object]:
    return record(*coauthors) | {"given_name": name}


def test_given_names_tell_persons_of_one_block_apart():
    def persons(at_large) -> Persons[int]:
        known: Persons[int] = Persons(BACKGROUND, names=GivenNames(at_large))
        for _ in range(2):
            known.learn(named("ann", "b"), 0, certain=True)
            known.learn(named("adam", "b"), 1, certain=True)
        return known

    block = persons(lambda first: 0.05)

    def share(name: str, person: int | None) -> float:
        found = block.assign(named(name, "b"))
        return dict(zip(found.persons, found.probabilities, strict=True))[person]

    assert share("ann", 0) > 0.8 > 0.1 > share("ann", 1)
    assert share("a", 0) == pytest.approx(share("a", 1))
    assert share("alice", None) > 0.5 > share("a", None)
    assert [merge[:2] for merge in _with_fragment(block).repair()] == [(2, 0)]


def _with_fragment(persons: Persons[int]) -> Persons[int]:
    for _ in range(3):
        persons.learn(named("ann", "b", "q"), 2)
    return persons


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        ("ann", "ann", (1, 0)),
        ("ann b", "ann b", (1, 1)),
        ("ann b", "ann c", (1, -1)),
        ("a b", "a b", (0, 1)),
        ("a b", "a c", (0, -1)),
        ("robert", "bob", (1, 0)),
        ("hai-tao", "hai t", (1, 1)),
        ("haitao", "hai tao", (1, 0)),
        ("", "ann", (0, 0)),
        ("alex", "alexander", (1, 0)),
        ("ann", "adam", (-1, 0)),
    ],
)
def test_given_names_are_compared(left, right, found):
    assert compare(left, right) == compare(right, left) == found


def test_a_name_that_everybody_has_says_nothing():
    given = GivenNames(None)
    given.learn(0, "kai")
    assert given.factors("kai", 1) == pytest.approx([0.0])
    assert given.factors("karl", 1)[0] < -2.0


def test_a_middle_initial_counts_where_first_names_are_open():
    names = GivenNames(lambda first: 0.1)
    for place, name in enumerate(("c a", "c b", "c")):
        names.learn(place, name)
    same, other, open_ = names.factors("c a", 3)
    assert same > open_ == 0.0 > other
