"""How fast a served library answers: every page and route, one client and sixteen, at a million mentions.

A library is generated and resolved by the default models (web_library.py), and served by `samehand serve` in a
process of its own. When its lists are made, one client alone, and then sixteen at once, one connection each, ask for
one page or route after the other, every time about other entities. A row has the time from sending a request to
having read its answer, in milliseconds, how many answers were errors (a status of 400 or more), and how long the
server worked for each (`cpu_ms`, which other programs on the machine hardly change). Clients and server share the
machine.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np

from samehand.bench import Options, Row
from samehand.bench.web_library import make_library
from samehand.errors import SamehandError
from samehand.progress import Progress, for_terminal, step

MENTIONS, QUICK_MENTIONS = 1_000_000, 30_000
CLIENTS = 16
REQUESTS, QUICK_REQUESTS = 640, 160
READY_SECONDS = 1_800.0
SAMPLED = 400

NAMES_KNOWN = 41
FIRST = "POST /api/v1/resolve (first)"
"""A reference whose names nobody has asked for yet: all mentions of these names are read and learnt. So many references
are asked for in this way, and the same ones again under load: what was learnt stays in memory."""


def run(options: Options) -> Iterator[Row]:
    """Serve a generated library, and measure every page and route that `--method` leaves."""
    progress, began = for_terminal(False), time.monotonic()
    wanted = options.mentions or (QUICK_MENTIONS if options.quick else MENTIONS)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "bench.library"
        mentions = make_library(place, wanted, options.seed, progress)
        made = {"bench": "web", "set": f"{mentions} mentions", "method": "library made"}
        yield made | {"seconds": time.monotonic() - began}
        yield from measure(place, mentions, options, progress)


def measure(place: Path, mentions: int, options: Options, progress: Progress) -> Iterator[Row]:
    """The rows of a library that exists."""
    set_name = f"{mentions} mentions"
    requests = QUICK_REQUESTS if options.quick else REQUESTS
    with served(place) as server:
        for what, seconds in _waiting(server.address, progress):
            yield {"bench": "web", "set": set_name, "method": what, "seconds": seconds}
        sample = draw_sample(server.address, random.Random(options.seed))
        for name, ask in routes(sample).items():
            if options.wants(set_name, name):
                for clients in (1,) if name == FIRST else (1, CLIENTS):
                    with step(progress, f"{name}, {clients} at once") as outcome:
                        figures = _figures(server, ask, clients, requests * clients // CLIENTS)
                        outcome.append(f"p99 {figures['p99_ms']:.0f} ms")
                    yield {"bench": "web", "set": set_name, "method": name, **figures}


@dataclass(frozen=True)
class Server:
    """A server in a process of its own."""

    address: str
    process: int

    def cpu_seconds(self) -> float | None:
        """How long it has been working on a processor so far, where the system tells."""
        stat = Path(f"/proc/{self.process}/stat")
        if not stat.exists():
            return None
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(place: Path) -> Iterator[Server]:
    """A server of a library, which ends with the block."""
    command = [
        sys.executable,
        "-c",
        "from samehand.cli import main; main()",
        "serve",
        str(place),
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                found = re.search(r"http://[0-9.]+:\d+", line)
                if found:
                    threading.Thread(target=process.stderr.read, daemon=True).start()
                    yield Server(found[0], process.pid)
                    return
            raise SamehandError("the server did not start; try: samehand serve LIBRARY")
        finally:
            process.terminate()


READY: dict[str, Callable[[httpx.Client], bool]] = {
    "lists made": lambda client: bool(client.get("/api/v1/counts").json()["papers"]),
    "index made": lambda client: (
        client.post("/api/v1/resolve", json={"reference": {"title": "Ready?"}}).status_code == 200
    ),
    "questions found": lambda client: (
        not client.get("/api/v1/questions/next").json()["progress"]["is_finding"]
    ),
}
"""What a server makes in the background when it starts, and how to see that it is there."""


def _waiting(address: str, progress: Progress) -> Iterator[tuple[str, float]]:
    """Wait until everything is ready: what it was, and how many seconds after the start it was there."""
    began = time.monotonic()
    with httpx.Client(base_url=address, timeout=60.0) as client:
        for what, is_ready in READY.items():
            with step(progress, what):
                while not is_ready(client):
                    if time.monotonic() - began > READY_SECONDS:
                        raise SamehandError(f"waited {READY_SECONDS:g} s for this, in vain: {what}")
                    time.sleep(1.0)
            yield what, time.monotonic() - began


@dataclass(frozen=True)
class Sample:
    """Entities from all over the library, rows of /api/v1/entities by kind, and whole references."""

    entities: dict[str, list[dict[str, Any]]]
    references: list[dict[str, Any]]


def draw_sample(address: str, chance: random.Random) -> Sample:
    """Draw pages of entities and references; large entities are as likely as small ones to be asked for."""
    with httpx.Client(base_url=address, timeout=60.0) as client:

        def drawn(path: str) -> list[dict[str, Any]]:
            pages = client.get(path).json()["pages"]
            numbers = [1, *(chance.randint(1, pages) for _ in range(SAMPLED // 25 - 1))]
            return [item for page in numbers for item in client.get(f"{path}&page={page}").json()["items"]]

        kinds = ("author", "paper", "venue")
        entities = {kind: drawn(f"/api/v1/entities?kind={kind}&size=25") for kind in kinds}
        return Sample(entities, drawn("/api/v1/references?size=25"))


Ask = Callable[[httpx.Client, random.Random], httpx.Response]


PAGES: dict[str, tuple[str, str]] = {
    "GET /reconcile/suggest/entity": ("author", "/reconcile/suggest/entity?prefix={start}"),
    "GET /api/v1/entities?q": ("author", "/api/v1/entities?q={name}"),
    "GET /api/v1/entities/ID": ("author", "/api/v1/entities/{id}"),
    "GET /api/v1/entities/ID/mentions": ("author", "/api/v1/entities/{id}/mentions"),
    "GET /api/v1/entities/ID/papers": ("author", "/api/v1/entities/{id}/papers"),
    "GET /api/v1/mentions": ("author", "/api/v1/mentions?kind=author&page={page}"),
    "GET /api/v1/decisions": ("author", "/api/v1/decisions"),
    "GET /api/v1/questions/next": ("author", "/api/v1/questions/next"),
    "/": ("author", "/"),
    "/authors": ("author", "/authors?page={page}"),
    "/authors?q": ("author", "/authors?q={word}"),
    "/papers?q": ("paper", "/papers?q={start}"),
    "/venues": ("venue", "/venues"),
    "/search?q": ("author", "/search?q={start}"),
    "/review": ("author", "/review"),
    "/history": ("author", "/history"),
    "/runs": ("author", "/runs"),
    "/rejects": ("author", "/rejects"),
    "/duplicates": ("author", "/duplicates"),
    "/entity paper": ("paper", "/entity/{id}"),
    "/entity venue": ("venue", "/entity/{id}"),
    "/entity author": ("author", "/entity/{id}"),
    "/entity author, tree": ("author", "/entity/{id}/branches"),
}
"""What is asked for by an address alone: the kind of entity that fills its places, and the address."""


def routes(sample: Sample) -> dict[str, Ask]:
    """Everything that is measured: a name, and how to ask for it."""
    found: dict[str, Ask] = {**_resolving(sample.references[:NAMES_KNOWN])}
    found["POST /reconcile/1.0/match"] = _matching(sample.entities["author"])
    for name, (kind, template) in PAGES.items():
        found[name] = _page(template, sample.entities[kind])
    return found


def _page(template: str, entities: Sequence[dict[str, Any]]) -> Ask:
    """An address with {id}, {name}, {word}, {start} or {page} filled in anew for every request."""

    def ask(client: httpx.Client, chance: random.Random) -> httpx.Response:
        entity = chance.choice(entities)
        last = (entity["name"].split() or ["x"])[-1]
        told = {"id": entity["entity"], "name": entity["name"], "word": last, "start": last[:3]}
        filled = {name: quote(text) for name, text in told.items()}
        return client.get(template.format(page=chance.randint(1, 40), **filled))

    return ask


def _resolving(references: Sequence[dict[str, Any]]) -> dict[str, Ask]:
    """New references by the authors of known ones: each once, and then any of them again."""
    unseen = iter(references)

    def resolved(client: httpx.Client, known: dict[str, Any]) -> httpx.Response:
        said = {name: known[name] for name in ("authors", "venue", "year")}
        body = said | {"title": f"More on {known['title']}"}
        return client.post("/api/v1/resolve", json={"reference": body})

    return {
        FIRST: lambda client, chance: resolved(client, next(unseen)),
        "POST /api/v1/resolve": lambda client, chance: resolved(client, chance.choice(references)),
    }


def _matching(authors: Sequence[dict[str, Any]]) -> Ask:
    def ask(client: httpx.Client, chance: random.Random) -> httpx.Response:
        named = {"matchType": "name", "propertyValue": chance.choice(authors)["name"]}
        queries = [{"type": "Person", "conditions": [named]}]
        return client.post("/reconcile/1.0/match", json={"queries": queries})

    return ask


def _figures(server: Server, ask: Ask, clients: int, requests: int) -> Row:
    """Ask so often with all clients at once, each with a connection of its own; a few requests before do not count."""
    each = requests // clients

    def client_run(number: int) -> tuple[list[float], int]:
        chance, times, errors = random.Random(number), [], 0
        with httpx.Client(base_url=server.address, timeout=120.0) as client:
            ask(client, chance)
            started.wait()
            for _ in range(each):
                began = time.perf_counter()
                errors += ask(client, chance).status_code >= 400
                times.append(1000.0 * (time.perf_counter() - began))
        return times, errors

    started = threading.Barrier(clients + 1)
    with ThreadPoolExecutor(clients) as pool:
        found = [pool.submit(client_run, number) for number in range(clients)]
        started.wait()
        began, worked = time.perf_counter(), server.cpu_seconds()
        told = [one.result() for one in found]
        took, working = time.perf_counter() - began, server.cpu_seconds()
    times = [value for mine, _ in told for value in mine]
    return {
        "clients": clients,
        "requests": len(times),
        **percentiles(times),
        "errors": sum(errors for _, errors in told),
        "requests_per_second": len(times) / took,
        **({} if worked is None or working is None else {"cpu_ms": 1000.0 * (working - worked) / len(times)}),
    }


def percentiles(times: Sequence[float]) -> dict[str, float]:
    """The median, and the times that 95 and 99 of a hundred requests stay below.

    >>> percentiles([float(number) for number in range(101)])
    {'p50_ms': 50.0, 'p95_ms': 95.0, 'p99_ms': 99.0}
    """
    return {f"p{share}_ms": float(np.percentile(times, share)) for share in (50, 95, 99)}
