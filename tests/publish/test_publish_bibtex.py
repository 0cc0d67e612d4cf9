"""The clean bibliography: safe values, kept keys, completed fields; read back by three parsers."""

from __future__ import annotations

import io
import re
import string
from typing import Any

import bibtexparser
import orjson
import polars as pl
import pybtex.database
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samehand.normalise.latex import decode
from samehand.publish.bibtex import difference, parents_last, write
from samehand.publish.bibtex_entries import Entry, entries
from samehand.publish.citation_keys import keys, unique_keys
from samehand.publish.latex_values import encode, repaired
from samehand.read import bibtex as reader
from samehand.records import Reference


def bibtex_reference(
    key: str | None, source: str = "a.bib", kind: str = "article", **fields: str
) -> Reference:
    """A reference as the BibTeX reader would make it, of the few fields that decide here."""
    return Reference(
        source,
        1,
        id=f"{source}:{key}",
        key=key,
        type=kind,
        title=fields.get("title"),
        authors=fields["author"].split(" and ") if "author" in fields else [],
        venue=fields.get("journal"),
        year=int(fields["year"]) if "year" in fields else None,
        volume=fields.get("volume"),
        crossref=fields.get("crossref"),
        fields=orjson.dumps({"entrytype": kind} | fields).decode(),
    )


def text_of(tables: tuple[pl.DataFrame, pl.DataFrame]) -> str:
    stream = io.StringIO()
    write(*tables, stream)
    return stream.getvalue()


def read_back(text: str) -> dict[str, dict[str, str]]:
    """Key -> raw fields, by our own reader; nothing may be rejected."""
    found = list(reader.read(io.BytesIO(text.encode()), "clean.bib"))
    assert all(isinstance(one, Reference) for one in found), found
    return {one.key: orjson.loads(one.fields) for one in found}  # type: ignore[union-attr, misc, arg-type]


def test_the_best_entry_is_kept_as_written_and_completed(resolved: Any) -> None:
    one = bibtex_reference(
        "g31", author='G{\\"o}del, Kurt', title='{\\"U}ber {S\\"atze}', year="1931", journal="M"
    )
    two = bibtex_reference(
        "goedel", author="K. Goedel", title="Uber Satze", year="1931", note="R\\&D", pages="1"
    )
    [entry] = entries(*resolved([one, two], {"a.bib:g31": "p", "a.bib:goedel": "p"}))
    assert entry.key == "g31"
    assert entry.fields == {
        "author": 'G{\\"o}del, Kurt',
        "title": '{\\"U}ber {S\\"atze}',
        "year": "1931",
        "journal": "M",
        "note": "R\\&D",
        "pages": "1",
    }
    assert sorted(entry.completed) == ["note", "pages"]


def test_fields_of_another_version_do_not_complete(resolved: Any) -> None:
    journal = bibtex_reference("j", title="T", year="2001", journal="J", volume="7", author="A")
    draft = bibtex_reference("d", title="T", year="1999", pages="1--40", number="3", abstract="We say.")
    other_volume = bibtex_reference("v", title="T", year="2001", journal="J", volume="8", month="may")
    same = dict.fromkeys(["a.bib:j", "a.bib:d", "a.bib:v"], "p")
    [entry] = entries(*resolved([journal, draft, other_volume], same))
    assert set(entry.fields) == {"title", "year", "journal", "volume", "author", "abstract"}


def test_a_journal_is_not_completed_by_a_book_title(resolved: Any) -> None:
    one = bibtex_reference("one", title="T", journal="J", year="2001", publisher="P")
    two = bibtex_reference("two", title="T", booktitle="B", date="2001-05", school="S")
    [entry] = entries(*resolved([one, two], {"a.bib:one": "p", "a.bib:two": "p"}))
    assert set(entry.fields) == {"title", "journal", "year", "publisher"}


def test_an_author_list_cut_short_is_replaced_by_a_whole_one(resolved: Any) -> None:
    cut = bibtex_reference("cut", title="T", author="Ann Lee and others", journal="J", year="2001")
    cut.authors, cut.truncated = ["Ann Lee"], True
    whole = bibtex_reference(None, title="T", author="Ann Lee and Bo Day")
    [entry] = entries(*resolved([cut, whole], {"a.bib:cut": "p", "a.bib:None": "p"}))
    assert (entry.key, entry.fields["author"]) == ("cut", "Ann Lee and Bo Day")


def test_every_reference_is_in_exactly_one_entry(resolved: Any) -> None:
    references = [bibtex_reference(f"k{n}", title=f"T{n % 4}") for n in range(12)]
    references += [Reference("c.txt", 1, id="c.txt:1", scope="citation", text="lee, on hands")]
    references += [Reference("d.ris", 1, id="d.ris:1")]
    same = {f"a.bib:k{n}": f"p{n % 4}" for n in range(12)}
    tables = resolved(references, same)
    written = entries(*tables)
    assert sorted(row["reference"] for entry in written for row in entry.rows) == sorted(
        str(one.id) for one in references
    )
    assert len(read_back(text_of(tables))) == 6


def test_keys_are_unique_whatever_their_case_and_a_clash_says_so(resolved: Any) -> None:
    references = [
        bibtex_reference("smith99", title="One"),
        bibtex_reference("Smith99", "b.bib", title="Two"),
        bibtex_reference("smith99b", "c.bib", title="Three"),
        bibtex_reference("odd key,{1}", "d.bib", title="Four"),
        Reference("e.ris", 7, id="e.ris:7", title="Considered Steps", authors=["van Dyk, Bo"], year=2001),
    ]
    table = keys(*resolved(references))
    assert table["new_key"].to_list() == ["smith99", "Smith99c", "smith99b", "odd-key-1", "dyk2001considered"]
    assert table["note"].to_list() == [
        None,
        "another paper has the key Smith99",
        None,
        "not a valid key",
        "had no key",
    ]
    assert "b.bib:1 Smith99: new key Smith99c (another paper has the key Smith99)" in difference(
        *resolved(references)
    )


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "A", "ab", "aB", "ac", "b"]), max_size=40))
def test_unique_keys_are_unique_and_the_first_to_ask_keeps_its_wish(wishes: list[str]) -> None:
    asked = {str(number): wish for number, wish in enumerate(wishes)}
    granted = unique_keys(asked)
    assert len({key.lower() for key in granted.values()}) == len(wishes)
    for number, wish in asked.items():
        if wish.lower() not in {other.lower() for other in wishes[: int(number)]}:
            assert granted[number] == wish


def test_cross_references_lead_to_the_new_keys_and_parents_come_last(resolved: Any) -> None:
    tables = resolved(
        [
            bibtex_reference("vol", kind="proceedings", title="Volume", year="2001"),
            bibtex_reference("Proc01", "b.bib", "proceedings", title="Volume", year="2001", editor="Ann Lee"),
            bibtex_reference("zeta", "b.bib", "inproceedings", title="Z", crossref="proc01"),
        ],
        {"a.bib:vol": "p", "b.bib:Proc01": "p"},
    )
    written = parents_last(entries(*tables))
    assert [entry.key for entry in written] == ["zeta", "vol"]
    assert written[0].fields["crossref"] == "vol"


def test_a_parent_merged_with_its_child_is_no_cross_reference(resolved: Any) -> None:
    child = bibtex_reference("child", title="T", crossref="parent")
    parent = bibtex_reference("parent", title="T")
    [entry] = entries(*resolved([child, parent], {"a.bib:child": "p", "a.bib:parent": "p"}))
    assert "crossref" not in entry.fields


def test_circles_of_cross_references_are_written_all_the_same() -> None:
    circle = [Entry(key, "misc", {"crossref": to}, []) for key, to in ("ab", "bc", "ca", "dd")]
    assert {entry.key for entry in parents_last(circle)} == {"a", "b", "c", "d"}


def test_a_long_chain_of_cross_references_is_ordered_in_linear_time() -> None:
    chain = [Entry(f"k{n:06}", "misc", {"crossref": f"k{n - 1:06}"}, []) for n in range(50_000)]
    assert [entry.key for entry in parents_last(chain)][:2] == ["k049999", "k049998"]


def test_order_and_bytes_do_not_depend_on_the_order_of_rows_in_the_tables(resolved: Any) -> None:
    references, mentions = resolved([bibtex_reference(f"k{n}", title=f"T{n}") for n in range(20)])
    assert text_of((references, mentions)) == text_of(
        (references, mentions.sample(fraction=1, shuffle=True, seed=1))
    )


def test_duplicate_fields_get_names_of_their_own(resolved: Any) -> None:
    one = bibtex_reference("k", title="T")
    one.fields = '{"entrytype":"misc","title":"T","note":"a","note~2":"b"}'
    assert read_back(text_of(resolved([one])))["k"] == {
        "title": "T", "note": "a", "note-2": "b", "entrytype": "misc",
    }  # fmt: skip


raw_values = st.text(st.sampled_from('ab {}\\"$%#&~^,=\n'), max_size=30)
"""Without "@": bibtexparser takes "@word{" inside a value for the next entry."""


@settings(deadline=None)
@given(raw_values)
def test_repaired_values_are_balanced_in_all_three_ways_of_counting(value: str) -> None:
    safe = repaired(value)
    for counted in (safe, re.sub(r"\\.", "", safe, flags=re.DOTALL), re.sub(r"\\[{}]", "", safe)):
        depth = 0
        for character in counted:
            depth += (character == "{") - (character == "}")
            assert depth >= 0
        assert depth == 0
    assert not safe.endswith("\\")


@settings(deadline=None)
@given(st.text(st.sampled_from("ab{}"), max_size=30))
def test_balanced_values_are_left_alone(value: str) -> None:
    safe = repaired(value)
    assert repaired(safe) == safe


PLAIN = set(string.ascii_letters + string.punctuation + " äßłø—„中") - set("\\$;")
text_values = st.text(st.sampled_from(sorted(PLAIN)), max_size=40)
"""Without backslash, dollar and semicolon: the reader takes an escaped backslash, a pair of escaped dollars
and an HTML entity for markup that some program has escaped once too often, and undoes it on purpose."""


@settings(deadline=None)
@given(text_values)
def test_encoded_text_decodes_to_itself(text: str) -> None:
    assert decode(encode(text)) == " ".join(text.split())


@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=60,
)
@given(
    st.lists(
        st.dictionaries(st.sampled_from(["title", "note", "abstract"]), raw_values, min_size=1), max_size=4
    )
)
def test_three_parsers_read_the_same_entries(resolved: Any, written: list[dict[str, str]]) -> None:
    references = [
        bibtex_reference(f"k{number}", kind="misc", **fields) for number, fields in enumerate(written)
    ]
    text = text_of(resolved(references))
    expected = {entry.key: entry.fields for entry in entries(*resolved(references))}
    ours = read_back(text)
    assert set(ours) == set(expected)
    library = bibtexparser.parse_string(text)
    assert not library.failed_blocks
    theirs = pybtex.database.parse_string(text, "bibtex")
    for key, fields in expected.items():
        for name, value in fields.items():
            assert _plain(ours[key][name]) == _plain(value)
            assert _plain(library.entries_dict[key][name]) == _plain(value)
            assert _plain(theirs.entries[key].fields[name]) == _plain(value)


def _plain(value: str) -> str:
    """White space is the one thing parsers may change."""
    return " ".join(value.split())


def test_a_reference_from_elsewhere_is_encoded_and_reads_back(resolved: Any) -> None:
    one = Reference(
        "a.ris",
        1,
        id="a.ris:1",
        type="inproceedings",
        title="R&D at 100%: {sets} & x_1",
        authors=["Müller, Jörg", "{Barnes & Noble}"],
        truncated=True,
        venue="Proc. of Hands #1",
        year=2001,
        pages="1-9",
        doi="10.1000/a_b",
        arxiv="2101.00001",
        keywords=["hands", "feet"],
    )
    text = text_of(resolved([one]))
    [back] = reader.read(io.BytesIO(text.encode()), "clean.bib")
    assert isinstance(back, Reference)
    for name in (
        "type",
        "title",
        "authors",
        "truncated",
        "venue",
        "year",
        "pages",
        "doi",
        "arxiv",
        "keywords",
    ):
        assert getattr(back, name) == getattr(one, name), name


def test_the_difference_names_what_is_kept_dropped_and_completed(resolved: Any) -> None:
    one = bibtex_reference("one", title="T", year="2001", journal="J")
    two = bibtex_reference("two", "b.bib", title="T", note="N")
    text = difference(*resolved([one, two], {"a.bib:one": "p", "b.bib:two": "p"}))
    assert text.splitlines() == [
        "one: 2 entries are one paper",
        "  kept       a.bib:1 one",
        "  dropped    b.bib:1 two",
        "  completed  note from b.bib:1",
        "",
        "2 entries become 1: 1 paper merged from 2 entries, 1 field completed, 0 keys changed",
    ]


@pytest.mark.parametrize("value", ["{" * 100_000, "}" * 100_000, "\\{" * 100_000])
def test_hostile_braces_are_repaired_in_linear_time(value: str) -> None:
    assert repaired(value).count("{") == repaired(value).count("}")
