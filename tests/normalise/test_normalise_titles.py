import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from samehand.normalise.titles import title_key, title_key_series


def test_case_accents_and_punctuation_do_not_count():
    assert title_key("Lévy Flights:  A Survey.") == title_key("levy flights — a survey")


def test_subtitles_and_articles_stay():
    assert title_key("The Hand: Its Bones") == "the hand its bones"
    assert title_key("Hand") != title_key("The Hand")


@given(st.lists(st.one_of(st.none(), st.text(max_size=20)), max_size=6))
def test_a_column_has_the_keys_of_its_values(titles):
    column = pl.Series(titles, dtype=pl.String)
    assert title_key_series(column).to_list() == [title_key(title or "") for title in titles]
