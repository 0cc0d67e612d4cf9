"""A library of a million mentions to serve: generated papers, resolved by the default models."""

from __future__ import annotations

import tempfile
from pathlib import Path

import polars as pl

from samehand.evaluate.synthetic import generate
from samehand.library import Library
from samehand.pipeline import resolve
from samehand.progress import Progress
from samehand.read import Records
from samehand.records import REFERENCES, REJECTS, references_frame

AUTHORS_SHARE = 0.68
"""Of a hundred mentions of generated references so many are authors; the others are papers and venues."""


def make_library(place: Path, mentions: int, seed: int, progress: Progress) -> int:
    """Make a library of about so many mentions; how many it has."""
    with tempfile.TemporaryDirectory() as folder:
        authors = int(mentions * AUTHORS_SHARE)
        made = generate(authors, Path(folder) / "generated.parquet", seed=seed, progress=progress)
        references = papers_of(pl.read_parquet(made.output))
    with Library(place) as library:
        resolve(Records(references, REJECTS.to_frame()), library=library, seed=seed, progress=progress)
        return library.store.number("SELECT COUNT(*) FROM mentions")


def papers_of(authors: pl.DataFrame) -> pl.DataFrame:
    """Generated author mentions, one row each, as the references they stand on (schema `records.REFERENCES`).

    >>> rows = {"paper_id": ["r0", "r0"], "name": ["Ann Lee", "Bo Wu"], "title": ["Hands"] * 2, "venue": ["J"] * 2,
    ...     "year": [2001] * 2}
    >>> papers_of(pl.DataFrame(rows)).select("id", "authors").row(0)
    ('r0', ['Ann Lee', 'Bo Wu'])
    """
    grouped = authors.group_by("paper_id", maintain_order=True).agg(
        pl.col("title", "venue", "year").first(), authors="name"
    )
    told = grouped.with_row_index("row").select(
        "title", "authors", "venue", "year", id="paper_id", line=pl.col("row") + 1, source=pl.lit("generated"),
        scope=pl.lit("reference"), type=pl.lit("article"),
    )  # fmt: skip
    empty = references_frame([])
    return pl.concat([empty, told], how="diagonal_relaxed").select(
        pl.col(name).cast(dtype) for name, dtype in REFERENCES.items()
    )
