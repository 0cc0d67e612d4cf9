import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand.normalise.tokens import fold, fold_series, tokens, tokens_series


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Müller", "muller"),
        ("Łódź", "lodz"),
        ("Straße", "strasse"),
        ("Bjørn", "bjorn"),
        ("Иванов", "ivanov"),
        ("王", "wang"),
        ("e\u0301cole", "ecole"),
        ("PLAIN", "plain"),
        ("", ""),
    ],
)
def test_folding(text, expected):
    assert fold(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't panic", ["dont", "panic"]),
        ("don’t", ["dont"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("C++ in 24 hours", ["c", "in", "24", "hours"]),
        ("A/B: testing_it", ["a", "b", "testing", "it"]),
        ("  ", []),
        ("!?", []),
    ],
)
def test_tokens(text, expected):
    assert tokens(text) == expected


def test_mojibake_is_not_repaired():
    assert tokens("MÃ¼ller") != tokens("Müller")


@given(st.lists(st.one_of(st.none(), st.text(max_size=20)), max_size=8))
def test_columns_fold_and_divide_like_single_values(texts):
    column = pl.Series(texts, dtype=pl.String)
    assert fold_series(column).to_list() == [None if text is None else fold(text) for text in texts]
    assert tokens_series(column).to_list() == [tokens(text or "") for text in texts]


@given(st.text())
def test_tokens_are_lower_case_ascii_words(text):
    assert all(token.isascii() and token.isalnum() and token == token.lower() for token in tokens(text))
