"""The baseline's rules, each by an example that breaks if the rule does."""

from __future__ import annotations

import polars as pl
import pytest

from samehand.block import block
from samehand.curate.constraints import Constraints
from samehand.errors import UsageError
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models import resolver
from samehand.models.baseline.authors import groups
from samehand.normalise.mentions import author_mentions, paper_mentions, venue_mentions
from samehand.records import CLUSTERING, Kind, Reference, references_frame

NORMALISE = {"paper": paper_mentions, "author": author_mentions, "venue": venue_mentions}


def clusters(kind: Kind, *references: Reference, same: object = (), different: object = ()) -> list[int]:
    for number, reference in enumerate(references):
        reference.id = reference.id or f"r{number}"
    frame = references_frame(references)
    blocked = block(kind, NORMALISE[kind](frame), frame)
    constraints = Constraints(as_pairs(same), as_pairs(different))
    result = resolver("baseline", kind)(blocked, constraints, Run())
    assert result.schema == CLUSTERING
    return result["cluster"].to_list()


def paper(title: str, author: str | None = "Ada Byron", year: int | None = 1999, **more: object) -> Reference:
    return Reference("x.bib", 1, title=title, authors=[author] if author else [], year=year, **more)


@pytest.mark.parametrize(
    ("left", "right", "together"),
    [
        (paper("On the Hand"), paper("on the hand."), True),
        (paper("On the Hand"), paper("On the Hand", "A. Byron"), True),
        (paper("On the Hand"), paper("On the Hand", "Ada Other"), False),
        (paper("On the Hand of Scribes"), paper("On teh Hand of Scribes"), True),
        (paper("On the Hand of Scribes", year=1999), paper("On the Hand of Scribes", year=2000), True),
        (paper("On the Hand of Scribes", year=1999), paper("On the Hand of Scribes", year=2005), False),
        (paper("On the Hand of Scribes", year=None), paper("On the Hand of Scribes"), True),
        (paper("Hands of Scribes, Part 1 of all"), paper("Hands of Scribes, Part 2 of all"), False),
        (paper("On the Hand of Scribes", None), paper("On the Hand of Scribes"), True),
        (paper("On the Hand of Scribes", None), paper("On teh Hand of Scribes"), False),
        (paper("Editorial"), paper("Editorial"), False),
        (paper("Editorial", pages="1-2"), paper("Editorial", pages="1-2"), True),
        (paper("One title", doi="10.1/x"), paper("One title, long", year=2010, doi="10.1/x"), True),
        (paper("Hens in winter", doi="10.1/x"), paper("A theory of graphs", doi="10.1/x"), False),
        (paper("", None, None, doi="10.1/x"), paper("A theory of graphs", doi="10.1/x"), True),
        (paper("", None, None), paper("", None, None), False),
    ],
)
def test_two_papers(left: Reference, right: Reference, together: bool) -> None:
    left.id, right.id = "left", "right"
    first, second = clusters("paper", left, right)
    assert (first == second) is together


def test_citation_strings_go_by_word_overlap() -> None:
    texts = [
        "C. E. Shannon. A mathematical theory of communication. Bell System Technical Journal 1948",
        "Shannon, C.E., A mathematical theory of communication, Bell System Tech. J., 1948",
        "A. Turing. Computing machinery and intelligence. Mind 1950",
        "A. Turing. Computing machinery and intelligence. Mind 1950",
    ]
    found = clusters("paper", *(Reference("x.txt", n, scope="citation", text=t) for n, t in enumerate(texts)))
    assert found == [0, 0, 1, 1]


def names(*written: str) -> list[Reference]:
    return [Reference("x.bib", n, title=f"t{n}", authors=[name]) for n, name in enumerate(written)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (["John Smith", "J. Smith", "Smith, J."], [0, 0, 0]),
        (["John Smith", "Jane Smith", "J. Smith"], [0, 1, 2]),
        (["John R. Smith", "John Smith", "J. R. Smith", "J. Smith"], [0, 0, 0, 0]),
        (["John R. Smith", "John Q. Smith", "John Smith"], [0, 1, 2]),
        (["John Smith", "John Smyth"], [0, 1]),
        (["{World Health Organization}", "{World Health Organization}"], [0, 0]),
    ],
)
def test_compatible_names(written: list[str], expected: list[int]) -> None:
    assert clusters("author", *names(*written)) == expected


def test_equal_orcids_are_one_person_under_any_name() -> None:
    orcid = "0000-0002-1825-0097"
    one, other = names("Josiah Carberry", "J. S. Stinckney-Carberry")
    one.orcids = other.orcids = [orcid]
    assert clusters("author", one, other) == [0, 0]


def test_a_name_with_two_fullest_completions_stays_by_itself() -> None:
    assert groups([("j", ""), ("j", "r"), ("jo", "r"), ("jan", "")]) == [0, 2, 2, 3]


def venue(name: str, title: str) -> Reference:
    return Reference("x.csv", 1, scope="venue", venue=name, title=title)


def test_venues_merge_by_string_then_by_title() -> None:
    rows = [
        venue("Proceedings of the ACL", "Parsing with care"),
        venue("proceedings of ACL", "Another one"),
        venue("Assoc. for Comp. Ling.", "Parsing with care"),
        venue("Mind", "Something else"),
    ]
    assert clusters("venue", *rows) == [0, 0, 0, 1]


def test_decisions_bind() -> None:
    written = names("John Smith", "J. Smith", "Jon Smyth")
    assert clusters("author", *written, different=[(0, 1)]) == [0, 1, 2]
    assert clusters("author", *written, same=[(0, 2)]) == [0, 0, 0]


@pytest.mark.parametrize("kind", ["paper", "author", "venue"])
def test_nothing_gives_nothing(kind: Kind) -> None:
    assert clusters(kind) == []


def test_unknown_model() -> None:
    with pytest.raises(UsageError, match="no model named 'oracle'; there are: baseline"):
        resolver("oracle", "paper")


def test_every_mention_is_clustered_once() -> None:
    references = [paper(f"Paper number {n % 7} about hands", year=1990 + n % 3) for n in range(50)]
    assert len(clusters("paper", *references)) == 50
    assert isinstance(references_frame(references), pl.DataFrame)
