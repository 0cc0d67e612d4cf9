"""`samehand bench authors`: the published author models, with their printed weights, on every labelled author set.

`seconds` and `mentions_per_second` are those of the resolving step alone, on all cores, bags included; reading,
normalising, blocking and the fitting of topics are not. `peak_mib` is the whole process's, up to the end of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from samehand.bench import Options, Row
from samehand.bench.labelled import SCORES, labelled_sets, stopwatch
from samehand.block import Blocked, block
from samehand.curate.constraints import NONE
from samehand.evaluate import evaluate
from samehand.infer.run import Run
from samehand.models import resolver
from samehand.models.trees import with_topics
from samehand.normalise.mentions import author_mentions
from samehand.read import read

METHODS = {
    "baseline": "baseline",
    "pairwise": "pairwise",
    "trees-2012": "trees-2012",
    "trees-2013": "trees-2013",
    "trees-2013-topics": "trees-2013",
}
"""Method -> model. Where no topics are fitted, words of titles stand in their place."""

CUT = "acl-a"
"""The set that is also scored with first names cut to initials: its names are mostly in full."""

QUICK = 2_000


def run(options: Options) -> Iterator[Row]:
    """One row for each set and method."""
    for name, blocked, truth in author_sets(options):
        for method in METHODS:
            if options.wants(options.set or name, method):
                yield {"bench": "authors", "set": name, "method": method} | measure(
                    method, blocked, truth, Run(options.seed)
                )


def author_sets(options: Options) -> Iterator[tuple[str, Blocked, pl.DataFrame]]:
    """Name, blocked mentions and truth of each labelled set of authors that --set leaves in."""
    for labelled in labelled_sets(replace(options, set=None), "authors"):
        plain = labelled.name.removeprefix("authors/")
        for name in (plain, f"{plain}-initials") if plain == CUT else (plain,):
            if options.set in (None, name, f"authors/{name}"):
                blocked = read_authors(labelled.records, initials=name != plain)
                blocked = first_blocks(blocked, QUICK) if options.quick else blocked
                truth = pl.read_csv(labelled.truth, schema_overrides={"cluster": pl.String})
                yield f"authors/{name}", blocked, truth.join(blocked.mentions, on="id", how="semi")


def read_authors(records: Path, *, initials: bool = False) -> Blocked:
    """The author mentions of a file in their blocks; with `initials`, first and middle names are cut to theirs."""
    references = read(records).references
    if initials:
        references = references.with_columns(
            authors=pl.col("authors").list.eval(cut_to_initials(pl.element()))
        )
    return block("author", author_mentions(references), references)


def cut_to_initials(name: pl.Expr) -> pl.Expr:
    """Names "Last, First Middle" with first and middle names cut; other names as they are.

    >>> names = pl.Series(["Lund, Bianca-Maria Eve", "Lund"]).to_frame("name")
    >>> names.select(cut_to_initials(pl.col("name"))).to_series().to_list()
    ['Lund, B-M E', 'Lund']
    """
    last, given = name.str.extract(r"^([^,]*),"), name.str.extract(r", (.*)$")
    short = given.str.replace_all(r"(\p{L})[\p{L}\p{M}'’.]*", "${1}")
    return pl.coalesce(pl.concat_str(last, short, separator=", "), name)


def first_blocks(blocked: Blocked, mentions: int) -> Blocked:
    """Whole blocks in the order of their first mention, until there are at least so many mentions."""
    sizes = blocked.mentions.group_by("block", maintain_order=True).len()
    before = sizes.with_columns(before=pl.col("len").cum_sum() - pl.col("len"))
    kept = before.filter(pl.col("before") < mentions)
    return replace(
        blocked, mentions=blocked.mentions.join(kept, on="block", how="semi", maintain_order="left")
    )


def measure(method: str, blocked: Blocked, truth: pl.DataFrame, run: Run) -> Row:
    """The figures of one method on one set; its kernels are loaded before the clock starts."""
    resolve = _resolve(method)
    resolve(first_blocks(blocked, 1), run)
    if method.endswith("-topics"):
        blocked = with_topics(blocked, seed=run.seed)
    with stopwatch() as figures:
        found = resolve(blocked, run)
    figures["mentions_per_second"] = found.height / figures["seconds"]
    result = evaluate(found, truth)
    low, high = result.intervals["b3_f1"]
    return {name: result.figures[name] for name in SCORES} | {"b3_f1_low": low, "b3_f1_high": high} | figures


def _resolve(method: str) -> Callable[[Blocked, Run], pl.DataFrame]:
    model = resolver(METHODS[method], "author")
    return lambda blocked, run: model(blocked, NONE, run)
