"""The published venue models as resolvers: constraints, determinism, edges of the input, ISWC."""

from __future__ import annotations

import numpy as np
import pytest

from samehand.block import Blocked, block
from samehand.curate.constraints import NONE, Constraints
from samehand.errors import UsageError
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.infer.union import as_pairs
from samehand.models.venues import items as items_module
from samehand.models.venues import published
from samehand.models.venues.chain import Chain, Settings
from samehand.models.venues.items import make_items
from samehand.models.venues.published import resolve_dpv, resolve_dpvsw, resolve_dpvt
from samehand.models.venues.simulate import simulate
from samehand.models.venues.state import State, labels_of
from samehand.normalise.mentions import venue_mentions
from samehand.records import CLUSTERING, Reference, references_frame

RESOLVERS = {"dpv": resolve_dpv, "dpvt": resolve_dpvt, "dpvsw": resolve_dpvsw}


def mentions(rows: list[tuple[str, str | None]]) -> Blocked:
    references = references_frame(
        [
            Reference("a.csv", line, id=f"m{line}", scope="venue", venue=venue, title=title)
            for line, (venue, title) in enumerate(rows)
        ]
    )
    return block("venue", venue_mentions(references), references)


@pytest.fixture(autouse=True)
def _few_sweeps(monkeypatch):
    monkeypatch.setattr(published, "SWEEPS", 40)


@pytest.fixture(scope="module")
def drawn() -> Blocked:
    table = simulate(60, 3, beta=20.0, words=60, seed=2)
    return mentions(list(table.select("venue", "title").iter_rows()))


@pytest.mark.parametrize("model", RESOLVERS)
def test_a_resolver_answers_for_every_mention_in_the_schema(model, drawn):
    found = RESOLVERS[model](drawn, NONE, Run(3))
    assert found.schema == CLUSTERING
    assert found["mention"].to_list() == drawn.mentions["id"].to_list()
    assert found["probability"].is_between(0.0, 1.0).all()
    first_seen = found["cluster"].unique(maintain_order=True).to_list()
    assert first_seen == list(range(len(first_seen)))


@pytest.mark.parametrize("model", RESOLVERS)
def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads(model, drawn):
    one, other = (RESOLVERS[model](drawn, NONE, Run(3, threads)) for threads in (1, 2))
    assert one.equals(other)


@pytest.mark.parametrize("model", RESOLVERS)
def test_decisions_are_obeyed(model, drawn):
    same, different = as_pairs([(0, 1), (1, 2), (5, 9)]), as_pairs([(0, 3), (4, 5), (6, 7), (7, 8)])
    found = RESOLVERS[model](drawn, Constraints(same, different), Run(1))["cluster"].to_numpy()
    assert (found[same[:, 0]] == found[same[:, 1]]).all()
    assert (found[different[:, 0]] != found[different[:, 1]]).all()


def test_identical_mentions_are_one_item_unless_a_curator_parts_them():
    twice = mentions([("J. Hands", "Thumbs"), ("J. Hands", "Thumbs"), ("J. Hands", None), ("J. Hands", None)])
    assert make_items(twice, NONE, titles=True).item.tolist() == [0, 0, 1, 2]
    apart = Constraints(as_pairs(()), as_pairs([(0, 1)]))
    assert make_items(twice, apart, titles=True).item.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "rows", [[], [("J. Hands", None)], [("...", None), ("?", "!"), ("of the", "Thumbs")], [("X", "y")] * 3]
)
@pytest.mark.parametrize("model", RESOLVERS)
def test_little_or_odd_input(model, rows):
    assert RESOLVERS[model](mentions(rows), NONE, Run(0)).height == len(rows)


def test_too_many_strings_are_refused_with_a_remedy(monkeypatch):
    monkeypatch.setattr(items_module, "MOST_STRINGS", 1)
    with pytest.raises(UsageError, match="use the default model"):
        resolve_dpv(mentions([("J. Hands", None), ("J. Feet", None)]), NONE, Run(0))


@pytest.mark.parametrize("model", ["dpvt", "dpvsw"])
@pytest.mark.parametrize("sampler", ["almost-gibbs", "gibbs", "split-merge", "split-merge-alone"])
def test_counts_kept_along_the_way_equal_fresh_ones(model, sampler, drawn):
    items = make_items(drawn, NONE, titles=True, unigram=True)
    chain = Chain(items.data, len(items.vocabulary), Settings(model, sampler, learn=True), stream(4))
    for _ in range(15):
        chain.sweep()
        assert_consistent(chain.state, items.data)


def assert_consistent(state: State, data) -> None:
    taken = np.unique(state.cluster)
    counts = dict.fromkeys(((int(w), int(s)) for w in np.unique(data.words) for s in taken), 0)
    for slot in taken:
        members = np.flatnonzero(state.cluster == slot)
        assert state.size[slot] == len(members)
        assert state.canonical[slot] in data.form[members]
        pairs = np.concatenate([np.arange(data.starts[m], data.starts[m + 1]) for m in members])
        assert state.own[slot] == state.active[pairs].sum()
        assert state.shared[slot] == (data.counts[pairs] - state.active[pairs]).sum()
        for pair in pairs:
            counts[int(data.words[pair]), int(slot)] += int(state.active[pair])
    for word, start in enumerate(state.list_starts[:-1]):
        entries = range(start, start + state.list_sizes[word])
        listed = {(word, int(state.listed[e])): int(state.tally[e]) for e in entries}
        assert listed == {key: n for key, n in counts.items() if key[0] == word and n > 0}


def test_titles_recover_venues_that_strings_alone_do_not():
    table = simulate(200, 4, beta=100.0, words=400, seed=3)
    blocked = mentions(list(table.select("venue", "title").iter_rows()))
    f1 = {model: pair_f1(model, blocked, table["cluster"].to_numpy()) for model in ("dpv", "dpvt")}
    assert f1["dpvt"] > 0.9
    assert f1["dpvt"] > f1["dpv"] + 0.1


def pair_f1(model, blocked: Blocked, true: np.ndarray, sweeps: int = 60) -> float:
    items = make_items(blocked, NONE, titles=model != "dpv", unigram=True)
    chain = Chain(items.data, len(items.vocabulary), Settings(model, beta=100.0), stream(8))
    for _ in range(sweeps):
        chain.sweep()
    return f1_of(labels_of(chain.state)[items.item], true)


def f1_of(labels: np.ndarray, true: np.ndarray) -> float:
    found, right = labels[:, None] == labels, true[:, None] == true
    return 2 * (found & right).sum() / (found.sum() + right.sum())


WEB = ["semantic", "ontology", "reasoning", "metadata", "query", "linked", "annotation", "knowledge"]
WEAR = ["wearable", "sensor", "gesture", "textile", "body", "mobile", "context", "activity", "display"]


def iswc() -> tuple[Blocked, np.ndarray]:
    """Two conferences called ISWC; three mentions in ten have the full name."""
    random = np.random.default_rng(0)
    names = ("International Semantic Web Conference", "International Symposium on Wearable Computers")
    true = np.repeat([0, 1], 40)
    rows = []
    for number, venue in enumerate(true):
        title = " ".join(random.choice((WEB, WEAR)[venue], size=6))
        rows.append((names[venue] if number % 10 < 3 else "ISWC", title))
    return mentions(rows), true


def test_two_venues_of_one_name_are_merged_by_their_strings_and_parted_by_their_titles():
    blocked, true = iswc()
    is_short = blocked.mentions["name"].to_numpy() == "ISWC"
    for model, parted in (("dpv", False), ("dpvt", True), ("dpvsw", True)):
        items = make_items(blocked, NONE, titles=model != "dpv", unigram=True)
        chain = Chain(items.data, len(items.vocabulary), Settings(model, beta=20.0), stream(1))
        for _ in range(100):
            chain.sweep()
        labels = chain.labels()[items.item]
        short = [set(labels[is_short & (true == venue)]) for venue in (0, 1)]
        assert short[0].isdisjoint(short[1]) == parted, model
        if not parted:
            assert short[0] == short[1]
