import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand.normalise import identifiers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10.1145/1234.5678", "10.1145/1234.5678"),
        ("https://doi.org/10.1145/1234.5678", "10.1145/1234.5678"),
        ("http://dx.doi.org/10.1145/1234.5678.", "10.1145/1234.5678"),
        ("doi: 10.1145/ABC", "10.1145/abc"),
        ("DOI:10.1145/ABC,", "10.1145/abc"),
        ("doi10.1145/ABC", "10.1145/abc"),
        (r"10.1007/978-3-540\_12", "10.1007/978-3-540_12"),
        (r"10.1007/a{\_}b", "10.1007/a_b"),
        ("10.1007/a$_$b", "10.1007/a_b"),
        ("https://doi.org/10.1007%2Fabc", "10.1007/abc"),
        ("(10.1000/xyz)", "10.1000/xyz"),
        ("10.1016/S0004-3702(99)00052-1", "10.1016/s0004-3702(99)00052-1"),
        ("10.1016/0004-3702(99)", "10.1016/0004-3702(99)"),
        ("https://dl.acm.org/doi/10.1145/1234.5678?download=true", "10.1145/1234.5678"),
        ("https://onlinelibrary.wiley.com/doi/10.1002/abc/full", "10.1002/abc"),
        ("https://doi.org/10.1002/abc/full", "10.1002/abc/full"),
        ("10.1000.10/abc", "10.1000.10/abc"),
        ("10.12/abc", None),
        ("110.1145/abc", None),
        ("10.1145/", None),
        ("10.1145/.", None),
        ("", None),
        ("to appear", None),
    ],
)
def test_doi(text, expected):
    assert identifiers.doi(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1704.04368", "1704.04368"),
        ("1704.04368v3", "1704.04368"),
        ("arXiv:1704.04368 [cs.CL]", "1704.04368"),
        ("arXiv preprint arXiv:1412.6980", "1412.6980"),
        ("CoRR abs/1704.04368", "1704.04368"),
        ("http://arxiv.org/pdf/1704.04368v1.pdf", "1704.04368"),
        ("https://doi.org/10.48550/arXiv.1704.04368", "1704.04368"),
        ("hep-th/9901001v2", "hep-th/9901001"),
        ("math.GT/0309136", "math/0309136"),
        ("https://arxiv.org/abs/cs.CL/0001001", "cs/0001001"),
        ("1713.04368", None),
        ("1704.4368", None),
        ("1412.69801", None),
        ("1704.043689", None),
        ("notanarchive/9901001", None),
        ("10.1145/1704.04368", None),
        ("", None),
    ],
)
def test_arxiv(text, expected):
    assert identifiers.arxiv(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12345678", "12345678"),
        ("PMID: 123", "123"),
        ("pmid123", "123"),
        ("00123", "123"),
        ("https://pubmed.ncbi.nlm.nih.gov/123/", "123"),
        ("http://www.ncbi.nlm.nih.gov/pubmed/123", "123"),
        ("PMC123", None),
        ("123456789", None),
        ("0", None),
        ("1.5", None),
        ("", None),
    ],
)
def test_pmid(text, expected):
    assert identifiers.pmid(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0-306-40615-2", "9780306406157"),
        ("0306406152", "9780306406157"),
        ("080442957x", "9780804429573"),
        ("ISBN-13: 978-0-306-40615-7", "9780306406157"),
        ("ISBN-10 0306406152", "9780306406157"),
        ("978 0 306 40615 7 (hardback)", "9780306406157"),
        ("978–0–306–40615–7", "9780306406157"),
        ("0306406153, 0306406152", "9780306406157"),
        ("979-10-90636-07-1", "9791090636071"),
        ("0306406153", None),
        ("9780306406158", None),
        ("97803064061571", None),
        ("", None),
    ],
)
def test_isbn(text, expected):
    assert identifiers.isbn(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0000-0002-1825-0097", "0000-0002-1825-0097"),
        ("https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"),
        ("0000000218250097", "0000-0002-1825-0097"),
        ("0000-0002-1694-233x", "0000-0002-1694-233X"),
        ("0000-0002-1825-0098", None),
        ("0000-0002-1825", None),
        ("", None),
    ],
)
def test_orcid(text, expected):
    assert identifiers.orcid(text) == expected


ALL = [identifiers.doi, identifiers.arxiv, identifiers.pmid, identifiers.isbn, identifiers.orcid]


@pytest.mark.parametrize("normalise", ALL)
@given(text=st.text(alphabet="0123456789X10./-:()abcdoiarxivpm \\_{}$%é", max_size=60))
def test_normalising_twice_changes_nothing(normalise, text):
    once = normalise(text)
    assert once is None or normalise(once) == once


@pytest.mark.parametrize("normalise", ALL)
@pytest.mark.parametrize("unit", ["1", "10.1145/", "9", "(", "-", " ", "arxiv ", "\\_"])
def test_a_gigantic_field_is_no_identifier_and_no_burden(normalise, unit):
    normalise(unit * 1_000_000)


@given(st.integers(0, 10**9 - 1))
def test_isbn10_and_its_isbn13_agree(number):
    """The check digits are computed here from their definition, independently of the module."""
    body = f"{number:09d}"
    check10 = -sum((10 - i) * int(d) for i, d in enumerate(body)) % 11
    isbn10 = body + ("X" if check10 == 10 else str(check10))
    check13 = -sum(int(d) * (1, 3)[i % 2] for i, d in enumerate("978" + body)) % 10
    assert identifiers.isbn(isbn10) == f"978{body}{check13}"
