"""The author model: features equal their formulas, the search is what it says, constraints and seeds hold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from persons_world import blocked, invented, slow_features

from samehand.curate.constraints import NONE, Constraints
from samehand.errors import UsageError
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models import persons
from samehand.models.persons import weights as weights_files
from samehand.models.persons.compare import compare, weigh
from samehand.models.persons.forms import (
    CONFLICT,
    EQUAL,
    MISSING,
    NEAR,
    NOTHING,
    name_forms,
    relate_first,
    relate_middle,
)
from samehand.models.persons.heap import pop, push, roomy
from samehand.models.persons.join import join
from samehand.models.persons.layout import FEATURES
from samehand.models.persons.pairs import first_pairs, name_scores
from samehand.models.persons.people import people_of, take_census
from samehand.models.persons.search import prepare_block, search
from samehand.models.persons.weights import default, load
from samehand.models.persons.work import Work, lay_out
from samehand.records import Reference

LEE = "j lee"


def world(seed: int, papers: int = 8) -> tuple[Work, int]:
    """The work of an invented world, and the number of the block of J. Lee."""
    work = lay_out(blocked(invented(seed, papers)), NONE)
    return work, work.keys.index(LEE)


def prepared(work: Work, number: int, room: int):
    """The arrays of a block."""
    found, forms, part = work.evidence, work.evidence.forms, work.block(number)
    return prepare_block(
        found.starts[part.start : part.stop + 1], found.tokens, found.counts, found.field, found.frequency,
        found.totals, found.distinct, found.year[part], forms.of_mention[part], forms.words, forms.letters,
        forms.begin, forms.rarity, forms.nickname, default().shape, room,
    )  # fmt: skip


def fast_features(work: Work, number: int, a: list[int], b: list[int]) -> np.ndarray:
    """The features of joining two sets of positions of a block, by the kernels: mentions are joined one by one."""
    nodes, own, _counts, pool, form, form_pool, field, base, rising, relations, rarity = prepared(
        work, number, len(a) + len(b) + 50
    )
    pool, form_pool = (
        np.concatenate([pool, np.empty((2, 5000), np.int32)], axis=1),
        np.concatenate([form_pool, np.empty((2, 5000), np.int32)], axis=1),
    )
    used, form_used = len(own), len(form)
    for side in (a, b):
        for other in side[1:]:
            used, form_used = join(nodes, pool, used, form_pool, form_used, side[0], other, side[0])
    out = np.empty(len(FEATURES))
    compare(
        nodes,
        pool,
        form_pool,
        field,
        base,
        rising,
        relations,
        rarity,
        default().shape,
        work.ambiguity[number],
        a[0],
        b[0],
        out,
    )
    return out


@given(st.integers(0, 10_000), st.data())
def test_features_of_joined_nodes_equal_their_formulas(seed: int, data: st.DataObject) -> None:
    work, number = world(seed, 9)
    order = data.draw(st.permutations(range(9)))
    cut, end = sorted(data.draw(st.lists(st.integers(1, 9), min_size=2, max_size=2, unique=True)))
    a, b = list(order[:cut]), list(order[cut:end])
    begin = int(work.starts[number])
    slow = slow_features(work, default(), number, [begin + m for m in a], [begin + m for m in b])
    fast = fast_features(work, number, a, b)
    assert dict(zip(FEATURES, fast.tolist(), strict=True)) == pytest.approx(slow, abs=1e-9)


@given(st.integers(0, 10_000))
def test_first_pairs_are_the_pairs_that_score_above_zero(seed: int) -> None:
    work, number = world(seed)
    nodes, _own, _counts, pool, form, _form_pool, field, base, rising, relations, rarity = prepared(
        work, number, 8
    )
    names = name_scores(relations, rarity, default().features, work.ambiguity[number])
    scores, pairs, size = first_pairs(
        8, nodes, pool, field, base, rising, form, names, default().features, default().shape
    )
    found = {tuple(pair[:2].tolist()): score for pair, score in zip(pairs[:size], scores[:size], strict=True)}
    for a in range(8):
        for b in range(a + 1, 8):
            score = weigh(default().features, fast_features(work, number, [a], [b]))
            if abs(score) > 1e-9:
                assert found.get((a, b), 0.0) == pytest.approx(max(score, 0.0), abs=1e-9)


def searched(work: Work, number: int) -> tuple[list[list[int]], np.ndarray, np.ndarray]:
    """Clusters, joins and strengths of a block."""
    size = work.block(number).stop - work.block(number).start
    nodes, own, counts, pool, form, form_pool, field, base, rising, relations, rarity = prepared(
        work, number, size
    )
    joins, strengths, labels = np.empty((size, 2), np.int32), np.empty(size), np.empty(size, np.int64)
    nobody = np.empty((0, 2), np.int32)
    made = search(
        size, nodes, own, counts, pool, form, form_pool, field, base, rising, relations, rarity, default().features,
        default().shape, work.ambiguity[number], nobody, nobody, nobody, np.empty(0), joins, strengths, labels,
    )  # fmt: skip
    clusters = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
    return clusters, joins[:made], strengths[:made]


@given(st.integers(0, 10_000))
def test_every_join_scores_what_it_says_and_none_is_left_to_make(seed: int) -> None:
    work, number = world(seed, 10)
    clusters, joins, strengths = searched(work, number)
    members = {m: [m] for m in range(10)}
    for (a, b), strength in zip(joins.tolist(), strengths.tolist(), strict=True):
        assert strength == pytest.approx(
            weigh(default().features, fast_features(work, number, members[a], members[b])), abs=1e-9
        )
        assert strength > 0.0
        members[a] += members.pop(b)
    assert sorted(sorted(group) for group in members.values()) == sorted(clusters)
    for i, a in enumerate(clusters):
        for b in clusters[i + 1 :]:
            assert weigh(default().features, fast_features(work, number, a, b)) <= 1e-9


@given(st.integers(0, 10_000), st.data())
def test_decisions_are_never_violated(seed: int, data: st.DataObject) -> None:
    given_blocks = blocked(invented(seed, 8))
    rows = given_blocks.mentions.with_row_index().filter(pl.col("block") == LEE)["index"].to_list()
    order = data.draw(st.permutations(rows))
    constraints = Constraints(
        as_pairs([order[:2], order[1:3]]), as_pairs([(order[0], order[3]), (order[4], order[5])])
    )
    found = persons.resolve(given_blocks, constraints, Run(0, 1))["cluster"].to_list()
    assert found[order[0]] == found[order[1]] == found[order[2]]
    assert found[order[0]] != found[order[3]]
    assert found[order[4]] != found[order[5]]


def test_a_decision_joins_persons_of_different_blocks() -> None:
    given_blocks = blocked(invented(1, 6))
    names = given_blocks.mentions["block"].to_list()
    other = next(i for i, key in enumerate(names) if key != names[0])
    found = persons.resolve(given_blocks, Constraints(as_pairs([(0, other)]), as_pairs(())), Run(0, 1))
    assert found["cluster"][0] == found["cluster"][other]


def test_same_answer_on_one_thread_and_on_two() -> None:
    given_blocks = blocked(invented(3, 60))
    assert persons.resolve(given_blocks, NONE, Run(7, 1)).equals(
        persons.resolve(given_blocks, NONE, Run(7, 2))
    )


def test_every_mention_is_in_one_cluster_in_the_order_of_the_table() -> None:
    given_blocks = blocked(invented(5, 30))
    found = persons.resolve(given_blocks, NONE, Run(0, 1))
    assert found["mention"].to_list() == given_blocks.mentions["id"].to_list()
    assert found["cluster"].unique(maintain_order=True).to_list() == list(range(found["cluster"].n_unique()))


@pytest.mark.parametrize(
    "references", [[], [Reference("a.bib", 1, id="a", title="Alone", authors=["Ada Dam"])]]
)
def test_few_mentions_are_no_trouble(references: list[Reference]) -> None:
    assert persons.resolve(blocked(references), NONE, Run(0, 1)).height == len(references)


def test_shared_rare_coauthors_join_and_contradicting_names_do_not() -> None:
    def paper(number: int, name: str, others: list[str]) -> Reference:
        return Reference(
            "a.bib", number, id=f"p{number}", title="Hands and thumbs", authors=[name, *others], year=2000
        )

    found = persons.resolve(
        blocked([
            paper(1, "Jo Lee", ["Zeno Quix", "Una Vopp"]), paper(2, "J. Lee", ["Zeno Quix", "Una Vopp"]),
            paper(3, "Kurt Wagner", ["Ann Able"]), paper(4, "Klara Wagner", ["Bob Baker"]),
        ]), NONE, Run(0, 1),
    )  # fmt: skip
    cluster = dict(found.select("mention", "cluster").rows())
    assert cluster["p1/author/1"] == cluster["p2/author/1"]
    assert cluster["p3/author/1"] != cluster["p4/author/1"]


WORDS = [
    "",
    "j",
    "k",
    "jo",
    "joan",
    "bob",
    "robert",
    "katharina",
    "katherina",
    "marie",
    "a",
    "antonio r",
    "a r",
    "b",
]


def related(relate: str, one: str, other: str) -> int:
    columns = {"first": "", "middle": "", "last": "x"}
    table = pl.DataFrame([columns | {relate: one}, columns | {relate: other}])
    forms = name_forms(table, np.arange(2, dtype=np.int32), take_census(people_of(table)).rarity)
    words = [forms.words[forms.of_mention[i]][0 if relate == "first" else 1] for i in (0, 1)]
    if relate == "first":
        return relate_first(forms.letters, forms.begin, forms.nickname, *words)
    return relate_middle(forms.letters, forms.begin, *words)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "jo", NOTHING), ("j", "jo", NOTHING), ("k", "jo", CONFLICT), ("jo", "jo", EQUAL), ("hai-tao",
        "haitao", EQUAL), ("hai tao", "haitao", EQUAL), ("jo", "joan", NEAR), ("bob", "robert", NEAR),
        ("katharina", "katherina", NEAR), ("marie", "maire", NEAR), ("jon", "jan", CONFLICT), ("joan",
        "robert", CONFLICT),
    ],
)  # fmt: skip
def test_how_first_names_relate(one: str, other: str, expected: int) -> None:
    assert related("first", one, other) == related("first", other, one) == expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", NOTHING), ("", "a", MISSING), ("a", "antonio", EQUAL), ("a r", "antonio richard", EQUAL),
        ("antonio", "antonio r", EQUAL), ("a", "b", CONFLICT), ("a r", "antonio b", CONFLICT), ("anna", "anne", CONFLICT),
    ],
)  # fmt: skip
def test_how_middle_names_relate(one: str, other: str, expected: int) -> None:
    assert related("middle", one, other) == related("middle", other, one) == expected


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 9), st.integers(0, 9)), max_size=60))
def test_the_heap_gives_the_greatest_first_and_equal_ones_in_order(
    entries: list[tuple[int, int, int]],
) -> None:
    scores, pairs, size = np.empty(1), np.empty((1, 4), np.int32), 0
    for score, a, b in entries:
        scores, pairs = roomy(scores, pairs, size + 1)
        size = push(scores, pairs, size, float(score), a, b, 0, 0)
    taken = []
    while size > 0:
        taken.append((-scores[0], int(pairs[0, 0]), int(pairs[0, 1])))
        size = pop(scores, pairs, size)
    assert taken == sorted((-float(score), a, b) for score, a, b in entries)


def test_weights_come_back_from_their_file(tmp_path) -> None:
    path = tmp_path / "weights.toml"
    path.write_text(default().toml())
    assert load(path).toml() == default().toml()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda text: text.replace("title = ", "titel = ", 1), "missing: title; unknown: titel"),
        (lambda text: text.replace("temperature = ", "temperature = -", 1), "must be above 0"),
        (lambda text: text.replace("gap = ", "gap = nan #", 1), "no finite number"),
        (lambda text: "[features", "not a file of weights in TOML"),
        (lambda text: "", "a table is expected"),
    ],
)
def test_bad_weights_are_named(tmp_path, change, complaint: str) -> None:
    path = tmp_path / "weights.toml"
    path.write_text(change(default().toml()))
    with pytest.raises(UsageError, match=complaint):
        weights_files.load(path)


def test_no_weights_file_is_named(tmp_path) -> None:
    with pytest.raises(UsageError, match="name a file of weights"):
        load(tmp_path / "none.toml")
