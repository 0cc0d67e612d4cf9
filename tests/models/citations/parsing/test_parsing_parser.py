"""What the parser makes of citations it was not made for."""

import math

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.models.citations.parsing import learn
from samehand.models.citations.parsing.render import from_references, invented, styles
from samehand.models.citations.parsing.tokens import tokenise
from samehand.records import Reference, references_frame

ALIKE = [
    "J. Lee and B. Wu. The glimbic theory of hands. Journal of Hands, 12(3):4-19, 1991.",
    "K. Zork. A glimbic reading of feet. In Proceedings of the Third Conference on Feet, pages 1-9, 1993.",
    "Lee, J. and Wu, B. (1991). The glimbic theory of hands. Journal of Hands, 12, 4-19.",
]


@pytest.fixture(scope="module")
def parser():
    return learn(ALIKE)


@pytest.mark.parametrize(
    ("text", "title", "authors", "year", "kind"),
    [
        (
            "Ann B. Smith, Carl Jones, and Eve Brown. Learning to read hands. Machine Learning, 8:229-256, 1992.",
            "Learning to read hands",
            ("Ann B. Smith", "Carl Jones", "Eve Brown"),
            1992,
            "article",
        ),
        (
            "Smith, A., & van Dam, C. (1995). Probabilistic maps of hands. In Proceedings of the International "
            "Workshop on Hands (pp. 307-321). Springer-Verlag.",
            "Probabilistic maps of hands",
            ("Smith, A.", "van Dam, C."),
            1995,
            "conference",
        ),
        (
            'Smith AB, Jones C. "Reading the hand," PhD thesis, Stanford University, 1985.',
            "Reading the hand",
            ("Smith AB", "Jones C."),
            1985,
            "thesis",
        ),
        (
            "[12] A. Smith et al., The theory of hands, Technical Report CS-92-04, University of Chicago, 1992",
            "The theory of hands",
            ("A. Smith",),
            1992,
            "report",
        ),
        (
            "D. Smith J. Brown Scheduling hands with constraints . SIAM J. Comput . , 24 ( 4 ) : 797-810 , 1995 .",
            "Scheduling hands with constraints",
            ("D. Smith", "J. Brown"),
            1995,
            "article",
        ),
    ],
)
def test_citations_in_many_styles(parser, text, title, authors, year, kind):
    best = parser.best(text)
    assert (best.title, best.authors, best.year, best.type) == (title, authors, year, kind)


def test_fields_of_an_article(parser):
    best = parser.best("A. Smith. On hands. Artificial Intelligence, 17(2): 205-244, 1981.")
    assert (best.venue, best.volume, best.pages) == ("Artificial Intelligence", "17", "205-244")
    assert [label for label, _, _ in best.segments] == ["author", "title", "venue", "volume", "pages", "date"]


def test_persons_with_a_mark_are_editors(parser):
    best = parser.best("A. Smith and B. Jones, editors. Readings in hands. Morgan Kaufmann, 1990.")
    assert best.authors == ()
    assert best.title == "Readings in hands"
    assert [label for label, _, _ in best.segments][:3] == ["editor", "editor", "editor"]


def test_readings_are_in_order_and_their_probabilities_sum_to_one(parser):
    found = parser.parses("Smith, J. Lee, On the hands of, Jones, Nature and Science, 12, 1991", most=15)
    assert 1 < len(found) <= 15
    chances = [math.exp(parse.log_probability) for parse in found]
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) == pytest.approx(1.0)
    assert len({parse.segments for parse in found}) == len(found)


def test_words_of_the_strings_are_learned():
    text = "R. Zork, Glimbic frotz, Zorkmid, 3, 1984"
    taught = learn(
        [
            f"R. Zork, Glimbic {noun}, Zorkmid, {n}, 1984"
            for n, noun in enumerate(("frotz", "gnusto", "rezrov"), 1)
        ]
    )
    assert taught.best(text).venue == "Zorkmid"


@pytest.mark.parametrize("text", ["", "   ", "...", "?!", "\x00", "1991", "Lee", "\ud800", "(" * 500])
def test_what_is_hardly_a_citation_has_a_reading(parser, text):
    assert len(parser.parses(text)) >= 1


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120))
def test_segments_of_any_text_are_in_order(parser, text):
    for parse in parser.parses(text, most=3):
        ends = [0, *(end for _, _, end in parse.segments)]
        assert all(
            before <= start < end <= len(text)
            for before, (_, start, end) in zip(ends, parse.segments, strict=False)
        )


def test_every_style_renders_and_is_read_back(parser):
    """Citations rendered with another seed than the parser learned from: nearly all titles are read as rendered."""
    rendered = [example for example in invented(len(styles()), seed=77) if example.heading != "title first"]
    right = 0
    for example, readings in zip(
        rendered, parser.parses_of([example.text for example in rendered]), strict=True
    ):
        title = next((example.text[a:b] for label, a, b in example.segments if label.endswith("title")), "")
        right += tokenise(readings[0].title).words == tokenise(title).words
    assert right / len(rendered) > 0.9


def test_the_users_own_references_teach_names_and_venues():
    own = [
        Reference(
            "a.bib",
            n,
            id=str(n),
            type="article",
            title=f"Glimbic study {n}",
            authors=["Zork, Q."],
            venue="Frobozz Gnusto",
            year=1990,
        )
        for n in range(40)
    ]
    table = references_frame(own)
    rendered = list(from_references(table))
    assert all("Frobozz Gnusto" in example.text for example in rendered)
    assert learn([], table).best("Q. Zork, Glimbic study, Frobozz Gnusto, 1990").venue == "Frobozz Gnusto"


def test_references_without_titles_teach_nothing():
    assert list(from_references(references_frame([Reference("a.bib", 1, id="1")]))) == []
    assert (
        learn([], pl.DataFrame(schema=references_frame([]).schema)).best("J. Lee. On hands. 1991.").title
        == "On hands"
    )
