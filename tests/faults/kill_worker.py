"""Adds, saves runs and decides for ever, telling on stdout what is done; to be killed at any moment.

The true cluster of mention number n is n // 3. Decisions are true and concern the first mentions only; runs
join neighbouring clusters that nobody called different, and divide clusters that nobody called the same.
"""

from __future__ import annotations

import random
import sys
from datetime import UTC, datetime

import polars as pl

from samehand.library import Library
from samehand.read import Records
from samehand.records import CLUSTERING, MENTIONS, Reference, Reject, references_frame, rejects_frame
from samehand.store import sqlite

MENTION_COUNT = 1500
DECIDED = 750
REFERENCE_COUNT = 200


def tell(*words: object) -> None:
    print(*words, flush=True)


def add(library: Library, version: int) -> None:
    references = [Reference("s", n, id=f"r{n}", title=f"version {version}") for n in range(REFERENCE_COUNT)]
    rejects = [Reject("s", n, f"version {version}", "") for n in range(10)]
    library.add(Records(references_frame(references), rejects_frame(rejects)))


def save_run(library: Library, chance: random.Random) -> None:
    joined = {cluster for cluster in range(0, MENTION_COUNT // 3, 2) if chance.random() < 0.3}
    clusters = []
    for number in range(MENTION_COUNT):
        cluster = number // 3
        if number >= DECIDED and number % 3 == 2 and chance.random() < 0.2:
            cluster = MENTION_COUNT + number
        clusters.append(cluster - 1 if cluster - 1 in joined else cluster)
    ids = [f"m{number}" for number in range(MENTION_COUNT)]
    mentions = pl.DataFrame([(id, "author", "r0", 0, id) for id in ids], schema=MENTIONS, orient="row")
    clustering = pl.DataFrame({"mention": ids, "cluster": clusters, "probability": 1.0}).cast(
        dict(CLUSTERING)
    )
    now = datetime.now(UTC)
    run = library.save_run(mentions, {"author": clustering}, settings={}, seed=0, started=now, finished=now)
    tell("saved", run)


def decide(library: Library, chance: random.Random) -> None:
    left = chance.randrange(DECIDED)
    if chance.random() < 0.5:
        right = left - left % 3 + (left + 1) % 3
        judgement = "same"
    else:
        right = (left + DECIDED // 2) % DECIDED
        judgement = "different"
    number = library.decide(judgement, f"m{left}", f"m{right}", by="worker")
    tell("decided", number, judgement, f"m{left}", f"m{right}")


def main(location: str, seed: int) -> None:
    chance = random.Random(seed)
    sqlite.BULK = 1000  # so that indexes are dropped and built anew, as in large libraries
    tell("ready")
    sys.stdin.readline()
    with Library(location) as library:
        add(library, version=seed)
        save_run(library, chance)
        while True:
            job = chance.choice(["add", "save", "decide", "decide"])
            if job == "add":
                add(library, version=chance.randrange(10**9))
            elif job == "save":
                save_run(library, chance)
            else:
                decide(library, chance)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
