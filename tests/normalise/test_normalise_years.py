import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samehand.normalise.years import year


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1994", 1994),
        ("1994.", 1994),
        ("c. 1994", 1994),
        ("1994a", 1994),
        ("1994/95", 1994),
        ("Sept. 1994", 1994),
        ("(1994)", 1994),
        ("{1994}", 1994),
        ("2019-03-01", 2019),
        ("１９９４", 1994),
        ("pp. 1200, 1994", 1994),
        ("'94", None),
        ("in press", None),
        ("", None),
        ("19941", None),
        ("1399", None),
        ("2101", None),
        (1994, 1994),
        (1994.0, 1994),
        (1994.5, None),
        (94, None),
        (True, None),
        (math.nan, None),
        (math.inf, None),
        (-math.inf, None),
        (None, None),
    ],
)
def test_a_year_is_four_digits_in_the_age_of_print(value, expected):
    assert year(value) == expected


@given(st.one_of(st.text(), st.integers(), st.floats()))
def test_nothing_raises_and_years_are_in_range(value):
    found = year(value)
    assert found is None or 1400 <= found <= 2100
