"""Everything that a library holds, as a file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import IO, Literal

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import StreamingResponse

from samehand.publish.exports import export
from samehand.web.api.lists import Fresh
from samehand.web.shelf import Opened

router = APIRouter(tags=["exports"], dependencies=[Fresh])

FileName = Literal[
    "papers.csv", "authors.csv", "venues.csv", "mentions.csv",
    "papers.jsonl", "authors.jsonl", "venues.jsonl", "mentions.jsonl",
    "clean.bib", "clean.csl.json", "clean.ris",
]  # fmt: skip

TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "bib": "application/x-bibtex; charset=utf-8",
    "json": "application/vnd.citationstyles.csl+json",
    "ris": "application/x-research-info-systems; charset=utf-8",
}
FORMATS = {"bib": "bibtex", "json": "csl-json", "csv": "csv", "jsonl": "jsonl", "ris": "ris"}

IN_MEMORY = 8_000_000
CHUNK = 1 << 18


@router.get(
    "/exports/{name}",
    summary="Export",
    response_class=StreamingResponse,
    responses={
        200: {"description": "The file.", "content": {kind.partition(";")[0]: {} for kind in TYPES.values()}}
    },
)
def exported(request: Request, library: Opened, name: FileName) -> StreamingResponse:
    """Papers, authors, venues or mentions as a table; the papers as BibTeX, CSL-JSON or RIS. One is made at a time."""
    making = request.app.state.exporting
    if not making.acquire(timeout=5.0):
        raise HTTPException(503, "another export is being made; try again in a moment", {"Retry-After": "10"})
    try:
        file = _made(library, name)
    finally:
        making.release()
    headers = {"Content-Disposition": f'attachment; filename="{name}"'} | request.state.fresh
    return StreamingResponse(_pieces(file), headers=headers, media_type=TYPES[name.rpartition(".")[2]])


def _made(library: Opened, name: str) -> IO[bytes]:
    """The export as a file that vanishes when it is closed."""
    stem, _, ending = name.rpartition(".")
    kind = "papers" if stem.startswith("clean") else stem
    with library.store.reading():
        references, mentions = library.references(), library.mentions()
        works, choices = library.works(), library.choices()
    # It is closed when the last piece is sent.
    file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115
    export(references, mentions, FORMATS[ending], file, kind=kind, works=works, choices=choices)
    file.seek(0)
    return file


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(CHUNK):
            yield piece
