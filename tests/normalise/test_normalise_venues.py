import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand.normalise.venues import STOP_WORDS, venue_tokens, venue_tokens_series


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
