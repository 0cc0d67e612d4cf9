"""Blocks too large to compare all pairs: what is looked at, that decisions hold, and that threads change nothing."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from persons_world import blocked, invented

from samehand.block import Blocked
from samehand.curate.constraints import NONE, Constraints
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models import persons
from samehand.models.persons import nested
from samehand.models.persons.compare import Terms, compare, join_score, may_be_one, weigh
from samehand.models.persons.layout import FEATURES, LENGTH, START
from samehand.models.persons.opened import OpenBlock
from samehand.models.persons.pairs import node_pairs
from samehand.models.persons.search import EVERY, prepare_block
from samehand.models.persons.weights import default
from samehand.models.persons.work import lay_out
from samehand.records import Reference

LEE = "j lee"
PERSONS, PAPERS = 150, 8
FIRSTS = ["Jo", "Jan", "Jim", "Juno", "Jaap", "J."]


def crowd() -> Blocked:
    """1,200 papers by 150 persons called J. Lee, each with two co-authors of his own and words that everybody uses, and
    one by a Lee of every other initial: the name is a common one."""
    draw = np.random.default_rng(5)
    made = []
    for number in range(PERSONS * PAPERS):
        person = number % PERSONS
        title = " ".join(draw.choice(["hands", "thumbs", "nails", "gloves", "rings"], 4))
        first = FIRSTS[person % len(FIRSTS)] if draw.random() < 0.8 else "J."
        made.append(
            Reference(
                "crowd.bib", number + 1, id=f"p{number}", title=title, venue="Journal of Hands", year=2000,
                authors=[f"{first} Lee", f"Ann Own{person:03d}x", f"Bob Mate{person:03d}y"],
            )
        )  # fmt: skip
    for number, letter in enumerate("ABCDEFGHIKLMNOPQRSTUVWYZ"):
        made.append(
            Reference("crowd.bib", 2_000 + number, id=f"q{number}", title="a", authors=[f"{letter}. Lee"])
        )
    return blocked(made)


@pytest.fixture(scope="module")
def crowded() -> Blocked:
    return crowd()


def lees(given_blocks: Blocked) -> list[int]:
    """The rows of J. Lee, paper after paper."""
    return given_blocks.mentions.with_row_index().filter(pl.col("block") == LEE)["index"].to_list()


def test_a_crowd_is_told_apart_on_one_thread_as_on_two(crowded: Blocked) -> None:
    assert len(lees(crowded)) == PERSONS * PAPERS > EVERY
    once = persons.resolve(crowded, NONE, Run(3, 1))
    assert once.equals(persons.resolve(crowded, NONE, Run(3, 2)))
    cluster = once["cluster"].gather(lees(crowded)).to_numpy().reshape(PAPERS, PERSONS)
    assert (cluster == cluster[0]).mean() > 0.8
    assert len(np.unique(cluster[0])) > 0.9 * PERSONS
    assert once["probability"].is_between(0.0, 1.0).all()


@pytest.fixture
def giant(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crowd is a giant, and a few mentions with one first name a group."""
    monkeypatch.setattr(nested, "GIANT", 500)
    monkeypatch.setattr(nested, "SOME", 10)


@pytest.mark.usefixtures("giant")
def test_a_giant_is_begun_with_the_joins_of_each_first_name(crowded: Blocked) -> None:
    work = lay_out(crowded, NONE)
    number = work.keys.index(LEE)
    part, nobody = work.block(number), np.empty((0, 2), np.int32)
    found = nested.begun(work, number, default(), nobody, nobody)
    forms = work.evidence.forms
    first = forms.words[forms.of_mention[part], 0][found.pairs]
    assert len(found.pairs) > 500
    assert (first[:, 0] == first[:, 1]).all()
    assert (np.diff(forms.begin)[first[:, 0]] > 1).all()
    assert (found.strengths > 0.0).all()
    open_block = OpenBlock(work, number, default())
    members = {m: [m] for m in range(open_block.size)}
    for (a, b), strength in zip(found.pairs.tolist(), found.strengths.tolist(), strict=True):
        assert open_block.score(members[a], members[b]) == pytest.approx(strength, abs=1e-9)
        members[a] += members.pop(b)
    joins = open_block.search(nobody, nobody)
    assert joins.nodes[: len(found.pairs)].tolist() == found.pairs.tolist()
    assert len(joins.nodes) > len(found.pairs)


@pytest.mark.usefixtures("giant")
def test_a_giant_is_told_apart_as_a_crowd_is_and_decisions_hold_in_it(crowded: Blocked) -> None:
    test_a_crowd_is_told_apart_on_one_thread_as_on_two(crowded)
    test_decisions_hold_in_a_crowd(crowded)


def test_decisions_hold_in_a_crowd(crowded: Blocked) -> None:
    rows = lees(crowded)
    same = [(rows[0], rows[1]), (rows[1], rows[2]), (rows[7], rows[900])]
    apart = [(rows[3], rows[3 + PERSONS]), (rows[0], rows[9]), (rows[20], rows[20 + 2 * PERSONS])]
    found = persons.resolve(crowded, Constraints(as_pairs(same), as_pairs(apart)), Run(0, 1))
    cluster, probability = found["cluster"].to_list(), found["probability"].to_list()
    assert all(cluster[a] == cluster[b] for a, b in same)
    assert all(cluster[a] != cluster[b] for a, b in apart)
    assert all(0.0 <= each <= 1.0 for each in probability)


def lee_block(seed: int, papers: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, Terms]:
    """Nodes, pools and terms of the block of J. Lee in an invented world."""
    work = lay_out(blocked(invented(seed, papers)), NONE)
    number = work.keys.index(LEE)
    found, forms, part = work.evidence, work.evidence.forms, work.block(number)
    nodes, _, _, pool, _, form_pool, field, base, rising, relations, rarity = prepare_block(
        found.starts[part.start : part.stop + 1], found.tokens, found.counts, found.field, found.frequency,
        found.totals, found.distinct, found.year[part], forms.of_mention[part], forms.words, forms.letters,
        forms.begin, forms.rarity, forms.nickname, default().shape, papers,
    )  # fmt: skip
    terms = Terms(
        field,
        base,
        rising,
        relations,
        rarity,
        default().shape,
        work.ambiguity[number],
        default().features,
        1.0,
    )
    return nodes, pool, form_pool, terms


def slow_score(block: tuple[np.ndarray, np.ndarray, np.ndarray, Terms], a: int, b: int) -> float:
    nodes, pool, form_pool, terms = block
    out = np.empty(len(FEATURES))
    compare(nodes, pool, form_pool, *terms[:5], terms.shape, terms.block, a, b, out)
    return float(weigh(terms.weights, out))


def tokens(nodes: np.ndarray, pool: np.ndarray, node: int) -> set[int]:
    return set(pool[0, nodes[node, START] : nodes[node, START] + nodes[node, LENGTH]].tolist())


@given(st.integers(0, 10_000), st.integers(1, 12))
def test_all_pairs_of_changed_nodes_are_found_with_their_scores(seed: int, changes: int) -> None:
    block = lee_block(seed, 12)
    listed = np.random.default_rng(seed).permutation(12).astype(np.int32)
    scores, pairs, size = node_pairs(*block, listed, changes, 12, -1.0)
    found = {tuple(pair[:2].tolist()): score for pair, score in zip(pairs[:size], scores[:size], strict=True)}
    changed = set(listed[:changes].tolist())
    expected = {
        (a, b): slow_score(block, a, b) for a in range(12) for b in range(a + 1, 12) if {a, b} & changed
    }
    assert found == {pair: score for pair, score in expected.items() if score > -1.0}


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_of_many_nodes_those_are_compared_that_share_a_rare_token_and_may_be_one(
    seed: int, most: int
) -> None:
    block = lee_block(seed, 12)
    nodes, pool, form_pool, terms = block
    listed = np.arange(12, dtype=np.int32)
    scores, pairs, size = node_pairs(*block, listed, 12, most, -np.inf)
    held = [tokens(nodes, pool, node) for node in range(12)]
    rare = {token for own in held for token in own if sum(token in other for other in held) <= most}
    expected = {
        (a, b): slow_score(block, a, b)
        for a in range(12)
        for b in range(a + 1, 12)
        if held[a] & held[b] & rare and may_be_one(nodes, form_pool, terms.relations, a, b)
    }
    found = {tuple(pair[:2].tolist()): score for pair, score in zip(pairs[:size], scores[:size], strict=True)}
    assert found == expected


def test_scores_over_a_temperature_are_as_much_smaller() -> None:
    nodes, pool, form_pool, terms = lee_block(1, 4)
    out = np.empty(len(FEATURES))
    once = join_score(nodes, pool, form_pool, terms, 0, 1, out)
    assert join_score(nodes, pool, form_pool, terms._replace(temperature=2.0), 0, 1, out) == once / 2.0
