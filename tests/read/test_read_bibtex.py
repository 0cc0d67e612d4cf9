"""BibTeX as people write it: each peculiarity by example."""

from __future__ import annotations

import io

import orjson
import pytest

from samehand.read.bibtex import read
from samehand.records import Reference, Reject


def read_all(text: str | bytes) -> list[Reference | Reject]:
    data = text.encode() if isinstance(text, str) else text
    return list(read(io.BytesIO(data), "a.bib"))


def one(text: str | bytes) -> Reference:
    [record] = read_all(text)
    assert isinstance(record, Reference), record
    return record


def rejected(text: str | bytes) -> Reject:
    [record] = read_all(text)
    assert isinstance(record, Reject), record
    return record


def test_an_ordinary_entry() -> None:
    found = one(
        r"""
@InProceedings{Knuth:84,
  AUTHOR    = "Donald E. Knuth and Erd{\H o}s, P{\'a}l",
  title     = {Literate {P}rogramming},
  booktitle = {Proc.\ of the {ACM}},
  year      = 1984,
  pages     = {97--111},
  volume    = 27, number = {2},
  publisher = "Oxford" # { } # "Press",
  doi       = {https://doi.org/10.1093/COMJNL/27.2.97},
  isbn      = {0-306-40615-2},
  keywords  = {TeX, literate programming},
}
"""
    )
    assert (found.source, found.line, found.key, found.type) == ("a.bib", 2, "Knuth:84", "inproceedings")
    assert found.authors == ["Donald E. Knuth", "Erdős, Pál"]
    assert (found.title, found.venue) == ("Literate Programming", "Proc. of the ACM")
    assert (found.year, found.pages, found.volume, found.number) == (1984, "97-111", "27", "2")
    assert (found.publisher, found.doi) == ("Oxford Press", "10.1093/comjnl/27.2.97")
    assert (found.isbn, found.keywords) == ("9780306406157", ["TeX", "literate programming"])
    assert found.id is None
    fields = orjson.loads(found.fields or "")
    assert list(fields)[:3] == ["entrytype", "author", "title"]
    assert fields["entrytype"] == "inproceedings"
    assert fields["title"] == "Literate {P}rogramming"


@pytest.mark.parametrize(
    "text",
    [
        "@book{k, title = {T}, year = 1999}",
        "@book(k, title = {T}, year = 1999)",
        '@BOOK { k , Title={T},YEAR="1999" , }',
        "@book{k\n title = {T}\n year = {1999}\n}",
        "@book{k, title = {T} year = {1999}}",
        "@book{k,, title = {T},, year = {1999},,}",
        "@book{k, title {T}, year = {1999}}",
        "@book{k, title = T, year = 1999}",
        "@book{k, title = {T}, % a comment\n year = 1999}",
        "@book{k, title = {T}}, year = 1999}",
        "@book{k, title = {T}, note = , year = 1999}",
        "@book{k, title = {T}, !!! junk , year = 1999}",
        "@book{k, title = {T}, {stray} year = 1999}",
        "@book{k, title = {T}, year = 1999",
        "@book{k,\n title = {T,\n year = {1999}\n}",
        '@book{k,\n title = "T,\n year = "1999"\n}',
        "@book{k title = {T}, year = 1999}",
        "text before @book{k, title = {T}, year = 1999} text after",
        "\ufeff@book{k, title = {T}, year = 1999}",
        "@book{k,\r\n title = {T},\r\n year = 1999}\r\n",
        "@book{k,\r title = {T},\r year = 1999}\r",
        "@bo\0ok{k, title\0 = {T}, year = 1999}",
        '@comment{x} @preamble{"\\newcommand{\\x}{y}"} @book{k, title = {T}, year = 1999}',
    ],
)
def test_ways_to_write_one_entry(text: str) -> None:
    found = one(text)
    assert (found.key, found.title, found.year, found.type) == ("k", "T", 1999, "book")


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("@misc{a b c,", "a b c"),
        ("@misc{DBLP:conf/x(1)/Y+Z'99,", "DBLP:conf/x(1)/Y+Z'99"),
        ("@misc{,", None),
        ("@misc{", None),
        ("@misc{ключ,", "ключ"),
        ('@misc{a"b,', 'a"b'),
    ],
)
def test_keys(head: str, key: str | None) -> None:
    found = one(head + " title = {T}}")
    assert (found.key, found.title) == (key, "T")


def test_macros() -> None:
    first, second = read_all(
        """
@STRING{ACM = "J. ACM"}
@string(long = acm # {, Series } # "B")
@string{loop = loop # loop}
@string{ping = pong} @string{pong = ping}
@article{a, journal = Long, month = jan # "~1", note = undefined, title = loop}
@string{acm = {Redefined}}
@article{b, journal = ACM, title = pong}
"""
    )
    assert isinstance(first, Reference)
    assert isinstance(second, Reference)
    fields = orjson.loads(first.fields or "")
    assert first.venue == "J. ACM, Series B"
    assert (fields["month"], fields["note"]) == ("January~1", "undefined")
    assert first.title == "looploop"
    assert (second.venue, second.title) == ("Redefined", "pong")


def test_the_first_of_equal_fields_wins_and_the_others_are_kept() -> None:
    found = one("@misc{k, title = {One}, TITLE = {Two}, title = {Three}}")
    fields = orjson.loads(found.fields or "")
    assert found.title == "One"
    assert (fields["title~2"], fields["title~3"]) == ("Two", "Three")


def test_equal_keys_are_both_kept() -> None:
    assert len(read_all("@misc{k, title = {A}}\n@misc{k, title = {B}}")) == 2


@pytest.mark.parametrize(
    ("written", "authors", "truncated"),
    [
        ("A. Lee and B. Chen", ["A. Lee", "B. Chen"], False),
        ("A. Lee AND\n\tB. Chen", ["A. Lee", "B. Chen"], False),
        ("A. Lee and and B. Chen and", ["A. Lee", "B. Chen"], False),
        ("and A. Lee", ["A. Lee"], False),
        ("A. Lee and others", ["A. Lee"], True),
        ("A. Lee and {others}", ["A. Lee"], True),
        ("A. Lee et al.", ["A. Lee"], True),
        ("Lee, A. and et al.", ["Lee, A."], True),
        ("others", [], True),
        ("Lee, A.; Chen, B.", ["Lee, A.", "Chen, B."], False),
        ("{Barnes and Noble} and {W3C}", ["{Barnes and Noble}", "{W3C}"], False),
        ("von Last, Jr, First", ["von Last, Jr, First"], False),
        ("Sandy Anderson and Al Brand", ["Sandy Anderson", "Al Brand"], False),
        ("Ann Lee, Bo Chen, Cy Young", ["Ann Lee", "Bo Chen", "Cy Young"], False),
        ("family=Goes, given=F., prefix=de and Lee, A.", ["de Goes, F.", "Lee, A."], False),
        (r"Gon{\c c}alves, Jo{\~a}o", ["Gonçalves, João"], False),
        ("", [], False),
    ],
)
def test_author_lists(written: str, authors: list[str], truncated: bool) -> None:
    found = one("@misc{k, author = {" + written + "}}")
    assert (found.authors, found.truncated) == (authors, truncated)


@pytest.mark.parametrize(
    ("field", "year"),
    [
        ("year = 2003", 2003),
        ("year = {{2003}}", 2003),
        ("year = {c. 2003}", 2003),
        ("year = {2003a}", 2003),
        ("year = {in press}", None),
        ("date = {2019-03-01}", 2019),
        ("year = {to appear}, date = {2019}", 2019),
    ],
)
def test_years(field: str, year: int | None) -> None:
    assert one("@misc{k, " + field + "}").year == year


def test_biblatex_names_of_fields() -> None:
    found = one(
        "@article{k, title = {A}, subtitle = {B}, journaltitle = {J}, date = {2001}, "
        "eprint = {1704.04368v2}, eprinttype = {arXiv}, institution = {I}, issue = 3}"
    )
    assert (found.title, found.venue, found.year, found.arxiv) == ("A: B", "J", 2001, "1704.04368")
    assert (found.publisher, found.number) == ("I", "3")


@pytest.mark.parametrize(
    ("fields", "doi", "arxiv", "pmid"),
    [
        ("url = {https://dx.doi.org/10.1000/XyZ}", "10.1000/xyz", None, None),
        ("note = {doi: 10.1000/182}", "10.1000/182", None, None),
        (r"doi = {10.1000/a\_b}", "10.1000/a_b", None, None),
        ("url = {http://arxiv.org/abs/hep-th/9901001v3}", None, "hep-th/9901001", None),
        ("journal = {arXiv preprint arXiv:1704.04368}", None, "1704.04368", None),
        ("pmid = {123456}", None, None, "123456"),
        ("doi = {none}", None, None, None),
    ],
)
def test_identifiers(fields: str, doi: str | None, arxiv: str | None, pmid: str | None) -> None:
    found = one("@misc{k, " + fields + "}")
    assert (found.doi, found.arxiv, found.pmid) == (doi, arxiv, pmid)


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("article", "article"),
        ("Conference", "inproceedings"),
        ("PhDThesis", "thesis"),
        ("report", "techreport"),
        ("inbook", "incollection"),
        ("online", "misc"),
        ("nonsense", "misc"),
    ],
)
def test_entry_types(written: str, kind: str) -> None:
    assert one("@" + written + "{k, title = {T}}").type == kind


def test_a_misc_entry_with_an_arxiv_number_is_a_preprint() -> None:
    assert one("@misc{k, eprint = {1704.04368}, archiveprefix = {arXiv}}").type == "preprint"


def test_affiliations_are_as_many_as_authors_or_none() -> None:
    assert one("@misc{k, author = {A and B}, affiliation = {X; Y}}").affiliations == ["X", "Y"]
    assert one("@misc{k, author = {A and B}, affiliation = {X}}").affiliations == []


def test_quotes_inside_quotes_and_braces_inside_quotes() -> None:
    assert one('@misc{k, title = "The "Big" Sleep", year = 1939}').title == 'The "Big" Sleep'
    assert one('@misc{k, title = "G{\\"o}del {"} T", year = 1939}').title == 'Gödel " T'


def test_deep_nesting() -> None:
    assert one("@misc{k, title = " + "{" * 50 + "T" + "}" * 50 + ", year = 1939}").title == "T"


def test_a_line_inside_a_field_that_looks_like_a_macro_is_no_entry() -> None:
    found = one("@misc{k, note = {see\n@string{x = 1}\n@comment{y}\n}, title = {T}}")
    assert found.title == "T"


def test_an_entry_that_is_never_closed_costs_only_itself() -> None:
    first, second, third = read_all(
        "@misc{a, note = {open\n@misc{b, title = {B}}\n@misc{c,\n title = {C {open},\n author = {D}\n"
    )
    assert isinstance(first, Reject)
    assert (first.line, first.reason) == (1, "entry never closed")
    assert first.raw.startswith("@misc{a, note")
    assert isinstance(second, Reference)
    assert (second.line, second.title) == (2, "B")
    assert isinstance(third, Reference)
    assert (third.title, third.authors) == ("C open", ["D"])


@pytest.mark.parametrize(
    "text",
    [
        "% @misc{k, title = {T}}",
        "%@misc{k,\n%  title = {T},\n%}\n",
        "%@misc{k,\n title = {T}\n}\n",
        "@misc{k,\n% title = {T},\n% }\n",
    ],
)
def test_an_entry_commented_out_with_percent_is_a_reject(text: str) -> None:
    assert rejected(text).reason == "commented out with %"


def test_a_percent_sign_elsewhere_comments_nothing_out() -> None:
    assert one("% see 50% of @misc{k, title = {T}}").title == "T"


def test_macros_behind_percent_are_defined_as_bibtex_does() -> None:
    assert one("%@string{j = {Journal of\n%  Hands}}\n@article{k, journal = j}").venue == "Journal of Hands"


def test_entries_inside_comments_are_entries_as_in_bibtex() -> None:
    assert one("@comment{ @misc{k, title = {T}} }").title == "T"


def test_nothing_at_all_is_a_reject() -> None:
    assert rejected("\n\n@article{}").reason == "no key and no fields"
    assert rejected("\n\n@article{}").line == 3


def test_a_key_alone_is_a_reference() -> None:
    assert one("@article{smith99}").key == "smith99"


def test_addresses_in_prose_are_no_entries() -> None:
    assert read_all("write to me@example.org {please} or @ home") == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_encodings(encoding: str) -> None:
    assert one("@misc{k, title = {Naïve façade}}".encode(encoding)).title == "Naïve façade"


def test_lines_in_different_encodings() -> None:
    utf8 = "@misc{k, title = {été},\n".encode()
    assert one(utf8 + " note = {x}, author = {Müller – X}}".encode("cp1252")).authors == ["Müller – X"]
    assert one(utf8 + b"}").title == "été"


def test_raw_text_of_a_reject_is_cut() -> None:
    assert len(rejected("@misc{k, note = {" + "x" * 5000).raw) == 2000
