"""Explanations: they add up, agree with the search and with the formula, name words, and choose the right join."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

import samehand
from samehand.block import block
from samehand.curate.constraints import NONE
from samehand.errors import UnknownEntityError, UsageError
from samehand.models.persons.evidence import WORLD
from samehand.models.persons.explain import explain, explain_with
from samehand.models.persons.factors import LABELS, PRIOR
from samehand.models.persons.history import sides_at
from samehand.models.persons.layout import COAUTHORS, FEATURES
from samehand.models.persons.opened import OpenBlock
from samehand.models.persons.prepare import UNSEEN
from samehand.models.persons.variant_keys import KINDS
from samehand.models.persons.weights import Weights, default
from samehand.models.persons.work import lay_out
from samehand.normalise.mentions import author_mentions
from samehand.records import Reference, references_frame

ANN = "Ann Lee"
MakeLibrary = Callable[..., samehand.Library]


def weights_of(**named: float) -> Weights:
    """Weights that are 0 but for those named, so that a test does not depend on what was learned."""
    return replace(default(), features=np.array([named.get(name, 0.0) for name in FEATURES]), temperature=2.0)


def paper(id: str, authors: list[str], source: str = "a.bib", **fields: Any) -> Reference:
    return Reference(source, 1, id=id, authors=authors, **fields)


@pytest.fixture
def library(tmp_path: Path) -> MakeLibrary:
    """library(references) -> a library resolved by the baseline, which joins equal names."""

    def build(*references: Reference) -> samehand.Library:
        opened = samehand.Library(tmp_path / "test.library")
        add(opened, *references)
        return opened

    return build


def add(library: samehand.Library, *references: Reference) -> None:
    records = samehand.Records(references_frame(list(references)), samehand.read([]).rejects)
    samehand.resolve(records, library=library, model="baseline", threads=1)


def entity_of(library: samehand.Library, mention: str) -> str:
    return library.resolve_id(mention)


def four_papers() -> list[Reference]:
    """Two papers with Bo Day on hands, one with Cy Fox on hands, one about rivers with nobody else."""
    return [
        paper("1", [ANN, "Bo Day"], title="Handwriting of scribes", venue="Journal of Hands", year=2001),
        paper("2", [ANN, "Bo Day"], title="Handwriting of monks", venue="Journal of Hands", year=2002),
        paper("3", [ANN, "Cy Fox"], title="Handwriting of nuns", venue="Journal of Hands", year=2003),
        paper("4", [ANN], title="Rivers in flood", venue="Water", year=1950),
    ]


def test_contributions_add_up_to_the_score(library: MakeLibrary) -> None:
    found = explain(library(*four_papers()), "1/author/1", "4/author/1")
    assert {factor.name for factor in found.factors} == set(FEATURES)
    assert math.isclose(sum(factor.contribution for factor in found.factors), found.score, abs_tol=1e-9)
    assert all(math.isclose(f.contribution, f.weight * f.value) for f in found.factors)
    assert math.isclose(found.probability, 1 / (1 + math.exp(-found.score / found.temperature)))
    assert all(factor.group == PRIOR for factor in found.prior.factors)
    assert orjson.loads(orjson.dumps(found.to_dict()))["prior"]["contribution"] == found.prior.contribution


def test_the_order_of_the_sides_does_not_matter(library: MakeLibrary) -> None:
    opened = library(*four_papers(), paper("5", ["Agnes Lee", "Bo Day"], title="Scribes"))
    ann, agnes = entity_of(opened, "1/author/1"), entity_of(opened, "5/author/1")
    one, other = explain(opened, ann, agnes), explain(opened, agnes, ann)
    assert math.isclose(one.score, other.score)
    assert one.left == other.right
    assert len(one.left.mentions) == 4


def test_a_shared_coauthor_is_worth_what_the_formula_says(library: MakeLibrary) -> None:
    opened = library(*four_papers())
    weights = weights_of(coauthors=0.5)
    found = explain_with(weights, opened, "1/author/1", "2/author/1")
    # As co-authors, "b day" stands with Ann twice, "c fox" once and "a lee" with the three others: 3 different tokens
    # of a world of WORLD. "b day" stands nowhere outside Ann's block.
    a = weights.shape[FEATURES.index("coauthors"), 0]
    x = a * (2 - 2 + UNSEEN) / (WORLD[COAUTHORS] + UNSEEN * 3)
    expected = math.log(a / (a + 1)) + math.log((x + 1) / x)
    [factor] = [factor for factor in found.factors if factor.name == "coauthors"]
    [word] = [word for bar in found.bars for word in bar.words if word.word == "b day"]
    assert math.isclose(factor.value, expected)
    assert math.isclose(found.score, 0.5 * expected)
    assert math.isclose(word.worth, 0.5 * math.log((x + 1) / x))


def test_what_is_shared_is_told_in_whole_words(library: MakeLibrary) -> None:
    found = explain(library(*four_papers()), "1/author/1", "2/author/1")
    details = {bar.label: bar.detail for bar in found.bars}
    assert details["co-authors"] == "bo day"
    assert details["titles"] == "handwriting"
    assert set(details["venues"].split(", ")) == {"hands", "journal"}
    assert details["years"] == "2001 / 2002"
    assert details["first names"] == "ann / ann"
    assert found.prior.detail == '"a lee", 4 mentions'


def test_nothing_in_common_is_said(library: MakeLibrary) -> None:
    found = explain(library(*four_papers()), "1/author/1", "4/author/1")
    assert {bar.detail for bar in found.bars if bar.label in ("titles", "venues")} == {"nothing in common"}


def test_an_entity_is_explained_by_its_weakest_join(library: MakeLibrary) -> None:
    opened = library(*four_papers())
    ann = entity_of(opened, "1/author/1")
    found = explain_with(weights_of(constant=9.0, title=1.0), opened, ann, ann)
    assert found.entity == ann
    assert {len(found.left.mentions), len(found.right.mentions)} == {1, 3}
    assert ["4/author/1"] in (found.left.mentions, found.right.mentions)
    assert "weakest of the 3 joins" in found.remarks[0]


def test_two_mentions_of_a_person_are_explained_by_where_they_met(library: MakeLibrary) -> None:
    opened = library(*four_papers())
    found = explain_with(weights_of(constant=9.0, title=1.0), opened, "4/author/1", "1/author/1")
    assert found.left.mentions == ["4/author/1"]
    assert sorted(found.right.mentions) == ["1/author/1", "2/author/1", "3/author/1"]


def test_a_mention_and_its_person_are_the_mention_and_the_rest(library: MakeLibrary) -> None:
    opened = library(*four_papers())
    found = explain(opened, "3/author/1", entity_of(opened, "3/author/1"))
    assert found.left.mentions == ["3/author/1"]
    assert sorted(found.right.mentions) == ["1/author/1", "2/author/1", "4/author/1"]


def test_a_person_the_model_would_divide_says_so(library: MakeLibrary) -> None:
    opened = library(*four_papers())
    ann = entity_of(opened, "1/author/1")
    weights = weights_of(constant=-3.0, coauthors=5.0)
    found = explain_with(weights, opened, ann, ann)
    assert sorted(found.left.mentions) == ["1/author/1", "2/author/1"]
    assert len(found.right.mentions) == 1
    assert found.score < 0
    assert "would make 3 persons" in found.remarks[0]
    apart = explain_with(weights, opened, "4/author/1", "2/author/1")
    assert (apart.left.mentions, len(apart.right.mentions)) == (["4/author/1"], 2)
    assert "would not have joined" in apart.remarks[0]


def test_a_curators_word_is_told(library: MakeLibrary) -> None:
    opened = library(*four_papers(), paper("5", ["Agnes Lee"], title="Scribes"))
    assert explain(opened, "1/author/1", "5/author/1").decided is None
    opened.decide("different", "1/author/1", "5/author/1", by="me")
    assert explain(opened, "1/author/1", "5/author/1").decided == "different"
    opened.decide("same", "1/author/1", "5/author/1", by="me")
    assert explain(opened, "1/author/1", "5/author/1").decided == "same"


def test_names_of_different_blocks_are_compared_and_marked(library: MakeLibrary) -> None:
    opened = library(*four_papers(), paper("5", ["Ann Day", "Bo Day"], title="Handwriting of scribes"))
    found = explain(opened, "1/author/1", "5/author/1")
    assert not found.compared
    assert {bar.label: bar.detail for bar in found.bars}["last names"] == "lee / day"
    assert explain(opened, "1/author/1", "2/author/1").compared


def test_variants_of_different_blocks_pay_for_their_names(library: MakeLibrary) -> None:
    papers = [
        paper("1", ["Ida Mueller", "Bo Day"], title="Scribes"),
        paper("2", ["Ida Müller", "Bo Day"], title="Hands"),
    ]
    found = explain(library(*papers), "1/author/1", "2/author/1")
    assert found.compared
    [cost] = [bar for bar in found.bars if bar.label == "variants of one name"]
    assert (cost.contribution, cost.detail) == (default().variants[KINDS.index("spelled")], "spelled")
    assert found.score == pytest.approx(
        found.prior.contribution + sum(bar.contribution for bar in found.bars)
    )


def test_variants_that_align_first_names_count_them_as_equal(library: MakeLibrary) -> None:
    papers = [paper("1", ["Wei Zhang", "Bo Day"]), paper("2", ["Zhang Wei", "Bo Day"])]
    found = explain(library(*papers), "1/author/1", "2/author/1")
    assert {factor.name: factor.value for factor in found.factors}["first_equal"] == 1.0
    assert "reordered" in [bar.detail for bar in found.bars]


def test_a_person_of_two_blocks_is_explained_by_its_names(library: MakeLibrary) -> None:
    fox = paper("5", ["Ann Fox", "Bo Day"], title="Handwriting of scribes")
    opened = library(*four_papers(), fox)
    opened.decide("same", "1/author/1", "5/author/1", by="me")
    add(opened, paper("6", ["Ed Gum"], source="b.bib"))
    opened.undo(by="me")
    ann = entity_of(opened, "5/author/1")
    found = explain(opened, ann, ann)
    assert (len(found.left.mentions), found.right.mentions) == (4, ["5/author/1"])
    assert "different blocks" in found.remarks[0]
    named = explain(opened, "5/author/1", "1/author/1")
    assert (named.left.mentions, len(named.right.mentions)) == (["5/author/1"], 4)
    assert "came together" in explain(opened, "2/author/1", "1/author/1").remarks[0]


def test_two_authors_of_one_paper_are_against(library: MakeLibrary) -> None:
    opened = library(*four_papers(), paper("5", ["Agnes Lee", ANN], title="Scribes"))
    found = explain_with(weights_of(same_paper=-8.0), opened, "5/author/1", "5/author/2")
    assert found.score == -8.0


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ("1", "1/author/1", "is a paper: papers and venues have no explanation yet"),
        ("1/author/1", "1/venue", "is a venue"),
        ("1/author/1", "1/author/1", "nothing to explain"),
        ("3/author/2", "3/author/2", "nothing to explain"),
    ],
)
def test_what_cannot_be_explained_is_refused(library: MakeLibrary, a: str, b: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        explain(library(*four_papers()), a, b)


def test_an_unknown_name_is_an_error_with_a_hint(library: MakeLibrary) -> None:
    with pytest.raises(UnknownEntityError, match="did you mean 1/author/1"):
        explain(library(*four_papers()), "1/author/11", "1/author/1")


def test_a_mention_that_left_the_library_is_an_error_with_a_remedy(library: MakeLibrary) -> None:
    opened = library(*four_papers(), paper("5", [ANN], source="b.bib", title="Scribes"))
    changed = references_frame([paper("6", [ANN], source="b.bib", title="Monks")])
    opened.add(samehand.Records(changed, samehand.read([]).rejects))
    with pytest.raises(UsageError, match="resolve the library again"):
        explain(opened, "1/author/1", "5/author/1")


def test_every_feature_has_a_label() -> None:
    assert set(LABELS) == set(FEATURES)


def test_every_join_of_a_search_scores_as_its_sides_do() -> None:
    """The nodes folded for an explanation are those that the search grew."""
    names, others = ["Ann Lee", "A. Lee", "Anna B. Lee"], ["Bo Day", "Cy Fox", "Di Elm", "Ed Gum"]
    references = references_frame(
        [
            paper(
                str(n),
                [names[n % 3], others[n * n % 4], others[n % 3]],
                year=1990 + n,
                title=f"On topic {n % 5}",
            )
            for n in range(24)
        ]
    )
    work = lay_out(block("author", author_mentions(references), references), NONE)
    opened = OpenBlock(
        work, work.keys.index("a lee"), weights_of(constant=1.0, coauthors=1.0, title=0.5, gap=-0.1)
    )
    nobody = np.empty((0, 2), np.int32)
    joins = opened.search(nobody, nobody)
    assert len(joins.nodes) > 10
    for number, strength in enumerate(joins.strengths.tolist()):
        assert math.isclose(opened.score(*sides_at(joins, number, range(24))), strength, abs_tol=1e-9)
