"""Other citations of the same paper repair a reading; strangers do not."""

import math

import pytest

from samehand.models.citations.parsing import learn
from samehand.models.citations.parsing.marginals import marginals
from samehand.models.citations.parsing.parse import Parse
from samehand.models.citations.parsing.together import reparse


def reading(share: float, title: str, *authors: str) -> Parse:
    return Parse(math.log(share), title, authors, "", None, "", "", "", "other", ())


RIGHT, WRONG = reading(0.2, "On hands", "A. Lee"), reading(0.8, "On hands, Nature", "A. Lee")
SURE = reading(1.0, "On Hands", "Lee, A.")


def test_the_others_repair_a_reading():
    found = reparse([[WRONG, RIGHT], [SURE], [SURE]], [1, 1, 1])
    assert found[0][0].title == "On hands"
    assert sum(math.exp(parse.log_probability) for parse in found[0]) == pytest.approx(1.0)


def test_a_citation_alone_and_other_clusters_stay():
    assert reparse([[WRONG, RIGHT], [SURE]], [1, 2]) == [[WRONG, RIGHT], [SURE]]


def test_a_stranger_in_the_cluster_changes_nothing_that_is_sure():
    stranger = reading(1.0, "The frogs of Peru", "B. Wu")
    found = reparse([[SURE], [stranger], [WRONG, RIGHT]], [1, 1, 1])
    assert found[0][0].title == "On Hands"
    assert found[1][0].title == "The frogs of Peru"


def test_nobody_hears_himself():
    """Two citations with the same two readings: neither may push the other beyond what it says itself."""
    found = reparse([[WRONG, RIGHT], [WRONG, RIGHT]], [1, 1])
    assert found[0][0].title == found[1][0].title == "On hands, Nature"


def test_marginals_sum_over_readings():
    found = marginals(
        [reading(0.5, "On hands", "A. Lee"), reading(0.3, "On hands", "B. Wu"), reading(0.2, "On", "B. Wu")]
    )
    assert found["title"].value == "On hands"
    assert found["title"].probability == pytest.approx(0.8)
    assert found["authors"].value in (("A. Lee",), ("B. Wu",))
    assert found["authors"].probability == pytest.approx(0.5)


def test_a_real_reading_is_repaired_by_the_same_paper_cited_elsewhere():
    """By itself "P. Ross Sketchlab" may well be a name; the other citation knows better."""
    texts = [
        "P. Ross Sketchlab: A system for drawing hands. PhD thesis, Stanford University, 1985.",
        "P. Ross. Sketchlab: A system for drawing hands. PhD thesis, Stanford University, 1985.",
    ]
    alone = learn(texts).parses_of(texts)
    assert alone[0][0].title != "Sketchlab: A system for drawing hands"
    together = reparse(alone, [0, 0])
    assert together[0][0].title == "Sketchlab: A system for drawing hands"
    assert together[0][0].authors == ("P. Ross",)
