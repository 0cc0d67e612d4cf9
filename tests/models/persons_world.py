"""Small invented worlds of author mentions, and the author model's score computed slowly and obviously."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from samehand.block import Blocked, block
from samehand.models.persons import forms as name_forms
from samehand.models.persons.compare import MOST_LARGER, MOST_SMALLER, MOST_YEARS
from samehand.models.persons.layout import EVIDENCE, FEATURES, FIELDS, PAPER
from samehand.models.persons.prepare import UNSEEN
from samehand.models.persons.weights import Weights
from samehand.models.persons.work import Work
from samehand.normalise.mentions import author_mentions
from samehand.records import Reference, references_frame

WORDS = ["hands", "thumbs", "nails", "gloves", "rings", "palms", "wrists", "knuckles", "grips", "fists"]
PEOPLE = ["Ada Dam", "Bo Eck", "Cy Fox", "Di Gil", "Ed Hay", "Flo Ito", "Gus Jay", "Hal Kim"]
NAMES = ["Jo Lee", "J. Lee", "Joan Lee", "J. P. Lee", "Jan Q. Lee", "Jon Lee", "Jo P. Lee"]
VENUES = ["Journal of Hands", "Thumb Letters", "Annals of Gloves", "Rings and Palms"]


def invented(seed: int, papers: int) -> list[Reference]:
    """Papers by someone called J. Lee and others, drawn from a seed."""
    draw = np.random.default_rng(seed)
    made = []
    for number in range(papers):
        others = [PEOPLE[i] for i in draw.choice(len(PEOPLE), draw.integers(0, 4), replace=False)]
        name = NAMES[draw.integers(len(NAMES))]
        made.append(
            Reference(
                "invented.bib", number + 1, id=f"p{number}", title=" ".join(draw.choice(WORDS, draw.integers(0, 6))),
                authors=[name, *others], venue=VENUES[draw.integers(len(VENUES))] if draw.random() < 0.8 else None,
                year=int(draw.integers(1950, 2020)) if draw.random() < 0.8 else None,
            )
        )  # fmt: skip
    return made


def blocked(references: list[Reference]) -> Blocked:
    """The author mentions of references in their blocks."""
    table = references_frame(references)
    return block("author", author_mentions(table), table)


def bag(work: Work, members: list[int], field: int) -> Counter[int]:
    """The tokens of one field of some mentions together."""
    found = work.evidence
    tokens: Counter[int] = Counter()
    for m in members:
        for position in range(found.starts[m], found.starts[m + 1]):
            if found.field[found.tokens[position]] == field:
                tokens[int(found.tokens[position])] += int(found.counts[position])
    return tokens


def slow_features(work: Work, weights: Weights, number: int, a: list[int], b: list[int]) -> dict[str, float]:
    """The features of joining two sets of mentions of a block, straight from the formulas."""
    found = work.evidence
    everyone = list(range(work.starts[number], work.starts[number + 1]))
    result = dict.fromkeys(FEATURES, 0.0)
    harmonic = 2.0 * len(a) * len(b) / (len(a) + len(b))
    for f in range(EVIDENCE):
        concentration, power, floor = weights.shape[f]
        own, left, right = bag(work, everyone, f), bag(work, a, f), bag(work, b, f)
        n, m = sum(left.values()), sum(right.values())
        if n == 0 or m == 0:
            continue
        factor = math.lgamma(concentration + n) + math.lgamma(concentration + m)
        factor -= math.lgamma(concentration) + math.lgamma(concentration + n + m)
        for token in left.keys() & right.keys():
            elsewhere = found.frequency[token] - own[token] + UNSEEN
            x = concentration * elsewhere / (found.totals[f] + UNSEEN * found.distinct[f])
            c, d = left[token], right[token]
            factor += math.lgamma(x + c + d) + math.lgamma(x) - math.lgamma(x + c) - math.lgamma(x + d)
        result[FIELDS[f]] = max(factor * harmonic**-power, -floor)
    result["larger_size"], result["smaller_size"] = (
        math.log(min(max(len(a), len(b)), MOST_LARGER)),
        math.log(min(len(a), len(b), MOST_SMALLER)),
    )
    _slow_names(work, a, b, result)
    papers = bag(work, a, PAPER), bag(work, b, PAPER)
    result["same_paper"] = sum(papers[0][t] * papers[1][t] for t in papers[0]) / min(len(a), len(b))
    years = [[int(found.year[m]) for m in side if found.year[m] > 0] for side in (a, b)]
    if years[0] and years[1]:
        gap = max(min(years[0]), min(years[1])) - min(max(years[0]), max(years[1]))
        result["gap"] = math.log1p(max(0, gap))
        result["career"] = max(0, max(years[0] + years[1]) - min(years[0] + years[1]) - MOST_YEARS) / 10
    names = FEATURES[FEATURES.index("constant") :]
    return result | dict(zip(names, work.ambiguity[number].tolist(), strict=True))


def _slow_names(work: Work, a: list[int], b: list[int], result: dict[str, float]) -> None:
    forms = work.evidence.forms
    firsts, middles = Counter[int](), Counter[int]()
    rarity = 0.0
    for i in a:
        for j in b:
            one, other = forms.words[forms.of_mention[i]], forms.words[forms.of_mention[j]]
            first = name_forms.relate_first(forms.letters, forms.begin, forms.nickname, one[0], other[0])
            firsts[first] += 1
            rarity += forms.rarity[one[0]] if first == name_forms.EQUAL else 0.0
            middles[name_forms.relate_middle(forms.letters, forms.begin, one[1], other[1])] += 1
            result["last_variant"] += (one[2] != other[2]) / (len(a) * len(b))
    said = max(1, firsts.total() - firsts[name_forms.NOTHING])
    result["first_equal_rarity"] = rarity / said
    result["first_equal"] = firsts[name_forms.EQUAL] / said
    result["first_near"] = firsts[name_forms.NEAR] / said
    result["first_conflict"] = firsts[name_forms.CONFLICT] / said
    said = max(1, middles.total() - middles[name_forms.NOTHING])
    result["middle_equal"] = middles[name_forms.EQUAL] / said
    result["middle_conflict"] = middles[name_forms.CONFLICT] / said
    result["middle_missing"] = middles[name_forms.MISSING] / said
