"""The figures of the stream paper as numbers, how much questions help, and the time of a record.

`samehand bench stream --set figure-2` and so on; bench/stream_pictures.py draws them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from samehand.bench import Options, Row
from samehand.bench.stream import (
    METHODS,
    RUNS,
    Method,
    Name,
    evidence,
    figures,
    load_library,
    means,
    measure,
    published,
)
from samehand.infer.random import State, stream, uniform
from samehand.models.stream.background import NOTHING, Background, Counts
from samehand.models.stream.evidence import FIELDS
from samehand.models.stream.filter import Filter, best, entropy, is_uncertain
from samehand.models.stream.mixture import GIBBS, PARTICLES, READINGS
from samehand.models.stream.persons import Distribution, Persons
from samehand.models.stream.replay import Ask
from samehand.models.stream.score import mean_f1
from samehand.models.stream.student import make_prior

Longs = npt.NDArray[np.int64]

INFERENCE = {
    "gibbs-total": replace(GIBBS, **READINGS["-total"]),
    "particles-total": replace(PARTICLES, **READINGS["-total"]),
}
"""The reading of the prior that comes nearest to the paper's tables."""
FEATURES = {
    "co-authors": ("coauthor_names",),
    "+ title words": ("coauthor_names", "title_words"),
    "+ venue": ("coauthor_names", "title_words", "venue"),
}
CASE = "Jing Zhang"
"""The name of figures 4 and 5."""
SEEN = (30, 60, 90, 120, 149)
TAUS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.9, 1.0)
"""The paper's, and more of them where the share asked falls from nearly all to nearly none."""
SHARES = (0.05, 0.1, 0.2)
SENSITIVITY: dict[str, tuple[int, ...]] = {
    "rank": (2, 5, 10, 15, 20),
    "alpha": (1, 10, 50, 100, 200, 500),
    "particles": (1, 10, 50, 100, 200, 500),
}
"""The values of figure 3; the paper's picture does not say which it drew."""
FIGURE_RUNS = 3
HALVINGS = 8


def _runs(options: Options, full: int = FIGURE_RUNS) -> int:
    return 1 if options.quick else full


def _names(options: Options, years: int) -> list[Name]:
    names = load_library(options.data_folder()).names(years)
    return names[:5] if options.quick else names


def features(options: Options) -> Iterator[Row]:
    """Figure 2: features added one by one."""
    names = _names(options, 2)
    for method, settings in INFERENCE.items():
        for title, columns in FEATURES.items():
            row = _mean(names, published(settings, columns), options)
            yield {"method": method, "features": title} | row


def sensitivity(options: Options) -> Iterator[Row]:
    """Figure 3: latent dimensions h, concentration alpha, particles M."""
    names = _names(options, 2)
    for parameter, values in SENSITIVITY.items():
        for method, settings in INFERENCE.items():
            if parameter != "particles" or settings.particles > 1:
                for value in values:
                    row = _mean(names, published(replace(settings, **{parameter: value})), options)  # type: ignore[arg-type]
                    yield {"method": method, "parameter": parameter, "value": value} | row


def _mean(names: Sequence[Name], method: Method, options: Options) -> Row:
    return means([measure(method, name, _runs(options), options.seed) for name in names])


def over_time(options: Options) -> Iterator[Row]:
    """Figure 4: mean F1 of the first records of one name's stream, as more of it is seen."""
    name = load_library(options.data_folder()).names(3, [CASE])[0]
    runs = _runs(options, RUNS)
    methods: dict[str, Method] = {method: published(settings) for method, settings in INFERENCE.items()}
    methods["evidence"] = METHODS["evidence"]
    for method, solve in methods.items():
        labels = [solve(name, options.seed + number) for number in range(1 if method == "evidence" else runs)]
        for seen in SEEN:
            scores = [mean_f1(name.truth[:seen], found[:seen], name.known) for found in labels]
            yield {"method": method, "records": seen, "mean_f1": float(np.mean(scores))}


@dataclass
class Curator:
    """Answers from the truth when asked, and counts the questions.

    A known person has his own label. A new person has the label most of whose records so far are his; where there is
    none, his record founds one.
    """

    name: Name
    asked: int = 0

    def answer(self, labels: Longs) -> int:
        """The label of the next record of the stream, given those so far."""
        self.asked += 1
        number, known = len(labels), self.name.known
        person = int(self.name.truth[number])
        if person < known:
            return person
        before = self.name.truth[:number]
        for label in dict.fromkeys(labels[before == person].tolist()):
            if label >= known and 2 * int((before[labels == label] == person).sum()) > int(
                (labels == label).sum()
            ):
                return int(label)
        return known + number


def active(options: Options) -> Iterator[Row]:
    """Figure 5: questions by entropy above tau ln |J| against as many at random, for one name."""
    name = load_library(options.data_folder()).names(3, [CASE])[0]
    runs = _runs(options, 20)
    for tau in TAUS[:: 3 if options.quick else 1]:
        share, f1 = _ask_filter(name, runs, options.seed, partial(is_uncertain, tau=tau))
        yield {"method": "particles-total-entropy", "tau": tau, "asked": share, "mean_f1": f1}
        share, f1 = _ask_filter(
            name, runs, options.seed, partial(_by_chance, share, stream(options.seed, str(tau)))
        )
        yield {"method": "particles-total-random", "tau": tau, "asked": share, "mean_f1": f1}


def _by_chance(share: float, state: State, distribution: dict[int, float]) -> bool:
    return uniform(state) < share


def _ask_filter(
    name: Name, runs: int, seed: int, wants: Callable[[dict[int, float]], bool]
) -> tuple[float, float]:
    """The share of a name's records asked about, and the mean F1, with the particle filter: means over runs."""
    shares, scores = [], []
    for number in range(runs):
        curator = Curator(name)

        def ask(labels: Longs, distribution: dict[int, float], curator: Curator = curator) -> int | None:
            return curator.answer(labels) if wants(distribution) else None

        labels = published(INFERENCE["particles-total"], ask=ask)(name, seed + number)
        shares.append(curator.asked / len(labels))
        scores.append(mean_f1(name.truth, labels, name.known))
    return float(np.mean(shares)), float(np.mean(scores))


Doubt = Callable[[Distribution[int], State], float]

DOUBTS: dict[str, Doubt] = {
    "margin": lambda found, chance: -found.margin,
    "entropy": lambda found, chance: entropy(dict(enumerate(found.probabilities.tolist()))),
    "random": lambda found, chance: uniform(chance),
}
"""How much a record is in doubt; those most in doubt are asked about."""


def asking(options: Options) -> Iterator[Row]:
    """Questions to the evidence model: by margin, by entropy, at random; shares of all records of the names."""
    for years in (2, 3):
        names = _names(options, years)
        for doubt in DOUBTS:
            for share in (0.0, *SHARES, 0.3):
                yield {"method": f"evidence-{doubt}", "years": years, "wanted": share} | asked_row(
                    names, share, options, doubt
                )


def asked_row(names: Sequence[Name], share: float, options: Options, doubt: str = "margin") -> Row:
    """The figures when at most this share of the records is asked about: those most in doubt.

    The threshold is found by halving: it is the same for all names, and no truth is looked at to choose it but what
    the answers themselves change.
    """
    low, high = (-12.0, 0.0) if doubt == "margin" else (0.0, 4.0 if doubt == "entropy" else 1.0)
    row = _asked(names, high, options, doubt)
    for _ in range(0 if share == 0.0 else HALVINGS):
        middle = (low + high) / 2
        tried = _asked(names, middle, options, doubt)
        if tried["asked"] <= share:
            high, row = middle, tried
        else:
            low = middle
    return row


def _asked(names: Sequence[Name], threshold: float, options: Options, doubt: str) -> Row:
    rows, asked = [], 0
    for name in names:
        curator, chance = Curator(name), stream(options.seed, f"questions {name.name}")
        started = time.process_time()
        labels = evidence(name, ask=_asker(curator, DOUBTS[doubt], threshold, chance))
        seconds = time.process_time() - started
        strict, lenient = figures(name, labels)
        asked += curator.asked
        rows.append(
            {
                "mean_f1": strict,
                "mean_f1_lenient": lenient,
                "records": len(labels),
                "seconds_per_record": seconds / len(labels),
            }
        )
    row = means(rows)
    return row | {"asked": asked / row["records"], "threshold": threshold}


def _asker(curator: Curator, doubt: Doubt, threshold: float, chance: State) -> Ask:
    def ask(labels: Longs, distribution: Distribution[int]) -> int | None:
        return curator.answer(labels) if doubt(distribution, chance) > threshold else None

    return ask


BINS = (0.0, 0.4, 0.6, 0.8, 0.9, 0.95, 1.0)


def calibration(options: Options) -> Iterator[Row]:
    """How often the likeliest person is right, by the probability that the evidence model gives him."""
    for years in (2, 3):
        seen: list[tuple[float, bool]] = []
        for name in _names(options, years):
            evidence(name, ask=_watcher(Curator(name), seen))
        probability, right = np.array(seen).T
        for low, high in pairwise(BINS):
            inside = (probability > low) & (probability <= high)
            if inside.any():
                yield {
                    "method": "evidence",
                    "years": years,
                    "from": low,
                    "to": high,
                    "records": int(inside.sum()),
                    "probability": float(probability[inside].mean()),
                    "right": float(right[inside].mean()),
                }


def _watcher(curator: Curator, seen: list[tuple[float, bool]]) -> Ask:
    """Notes the likeliest person's probability and whether he is right, and asks nothing."""

    def ask(labels: Longs, distribution: Distribution[int]) -> int | None:
        new = curator.name.known + len(labels)
        chosen = new if distribution.best is None else distribution.best
        seen.append((float(distribution.probabilities[0]), chosen == curator.answer(labels)))
        return None

    return ask


KNOWN, STREAMED, RANK = 100, 200, 10


def speed(options: Options) -> Iterator[Row]:
    """Processor seconds of a record with 100 particles and 100 known persons, on generated records."""
    random = np.random.default_rng(options.seed)
    labels = np.repeat(np.arange(KNOWN), 5)
    centres = random.normal(size=(2 * KNOWN, RANK))
    points = centres[labels] + 0.3 * random.normal(size=(len(labels), RANK))
    later = centres[random.integers(0, 2 * KNOWN, STREAMED)] + 0.3 * random.normal(size=(STREAMED, RANK))
    prior = make_prior(points.mean(axis=0), np.cov(points.T), 100.0, RANK + 100.0)
    for method, particles, optimal in (
        ("gibbs", 1, True), ("particles", 100, False), ("particles-optimal", 100, True),
    ):  # fmt: skip
        seconds = []
        for _ in range(2):
            started = Filter(
                prior, points, labels, stream(options.seed), particles=particles, optimal=optimal
            )
            seconds.append(_seconds(partial(_filter_all, started, later)))
        yield {"method": method, "records": STREAMED, "seconds_per_record": min(seconds) / STREAMED}
    yield {"method": "evidence", "records": STREAMED, "seconds_per_record": _evidence_seconds(random, labels)}


def _filter_all(started: Filter, records: npt.NDArray[np.float64]) -> None:
    for record in records:
        best(started.predict(record))
        started.accept()


def _evidence_seconds(random: np.random.Generator, labels: Longs) -> float:
    """The same for the evidence model: each person has words of his own, and all share others."""
    corpus = Counts(({"word": 100_000},) * len(FIELDS), (100_000,) * len(FIELDS))

    def record(person: int) -> dict[str, list[str] | int]:
        words = [f"{person} {word}" for word in random.integers(0, 20, 3)]
        shared = [f"{word}" for word in random.integers(0, 500, 4)]
        return dict.fromkeys(FIELDS, words + shared) | {"year": 2000}

    persons: Persons[int] = Persons(Background(corpus, NOTHING))
    for label in labels.tolist():
        persons.learn(record(label), label, certain=True)
    later = [record(int(person)) for person in random.integers(0, 2 * KNOWN, STREAMED)]

    def assign_all() -> None:
        for number, new in enumerate(later):
            found = persons.assign(new).best
            persons.learn(new, KNOWN + number if found is None else found)

    return _seconds(assign_all) / STREAMED


def _seconds(work: Callable[[], None]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


FIGURES: dict[str, Callable[[Options], Iterator[Row]]] = {
    "figure-2": features,
    "figure-3": sensitivity,
    "figure-4": over_time,
    "figure-5": active,
    "asking": asking,
    "calibration": calibration,
    "speed": speed,
}
"""Set -> its rows."""
