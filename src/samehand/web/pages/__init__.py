"""The pages for curators: one file for each page, everything rendered on the server."""

from fastapi import APIRouter

from samehand.web.pages import (
    about,
    acts,
    browse,
    compare,
    duplicates,
    entity,
    evaluation,
    history,
    overview,
    rejects,
    review,
    runs,
)
from samehand.web.pages.filters import install_filters
from samehand.web.render import environment

router = APIRouter(include_in_schema=False)
for page in (
    overview, browse, entity, acts, compare, review, history, duplicates, runs, evaluation, rejects, about
):  # fmt: skip
    router.include_router(page.router)

install_filters(environment())
