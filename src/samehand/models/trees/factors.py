"""The factors: what a node and a child-parent pair score, as functions of figures of bags alone.

A factor set is a table of weights for these templates (settings.py); the moves know none of them.

Child c, parent p, q = p - c, per field (table 1 of the 2013 paper):

    cosine       w * log(|c|_1 + 2) * ( q.c / (|q|_2 |c|_2) + t )     0 if c or q is empty
                 (2012: without the logarithm; `inclusive` compares with p itself instead of q)
    attributes   per canonical name: `different`, `equal`, or `initials` if one is the other's initial (2012)

Node, per field bag b:

    entropy      -w * H(b) / log |b|_0                                 0 if |b|_0 < 2
    complexity   -w * |b|_0 / |b|_1                                    0 if b is empty
    names        -min( w (|b|_0 - 1)^2 , 16 ), roots only; w = inf forbids a second name

Node:            -entity if a root; -subentity if neither root nor leaf;
                 branching / ( |children - ideal| + 1 ) if not a leaf (2012)
"""

from __future__ import annotations

import math

from samehand.kernels import bare
from samehand.models.trees.bags import log_of
from samehand.models.trees.layout import (
    ATTRIBUTES,
    BRANCHING,
    COMPLEXITY,
    COSINE,
    DIFFERENT,
    DISTINCT,
    ENTITY,
    ENTROPIC,
    ENTROPY,
    EQUAL,
    FORBIDDEN,
    IDEAL_CHILDREN,
    INCLUSIVE,
    INITIALS,
    LOGGED,
    NAMES_CAP,
    SHIFT,
    SQUARES,
    SUBENTITY,
    TOTAL,
    Floats,
    Ints,
)


@bare
def pair_of_bags(
    children: Floats, child: int, parents: Floats, parent: int, dots: Floats, row: int, weights: Floats
) -> float:
    """The sum of the cosine factors of a child and its parent over all fields.

    `children[child]` and `parents[parent]` are the figures of the two, `dots[row]` the products of their bags:
    whole arrays and indices, because slicing arrays in a hot kernel is slow.
    """
    score = 0.0
    for f in range(weights.shape[0]):
        if weights[f, COSINE] == 0.0:
            continue
        dot = dots[row, f]
        own = children[child, f, SQUARES]
        inclusive = weights[f, INCLUSIVE] != 0.0
        other = parents[parent, f, SQUARES]
        if not inclusive:
            other += own - 2.0 * dot
            dot -= own
        if own > 0.0 and other > 0.0:
            size = log_of(children[child, f, TOTAL] + 2.0) if weights[f, LOGGED] != 0.0 else 1.0
            score += weights[f, COSINE] * size * (dot / math.sqrt(own * other) + weights[f, SHIFT])
    return score


@bare
def agreement(mine: int, yours: int, initial: Ints, structure: Floats) -> float:
    """How two canonical names agree; unknown ones say nothing. `initial[value]` is its initial as a value."""
    if mine < 0 or yours < 0:
        return 0.0
    if mine == yours:
        return structure[EQUAL]
    one_is_initial = initial[mine] == mine or initial[yours] == yours
    if one_is_initial and initial[mine] == initial[yours]:
        return structure[INITIALS]
    return structure[DIFFERENT]


@bare
def pair_of_attributes(
    children: Ints, child: int, parents: Ints, parent: int, initial: Ints, structure: Floats
) -> float:
    """How the canonical names of a child agree with its parent's."""
    score = 0.0
    if structure[EQUAL] == 0.0 and structure[DIFFERENT] == 0.0 and structure[INITIALS] == 0.0:
        return score
    for which in range(ATTRIBUTES):
        score += agreement(children[child, which], parents[parent, which], initial, structure)
    return score


@bare
def unit_of_bags(bags: Floats, node: int, weights: Floats) -> float:
    """What a node's bags score by themselves, names apart."""
    score = 0.0
    for f in range(weights.shape[0]):
        distinct, total = bags[node, f, DISTINCT], bags[node, f, TOTAL]
        if weights[f, ENTROPY] != 0.0 and distinct >= 2.0:
            entropy = log_of(total) - bags[node, f, ENTROPIC] / total
            score -= weights[f, ENTROPY] * entropy / log_of(distinct)
        if weights[f, COMPLEXITY] != 0.0 and total > 0.0:
            score -= weights[f, COMPLEXITY] * distinct / total
    return score


@bare
def names_of_root(bags: Floats, node: int, naming: Floats) -> float:
    """What the names of a root score; `naming[f]` is the weight of the field's names."""
    score = 0.0
    for f in range(naming.shape[0]):
        distinct = bags[node, f, DISTINCT]
        if naming[f] != 0.0 and distinct > 1.0:
            if math.isinf(naming[f]):
                score += FORBIDDEN
            else:
                score -= min(naming[f] * (distinct - 1.0) ** 2, NAMES_CAP)
    return score


@bare
def unit_of_structure(is_root: bool, children: int, structure: Floats) -> float:
    """What a node scores for being there, as a root or as an inner node with so many children."""
    score = -structure[ENTITY] if is_root else 0.0
    if children > 0:
        if not is_root:
            score -= structure[SUBENTITY]
        score += structure[BRANCHING] / (abs(children - structure[IDEAL_CHILDREN]) + 1.0)
    return score


@bare
def unit(
    bags: Floats, node: int, is_root: bool, children: int, weights: Floats, naming: Floats, structure: Floats
) -> float:
    """What a node scores by itself."""
    score = unit_of_bags(bags, node, weights) + unit_of_structure(is_root, children, structure)
    return score + names_of_root(bags, node, naming) if is_root else score
