"""`samehand bench venues`: tables 1 and 4 of the 2008 paper on the labelled venue sets, and on data drawn from the model.

Each model is run as five chains from singletons; figures are means over the chains' last states, `b3_f1_deviation`
and its like the standard deviations, `b3_f1_low` and `b3_f1_high` the means of the chains' bootstrap bounds.
`seconds_per_1000_sweeps` is processor time of one core. `gibbs` and `split-merge` have the paper's improper prior of
canonical strings, its alpha and its beta, read as the concentration of each title word; `spiked` is split-merge with
that beta read as the sum over all words; `unigram` is split-merge with the unigram prior, and `learned` has moreover
alpha and beta drawn along.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import cast

import numpy as np
import polars as pl

from samehand.bench import Options, Row
from samehand.bench.labelled import labelled_sets, stopwatch
from samehand.block import Blocked, block
from samehand.curate.constraints import NONE
from samehand.errors import UsageError
from samehand.evaluate import evaluate
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.models import Resolver
from samehand.models.baseline import venues as baseline
from samehand.models.venues.chain import BETA, Chain, Model, Sampler, Settings, as_published
from samehand.models.venues.items import Items, make_items
from samehand.models.venues.simulate import simulate
from samehand.normalise.mentions import venue_mentions
from samehand.read import read
from samehand.records import Reference, references_frame

MODELS: tuple[Model, ...] = ("dpv", "dpvt", "dpvsw")
SAMPLERS: dict[str, Sampler] = {"gibbs": "almost-gibbs", "split-merge": "split-merge"}
METHODS = (
    "str",
    "dpv-gibbs", "dpv-split-merge", "dpv-unigram", "dpv-learned",
    "dpvt-gibbs", "dpvt-split-merge", "dpvt-spiked", "dpvt-unigram", "dpvt-learned",
    "dpvsw-gibbs", "dpvsw-split-merge", "dpvsw-unigram", "dpvsw-learned",
    "links",
)  # fmt: skip

DRAWN = {"drawn": 1.0, "drawn-shared": 0.4}
"""Sets drawn from the model, unigram prior, 12 venues, beta 100: the share of title words that are a venue's own."""
FIGURES = ("b3_precision", "b3_recall", "b3_f1", "clusters")
LINKS = "samehand.models.venues.links"


@dataclass(frozen=True)
class Effort:
    """How many chains, how many sweeps each, how many mentions to draw, and how many to take of a labelled set."""

    chains: int
    sweeps: int
    drawn: int
    taken: int | None = None


FULL, QUICK = Effort(5, 100, 1_000), Effort(2, 20, 400, 400)


def run(options: Options) -> Iterator[Row]:
    """One row for each set and method; a set without titles is for DPV only."""
    effort = QUICK if options.quick else FULL
    for name, blocked, truth in venue_sets(options, effort):
        for method in METHODS:
            if options.method in (None, method) and _applies(method, blocked):
                figures = measure(method, blocked, truth, effort, options.seed)
                yield {"bench": "venues", "set": name, "method": method} | figures


def venue_sets(options: Options, effort: Effort) -> Iterator[tuple[str, Blocked, pl.DataFrame]]:
    """Name, mentions and truth of each set; without --data, of those drawn from the model."""
    for labelled in labelled_sets(options, "venues") if options.data is not None else ():
        truth = pl.read_csv(labelled.truth, schema_overrides={"cluster": pl.String})
        references = read(labelled.records).references.head(effort.taken or 10**9)
        yield labelled.name, mentions_of(references), truth.join(references, on="id", how="semi")
    for name, special in DRAWN.items():
        if options.set in (None, name, f"venues/{name}"):
            drawn = simulate(effort.drawn, 12, beta=100.0, words=2_000, special=special, seed=options.seed)
            yield f"venues/{name}", drawn_mentions(drawn), drawn.select("id", "cluster")


def mentions_of(references: pl.DataFrame) -> Blocked:
    """The venue mentions of references."""
    return block("venue", venue_mentions(references), references)


def drawn_mentions(drawn: pl.DataFrame) -> Blocked:
    """The venue mentions of a table with `id`, `venue` and `title`."""
    rows = drawn.select("id", "venue", "title").iter_rows()
    return mentions_of(
        references_frame(
            [
                Reference("drawn", line, id=name, scope="venue", venue=venue, title=title)
                for line, (name, venue, title) in enumerate(rows, 1)
            ]
        )
    )


def _applies(method: str, blocked: Blocked) -> bool:
    if method == "links":
        return find_spec(LINKS) is not None
    has_titles = bool((blocked.mentions["title_key"] != "").any())
    return has_titles or not method.startswith(("dpvt", "dpvsw"))


def measure(method: str, blocked: Blocked, truth: pl.DataFrame, effort: Effort, seed: int) -> Row:
    """The figures of one method on one set."""
    if method in ("str", "links"):
        return _one(baseline.resolve if method == "str" else _links(), blocked, truth, seed)
    model, _, variant = method.partition("-")
    items = make_items(blocked, NONE, titles=model != "dpv", unigram=variant in ("unigram", "learned"))
    settings = _settings(cast(Model, model), variant, len(items.vocabulary))
    chains = [
        run_chain(items, settings, f"{seed} {number}", effort.sweeps) for number in range(effort.chains)
    ]
    seconds = sum(spent for _, spent in chains)
    results = [score(chain, items, blocked, truth) for chain, _ in chains]
    return _summary(results) | {
        "mentions": truth.height,
        "items": len(items.data.form),
        "strings": len(items.data.likeness),
        "alpha": float(np.mean([chain.alpha for chain, _ in chains])),
        "beta": float(np.mean([chain.beta for chain, _ in chains])) if items.vocabulary else None,
        "sweeps": effort.sweeps,
        "seconds_per_1000_sweeps": 1_000 * seconds / effort.sweeps / effort.chains,
    }


def _settings(model: Model, variant: str, words: int) -> Settings:
    if variant == "learned":
        return Settings(model, learn=True)
    if variant == "spiked":
        return Settings(model, beta=BETA)
    return as_published(model, SAMPLERS.get(variant, "split-merge"), words)


def run_chain(items: Items, settings: Settings, key: str, sweeps: int) -> tuple[Chain, float]:
    """A chain after so many sweeps, and the processor time they took; kernels are loaded before the clock starts."""
    Chain(items.data, len(items.vocabulary), settings, stream(0, "first")).sweep()
    chain = Chain(items.data, len(items.vocabulary), settings, stream(0, key))
    started = time.process_time()
    for _ in range(sweeps):
        chain.sweep()
    return chain, time.process_time() - started


def score(
    chain: Chain, items: Items, blocked: Blocked, truth: pl.DataFrame, *, intervals: bool = True
) -> Row:
    """The figures of a chain's present state."""
    found = pl.DataFrame({"id": blocked.mentions["id"], "cluster": chain.labels()[items.item]})
    return _figures(found, truth, intervals=intervals)


def _figures(found: pl.DataFrame, truth: pl.DataFrame, *, intervals: bool = True) -> Row:
    result = evaluate(found, truth, intervals=intervals, worst=1)
    row: Row = {name: result.figures[name] for name in FIGURES}
    if intervals:
        row["b3_f1_low"], row["b3_f1_high"] = result.intervals["b3_f1"]
    return row


def _summary(results: list[Row]) -> Row:
    """Means over chains, and the deviations of the scores."""
    row: Row = {name: float(np.mean([result[name] for result in results])) for name in results[0]}
    for name in FIGURES[:3]:
        row[f"{name}_deviation"] = float(np.std([result[name] for result in results], ddof=1))
    return row


def _one(resolve: Resolver, blocked: Blocked, truth: pl.DataFrame, seed: int) -> Row:
    """The figures of a resolver that is run once."""
    with stopwatch() as figures:
        found = resolve(blocked, NONE, Run(seed))
    return _figures(found.rename({"mention": "id"}), truth) | {"mentions": truth.height} | figures


def _links() -> Resolver:
    from importlib import import_module

    module = import_module(LINKS)
    if not hasattr(module, "resolve"):
        raise UsageError(f"{LINKS} has no resolver")
    return cast(Resolver, module.resolve)
