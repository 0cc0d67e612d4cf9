"""The features of a join in words: what each is called, and which belong together as one bar of a picture."""

from __future__ import annotations

from dataclasses import dataclass

from samehand.models.persons.compare import MOST_YEARS
from samehand.models.persons.layout import BLOCK, FEATURES, Floats

PRIOR = "how ambiguous the name is"
COAUTHORS, TITLES, VENUES, AFFILIATIONS = "co-authors", "titles", "venues", "affiliations and keywords"
FIRST_NAMES, MIDDLE_NAMES, LAST_NAMES = "first names", "middle names", "last names"
ONE_PAPER, YEARS, SIZES = "two authors of one paper", "years", "how many mentions"
VARIANT = "variants of one name"

LABELS = {
    "coauthors": (COAUTHORS, "shared co-authors, by initial and last name"),
    "coauthors_full": (COAUTHORS, "shared co-authors, by full name"),
    "title": (TITLES, "shared words of titles"),
    "venue": (VENUES, "shared words of venues"),
    "affiliation": (AFFILIATIONS, "shared words of affiliations, and keywords"),
    "larger_size": (SIZES, "mentions of the larger side (logarithm)"),
    "smaller_size": (SIZES, "mentions of the smaller side (logarithm)"),
    "first_equal_rarity": (FIRST_NAMES, "how rare the equal first names are"),
    "first_equal": (FIRST_NAMES, "share of equal full first names"),
    "first_near": (FIRST_NAMES, "share of nearly equal first names"),
    "first_conflict": (FIRST_NAMES, "share of differing first names"),
    "middle_equal": (MIDDLE_NAMES, "share of agreeing middle names"),
    "middle_conflict": (MIDDLE_NAMES, "share of differing middle names"),
    "middle_missing": (MIDDLE_NAMES, "share of middle names that only one has"),
    "last_variant": (LAST_NAMES, "share of differing last names"),
    "same_paper": (ONE_PAPER, "papers on which both stand, as two authors"),
    "gap": (YEARS, "years between the two (logarithm)"),
    "career": (YEARS, f"decades beyond {MOST_YEARS} years"),
    "constant": (PRIOR, "two mentions of any name"),
    "first_names": (PRIOR, "full first names known with this initial and last name (logarithm)"),
    "one_first_name": (PRIOR, "few full first names known (one over their number)"),
    "initials": (PRIOR, "initials known with this last name (logarithm)"),
    "mentions": (PRIOR, "mentions of this name (logarithm)"),
    "census": (PRIOR, "bearers of the last name by census (logarithm)"),
    "initial": (PRIOR, "how common the initial is (logarithm)"),
    "density": (PRIOR, "pairs of mentions that share a co-author (logarithm)"),
    "alike": (PRIOR, "pairs of mentions that look like one person's (log-odds)"),
}
"""Feature -> group and label. One without an entry is its own group, called by its name."""


@dataclass(frozen=True)
class Factor:
    """One feature of a join: contribution = weight * value."""

    name: str
    label: str
    group: str
    value: float
    weight: float
    contribution: float


def factors(weights: Floats, features: Floats) -> list[Factor]:
    """Every feature with what it adds to the score.

    >>> from samehand.models.persons.weights import default
    >>> found = factors(default().features, default().features * 0 + 1)
    >>> found[0].label, found[0].contribution == found[0].weight
    ('shared co-authors, by initial and last name', True)
    """
    return [
        Factor(name, label_of(name), group_of(number), float(value), float(weight), float(weight * value))
        for number, (name, weight, value) in enumerate(zip(FEATURES, weights, features, strict=True))
    ]


def label_of(name: str) -> str:
    """A feature in words."""
    return LABELS[name][1] if name in LABELS else name.replace("_", " ")


def group_of(number: int) -> str:
    """The group of the feature of this number; those of the block are one."""
    name = FEATURES[number]
    if number >= BLOCK:
        return PRIOR
    return LABELS[name][0] if name in LABELS else name.replace("_", " ")
