"""Small invented worlds of venue mentions, and the exact posterior of their clusterings by enumeration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from samehand.models.venues.chain import Chain
from samehand.models.venues.items import Data, _kept_apart

Partition = tuple[int, ...]


def partitions(count: int) -> Iterator[Partition]:
    """Every partition of so many items, clusters numbered in order of first item."""

    def grow(labels: tuple[int, ...]) -> Iterator[Partition]:
        if len(labels) == count:
            yield labels
            return
        for label in range(max(labels, default=-1) + 2):
            yield from grow((*labels, label))

    return grow(())


def make_data(
    form: list[int],
    likeness: np.ndarray,
    titles: list[list[int]] | None = None,
    apart: tuple = (),
    prior: np.ndarray | None = None,
) -> Data:
    """Items with these forms and these words in their titles."""
    counts = [sorted(Counter(title).items()) for title in titles or [[]] * len(form)]
    starts = np.cumsum([0, *(len(pairs) for pairs in counts)], dtype=np.int64)
    flat = np.array([pair for pairs in counts for pair in pairs], np.int32).reshape(-1, 2)
    return Data(
        np.array(form, np.int32),
        likeness,
        np.zeros(len(likeness)) if prior is None else prior,
        starts,
        flat[:, 0].copy(),
        flat[:, 1].copy(),
        *_kept_apart(np.array(apart, np.int64).reshape(-1, 2), len(form)),
    )


def log_titles(data: Data, members: list[int], words: int, beta: float) -> float:
    """The probability of the members' titles word by word, as the paper writes it."""
    seen: Counter[int] = Counter()
    total = 0
    found = 0.0
    for member in members:
        for pair in range(data.starts[member], data.starts[member + 1]):
            for _ in range(data.counts[pair]):
                found += math.log((seen[data.words[pair]] + beta / words) / (total + beta))
                seen[data.words[pair]] += 1
                total += 1
    return found


def log_cluster(data: Data, members: list[int], words: int, alpha: float, beta: float) -> float:
    """ln alpha Gamma(N) p(titles) sum over x observed of p(x) prod p(v | x)."""
    forms = [int(data.form[member]) for member in members]
    strings = sum(math.exp(data.prior[x] + sum(data.likeness[form, x] for form in forms)) for x in set(forms))
    return (
        math.log(alpha)
        + math.lgamma(len(members))
        + math.log(strings)
        + log_titles(data, members, words, beta)
    )


def exact_posterior(data: Data, words: int, alpha: float, beta: float) -> dict[Partition, float]:
    """The probability of every partition."""
    weights = {}
    for labels in partitions(len(data.form)):
        members = [[i for i, label in enumerate(labels) if label == c] for c in range(max(labels) + 1)]
        if any(labels[i] == labels[e] for i in range(len(labels)) for e in _enemies(data, i)):
            continue
        weights[labels] = math.exp(sum(log_cluster(data, m, words, alpha, beta) for m in members))
    total = sum(weights.values())
    return {labels: weight / total for labels, weight in weights.items()}


def _enemies(data: Data, item: int) -> list[int]:
    return data.apart[data.apart_starts[item] : data.apart_starts[item + 1]].tolist()


def visited(chain: Chain, sweeps: int) -> dict[Partition, float]:
    """The share of sweeps that a chain spends on each partition."""
    slots: Counter[bytes] = Counter()
    for _ in range(sweeps):
        chain.sweep()
        slots[chain.state.cluster.tobytes()] += 1
    found: Counter[Partition] = Counter()
    for key, count in slots.items():
        found[in_order(np.frombuffer(key, np.int32).tolist())] += count
    return {labels: count / sweeps for labels, count in found.items()}


def in_order(labels: list[int]) -> Partition:
    """Clusters numbered in order of first item."""
    number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return tuple(number[label] for label in labels)


def distance(left: dict[Partition, float], right: dict[Partition, float]) -> float:
    """Total variation: half the sum of differences."""
    return 0.5 * sum(abs(left.get(key, 0.0) - right.get(key, 0.0)) for key in left | right)


LIKENESS = np.log(
    np.array(
        [
            [0.50, 0.10, 0.02, 0.20],
            [0.20, 0.60, 0.10, 0.05],
            [0.05, 0.20, 0.70, 0.15],
            [0.25, 0.10, 0.18, 0.60],
        ]
    )
)
"""p(v | x) of four strings, columns x."""

FORMS = [0, 0, 1, 2, 3, 1]
TITLES = [[0, 1], [0, 1, 1], [2, 0], [3], [3, 2, 2], [1, 4]]
WORDS = 6
