"""`samehand bench ablation`: what each ingredient of the author model is worth.

Weights are learned anew without the ingredient, from some blocks of all labelled author sets, and scored on each set as
a whole; the row "all" has everything. Learning sees fewer blocks than that of the shipped weights does, as it is done
sixteen times: compare the rows with each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from samehand.bench import Options, Row
from samehand.bench.author_lessons import AuthorSet, blank, load_sets
from samehand.curate.constraints import NONE
from samehand.evaluate import evaluate
from samehand.infer.run import Run
from samehand.models.persons import resolve_with
from samehand.models.persons.layout import BLOCK, FEATURES, FLOOR, POWER
from samehand.models.persons.learn import learn
from samehand.models.persons.weights import Weights

INGREDIENTS: dict[str, tuple[str, ...]] = {
    "all": (),
    "co-authors": ("coauthors", "coauthors_full"),
    "titles": ("title",),
    "venues": ("venue",),
    "affiliations": ("affiliation",),
    "sizes": ("larger_size", "smaller_size"),
    "first names": ("first_equal_rarity", "first_equal", "first_near", "first_conflict"),
    "rarity of first names": ("first_equal_rarity",),
    "middle names": ("middle_equal", "middle_conflict", "middle_missing"),
    "years": ("gap", "career"),
    "two authors of one paper": ("same_paper",),
    "ambiguity of the block": FEATURES[BLOCK + 1 :],
    "likeness of the block's pairs": ("alike",),
    "census": ("census",),
}
"""Ingredient -> the features that go with it."""

LESSON = 3_000
"""Mentions of each set that learning sees."""

SHAPES = ("floor under negative evidence", "tempering by size")
"""Ingredients that are no features: without them the floor is out of reach, the power of the size 0."""


def run(options: Options) -> Iterator[Row]:
    """One row for each ingredient left out and each set."""
    sets = load_sets(options, LESSON)
    lessons = [lesson for known in sets.values() for lesson in known.lessons]
    for method in (*INGREDIENTS, *SHAPES):
        if options.method in (None, method):
            weights = learn(lessons, _start(method), without=INGREDIENTS.get(method, ()))
            for name, known in sets.items():
                if options.set in (None, name, name.removeprefix("authors/")):
                    yield {"bench": "ablation", "set": name, "method": method} | _scores(
                        known, weights, options
                    )


def _start(method: str) -> Weights:
    shape = blank().shape.copy()
    if method == SHAPES[0]:
        shape[:, FLOOR] = np.finfo(np.float64).max
    elif method == SHAPES[1]:
        shape[:, POWER] = 0.0
    return replace(blank(), shape=shape)


def _scores(known: AuthorSet, weights: Weights, options: Options) -> Row:
    found = resolve_with(weights, known.blocked, NONE, Run(options.seed))
    figures = evaluate(found, known.truth, intervals=False).figures
    return {name: figures[name] for name in ("b3_precision", "b3_recall", "b3_f1", "pairwise_f1")}
