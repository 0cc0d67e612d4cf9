"""`samehand bench calibration`: are the author model's probabilities what they say, on every labelled author set?

| method | probabilities |
|---|---|
| shipped | the model's own, at the temperature of the weights that ship with samehand |
| temperature | at the temperature that gives the other sets the least error |
| squashed | the model's own, corrected by two parameters fitted on the other sets |

`ece` is the expected calibration error in ten bins (evaluate/calibration.py). Nothing is fitted on the set
it is measured on, nor on the same set with its names cut. After the figures of a set come its bins, one row
each. `draw` makes the picture of docs/authors.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from samehand.bench import Options, Row
from samehand.bench.author_sets import author_sets
from samehand.bench.curves import OTHER, write_svg
from samehand.block import Blocked
from samehand.curate.constraints import NONE
from samehand.evaluate.calibration import Squash, calibration_error, fit_squash, reliability, true_shares
from samehand.infer.run import Run
from samehand.models.persons import resolve_with
from samehand.models.persons.weights import default
from samehand.publish.charts import AFTER, GRID

TEMPERATURES = (0.7, 1.0, 1.5, 2.0, 3.0)
"""Tried, as multiples of the shipped one."""
METHODS = ("shipped", "temperature", "squashed")
SIDE = 230

Shares = Mapping[str, Mapping[float, pl.DataFrame]]
"""Set -> temperature -> the probability and the true share of each labelled mention."""


def run(options: Options) -> Iterator[Row]:
    """The figures and the bins of each set and method."""
    shares = {
        name: {times: measure(blocked, truth, times, options.seed) for times in TEMPERATURES}
        for name, blocked, truth in author_sets(replace(options, set=None))
    }
    for name in shares:
        for method in METHODS:
            if options.set in (None, name, name.split("/")[1]) and options.method in (None, method):
                yield from rows(shares, name, method)


def measure(blocked: Blocked, truth: pl.DataFrame, times: float, seed: int) -> pl.DataFrame:
    """The shares of one set at so many times the shipped temperature."""
    weights = replace(default(), temperature=times * default().temperature)
    return true_shares(resolve_with(weights, blocked, NONE, Run(seed)), truth)


def rows(shares: Shares, name: str, method: str) -> Iterator[Row]:
    """The figures of one set and method, then its bins."""
    others = [known for other, known in shares.items() if _family(other) != _family(name)]
    times, squash = 1.0, Squash()
    if method == "temperature" and others:
        times = best_temperature(others)
    if method == "squashed" and others:
        squash = fit(others)
    table = shares[name][times]
    if method == "squashed":
        table = table.with_columns(probability=squash(table["probability"].to_numpy()))
    bins = reliability(table)
    head = {"bench": "calibration", "set": name, "method": method}
    yield head | {
        "ece": calibration_error(bins),
        "mentions": table.height,
        "mean_probability": table["probability"].mean(),
        "mean_share": table["share"].mean(),
        "temperature": times * default().temperature,
        "intercept": squash.intercept,
        "slope": squash.slope,
    }
    yield from (head | row for row in bins.to_dicts())


def best_temperature(others: Sequence[Mapping[float, pl.DataFrame]]) -> float:
    """The multiple that gives these sets the least error, each set counting as much."""

    def error(times: float) -> float:
        return float(np.mean([calibration_error(reliability(known[times])) for known in others]))

    return min(TEMPERATURES, key=error)


def fit(others: Sequence[Mapping[float, pl.DataFrame]]) -> Squash:
    """The correction fitted on these sets, each set counting as much."""
    table = pl.concat([known[1.0].with_columns(weight=pl.lit(1e4 / known[1.0].height)) for known in others])
    probability, share, weight = (table[column].to_numpy() for column in ("probability", "share", "weight"))
    return fit_squash(probability, share, weight)


def _family(name: str) -> str:
    return name.removesuffix("-initials")


def draw(found: Sequence[Row], folder: Path) -> Path:
    """`authors-reliability.svg`: a panel for each set, true share over probability, shipped and squashed."""
    names = list(dict.fromkeys(row["set"] for row in found))
    path = folder / "authors-reliability.svg"
    charts = [_panel([row for row in found if row["set"] == name], name) for name in names]
    write_svg(charts, "Authors: probability, and the true share of mates", path)
    return path


def _panel(found: Sequence[Row], name: str) -> Any:
    bins = [row for row in found if "bin" in row and row["method"] != "temperature"]
    errors = {row["method"]: row["ece"] for row in found if "ece" in row and row["method"] != "temperature"}
    said = ", ".join(f"{method} {error:.3f}" for method, error in errors.items())
    even = _marks([{"probability": 0, "share": 0}, {"probability": 1, "share": 1}]).mark_line(color=GRID)
    colour = alt.Color(
        "method:N",
        scale=alt.Scale(domain=["shipped", "squashed"], range=[OTHER, AFTER]),
        legend=alt.Legend(orient="top", title=None),
    )
    size = alt.Size("mentions:Q", scale=alt.Scale(type="sqrt", range=[8, 260]), legend=None)
    lines = _marks(bins).mark_line(strokeWidth=1.5, opacity=0.7).encode(color=colour)
    points = _marks(bins).mark_circle(opacity=0.9).encode(color=colour, size=size)
    heading = alt.TitleParams(f"{name.split('/')[1]}: error {said}", fontSize=11, fontWeight="normal")
    return (even + lines + points).properties(width=SIDE, height=SIDE, title=heading)


def _marks(values: list[Row]) -> Any:
    scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(tickCount=5)
    return alt.Chart(alt.InlineData(values=values)).encode(
        x=alt.X("probability:Q", scale=scale, title="probability", axis=axis),
        y=alt.Y("share:Q", scale=scale, title="true share of mates", axis=axis),
    )
