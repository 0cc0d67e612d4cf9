"""No entry of a real collection vanishes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from samehand.bench import Options
from samehand.bench.conservation import count_entries, run


def test_the_independent_counter() -> None:
    data = b"@a{x}\r@string{s=1}\n %% @B (y)\n}@c{z\n@comment{}\nme@d{w}\n@preamble{1}\n@e\n{v}"
    assert count_entries(data) == 4


@pytest.mark.data
@pytest.mark.skipif(
    "SAMEHAND_DATA" not in os.environ, reason="SAMEHAND_DATA names no folder of labelled sets"
)
def test_every_entry_is_a_reference_or_a_reject() -> None:
    [row] = run(Options(data=Path(os.environ["SAMEHAND_DATA"]), method="samehand"))
    assert row["missing"] == 0
    assert row["extra"] <= 5
    assert row["rejects"] < row["entries_counted"] / 1000
