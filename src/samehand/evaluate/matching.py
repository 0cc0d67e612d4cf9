"""The heaviest one-to-one matching of a sparse bipartite graph, exactly.

Maximise the sum of w(r, c) over the matched pairs, each row r and column c used at most once, by successive
shortest augmenting paths (Jonker and Volgenant 1987, with Dijkstra's search on the sparse graph). Prices u, v
stay feasible, u(r) + v(c) >= w(r, c) and u, v >= 0, with equality on matched pairs and price zero on whatever
is unmatched; by linear-programming duality the matching is then optimal, whatever the size of the graph.

Rows enter one at a time, heaviest first. A search stops at the first free column, or at the first row that
is better left unmatched, and never leaves the connected component it starts in. The worst case is
O(rows x edges of the component x log edges) steps: two unrelated clusterings into 10^5 clusters of equal size
take minutes. When the clusterings have anything to do with each other, or sizes vary, nearly every search
ends after one or two edges, and a million edges take well under a second.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samehand.kernels import kernel

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Matching(NamedTuple):
    """The edge chosen for each row (-1: none), the row that holds each column (-1: none), and the prices
    that prove the choice optimal."""

    edges: Integers
    holders: Integers
    row_prices: Floats
    column_prices: Floats


class _Graph(NamedTuple):
    """Edges sorted by row: row r has the edges starts[r] .. starts[r + 1]."""

    starts: Integers
    rows: Integers
    columns: Integers
    weights: Floats


class _Tree(NamedTuple):
    """One shortest-path search: per column its distance and the edge it is reached by; a heap of columns."""

    distances: Floats
    edges: Integers
    settled: NDArray[np.bool_]
    touched: Integers
    keys: Floats
    items: Integers


def heaviest_matching(
    rows: Integers, columns: Integers, weights: Floats, row_count: int, column_count: int
) -> Matching:
    """The matching of greatest total weight; edges sorted by row, each pair once, weights not negative.

    >>> chosen = heaviest_matching(
    ...     np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([5.0, 4.0, 3.0]), row_count=2, column_count=2
    ... )
    >>> chosen.edges.tolist()
    [1, 2]
    """
    graph = _Graph(np.searchsorted(rows, np.arange(row_count + 1)), rows, columns, weights)
    heaviest = np.zeros(row_count)
    np.maximum.at(heaviest, rows, weights)
    matching = Matching(
        np.full(row_count, -1), np.full(column_count, -1), np.zeros(row_count), np.zeros(column_count)
    )
    _match_all(np.argsort(-heaviest, kind="stable"), graph, matching)
    return matching


@kernel
def _match_all(order: Integers, graph: _Graph, matching: Matching) -> None:
    """Let the rows enter in `order`, each by its shortest augmenting path."""
    column_count, edge_count = matching.holders.shape[0], graph.columns.shape[0]
    tree = _Tree(
        np.full(column_count, np.inf),
        np.empty(column_count, np.int64),
        np.zeros(column_count, np.bool_),
        np.empty(column_count, np.int64),
        np.empty(edge_count + 1),
        np.empty(edge_count + 1, np.int64),
    )
    for root in order:
        for edge in range(graph.starts[root], graph.starts[root + 1]):
            gain = graph.weights[edge] - matching.column_prices[graph.columns[edge]]
            matching.row_prices[root] = max(matching.row_prices[root], gain)
        if matching.row_prices[root] > 0.0:
            length, last_row, last_column, touched_count = _grow(root, graph, matching, tree)
            _reprice(root, length, touched_count, matching, tree)
            _flip(root, last_row, last_column, graph, matching, tree)


@kernel
def _grow(root: int, graph: _Graph, matching: Matching, tree: _Tree) -> tuple[float, int, int, int]:
    """Dijkstra's search from a free row over the slacks u + v - w, to the nearest end.

    An end is a free column, or a row whose price can fall to zero (that row is then left unmatched, and the
    last column is -1). Returns the path's length, its last row and column, and how many columns were touched.
    """
    row, travelled = root, 0.0
    length, last_row, last_column = matching.row_prices[root], root, -1
    touched_count = heap_size = 0
    while True:
        for edge in range(graph.starts[row], graph.starts[row + 1]):
            column = graph.columns[edge]
            slack = matching.row_prices[row] + matching.column_prices[column] - graph.weights[edge]
            reach = travelled + max(slack, 0.0)
            if tree.settled[column] or reach >= min(length, tree.distances[column]):
                continue
            if tree.distances[column] == np.inf:
                tree.touched[touched_count] = column
                touched_count += 1
            tree.distances[column] = reach
            tree.edges[column] = edge
            if matching.holders[column] < 0:
                length, last_row, last_column = reach, row, column
            else:
                heap_size = _push(tree.keys, tree.items, heap_size, reach, column)
        while heap_size > 0 and tree.settled[tree.items[0]]:
            heap_size = _pop(tree.keys, tree.items, heap_size)
        if heap_size == 0 or tree.keys[0] >= length:
            return length, last_row, last_column, touched_count
        column, travelled = tree.items[0], tree.keys[0]
        heap_size = _pop(tree.keys, tree.items, heap_size)
        tree.settled[column] = True
        row = matching.holders[column]
        if travelled + matching.row_prices[row] < length:
            length, last_row, last_column = travelled + matching.row_prices[row], row, -1


@kernel
def _reprice(root: int, length: float, touched_count: int, matching: Matching, tree: _Tree) -> None:
    """Move the prices of the searched tree so that its shortest path becomes tight; clear the tree."""
    matching.row_prices[root] -= length
    for place in range(touched_count):
        column = tree.touched[place]
        if tree.settled[column]:
            change = length - tree.distances[column]
            matching.column_prices[column] += change
            matching.row_prices[matching.holders[column]] -= change
        tree.distances[column] = np.inf
        tree.settled[column] = False


@kernel
def _flip(root: int, last_row: int, last_column: int, graph: _Graph, matching: Matching, tree: _Tree) -> None:
    """Exchange matched and unmatched edges along the path that ends at `last_row`, `last_column`."""
    column = last_column
    if column < 0:
        matching.row_prices[last_row] = 0.0
        if last_row == root:
            return
        column = graph.columns[matching.edges[last_row]]
        matching.edges[last_row] = -1
    while True:
        edge = tree.edges[column]
        row = graph.rows[edge]
        previous = matching.edges[row]
        matching.edges[row] = edge
        matching.holders[column] = row
        if row == root:
            return
        column = graph.columns[previous]


@kernel
def _push(keys: Floats, items: Integers, size: int, key: float, item: int) -> int:
    """Add (key, item) to a binary heap of `size` entries; returns the new size."""
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        if keys[parent] <= key:
            break
        keys[place] = keys[parent]
        items[place] = items[parent]
        place = parent
    keys[place] = key
    items[place] = item
    return size + 1


@kernel
def _pop(keys: Floats, items: Integers, size: int) -> int:
    """Remove the smallest entry, keys[0], from a binary heap of `size` entries; returns the new size."""
    size -= 1
    key, item = keys[size], items[size]
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place] = keys[child]
        items[place] = items[child]
        place = child
    keys[place] = key
    items[place] = item
    return size
