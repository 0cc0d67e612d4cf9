"""Whose the mentions of a new reference are: the stream model's distribution for each, in milliseconds."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Self

from fastapi import APIRouter, HTTPException, Query, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from samehand.library import ASK
from samehand.models.stream.index import is_indexed
from samehand.normalise import identifiers
from samehand.records import Kind, Reference
from samehand.store import Store
from samehand.web.security.current import Reader
from samehand.web.shelf import shelf_of

router = APIRouter(tags=["resolve"])

SOURCE = "api"
"""References that are kept have this source."""

Text = Annotated[str, StringConstraints(max_length=5_000)]
Name = Annotated[str, StringConstraints(max_length=500)]


class NewReference(BaseModel):
    """A reference, as far as it is known."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "title": "On hands",
                    "authors": ["Ada Lovelace", "Lee, J. P."],
                    "venue": "J. Hands",
                    "year": 2001,
                }
            ]
        },
    )
    title: Text | None = None
    authors: list[Name] = Field([], max_length=1_000, description='"First Last" or "Last, First".')
    affiliations: list[Text] = Field([], max_length=1_000, description="Empty, or one for each author.")
    orcids: list[Name] = Field([], max_length=1_000, description="Empty, or one for each author.")
    venue: Text | None = None
    year: int | None = Field(None, ge=1000, le=3000)
    type: Name | None = Field(None, description="article, inproceedings, book, thesis, preprint, ...")
    volume: Name | None = None
    pages: Name | None = None
    doi: Name | None = None
    arxiv: Name | None = None
    pmid: Name | None = None
    isbn: Name | None = None

    @model_validator(mode="after")
    def beside_the_authors(self) -> Self:
        """Lists that run beside the authors are as long as theirs."""
        for name in ("affiliations", "orcids"):
            if getattr(self, name) and len(getattr(self, name)) != len(self.authors):
                raise ValueError(f"{name} must be empty, or one for each author")
        return self


class ToResolve(BaseModel):
    """Either a reference or a citation string."""

    model_config = ConfigDict(extra="forbid")
    reference: NewReference | None = None
    citation: Annotated[str, StringConstraints(min_length=1, max_length=5_000)] | None = Field(
        None, examples=["J. Lee. On hands. Nature, 12:3-9, 1991."]
    )

    @model_validator(mode="after")
    def one_of_both(self) -> Self:
        """Neither and both are refused."""
        if (self.reference is None) == (self.citation is None):
            raise ValueError("give either a reference or a citation")
        return self


class CandidateEntity(BaseModel):
    """An entity that a mention may belong to."""

    entity: str | None = Field(description="null: one that the library does not have yet.")
    name: str | None
    probability: float | None = Field(description="null where the model gives none (papers and venues).")


class AssignedMention(BaseModel):
    """A mention of the reference, and whose it may be, likeliest first."""

    mention: str
    kind: Kind
    name: str
    reference: str
    entity: str | None = Field(description="The likeliest entity; of a kept reference the one it was given.")
    probability: float | None
    asked: bool = Field(description="Whether it is uncertain enough to be a question.")
    known: bool = Field(description="Whether the library had the reference already.")
    candidates: list[CandidateEntity]


class Resolved(BaseModel):
    """What was found of each mention of the reference: its paper, its authors, its venue."""

    kept: bool
    assignments: list[AssignedMention]


@router.post("/resolve", summary="Resolve one reference")
def resolve(
    request: Request,
    person: Reader,
    asked: ToResolve,
    keep: Annotated[bool, Query(description="Keep the reference in the library; for curators.")] = False,
) -> Resolved:
    """Look up the entities that the mentions of a new reference may belong to; nothing is changed unless kept."""
    if keep and not person.may_decide:
        raise HTTPException(403, "keeping a reference needs the role curator")
    reference = request.app.state.citations.read(to_reference(asked))
    with shelf_of(request).resolver() as library:
        check_indexed(library.store)
        # A citation that was kept before may have been read in another way then.
        before = library.references([reference.id or ""]).to_dicts()
        found = library.assign(Reference(**before[0]) if before else reference, keep=keep, ask=ASK)
    if keep:
        request.app.state.keeper.look()
    return Resolved(kept=keep, assignments=[AssignedMention.model_validate(one.to_dict()) for one in found])


def check_indexed(store: Store) -> None:
    """New references are looked up in an index, which is made in the background after every run (find/keeper.py)."""
    if not is_indexed(store):
        raise HTTPException(
            503, "the index of the last run is being made; try again in a moment", {"Retry-After": "5"}
        )


def to_reference(asked: ToResolve) -> Reference:
    """The reference that was sent, under an identifier made of its content: the same one again is no new one.

    >>> to_reference(ToResolve(citation="J. Lee. On hands. 1991.")).scope
    'citation'
    """
    id = f"{SOURCE}:{hashlib.blake2b(asked.model_dump_json().encode(), digest_size=8).hexdigest()}"
    if asked.reference is None:
        return Reference(SOURCE, 1, id=id, scope="citation", text=_plain(asked.citation or ""))
    given = asked.reference
    texts: dict[str, Any] = {
        name: _plain(getattr(given, name)) for name in ("title", "venue", "type", "volume", "pages")
    }
    found: dict[str, Any] = {
        name: getattr(identifiers, name)(getattr(given, name) or "")
        for name in ("doi", "arxiv", "pmid", "isbn")
    }
    lists: dict[str, Any] = {
        name: [_plain(one) or "" for one in getattr(given, name)]
        for name in ("authors", "affiliations", "orcids")
    }
    return Reference(SOURCE, 1, id=id, year=given.year, **texts, **found, **lists)


def _plain(text: str | None) -> str | None:
    """Single spaces and no control characters; nothing is null."""
    if text is None:
        return None
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split()) or None
