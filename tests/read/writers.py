"""Small writers, one per format, for round trips: references as dictionaries in, bytes of the format out.

They share nothing with the readers, so that a mistake in one is not a mistake in both.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import polars as pl
from hypothesis import strategies as st

from samehand.records import Reference, Reject

LETTERS = st.characters(whitelist_categories=("Lu", "Ll", "Lo"), max_codepoint=0x2FFF)
WORD = st.text(LETTERS, min_size=1, max_size=8)
PHRASE = st.lists(WORD, min_size=1, max_size=5).map(" ".join)
MARKED_PHRASE = st.lists(
    WORD | st.sampled_from(["&", "x<y", "a>b", '"q"', "x,y", "é;è", "#1"]), min_size=1, max_size=5
).map(lambda words: "T" + " ".join(words))
NAME = st.tuples(WORD, WORD).map(lambda pair: f"{pair[0]}, {pair[1]}")
PAPER = st.fixed_dictionaries(
    {
        "title": MARKED_PHRASE,
        "authors": st.lists(NAME, min_size=1, max_size=4),
        "venue": MARKED_PHRASE,
        "year": st.integers(1800, 2030),
        "volume": st.integers(1, 400).map(str),
        "pages": st.tuples(st.integers(1, 400), st.integers(401, 999)).map(
            lambda pair: f"{pair[0]}-{pair[1]}"
        ),
        "doi": st.integers(1, 10**9).map(lambda number: f"10.1000/x{number}"),
    }
)
PAPERS = st.lists(PAPER, min_size=1, max_size=5)
Paper = dict[str, Any]


def ris(papers: list[Paper]) -> bytes:
    lines = []
    for paper in papers:
        first, last = paper["pages"].split("-")
        lines += ["TY  - JOUR", f"TI  - {paper['title']}"]
        lines += [f"AU  - {name}" for name in paper["authors"]]
        lines += [f"JO  - {paper['venue']}", f"PY  - {paper['year']}", f"VL  - {paper['volume']}"]
        lines += [f"SP  - {first}", f"EP  - {last}", f"DO  - {paper['doi']}", "ER  - ", ""]
    return "\r\n".join(lines).encode()


def _family_given(name: str) -> Paper:
    family, given = name.split(", ")
    return {"family": family, "given": given}


def csl(papers: list[Paper]) -> bytes:
    items = [
        {
            "id": f"item-{number}",
            "type": "article-journal",
            "title": paper["title"],
            "author": [_family_given(name) for name in paper["authors"]],
            "container-title": paper["venue"],
            "issued": {"date-parts": [[paper["year"], 2]]},
            "volume": paper["volume"],
            "page": paper["pages"].replace("-", "–"),
            "DOI": paper["doi"].upper(),
        }
        for number, paper in enumerate(papers)
    ]
    return json.dumps(items, indent=1).encode()


def crossref(papers: list[Paper]) -> bytes:
    items = [
        {
            "type": "journal-article",
            "title": [paper["title"]],
            "author": [_family_given(name) for name in paper["authors"]],
            "container-title": [paper["venue"]],
            "issued": {"date-parts": [[paper["year"]]]},
            "volume": paper["volume"],
            "page": paper["pages"],
            "DOI": paper["doi"],
            "reference-count": 3,
        }
        for paper in papers
    ]
    return json.dumps(
        {"status": "ok", "message": {"total-results": 2, "items": items, "query": {"a": 1}}}
    ).encode()


def openalex(papers: list[Paper]) -> bytes:
    works = [
        {
            "id": f"https://openalex.org/W{number}",
            "display_name": paper["title"],
            "authorships": [{"raw_author_name": name, "author": {}} for name in paper["authors"]],
            "primary_location": {"source": {"display_name": paper["venue"]}},
            "publication_year": paper["year"],
            "biblio": dict(zip(("first_page", "last_page"), paper["pages"].split("-"), strict=True))
            | {"volume": paper["volume"]},
            "doi": "https://doi.org/" + paper["doi"],
            "type": "article",
        }
        for number, paper in enumerate(papers)
    ]
    return json.dumps({"meta": {"count": len(works)}, "results": works, "group_by": []}).encode()


def dblp(papers: list[Paper]) -> bytes:
    body = []
    for number, paper in enumerate(papers):
        people = "".join(f"<author>{escape(name)}</author>" for name in paper["authors"])
        body.append(
            f"<article mdate='2020-01-01' key={quoteattr(f'journals/x/{number}')}>\n{people}\n"
            f"<title>{escape(paper['title'])}</title><journal>{escape(paper['venue'])}</journal>"
            f"<year>{paper['year']}</year><volume>{paper['volume']}</volume><pages>{paper['pages']}</pages>"
            f"<ee>https://doi.org/{paper['doi']}</ee></article>"
        )
    return ('<?xml version="1.0" encoding="UTF-8"?>\n<dblp>\n' + "\n".join(body) + "\n</dblp>\n").encode()


def medline(papers: list[Paper]) -> bytes:
    body = []
    for number, paper in enumerate(papers):
        people = "".join(
            f"<Author><LastName>{family}</LastName><ForeName>{given}</ForeName></Author>"
            for family, given in (name.split(", ") for name in paper["authors"])
        )
        body.append(
            f"<PubmedArticle><MedlineCitation><PMID>{number + 1}</PMID><Article><Journal><JournalIssue>"
            f"<Volume>{paper['volume']}</Volume>"
            f"<PubDate><Year>{paper['year']}</Year></PubDate></JournalIssue>"
            f"<Title>{escape(paper['venue'])}</Title></Journal>"
            f"<ArticleTitle>{escape(paper['title'])}</ArticleTitle>"
            f"<Pagination><MedlinePgn>{paper['pages']}</MedlinePgn></Pagination>"
            f"<AuthorList>{people}</AuthorList>"
            f"<ELocationID EIdType='doi'>{paper['doi']}</ELocationID>"
            f"</Article></MedlineCitation></PubmedArticle>"
        )
    return ("<PubmedArticleSet>" + "".join(body) + "</PubmedArticleSet>").encode()


def jsonl(papers: list[Paper]) -> bytes:
    return "".join(json.dumps(paper, ensure_ascii=False) + "\n" for paper in papers).encode()


def csv_table(papers: list[Paper]) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=";")
    columns = list(papers[0])
    writer.writerow(columns)
    for paper in papers:
        cells = [paper[column] for column in columns]
        writer.writerow([json.dumps(cell) if isinstance(cell, list) else cell for cell in cells])
    return file.getvalue().encode()


def parquet(papers: list[Paper]) -> bytes:
    import polars as pl

    file = io.BytesIO()
    pl.DataFrame(papers).write_parquet(file)
    return file.getvalue()


def expanded(found: Iterable[Reference | Reject | pl.DataFrame]) -> list[Reference | Reject]:
    """What a reader yields, with every frame taken apart into records, in the order of the lines."""
    records: list[Reference | Reject] = []
    for one in found:
        if isinstance(one, pl.DataFrame):
            records += [Reference(**row) for row in one.iter_rows(named=True)]
        else:
            records.append(one)
    return sorted(records, key=lambda record: record.line)
