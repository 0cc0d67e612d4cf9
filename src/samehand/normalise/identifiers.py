"""Identifiers as people paste them, validated and in one spelling each; `None` where there is none.

Every function takes a bare identifier, one with its label ("doi: ...", "arXiv:...") or a web address that
contains it. A check digit that is wrong means that the identifier was mistyped: it is no evidence.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

_LONGEST = 4000
"""Nothing longer is an identifier; the bound keeps hostile fields cheap."""

_LATEX_ESCAPE = re.compile(r"\{?\\([_&%#$~{}])(?:\{\})?\}?|\$(_)\$")
_DOI = re.compile(r"(?<![\d.])10\.\d{4,9}(?:\.\d+)*/\S+", re.ASCII)
_DOI_PAGE = re.compile(r"https?://(?!(?:dx\.|www\.)?doi\.org)", re.IGNORECASE)
_PAGE_SUFFIX = re.compile(
    r"(?:/(?:abstract|full|fulltext|pdf|epdf|meta|html|summary)|\.pdf|[?#].*)+$", re.IGNORECASE
)
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}

_ARXIV_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|cs|"
    "dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|"
    "physics|plasm-ph|q-alg|q-bio|quant-ph|solv-int|supr-con"
)
_ARXIV = re.compile(
    r"(?:^|arxiv(?:\s+preprint|\s+e-prints?)?[\s.:/,]*|\babs/|\bpdf/)"
    r"(?:(?P<month>\d\d(?:0[1-9]|1[0-2]))\.(?P<number>\d{4,5})"
    rf"|(?P<archive>{_ARXIV_ARCHIVES})(?:\.[a-z]{{2}}|\.[a-z]+-[a-z]+)?/(?P<old>\d\d(?:0[1-9]|1[0-2])\d{{3}}))"
    r"(?:v\d+)?(?![\d/]|\.\d)",
    re.IGNORECASE | re.ASCII,
)
_PMID = re.compile(
    r"(?:(?:pmid|pubmed(?:\s+id)?)\s*:?\s*"
    r"|https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed|ncbi\.nlm\.nih\.gov/m/pubmed)/)?"
    r"0*([1-9]\d{0,7})[/.\s]*(?:[?#].*)?",
    re.IGNORECASE | re.ASCII,
)
_ISBN = re.compile(r"(?<!\d)((?:97[89][-\s‐-―]?)?(?:\d[-\s‐-―]?){9}[\dX])(?!\d)", re.IGNORECASE | re.ASCII)
_ORCID = re.compile(r"(?<![\dX])(\d{4})-?(\d{4})-?(\d{4})-?(\d{3}[\dX])(?!\d)", re.IGNORECASE | re.ASCII)
_NOT_ISBN_DIGIT = re.compile(r"[^\dX]", re.ASCII)


def doi(text: str) -> str | None:
    r"""The DOI in lower case, without resolver, label, LaTeX escapes or trailing punctuation.

    >>> doi(r"https://dx.doi.org/10.1007/978-3-540\_12.")
    '10.1007/978-3-540_12'
    >>> doi("doi:10.1002/(SICI)1097(1998)49:8<693::AID-ASI4>3.0.CO;2-O")
    '10.1002/(sici)1097(1998)49:8<693::aid-asi4>3.0.co;2-o'
    >>> doi("10.12/too-short") is None
    True
    """
    text = text[:_LONGEST]
    if "\\" in text or "$" in text:
        text = _LATEX_ESCAPE.sub(lambda match: match[1] or match[2], text)
    if "%" in text:
        text = unquote(text)
    found = _DOI.search(text)
    if found is None:
        return None
    name = found[0]
    if _DOI_PAGE.match(text):
        name = _PAGE_SUFFIX.sub("", name)
    name = _without_trailing_punctuation(name).lower()
    return name if not name.endswith("/") and name.partition("/")[2] else None


def _without_trailing_punctuation(name: str) -> str:
    """Drops sentence punctuation, and a closing bracket that was not opened inside the name."""
    while name:
        last = name[-1]
        unopened = last in _BRACKETS and name.count(last) > name.count(_BRACKETS[last])
        if last not in ".,;:'\"“”’\\" and not unopened:
            break
        name = name[:-1]
    return name


def arxiv(text: str) -> str | None:
    """The arXiv identifier, new or old style, without version and without subject class.

    New numbers have four digits up to December 2014 and five from January 2015 on.

    >>> arxiv("https://arxiv.org/pdf/1704.04368v2.pdf"), arxiv("arXiv:math.GT/0309136v1 [math.GT]")
    ('1704.04368', 'math/0309136')
    >>> arxiv("10.48550/arXiv.1704.04368"), arxiv("1704.4368"), arxiv("12.3456")
    ('1704.04368', None, None)
    """
    found = _ARXIV.search(text[:_LONGEST].strip())
    if found is None:
        return None
    if found["archive"]:
        return f"{found['archive'].lower()}/{found['old']}"
    digits = 5 if found["month"] >= "1501" else 4
    return f"{found['month']}.{found['number']}" if len(found["number"]) == digits else None


def pmid(text: str) -> str | None:
    """The PubMed number, one to eight digits without leading zeros.

    >>> pmid("PMID: 12345678"), pmid("https://pubmed.ncbi.nlm.nih.gov/123/"), pmid("PMC12345")
    ('12345678', '123', None)
    """
    found = _PMID.fullmatch(text[:_LONGEST].strip())
    return found[1] if found else None


def isbn(text: str) -> str | None:
    """The first ISBN whose check digit is right, as 13 digits.

    ISBN-10: sum of (10 - i) * digit_i is 0 modulo 11; ISBN-13: digits weighted 1, 3, 1, 3, ... sum to 0
    modulo 10.

    >>> isbn("ISBN 0-306-40615-2 (pbk.)"), isbn("978-0-306-40615-7"), isbn("0-306-40615-3")
    ('9780306406157', '9780306406157', None)
    """
    for candidate in _ISBN.findall(text[:_LONGEST]):
        digits = _NOT_ISBN_DIGIT.sub("", candidate.upper())
        if len(digits) == 10 and _isbn10_is_valid(digits):
            return "978" + digits[:9] + _isbn13_check("978" + digits[:9])
        if len(digits) == 13 and digits[12] == _isbn13_check(digits[:12]):
            return digits
    return None


def _isbn10_is_valid(digits: str) -> bool:
    values = [10 if digit == "X" else int(digit) for digit in digits]
    return sum((10 - place) * value for place, value in enumerate(values)) % 11 == 0


def _isbn13_check(digits: str) -> str:
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return str(-total % 10)


def orcid(text: str) -> str | None:
    """The ORCID in groups of four, if its check character (ISO 7064, MOD 11-2) is right.

    >>> orcid("https://orcid.org/0000-0002-1825-0097"), orcid("0000-0002-1825-0098")
    ('0000-0002-1825-0097', None)
    """
    found = _ORCID.search(text[:_LONGEST])
    if found is None:
        return None
    digits = "".join(found.groups()).upper()
    total = 0
    for digit in digits[:15]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return "-".join(found.groups()).upper() if digits[15] == "0123456789X"[check] else None
