"""`samehand bench venue-pictures`: figures 2 and 3 and table 2 of the 2008 paper, and two venues under one name.

Rows, by `method`: `sweeps` (B-cubed F1 after some sweeps, by sampler), `beta` and `alpha` (F1 over a grid of each),
`words` (the title words most typical of a cluster), `one-name` (two venues, most of whose mentions are renamed to one
string, the others bearing the full name; scored on these two alone). `draw` makes pictures of the first three.

`prior` is `uniform` (the paper's, improper) or `unigram`. The sets are rexa and one drawn from the model; without --data
the latter alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from samehand.bench import Options, Row
from samehand.bench.curves import OTHER, curve, write_svg
from samehand.bench.venues import MODELS, Effort, mentions_of, score, venue_sets
from samehand.block import Blocked
from samehand.curate.constraints import NONE
from samehand.infer.random import stream
from samehand.models.venues.chain import Chain, Sampler, Settings, as_published
from samehand.models.venues.items import Items, make_items
from samehand.models.venues.special_words import shared_counts
from samehand.models.venues.state import word_count
from samehand.publish.charts import AFTER, BEFORE

SETS = ("venues/rexa", "venues/drawn")
CURVES: tuple[Sampler, ...] = ("split-merge", "almost-gibbs", "split-merge-alone")
PRIORS = ("uniform", "unigram")
BETAS = (0.1, 0.6, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
ALPHAS = (0.001, 0.01, 0.1, 1.0, 10.0)
RENAMED, SHARE = "xyz", 0.7
"""The one name, and how many of the mentions of either venue get it."""

FULL, QUICK = Effort(2, 100, 500), Effort(2, 10, 300, 300)
SHOWN = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 1_000)
METHODS = ("sweeps", "beta", "alpha", "words", "one-name")


def run(options: Options) -> Iterator[Row]:
    """All rows of both sets."""
    effort = QUICK if options.quick else FULL
    parts = {
        "sweeps": sweeps,
        "beta": sensitivity,
        "alpha": sensitivity,
        "words": words,
        "one-name": one_name,
    }
    for name, blocked, truth in venue_sets(options, effort):
        if name in SETS or options.set is not None:
            for method in METHODS:
                if options.method in (None, method):
                    for row in parts[method](blocked, truth, effort, method):
                        yield {"bench": "venue-pictures", "set": name, "method": method} | row


def sweeps(blocked: Blocked, truth: pl.DataFrame, effort: Effort, method: str) -> Iterator[Row]:
    """Figure 2: F1 of DPVT after sweeps, a mean over chains."""
    for prior in PRIORS:
        items = make_items(blocked, NONE, titles=True, unigram=prior == "unigram")
        for sampler in CURVES:
            settings = as_published("dpvt", sampler, len(items.vocabulary))
            found = [
                _climb(items, settings, blocked, truth, effort, number) for number in range(effort.chains)
            ]
            for place, sweep in enumerate(_shown(effort)):
                mean = float(np.mean([chain[place] for chain in found]))
                yield {"prior": prior, "sampler": sampler, "sweep": sweep, "b3_f1": mean}


def _shown(effort: Effort) -> list[int]:
    return [sweep for sweep in SHOWN if sweep <= effort.sweeps]


def _climb(
    items: Items, settings: Settings, blocked: Blocked, truth: pl.DataFrame, effort: Effort, number: int
) -> list[float]:
    """F1 after each of the sweeps shown."""
    chain = _chain(items, settings, number)
    found = []
    for sweep in range(1, effort.sweeps + 1):
        chain.sweep()
        if sweep in SHOWN:
            found.append(float(score(chain, items, blocked, truth, intervals=False)["b3_f1"]))
    return found


def _chain(items: Items, settings: Settings, number: int) -> Chain:
    return Chain(items.data, len(items.vocabulary), settings, stream(0, f"pictures {number}"))


def sensitivity(blocked: Blocked, truth: pl.DataFrame, effort: Effort, method: str) -> Iterator[Row]:
    """Figure 3: F1 of DPVT's last state over a grid of alpha or beta, the other one fixed."""
    for prior in PRIORS:
        items = make_items(blocked, NONE, titles=True, unigram=prior == "unigram")
        for value in BETAS if method == "beta" else ALPHAS:
            settings = as_published("dpvt", "split-merge", len(items.vocabulary))
            settings = replace(settings, beta=value) if method == "beta" else replace(settings, alpha=value)
            short = replace(effort, sweeps=max(effort.sweeps // 4, 1))
            yield {"prior": prior, method: value} | _last(items, settings, blocked, truth, short)


def _last(items: Items, settings: Settings, blocked: Blocked, truth: pl.DataFrame, effort: Effort) -> Row:
    """Mean scores of the last states."""
    found = []
    for number in range(effort.chains):
        chain = _chain(items, settings, number)
        for _ in range(effort.sweeps):
            chain.sweep()
        found.append(score(chain, items, blocked, truth, intervals=False))
    return {name: float(np.mean([row[name] for row in found])) for name in found[0]}


def words(blocked: Blocked, truth: pl.DataFrame, effort: Effort, method: str) -> Iterator[Row]:
    """Table 2: of the largest clusters of DPVSW, a member's string and the words typical of it."""
    items = make_items(blocked, NONE, titles=True, unigram=True)
    chain = _chain(items, as_published("dpvsw", "split-merge", len(items.vocabulary)), 0)
    for _ in range(effort.sweeps):
        chain.sweep()
    names = blocked.mentions["name"].to_list()
    first = np.unique(items.item, return_index=True)[1]
    sizes = np.bincount(chain.state.cluster)
    for slot in np.argsort(-sizes, kind="stable")[:12].tolist():
        member = int(np.flatnonzero(chain.state.cluster == slot)[0])
        yield {
            "venue": names[first[member]],
            "items": int(sizes[slot]),
            "words": ", ".join(typical_words(chain, items, slot)),
        }


def typical_words(chain: Chain, items: Items, slot: int, count: int = 8) -> list[str]:
    """The words w with the largest  n_cw ln( p(w | cluster) / p(w | corpus-wide distribution) ).

    It is the share of a word in the evidence that the cluster's titles are not everybody's.
    """
    vocabulary = len(items.vocabulary)
    share = chain.beta / vocabulary
    own = np.array([word_count(chain.state, word, slot) for word in range(vocabulary)])
    shared = shared_counts(items.data, chain.state)[:-1]
    inside = (own + share) / (own.sum() + chain.beta)
    outside = (shared + share) / (shared.sum() + chain.beta)
    order = np.argsort(-own * np.log(inside / outside), kind="stable")[:count]
    return [items.vocabulary[word] for word in order if own[word] > 0]


def one_name(blocked: Blocked, truth: pl.DataFrame, effort: Effort, method: str) -> Iterator[Row]:
    """Two venues under one name: B-cubed figures of their mentions alone."""
    renamed, two = rename_two(blocked.references, truth)
    changed = mentions_of(renamed)
    for prior in PRIORS:
        for model in MODELS:
            items = make_items(changed, NONE, titles=model != "dpv", unigram=prior == "unigram")
            settings = as_published(model, "split-merge", len(items.vocabulary))
            yield {"prior": prior, "model": model} | _last(items, settings, changed, two, effort)


def rename_two(references: pl.DataFrame, truth: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The references with most mentions of the two largest venues renamed alike, and the truth of these venues.

    >>> references = pl.DataFrame({"id": ["a", "b", "c"], "venue": ["J. Hands", "J. Feet", "J. Ears"]})
    >>> truth = pl.DataFrame({"id": ["a", "b", "c"], "cluster": ["h", "f", "e"]})
    >>> rename_two(references, truth)[1].height
    2
    """
    largest = truth.group_by("cluster").len().sort("len", "cluster", descending=[True, False]).head(2)
    two = truth.join(largest, on="cluster", how="semi", maintain_order="left")
    chosen = two.filter(pl.int_range(pl.len()).over("cluster") < SHARE * pl.len().over("cluster"))
    is_chosen = pl.col("id").is_in(chosen["id"].implode())
    name = pl.when(is_chosen).then(pl.lit(RENAMED)).otherwise("venue")
    return references.with_columns(venue=name), two


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Write `venues-sweeps.svg` and `venues-sensitivity.svg`."""
    climbs, grids = [], []
    for name in dict.fromkeys(row["set"] for row in rows):
        for prior in PRIORS:
            mine = [row for row in rows if row["set"] == name and row.get("prior") == prior]
            climbs.append(_coloured(_part(mine, "sweeps"), "sweep", "sampler", f"{name}, {prior} prior"))
        for grid in ("beta", "alpha"):
            mine = [row for row in rows if row["set"] == name]
            grids.append(_coloured(_part(mine, grid), grid, "prior", name))
    write_svg(climbs, "B-cubed F1 of DPVT after sweeps", folder / "venues-sweeps.svg")
    write_svg(grids, "B-cubed F1 of DPVT over beta and alpha", folder / "venues-sensitivity.svg")


def _part(rows: Sequence[Row], method: str) -> list[Row]:
    return [row for row in rows if row["method"] == method]


def _coloured(rows: Sequence[Row], x: str, colour: str, title: str) -> Any:
    """Curves in as many colours as there are lines, over a logarithmic scale with plain numbers."""
    names = list(dict.fromkeys(row[colour] for row in rows))
    colours = alt.Scale(domain=names, range=[AFTER, OTHER, BEFORE][: len(names)])
    axis = alt.Axis(tickCount=4, grid=False, format="~r")
    return (
        curve(rows, x, "b3_f1", colour)
        .encode(
            x=alt.X(f"{x}:Q", scale=alt.Scale(type="log"), title=x, axis=axis),
            color=alt.Color(f"{colour}:N", scale=colours, legend=alt.Legend(orient="top", title=None)),
        )
        .properties(title=title)
    )
