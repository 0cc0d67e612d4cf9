"""The tables of a library, and how their columns are stored.

The SQL is in migrations/NNNN.sql, one file for each schema version, the same text for every back end.
`TABLES` says what each table looks like as a Polars frame. Stored columns are TEXT, BIGINT or
DOUBLE PRECISION only: a list of strings is JSON text, a time is ISO 8601 text in UTC, a truth value
is 0 or 1.
"""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.resources import files

import polars as pl

from samehand.curate.decisions import DECISIONS
from samehand.publish.identifiers import EVENTS, REDIRECTS
from samehand.records import MENTIONS, REFERENCES, REJECTS

SOURCES = pl.Schema(
    {
        "name": pl.String(),  # path as given
        "content": pl.String(),  # hash of its references and rejects
        "reference_count": pl.Int64(),
        "reject_count": pl.Int64(),
        "added": pl.Datetime("us", "UTC"),
    }
)

ENTITIES = pl.Schema(
    {
        "id": pl.String,
        "kind": pl.String,
        "name": pl.String,  # name of the representative
        "representative": pl.String,  # its first mention in mention order
        "size": pl.Int64,  # number of mentions
    }
)

RUNS = pl.Schema(
    {
        "id": pl.Int64(),
        "started": pl.Datetime("us", "UTC"),
        "finished": pl.Datetime("us", "UTC"),
        "seed": pl.Int64(),
        "settings": pl.String(),  # JSON object
        "mention_count": pl.Int64(),
        "entity_count": pl.Int64(),
        "saved": pl.Datetime("us", "UTC"),  # when its result became the state of the library
    }
)

CHANGES = pl.Schema(
    {
        "run": pl.Int64(),
        "mention": pl.String(),
        "kind": pl.String(),
        "before": pl.String(),  # its entity before the run; null if it was not there
        "after": pl.String(),  # its entity after the run; null if it is gone
    }
)
"""What runs changed: see store/history.py."""

REVISIONS = pl.Schema({"run": pl.Int64(), "reference": pl.String()})
"""References whose record was replaced by another, and the run that saw it first."""

KEYS = pl.Schema(
    {
        "kind": pl.String(),
        "key": pl.String(),  # see models/stream/keys.py
        "mention": pl.String(),
        "reference": pl.String(),
        # Of authors only: what the mention says (models/stream/neighbours.py).
        "year": pl.Int32(),
        "given_name": pl.String(),
        "is_given": pl.Boolean(),  # whether the input itself gave the block
        "said": pl.String(),  # models/stream/packing.py
    }
)

FREQUENCIES = pl.Schema(
    {
        "field": pl.String(),  # a field of models/stream/evidence.py
        "token": pl.String(),
        "count": pl.Int64(),  # rows of one field and token add up
    }
)

ARRIVALS = pl.Schema(
    {
        "position": pl.Int64(),
        "mention": pl.String(),
        "key": pl.String(),  # its block
        "own": pl.String(),  # the identifier of the person it founds where it belongs to nobody
        "candidates": pl.String(),  # JSON: [[entity, probability], ...], likeliest first; null is a new person
        "asked": pl.Boolean(),  # whether it is uncertain enough to be a question
    }
)

WORKS = pl.Schema({"entity": pl.String(), "work": pl.String()})
"""Papers that are not alone in their work; a work is known by the paper of it that has most mentions."""

FACTS = pl.Schema(
    {
        "place": pl.Int64(),  # numbers the entities, the larger ones of a kind first
        "entity": pl.String(),
        "kind": pl.String(),
        "name": pl.String(),  # the canonical name
        "sort": pl.String(),  # folded, last name first
        "size": pl.Int64(),  # number of mentions
        "papers": pl.Int64(),
        "first_year": pl.Int64(),
        "last_year": pl.Int64(),
        "sure": pl.Float64(),  # mean probability of its mentions; null where the model gives none
        "size_class": pl.String(),
        "sure_class": pl.String(),
        "decade": pl.Int64(),  # of the last year
    }
)

RECORDS = pl.Schema({"entity": pl.String(), "record": pl.String()})
"""The canonical record of each entity (publish/canonical.py) as JSON."""

WORDS = pl.Schema(
    {
        "kind": pl.String(),
        "word": pl.String(),
        "place": pl.Int64(),
        "size_class": pl.String(),  # of the entity, as in `FACTS`
        "sure_class": pl.String(),
        "decade": pl.Int64(),
    }
)

LINKS = pl.Schema(
    {
        "place": pl.Int64(),
        "role": pl.String(),  # what `other` is to the entity: coauthor, author, venue or paper
        "other": pl.String(),  # an entity
        "weight": pl.Int64(),  # of a paper its year, else how many references they share
    }
)

YEARS = pl.Schema({"place": pl.Int64(), "year": pl.Int64(), "count": pl.Int64()})

FACETS = pl.Schema(
    {
        "kind": pl.String(),
        "size_class": pl.String(),
        "sure_class": pl.String(),
        "decade": pl.Int64(),
        "count": pl.Int64(),
    }
)

_TIME = pl.Datetime("us", "UTC")

USERS = pl.Schema({"name": pl.String(), "role": pl.String(), "password": pl.String(), "made": _TIME})

TOKENS = pl.Schema({"hash": pl.String(), "name": pl.String(), "made": _TIME})

SESSIONS = pl.Schema({"hash": pl.String(), "name": pl.String(), "made": _TIME, "ends": _TIME})

ACTS = pl.Schema(
    {
        "id": pl.Int64(),  # numbered from 1 in the order they were made
        "what": pl.String(),  # merge, split or move
        "kind": pl.String(),
        "first_decision": pl.Int64(),  # its decisions are numbered without a gap; null if it needed none
        "last_decision": pl.Int64(),
        "moves": pl.String(),  # JSON: [[mention, entity before, entity after], ...]
        "by": pl.String(),
        "note": pl.String(),
        "at": pl.Datetime("us", "UTC"),
        "undone_at": pl.Datetime("us", "UTC"),  # null while the act is in force
        "undone_by": pl.String(),
    }
)
"""What curators did to whole entities (curate/acts.py)."""

CHOICES = pl.Schema(
    {
        "reference": pl.String(),  # whose value is chosen
        "field": pl.String(),  # for the entry of the paper that the reference is of
        "by": pl.String(),
        "at": pl.Datetime("us", "UTC"),
    }
)

TASKS = pl.Schema(
    {
        "plan": pl.String(),  # a hash of all that the result of the run depends on
        "step": pl.String(),
        "number": pl.Int64(),
        "finished": pl.Datetime("us", "UTC"),
    }
)
"""The tasks that an unfinished run in shards has done."""

_POSITION = {"position": pl.Int64()}

TABLES: dict[str, pl.Schema] = {
    "meta": pl.Schema({"key": pl.String, "value": pl.String}),
    "sources": SOURCES,
    "references": pl.Schema({**_POSITION, **REFERENCES}),
    "rejects": pl.Schema({**_POSITION, **REJECTS}),
    "mentions": pl.Schema({**_POSITION, **MENTIONS}),
    "assignments": pl.Schema(
        {"mention": pl.String, "kind": pl.String, "entity": pl.String, "probability": pl.Float64}
    ),
    "former": pl.Schema({"mention": pl.String, "kind": pl.String, "entity": pl.String}),
    "entities": pl.Schema({**_POSITION, **ENTITIES}),
    "redirects": REDIRECTS,
    "events": EVENTS,
    "runs": RUNS,
    "changes": CHANGES,
    "revisions": REVISIONS,
    "decisions": DECISIONS,
    "keys": KEYS,
    "frequencies": FREQUENCIES,
    "arrivals": ARRIVALS,
    "works": WORKS,
    "acts": ACTS,
    "choices": CHOICES,
    "tasks": TASKS,
    "facts": FACTS,
    "records": RECORDS,
    "words": WORDS,
    "links": LINKS,
    "years": YEARS,
    "facets": FACETS,
    "users": USERS,
    "tokens": TOKENS,
    "sessions": SESSIONS,
}
"""The tables as frames. Where there is a `position`, it is the order of the rows."""

_TIME_FORMAT = "%Y-%m-%dT%H:%M:%S%.6fZ"


def migrations() -> list[list[str]]:
    """The statements that lead from each schema version to the next, oldest first.

    >>> migrations()[0][0].startswith("CREATE TABLE meta")
    True
    """
    folder = files("samehand.store") / "migrations"
    texts = [file.read_text("utf-8") for file in sorted(folder.iterdir(), key=lambda file: file.name)]
    return [_statements(text) for text in texts]


def _statements(text: str) -> list[str]:
    code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    return [statement.strip() for statement in code.split(";") if statement.strip()]


def stored_dtype(dtype: pl.DataType) -> pl.DataType:
    """The type a column has in the database: String, Int64 or Float64.

    >>> stored_dtype(pl.List(pl.String)), stored_dtype(pl.Boolean())
    (String, Int64)
    """
    if dtype.is_float():
        return pl.Float64()
    return pl.Int64() if dtype.is_integer() or dtype == pl.Boolean else pl.String()


def encode(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """A frame as it is stored: the columns of the schema, in its order.

    >>> frame = pl.DataFrame({"old": ["p1"], "parts": [["a", 'b"']]})
    >>> encode(frame, pl.Schema({"parts": pl.List(pl.String), "old": pl.String()})).rows()
    [('["a","b\\\\""]', 'p1')]
    """
    return (
        frame if _is_stored(frame, schema) else frame.select(_encoded(*column) for column in schema.items())
    )


def decode(frame: pl.DataFrame, schema: pl.Schema) -> pl.DataFrame:
    """The inverse of `encode`, exactly."""
    return (
        frame if _is_stored(frame, schema) else frame.select(_decoded(*column) for column in schema.items())
    )


def _is_stored(frame: pl.DataFrame, schema: pl.Schema) -> bool:
    """Whether the frame is already what the schema says, in types that are stored as they are."""
    return frame.schema == schema and all(stored_dtype(dtype) == dtype for dtype in schema.values())


def encode_time(time: datetime) -> str:
    """A time as it is stored.

    >>> encode_time(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2026-01-02T03:04:05.000000Z'
    """
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _encoded(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if isinstance(dtype, pl.List):
        # Polars writes JSON for structs only: take the value out of {"name":value}.
        json = pl.struct(column).struct.json_encode().str.slice(len(name) + 4).str.head(-1)
        return pl.when(column.is_not_null()).then(json).alias(name)
    if isinstance(dtype, pl.Datetime):
        return column.cast(dtype).dt.strftime(_TIME_FORMAT)
    return column.cast(stored_dtype(dtype))


def _decoded(name: str, dtype: pl.DataType) -> pl.Expr:
    column = pl.col(name)
    if isinstance(dtype, pl.List):
        return column.str.json_decode(dtype)
    if isinstance(dtype, pl.Datetime):
        return column.str.to_datetime(_TIME_FORMAT, time_unit="us", time_zone="UTC")
    return column.cast(dtype)
