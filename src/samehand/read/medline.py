"""PubMed / MEDLINE XML: PubmedArticle, a bare MedlineCitation, and PubmedBookArticle.

A DeleteCitation names records to be deleted, not publications: it becomes a reject that says so. Where the
file is malformed, what was read before is kept and the rest becomes one reject.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import orjson
from lxml import etree

from samehand.normalise import identifiers
from samehand.read.values import clean, doi_of, joined_name, literal, pages_of, rejected, year_of
from samehand.read.xml_stream import Document, elements, text_content
from samehand.records import Reference, Reject

RECORDS = frozenset(("PubmedArticle", "MedlineCitation", "PubmedBookArticle", "DeleteCitation"))

TYPES = {
    "Preprint": "preprint", "Technical Report": "techreport", "Academic Dissertation": "thesis",
    "Congress": "proceedings",
}  # fmt: skip
"""Publication types that make a record something else than a journal article."""


def read(stream: BinaryIO, source: str) -> Iterator[Reference | Reject]:
    """The citations of a PubMed file.

    >>> import io
    >>> text = b"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article>" \\
    ...        b"<ArticleTitle>On <i>Hands</i></ArticleTitle></Article></MedlineCitation></PubmedArticle>" \\
    ...        b"</PubmedArticleSet>"
    >>> [record] = read(io.BytesIO(text), "pubmed.xml")
    >>> record.id, record.title
    ('7', 'On Hands')
    """
    document = Document(stream, source)
    last_line = document.line
    try:
        for line, element in elements(document, RECORDS):
            yield _record(source, line, element)
            last_line = line
    except etree.XMLSyntaxError as error:
        reason = f"malformed XML, the rest was not read: {error.msg}"
        yield rejected(source, document.line + (error.lineno or last_line) - 1, reason, "")


def _record(source: str, line: int, element: etree._Element) -> Reference | Reject:
    raw = etree.tostring(element, encoding="unicode", with_tail=False)
    if element.tag == "DeleteCitation":
        return rejected(source, line, "list of deleted citations, not a publication", raw)
    if element.tag == "PubmedBookArticle":
        book = element.find("BookDocument")
        return rejected(source, line, "no BookDocument", raw) if book is None else _book(source, line, book)
    citation = element if element.tag == "MedlineCitation" else element.find("MedlineCitation")
    article = citation.find("Article") if citation is not None else None
    if article is None:
        return rejected(source, line, "no MedlineCitation/Article", raw)
    return _article(source, line, element, citation, article)


def _article(
    source: str, line: int, element: etree._Element, citation: etree._Element, article: etree._Element
) -> Reference:
    pmid = _text(citation, "PMID")
    people = _people(article, "AuthorList")
    venue = _text(article, "Journal/Title") or _text(article, "Journal/ISOAbbreviation")
    record = Reference(
        source,
        line,
        id=pmid,
        key=pmid,
        type=_type(article),
        title=_title(article),
        authors=[name for name, _, _ in people],
        truncated=_is_incomplete(article),
        venue=venue or _text(citation, "MedlineJournalInfo/MedlineTA"),
        year=_year(article.find("Journal/JournalIssue/PubDate")) or _year(article.find("ArticleDate")),
        volume=_text(article, "Journal/JournalIssue/Volume"),
        number=_text(article, "Journal/JournalIssue/Issue"),
        pages=_pages(article),
        doi=_doi(element, article),
        pmid=identifiers.pmid(pmid or ""),
        affiliations=_or_none_at_all([affiliation for _, affiliation, _ in people]),
        orcids=_or_none_at_all([orcid for _, _, orcid in people]),
        keywords=_texts(citation, "MeshHeadingList/MeshHeading/DescriptorName")
        + _texts(citation, "KeywordList/Keyword"),
    )
    record.fields = _fields(record, {"ISOAbbreviation": _text(article, "Journal/ISOAbbreviation")})
    return record


def _book(source: str, line: int, book: etree._Element) -> Reference:
    pmid = _text(book, "PMID")
    chapter = _text(book, "ArticleTitle")
    people = _people(book, "AuthorList") or _people(book, "Book/AuthorList")
    record = Reference(
        source,
        line,
        id=pmid,
        key=pmid,
        type="incollection" if chapter else "book",
        title=chapter or _text(book, "Book/BookTitle"),
        authors=[name for name, _, _ in people],
        editors=[name for name, _, _ in _people(book, "Book/AuthorList", "editors")],
        venue=_text(book, "Book/BookTitle") if chapter else None,
        year=_year(book.find("Book/PubDate")),
        volume=_text(book, "Book/Volume"),
        pages=pages_of(_text(book, "Pagination/MedlinePgn")),
        publisher=_text(book, "Book/Publisher/PublisherName"),
        doi=next((doi for text in _texts(book, "ArticleIdList/ArticleId") if (doi := doi_of(text))), None),
        pmid=identifiers.pmid(pmid or ""),
        isbn=identifiers.isbn(_text(book, "Book/Isbn") or ""),
        affiliations=_or_none_at_all([affiliation for _, affiliation, _ in people]),
        orcids=_or_none_at_all([orcid for _, _, orcid in people]),
    )
    record.fields = _fields(record, {})
    return record


def _text(element: etree._Element, path: str) -> str | None:
    text = text_content(element.find(path))
    return clean(text) if text else None


def _texts(element: etree._Element, path: str) -> list[str]:
    return [text for found in element.findall(path) if (text := text_content(found))]


def _title(article: etree._Element) -> str | None:
    """The English title, without the brackets that mark a translation; else the vernacular one."""
    title = _text(article, "ArticleTitle")
    if title and title.startswith("[") and title.rstrip(".").endswith("]"):
        title = title.rstrip(".")[1:-1].strip() or None
    return title or _text(article, "VernacularTitle")


def _people(element: etree._Element, path: str, kind: str | None = None) -> list[tuple[str, str, str]]:
    """(name, affiliations, ORCID) of each author with a name; `kind` picks lists of that Type only."""
    lists = [found for found in element.findall(path) if kind is None or found.get("Type") == kind]
    if kind is None:
        lists = [found for found in lists if found.get("Type") in (None, "authors")]
    authors = [author for found in lists for author in found.findall("Author")]
    return [
        (name, "; ".join(_texts(author, "AffiliationInfo/Affiliation")), _orcid(author))
        for author in authors
        if (name := _name(author))
    ]


def _name(author: etree._Element) -> str | None:
    group = _text(author, "CollectiveName")
    if group:
        return literal(group)
    given = _text(author, "ForeName") or _spaced(_text(author, "Initials"))
    return joined_name(_text(author, "LastName"), given, _text(author, "Suffix"))


def _spaced(initials: str | None) -> str | None:
    """Initials as MEDLINE runs them together, with spaces: "JR" is "J R"."""
    return " ".join(initials) if initials and initials.isalpha() and initials.isupper() else initials


def _orcid(author: etree._Element) -> str:
    found = [node.text or "" for node in author.findall("Identifier") if node.get("Source") == "ORCID"]
    return next((orcid for text in found if (orcid := identifiers.orcid(text))), "")


def _is_incomplete(article: etree._Element) -> bool:
    authors = article.find("AuthorList")
    return authors is not None and authors.get("CompleteYN") == "N"


def _year(date: etree._Element | None) -> int | None:
    if date is None:
        return None
    return year_of(_text(date, "Year")) or year_of(_text(date, "MedlineDate"))


def _pages(article: etree._Element) -> str | None:
    return pages_of(_text(article, "Pagination/MedlinePgn") or _text(article, "Pagination/StartPage"))


def _doi(element: etree._Element, article: etree._Element) -> str | None:
    """The DOI of the article itself; the ids of its reference list stand elsewhere."""
    found = article.findall("ELocationID[@EIdType='doi']")
    found += element.findall("PubmedData/ArticleIdList/ArticleId[@IdType='doi']")
    return next((doi for node in found if (doi := doi_of(node.text))), None)


def _type(article: etree._Element) -> str:
    kinds = _texts(article, "PublicationTypeList/PublicationType")
    return next((TYPES[kind] for kind in kinds if kind in TYPES), "article")


def _fields(record: Reference, more: dict[str, str | None]) -> str:
    """What the source said, as one flat object: XML trees are too bulky to carry along."""
    shown = ("type", "title", "authors", "venue", "year", "volume", "number", "pages", "doi", "pmid")
    values = {name: getattr(record, name) for name in shown} | more
    return orjson.dumps({name: value for name, value in values.items() if value}).decode()


def _or_none_at_all(values: list[str]) -> list[str]:
    return values if any(values) else []
