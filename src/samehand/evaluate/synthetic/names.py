"""Persons' names: one inventory of invented names per culture, drawn by the law of Zipf and Mandelbrot.

Persons of all fields draw from the same inventories, so that homonyms arise by chance and become more
frequent as the bibliography grows, most of all in a culture with few surnames.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from samehand.evaluate.synthetic.draws import happens, place, rank
from samehand.evaluate.synthetic.laws import Culture, Profile
from samehand.evaluate.synthetic.syllables import LONG, SHORT, joined, mixed_lengths, words
from samehand.evaluate.synthetic.teams import Integers
from samehand.infer.random import State
from samehand.kernels import kernel

JOINED, HYPHENATED, SPACED = 0, 1, 2
"""How a given name of two parts is written: "Jinmo", "Jin-Mo", "Jin Mo". Other names have one way."""

CULTURE = np.dtype(
    [
        ("last_from", "i4"), ("last_count", "i4"), ("last_shift", "f8"), ("last_exponent", "f8"),
        ("first_from", "i4"), ("first_count", "i4"), ("first_shift", "f8"), ("first_exponent", "f8"),
        ("two_parts", "?"), ("middle", "f8"),
    ]
)  # fmt: skip
"""A `Culture` for kernels: `..._from` is where its names begin in the inventory of all."""

PERSON_NAME = np.dtype([("first", "i4"), ("middle", "i4"), ("last", "i4"), ("form", "i4")])
"""Indices into the inventories; middle -1 for none; form: how the person writes a name of two parts."""


class Inventory(NamedTuple):
    """All names of all cultures, and the laws to draw them."""

    lasts: pa.StringArray
    firsts: tuple[pa.StringArray, ...]  # joined, hyphenated, spaced: same length
    initials: npt.NDArray[np.int32]  # first name -> 0 for A ... 25 for Z
    cultures: npt.NDArray[np.void]  # CULTURE
    shares: npt.NDArray[np.float64]  # cumulative


def inventory(profile: Profile) -> Inventory:
    """The names of a profile.

    >>> from samehand.evaluate.synthetic.laws import ACL_A
    >>> names = inventory(ACL_A)
    >>> names.firsts[HYPHENATED][0].as_py(), names.firsts[JOINED][0].as_py()
    ('Ba-Ba', 'Baba')
    """
    firsts = [_first_names(culture, 2 * i) for i, culture in enumerate(profile.cultures)]
    forms = tuple(pa.concat_arrays([forms[form] for forms in firsts]) for form in range(3))
    shares = np.array([culture.share for culture in profile.cultures])
    letters = pc.utf8_slice_codeunits(forms[JOINED], 0, 1).cast(pa.binary())
    return Inventory(
        pa.concat_arrays([_last_names(culture, 2 * i + 1) for i, culture in enumerate(profile.cultures)]),
        forms,
        np.frombuffer(letters.buffers()[2], np.uint8, len(letters)).astype(np.int32) - ord("A"),
        _culture_table(profile.cultures),
        np.cumsum(shares) / np.sum(shares),
    )


def _last_names(culture: Culture, variety: int) -> pa.StringArray:
    if culture.last_count <= len(SHORT):
        return pc.utf8_capitalize(joined(words(SHORT, 1, culture.last_count, variety)))
    return pc.utf8_capitalize(mixed_lengths(LONG, culture.last_count, variety))


def _first_names(culture: Culture, variety: int) -> list[pa.StringArray]:
    """The given names in the three forms."""
    if not culture.two_parts:
        return [pc.utf8_capitalize(mixed_lengths(LONG, culture.first_count, variety))] * 3
    parts = words(SHORT, 2, culture.first_count, variety)
    capital = [pc.utf8_capitalize(part) for part in parts]
    return [joined([capital[0], parts[1]]), joined(capital, "-"), joined(capital, " ")]


def _culture_table(cultures: tuple[Culture, ...]) -> npt.NDArray[np.void]:
    table = np.zeros(len(cultures), CULTURE)
    for name in CULTURE.names or ():
        if name in Culture._fields:
            table[name] = [getattr(culture, name) for culture in cultures]
    for part in ("last", "first"):
        table[f"{part}_from"][1:] = np.cumsum(table[f"{part}_count"])[:-1]
    return table


@kernel
def draw_first(random: State, culture: np.void) -> int:
    """A given name of the culture, as an index into the inventory."""
    drawn = rank(random, culture["first_count"], culture["first_shift"], culture["first_exponent"])
    return int(culture["first_from"] + drawn)


@kernel
def draw_name(random: State, culture: np.void, name: np.void) -> None:
    """Name one person of the culture."""
    drawn = rank(random, culture["last_count"], culture["last_shift"], culture["last_exponent"])
    name["last"] = culture["last_from"] + drawn
    name["first"] = draw_first(random, culture)
    name["middle"] = draw_first(random, culture) if happens(random, culture["middle"]) else -1
    name["form"] = place(random, np.array([0.6, 0.85, 1.0])) if culture["two_parts"] else JOINED


@kernel
def draw_names(
    random: State,
    homes: Integers,
    main: Integers,
    cultures: npt.NDArray[np.void],
    shares: npt.NDArray[np.float64],
    homophily: float,
) -> npt.NDArray[np.void]:
    """Name all persons: of their community's main culture with probability `homophily`, else of any."""
    names = np.zeros(len(homes), PERSON_NAME)
    for person in range(len(homes)):
        own = happens(random, homophily)
        culture = main[homes[person]] if own else place(random, shares)
        draw_name(random, cultures[culture], names[person])
    return names


@kernel
def draw_main_cultures(random: State, count: int, shares: npt.NDArray[np.float64]) -> Integers:
    """The main culture of each community of a field."""
    main = np.zeros(count, np.int32)
    for community in range(count):
        main[community] = place(random, shares)
    return main


def name_persons(random: State, homes: Integers, profile: Profile, names: Inventory) -> npt.NDArray[np.void]:
    """The names (PERSON_NAME) of all persons of a field; `homes`: person -> community."""
    main = draw_main_cultures(random, profile.teams.communities, names.shares)
    homes = np.ascontiguousarray(homes)
    return draw_names(random, homes, main, names.cultures, names.shares, profile.homophily)
