"""Inheritance by crossref."""

from __future__ import annotations

from samehand.read.crossref import inherit
from samehand.records import REFERENCES, Reference, references_frame


def inherited(*references: Reference) -> list[dict[str, object]]:
    result = inherit(references_frame(references))
    assert result.schema == REFERENCES
    return result.to_dicts()


BOOK = Reference(
    "a.bib", 1, key="Proc99", type="proceedings", title="Proc. of Hands", year=1999, publisher="ACM",
    editors=["Ed Itor"], volume="7", isbn="9780306406157", doi="10.1/book", pages="1-999", url="http://b",
)  # fmt: skip


def paper(**fields: object) -> Reference:
    return Reference("a.bib", 9, key="p", type="inproceedings", title="On Hands", crossref="PROC99", **fields)  # type: ignore[arg-type]


def test_a_paper_takes_what_it_lacks() -> None:
    child, parent = inherited(paper(), BOOK)
    assert (child["title"], child["venue"], child["year"]) == ("On Hands", "Proc. of Hands", 1999)
    assert (child["publisher"], child["editors"], child["volume"]) == ("ACM", ["Ed Itor"], "7")
    assert child["isbn"] == "9780306406157"
    assert parent["venue"] is None


def test_what_identifies_the_parent_is_not_the_childs() -> None:
    child, _ = inherited(paper(), BOOK)
    assert (child["doi"], child["pages"], child["url"]) == (None, None, None)


def test_a_child_keeps_its_own() -> None:
    child, _ = inherited(paper(venue="V", year=2000, editors=["E"]), BOOK)
    assert (child["venue"], child["year"], child["editors"]) == ("V", 2000, ["E"])


def test_order_and_number_of_rows_stay() -> None:
    rows = inherited(BOOK, paper(), Reference("a.bib", 20, key="PROC99", title="Second of the key"), paper())
    assert [row["line"] for row in rows] == [1, 9, 20, 9]
    assert rows[1]["venue"] == "Proc. of Hands"


def test_sources_do_not_mix_and_missing_parents_are_harmless() -> None:
    stranger = Reference("b.bib", 1, key="proc99", title="Other", year=1900)
    child, _ = inherited(paper(), stranger)
    assert (child["venue"], child["year"]) == (None, None)


def test_circles_and_self_references_are_harmless() -> None:
    itself = Reference("a.bib", 1, key="x", type="inproceedings", title="X", crossref="x")
    one = Reference("a.bib", 2, key="y", type="inproceedings", title="Y", crossref="z", year=1999)
    other = Reference("a.bib", 3, key="z", type="inproceedings", title="Z", crossref="y")
    rows = inherited(itself, one, other)
    assert [row["venue"] for row in rows] == [None, "Z", "Y"]
    assert [row["year"] for row in rows] == [None, 1999, 1999]


def test_only_one_level() -> None:
    middle = Reference("a.bib", 2, key="proc99", type="proceedings", title="Middle", crossref="top")
    top = Reference("a.bib", 3, key="top", title="Top", year=1980)
    child, changed, _ = inherited(paper(), middle, top)
    assert child["year"] is None
    assert changed["year"] == 1980


def test_a_child_without_title_and_authors_is_another_name_for_its_parent() -> None:
    alias = Reference("a.bib", 1, key="k:on", type="misc", crossref="k")
    full = Reference("a.bib", 2, key="k", type="article", title="T", authors=["A"], truncated=True, venue="J")
    child, _ = inherited(alias, full)
    assert (child["title"], child["authors"], child["truncated"], child["venue"]) == ("T", ["A"], True, "J")


def test_no_crossref_no_change() -> None:
    frame = references_frame([BOOK])
    assert inherit(frame).equals(frame)
    assert inherit(references_frame([])).is_empty()
