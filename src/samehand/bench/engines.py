"""`samehand bench engines`: threads against Ray on one and two nodes, SQLite against PostgreSQL.

Engines resolve the authors of one generated collection in shards; `hash` is that of the result's bytes, `overhead` the
seconds against threads with as many workers. Nodes are those of a cluster on this machine (ray.cluster_utils). Stores
keep the same library: its references added, its run saved, all of it read again. PostgreSQL is measured where the
environment variable SAMEHAND_TEST_POSTGRES names a server (`scripts/postgres run` starts one).
"""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from samehand.bench import Options, Row
from samehand.evaluate.synthetic import generate
from samehand.library import Library
from samehand.pipeline import resolve
from samehand.sharded import resolve_sharded

MENTIONS, QUICK = 200_000, 5_000
SHARDS = 8
SERVER = "SAMEHAND_TEST_POSTGRES"


def run(options: Options) -> Iterator[Row]:
    """A row for each engine, then one for each store."""
    mentions = options.mentions or (QUICK if options.quick else MENTIONS)
    with tempfile.TemporaryDirectory(prefix="samehand-") as folder:
        collection = Path(folder) / "mentions.parquet"
        generate(mentions, collection, seed=options.seed)
        resolve_sharded(collection, Path(folder) / "warm", shard_size=mentions)
        yield from _engines(collection, Path(folder), mentions, options)
        yield from _stores(collection, Path(folder), mentions, options)


def _engines(collection: Path, folder: Path, mentions: int, options: Options) -> Iterator[Row]:
    alone: dict[int, float] = {}
    for method, nodes, workers in (
        ("threads-1", 0, 1), ("threads-2", 0, 2), ("ray-1-node", 1, 2), ("ray-2-nodes", 2, 2),
    ):  # fmt: skip
        if not options.wants("engines", method):
            continue
        with _cluster(nodes, workers):
            started = time.perf_counter()
            found = resolve_sharded(
                collection, folder / method, engine="ray" if nodes else "threads", workers=workers,
                shard_size=max(1, mentions // SHARDS),
            )  # fmt: skip
            seconds = time.perf_counter() - started
        alone.setdefault(workers, seconds)
        yield {
            "bench": "engines",
            "set": "engines",
            "method": method,
            "mentions": found.mentions,
            "shards": found.shards,
            "seconds": seconds,
            "overhead": seconds / alone[workers],
            "hash": hashlib.sha256(found.path.read_bytes()).hexdigest()[:16],
        }


@contextmanager
def _cluster(nodes: int, workers: int) -> Iterator[None]:
    """A Ray cluster of so many nodes, the workers divided among them; none for 0 nodes."""
    if nodes == 0:
        yield
        return
    ray: Any = import_module("ray")
    memory: dict[str, Any] = {"object_store_memory": 100 * 2**20}
    cluster = import_module("ray.cluster_utils").Cluster(
        initialize_head=True, head_node_args={"num_cpus": workers // nodes, **memory}
    )
    for _ in range(nodes - 1):
        cluster.add_node(num_cpus=workers // nodes, **memory)
    ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield
    finally:
        ray.shutdown()
        cluster.shutdown()


def _stores(collection: Path, folder: Path, mentions: int, options: Options) -> Iterator[Row]:
    places = {"sqlite": str(folder / "bench.library")}
    if SERVER in os.environ:
        places["postgresql"] = os.environ[SERVER].rpartition("/")[0]
    for method, place in places.items():
        if options.wants("stores", method):
            with _database(place) as location, Library(location) as library:
                yield {
                    "bench": "engines",
                    "set": "stores",
                    "method": method,
                    "mentions": mentions,
                    **_kept(collection, library, options),
                }


@contextmanager
def _database(place: str) -> Iterator[str]:
    """A file, or a database of its own on a server."""
    if not place.startswith("postgres"):
        yield place
        return
    import adbc_driver_postgresql.dbapi as driver

    name = f"bench_{uuid.uuid4().hex}"
    with driver.connect(os.environ[SERVER], autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{place}/{name}"
        finally:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _kept(collection: Path, library: Library, options: Options) -> Row:
    """Seconds of keeping, saving and reading a library of the collection's authors."""
    found = resolve(collection, only="author", library=library, seed=options.seed, model="baseline")
    started = time.perf_counter()
    library.references(), library.mentions(), library.entities()
    return {
        "keep_seconds": found.timings["keep"],
        "save_seconds": found.timings["save"],
        "read_seconds": time.perf_counter() - started,
    }
