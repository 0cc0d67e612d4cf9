"""The score of a forest from its links and its leaves' bags alone: the slow, obvious statement of the model.

Kernels keep running figures and add up changes; this adds up the factors as the papers write them. Tests hold the
two against each other. It uses no running figure and no kernel.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from samehand.models.trees import layout as at
from samehand.models.trees.layout import Floats, Ints, Longs

Bag = Counter[int]


@dataclass(frozen=True)
class Leaves:
    """The bags and names of a block's mentions, and the weights they are scored with."""

    bags: list[list[Bag]]  # by leaf, then field
    names: Ints
    initial: Ints
    weights: Floats
    structure: Floats


def forest_score(links: Ints, attributes: Ints, leaves: Leaves) -> float:
    """Sum over non-root nodes of pair(node, parent), plus sum over all nodes of unit(node)."""
    children: dict[int, list[int]] = {}
    nodes = [int(n) for n in range(links.shape[0]) if links[n, at.POSITION] >= 0]
    for node in nodes:
        if links[node, at.PARENT] >= 0:
            children.setdefault(int(links[node, at.PARENT]), []).append(node)
    bags: dict[int, list[Bag]] = {}

    def bags_of(node: int) -> list[Bag]:
        if node not in bags:
            below = [bags_of(child) for child in children.get(node, [])]
            own = [sum((part[f] for part in below), Bag()) for f in range(leaves.weights.shape[0])]
            bags[node] = own if below else leaves.bags[node]
        return bags[node]

    score = 0.0
    for node in nodes:
        parent = int(links[node, at.PARENT])
        score += unit_score(bags_of(node), parent < 0, len(children.get(node, [])), leaves)
        if parent >= 0:
            score += pair_score(bags_of(node), bags_of(parent), leaves)
            score += names_score(attributes[node], attributes[parent], leaves)
    return score


def pair_score(child: list[Bag], parent: list[Bag], leaves: Leaves) -> float:
    """The cosine factors of a child and its parent."""
    score = 0.0
    for c, p, weight in zip(child, parent, leaves.weights, strict=True):
        q = p if weight[at.INCLUSIVE] else p - c
        if weight[at.COSINE] and c and q:
            cosine = sum(c[t] * q[t] for t in c) / math.sqrt(_squares(c) * _squares(q))
            size = math.log(c.total() + 2) if weight[at.LOGGED] else 1.0
            score += weight[at.COSINE] * size * (cosine + weight[at.SHIFT])
    return float(score)


def _squares(bag: Bag) -> int:
    return sum(count * count for count in bag.values())


def names_score(child: Ints, parent: Ints, leaves: Leaves) -> float:
    """How the canonical names of a child and its parent agree."""
    score = 0.0
    for mine, yours in zip(child.tolist(), parent.tolist(), strict=True):
        if mine < 0 or yours < 0:
            continue
        short_mine, short_yours = int(leaves.initial[mine]), int(leaves.initial[yours])
        if mine == yours:
            score += leaves.structure[at.EQUAL]
        elif short_mine == short_yours and (mine == short_mine or yours == short_yours):
            score += leaves.structure[at.INITIALS]
        else:
            score += leaves.structure[at.DIFFERENT]
    return float(score)


def unit_score(bags: list[Bag], is_root: bool, children: int, leaves: Leaves) -> float:
    """What a node scores by itself."""
    score = -leaves.structure[at.ENTITY] if is_root else 0.0
    if children:
        score -= 0.0 if is_root else leaves.structure[at.SUBENTITY]
        score += leaves.structure[at.BRANCHING] / (abs(children - leaves.structure[at.IDEAL_CHILDREN]) + 1)
    for bag, weight in zip(bags, leaves.weights, strict=True):
        total, distinct = bag.total(), len(bag)
        if distinct > 1:
            shares = np.array(list(bag.values())) / total
            entropy = -(shares * np.log(shares)).sum()
            score -= weight[at.ENTROPY] * entropy / math.log(distinct)
        if distinct:
            score -= weight[at.COMPLEXITY] * distinct / total
        if is_root and weight[at.NAMES] and distinct > 1:
            forbidden = math.isinf(weight[at.NAMES])
            penalty = weight[at.NAMES] * (distinct - 1) ** 2
            score += at.FORBIDDEN if forbidden else -min(penalty, at.NAMES_CAP)
    return float(score)


def bags_of_leaves(starts: Longs, tokens: Ints, counts: Ints, field: Ints, fields: int) -> list[list[Bag]]:
    """The bags of all leaves, by field."""
    result = []
    for leaf in range(len(starts) - 1):
        bags = [Bag() for _ in range(fields)]
        for position in range(starts[leaf], starts[leaf + 1]):
            bags[field[tokens[position]]][int(tokens[position])] += int(counts[position])
        result.append(bags)
    return result
