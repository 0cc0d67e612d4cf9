"""`Library.assign` and `Library.repair`: from records to assignments, inside the right transaction."""

from __future__ import annotations

import orjson
import polars as pl

from samehand.models import BASELINE
from samehand.models.citations.fill import IS_RAW
from samehand.models.stream.assignment import Assignment
from samehand.models.stream.index import ARRIVED, ensure_index, read_number, write_number
from samehand.models.stream.keeping import divide, keep_batch, known_assignments, new_rejects
from samehand.models.stream.living import Living
from samehand.models.stream.reading import read_citations
from samehand.read import Records
from samehand.read.identify import identify
from samehand.records import REFERENCES, REJECTS, Reference, references_frame
from samehand.store import Store
from samehand.store.checks import checked
from samehand.store.sources import by_source


def assign_records(
    store: Store, living: Living, records: Reference | Records, *, keep: bool, ask: float
) -> list[Assignment]:
    """See `Library.assign`."""
    if isinstance(records, Reference):
        records = Records(identify(references_frame([records])), REJECTS.to_frame())
    records = _registered(records) if keep else records
    ensure_index(store)
    try:
        with store.writing() if keep else store.reading():
            living.refresh()
            fresh, known = divide(store, records.references)
            found = known_assignments(store, known)
            fresh = _read(store, living, fresh)
            batch = living.assign(fresh, keep=keep, ask=ask)
            rejects = new_rejects(store, records.rejects) if keep else records.rejects
            if keep and (fresh.height or rejects.height):
                keep_batch(store, living, batch, rejects)
                living.kept()
    except BaseException:
        living.forget()
        raise
    return [*found, *batch.assignments]


def _read(store: Store, living: Living, references: pl.DataFrame) -> pl.DataFrame:
    """The references with what raw citations say, unless the library's last run did not read them either."""
    texts = references.filter(IS_RAW)["text"].to_list()
    if not texts or _last_model(store) == BASELINE:
        return references
    return read_citations(references, living.parser(texts))


def _last_model(store: Store) -> str | None:
    """The model of the library's last run, which says whether it parses raw citations."""
    last = store.read("runs", '"id" = (SELECT MAX("id") FROM runs)', columns=["settings"])
    model: str | None = orjson.loads(last.item()).get("model") if last.height else None
    return model


def repair_arrivals(store: Store, living: Living) -> list[tuple[str, str]]:
    """See `Library.repair`."""
    ensure_index(store)
    try:
        with store.writing():
            living.refresh()
            merged = living.repair()
            if merged:
                write_number(store, ARRIVED, read_number(store, ARRIVED) + 1)
            living.kept()
    except BaseException:
        living.forget()
        raise
    return [(merge.gone, merge.kept) for merge in merged]


def _registered(records: Records) -> Records:
    """The records under the names that the library knows their sources by."""
    references = checked(records.references, REFERENCES, "references")
    rejects = checked(records.rejects, REJECTS, "rejects")
    sources = list(by_source(references, rejects))
    return Records(
        pl.concat([REFERENCES.to_frame(), *(source.references for source in sources)]),
        pl.concat([REJECTS.to_frame(), *(source.rejects for source in sources)]),
    )
