"""The benchmarks of papers and citations run, and say what they must."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from samehand.bench import Options
from samehand.bench.citation_errors import kinds_of_error
from samehand.bench.papers import generated_references
from samehand.bench.papers import run as run_papers
from samehand.models.papers.facts import facts_of
from samehand.records import Reference, references_frame


def test_generated_references_are_cited_again_and_again() -> None:
    references, truth = generated_references(300, 0)
    assert references.height == truth.height
    assert truth["cluster"].n_unique() < 0.7 * references.height
    assert references["title"].n_unique() > truth["cluster"].n_unique(), "some titles have slips"


def test_a_split_paper_is_named_with_what_sets_it_apart() -> None:
    papers = [
        Reference("a", n, id=f"{n}", title="On Hands and Thumbs", authors=["A. Lee"], type=kind, volume="1")
        for n, kind in enumerate(["article", "techreport"])
    ]
    references = references_frame(papers)
    truth = pl.DataFrame({"id": ["0", "1"], "cluster": ["x", "x"]})
    rows = list(
        kinds_of_error(references["id"], np.array([0, 1]), truth, facts_of(references), ["one", "other"])
    )
    assert [row["error"] for row in rows] == ["split: same title, kinds of publication differ"]
    assert not list(kinds_of_error(references["id"], np.array([0, 0]), truth, facts_of(references), ["", ""]))


@pytest.mark.data
@pytest.mark.skipif(
    "SAMEHAND_DATA" not in os.environ, reason="set SAMEHAND_DATA to the folder of labelled sets"
)
def test_structured_papers_stay_above_the_unsupervised_peers() -> None:
    data = Path(os.environ["SAMEHAND_DATA"])
    for name, least in (("cora", 0.89), ("dblp-acm", 0.982)):
        (row,) = run_papers(Options(data=data, set=name, method="samehand"))
        assert row["b3_f1"] > least
