"""A forest of binary trees over atoms, whose nodes have their bags only once a score asks for them.

Atoms are the nodes 0 .. atoms - 1; inner nodes take the slots from `atoms` on; the last slot is for a node on trial.
A node's set of atoms has a name, the exclusive or of its atoms' random words, under which the scores of joins are
remembered: a chain comes by the same joins again and again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from samehand.infer.random import State, next_word
from samehand.kernels import bare, kernel
from samehand.models.persons.compare import Terms, join_score
from samehand.models.persons.join import join
from samehand.models.persons.layout import (
    FORM_LENGTH,
    LENGTH,
    Floats,
    Ints,
    Longs,
)

NOBODY = -1
MOST_MEMORY = 1 << 16
_NAME_BITS = np.uint64(2)

# Places of `room`: where the pools are used up to, how much the bags and forms of all inner nodes may need at most, and
# where those of the atoms end.
USED, FORM_USED, WANTED, FORM_WANTED, KEPT, FORM_KEPT = range(6)


class Forest(NamedTuple):
    """The state of a chain, a row for each node, and the memory of scores."""

    nodes: Longs
    laid: npt.NDArray[np.bool_]  # whether the node's row and bags are there
    parent: Ints
    left: Ints
    right: Ints
    score: Floats  # of the inner node's join, over the temperature
    name: Longs
    most: Longs  # (nodes, 2): upper bounds of the lengths of bag and forms
    room: Longs
    free: Ints  # slots that no inner node takes: free[: free[-1]]
    stack: Ints
    known: Longs  # (memory, 2): names of remembered pairs
    worth: Floats
    out: Floats


@kernel
def plant(atoms: Longs, used: int, form_used: int, features: int, random: State) -> Forest:
    """A forest of single atoms, whose bags and forms are in pools used up to here."""
    count = atoms.shape[0]
    size = 2 * count
    nodes = np.zeros((size, atoms.shape[1]), np.int64)
    nodes[:count] = atoms
    laid, name, most = np.zeros(size, np.bool_), np.zeros(size, np.int64), np.zeros((size, 2), np.int64)
    laid[:count] = True
    for atom in range(count):
        name[atom] = np.int64(next_word(random) >> _NAME_BITS)
        most[atom, 0], most[atom, 1] = atoms[atom, LENGTH], atoms[atom, FORM_LENGTH]
    free = np.empty(count, np.int32)
    for i in range(count - 1):
        free[i] = size - 2 - i
    free[-1] = count - 1
    memory = 64
    while memory < min(64 * count, MOST_MEMORY):
        memory *= 2
    nobody = np.full(size, NOBODY, np.int32)
    room = np.array([used, form_used, 0, 0, used, form_used])
    return Forest(
        nodes, laid, nobody, nobody.copy(), nobody.copy(), np.zeros(size), name, most, room, free,
        np.empty(size, np.int32), np.zeros((memory, 2), np.int64), np.zeros(memory), np.empty(features),
    )  # fmt: skip


@bare
def top(forest: Forest, node: int) -> int:
    """The root of the tree a node is in."""
    while forest.parent[node] != NOBODY:
        node = forest.parent[node]
    return node


@bare
def set_children(forest: Forest, node: int, a: int, b: int) -> None:
    """Make a and b the children of a node that has none; they need not know."""
    forest.left[node], forest.right[node] = a, b
    forest.name[node] = forest.name[a] ^ forest.name[b]
    forest.laid[node] = False
    for kind in range(2):
        forest.most[node, kind] = forest.most[a, kind] + forest.most[b, kind]
        forest.room[WANTED + kind] += forest.most[node, kind]


@bare
def drop_children(forest: Forest, node: int) -> None:
    """The opposite of `set_children`."""
    forest.left[node] = forest.right[node] = NOBODY
    forest.laid[node] = False
    for kind in range(2):
        forest.room[WANTED + kind] -= forest.most[node, kind]


@bare
def grow(forest: Forest, a: int, b: int, score: float) -> int:
    """Join two roots; returns the new one."""
    free = forest.free
    free[-1] -= 1
    node = free[free[-1]]
    set_children(forest, node, a, b)
    forest.parent[a] = forest.parent[b] = node
    forest.score[node] = score
    return int(node)


@bare
def cut(forest: Forest, root: int) -> None:
    """Take a root away; its children become roots."""
    forest.parent[forest.left[root]] = forest.parent[forest.right[root]] = NOBODY
    drop_children(forest, root)
    free = forest.free
    free[free[-1]] = root
    free[-1] += 1


@bare
def lay(forest: Forest, pool: Ints, form_pool: Ints, node: int) -> None:
    """Make the bags of a node, and first of what is below it; the pools have room."""
    stack, room = forest.stack, forest.room
    stack[0], depth = node, 1
    while depth > 0:
        node = stack[depth - 1]
        a, b = forest.left[node], forest.right[node]
        if forest.laid[node]:
            depth -= 1
        elif not forest.laid[a]:
            stack[depth] = a
            depth += 1
        elif not forest.laid[b]:
            stack[depth] = b
            depth += 1
        else:
            used, form_used = join(forest.nodes, pool, room[USED], form_pool, room[FORM_USED], a, b, node)
            room[USED], room[FORM_USED] = used, form_used
            forest.laid[node] = True


@kernel
def roomy_pool(pool: Ints, kept: int, needed: int) -> Ints:
    """The pool itself, or a larger copy of what is kept if it has no room for so much more."""
    if kept + needed <= pool.shape[1]:
        return pool
    larger = np.empty((2, kept + 16 * needed), np.int32)
    larger[:, :kept] = pool[:, :kept]
    return larger


@bare
def lacks_room(forest: Forest, pool: Ints, form_pool: Ints) -> bool:
    """Whether the next move may lay more than the pools have room for."""
    room = forest.room
    return bool(
        room[USED] + room[WANTED] + room[KEPT] > pool.shape[1]
        or room[FORM_USED] + room[FORM_WANTED] + room[FORM_KEPT] > form_pool.shape[1]
    )


@kernel
def make_room(forest: Forest, pool: Ints, form_pool: Ints) -> tuple[Ints, Ints]:
    """Pools with room for whatever the next move may lay; all bags of inner nodes are forgotten."""
    room = forest.room
    forest.laid[(forest.laid.shape[0] >> 1) :] = False
    room[USED], room[FORM_USED] = room[KEPT], room[FORM_KEPT]
    return (
        roomy_pool(pool, room[KEPT], room[WANTED] + room[KEPT]),
        roomy_pool(form_pool, room[FORM_KEPT], room[FORM_WANTED] + room[FORM_KEPT]),
    )


@bare
def score(forest: Forest, terms: Terms, pool: Ints, form_pool: Ints, a: int, b: int) -> float:
    """The score of joining two nodes, over the temperature, remembered.

    There is one place for each pair of names, where the latest comer stays.
    """
    low, high = min(forest.name[a], forest.name[b]), max(forest.name[a], forest.name[b])
    place = (low ^ (high >> 5)) & (forest.worth.shape[0] - 1)
    if forest.known[place, 0] != low or forest.known[place, 1] != high:
        lay(forest, pool, form_pool, a)
        lay(forest, pool, form_pool, b)
        forest.worth[place] = join_score(forest.nodes, pool, form_pool, terms, a, b, forest.out)
        forest.known[place, 0], forest.known[place, 1] = low, high
    return float(forest.worth[place])
