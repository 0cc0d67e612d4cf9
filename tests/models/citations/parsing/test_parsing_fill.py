"""Raw citations get columns; others stay as they are."""

from polars.testing import assert_frame_equal

from samehand.models.citations.fill import fill
from samehand.records import REFERENCES, Reference, references_frame

RAW = Reference(
    "a.txt", 1, id="a.txt:1", scope="citation",
    text="J. Lee and B. Wu. On the theory of hands. In Proceedings of the Third Conference on Hands, pages 3-9, 1991.",
)  # fmt: skip
BOOK = Reference("b.bib", 1, id="b", type="book", title="The hand", authors=["Lee, J."], year=1980)
TITLED = Reference("c.txt", 1, id="c", scope="citation", text="something", title="Known already")


def test_a_raw_citation_gets_its_fields():
    row = fill(references_frame([BOOK, RAW])).row(1, named=True)
    assert row["title"] == "On the theory of hands"
    assert row["authors"] == ["J. Lee", "B. Wu"]
    assert (row["year"], row["pages"], row["type"]) == (1991, "3-9", "inproceedings")
    assert row["venue"].startswith("Proceedings of the Third Conference")
    assert (row["text"], row["scope"], row["id"]) == (RAW.text, "reference", "a.txt:1")


def test_others_and_the_schema_stay():
    table = references_frame([BOOK, RAW, TITLED])
    found = fill(table)
    assert found.schema == REFERENCES
    assert_frame_equal(found[[0, 2]], table[[0, 2]])


def test_nothing_to_fill():
    table = references_frame([BOOK])
    assert fill(table) is table


def test_a_string_without_words_stays_a_citation():
    row = fill(references_frame([Reference("a.txt", 1, id="x", scope="citation", text="...")])).row(
        0, named=True
    )
    assert (row["scope"], row["title"]) == ("citation", None)
