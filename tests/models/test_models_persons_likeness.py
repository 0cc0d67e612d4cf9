"""The share of a block's pairs that look like one person's: the likeness, the pairs it is learned from, and the EM."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma

import numpy as np
import pytest
from persons_world import blocked

from samehand.curate.constraints import NONE
from samehand.models.persons.evidence import WORLD, Bags
from samehand.models.persons.known_pairs import MOST_HOLDERS, NOBODY, known_pairs
from samehand.models.persons.layout import EVIDENCE, FEATURES, Longs
from samehand.models.persons.likeness import (
    BINS,
    BLOCK_PAIRS,
    CONCENTRATION,
    DIFFERENT,
    EDGES,
    FLOOR,
    LIKENESS,
    SAME,
    likeness_bins,
    mean_share,
    shares,
    spread_pairs,
)
from samehand.models.persons.prepare import UNSEEN
from samehand.models.persons.sheets import make_sheet
from samehand.models.persons.statistics import Vocabulary, count, spread, vocabulary
from samehand.models.persons.work import Sorted, Work, lay_out, sort_sheet
from samehand.records import Reference

TOPICS = ("scribes hands parchment ink", "looms velvet weaving thread", "harbour cranes ships tides")


def references(teams: Sequence[Sequence[str]], papers: int = 6) -> list[Reference]:
    """For each team some papers of Ann Lee with it, on the team's own topic."""
    return [
        Reference("a.bib", 1, id=f"{team}-{n}", title=f"{TOPICS[team % 3]} {n}", authors=["Ann Lee", *names])
        for team, names in enumerate(teams)
        for n in range(papers)
    ]


def world(teams: Sequence[Sequence[str]], papers: int = 6, others: Sequence[Reference] = ()) -> Work:
    """Papers of Ann Lee with several teams, and others."""
    return lay_out(blocked([*references(teams, papers), *others]), NONE)


def laid_out(teams: Sequence[Sequence[str]], papers: int = 6) -> tuple[Sorted, Vocabulary]:
    """The same as a sorted sheet, and its vocabulary."""
    made = blocked(references(teams, papers))
    sheet = make_sheet(made.mentions, made.references)
    return sort_sheet(sheet), vocabulary(count(sheet), [sheet.people], sheet.mentions.height)


def direct(found: Bags, blocks: Longs, a: int, b: int, skip: int) -> float:
    """The likeness by its formula, with dictionaries."""
    holders: dict[int, set[int]] = {}
    for mention, own in enumerate(blocks.tolist()):
        for token in found.tokens[found.starts[mention] : found.starts[mention + 1]].tolist():
            holders.setdefault(token, set()).add(own)
    bags = []
    for mention in (a, b):
        part = slice(found.starts[mention], found.starts[mention + 1])
        tokens = zip(found.tokens[part].tolist(), found.counts[part].tolist(), strict=True)
        bags.append(
            {token: count for token, count in tokens if token != skip and found.field[token] < EVIDENCE}
        )
    x = 0.0
    for f in range(EVIDENCE):
        one, other = ({t: c for t, c in bag.items() if found.field[t] == f} for bag in bags)
        n, m, alpha = sum(one.values()), sum(other.values()), CONCENTRATION[f]
        if n == 0 or m == 0:
            continue
        factor = lgamma(alpha + n) + lgamma(alpha + m) - lgamma(alpha) - lgamma(alpha + n + m)
        for token in one.keys() & other.keys():
            c, d = one[token], other[token]
            elsewhere = len(holders[token] - {blocks[a], blocks[b]}) + UNSEEN
            every = [len(held) for other, held in holders.items() if found.field[other] == f]
            base = alpha * elsewhere / (max(sum(every), WORLD[f]) + UNSEEN * len(every))
            factor += lgamma(base + c + d) + lgamma(base) - lgamma(base + c) - lgamma(base + d)
        x += LIKENESS[f] * max(factor, -FLOOR)
    return x


def check_bins(bags: Bags, blocks: Longs, pairs: Longs) -> None:
    starts = np.flatnonzero(np.diff(blocks, prepend=-1, append=-1)).astype(np.int64)
    tally = spread(bags, starts)
    field = (tally.tokens & np.uint64(7)).astype(np.int64)
    totals = np.maximum(np.bincount(field, weights=tally.amounts, minlength=EVIDENCE + 1), WORLD)
    distinct = np.bincount(field, minlength=EVIDENCE + 1)
    found = likeness_bins(bags, tally.of(bags.vocabulary), totals.astype(np.int64), distinct, blocks, pairs)
    expected = [int(np.searchsorted(EDGES, direct(bags, blocks, *pair))) for pair in pairs.tolist()]
    assert found.tolist() == expected
    assert len(set(expected)) > 1


TEAMS = [["Bo Day", "Cy Oldershaw"], ["Di Fox"], ["Ed Gum", "Cy Oldershaw"]]


def test_the_likeness_is_the_formula() -> None:
    laid, _ = laid_out(TEAMS)
    blocks = np.repeat(np.arange(len(laid.keys)), np.diff(laid.starts))
    size = len(laid.order)
    check_bins(laid.bags, blocks, np.array([[a, b, NOBODY] for a in range(size) for b in range(a)]))


def test_the_token_a_pair_is_known_by_is_left_out() -> None:
    laid, words = laid_out(TEAMS)
    blocks = np.repeat(np.arange(len(laid.keys)), np.diff(laid.starts))
    sample = laid.sample(words)
    same, _ = known_pairs(sample, words.acquaintances())
    place = {hash: m for m, hash in enumerate(laid.sheet.mentions["id"].gather(laid.order).hash(2))}
    here = [place[hash] for hash in sample.hashes.tolist()]
    token = np.searchsorted(laid.bags.vocabulary, sample.bags.vocabulary)
    pairs = np.array([[here[a], here[b], token[skip]] for a, b, skip in same.tolist()])
    check_bins(laid.bags, blocks, pairs)


def test_acquaintances_share_a_rare_co_author_and_no_paper() -> None:
    laid, words = laid_out(TEAMS)
    sample = laid.sample(words)
    pairs, _ = known_pairs(sample, words.acquaintances())
    assert len(pairs) > 0
    for a, b, token in pairs.tolist():
        assert sample.papers[a] != sample.papers[b]
        for mention in (a, b):
            assert token in sample.bags.tokens[sample.bags.starts[mention] : sample.bags.starts[mention + 1]]
    assert len({token for _, _, token in pairs.tolist()}) == 1


def acquainted(teams: Sequence[Sequence[str]], papers: int = 6) -> Longs:
    laid, words = laid_out(teams, papers)
    return known_pairs(laid.sample(words), words.acquaintances())[0]


def test_a_last_name_with_two_initials_or_many_papers_is_not_rare() -> None:
    assert len(acquainted([["Bo Oldershaw"], ["Bo Oldershaw"]])) > 0
    assert len(acquainted([["Bo Oldershaw"], ["Cy Oldershaw"]])) == 0
    assert len(acquainted([["Bo Oldershaw"]], papers=MOST_HOLDERS + 1)) == 0


def test_strangers_stand_in_different_blocks_and_papers() -> None:
    laid, words = laid_out([["Bo Day"], ["Di Fox"]])
    sample = laid.sample(words)
    _, pairs = known_pairs(sample, words.acquaintances())
    assert len(pairs) > 0
    assert (sample.blocks[pairs[:, 0]] != sample.blocks[pairs[:, 1]]).all()
    assert (sample.papers[pairs[:, 0]] != sample.papers[pairs[:, 1]]).all()


@pytest.mark.parametrize("size", [1, 2, 5, 25, 26, 400])
def test_pairs_of_a_block_are_distinct_and_spread(size: int) -> None:
    starts, pairs = spread_pairs(np.array([0, 7, 7 + size]))
    own = pairs[starts[1] : starts[2], :2]
    assert len(own) == min(size * (size - 1) // 2, BLOCK_PAIRS)
    assert len({tuple(pair) for pair in own.tolist()}) == len(own)
    assert (own[:, 0] < own[:, 1]).all()
    assert len(own) == 0 or (own.min() >= 7 and own.max() < 7 + size)
    if size == 400:
        assert np.median(own[:, 0] - 7) == pytest.approx(size * (1 - 0.5**0.5), abs=10)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_of_a_mixture_is_found(share: float) -> None:
    chance = np.random.default_rng(1)
    blocks, pairs = 40, 300
    same = chance.random(blocks * pairs) < share
    bins = np.where(same, chance.choice(BINS, len(same), p=SAME), chance.choice(BINS, len(same), p=DIFFERENT))
    portraits = np.stack([np.bincount(own, minlength=BINS) for own in bins.reshape(blocks, pairs)])
    mean = mean_share(portraits, SAME / DIFFERENT)
    assert mean == pytest.approx(share, abs=0.05)
    found = shares(portraits, SAME / DIFFERENT, mean)
    assert found.mean() == pytest.approx(share, abs=0.03)


def test_a_block_without_pairs_has_the_share_of_the_library() -> None:
    portraits = np.zeros((51, BINS), np.int64)
    portraits[:50, BINS - 1] = 100
    found = shares(portraits, SAME / DIFFERENT, mean_share(portraits, SAME / DIFFERENT))
    assert found[-1] == pytest.approx(found[:-1].mean(), abs=0.02)
    assert (found < 1.0).all()


def test_one_team_is_more_alike_than_three() -> None:
    place = FEATURES.index("alike") - FEATURES.index("constant")

    def of_ann(work: Work) -> float:
        return float(work.ambiguity[work.keys.index("a lee"), place])

    teams = [["Bo Day", "Cy Ham"], ["Di Fox", "Ed Gum"], ["Flo Ray", "Gil Moss"]]
    names = [(f"Hal {letter}orton", f"Ida {letter}elm") for letter in "abcdefghijklmnopqrst"]
    others = [
        Reference("b.bib", n, id=f"s{n}", title=f"sundry number{n}", authors=[*pair])
        for n, pair in enumerate(names)
    ]
    assert of_ann(world([teams[0]] * 3, 4, others)) > of_ann(world(teams, 4, others)) + 1.0


def test_a_library_of_one_mention_has_an_answer() -> None:
    assert np.isfinite(
        lay_out(blocked([Reference("a.bib", 1, id="x", authors=["Ann Lee"])]), NONE).ambiguity
    ).all()
