"""The ledger of decisions: listed, added to, taken back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from samehand.records import Kind
from samehand.web.api.lists import Fresh, Listed, Paging, listed
from samehand.web.api.questions import MentionId, Numbered
from samehand.web.find.ledger import Asking, decisions
from samehand.web.security.current import Curator
from samehand.web.shelf import Opened

router = APIRouter(tags=["decisions"])


class Decision(BaseModel):
    """A curator's word on two mentions. It stays in the ledger when it is undone."""

    id: int
    kind: Kind
    judgement: Literal["same", "different", "unsure"]
    left: str = Field(description="A mention.")
    right: str = Field(description="Another mention.")
    left_name: str | None = Field(description="As written; null if it is not in the library now.")
    right_name: str | None
    left_now: str | None = Field(description="The entity it belongs to now.")
    right_now: str | None
    by: str
    note: str | None
    at: datetime
    undone_at: datetime | None = Field(description="null while it is in force.")
    undone_by: str | None
    superseded_by: int | None


class NewDecision(BaseModel):
    """A word on two mentions, or on two entities: an entity stands for its first mention."""

    model_config = ConfigDict(extra="forbid")
    judgement: Literal["same", "different", "unsure"]
    left: MentionId
    right: MentionId
    note: Annotated[str, StringConstraints(max_length=2_000)] | None = None


@router.get("/decisions", summary="Decisions", dependencies=[Fresh])
def ledger(
    request: Request,
    response: Response,
    library: Opened,
    asked: Paging,
    q: Annotated[str, Query(max_length=300, description="In a name, a note, a mention or the curator.")] = "",
    by: Annotated[str | None, Query(max_length=100, description="Who decided.")] = None,
    kind: Kind | None = None,
    standing: Annotated[Literal["in force", "undone"] | None, Query(description="Only these.")] = None,
) -> Listed[Decision]:
    """Every decision ever made, the latest first."""
    return listed(request, response, decisions(library.store, Asking(q, by, kind, standing), asked), Decision)


@router.post("/decisions", summary="Make a decision", status_code=201)
def decide(request: Request, library: Opened, person: Curator, given: NewDecision) -> Numbered:
    """Say that two are the same, different, or that you are unsure; it binds every later run. 409: others contradict."""
    number = library.decide(given.judgement, given.left, given.right, by=person.name, note=given.note)
    request.app.state.keeper.look()
    return Numbered(decision=number)


@router.delete("/decisions/{number}", summary="Undo a decision")
def undo(
    request: Request, library: Opened, person: Curator, number: Annotated[int, Path(ge=1, le=2**31 - 1)]
) -> Numbered:
    """Take a decision back; it stays in the ledger as undone."""
    library.undo(number, by=person.name)
    request.app.state.keeper.look()
    return Numbered(decision=number)
