"""Persons across blocks: which names are looked at together, what a pair scores, and who is joined or kept apart."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from persons_world import blocked, slow_features

from samehand.block import Blocked
from samehand.curate.constraints import NONE, Constraints
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models import persons
from samehand.models.persons.layout import EVIDENCE, FEATURES
from samehand.models.persons.prepare import rising_factorials
from samehand.models.persons.variant_cast import take_cast
from samehand.models.persons.variant_keys import KINDS, MOST_PERSONS, candidates
from samehand.models.persons.variant_search import high_enough, score_pair
from samehand.models.persons.variants import lay_out_persons, written_names
from samehand.models.persons.weights import default
from samehand.models.persons.work import lay_out
from samehand.normalise.name_parts import name_parts
from samehand.records import Reference

TEAM = ["Ottoline Quist", "Perpetua Rask", "Zebedee Thrane"]
OTHERS = ["Ambrose Vold", "Barnaby Wessel", "Cosima Ytter"]


def names(*written: str) -> pl.DataFrame:
    """Names as written, each a person in a block of his own."""
    number = pl.int_range(len(written), eager=True)
    parts = name_parts(pl.Series(written)).select("first", "middle", "last")
    return parts.with_columns(person=number, block=number, form=number.cast(pl.Int32))


def kinds(*written: str) -> list[str]:
    """The kinds of all candidates among some names."""
    return [KINDS[kind] for kind in candidates(names(*written))["kind"]]


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("spelled", "Müllner, Greta", "Muellner, Greta"),
        ("spelled", "Groß, Greta", "Gross, Greta"),
        ("spelled", "van den Hoek, Greta", "Hoek, Greta"),
        ("spelled", "Ben Tarrad, Greta", "Bentarrad, Greta"),
        ("spelled", "Ostrom 3rd, Greta", "Ostrom III, Greta"),
        ("rearranged", "Lindqvist, Greta Bergfeldt", "Bergfeldt Lindqvist, Greta"),
        ("doubled", "Bergfeldt-Lindqvist, Greta", "Bergfeldt, Greta"),
        ("moved", "Lindqvist, Greta Bergfeldt", "Bergfeldt, Greta"),
        ("reordered", "Tanmay, Roshan", "Roshan, Tanmay"),
        ("reordered", "Thin, Dorv Vann", "Dorv, Vann Thin"),
        ("dropped", "Aydinlar, H. Cemre", "Aydinlar, Cemre"),
        ("dropped", "Aydinlar, Hale-Cemre", "Aydinlar, Cemre"),
        ("nicknamed", "Ostrom, William", "Ostrom, Bill"),
        ("misspelt", "Ostramberg, Greta", "Ostrambergh, Greta"),
        ("misspelt", "Ostramberg, Greta", "Ostarmberg, Greta"),
        ("spelled_initial", "Müllner, G.", "Muellner, Greta"),
        ("moved_initial", "Bergfeldt, G.", "Lindqvist, Greta Bergfeldt"),
        ("doubled_initial", "Bergfeldt Lindqvist, G.", "Lindqvist, Greta"),
        ("doubled_initial", "Bergfeldt Lindqvist, Greta", "Lindqvist, G."),
        ("misspelt_initial", "Ostramberg, G.", "Ostrambergh, G."),
    ],
)
def test_a_variant_is_a_candidate_of_its_kind(kind, one, other):
    assert kinds(one, other) == [kind]
    assert kinds(other, one) == [kind]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müllner, Greta", "Muellner, Hanna"),
        ("Bergfeldt Lindqvist, Greta", "Bergfeldt Ostrom, Greta"),
        ("Bergfeldt Lindqvist, Greta", "Bergfeldt, Hanna"),
        ("Lindqvist, Greta Bergfeldt", "Bergfeldt, Hanna"),
        ("Tanmay, R.", "Roshan, T."),
        ("Aydinlar, H. C.", "Aydinlar, Cemre"),
        ("Ostrom, William", "Ostrom, Robert"),
        ("Rosk, Greta", "Rask, Greta"),
        ("Ostramberg, Greta", "Ostrumbergh, Greta"),
        ("Ostramberg, Greta", "Stramberga, Greta"),
        ("Ostramberg, G.", "Astramberg, G."),
        ("Ostramberg, Greta", "Ostrambergh, Hanna"),
    ],
)
def test_look_alikes_are_no_candidates(one, other):
    assert kinds(one, other) == []


def test_persons_of_one_block_are_no_candidates():
    table = names("Müllner, Greta", "Muellner, Greta").with_columns(block=pl.lit(7))
    assert candidates(table).height == 0


def test_a_key_too_many_names_have_brings_no_pairs():
    few = ["Müllner, Greta"] * (MOST_PERSONS - 1) + ["Muellner, Greta"]
    one_block = pl.when(pl.col("last") == "mullner").then(0).otherwise(1).alias("block")
    assert candidates(names(*few).with_columns(one_block)).height == MOST_PERSONS - 1
    assert candidates(names(*few, "Müllner, Greta").with_columns(one_block)).height == 0


def test_names_too_long_bring_no_pairs():
    long = "ostramberg" * 10_000
    assert (
        kinds(f"{long}, Greta", f"{long}h, Greta", "a " * 50_000 + "b, Greta", "a " * 50_000 + "c, Greta")
        == []
    )


def test_the_nameless_and_the_undividable_are_left_as_they_are():
    odd = ["", "{World Hand Organization}", "Müllner", "王", "Greta", "{World Hand Organisation}"]
    made = blocked(
        [Reference("odd.bib", n, id=f"o{n}", authors=[name], title="x") for n, name in enumerate(odd)]
    )
    found = persons.resolve(made, NONE, Run(0, 1))
    assert found.height == made.mentions.height
    assert found["cluster"].n_unique() == found.height


def test_every_kind_has_a_weight_and_speaks_against():
    assert len(default().variants) == len(KINDS)
    assert default().variants.max() < 0


def papers(name: str, team: list[str], count: int, title: str) -> list[Reference]:
    """Papers by someone of this name with a team."""
    return [
        Reference(
            "invented.bib", number + 1, id=f"{name}{team[0]}{number}", title=f"{title} {number}", authors=[name, *team],
            venue="Journal of Hands", year=2001 + number,
        )
        for number in range(count)
    ]  # fmt: skip


def crowd(*lasts: str) -> list[Reference]:
    """Papers of other people, so that a team is rare; and of many with some last names, so that these are not."""
    firsts = ["Gerd", "Gail", "Gus", "Hal", "Hoda", "Rex", "Rune", "Tom", "Tia", "Cy", "Cleo"]
    namesakes = [f"{last}, {first}{end}" for last in lasts for first in firsts for end in ("", "ko", "mund")]
    plain = [
        f"Una {word}{end}" for word in ("Hill", "Wood", "Field", "Brook") for end in ("man", "son", "by")
    ]
    return [
        Reference("crowd.bib", n + 1, id=f"crowd{n}", title=f"paper {n} of many", authors=[name, "Vera Mass"])
        for n, name in enumerate(namesakes + 5 * plain)
    ]


def together(references: list[Reference], one: str, other: str, constraints: Constraints = NONE) -> bool:
    """Whether all mentions under two names become one person."""
    made = blocked(references)
    found = persons.resolve(made, constraints, Run(0, 1))
    table = made.mentions.select("id", "name").join(found, left_on="id", right_on="mention")
    assert found.height == made.mentions.height
    return table.filter(pl.col("name").is_in([one, other]))["cluster"].n_unique() == 1


PAIRS = [
    ("Müllner, Greta", "Muellner, Greta"),
    ("Bergfeldt Lindqvist, Greta", "Lindqvist, Greta Bergfeldt"),
    ("Bergfeldt-Lindqvist, Greta", "Bergfeldt, Greta"),
    ("Lindqvist, Greta Bergfeldt", "Bergfeldt, Greta"),
    ("Tanmay, Roshan", "Roshan, Tanmay"),
    ("Aydinlar, H. Cemre", "Aydinlar, Cemre"),
    ("Ostramberg, Greta", "Ostrambergh, Greta"),
    ("Müllner, G.", "Muellner, G."),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_variants_with_one_team_are_one_person(one, other):
    references = papers(one, TEAM, 3, "thumbs and rings") + papers(other, TEAM, 3, "thumbs and nails")
    assert together(references + crowd(), one, other)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_variants_of_a_common_name_with_nothing_in_common_stay_apart(one, other):
    apart = [
        Reference("b.bib", n, id=f"b{n}", title=f"volcanic basalt {n}", authors=[other, *OTHERS], venue="Lava", year=1955)
        for n in range(3)
    ]  # fmt: skip
    many = crowd(one.split(",")[0], other.split(",")[0])
    assert not together(papers(one, TEAM, 3, "thumbs and rings") + apart + many, one, other)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_two_authors_of_one_paper_stay_apart(one, other):
    assert not together(papers(one, [other, *TEAM], 4, "thumbs and rings") + crowd(), one, other)


def test_a_curators_different_is_obeyed():
    one, other = PAIRS[0]
    references = papers(one, TEAM, 3, "thumbs") + papers(other, TEAM, 3, "thumbs") + crowd()
    mentions = blocked(references).mentions.with_row_index()
    rows = [int(mentions.filter(pl.col("name") == name)["index"][0]) for name in (one, other)]
    assert not together(references, one, other, Constraints(NONE.same, as_pairs([rows])))


def test_a_third_name_joins_what_two_have_become():
    chain = ["Bergfeldt, Greta", "Bergfeldt-Lindqvist, Greta", "Lindqvist, Greta"]
    made = blocked([r for name in chain for r in papers(name, TEAM, 2, "thumbs")] + crowd())
    found = persons.resolve(made, NONE, Run(0, 1))
    table = made.mentions.select("id", "name").join(found, left_on="id", right_on="mention")
    assert table.filter(pl.col("name").is_in(chain))["cluster"].n_unique() == 1
    assert table["probability"].is_between(0, 1).all()


def test_first_names_written_otherwise_count_as_equal_but_once():
    whole = ["Aydinlar, Hale Cemre", "Aydinlar, Bora Cemre", "Aydinlar, Nuri Cemre"]
    for name in whole:
        both = papers(name, TEAM, 3, "thumbs") + papers("Aydinlar, Cemre", TEAM, 3, "rings") + crowd()
        assert together(both, name, "Aydinlar, Cemre")
    every = [r for name in (*whole, "Aydinlar, Cemre") for r in papers(name, TEAM, 3, "thumbs")] + crowd()
    found = persons.resolve(blocked(every), NONE, Run(0, 1))
    table = blocked(every).mentions.select("id", "name").join(found, left_on="id", right_on="mention")
    assert table.filter(pl.col("name").is_in(whole))["cluster"].n_unique() == len(whole)


def variants_world() -> tuple[Blocked, list[int], list[int]]:
    """Two persons with variants of one name, who share some evidence; and the rows of their mentions."""
    one, other = PAIRS[0]
    made = blocked(
        papers(one, TEAM, 3, "thumbs") + papers(other, TEAM[:2] + OTHERS[:1], 2, "thumbs nails") + crowd()
    )
    name = made.mentions["name"].to_list()
    return made, [i for i, n in enumerate(name) if n == one], [i for i, n in enumerate(name) if n == other]


def test_the_score_of_a_pair_is_that_of_a_block_of_both():
    """The oracle: the slow formulas, on the same mentions laid out as if the two blocks were one."""
    made, one, other = variants_world()
    work = lay_out(made, NONE)
    labels = np.arange(len(work.row))
    for rows in (one, other):
        place = np.flatnonzero(np.isin(work.row, rows))
        labels[place] = place[0]
    found = candidates(written_names(work, labels))
    assert found.height == 1
    known = np.unique(found.select("one", "other").to_numpy())
    cast = take_cast(work, labels, known, work.papers)
    stage = lay_out_persons(cast, found, work.words, default())
    features = np.empty(len(FEATURES))
    rising = rising_factorials(np.ones(EVIDENCE, np.int64), stage.around.shape)
    rising = high_enough(rising, stage.nodes, 0, 1, stage.around.shape)
    base = np.ones(len(stage.around.field))
    score = score_pair(
        stage.nodes, stage.pool, stage.form_pool, stage.persons, stage.around, rising, base, *stage.edges[0], features
    )  # fmt: skip
    expected = _as_one_block(made, one, other)
    block_features = FEATURES[FEATURES.index("constant") :]
    for name, value in zip(FEATURES, features, strict=True):
        if name not in (*block_features, "last_variant"):
            assert value == pytest.approx(expected[name], abs=1e-9), name
    largest = work.ambiguity[work.keys.index("g mullner")].copy()
    assert FEATURES[-1] == "alike"
    assert largest[-1] > 0.0  # what speaks for joins of one name is not said for joins of two
    largest[-1] = 0.0
    assert features[-len(largest) :].tolist() == largest.tolist()
    assert score == pytest.approx(
        float(default().features @ features) + default().variants[KINDS.index("spelled")]
    )


def _as_one_block(made: Blocked, one: list[int], other: list[int]) -> dict[str, float]:
    joined = pl.col("block").replace("g muellner", "g mullner")
    whole = Blocked(made.kind, made.mentions.with_columns(joined), made.references, made.statistics)
    work = lay_out(whole, NONE)
    places = [np.flatnonzero(np.isin(work.row, rows)).tolist() for rows in (one, other)]
    return slow_features(work, default(), work.keys.index("g mullner"), *places)


def test_same_answer_for_any_number_of_threads():
    made, _, _ = variants_world()
    assert persons.resolve(made, NONE, Run(3, 1)).equals(persons.resolve(made, NONE, Run(3, 2)))
