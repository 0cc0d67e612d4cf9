"""Words and gaps of citations."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.models.citations.parsing.tokens import LONGEST, Shape, tokenise


def test_space_before_a_comma_tells_nothing():
    spaced, plain = tokenise("Lee , A. , 1991 . On hands"), tokenise("Lee, A., 1991. On hands")
    assert (spaced.words, spaced.gaps) == (plain.words, plain.gaps)


def test_the_stop_of_an_initial_is_not_the_end_of_a_sentence():
    found = tokenise("A. Lee. On hands. Proc. AAAI")
    assert found.gaps == ("", "~.", ".", "", ".", "~.", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1991a pp. 12-34, 7 123 12345", ("#year", "pp", "#range", "#1", "#3", "#4")),
        ("( 1993 a ) On", ("#year", "on")),
        ("Ph.D. thesis", ("phd", "thesis")),
        ("M.S. thesis, M. S. Lee", ("msc", "thesis", "#i", "#i", "lee")),
        ("L-J. Lin", ("#i", "lin")),
        ("B.J.A and", ("#i", "#i", "#l", "and")),
        ("A hand", ("a", "hand")),
        ("POPL ' 91 AAAI-93 IJCAI'95", ("popl#", "aaai#", "ijcai#")),
        ("Santiba ~ nez", ("santibanez",)),
        ("Müller & Sons", ("muller", "and", "sons")),
        ("http://a.org/b.ps.", ("#url",)),
        ("5th TR-92-04 2.0", ("#nth", "#code", "#code")),
    ],
)
def test_words_are_reduced(text, words):
    assert tokenise(text).words == words


def test_shapes():
    assert tokenise("On the USA 12").shapes == (Shape.CAPITALISED, Shape.LOWER, Shape.UPPER, Shape.OTHER)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_has_tokens_whose_spans_lie_in_it(text):
    found = tokenise(text)
    assert len(found.gaps) == len(found.words) + 1
    ends = [0, *(end for _, end in found.spans)]
    assert all(
        before <= start < end <= len(text) for before, (start, end) in zip(ends, found.spans, strict=False)
    )


def test_an_endless_citation_is_cut():
    assert len(tokenise("word " * 10_000).words) == LONGEST
