"""Which pairs of nodes the search looks at.

Pairs come from shared rare tokens (a leaf, one of its rare tokens, another leaf with it, then an ancestor of each) or,
in a share of the steps, from all nodes alike; in a share of both the roots are taken. Large subtrees are passed over in
most of their draws, so that every node is looked at about as often, whatever its size; whole trees are looked at more
often, because that is how the parts of a large person meet.
"""

from __future__ import annotations

from samehand.infer.random import State, below, uniform
from samehand.kernels import bare
from samehand.models.trees.forest import depth_of, root_of
from samehand.models.trees.layout import EXISTING, LEAVES, PARENT, Ints, Longs

WHOLE = 0.3
"""Share of the pairs for which the two whole trees are taken."""
WITHIN = 0.3
"""Share of the pairs of one tree that are looked at: its shape matters less than what it holds."""
FEW, FEW_WHOLE = 4, 32
"""A node with more leaves than this is looked at in FEW / leaves of its draws; a whole tree in FEW_WHOLE / leaves."""


@bare
def ancestor(links: Ints, leaf: int, random: State) -> int:
    """The leaf or one of its ancestors, each as likely."""
    node = leaf
    for _ in range(below(random, depth_of(links, leaf) + 1)):
        node = links[node, PARENT]
    return node


@bare
def draw(
    leaves: int, links: Ints, existing: Ints, counters: Longs, rare_starts: Longs, rare: Ints, posting_starts: Longs,
    postings: Ints, alike: float, random: State,
) -> tuple[int, int]:  # fmt: skip
    """Two nodes: of leaves that share a rare token, or, in the share `alike` of the draws, any two.

    In the share WHOLE of both kinds the roots of the two are taken.
    """
    if uniform(random) >= alike:
        leaf = below(random, leaves)
        tokens = rare_starts[leaf + 1] - rare_starts[leaf]
        if tokens > 0:
            token = rare[rare_starts[leaf] + below(random, tokens)]
            holders = posting_starts[token + 1] - posting_starts[token]
            other = postings[posting_starts[token] + below(random, holders)]
            if uniform(random) < WHOLE:
                return root_of(links, leaf), root_of(links, other)
            return ancestor(links, leaf, random), ancestor(links, other, random)
    first = existing[below(random, counters[EXISTING])]
    second = existing[below(random, counters[EXISTING])]
    if uniform(random) < WHOLE:
        return root_of(links, first), root_of(links, second)
    return first, second


@bare
def looked_at(links: Ints, node: int, random: State) -> bool:
    """Whether a draw of this node counts: always if it has few leaves, else with probability few / leaves.

    Each of its leaves can bring a node up, and what a proposal costs grows with its bag: without this nearly all time
    goes into moving large subtrees over and over. Whole trees, which have few places to go, are looked at more often.
    """
    leaves = links[node, LEAVES]
    few = FEW_WHOLE if links[node, PARENT] < 0 else FEW
    return leaves <= few or uniform(random) * leaves < few


@bare
def passed_over(links: Ints, together: bool, j: int, random: State) -> bool:
    """Whether a pair is not looked at: in most draws of large nodes, and in a share of the draws within one tree."""
    return not looked_at(links, j, random) or (together and uniform(random) >= WITHIN)
