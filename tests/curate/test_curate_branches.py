"""The tree of an entity: every mention once, the model's own probabilities, and no more leaves than asked for."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand.curate.branches import Branch, author_branches, pruned, spelling_branches
from samehand.library import Library
from samehand.models.persons.explain import last_weights
from samehand.models.persons.stage import Stage
from samehand.pipeline import resolve
from samehand.read import Records
from samehand.records import REJECTS, Reference, references_frame


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """One Ann Lee who writes about ink and one who writes about bells, in one entity by a curator's word."""
    told = [("ink", word, "Bo Day", "Hands") for word in ("quills", "paper", "gall")]
    told += [("bells", word, "Cy Fox", "Towers") for word in ("bronze", "ropes", "chimes")]
    papers = [
        Reference(
            "a.bib",
            n,
            id=f"x{n}",
            title=f"{topic} and {word}",
            authors=["Ann Lee", friend],
            year=2000 + n,
            venue=venue,
        )
        for n, (topic, word, friend, venue) in enumerate(told)
    ]
    records = Records(references_frame(papers), pl.DataFrame(schema=REJECTS))
    with Library(tmp_path_factory.mktemp("branches") / "b.library") as opened:
        resolve(records, library=opened, model="baseline", only="author", threads=1)
        opened.decide("same", "x0/author/1", "x3/author/1")
        resolve(
            Records(references_frame([]), pl.DataFrame(schema=REJECTS)),
            library=opened,
            model="baseline",
            only="author",
        )
        yield opened


def leaves(branch: Branch) -> list[tuple[str, ...]]:
    return [leaf for part in branch.parts for leaf in leaves(part)] if branch.parts else [branch.mentions]


def nodes(branch: Branch) -> Iterator[Branch]:
    yield branch
    for part in branch.parts:
        yield from nodes(part)


def test_the_tree_of_an_author_holds_every_mention_once(library: Library) -> None:
    ids = library.entity("x0/author/1").mentions["id"].to_list()
    tree = author_branches(Stage(library, last_weights(library), ids), ids, most=100)
    assert sorted(mention for leaf in leaves(tree) for mention in leaf) == sorted(ids)
    for node in nodes(tree):
        assert not node.parts or sorted(node.mentions) == sorted(
            m for part in node.parts for m in part.mentions
        )


def test_what_the_search_did_not_join_hangs_at_the_top_with_the_models_probability(library: Library) -> None:
    ids = library.entity("x0/author/1").mentions["id"].to_list()
    stage = Stage(library, last_weights(library), ids)
    stage.same = stage.same[:0]
    tree = author_branches(stage, ids, most=100)
    left, right = (stage.positions(part.mentions) for part in tree.parts)
    score = stage.opened.score(left, right) / stage.opened.weights.temperature
    assert tree.probability == pytest.approx(1 / (1 + np.exp(-score)))
    assert {frozenset(part.mentions) for part in tree.parts} == {
        frozenset(f"x{n}/author/1" for n in group) for group in ((0, 1, 2), (3, 4, 5))
    }


@st.composite
def trees(draw: st.DrawFn) -> Branch:
    seed = draw(st.integers(0, 10_000))
    dice = random.Random(seed)
    parts = [Branch((str(n),)) for n in range(draw(st.integers(1, 30)))]
    while len(parts) > 1:
        dice.shuffle(parts)
        left, right, *rest = parts
        parts = [Branch(left.mentions + right.mentions, dice.random(), (left, right)), *rest]
    return parts[0]


@given(tree=trees(), most=st.integers(1, 12))
def test_pruning_keeps_every_mention_and_divides_where_it_is_weakest(tree: Branch, most: int) -> None:
    cut = pruned(tree, most)
    assert len(leaves(cut)) <= max(most, 1)
    assert sorted(m for leaf in leaves(cut) for m in leaf) == sorted(tree.mentions)
    whole = len(tree.mentions)
    if whole > 1 and most > 1:
        assert len(leaves(cut)) == min(most, whole)


def test_a_deep_tree_is_no_trouble() -> None:
    tree = Branch(("0",))
    for n in range(1, 5_000):
        tree = Branch((*tree.mentions[:1], str(n)), 0.5, (tree, Branch((str(n),))))
    assert len(leaves(pruned(tree, 8))) == 8


def test_spellings_that_differ_in_case_and_accents_are_one_branch() -> None:
    tree = spelling_branches({"x": "Café", "y": "CAFE.", "z": "Tea"}, {"x": 0.5, "y": None, "z": 1.0})
    assert [(part.mentions, part.probability) for part in tree.parts] == [(("x", "y"), 0.5), (("z",), 1.0)]
    assert spelling_branches({"x": "Tea"}, {"x": 1.0}).parts == ()
