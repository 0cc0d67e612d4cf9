"""Copied errors: where several citations share one unlikely error, the published model makes them a paper of their
own, as its authors report; to the default resolver equal records are one witness, and their number changes nothing."""

import numpy as np

from samehand.block import block
from samehand.curate.constraints import NONE
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.models.citations.parsing.parse import Parse
from samehand.models.citations.published.sampler import run_chain
from samehand.models.citations.published.versions import divide
from samehand.models.citations.published.world import build
from samehand.models.papers import resolve
from samehand.normalise.mentions import paper_mentions
from samehand.records import Reference, references_frame

Cited = tuple[str, tuple[str, ...]]

RIGHT: Cited = ("Grammars of grips for anthropomorphic hands", ("Ada Lee", "Bo Day"))
WRONG: Cited = ("Grammars of gripes for anthropomorfic hands", ("Ada Lee", "Bo Day"))
OTHERS: list[Cited] = [
    ("Thumbs of apes and their opposition", ("Cy Roe",)),
    ("Counting on fingers in ancient markets", ("Di Fox",)),
    ("Reflexes of the sleeping palm", ("Ed Sun",)),
]


def cited(copies: int) -> list[Cited]:
    return [RIGHT] * 3 + [WRONG] * copies + OTHERS


def share_together(copies: int) -> float:
    """How often the published model has the right and the wrong citations together."""
    records = cited(copies)
    texts = [f"{', '.join(authors)}. {title}. Journal of Hands, 1990." for title, authors in records]
    readings = [
        [Parse(0.0, title, authors, "", 1990, "", "", "", "article", ())] for title, authors in records
    ]
    chain = run_chain(build(texts, readings), stream(0, "copied"), learning=15, sampling=30)
    return float(np.mean(chain.labels[:, 0] == chain.labels[:, 3]))


def test_the_published_model_falls_for_copies_of_an_error() -> None:
    assert share_together(1) > 0.9
    assert share_together(8) < 0.1


def resolved(wrong: str, copies: int) -> tuple[bool, int]:
    """Whether the default resolver has right and wrong together, and how many papers it finds."""
    records = [RIGHT] * 3 + [(wrong, RIGHT[1])] * copies + OTHERS
    references = references_frame(
        [
            Reference(
                "a", n, id=f"{n}", title=title, authors=list(authors), venue="Journal of Hands", year=1990
            )
            for n, (title, authors) in enumerate(records)
        ]
    )
    found = resolve(block("paper", paper_mentions(references), references), NONE, Run())["cluster"]
    return bool(found[0] == found[3]), found.n_unique()


def test_copies_change_nothing_for_the_default_resolver() -> None:
    slip = "Grammers of grips for anthropomorphic hands"
    assert resolved(slip, 1) == resolved(slip, 24) == (True, 4)
    assert resolved(WRONG[0], 1) == resolved(WRONG[0], 24)


def test_versions_divide_a_work_by_kind() -> None:
    label, kind = np.array([0, 0, 1, 0]), np.array([0, 4, 0, -1])
    assert divide(label, kind, np.array([1992, 1990, 1992, 1990])).tolist() == [0, 1, 2, 1]
