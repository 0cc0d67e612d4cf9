"""Review: one question at a time, the most useful first, answered by one key."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from samehand.curate.questions import ANSWERS, Question
from samehand.errors import ConflictingDecisionError, UsageError
from samehand.web.pages.compare import compared
from samehand.web.pages.evidence import MOMENT
from samehand.web.queue import Queue
from samehand.web.render import render
from samehand.web.security.current import Curator
from samehand.web.shelf import Opened

router = APIRouter()

WAIT = 0.15
"""How many seconds the page waits for the first questions to be found."""

Id = Annotated[str, Form(max_length=500)]
Key = Literal["y", "n", "u", "s"]

SAID = {"y": "one person", "n": "two persons", "u": "unsure", "s": "skipped", "z": "undone"}


@router.get("/review")
def review(
    request: Request,
    library: Opened,
    person: Curator,
    last: Annotated[Literal["y", "n", "u", "s", "z", ""], Query()] = "",
    lost: bool = False,
    stuck: bool = False,
) -> Response:
    """The next question for this curator."""
    queue = _queue(request)
    queue.wait(WAIT)
    question = queue.next_question(person.name)
    context: dict[str, Any] = {"question": question, "progress": queue.progress(library, person.name)}
    if question is not None:
        left, right = sides_to_compare(question)
        context |= {"left": left, "right": right} | compared(request, library, left, right, MOMENT)
    return render(request, "review.html", last=SAID.get(last, ""), lost=lost, stuck=stuck, **context)


@router.post("/review")
def answer(
    request: Request, library: Opened, person: Curator, left: Id, right: Id, key: Annotated[Key, Form()]
) -> Response:
    """Record an answer, or pass the question by; then the next one."""
    queue = _queue(request)
    if key == "s":
        queue.skip(person.name, left, right)
        return RedirectResponse("/review?last=s", 303)
    assert key in ANSWERS
    try:
        queue.answer(library, person.name, left, right, key)
    except ConflictingDecisionError:
        return RedirectResponse("/review?lost=1", 303)
    return RedirectResponse(f"/review?last={key}", 303)


@router.post("/review/undo")
def undo(request: Request, library: Opened, person: Curator) -> Response:
    """Take back this curator's last decision."""
    try:
        _queue(request).undo(library, person.name)
    except UsageError:
        return RedirectResponse("/review?stuck=1", 303)
    request.app.state.keeper.look()
    return RedirectResponse("/review?last=z", 303)


def sides_to_compare(question: Question) -> tuple[str, str]:
    """What to compare to answer a question: two mentions, or the persons they stand for."""
    if question.origin == "arrival":
        return question.left, question.right_entity
    if question.origin == "merge" and question.left_entity != question.right_entity:
        return question.left_entity, question.right_entity
    return question.left, question.right


def _queue(request: Request) -> Queue:
    queue: Queue = request.app.state.queue
    return queue
