"""Kill a worker, a node or the driver: the run ends with the same bytes, or goes on from the last finished task."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from samehand.evaluate.synthetic import generate
from samehand.sharded import resolve_sharded

MENTIONS, SHARD = 4_000, 1_000
pytestmark = pytest.mark.xdist_group("engine")


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("engine") / "mentions.parquet"
    generate(MENTIONS, path, seed=3)
    return path


@pytest.fixture(scope="module")
def expected(collection: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bytes of a run that nobody disturbed."""
    return digest(
        resolve_sharded(collection, tmp_path_factory.mktemp("whole"), workers=1, shard_size=SHARD).path
    )


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_any_number_of_threads_gives_the_same_bytes(collection: Path, expected: str, tmp_path: Path) -> None:
    assert digest(resolve_sharded(collection, tmp_path, workers=3, shard_size=SHARD).path) == expected


def waited_for(place: Path, pattern: str, process: subprocess.Popen[bytes]) -> bool:
    """Whether a file appears before the process ends."""
    while process.poll() is None:
        if any(place.glob(pattern)):
            return True
        time.sleep(0.005)
    return False


@pytest.mark.parametrize(
    "moment", ["sheets/*.count", "shards/*.npz", "found/*.arrow", "matches/*", "named/*"]
)
def test_a_killed_driver_goes_on_where_it_was(
    moment: str, collection: Path, expected: str, tmp_path: Path
) -> None:
    code = (
        "import sys; from samehand.sharded import resolve_sharded;"
        f"resolve_sharded(sys.argv[1], sys.argv[2], workers=1, shard_size={SHARD})"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(collection), str(tmp_path)])
    seen = waited_for(tmp_path / "work", moment, process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert seen
    assert not (tmp_path / "mentions.parquet").exists()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").rglob("found/*.arrow")}
    again = resolve_sharded(collection, tmp_path, workers=2, shard_size=SHARD, keep=True)
    assert digest(again.path) == expected
    assert all(path.stat().st_mtime_ns == moment for path, moment in kept.items())


def test_another_run_does_not_go_on_with_this_ones_files(collection: Path, tmp_path: Path) -> None:
    from samehand.errors import UsageError

    resolve_sharded(collection, tmp_path, workers=1, shard_size=SHARD, keep=True)
    with pytest.raises(UsageError, match="unfinished run of other input or settings"):
        resolve_sharded(collection, tmp_path, workers=1, shard_size=SHARD, seed=1)


@pytest.fixture
def nodes() -> Iterator[Any]:
    """A Ray cluster of a head without processors, to which nodes may be added."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "object_store_memory": 100 * 2**20, "include_dashboard": False},
    )
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def test_ray_gives_the_same_bytes_when_workers_and_a_node_are_killed(
    nodes: Any, collection: Path, expected: str, tmp_path: Path
) -> None:
    doomed, _ = (nodes.add_node(num_cpus=1, object_store_memory=100 * 2**20) for _ in range(2))
    deaths: list[str] = []

    def kill() -> None:
        """The workers that make the first sheets, and the whole node when the first shard is sorted."""
        while not deaths:
            deaths.extend("worker" for _ in kill_workers())
            time.sleep(0.01)
        while not any((tmp_path / "work").glob("shards/*.npz")):
            time.sleep(0.01)
        nodes.remove_node(doomed, allow_graceful=False)
        deaths.append("node")

    killer = threading.Thread(target=kill)
    killer.start()
    found = resolve_sharded(collection, tmp_path, engine="ray", shard_size=SHARD)
    killer.join()
    assert "worker" in deaths
    assert "node" in deaths
    assert digest(found.path) == expected


def kill_workers() -> Iterator[int]:
    """Kill -9 every process in which a sheet is made on Ray."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            title = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if title.startswith(b"ray::make"):
            os.kill(int(entry.name), signal.SIGKILL)
            yield int(entry.name)
