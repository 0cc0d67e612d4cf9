"""The link model of venues: what it joins, what it keeps apart, and what it obeys."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samehand.block import block
from samehand.curate.constraints import NONE, Constraints
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models.venues.links import resolve
from samehand.normalise.mentions import venue_mentions
from samehand.records import CLUSTERING, Reference, references_frame

SUBJECTS = [
    "Ancient Hands",
    "Rural Bridges",
    "Marine Ropes",
    "Quiet Machines",
    "Comparative Kites",
    "Polar Gardens",
]
CROWD = [f"{kind} {subject}" for subject in SUBJECTS for kind in ("Journal of", "Conference on", "Annals of")]
"""Other venues, so that words have frequencies."""


def blocked(names: list[str], titles: list[str] | None = None, years: list[int | None] | None = None):
    titles = titles or [""] * len(names)
    years = years or [2001] * len(names)
    rows = [
        Reference("x.csv", n, id=f"m{n}", scope="venue", venue=name, title=title or None, year=year)
        for n, (name, title, year) in enumerate(zip(names, titles, years, strict=True))
    ]
    references = references_frame(rows)
    return block("venue", venue_mentions(references), references)


def clusters(names, titles=None, years=None, same=(), different=(), seed=0) -> list[int]:
    constraints = Constraints(as_pairs(same), as_pairs(different))
    result = resolve(blocked(names, titles, years), constraints, Run(seed))
    assert result.schema == CLUSTERING
    assert result["probability"].is_between(0.0, 1.0).all()
    return result["cluster"].to_list()


def together(left: str, right: str) -> bool:
    first, second, *_ = clusters([left, right, *CROWD])
    return first == second


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Journal of Artificial Limbs Research", "J. Artif. Limbs Res."),
        (
            "Proceedings of the 7th Int. Symposium on Velvet Looms",
            "International Symp. on Velvet Looms, Oslo, 1999",
        ),
        ("Principles of Weaving Languages (POWL)", "POWL"),
        ("Symposium on Theory of Weaving", "STOW '98"),
        ("Computational Weaving", "COWEA"),
        ("Blue Faulttolerant Looms", "Blue Fault-Tolerant Looms"),
        ("Velvet Databases", "Velvet Datbases"),
        ("Velvet and Looms", "Looms & Velvet"),
        ("Fifteenth Velvet Congress", "Velvet Congress XVI"),
        ("Zeitschrift für Samt", "Zeitschrift fur Samt"),
    ],
)
def test_forms_of_one_venue(left: str, right: str) -> None:
    assert together(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Journal of Velvet", "Journal of Weaving"),
        ("Velvet Review A", "Silk Review B"),
        ("Conference on Velvet", "Workshop on Looms"),
        ("Annals of Looms", "Annals of Marine Ropes"),
        ("POWL", "SOWL"),
    ],
)
def test_different_venues(left: str, right: str) -> None:
    assert not together(left, right)


def test_a_joint_conference_does_not_make_its_two_venues_one() -> None:
    """Papers of each come back under its own forms, and never under the other's."""
    left, right = ["Velvet", "Conference on Velvet"], ["Silk", "Conference on Silk"]
    names, titles = [], []
    for paper in range(30):
        for forms, topic in ((left, "old velvet number"), (right, "new silk number")):
            for form in forms:
                names.append(form)
                titles.append(f"{topic} {paper}")
    names.append("Joint Conference on Velvet and Silk")
    titles.append("an exceptional meeting held once")
    found = clusters([*names, *CROWD], [*titles, *[""] * len(CROWD)])
    assert found[0] == found[1] != found[2] == found[3]


def test_shared_papers_join_names_that_share_no_word() -> None:
    names = ["The Blue Review", "Quarterly of Looms"] * 4
    titles = [f"paper about loom number {n // 2}" for n in range(8)]
    assert len(set(clusters([*names, *CROWD], [*titles, *[""] * len(CROWD)])[:8])) == 1
    apart = [f"paper about loom number {n}" for n in range(8)]
    found = clusters([*names, *CROWD], [*apart, *[""] * len(CROWD)])
    assert found[0] != found[1]


def namesakes(full_names: tuple[str, str]) -> tuple[list[str], list[str]]:
    """Two venues with twelve papers under their full names and eight under one acronym."""
    names, titles = [], []
    for full, words in zip(full_names, ("ontology query reasoning", "sensor sleeve battery"), strict=True):
        for paper in range(20):
            names.append(full if paper < 12 else "ISWC")
            titles.append(f"{words} part{paper} study")
    return names, titles


def test_two_venues_of_one_name_are_told_apart_by_their_titles() -> None:
    names, titles = namesakes(
        ("Int. Semantic Web Conference (ISWC)", "Int. Symposium Wearable Computers (ISWC)")
    )
    found = clusters([*names, *CROWD], [*titles, *[""] * len(CROWD)])
    assert len(set(found[:20])) == len(set(found[20:40])) == 1
    assert found[0] != found[20]


def test_titles_of_one_field_do_not_divide_a_name() -> None:
    names, _ = namesakes(("Int. Semantic Web Conference (ISWC)", "Int. Symposium Wearable Computers (ISWC)"))
    titles = [f"common words of one field {n}" for n in range(40)]
    found = clusters([*names, *CROWD], [*titles, *[""] * len(CROWD)])
    assert len(set(found[12:20] + found[32:40])) == 1


def test_editions_are_kept_apart_only_where_the_string_is_all_there_is() -> None:
    names = ["15th Velvet Congress"] * 30 + ["29th Velvet Congress"] * 30
    bare = clusters([*names, *CROWD], years=[None] * (len(names) + len(CROWD)))
    assert bare[0] != bare[30]
    dated = clusters([*names, *CROWD])
    assert dated[0] == dated[30]


def test_decisions_bind_and_bind_no_one_else() -> None:
    names = ["Journal of Velvet", "J. Velvet", "Journal of Velvet", "Silk Quarterly", *CROWD]
    assert clusters(names)[:4] == [0, 0, 0, 1]
    apart = clusters(names, different=[(0, 1)])
    assert apart[0] != apart[1]
    joined = clusters(names, same=[(0, 3)])
    assert joined[0] == joined[3]
    same_string = clusters(names, different=[(0, 2)])
    assert same_string[0] != same_string[2]


words = st.sampled_from(
    ["Velvet", "Journal", "J.", "Conf.", "Conference", "JV", "CV", "of", "Silk", "12th", "?", "Ω"]
)
rows = st.lists(
    st.tuples(
        st.lists(words, min_size=1, max_size=4).map(" ".join),
        st.sampled_from(["", "one title of four", "another title of five words"]),
        st.sampled_from([None, 1999]),
    ),
    min_size=1,
    max_size=9,
)


@settings(max_examples=60, deadline=None)
@given(rows, st.data())
def test_decisions_are_never_violated(mentions, data) -> None:
    count = len(mentions)
    place = st.integers(0, count - 1)
    same = data.draw(st.lists(st.tuples(place, place), max_size=2))
    group = list(range(count))
    for left, right in same:
        group = [group[left] if g == group[right] else g for g in group]
    pairs = data.draw(st.lists(st.tuples(place, place), max_size=4))
    different = [(left, right) for left, right in pairs if group[left] != group[right]]
    names, titles, years = (list(column) for column in zip(*mentions, strict=True))
    found = clusters(names, titles, years, same=same, different=different)
    assert all(found[left] == found[right] for left, right in same)
    assert all(found[left] != found[right] for left, right in different)
    assert list(dict.fromkeys(found)) == list(range(len(set(found))))


def test_same_seed_same_bytes_at_any_number_of_threads() -> None:
    table = blocked([*CROWD, *(name.replace("Journal", "J.") for name in CROWD)])
    one = resolve(table, NONE, Run(3, threads=1))
    assert one.equals(resolve(table, NONE, Run(3, threads=2)))


def test_nothing_one_and_the_unspellable() -> None:
    assert clusters([]) == []
    assert clusters(["Velvet"]) == [0]
    assert clusters(["In the", "12", "!!", "??", "Ж"], years=[None] * 5)
    long = clusters(["x" * 100_000, "word " * 10_000, "9" * 10_000])
    assert len(long) == 3


def test_a_doubtful_mention_is_less_probable() -> None:
    names = ["Velvet Looms Journal", "Velvet Looms Journal", "Velvet Journal", *CROWD]
    table = resolve(blocked(names), NONE, Run())
    assert isinstance(table, pl.DataFrame)
    assert table["probability"][2] < table["probability"][0]


def test_versions_of_a_work_in_different_years_do_not_join_their_venues() -> None:
    names = ["Conference on Manuscripts", "Journal of Palaeography", "J. Palaeography"]
    titles = ["Scribal hands of the harbour town"] * 3
    conference, journal, short = clusters(names, titles, [1999, 2001, 2001])
    assert conference != journal == short
