"""How a forest lies in flat arrays; every kernel of the tree model speaks of these columns.

A block of M mentions has nodes 0 .. M - 1 for its leaves and M .. 2M for inner nodes. Per node:

- `links[node]`: parent, first child, next and previous sibling (-1 if none), number of children, of leaves,
  of slots in use in its bag, its position in the list of nodes that exist (-1 if it does not), and its height.
- `places[node]`: where its bag begins in `pool`, and how long that region is. An entry packs
  (token + 1) << 32 | count; a leaf's region holds its tokens in ascending order, an inner node's region is a hash
  table with open addressing, whose length is a power of two.
- `stats[node, field]`: |b|_0, |b|_1, |b|_2^2 and sum of x log x of its bag in that field. All four are exact in
  floating point (x log x is rounded to multiples of 2^-34), so that adding and removing a bag any number of
  times leaves no trace.
- `dots[node, field]`: the product of its bag with its parent's, in the fields that have a cosine factor.
- `attributes[node]`: its canonical first, middle and last name, as numbers of values (-1 if unknown).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

PARENT, FIRST, NEXT, PREVIOUS, CHILDREN, LEAVES, SLOTS, POSITION, HEIGHT = range(9)
LINKS = 9
START, LENGTH = range(2)
DISTINCT, TOTAL, SQUARES, ENTROPIC = range(4)
FIRST_NAME, MIDDLE_NAME, LAST_NAME = range(3)
ATTRIBUTES = 3

# counters: how many nodes exist, how many inner nodes were ever used, how much of the pool, free node stack,
# then the heads of the lists of free regions by the logarithm of their length
EXISTING, INNER_USED, POOL_USED, FREE_NODES, FREE_REGIONS = range(5)
COUNTERS = FREE_REGIONS + 40

# weights[field]
COSINE, SHIFT, LOGGED, INCLUSIVE, ENTROPY, COMPLEXITY, NAMES = range(7)
FIELD_WEIGHTS = 7
# structure
ENTITY, SUBENTITY, BRANCHING, IDEAL_CHILDREN, DIFFERENT, EQUAL, INITIALS, MOST_CHILDREN, MOST_DEPTH = range(9)
STRUCTURE = 9

# scores[node]: its cosine factors with its parent, and what its bags score by themselves where it is no root
PAIR, UNIT = range(2)

NAMES_CAP = 16.0
FORBIDDEN = -1e6

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
