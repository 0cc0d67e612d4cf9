"""Benchmarks: the papers' tables, and speed. One file each, run by `samehand bench NAME`.

A benchmark is a function `run(options) -> Iterator[dict]`; each dictionary is one row of figures and
becomes one line of JSON with `--json`. Keys: `bench`, `set`, `method`, then figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from samehand.errors import UsageError

Row = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """What the command line asked for; `data` is the folder of labelled sets."""

    data: Path | None = None
    set: str | None = None
    method: str | None = None
    quick: bool = False
    seed: int = 0
    mentions: int | None = None

    def data_folder(self) -> Path:
        """The folder of labelled sets, or a clear error that says how to name it."""
        if self.data is None:
            raise UsageError("this benchmark needs labelled data: give --data DIR or set SAMEHAND_DATA")
        if not self.data.is_dir():
            raise UsageError(f"{self.data}: no such folder; give --data DIR or set SAMEHAND_DATA")
        return self.data

    def wants(self, set_name: str, method: str | None = None) -> bool:
        """Whether --set and --method leave this row in.

        >>> Options(set="rexa").wants("giles14")
        False
        """
        return (self.set in (None, set_name)) and (method is None or self.method in (None, method))


BENCHES = {
    "read": "speed and memory of reading and normalising",
    "conservation": "every BibTeX entry is a reference or a reject",
    "store": "rows per second into and out of a library",
    "evaluate": "speed of the metrics",
    "generate": "speed of generating, and likeness to the real sets",
    "kernel": "speed and memory of the tree kernel, one core",
    "authors": "every author model on every labelled set",
    "trees-vs-pairwise": "figures 4 and 5 of the 2012 paper: samples and F1 over time",
    "more-data-helps": "figure 4 of the 2013 paper: new mentions repair old decisions",
    "baseline": "the baseline resolvers on every labelled set",
    "ablation": "what each ingredient of the author model is worth",
    "calibration": "how far the probabilities of authors can be believed",
    "author-speed": "speed of the author model, step by step, one core",
    "author-errors": "the errors that remain in the author model, by kind",
    "parses": "titles and authors found in raw citations",
    "citations": "raw citations into papers: phrase matching, the 2003 model, the default",
    "papers": "structured references into papers",
    "venues": "every venue model on the labelled sets and on drawn data",
    "venue-pictures": "figures 2 and 3 and table 2 of the venues paper",
    "web": "latency of every page and route, sixteen clients, a million mentions",
    "stream": "the stream paper's tables: six methods and the extensions",
    "scale": "authors end to end, out of core: speed, memory and accuracy by size",
    "engines": "threads against Ray on one and two nodes, SQLite against PostgreSQL",
}


def load(name: str) -> Callable[[Options], Iterator[Row]]:
    """The `run` function of a benchmark."""
    if name not in BENCHES:
        raise UsageError(f"no benchmark named {name!r}; there are: {', '.join(sorted(BENCHES))}")
    module = import_module(f"samehand.bench.{name.replace('-', '_')}")
    return cast(Callable[[Options], Iterator[Row]], module.run)
