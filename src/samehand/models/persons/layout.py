"""How a block lies in flat arrays: the columns of nodes, and the features of joining two of them.

A node is a set of mentions believed to be one person: a row of `nodes`. Its bag is `pool[:, start : start + length]`,
tokens ascending above their counts; its name forms, with how many mentions have each, lie likewise in `form_pool`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int8]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]

FIELDS = ("coauthors", "coauthors_full", "title", "venue", "affiliation")
"""The bags that are evidence; a sixth number of field marks tokens that two authors of one paper share."""

COAUTHORS, COAUTHORS_FULL, TITLE, VENUE, AFFILIATION, PAPER = range(6)
EVIDENCE = len(FIELDS)

# Columns of `nodes`: where the bag and the forms lie, how many mentions, their first and last year (0: unknown), how
# often the node has grown, and the number of tokens in each field.
START, LENGTH, FORM_START, FORM_LENGTH, SIZE, FIRST_YEAR, LAST_YEAR, GROWN, TOTALS = range(9)
NODE = TOTALS + EVIDENCE

FEATURES = (
    *FIELDS,
    "larger_size", "smaller_size",
    "first_equal_rarity", "first_equal", "first_near", "first_conflict",
    "middle_equal", "middle_conflict", "middle_missing",
    "last_variant", "same_paper", "gap", "career",
    "constant", "first_names", "one_first_name", "initials", "mentions", "census", "initial", "density",
    "alike",
)  # fmt: skip
"""What the score of a join is a weighted sum of: see compare.py; from `constant` on they are the block's
(ambiguity.py)."""

(
    LARGER, SMALLER, RARITY, FIRST_EQUAL, FIRST_NEAR, FIRST_CONFLICT, MIDDLE_EQUAL, MIDDLE_CONFLICT, MIDDLE_MISSING,
    LAST_VARIANT, SAME_PAPER, GAP, CAREER, BLOCK,
) = range(EVIDENCE, EVIDENCE + 14)  # fmt: skip

# Columns of `shape`, a row for each field: concentration, power of the size, and the floor under negative evidence.
CONCENTRATION, POWER, FLOOR = range(3)
