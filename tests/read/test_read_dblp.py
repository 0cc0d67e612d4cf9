"""DBLP XML: entities, markup, homonym numbers; and the fast way against the tree."""

from __future__ import annotations

import io
import os
from pathlib import Path

import polars as pl
import pytest

from samehand.read import dblp
from samehand.records import Reference, Reject

RECORD = '<article key="journals/x/1" mdate="x"><author>Ann Lee</author><title>On Hands.</title></article>'


def in_order(content: bytes):
    """The references and rejects of a file in the order of lines, each row of a table as a reference."""
    found = []
    for item in dblp.read(io.BytesIO(content), "dblp.xml"):
        if isinstance(item, pl.DataFrame):
            found += [Reference(**row) for row in item.rows(named=True)]
        else:
            found.append(item)
    return sorted(found, key=lambda record: record.line)


def records(body: str, prolog: str = "", encoding: str = "utf-8"):
    return in_order(f"{prolog}<dblp>{body}</dblp>".encode(encoding))


def test_named_entities_become_their_characters():
    [record] = records(
        "<book key='b'><author>J&uuml;rgen &Aring;s</author>"
        "<title>A &amp; B &#8211; &#xe9; &bogus;</title></book>"
    )
    assert record.authors == ["Jürgen Ås"]
    assert record.title == "A & B – é &bogus;"


def test_the_declared_encoding_counts_and_the_doctype_is_never_fetched():
    prolog = (
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "http://127.0.0.1:9/dblp.dtd">\n'
    )
    [record] = records("\n<book key='b'><author>J\xfcrgen</author></book>", prolog, "latin-1")
    assert (record.authors, record.line) == (["Jürgen"], 4)


def test_homonym_numbers_leave_the_name_but_stay_in_fields():
    [record] = records("<article key='a'><author>Wei Wang 0001</author><author>R2 D2</author></article>")
    assert record.authors == ["Wei Wang", "R2 D2"]
    assert "Wei Wang 0001" in record.fields


def test_markup_in_titles_is_flattened():
    [record] = records(
        "<article key='a'><title>On H<sub>2</sub>O and <i>x<sup>2</sup></i>.</title></article>"
    )
    assert record.title == "On H2O and x2."


def test_orcids_stand_beside_their_authors():
    [record] = records(
        "<article key='a'><author orcid='0000-0002-1825-0097'>A B</author><author>C D</author></article>"
    )
    assert record.orcids == ["0000-0002-1825-0097", ""]


def test_links_give_the_doi_and_crossref_the_parent():
    [record] = records(
        "<inproceedings key='conf/x/L'><title>X.</title><booktitle>CGO</booktitle><pages>1-9</pages>"
        "<year>2003</year>"
        "<crossref>conf/x/2003</crossref><ee>http://x.org</ee>"
        "<ee>https://doi.org/10.1109/CGO.1</ee></inproceedings>"
    )
    assert (record.doi, record.crossref, record.url) == ("10.1109/cgo.1", "conf/x/2003", "http://x.org")
    assert (record.venue, record.year, record.pages, record.type) == ("CGO", 2003, "1-9", "inproceedings")


@pytest.mark.parametrize(
    "person",
    [
        "<www key='homepages/1/2'><author>A</author><title>Home Page</title></www>",
        "<person key='p'><author>A</author></person>",
    ],
)
def test_person_records_are_rejects(person):
    first, second = records(person + RECORD)
    assert isinstance(first, Reject)
    assert "not a publication" in first.reason
    assert second.id == "journals/x/1"


def test_lines_are_counted():
    found = records("\n" + "\n\n".join([RECORD, RECORD.replace("<title>", "\n<title>"), RECORD]))
    assert [record.line for record in found] == [2, 4, 7]


@pytest.mark.parametrize(
    "strange", ["<!-- a comment -->", "<![CDATA[ x ]]>", "<?php x ?>", "<other><x/></other>"]
)
def test_anything_unusual_between_records_changes_nothing_else(strange):
    found = records(RECORD + "\n" + strange + "\n" + RECORD)
    assert [record.title for record in found] == ["On Hands."] * 2
    assert found[1].line == 3


@pytest.mark.parametrize(
    "broken", ["<article key='b'><title>Never closed", "<title>", "</article>", "<article><a></b></article>"]
)
def test_what_came_before_an_error_is_kept_and_the_rest_is_one_reject(broken):
    found = records(RECORD + "\n" + broken)
    assert found[0].title == "On Hands."
    assert isinstance(found[-1], Reject)
    assert "malformed XML" in found[-1].reason


def test_bytes_of_another_encoding_cost_one_record_only():
    bad = RECORD.encode().replace(b"Ann", b"\xff\xfe")
    content = b"<dblp>" + b"\n".join([RECORD.encode(), bad, RECORD.encode()]) + b"</dblp>"
    found = in_order(content)
    assert [isinstance(record, Reject) for record in found] == [False, True, False]


def _both_ways(content: bytes):
    fast = in_order(content)
    at = content.index(b"<dblp>") + len(b"<dblp>")
    tree = in_order(content[:at] + b"<!-- by lxml -->" + content[at:])
    return fast, tree


def test_the_fast_way_equals_the_tree():
    body = "\n".join(
        [
            RECORD,
            RECORD.replace("Lee", "L&eacute;e &amp; &#233;  x\n y"),
            "<www key='w'><title> T </title><ee>u</ee></www>",
        ]
    )
    fast, tree = _both_ways(f"<dblp>{body}</dblp>".encode())
    assert fast == tree
    assert len(fast) == 3


@pytest.mark.data
@pytest.mark.parametrize("name", ["dblp-sample.xml", "dblp-sample2.xml.gz"])
def test_the_fast_way_equals_the_tree_on_real_files(name):
    if "SAMEHAND_DATA" not in os.environ:
        pytest.skip("SAMEHAND_DATA is not set; it names the folder of labelled sets")
    from samehand.read.open import open_stream

    fast, tree = _both_ways(open_stream(str(Path(os.environ["SAMEHAND_DATA"], "formats", name))).read())
    assert fast == tree
    assert len(fast) > 1000
