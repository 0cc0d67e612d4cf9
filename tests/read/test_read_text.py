"""Plain text, by lines and by paragraphs."""

from __future__ import annotations

import io

from samehand.read.text import LONGEST, read
from samehand.records import Reject


def citations(text: str):
    return list(read(io.BytesIO(text.encode()), "a.txt"))


def test_one_citation_per_line_kept_as_written():
    found = citations("Lee , A . X .\n\nEk, B.  Y.\n")
    assert [(record.text, record.line, record.scope) for record in found] == [
        ("Lee , A . X .", 1, "citation"),
        ("Ek, B.  Y.", 3, "citation"),
    ]


def test_paragraphs_where_lines_go_on():
    found = citations("Lee, A. On\n  Hands. 2001.\n\nEk, B. Y. 2002.\n\nOz, C.\nZ.\n")
    assert [(record.text, record.line) for record in found] == [
        ("Lee, A. On Hands. 2001.", 1), ("Ek, B. Y. 2002.", 4), ("Oz, C. Z.", 6),
    ]  # fmt: skip


def test_long_lists_with_a_blank_line_are_no_paragraphs():
    text = "\n".join(f"Author {n}. Title {n}." for n in range(30))
    assert len(citations(text + "\n\n" + text)) == 60


def test_labels_become_keys():
    found = citations("[12] Lee. X.\n13. Ek. Y.\n(14) Oz. Z.\n[Ra03] Ra. W.\n1984 was a year. V.\n")
    assert [record.key for record in found] == ["12", "13", "14", "Ra03", None]
    assert found[0].text == "Lee. X."


def test_labelled_lines_are_citations_even_without_blank_lines_between():
    found = citations("[1] Lee. A long\n title.\n[2] Ek. Y.\n\n[3] Oz. Z.\n")
    assert [record.text for record in found] == ["Lee. A long title.", "Ek. Y.", "Oz. Z."]


def test_what_is_too_long_or_says_nothing_is_rejected():
    found = citations("x" * (LONGEST + 1) + "\n" + "y" * (5 * LONGEST) + "\n-----\nLee. X.\n")
    assert [isinstance(record, Reject) for record in found] == [True, True, True, False]
    assert [record.line for record in found] == [1, 2, 3, 4]
