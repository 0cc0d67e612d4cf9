"""The last tasks of a run on shards: every person gets its identifier, every mention its row of the result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from samehand.engine.files import read_frame, write_frame
from samehand.models.persons.variant_shards import SHARD_BITS
from samehand.models.persons.variants import Joined, relabelled
from samehand.publish.identifiers import mint
from samehand.records import ASSIGNMENTS

JOINED = pl.Schema(
    {
        "person": pl.Int64(),
        "root": pl.Int64(),
        "factor": pl.Float64(),
        "size": pl.Int64(),
        "first": pl.String(),
    }
)


def read_joined(place: Path) -> pl.DataFrame:
    """Who was joined with whom in all troupes, by person."""
    paths = sorted((place / "joined").glob("*.arrow"))
    return pl.concat([JOINED.to_frame(), *(read_frame(path).cast(JOINED) for path in paths)]).sort("person")


def clusters(place: Path, number: int, joined: pl.DataFrame) -> pl.DataFrame:
    """The mentions of a shard (columns mention, person, probability), after persons with different names are joined."""
    found = read_frame(place / "found" / f"{number:05}.arrow")
    person = found["person"].to_numpy().astype(np.int64) + (number << SHARD_BITS)
    columns = (joined[name].to_numpy() for name in ("person", "root", "factor", "size"))
    person, probability = relabelled(Joined(*columns), person, found["probability"].to_numpy())
    return pl.DataFrame({"mention": found["id"], "person": person, "probability": probability})


def name(folder: str, number: int) -> pl.Series:
    """Write the result of a shard; the identifiers of the persons that begin in it are returned.

    A person is named after the smallest identifier of its mentions, like any entity (publish/identifiers.py).
    """
    place = Path(folder)
    done = place / "named" / f"{number:05}.arrow"
    found = read_frame(place / "found" / f"{number:05}.arrow")
    persons = found.group_by("person").agg(first=pl.col("id").min(), size=pl.len()).sort("person")
    persons = persons.with_columns(
        whole=pl.col("person").cast(pl.Int64) + (number << SHARD_BITS), own=pl.lit(True)
    )
    joined = read_frame(place / "joined.arrow")
    mine = joined.filter(pl.col("person") // (1 << SHARD_BITS) == number) if joined.height else joined
    table = persons.join(
        mine.select("root", "factor", whole="person", joined_first="first"), on="whole", how="left",
        maintain_order="left",
    ).with_columns(
        begins=pl.col("root").is_null() | (pl.col("root") == pl.col("whole")),
        first=pl.coalesce("joined_first", "first"),
        alone=pl.col("root").is_not_null() & (pl.col("size") == 1),
        factor=pl.col("factor").fill_null(1.0),
    )  # fmt: skip
    entity = mint("author", table["first"].unique(maintain_order=True))
    table = table.join(
        pl.DataFrame({"first": table["first"].unique(maintain_order=True), "entity": entity}), on="first",
        how="left", maintain_order="left",
    )  # fmt: skip
    if not done.exists():
        write_frame(done, _rows(found, table))
    return table.filter("begins")["entity"]


def _rows(found: pl.DataFrame, persons: pl.DataFrame) -> pl.DataFrame:
    place = found["person"].to_numpy()
    factor, alone = persons["factor"].to_numpy()[place], persons["alone"].to_numpy()[place]
    probability = np.where(alone, 1.0, found["probability"].to_numpy()) * factor
    return found.select("id", "reference", name="written").select(
        "id",
        pl.lit("author").alias("kind"),
        "reference",
        "name",
        persons["entity"].gather(place).alias("entity"),
        pl.Series("probability", probability),
    ).select(ASSIGNMENTS.names())  # fmt: skip
