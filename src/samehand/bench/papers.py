"""`samehand bench papers`: the paper resolvers on labelled sets of structured references, and on a large generated
collection.

The weights of the default resolver were learned on other sets (raw citations), so these figures are of data it never
saw.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from samehand.bench import Options, Row
from samehand.bench.labelled import SCORES, labelled_sets, scores, stopwatch
from samehand.block import Blocked, block
from samehand.curate.constraints import NONE
from samehand.evaluate import evaluate
from samehand.evaluate.synthetic import generate
from samehand.infer.run import Run
from samehand.models import resolver
from samehand.models.papers import resolve
from samehand.normalise.mentions import paper_mentions
from samehand.read import read
from samehand.records import Reference, references_frame

METHODS = ("baseline", "samehand", "samehand-merged")
LARGE, SMALLER = 100_000, 10_000
AUTHORS_PER_REFERENCE = 3.5
SLIPS = 10


def run(options: Options) -> Iterator[Row]:
    """One row for each labelled set and method, and one for the generated collection."""
    for labelled in labelled_sets(options, "papers") if options.set != "generated" else ():
        blocked = blocked_papers(labelled.records)
        for method in METHODS:
            if options.wants(options.set or labelled.name, method):
                yield {"bench": "papers", "set": labelled.name} | _measured(
                    method, blocked, labelled.truth, options.seed
                )
    if options.wants("generated", "samehand"):
        yield _generated(SMALLER if options.quick else LARGE, options.seed)


def blocked_papers(file: Path) -> Blocked:
    """The paper mentions of a file, in their blocks."""
    references = read(file).references
    return block("paper", paper_mentions(references), references)


def _measured(method: str, blocked: Blocked, truth: Path, seed: int) -> Row:
    settings = Run(seed, versions="merged" if method == "samehand-merged" else "separate")
    resolve_papers = resolver("baseline", "paper") if method == "baseline" else resolve
    with stopwatch() as figures:
        found = resolve_papers(blocked, NONE, settings)
    figures["mentions_per_second"] = found.height / figures["seconds"]
    predicted = found.rename({"mention": "id", "cluster": "entity"})
    return {"method": method} | scores(predicted, truth) | figures


def _generated(count: int, seed: int) -> Row:
    """Seconds for a generated collection of about `count` references, and how its papers are found."""
    references, truth = generated_references(count, seed)
    blocked = block("paper", paper_mentions(references), references)
    with stopwatch() as figures:
        found = resolve(blocked, NONE, Run(seed))
    figures["mentions_per_second"] = found.height / figures["seconds"]
    result = evaluate(found.rename({"mention": "id", "cluster": "entity"}), truth).figures
    named = {name: result[name] for name in SCORES}
    return {"bench": "papers", "set": "generated", "method": "samehand"} | named | figures


def generated_references(count: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """About `count` references to generated papers, cited again and again, and the paper of each.

    Venues are abbreviated or missing, first names cut to initials as the generator writes them; beyond that, one
    title in SLIPS has lost a letter.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "generated.parquet")
        generate(int(count * AUTHORS_PER_REFERENCE), file, seed=seed, like="rexa")
        table = pl.read_parquet(file)
    records = table.group_by("paper_id", maintain_order=True).agg(
        pl.col("title", "venue", "year").first(), authors="name"
    ).head(count)  # fmt: skip
    number = pl.int_range(pl.len())
    slip = pl.col("title").str.head(4) + pl.col("title").str.slice(5)
    written = records.with_columns(written=pl.when(number % SLIPS == 0).then(slip).otherwise("title"))
    references = references_frame(
        [
            Reference("generated", line, id=f"{line}", title=title, authors=authors, venue=venue, year=year)
            for line, (title, authors, venue, year) in enumerate(
                written.select("written", "authors", "venue", "year").iter_rows()
            )
        ]
    )
    return references, pl.DataFrame({"id": references["id"], "cluster": records["title"]})
