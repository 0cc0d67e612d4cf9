"""One field of research: who writes which paper with whom, and when.

A field has communities, and each community an urn of names: every paper puts its authors' tokens into the
urns of their communities, and authors of new papers are drawn from the urn, so that the next paper goes to a
person in proportion to papers so far (Simon 1955). A newcomer begins with some tokens (`standing`). A full
urn forgets a token at random. Persons whose career has ended, or who have moved away, are not drawn.

A field is simulated in the order of time: when a share u of its mentions has been made, the year is
last_year + growth_years * ln(u), which is exponential growth (Price 1963).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.evaluate.synthetic.draws import happens, place
from samehand.evaluate.synthetic.laws import Teams
from samehand.infer.random import State, below, exponential, normal
from samehand.kernels import kernel

Integers = npt.NDArray[np.int32]

URN = 4096
LARGEST_TEAM = 80
NOBODY = -1
NEVER = 9999
TRIES = 6
FURTHER_BACK = 0.7
"""Probability to look for a past partner one paper further back than the last one looked at."""


PERSON = np.dtype([("home", "i4"), ("ends", "i4"), ("moves", "i4"), ("latest", "i4")])
"""Community, last year of the career, year of the move to another community, last slot."""

RECORD = np.dtype([("start", "i4"), ("year", "i4"), ("community", "i4"), ("paper", "i4")])
"""First slot, year, community, first record of the same paper."""

SLOT = np.dtype([("person", "i4"), ("earlier", "i4"), ("record", "i4")])
"""Who, the same person's slot before this one, the record."""


class Field(NamedTuple):
    """The state of a field as it grows; tables are filled from the front."""

    urn: Integers  # community x URN: persons
    pushes: Integers  # community -> tokens ever put into its urn
    shares: npt.NDArray[np.float64]  # cumulative shares of the communities
    persons: npt.NDArray[np.void]  # PERSON
    records: npt.NDArray[np.void]  # RECORD, and one more that says where the last ends
    slots: npt.NDArray[np.void]  # SLOT
    counts: Integers  # of persons, records, slots


PERSONS, RECORDS, SLOTS = 0, 1, 2


def new_field(laws: Teams, size: int) -> Field:
    """An empty field with room for `size` mentions."""
    weights = np.arange(1, laws.communities + 1) ** -laws.community_exponent
    return Field(
        urn=np.zeros((laws.communities, URN), np.int32),
        pushes=np.zeros(laws.communities, np.int32),
        shares=np.cumsum(weights) / np.sum(weights),
        persons=np.zeros(size, PERSON),
        records=np.zeros(size + 1, RECORD),
        slots=np.zeros(size, SLOT),
        counts=np.zeros(3, np.int32),
    )


@kernel
def put_token(random: State, field: Field, person: int) -> None:
    """Put a person's token into the urn of the community; a full urn loses a random one."""
    community = field.persons[person]["home"]
    pushes = field.pushes[community]
    spot = pushes if pushes < URN else below(random, URN)
    field.urn[community, spot] = person
    field.pushes[community] = pushes + 1


@kernel
def add_newcomer(random: State, field: Field, laws: Teams, community: int, year: int) -> int:
    """A new person: career of exponential length; some are to move at its middle."""
    person = field.counts[PERSONS]
    field.counts[PERSONS] += 1
    career = laws.career_years * exponential(random)
    field.persons[person]["home"] = community
    field.persons[person]["latest"] = NOBODY
    field.persons[person]["ends"] = year + int(career)
    field.persons[person]["moves"] = year + int(career / 2) + 1 if happens(random, laws.move) else NEVER
    for _ in range(laws.standing):
        put_token(random, field, person)
    return int(person)


@kernel
def draw_incumbent(random: State, field: Field, community: int, year: int) -> int:
    """Somebody of the community by papers so far, or NOBODY when a few draws find nobody active."""
    tokens = min(field.pushes[community], URN)
    if tokens == 0:
        return NOBODY
    for _ in range(TRIES):
        person = field.urn[community, below(random, tokens)]
        if field.persons[person]["home"] == community and field.persons[person]["ends"] >= year:
            return int(person)
    return NOBODY


@kernel
def draw_partner(random: State, field: Field, lead: int, year: int) -> int:
    """Somebody from a past paper of `lead`, recent ones first, or NOBODY."""
    slot = field.persons[lead]["latest"]
    if slot == NOBODY:
        return NOBODY
    while field.slots[slot]["earlier"] != NOBODY and happens(random, FURTHER_BACK):
        slot = field.slots[slot]["earlier"]
    record = field.slots[slot]["record"]
    first, after = field.records[record]["start"], field.records[record + 1]["start"]
    person = field.slots[first + below(random, after - first)]["person"]
    return int(person) if field.persons[person]["ends"] >= year else NOBODY


@kernel
def draw_author(random: State, field: Field, laws: Teams, community: int, year: int) -> int:
    """A newcomer with probability `newcomer`, or when there is no incumbent; else an incumbent."""
    person = NOBODY
    if not happens(random, laws.newcomer):
        person = draw_incumbent(random, field, community, year)
    if person == NOBODY:
        person = add_newcomer(random, field, laws, community, year)
    return person


@kernel
def draw_coauthor(random: State, field: Field, laws: Teams, lead: int, community: int, year: int) -> int:
    """A past partner of the lead, or an author of this community, or of another."""
    person = NOBODY
    if happens(random, laws.partner):
        person = draw_partner(random, field, lead, year)
    if person == NOBODY:
        if happens(random, laws.outside):
            community = place(random, field.shares)
        person = draw_author(random, field, laws, community, year)
    return person


@kernel
def stands_in(team: Integers, count: int, person: int) -> bool:
    """Whether `person` is among the first `count` of the team."""
    found = False
    for i in range(count):
        found = found or team[i] == person
    return found


@kernel
def draw_team(
    random: State, field: Field, laws: Teams, community: int, year: int, size: int, team: Integers
) -> int:
    """Fill `team`: a lead and distinct co-authors; the number of them, which is `size` but for bad luck."""
    team[0] = draw_author(random, field, laws, community, year)
    count = 1
    for _ in range(3 * size):
        if count == size:
            break
        person = draw_coauthor(random, field, laws, team[0], community, year)
        if not stands_in(team, count, person):
            team[count] = person
            count += 1
    return count


@kernel
def team_size(random: State, laws: Teams, year: int, room: int) -> int:
    """Log-normal, its logarithm growing by `team_growth` a year."""
    centre = laws.team_log_mean - laws.team_growth * (laws.last_year - year)
    size = math.exp(centre + laws.team_log_spread * normal(random))
    return min(max(1, int(size + 0.5)), LARGEST_TEAM, room)


@kernel
def settle(random: State, field: Field, laws: Teams, person: int, year: int) -> None:
    """After a paper: the author's token goes into the urn; who is due to move does, and is known there."""
    if year >= field.persons[person]["moves"]:
        field.persons[person]["moves"] = NEVER
        field.persons[person]["home"] = place(random, field.shares)
        for _ in range(3 + laws.standing):
            put_token(random, field, person)
    put_token(random, field, person)


@kernel
def add_record(field: Field, paper: int, community: int, year: int, team: Integers, count: int) -> None:
    """Write a record and its slots; `paper` is the record that first stated the paper."""
    record, slot = field.counts[RECORDS], field.counts[SLOTS]
    field.records[record]["start"] = slot
    field.records[record]["year"] = year
    field.records[record]["community"] = community
    field.records[record]["paper"] = paper
    for i in range(count):
        person = team[i]
        field.slots[slot + i]["person"] = person
        field.slots[slot + i]["record"] = record
        field.slots[slot + i]["earlier"] = field.persons[person]["latest"]
        field.persons[person]["latest"] = slot + i
    field.records[record + 1]["start"] = slot + count
    field.counts[RECORDS] += 1
    field.counts[SLOTS] += count


@kernel
def year_at(laws: Teams, share: float) -> int:
    """The year in which this share of all mentions has been made."""
    age = -laws.growth_years * math.log(share)
    return max(laws.first_year, laws.last_year - int(age))


@kernel
def write_paper(random: State, field: Field, laws: Teams, size: int, team: Integers) -> None:
    """The next paper of the field, by a team of one community."""
    slots = field.counts[SLOTS]
    year = year_at(laws, (slots + 1) / size)
    community = place(random, field.shares)
    authors = team_size(random, laws, year, size - slots)
    count = draw_team(random, field, laws, community, year, authors, team)
    add_record(field, field.counts[RECORDS], community, year, team, count)
    for i in range(count):
        settle(random, field, laws, team[i], year)


@kernel
def cite_again(random: State, field: Field, size: int, team: Integers) -> None:
    """Another record of a paper, all papers alike; the last of a field may be cut short.

    Cumulative advantage would leave more papers cited only once than real lists of citations have.
    """
    paper = NOBODY
    while paper == NOBODY or field.records[paper]["paper"] != paper:
        paper = below(random, field.counts[RECORDS])
    first = field.records[paper]["start"]
    count = min(field.records[paper + 1]["start"] - first, size - field.counts[SLOTS])
    for i in range(count):
        team[i] = field.slots[first + i]["person"]
    add_record(field, paper, field.records[paper]["community"], field.records[paper]["year"], team, count)


@kernel
def grow(random: State, field: Field, laws: Teams, size: int) -> None:
    """Fill an empty field with exactly `size` mentions."""
    team = np.zeros(LARGEST_TEAM, np.int32)
    while field.counts[SLOTS] < size:
        if field.counts[RECORDS] > 0 and happens(random, laws.recite):
            cite_again(random, field, size, team)
        else:
            write_paper(random, field, laws, size, team)
