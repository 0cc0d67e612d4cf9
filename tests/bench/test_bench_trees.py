"""The tree papers' experiments on small invented bibliographies."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from samehand.bench import Options, authors, more_data_helps, trees_vs_pairwise
from samehand.bench.author_sets import first_blocks, read_authors
from samehand.bench.rounds import Rounds, pairwise_f1, temperature, true_clusters
from samehand.bench.trees_vs_pairwise import LEVELS, Race, climb, made, shifted, speed_up
from samehand.curate.constraints import NONE
from samehand.evaluate.synthetic.laws import ACL_A
from samehand.infer.run import Run
from samehand.models.trees import Work, lay_out, with_topics
from samehand.models.trees import layout as at
from samehand.models.trees.settings import Settings, published

SMALL = 600


@pytest.fixture(scope="module")
def settings() -> Settings:
    return shifted(published("trees-2012"), -0.2)


@pytest.fixture(scope="module")
def bibliography() -> tuple:
    return made(ACL_A, SMALL, 3)


@pytest.fixture(scope="module")
def work(bibliography: tuple, settings: Settings) -> Work:
    return lay_out(bibliography[0], NONE, settings)


@pytest.mark.parametrize("model", ["trees", "pairwise"])
def test_blocks_climb_together_from_singletons(
    model: str, work: Work, bibliography: tuple, settings: Settings
) -> None:
    true = true_clusters(work, bibliography[1])
    rounds = Rounds(model, work, settings, 0)
    assert len(np.unique(work.clusters(rounds.labels))) == SMALL
    singletons = rounds.pairwise_f1(true)
    for sweep in range(8):
        rounds.sweep(temperature(settings, sweep))
    several = np.diff(work.block_starts)
    assert rounds.samples == 8 * several[several > 1].sum()
    assert rounds.pairwise_f1(true) > singletons + 0.4


def test_a_block_alone_gives_what_it_gives_among_others(
    work: Work, bibliography: tuple, settings: Settings
) -> None:
    largest = int(np.argmax(np.diff(work.block_starts)))
    begin, end = work.block_starts[largest : largest + 2]
    blocked = bibliography[0]
    mentions = blocked.mentions.filter(block=work.keys[largest])
    alone = Rounds("trees", lay_out(replace(blocked, mentions=mentions), NONE, settings), settings, 0)
    together = Rounds("trees", work, settings, 0)
    for sweep in range(5):
        alone.sweep(temperature(settings, sweep))
        together.sweep(temperature(settings, sweep))
    assert len(np.unique(alone.labels)) < mentions.height == end - begin
    assert alone.labels.tolist() == together.labels[begin:end].tolist()


def test_mentions_that_are_not_there_yet_stand_alone_until_they_arrive(
    work: Work, settings: Settings
) -> None:
    sizes = np.diff(work.block_starts)
    half = sizes // 2
    place = np.arange(work.block_starts[-1]) - np.repeat(work.block_starts[:-1], sizes)
    absent = place >= np.repeat(half, sizes)
    rounds = Rounds("trees", work, settings, 0, half)
    for sweep in range(10):
        rounds.sweep(temperature(settings, sweep))
    assert (rounds.labels[absent] == place[absent]).all()
    assert (rounds.labels[~absent] != place[~absent]).any()
    settled = rounds.labels.copy()
    rounds.add(sizes)
    for _ in range(10):
        rounds.sweep(0.1)
    assert (rounds.labels[absent] != place[absent]).mean() > 0.5
    assert (rounds.labels[~absent] == settled[~absent]).mean() > 0.3


def test_f1_looks_at_known_mentions_only() -> None:
    assert pairwise_f1(np.array([0, 0, -1, -1]), np.array([1, 1, 1, 1])) == 1.0
    assert pairwise_f1(np.array([0, 0, 0, 1]), np.array([1, 1, 2, 2])) == pytest.approx(0.4)


def test_a_race_ends_at_the_highest_level_or_when_time_is_up(work: Work, bibliography: tuple) -> None:
    true = true_clusters(work, bibliography[1])
    easy = shifted(published("trees-2012"), -0.1)
    rows = list(climb("pairwise", work, true, easy, 60.0, 0))
    assert rows[-1]["pairwise_f1"] >= LEVELS[-1]
    assert all(row["pairwise_f1"] < LEVELS[-1] for row in rows[:-1])
    assert [row["sweep"] for row in rows] == list(range(1, len(rows) + 1))
    assert len(list(climb("pairwise", work, true, easy, 0.0001, 0))) == 1


def test_the_speed_up_is_the_ratio_of_the_first_times() -> None:
    def points(model: str, *found: tuple[float, float]) -> list[dict]:
        return [{"model": model, "seconds": s, "pairwise_f1": f1} for s, f1 in found]

    curves = points("trees", (1, 0.5), (2, 0.7), (3, 0.65)) + points("pairwise", (8, 0.59), (30, 0.61))
    limits = {"trees": 10.0, "pairwise": 30.0}
    assert speed_up(curves, 0.6, limits)["speed_up"] == 15
    assert speed_up(curves, 0.62, limits)["at_least"] == 15
    assert speed_up(curves, 0.62, limits | {"pairwise": 31.0})["at_least"] is None
    missed = speed_up(curves, 0.9, limits)
    assert missed["speed_up"] is missed["at_least"] is None
    assert "trees not reached, best 0.700: no longer rises after 3 s" in missed["note"]
    assert "pairwise not reached, best 0.610: time up after 30 s" in missed["note"]


def test_a_race_yields_all_rows_and_pictures(
    tmp_path: Path, bibliography: tuple, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees_vs_pairwise, "QUICK", (Race("tiny", 500, ACL_A, 0.5, ("printed", "tuned")),))
    rows = list(trees_vs_pairwise.run(Options(quick=True)))
    assert {row["method"] for row in rows} == {"data", "trees", "pairwise", "speed-up"}
    assert [row["level"] for row in rows if row["method"] == "speed-up"] == [0.6, 0.9] * 2
    assert rows[0]["mentions"] == 500
    trees_vs_pairwise.draw(rows, tmp_path)
    drawn = sorted(path.name for path in tmp_path.iterdir())
    assert drawn == ["trees-race-tiny-printed.svg", "trees-race-tiny-tuned.svg"]
    only = list(trees_vs_pairwise.run(Options(quick=True, method="trees")))
    assert {row["method"] for row in only} == {"data", "trees"}


def test_growing_marks_batches_and_scores_the_first_half(tmp_path: Path, bibliography: tuple) -> None:
    blocked, truth = bibliography
    plan = more_data_helps.Plan(halves=1, alone=4, per_batch=2)
    with_more, alone = (
        list(more_data_helps.grow("trees-2013", blocked, truth, arrivals, plan, 0))
        for arrivals in ("batches", "none")
    )
    assert len(with_more) == len(alone) == 4 + 8 * 2
    assert [row["mentions"] for row in with_more[2:6]] == [300, 300, 337, 337]
    assert with_more[-1]["mentions"] == SMALL
    assert {row["mentions"] for row in alone} == {300}
    assert [row["pairwise_f1"] for row in with_more[:4]] == [row["pairwise_f1"] for row in alone[:4]]
    named = [
        {"set": "tiny", "method": "trees-2013", "arrivals": arrivals, "half": 0} | row
        for arrivals, rows in (("batches", with_more), ("none", alone))
        for row in rows
    ]
    more_data_helps.draw(named, tmp_path)
    assert (tmp_path / "trees-more-data-tiny.svg").read_text().startswith("<svg")


def test_every_method_is_measured(bibliography: tuple) -> None:
    blocked, truth = bibliography
    for method in authors.METHODS.keys() - {authors.LEFT_OUT}:
        row = authors.measure(method, authors._resolve(method, "tiny", {}), blocked, truth, Run(0, 1))
        assert row["mentions"] == SMALL
        assert row["b3_f1_low"] <= row["b3_f1"] <= row["b3_f1_high"]
        assert row["mentions_per_second"] > 0


def test_topics_replace_title_words(bibliography: tuple) -> None:
    blocked, _ = bibliography
    fields = published("trees-2013")
    words = lay_out(blocked, NONE, fields).bags
    topics = lay_out(with_topics(blocked, topics=5), NONE, fields).bags
    topic_field = fields.fields.index("topics")
    assert (words.field == topic_field).sum() > 100
    assert 1 <= (topics.field == topic_field).sum() <= 5
    assert fields.weights[topic_field, at.COSINE] == 8.0


def test_initials_and_whole_blocks(tmp_path: Path) -> None:
    names = ["Anna-Maria Eva", "Axel", "Anna"]
    table = pl.DataFrame(
        {"id": ["a", "b", "c"], "first": names, "last": ["Holm", "Holm", "Berg"], "title": ["On hands"] * 3}
    )
    table.write_parquet(tmp_path / "three.parquet")
    cut = read_authors(tmp_path / "three.parquet", initials=True).mentions
    assert cut.select("first", "last").rows()[1:] == [("a", "holm"), ("a", "berg")]
    assert cut["first"].str.len_chars().max() <= 3
    assert first_blocks(read_authors(tmp_path / "three.parquet"), 1).mentions["id"].to_list() == ["a", "b"]


def test_labelled_sets_are_found_and_limited(tmp_path: Path) -> None:
    folder = tmp_path / "authors"
    folder.mkdir()
    rows = pl.DataFrame(
        {
            "id": [f"m{n}" for n in range(6)],
            "first": ["Anna", "Anna", "Axel"] * 2,
            "last": ["Holm"] * 6,
            "title": ["Hands of scribes", "Scribes and hands", "Bridges"] * 2,
        }
    )
    rows.write_ndjson(folder / "acl-a.jsonl.gz", compression="gzip")
    truth = rows.select("id", cluster="first").write_csv()

    (folder / "acl-a.truth.csv.gz").write_bytes(gzip.compress(truth.encode()))
    found = list(authors.run(Options(data=tmp_path, method="baseline")))
    assert [row["set"] for row in found] == ["authors/acl-a", "authors/acl-a-initials"]
    assert found[0]["b3_f1"] > found[1]["b3_f1"]
    limited = list(authors.run(Options(data=tmp_path, set="acl-a-initials", method="baseline")))
    assert [row["set"] for row in limited] == ["authors/acl-a-initials"]
