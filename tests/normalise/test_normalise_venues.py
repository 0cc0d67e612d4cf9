import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand.normalise.venues import STOP_WORDS, name_words, venue_tokens, venue_tokens_series


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Proceedings of the 5th Conference on Hands", ["proceedings", "5th", "conference", "hands"]),
        ("In Proc. of Hands", ["proc", "hands"]),
        ("Zeitschrift für Hände", ["zeitschrift", "hande"]),
        ("A.I. Journal", ["a", "i", "journal"]),
        ("On", ["on"]),
        ("", []),
    ],
)
def test_stop_words_and_punctuation_are_dropped(text, expected):
    assert venue_tokens(text) == expected


words = st.sampled_from([*sorted(STOP_WORDS)[:5], "Hands", "für", "J.", "&"])


@given(st.lists(st.one_of(st.none(), st.lists(words, max_size=5).map(" ".join)), max_size=6))
def test_a_column_has_the_tokens_of_its_values(venues):
    column = pl.Series(venues, dtype=pl.String)
    assert venue_tokens_series(column).to_list() == [venue_tokens(venue or "") for venue in venues]


@pytest.mark.parametrize(
    ("text", "bare", "numbered"),
    [
        ("Proc. of the 3rd Congress, May 1999", "of the congress", "of the #03 congress #99"),
        ("Thirty-Second Congress", "congress", "#32 congress"),
        ("Thirtieth Congress", "congress", "#30 congress"),
        ("Congress XIV", "congress", "congress #14"),
        ("HANDS'98", "hands", "hands #98"),
        ("Physical Review X", "physical review x", "physical review x"),
        ("Int'l Congress", "intl congress", "intl congress"),
        ("Proceedings 12", "proceedings 12", "#12"),
        ("", "", ""),
    ],
)
def test_numbers_months_and_proceedings_are_no_names(text, bare, numbered):
    assert name_words(text, numbers=False) == bare.split()
    assert name_words(text, numbers=True) == numbered.split()


@given(st.text(max_size=30))
def test_any_text_has_words_that_a_kernel_can_spell(text):
    for word in name_words(text, numbers=True):
        assert word.isascii()
        assert word
