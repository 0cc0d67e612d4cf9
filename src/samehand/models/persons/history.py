"""The joins that made a person: which was the weakest, where two mentions came together, what stood on either side.

A person of the library may hold other mentions than one of this search (if another model made it): of each join only
the person's own mentions are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samehand.models.persons.layout import Floats, Ints, Longs


@dataclass(frozen=True)
class Joins:
    """What a search of a block did: the two nodes of each join, of which the first lives on, and its score."""

    nodes: Ints
    strengths: Floats
    labels: Longs  # of each mention: the mention that stands for its person


def weakest(joins: Joins, members: Sequence[int]) -> int | None:
    """The join of least strength that has members on both sides, the later of equals; None if there is none.

    >>> made = Joins(np.array([[0, 1], [2, 3], [0, 2]]), np.array([9.0, 5.0, 7.0]), np.array([0, 0, 0, 0]))
    >>> weakest(made, [0, 1, 2, 3]), weakest(made, [0, 1, 2])
    (1, 2)
    """
    held = np.zeros(len(joins.labels), np.int64)
    held[list(members)] = 1
    found: int | None = None
    for number, (a, b) in enumerate(joins.nodes.tolist()):
        divides = held[a] > 0 and held[b] > 0
        if divides and (found is None or joins.strengths[number] <= joins.strengths[found]):
            found = number
        held[a] += held[b]
    return found


def meeting(joins: Joins, left: int, right: int) -> int | None:
    """The join at which two mentions came together; None if they did not.

    >>> made = Joins(np.array([[0, 1], [2, 3], [0, 2]]), np.array([9.0, 5.0, 7.0]), np.array([0, 0, 0, 0]))
    >>> meeting(made, 1, 3)
    2
    """
    for number, (a, b) in enumerate(joins.nodes.tolist()):
        left, right = (a if node == b else node for node in (left, right))
        if left == right:
            return number
    return None


def sides_at(joins: Joins, number: int, members: Sequence[int]) -> tuple[list[int], list[int]]:
    """The members on either side of a join.

    >>> made = Joins(np.array([[0, 1], [2, 3], [0, 2]]), np.array([9.0, 5.0, 7.0]), np.array([0, 0, 0, 0]))
    >>> sides_at(made, 2, [0, 1, 3])
    ([0, 1], [3])
    """
    node = np.arange(len(joins.labels))
    for a, b in joins.nodes[:number].tolist():
        node[b] = a
    for member in range(len(node)):
        while node[node[member]] != node[member]:
            node[member] = node[node[member]]
    a, b = joins.nodes[number].tolist()
    return [m for m in members if node[m] == a], [m for m in members if node[m] == b]


def pieces(joins: Joins, members: Sequence[int]) -> list[list[int]]:
    """The members by the persons that the search made of them, the largest first.

    >>> pieces(Joins(np.array([[1, 2]]), np.array([3.0]), np.array([0, 1, 1])), [0, 1, 2])
    [[1, 2], [0]]
    """
    found: dict[int, list[int]] = {}
    for member in members:
        found.setdefault(int(joins.labels[member]), []).append(member)
    return sorted(found.values(), key=lambda piece: (-len(piece), piece))
