import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from samehand.normalise.coauthors import FIRST_COAUTHORS
from samehand.normalise.mentions import (
    AUTHORS,
    PAPERS,
    VENUES,
    author_mentions,
    paper_mentions,
    venue_mentions,
)
from samehand.normalise.names import parse_name
from samehand.records import Reference, references_frame


def references(*records):
    return references_frame(list(records))


PAPER = Reference(
    "a.bib",
    1,
    id="a:1",
    key="one",
    title="On Hands: A Survey",
    authors=["Jan {van der Berg}", "O'Hara, J.-P.", "{Hand Group}", "王伟", "Lee, Kim R., Jr."],
    orcids=["0000-0002-1825-0097", "", "", "", ""],
    affiliations=["", "Handville", "", "", ""],
    venue="The Journal of Hands",
    year=1994,
    doi="10.1000/x",
)
MENTION = Reference(
    "m.csv",
    2,
    id="m1",
    scope="author",
    authors=["Kim Lee", "Ada Dam", "K. Lee", "Kit Lee"],
    focus=0,
    block="k lee",
)
VENUE = Reference("v.csv", 2, id="v1", scope="venue", venue="J. Hands", title="Thumbs")
CITATION = Reference("c.txt", 3, id="c1", scope="citation", text="Dam, A. (1994). Thumbs.")
ALL = references(PAPER, MENTION, VENUE, CITATION)


@pytest.mark.parametrize("table", [ALL, references(), references(Reference("x", 1, id="x"))])
def test_tables_have_their_schemas(table):
    assert author_mentions(table).schema == AUTHORS
    assert paper_mentions(table).schema == PAPERS
    assert venue_mentions(table).schema == VENUES


def test_identifiers_follow_the_scope():
    assert paper_mentions(ALL)["id"].to_list() == ["a:1", "c1"]
    assert author_mentions(ALL)["id"].to_list() == [f"a:1/author/{n}" for n in range(1, 6)] + ["m1"]
    assert venue_mentions(ALL)["id"].to_list() == ["a:1/venue", "v1"]


def test_authors_are_folded_and_blocked():
    columns = ("name", "first", "middle", "last", "suffix", "initial", "literal", "block")
    assert author_mentions(references(PAPER)).select(columns).rows() == [
        ("Jan van der Berg", "jan", "", "van der berg", "", "j", False, "j vanderberg"),
        ("O'Hara, J.-P.", "j-p", "", "ohara", "", "j", False, "j ohara"),
        ("Hand Group", "", "", "hand group", "", "", True, "= hand group"),
        ("王伟", "wei", "", "wang", "", "w", False, "w wang"),
        ("Lee, Kim R., Jr.", "kim", "r", "lee", "jr", "k", False, "k lee"),
    ]


def test_lists_beside_the_authors_stay_with_them():
    authors = author_mentions(ALL)
    assert authors["orcid"].to_list() == ["0000-0002-1825-0097", None, None, None, None, None]
    assert authors["affiliation"].to_list() == [None, "Handville", None, None, None, None]
    assert authors["given_block"].to_list() == [None] * 5 + ["k lee"]
    assert authors["slot"].to_list() == [0, 1, 2, 3, 4, 0]


def test_coauthors_are_the_others():
    keys = ["j vanderberg", "j ohara", "= hand group", "w wang", "k lee"]
    expected = [keys[:i] + keys[i + 1 :] for i in range(5)]
    assert author_mentions(references(PAPER))["coauthors"].to_list() == expected


def test_an_author_is_dropped_from_his_own_coauthors():
    """ "K. Lee" may be Kim Lee himself, "Kit Lee" is somebody else with the same key."""
    assert author_mentions(references(MENTION))["coauthors"].to_list() == [["a dam", "k lee"]]


def test_a_sole_author_has_no_coauthors():
    assert author_mentions(references(Reference("x", 1, id="x", authors=["Ada"])))["coauthors"].to_list() == [
        []
    ]


def test_empty_places_in_a_list_are_no_mentions_but_count():
    table = references(Reference("x", 1, id="x", authors=["Ada Dam", " ", "Kim Lee"], orcids=["", "", "o"]))
    authors = author_mentions(table).select("id", "coauthors", "orcid").rows()
    assert authors == [("x/author/1", ["k lee"], None), ("x/author/3", ["a dam"], "o")]


def test_nameless_author_rows_are_mentions_in_blocks_of_their_own():
    rows = [
        Reference("x", n, id=f"x{n}", scope="author", authors=a, focus=0) for n, a in enumerate(([], [""]))
    ]
    authors = author_mentions(references(*rows))
    assert authors.select("id", "name", "block").rows() == [("x0", "", "= x0"), ("x1", "", "= x1")]


def test_very_long_author_lists_keep_the_first_coauthors():
    lasts = [f"Dam{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(300)]
    names = [f"Ada {last}" for last in lasts]
    coauthors = author_mentions(references(Reference("x", 1, id="x", authors=names)))["coauthors"]
    assert coauthors.list.len().to_list() == [FIRST_COAUTHORS] * 300
    assert coauthors[299].to_list() == [f"a {last.lower()}" for last in lasts[:FIRST_COAUTHORS]]


def test_papers():
    columns = ("name", "title_tokens", "title_key", "first_author", "authors_count", "year", "doi", "scope")
    assert paper_mentions(ALL).select(columns).rows() == [
        (
            "On Hands: A Survey",
            ["on", "hands", "a", "survey"],
            "on hands a survey",
            "van der berg",
            5,
            1994,
            "10.1000/x",
            "reference",
        ),
        (
            "Dam, A. (1994). Thumbs.",
            ["dam", "a", "1994", "thumbs"],
            "dam a 1994 thumbs",
            None,
            0,
            None,
            None,
            "citation",
        ),
    ]


def test_papers_without_a_title_have_a_name_all_the_same():
    table = references(
        Reference("x", 1, id="x:1", key="k1", text="raw", title=" "),
        Reference("x", 2, id="x:2", key="k2"),
        Reference("x", 3, id="x:3"),
    )
    papers = paper_mentions(table)
    assert papers["name"].to_list() == ["raw", "k2", "x:3"]
    assert papers["title_key"].to_list() == ["", "", ""]


def test_venues():
    columns = ("reference", "name", "tokens", "key", "title_key", "year")
    assert venue_mentions(ALL).select(columns).rows() == [
        ("a:1", "The Journal of Hands", ["journal", "hands"], "journal hands", "on hands a survey", 1994),
        ("v1", "J. Hands", ["j", "hands"], "j hands", "thumbs", None),
    ]


def test_blank_venues_are_no_mentions():
    assert venue_mentions(references(Reference("x", 1, id="x", venue="  "))).height == 0


records = st.builds(
    Reference,
    source=st.just("x"),
    line=st.just(1),
    scope=st.sampled_from(["reference", "citation"]),
    title=st.one_of(st.none(), st.text(max_size=10)),
    authors=st.lists(st.text(max_size=8), max_size=4),
    venue=st.one_of(st.none(), st.text(max_size=10)),
    text=st.one_of(st.none(), st.text(max_size=10)),
)


def stripped(name: str) -> str:
    """Without white space as Unicode has it; Python strips separators of information (U+001C to U+001F) besides."""
    return str(pl.Series([name]).str.strip_chars()[0])


@settings(max_examples=30)
@example([Reference("x", 1, authors=["\x1f"])])
@given(st.lists(records, max_size=6))
def test_nothing_vanishes(written):
    """Every reference is a paper, every written name an author, in their order, under unique ids."""
    for number, record in enumerate(written):
        record.id = f"x:{number}"
    table = references(*written)
    assert paper_mentions(table)["id"].to_list() == [record.id for record in written]
    names = [
        (record.id, slot, parse_name(stripped(name)).literal)
        for record in written
        if record.scope == "reference"
        for slot, name in enumerate(record.authors)
        if stripped(name)
    ]
    authors = author_mentions(table)
    assert authors.select("reference", "slot", "literal").rows() == names
    assert authors["block"].null_count() == 0
    ids = pl.concat([author_mentions(table)["id"], paper_mentions(table)["id"], venue_mentions(table)["id"]])
    assert ids.is_unique().all()
