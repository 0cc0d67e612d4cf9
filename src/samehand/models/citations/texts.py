"""Citations as strings: what the models of the citations paper read."""

from __future__ import annotations

import polars as pl

from samehand.block import Blocked


def citation_texts(blocked: Blocked) -> list[str]:
    """The text of each paper mention: as given, or the fields of a structured reference in the order of a citation."""
    wanted = blocked.mentions.select(id="reference")
    references = wanted.join(blocked.references, on="id", how="left", maintain_order="left")
    written = references.select(
        pl.coalesce(
            "text",
            pl.concat_str(
                [
                    pl.col("authors").list.join(", "),
                    "title",
                    "venue",
                    "pages",
                    pl.col("year").cast(pl.String),
                ],
                separator=". ",
                ignore_nulls=True,
            ),
        )
    )
    return written.to_series().to_list()
