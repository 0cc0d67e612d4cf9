import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand.normalise.names import is_truncated, split_authors


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kearns, m.j. and l.g. valiant.", ["kearns, m.j.", "l.g. valiant."]),
        ("A. Smith; B. Jones", ["A. Smith", "B. Jones"]),
        ("A. Smith, B. Jones", ["A. Smith", "B. Jones"]),
        ("Smith, J., Jones, K. and Lee, M.", ["Smith, J.", "Jones, K.", "Lee, M."]),
        ("J. Smith, K. Jones and M. Lee", ["J. Smith", "K. Jones", "M. Lee"]),
        ("Smith, J., K. Jones and M. Lee", ["Smith, J.", "K. Jones", "M. Lee"]),
        ("John Smith, Kate Jones, and Bo Lee", ["John Smith", "Kate Jones", "Bo Lee"]),
        ("John Smith, Kate Jones and Bo Lee", ["John Smith", "Kate Jones", "Bo Lee"]),
        ("Smith, John and Jones, Kate", ["Smith, John", "Jones, Kate"]),
        ("Smith, John, Jones, Kate", ["Smith, John", "Jones, Kate"]),
        ("Smith, Jones and Lee", ["Smith", "Jones", "Lee"]),
        ("Garcia Lopez, Ana Maria and Vargas Diaz, Mario", ["Garcia Lopez, Ana Maria", "Vargas Diaz, Mario"]),
        ("Smith, John; Jones, Kate P.; and Lee, M.", ["Smith, John", "Jones, Kate P.", "Lee, M."]),
        ("van der Berg, Jan", ["van der Berg, Jan"]),
        ("Smith, John A.", ["Smith, John A."]),
        ("Hart, J. Anthony", ["Hart, J. Anthony"]),
        ("Smith JA, Jones KB", ["Smith JA", "Jones KB"]),
        ("Smith, Jr., J.", ["Smith, Jr., J."]),
        ("Smith, J., Jr., and Lee, K., III", ["Smith, J., Jr.", "Lee, K., III"]),
        ("H. Johnson, Ph.D., and K. Lee, M.D.", ["H. Johnson, Ph.D.", "K. Lee, M.D."]),
        ("M.Kearns,L.Valiant,and R.Rivest", ["M.Kearns", "L.Valiant", "R.Rivest"]),
        ("Y. Freund , H. S. Seung,, and N. Tishby.", ["Y. Freund", "H. S. Seung", "N. Tishby."]),
        ("D. Sleator & R. Tarjan et al.", ["D. Sleator", "R. Tarjan"]),
        ("王伟、李娜；张强", ["王伟", "李娜", "张强"]),
        ("{Smith and Sons, Inc.} and Smith, J.", ["{Smith and Sons, Inc.}", "Smith, J."]),
        ("{a and b", ["{a", "b"]),
        ("J. Smith and K. Jones (eds.)", ["J. Smith", "K. Jones"]),
        ("Ann Alexander", ["Ann Alexander"]),
        ("Anders And", ["Anders And"]),
        ("", []),
        (" ;, ", []),
        ("et al.", []),
    ],
)
def test_author_lists(text, expected):
    assert split_authors(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("J. Smith et al.", True),
        ("J. Smith, et al", True),
        ("J. Smith and others", True),
        ("J. Smith, K. Lee, ...", True),
        ("et al.", True),
        ("J. Smith", False),
        ("Bret Al", False),
        ("J. Smothers", False),
        ("", False),
    ],
)
def test_truncated_lists_say_so(text, expected):
    assert is_truncated(text) is expected


last = st.sampled_from(["Smith", "Jones", "O'Hara", "van der Berg", "Lee-Kim", "Müller"])
initials = st.sampled_from(["J.", "J. R.", "K.-P.", "M"])
authors = st.lists(st.tuples(initials, last), min_size=1, max_size=6)


@given(authors, st.sampled_from([" and ", ", and ", " & ", "; "]))
def test_every_style_with_initials_is_read_back(authors, final):
    """What is written is what is read: given names first, or inverted, the last one after `final`."""
    for names in ([f"{i} {n}" for i, n in authors], [f"{n}, {i}" for i, n in authors]):
        text = ", ".join(names[:-1]) + (final if len(names) > 1 else "") + names[-1]
        assert split_authors(text) == names


@given(st.text(alphabet="ab AB.,;&{}-\u3001and", max_size=40))
def test_no_letter_is_lost(text):
    """Only separators, "and" and closing words go; names keep their order."""
    position = 0
    flat = " ".join(text.split())
    for name in split_authors(text):
        first = name.split(",")[0]
        position = flat.find(first, position)
        assert position >= 0


@pytest.mark.parametrize("unit", [",", " ,", "a, ", "{", "{}", " and ", "&", "et al. ", "a b; ", "A. "])
def test_long_lists_take_linear_time(unit):
    split_authors(unit * 100_000)
    is_truncated(unit * 100_000)
