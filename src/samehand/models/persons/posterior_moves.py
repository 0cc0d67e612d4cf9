"""The two moves of the chain over forests, both symmetric, so that each is taken with probability min(1, exp(delta)).

toggle    draw two atoms from a fixed distribution over pairs. In different trees: propose to join their roots. In one
          tree, on different sides of its root: propose to take the root away. The pairs that propose a join are those
          that propose its undoing.
rotate    draw a slot of inner nodes; it must hold a node u = (X, Y) with a parent v = (u, Z): propose ((Y, Z), X) or
          ((X, Z), Y), each with probability 1/2. A tree keeps its atoms and its number of inner nodes, so the way back
          is as likely.

delta is the change of the sum of scores over the temperature. A join across a curator's "different" has probability 0.
"""

from __future__ import annotations

import math

from samehand.infer.random import State, below, uniform
from samehand.kernels import bare, part
from samehand.models.persons.compare import Terms
from samehand.models.persons.layout import Ints
from samehand.models.persons.posterior_forest import (
    NOBODY,
    Forest,
    cut,
    drop_children,
    grow,
    score,
    set_children,
    top,
)


@part
def accepted(random: State, delta: float) -> bool:
    """Metropolis: yes with probability min(1, exp(delta)).

    >>> from samehand.infer.random import stream
    >>> accepted(stream(0), 0.0)
    True
    """
    return delta >= 0.0 or uniform(random) < math.exp(delta)


@part
def across(forest: Forest, apart: Ints, a: int, b: int) -> bool:
    """Whether a curator's "different" lies between the trees of roots a and b."""
    for i in range(apart.shape[0]):
        one, other = top(forest, apart[i, 0]), top(forest, apart[i, 1])
        if (one == a and other == b) or (one == b and other == a):
            return True
    return False


@part
def side(forest: Forest, atom: int) -> tuple[int, int]:
    """The root above an atom, and the child of the root it is under (itself, if it is the root)."""
    below_root, root = atom, atom
    while forest.parent[root] != NOBODY:
        below_root, root = root, forest.parent[root]
    return root, below_root


@bare
def toggle(
    forest: Forest, terms: Terms, pool: Ints, form_pool: Ints, apart: Ints, i: int, j: int, random: State
) -> bool:
    """Join the trees of atoms i and j, or split the tree whose root parts them; returns whether that was done."""
    root, child = side(forest, i)
    other_root, other_child = side(forest, j)
    if root != other_root:
        if across(forest, apart, root, other_root):
            return False
        delta = score(forest, terms, pool, form_pool, root, other_root)
        if accepted(random, delta):
            grow(forest, root, other_root, delta)
            return True
    elif child != other_child and accepted(random, -forest.score[root]):
        cut(forest, root)
        return True
    return False


@bare
def rotate(forest: Forest, terms: Terms, pool: Ints, form_pool: Ints, node: int, random: State) -> bool:
    """Let a child of `node` change places with its parent's other child; returns whether that was done."""
    parent = forest.parent[node]
    if forest.left[node] == NOBODY or parent == NOBODY:
        return False
    staying, leaving = forest.left[node], forest.right[node]
    if below(random, 2) == 0:
        staying, leaving = leaving, staying
    sibling = forest.right[parent] if forest.left[parent] == node else forest.left[parent]
    trial = forest.parent.shape[0] - 1
    set_children(forest, trial, staying, sibling)
    lower = score(forest, terms, pool, form_pool, staying, sibling)
    upper = score(forest, terms, pool, form_pool, trial, leaving)
    take = accepted(random, lower + upper - forest.score[node] - forest.score[parent])
    if take:
        drop_children(forest, node)
        set_children(forest, node, staying, sibling)
        if forest.laid[trial]:
            for column in range(forest.nodes.shape[1]):
                forest.nodes[node, column] = forest.nodes[trial, column]
            forest.laid[node] = True
        forest.left[parent], forest.right[parent] = node, leaving
        forest.parent[sibling], forest.parent[leaving] = node, parent
        forest.score[node], forest.score[parent] = lower, upper
    drop_children(forest, trial)
    return take
