"""Questions for curators: the next one, and answers."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from samehand.web.queue import Queue
from samehand.web.security.current import Curator
from samehand.web.shelf import Opened

router = APIRouter(tags=["questions"])

MentionId = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


class AskedQuestion(BaseModel):
    """Are two mentions one person?"""

    left: str = Field(description="A mention.")
    right: str = Field(description="Another mention.")
    left_name: str
    right_name: str
    left_entity: str
    right_entity: str
    origin: Literal["arrival", "merge", "split"]
    probability: float = Field(description="That they are one person.")
    together: bool = Field(description="Whether the library has them as one.")
    moved: int = Field(description="How many mentions move if the library is wrong.")
    gain: float = Field(description="How many wrongly placed mentions an answer is expected to put right.")


class CuratorProgress(BaseModel):
    """How far a curator is."""

    answered_today: int
    answered_ever: int
    left: int = Field(description="Open questions that have been found, at most some hundred.")
    gained: float = Field(
        description="Mentions put right by answers since the server started, as far as expected."
    )
    is_finding: bool = Field(description="Whether the questions have not been found yet.")


class NextQuestion(BaseModel):
    """The next question, lent to the curator for some minutes; null if there is none now."""

    question: AskedQuestion | None
    progress: CuratorProgress


class Answer(BaseModel):
    """An answer: y (one person), n (two), u (unsure)."""

    model_config = ConfigDict(extra="forbid")
    left: MentionId
    right: MentionId
    answer: Literal["y", "n", "u"]


class Numbered(BaseModel):
    """The number of a decision."""

    decision: int


@router.get("/questions/next", summary="The next question")
def next_question(request: Request, library: Opened, person: Curator) -> NextQuestion:
    """The most useful question that no other curator has. Asked again before it is answered, it is the same one."""
    queue = _queue(request)
    question = queue.next_question(person.name)
    progress = queue.progress(library, person.name)
    return NextQuestion(
        question=AskedQuestion.model_validate(question.to_dict()) if question else None,
        progress=CuratorProgress.model_validate(progress, from_attributes=True),
    )


@router.post("/questions/answer", summary="Answer a question", status_code=201)
def answer(request: Request, library: Opened, person: Curator, given: Answer) -> Numbered:
    """Record an answer; it binds every later run. 409 if the question is no longer open."""
    number = _queue(request).answer(library, person.name, given.left, given.right, given.answer)
    request.app.state.keeper.look()
    return Numbered(decision=number)


@router.post("/questions/undo", summary="Undo my latest decision")
def undo(request: Request, library: Opened, person: Curator) -> Numbered:
    """Take back the curator's own latest decision in force; its question is asked again next."""
    number = _queue(request).undo(library, person.name)
    request.app.state.keeper.look()
    return Numbered(decision=number)


def _queue(request: Request) -> Queue:
    queue: Queue = request.app.state.queue
    return queue
