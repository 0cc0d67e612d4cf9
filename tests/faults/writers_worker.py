"""One of several processes that write to one library: it does as its role says, and tells on stdout what is done.

`run`: resolve, but wait for a line on stdin before saving. `runs`: resolve for ever. `curate`: decide for ever, as often
as earlier decisions allow. `stream`: keep new references for ever, one by one.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import samehand
from samehand.errors import ConflictingDecisionError
from samehand.library import Library
from samehand.read import Records
from samehand.records import Reference, references_frame, rejects_frame

NOTHING = Records(references_frame([]), rejects_frame([]))
AUTHORS = ["Ann Lee", "A. Lee", "Adam Lee", "Bo Kim"]


def tell(*words: object) -> None:
    print(*words, flush=True)


class Waiting:
    """A library for a run that waits before it saves."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)

    def save_run(self, *arguments: Any, **about: Any) -> int:
        tell("begun")
        sys.stdin.readline()
        run = self._library.save_run(*arguments, **about)
        tell("saved", run)
        return run


def resolve(library: Any) -> None:
    samehand.resolve(NOTHING, library=library, model="baseline", threads=1)


def runs(library: Library) -> None:
    while True:
        resolve(library)
        tell("saved")


def curate(library: Library, chance: random.Random) -> None:
    authors = library.mentions("author")["id"].to_list()
    while True:
        left, right = chance.sample(authors, 2)
        word = chance.choice(["same", "different", "different", "unsure"])
        try:
            number = library.decide(word, left, right, by=f"curator{chance.random()}")
        except ConflictingDecisionError:
            continue
        tell("decided", number, word, left, right)


def stream(library: Library, seed: int) -> None:
    number = 0
    while True:
        author, number = AUTHORS[number % len(AUTHORS)], number + 1
        id = f"stream{seed}:{number}"
        library.assign(
            Reference(f"stream{seed}", number, id=id, title=f"Hands {number}", authors=[author]), keep=True
        )
        tell("kept", id)


def main(location: str, role: str, seed: int) -> None:
    with Library(location, wait=120) as library:
        tell("ready")
        sys.stdin.readline()
        if role == "run":
            resolve(Waiting(library))
        elif role == "runs":
            runs(library)
        elif role == "curate":
            curate(library, random.Random(seed))
        else:
            stream(library, seed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
