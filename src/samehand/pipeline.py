"""The way of the data, a line a step: read -> parse -> normalise -> block -> resolve -> entities -> publish."""

from __future__ import annotations

import datetime
import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from samehand import __version__
from samehand.block import BLOCKS, Blocked, block
from samehand.curate.constraints import positions
from samehand.curate.decisions import DECISIONS
from samehand.errors import UsageError
from samehand.growth import Growth, clear_folder
from samehand.infer.run import Run
from samehand.models import BASELINE, DEFAULT, resolver
from samehand.models.citations.fill import IS_RAW, fill
from samehand.normalise.mentions import author_mentions, paper_mentions, venue_mentions
from samehand.progress import Progress, Silent, counted, step
from samehand.publish import canonical
from samehand.publish.identifiers import assign
from samehand.publish.works import works_of
from samehand.read import Records, read
from samehand.records import CLUSTERING, KINDS, MENTIONS, Kind

if TYPE_CHECKING:
    from samehand.library import Library
    from samehand.store.meanwhile import State

Inputs = str | Path | Sequence[str | Path] | Records

VERSIONS = ("separate", "merged")
NORMALISERS = {"paper": paper_mentions, "author": author_mentions, "venue": venue_mentions}


@dataclass(frozen=True)
class Resolution:
    """Everything a run found, as tables: the input, its mentions with their entities, and the entities."""

    references: pl.DataFrame  # schema records.REFERENCES
    rejects: pl.DataFrame  # schema records.REJECTS
    mentions: pl.DataFrame  # schema records.ASSIGNMENTS, and slot
    papers: pl.DataFrame  # schema publish.canonical.PAPERS
    authors: pl.DataFrame
    venues: pl.DataFrame
    blocks: pl.DataFrame  # schema block.BLOCKS
    settings: dict[str, Any]
    timings: dict[str, float]  # seconds by step


def resolve(
    inputs: Inputs,
    *,
    model: str = DEFAULT,
    weights: str | Path | None = None,
    versions: str = "separate",
    only: Kind | None = None,
    library: Library | None = None,
    format: str | None = None,
    seed: int = 0,
    threads: int | None = None,
    touched: bool = False,
    engine: str | None = None,
    progress: Progress | None = None,
) -> Resolution:
    """Turn references into papers, authors and venues.

    `inputs` are files, folders or "-" for standard input, or records already read. With a `library`, the
    records are added to it, everything in it is resolved under its curators' decisions, and the run is saved.
    `weights` is a file of weights for the author model, as `samehand train` writes it. `versions` says whether the
    report, conference paper and article of one work are "separate" papers or "merged" into one.

    With `touched`, only those blocks of authors, and those papers, are resolved that have changed since the last run. The
    authors of a large library are resolved in shards, on an `engine` ("threads", "ray", "ray://address"); a run that was
    killed goes on from its last finished shard.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "two.bib"
    >>> _ = file.write_text("@book{a, title={The Art of War}, author={Sun Tzu}, year=1910}"
    ...                     "@book{b, title={The art of war.}, author={Sun Tzu}, year=1910}")
    >>> resolve(file).papers["title"].to_list()
    ['The Art of War']
    """
    kinds: tuple[Kind, ...] = KINDS if only is None else (only,)
    for kind in kinds:
        resolver(model, kind)
    if versions not in VERSIONS:
        raise UsageError(f"versions are {' or '.join(VERSIONS)}, not {versions!r}")
    run = Run(seed, weights=None if weights is None else Path(weights), versions=versions)
    run = run if threads is None else replace(run, threads=threads)
    watch = _Watch(progress or Silent())
    started = datetime.datetime.now(datetime.UTC)

    records = _read(inputs, format, watch)
    if model != BASELINE:
        records = _parse(records, seed, watch)
    since = None
    if library is not None:
        since, records = _keep(records, library, watch)
    decisions = library.decisions() if library is not None else pl.DataFrame(schema=DECISIONS)
    growth = None if library is None else Growth(library, since, touched, engine, run, watch.progress)
    mentions = _normalise(records.references, kinds, watch)
    blocked = _block(mentions, records.references, watch)
    clusterings, works = _resolve(blocked, decisions, model, run, growth, watch)
    named = pl.concat([MENTIONS.to_frame(), *(table.select(MENTIONS.names()) for table in mentions.values())])
    settings = {"model": model, "only": only, "seed": seed, "versions": versions}
    if weights is not None:
        settings["weights"] = str(weights)
    if library is not None:
        about = {"settings": settings | _trace(run, watch), "seed": seed, "started": started, "since": since}
        saved = _save(library, named, clusterings, about | {"works": works}, watch)
        clear_folder(library)
        assigned = saved.filter(pl.col("reference").is_in(records.references["id"].implode()))
    else:
        assigned = _assign(named, clusterings)
    return _publish(records, assigned, works, blocked, settings, watch)


def _trace(run: Run, watch: _Watch) -> dict[str, Any]:
    """What a library remembers of a run besides its settings: how long its steps took, and what did the work."""
    trace: dict[str, Any] = {"steps": watch.timings, "version": __version__}
    if run.weights is not None:
        trace["weights_content"] = hashlib.blake2b(run.weights.read_bytes(), digest_size=8).hexdigest()
    return {"trace": trace}


class _Watch:
    """Tells the progress of each step and keeps its time."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.timings: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[list[str]]:
        started = time.perf_counter()
        with step(self.progress, name) as outcome:
            yield outcome
        self.timings[name] = time.perf_counter() - started


def _read(inputs: Inputs, format: str | None, watch: _Watch) -> Records:
    if isinstance(inputs, Records):
        return inputs
    with watch.step("read") as outcome:
        records = read(
            inputs,
            format=format,
            progress=lambda done, total, count: watch.progress.update(
                done, total, counted(count, "reference")
            ),
        )
        outcome.append(counted(records.references.height, "reference"))
        if records.rejects.height:
            outcome.append(counted(records.rejects.height, "reject"))
    return records


def _parse(records: Records, seed: int, watch: _Watch) -> Records:
    """Raw citations get a title, authors and the rest from their text."""
    raw = records.references.filter(IS_RAW).height
    if raw == 0:
        return records
    with watch.step("parse") as outcome:
        outcome.append(counted(raw, "raw citation"))
        return replace(records, references=fill(records.references, seed))


def _keep(records: Records, library: Library, watch: _Watch) -> tuple[State, Records]:
    """All that the library has now, and its state, by which it tells later what came while the run was at work."""
    with watch.step("keep") as outcome:
        added = library.add(records)
        outcome.append(f"{added.new:,} new, {added.replaced:,} replaced, {added.unchanged:,} unchanged")
        return library.state(), Records(library.references(), library.rejects())


def _normalise(references: pl.DataFrame, kinds: Sequence[Kind], watch: _Watch) -> dict[Kind, pl.DataFrame]:
    with watch.step("normalise") as outcome:
        mentions = {kind: NORMALISERS[kind](references) for kind in kinds}
        outcome.extend(counted(table.height, f"{kind} mention") for kind, table in mentions.items())
    return mentions


def _block(
    mentions: Mapping[Kind, pl.DataFrame], references: pl.DataFrame, watch: _Watch
) -> dict[Kind, Blocked]:
    with watch.step("block") as outcome:
        blocked = {kind: block(kind, table, references) for kind, table in mentions.items()}
        for kind, blocks in blocked.items():
            sizes = blocks.statistics.filter(pl.col("note") == "")["size"]
            largest = sizes.to_list()[0] if sizes.len() else 0
            outcome.append(f"{counted(sizes.len(), f'{kind} block')} (largest {largest:,})")
    return blocked


def _resolve(
    blocked: Mapping[Kind, Blocked],
    decisions: pl.DataFrame,
    model: str,
    run: Run,
    growth: Growth | None,
    watch: _Watch,
) -> tuple[dict[Kind, pl.DataFrame], pl.DataFrame]:
    """The clustering of each kind, and the works of papers (columns mention and work) where the model knows them."""
    with watch.step("resolve") as outcome:
        clusterings: dict[Kind, pl.DataFrame] = {}
        works = pl.DataFrame(schema={"mention": pl.String, "work": pl.UInt32})
        for kind, blocks in blocked.items():
            mine = decisions.filter(kind=kind)
            found = None
            if growth is not None and model == DEFAULT:
                found = growth.resolve(blocks, mine, outcome)
            if found is None:
                found = resolver(model, kind)(blocks, positions(mine, blocks.mentions["id"]), run)
            if "work" in found.columns:
                works = found.select("mention", "work")
            clusterings[kind] = found.select(CLUSTERING.names())
            outcome.append(counted(found["cluster"].n_unique(), kind))
    return clusterings, works


def _assign(mentions: pl.DataFrame, clusterings: Mapping[Kind, pl.DataFrame]) -> pl.DataFrame:
    """Entities for mentions that no library knows yet."""
    nothing = pl.DataFrame(schema={"mention": pl.String, "entity": pl.String})
    entities = assign(clusterings, nothing).entities
    clusters = pl.concat(
        [table.with_columns(kind=pl.lit(kind)) for kind, table in clusterings.items()], how="vertical"
    ).join(entities, on=["kind", "cluster"])
    return mentions.join(
        clusters.select("kind", "entity", "probability", id="mention"),
        on=["kind", "id"],
        how="left",
        maintain_order="left",
    ).select("id", "kind", "reference", "name", "entity", "probability", "slot")


def _save(
    library: Library,
    mentions: pl.DataFrame,
    clusterings: dict[Kind, pl.DataFrame],
    about: dict[str, Any],
    watch: _Watch,
) -> pl.DataFrame:
    with watch.step("save") as outcome:
        finished = datetime.datetime.now(datetime.UTC)
        number = library.save_run(mentions, clusterings, finished=finished, **about)
        outcome.append(f"run {number}")
        return library.mentions()


def _publish(
    records: Records,
    mentions: pl.DataFrame,
    works: pl.DataFrame,
    blocked: Mapping[Kind, Blocked],
    settings: dict[str, Any],
    watch: _Watch,
) -> Resolution:
    with watch.step("publish"):
        return Resolution(
            references=records.references,
            rejects=records.rejects,
            mentions=mentions,
            papers=canonical.papers(records.references, mentions, works_of(works, mentions)),
            authors=canonical.authors(records.references, mentions),
            venues=canonical.venues(records.references, mentions),
            blocks=pl.concat([BLOCKS.to_frame(), *(blocks.statistics for blocks in blocked.values())]),
            settings=settings,
            timings=watch.timings,
        )


def only_kind(word: str | None, option: str = "--only") -> Kind | None:
    """The kind that an option such as `--only papers|authors|venues` names.

    >>> only_kind("papers")
    'paper'
    """
    if word is None:
        return None
    for kind in KINDS:
        if word in (kind, f"{kind}s"):
            return kind
    raise UsageError(f"{option} takes papers, authors or venues, not {word!r}")
