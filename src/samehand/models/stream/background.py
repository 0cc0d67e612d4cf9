"""How common tokens are at large: the base measure of evidence.py.

b_w = (c_w - own_w + FLOOR) / (total - own total + FLOOR x vocabulary): counts over many records of many names, without
those of the name itself, which would make its persons' own co-authors look common. For a token never seen
elsewhere, a total below `fewest` counts as that many: such a co-author is rare in a library of a few records too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from samehand.models.stream.evidence import FIELDS

FLOOR = 0.3


@dataclass(frozen=True)
class Counts:
    """How many records have each token, per field, and how many tokens there are in all.

    `distinct` is how many different ones, where `tokens` does not hold them all.
    """

    tokens: tuple[Mapping[str, int], ...]
    totals: Sequence[int]
    distinct: Sequence[int] | None = None

    def vocabulary(self, field: int) -> int:
        """How many different tokens a field has."""
        return len(self.tokens[field]) if self.distinct is None else self.distinct[field]


@dataclass(frozen=True)
class Background:
    """The frequencies in `corpus` without what `own` counted; both with the columns of `FIELDS`."""

    corpus: Counts
    own: Counts
    fewest: int = 0

    def frequency(self, field: int, token: str) -> float:
        """b_w of a token; a token never seen has the share of FLOOR occurrences."""
        outside = max(0, self.corpus.tokens[field].get(token, 0) - self.own.tokens[field].get(token, 0))
        total = self.corpus.totals[field] - self.own.totals[field]
        if outside == 0:
            total = max(self.fewest, total)
        vocabulary = self.corpus.vocabulary(field) + 1
        return (outside + FLOOR) / (total + FLOOR * vocabulary)


def count_tokens(records: pl.DataFrame) -> Counts:
    """Counts of a table with the columns of `FIELDS`, each token once a record (see features.py).

    >>> one = {field: [["x"]] for field in FIELDS}
    >>> counts = count_tokens(pl.DataFrame(one))
    >>> counts.totals, Background(counts, NOTHING).frequency(0, "x") == 1.3 / 1.6
    ((1, 1, 1, 1, 1), True)
    """
    tokens = tuple(Counter(records[field].explode().drop_nulls().to_list()) for field in FIELDS)
    return Counts(tokens, tuple(counter.total() for counter in tokens))


NOTHING = Counts(({},) * len(FIELDS), (0,) * len(FIELDS))
