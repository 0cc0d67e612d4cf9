"""PubMed XML."""

from __future__ import annotations

import io

from samehand.read.medline import read
from samehand.records import Reject

ARTICLE = """<PubmedArticle><MedlineCitation><PMID Version="1">123</PMID><Article>
<Journal><JournalIssue><Volume>3</Volume><Issue>2</Issue><PubDate>{date}</PubDate></JournalIssue>
<Title>Journal of Hands</Title><ISOAbbreviation>J Hands</ISOAbbreviation></Journal>
<ArticleTitle>{title}</ArticleTitle><Pagination><MedlinePgn>12-34</MedlinePgn></Pagination>
<AuthorList CompleteYN="{complete}">{authors}</AuthorList><VernacularTitle>Von H&auml;nden</VernacularTitle>
</Article><MeshHeadingList><MeshHeading><DescriptorName>Hand</DescriptorName></MeshHeading></MeshHeadingList>
</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="doi">10.1000/ABC</ArticleId></ArticleIdList>
<ReferenceList><Reference>
<ArticleIdList><ArticleId IdType="doi">10.1000/other</ArticleId></ArticleIdList></Reference>
</ReferenceList></PubmedData></PubmedArticle>"""


def article(title="On Hands", date="<Year>2003</Year>", complete="Y", authors=""):
    return ARTICLE.format(title=title, date=date, complete=complete, authors=authors)


def records(*articles: str):
    document = "<PubmedArticleSet>" + "".join(articles) + "</PubmedArticleSet>"
    return list(read(io.BytesIO(document.encode()), "pubmed.xml"))


def test_the_fields_of_an_article():
    [record] = records(article())
    assert (record.id, record.pmid, record.doi) == ("123", "123", "10.1000/abc")
    assert (record.title, record.venue, record.year) == ("On Hands", "Journal of Hands", 2003)
    assert (record.volume, record.number, record.pages, record.keywords) == ("3", "2", "12-34", ["Hand"])


def test_names():
    people = (
        "<Author><LastName>van Berg</LastName><ForeName>Jan P</ForeName>"
        "<Initials>JP</Initials><Suffix>Jr</Suffix>"
        "<Identifier Source='ORCID'>https://orcid.org/0000-0002-1825-0097</Identifier>"
        "<AffiliationInfo><Affiliation>MIT</Affiliation></AffiliationInfo></Author>"
        "<Author><LastName>Ek</LastName><Initials>BC</Initials></Author>"
        "<Author><CollectiveName>Hand Group</CollectiveName></Author>"
    )
    [record] = records(article(authors=people, complete="N"))
    assert record.authors == ["van Berg, Jr, Jan P", "Ek, B C", "{Hand Group}"]
    assert record.orcids == ["0000-0002-1825-0097", "", ""]
    assert record.affiliations == ["MIT", "", ""]
    assert record.truncated


def test_titles_with_markup_translated_or_missing():
    titles = [
        record.title for record in records(article("On <i>H</i>ands"), article("[On Hands]."), article(""))
    ]
    assert titles == ["On Hands", "On Hands", "Von Händen"]


def test_dates_in_words():
    [record] = records(article(date="<MedlineDate>2003 Nov-Dec</MedlineDate>"))
    assert record.year == 2003


def test_a_bare_citation_a_book_and_deletions():
    citation = (
        "<MedlineCitation><PMID>5</PMID><Article><ArticleTitle>X</ArticleTitle></Article></MedlineCitation>"
    )
    book = (
        "<PubmedBookArticle><BookDocument><PMID>6</PMID><Book><BookTitle>Hands</BookTitle>"
        "<PubDate><Year>1999</Year></PubDate>"
        "<AuthorList Type='editors'>"
        "<Author><LastName>Oz</LastName><ForeName>Cy</ForeName></Author></AuthorList></Book>"
        "<ArticleTitle>Thumbs</ArticleTitle></BookDocument></PubmedBookArticle>"
    )
    deleted = "<DeleteCitation><PMID>7</PMID><PMID>8</PMID></DeleteCitation>"
    first, second, third = records(citation, book, deleted)
    assert first.id == "5"
    assert (second.title, second.venue, second.year, second.editors) == ("Thumbs", "Hands", 1999, ["Oz, Cy"])
    assert isinstance(third, Reject)
    assert "deleted" in third.reason


def test_what_came_before_an_error_is_kept_and_the_error_has_its_line():
    document = (
        "<PubmedArticleSet>\n" + article().replace("\n", "") + "\n" + "<PubmedArticle><oops></PubmedArticle>"
    )
    first, second = read(io.BytesIO(document.encode()), "pubmed.xml")
    assert first.title == "On Hands"
    assert isinstance(second, Reject)
    assert second.line == 3


def test_an_article_without_content_is_rejected():
    [record] = records("<PubmedArticle><MedlineCitation><PMID>1</PMID></MedlineCitation></PubmedArticle>")
    assert isinstance(record, Reject)
