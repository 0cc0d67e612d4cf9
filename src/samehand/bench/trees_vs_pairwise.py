"""`samehand bench trees-vs-pairwise`: figures 4 and 5 of the 2012 paper, and the speed-up of trees at 60% and 90% F1.

Both models start from singletons with the same weights, draw mentions in the same way, cool down alike, and advance all
blocks by one sweep at a time on one core; seconds are those of that processor. F1 is looked at after each sweep, off the
clock; a level is reached at the end of the first sweep that has it. The trees end at the highest level, or when F1 no
longer rises; the pairwise model then has LIMIT times as long. Rows: `data` (what the set is like), one for each sweep of
each model, then `speed-up`; `at_least` is a bound of it where the pairwise model ran out of time.

Weights are `printed` (trees-2012.toml) or `tuned`: the same but for the shift of the cosines, chosen for the better of
the worse model's F1 on a generated bibliography of another seed. Cosines of real mentions are far below the printed
-shift of 0.5, so that nearly every pair of mentions counts against its being one person.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet

from samehand.bench import Options, Row
from samehand.bench.author_sets import author_sets, read_authors
from samehand.bench.rounds import MODELS, Rounds, temperature, true_clusters
from samehand.block import Blocked
from samehand.curate.constraints import NONE
from samehand.evaluate.synthetic import text
from samehand.evaluate.synthetic.build import fields
from samehand.evaluate.synthetic.laws import ACL_A, FEW_SURNAMES, Profile
from samehand.models.trees import Work, lay_out
from samehand.models.trees.layout import SHIFT, Longs
from samehand.models.trees.settings import Settings, published

CITED = replace(
    ACL_A,
    teams=ACL_A.teams._replace(
        field_mentions=145_000, communities=5, newcomer=0.002, career_years=60.0, outside=0.05, recite=0.8
    ),
    cultures=(FEW_SURNAMES._replace(share=1.0, last_count=60),),
)
"""Few persons, cited again and again under few surnames: thousands of mentions each, where pairs become dear."""

LEVELS = (0.6, 0.9)
SHIFTS = (-0.4, -0.3, -0.2, -0.1)
MOST_SWEEPS, STALE_SWEEPS = 100, 20
LIMIT = 20
"""How many times the seconds of the trees the pairwise model has."""


@dataclass(frozen=True)
class Race:
    """A set of mentions with its truth, and how long the trees may take."""

    name: str
    mentions: int
    profile: Profile  # of the mentions, or, if they are real, of those the weights are tuned on
    cap: float  # seconds
    weights: tuple[str, ...] = ("tuned",)


RACES = (
    Race("acl-a", 82_838, ACL_A, 300, ("printed", "tuned")),
    Race("cited-20k", 20_000, CITED, 300),
    Race("generated-145k", 145_000, ACL_A, 600),
    Race("cited-145k", 145_000, CITED, 600),
    Race("generated-1.3m", 1_300_000, ACL_A, 1_800),
    Race("cited-1.3m", 1_300_000, CITED, 3_600),
)
QUICK = (
    Race("acl-a", 2_000, ACL_A, 4),
    Race("generated-4k", 4_000, ACL_A, 4, ("printed", "tuned")),
    Race("cited-4k", 4_000, CITED, 4),
)


def run(options: Options) -> Iterator[Row]:
    """The rows of every race; without --data, of the generated ones."""
    for race in QUICK if options.quick else RACES:
        if options.wants(race.name) and (race.name != "acl-a" or options.data is not None):
            blocked, truth = _mentions(race, options)
            for row in run_race(race, blocked, truth, options):
                yield {"bench": "trees-vs-pairwise", "set": race.name} | row


def run_race(race: Race, blocked: Blocked, truth: pl.DataFrame, options: Options) -> Iterator[Row]:
    """Both models with each kind of weights on one set."""
    printed = published("trees-2012")
    work = lay_out(blocked, NONE, printed)
    true = true_clusters(work, truth)
    yield {"method": "data"} | described(work, true)
    for weights in race.weights:
        chosen = tuned(printed, race, options) if weights == "tuned" else printed
        named = {"weights": weights, "shift": float(chosen.weights[0, SHIFT])}
        curves: list[Row] = []
        limits = {"trees": race.cap, "pairwise": LIMIT * race.cap}
        for model in MODELS:
            if options.method in (None, model):
                for row in climb(model, work, true, chosen, limits[model], options.seed):
                    curves.append(row)
                    yield {"method": model} | named | row
                if model == "trees":
                    limits["pairwise"] = LIMIT * _last(curves, model)
        if options.method is None:
            for level in LEVELS:
                yield {"method": "speed-up"} | named | speed_up(curves, level, limits)


def climb(model: str, work: Work, true: Longs, settings: Settings, cap: float, seed: int) -> Iterator[Row]:
    """One row a sweep, until the highest level is reached, F1 no longer rises, or the time is up."""
    Rounds(model, _first_block(work), settings, seed).sweep(1.0)
    rounds = Rounds(model, work, settings, seed)
    best, best_sweep, f1 = 0.0, 0, 0.0
    while f1 < LEVELS[-1] and rounds.seconds < cap and rounds.sweeps < MOST_SWEEPS:
        before = rounds.seconds
        rounds.sweep(temperature(settings, rounds.sweeps))
        f1 = rounds.pairwise_f1(true)
        yield {
            "model": model,
            "sweep": rounds.sweeps,
            "samples": rounds.samples,
            "seconds": rounds.seconds,
            "samples_per_second": np.diff(work.block_starts).sum() / (rounds.seconds - before),
            "mentions_of_cluster": size_seen(work.clusters(rounds.labels)),
            "pairwise_f1": f1,
        }
        if f1 > best + 0.001:
            best, best_sweep = f1, rounds.sweeps
        if rounds.sweeps - best_sweep >= STALE_SWEEPS:
            return


def speed_up(curves: Sequence[Row], level: float, limits: dict[str, float]) -> Row:
    """Seconds of both models to a level of pairwise F1, and their ratio; what is not reached is said.

    >>> fast = {"model": "trees", "seconds": 2.0, "pairwise_f1": 0.7}
    >>> slow = {"model": "pairwise", "seconds": 50.0, "pairwise_f1": 0.5}
    >>> found = speed_up([fast, slow], 0.6, {"trees": 10.0, "pairwise": 40.0})
    >>> found["at_least"], found["note"]
    (25.0, 'pairwise not reached, best 0.500: time up after 50 s')
    """
    seconds = {model: _reached(curves, model, level) for model in MODELS}
    trees, pairs = seconds["trees"], seconds["pairwise"]
    last = _last(curves, "pairwise")
    out_of_time = pairs is None and last >= limits["pairwise"]
    return {
        "level": level,
        "trees_seconds": trees,
        "pairwise_seconds": pairs,
        "speed_up": pairs / trees if trees is not None and pairs is not None else None,
        "at_least": last / trees if trees is not None and out_of_time else None,
        "note": "; ".join(
            _missed(curves, model, limits[model]) for model in MODELS if seconds[model] is None
        ),
    }


def _reached(curves: Sequence[Row], model: str, level: float) -> float | None:
    return next((r["seconds"] for r in curves if r["model"] == model and r["pairwise_f1"] >= level), None)


def _last(curves: Sequence[Row], model: str) -> float:
    return max(float(row["seconds"]) for row in curves if row["model"] == model)


def _missed(curves: Sequence[Row], model: str, cap: float) -> str:
    best, last = max(r["pairwise_f1"] for r in curves if r["model"] == model), _last(curves, model)
    why = "time up" if last >= cap else "no longer rises"
    return f"{model} not reached, best {best:.3f}: {why} after {last:.0f} s"


def tuned(settings: Settings, race: Race, options: Options) -> Settings:
    """The shift of SHIFTS with the best F1 of the worse model, on a generated bibliography of another seed."""
    mentions, sweeps = (1_000, 6) if options.quick else (6_000, 12)
    blocked, truth = made(race.profile, mentions, options.seed + 1)
    work = lay_out(blocked, NONE, settings)
    true = true_clusters(work, truth)

    def worse(shift: float) -> float:
        return min(
            _after(model, work, true, shifted(settings, shift), sweeps, options.seed) for model in MODELS
        )

    return shifted(settings, max(SHIFTS, key=worse))


def shifted(settings: Settings, shift: float) -> Settings:
    """The same factor set with another shift of the cosines."""
    weights = settings.weights.copy()
    weights[:, SHIFT] = shift
    return replace(settings, weights=weights)


def _after(model: str, work: Work, true: Longs, settings: Settings, sweeps: int, seed: int) -> float:
    rounds = Rounds(model, work, settings, seed)
    for sweep in range(sweeps):
        rounds.sweep(temperature(settings, sweep))
    return rounds.pairwise_f1(true)


def _mentions(race: Race, options: Options) -> tuple[Blocked, pl.DataFrame]:
    if race.name == "acl-a":
        return next((blocked, truth) for _, blocked, truth in author_sets(replace(options, set="acl-a")))
    return made(race.profile, race.mentions, options.seed)


def made(profile: Profile, mentions: int, seed: int) -> tuple[Blocked, pl.DataFrame]:
    """Generated mentions in their blocks, by way of a file as any others, and their truth."""
    with tempfile.TemporaryDirectory() as folder:
        file, truths = Path(folder, "made.parquet"), []
        with pa.parquet.ParquetWriter(file, text.MENTIONS) as writer:
            for piece in fields(profile, mentions, seed):
                writer.write_table(piece.mentions)
                truths.append(piece.truth)
        return read_authors(file), pl.DataFrame(pa.concat_tables(truths))


def described(work: Work, true: Longs) -> Row:
    """How many mentions, persons and blocks; `..._of_mention` is a mean weighted by size, as a mention sees it."""
    persons, blocks = np.bincount(true[true >= 0]), np.diff(work.block_starts)
    return {
        "mentions": len(true),
        "persons": len(persons),
        "person_of_mention": size_seen(true[true >= 0]),
        "person_largest": int(persons.max()),
        "blocks": len(blocks),
        "block_of_mention": float((blocks**2).sum() / blocks.sum()),
        "block_largest": int(blocks.max()),
    }


def size_seen(clusters: Longs) -> float:
    """The size of its cluster that a mention sees on average: the mean of sizes, weighted by size.

    >>> size_seen(np.array([7, 7, 7, 9]))
    2.5
    """
    sizes = np.unique(clusters, return_counts=True)[1]
    return float((sizes**2).sum() / sizes.sum())


def _first_block(work: Work) -> Work:
    """The first block alone, to load kernels by."""
    last = work.block_starts[1]
    return replace(work, keys=work.keys[:1], block_starts=work.block_starts[:2], leaf=np.arange(last))


def _race(row: Row) -> tuple[str, str]:
    return row["set"], row["weights"]


def draw(rows: Sequence[Row], folder: Path) -> None:
    """Draw figures 4a, 4b and 5 of each set and weights: `trees-race-SET-WEIGHTS.svg`."""
    from samehand.bench.curves import curve, write_svg

    points = [row for row in rows if row["method"] in MODELS]
    for (name, weights), group in groupby(sorted(points, key=_race), _race):
        found = list(group)
        charts = [
            curve(found, "seconds", "samples", "model", logarithmic=True),
            curve(found, "mentions_of_cluster", "samples_per_second", "model", logarithmic=True),
            curve(found, "samples", "pairwise_f1", "model"),
            curve(found, "seconds", "pairwise_f1", "model", logarithmic=True),
        ]
        write_svg(charts, f"{name}, {weights} weights", folder / f"trees-race-{name}-{weights}.svg")
