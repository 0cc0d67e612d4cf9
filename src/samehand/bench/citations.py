"""`samehand bench citations`: the four sets of raw citations of the 2003 paper, by every method.

    phrases               phrase matching, the paper's baseline
    published             the paper's model: figures averaged over sampled states;  published-best: of the best state
    published-versions    the same with works divided into versions;  published-versions-best: of the best state
    samehand              the default resolver, its weights learned from the other sets
    errors                the true papers that the default resolver does not recover, by what went wrong

`paper_exact` is the share of clusters that the 2003 paper reports for the method. Reading the citations (the parser
is learned from the strings of the set alone) is counted in the seconds of the methods that need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from samehand.bench import Options, Row
from samehand.bench.citation_errors import kinds_of_error
from samehand.bench.labelled import SCORES, Labelled, labelled_sets, stopwatch
from samehand.curate.constraints import NONE
from samehand.evaluate import evaluate
from samehand.infer.run import Run
from samehand.models.citations import phrases
from samehand.models.citations.fill import read_as
from samehand.models.citations.parsing import learn as learn_parser
from samehand.models.citations.parsing.parse import Parse
from samehand.models.citations.published import build, sampled
from samehand.models.citations.published.versions import divide
from samehand.models.papers import clustered
from samehand.models.papers.compare import Compared, compare
from samehand.models.papers.evidence import PLACE
from samehand.models.papers.learn import Lesson, learn
from samehand.models.papers.links import Longs
from samehand.models.papers.weights import Weights
from samehand.read import read

REPORTED = {
    "citeseer-face": (0.94, 0.97),
    "citeseer-reinforcement": (0.79, 0.94),
    "citeseer-reasoning": (0.86, 0.96),
    "citeseer-constraint": (0.89, 0.93),
}
"""Share of clusters recovered exactly, by phrase matching and by the model (table 1 of the paper)."""
QUICK = ("citeseer-constraint", "citeseer-face")
SAMPLES_SCORED = 10
FEW = 5


@dataclass(frozen=True)
class Citations:
    """A labelled set of raw citations with their readings, and the records read off them, compared."""

    name: str
    truth: pl.DataFrame
    texts: list[str]
    ids: pl.Series
    readings: list[list[Parse]]
    compared: Compared
    seconds: dict[str, float]

    def lesson(self) -> Lesson:
        """What the default resolver learns from this set."""
        known = self.ids.alias("id").to_frame().join(self.truth, on="id", how="left", maintain_order="left")
        number = known["cluster"].rank("dense").cast(pl.Int64).fill_null(0).to_numpy() - 1
        papers = np.full(self.compared.records.facts.height, -1, np.int64)
        papers[self.compared.records.record] = number
        return Lesson(self.compared.rows, self.compared.pairs, papers)


def run(options: Options) -> Iterator[Row]:
    """One row for each set and method; all sets are read, because each is tested with weights learned from the
    others."""
    wanted = labelled_sets(replace(options, set=None), "citations")
    sets = [
        load(labelled, options.seed)
        for labelled in wanted
        if not options.quick or _short(labelled.name) in QUICK
    ]
    for chosen in sets:
        if options.set in (None, chosen.name, _short(chosen.name)):
            rows = [*_phrases(chosen), *_published(chosen, options), *_samehand(chosen, sets, options)]
            yield from (row for row in rows if options.method in (None, row["method"]))


def load(labelled: Labelled, seed: int) -> Citations:
    """A set, its citations read by a parser learned from them, and compared."""
    references = read(labelled.records).references
    texts = references["text"].to_list()
    with stopwatch() as parsing:
        readings = learn_parser(texts, seed=seed).parses_of(texts)
    with stopwatch() as comparing:
        best = [each[0] for each in readings]
        compared = compare(read_as(references, best), NONE, 1)
    seconds = {"parse_seconds": parsing["seconds"], "compare_seconds": comparing["seconds"]}
    truth = pl.read_csv(labelled.truth, schema_overrides={"id": pl.String, "cluster": pl.String})
    return Citations(labelled.name, truth, texts, references["id"], readings, compared, seconds)


def _short(name: str) -> str:
    return name.split("/")[1]


def _figures(chosen: Citations, labels: Longs) -> Row:
    predicted = pl.DataFrame({"id": chosen.ids, "entity": labels})
    found = evaluate(predicted, chosen.truth).figures
    return {name: found[name] for name in SCORES}


def _row(chosen: Citations, method: str, figures: Row, seconds: float) -> Row:
    row = {"bench": "citations", "set": chosen.name, "method": method} | figures | {"seconds": seconds}
    phrase, model = REPORTED.get(_short(chosen.name), (None, None))
    return row | {"paper_exact": phrase if method == "phrases" else model}


def _phrases(chosen: Citations) -> Iterator[Row]:
    with stopwatch() as watch:
        labels = phrases.matched(chosen.texts)
    yield _row(chosen, "phrases", _figures(chosen, labels), watch["seconds"])


def _published(chosen: Citations, options: Options) -> Iterator[Row]:
    sampled(
        build(chosen.texts[:FEW], chosen.readings[:FEW]), options.seed
    )  # kernels are loaded before the clock starts
    with stopwatch() as watch:
        world = build(chosen.texts, chosen.readings)
        chain = sampled(world, options.seed)
    years = np.array([each[0].year or 0 for each in chosen.readings], np.int64)
    states = zip(chain.labels, chain.parses, strict=True)
    divided = np.array([divide(label, world.kind[parse], years) for label, parse in states])
    seconds = chosen.seconds["parse_seconds"] + watch["seconds"]
    best = int(np.argmax(chain.scores))
    for method, samples in (("published", chain.labels), ("published-versions", divided)):
        places = np.linspace(0, len(samples) - 1, SAMPLES_SCORED).astype(int)
        scored = [_figures(chosen, samples[place]) for place in places]
        mean = {name: float(np.mean([each[name] for each in scored])) for name in SCORES}
        yield _row(chosen, method, mean, seconds)
        yield _row(chosen, f"{method}-best", _figures(chosen, samples[best]), seconds)


def _samehand(chosen: Citations, sets: list[Citations], options: Options) -> Iterator[Row]:
    weights = learn([other.lesson() for other in sets if other.name != chosen.name])
    with stopwatch() as watch:
        found = clustered(chosen.compared, chosen.ids, Run(options.seed), weights)
    seconds = watch["seconds"] + sum(chosen.seconds.values())
    labels = found["cluster"].to_numpy().astype(np.int64)
    yield _row(chosen, "samehand", _figures(chosen, labels), seconds)
    facts = chosen.compared.records.facts[chosen.compared.records.record]
    for row in kinds_of_error(chosen.ids, labels, chosen.truth, facts, chosen.texts):
        yield {"bench": "citations", "set": chosen.name, "method": "errors"} | row


BY_HAND = {"identifier_equal": (6.0, 4.0), "identifier_conflict": (0.0, -4.0), "number_conflict": (-2.0, 0.0)}
"""Weights of works and of versions for what the sets hardly show: identifiers, and numbered titles."""


def default_weights(options: Options) -> Weights:
    """The weights that ship with samehand: learned from all sets of raw citations, a few set by hand.

    `default.toml` is what `default_weights(Options(data=...)).toml()` gives.
    """
    sets = [
        load(labelled, options.seed) for labelled in labelled_sets(replace(options, set=None), "citations")
    ]
    weights = learn([each.lesson() for each in sets])
    for name, (work, version) in BY_HAND.items():
        weights.work[PLACE[name]], weights.version[PLACE[name]] = work, version
    return weights
