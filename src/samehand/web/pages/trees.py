"""The tree of branches on an entity's page: each branch with its names and years, and a name to split it off by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from fastapi import APIRouter, Request
from starlette.responses import Response

from samehand.curate.branches import Branch, spelling_branches
from samehand.errors import UsageError
from samehand.library import Library
from samehand.store import Store
from samehand.web.find.entity import live_id
from samehand.web.pages.evidence import MOMENT, PATIENCE, evidence_of
from samehand.web.pages.parts import render_part
from samehand.web.pages.sides import short_details
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

router = APIRouter()

NAMES_SHOWN = 3
LARGEST_TREE = 3_000
"""Entities with more mentions have no tree: nobody could read it, and it would take long."""

QUICK_TREE = 100
"""Of papers and venues with more mentions the tree comes after the page, when the browser asks for it."""

About = Mapping[str, tuple[str, str, int | None]]
"""Mention -> its name, title and year."""


@dataclass(frozen=True)
class Limb:
    """A branch as it is shown: as a core, and what was joined to it, in that order.

    `probability` is that of its joining what stands above it, `first` the mention to compare to see why.
    """

    key: str
    first: str
    size: int
    names: tuple[str, ...]
    more_names: int
    years: tuple[int, int] | None
    example: str
    probability: float | None
    parts: tuple[Limb, ...]


def branch_key(branch: Branch) -> str:
    """A short name for the mentions of a branch.

    >>> branch_key(Branch(("x", "y"))) == branch_key(Branch(("y", "x")))
    True
    """
    return blake2b("\n".join(sorted(branch.mentions)).encode(), digest_size=8).hexdigest()


def tree_of(request: Request, library: Library, entity: str, wait: float = MOMENT) -> Branch | None:
    """The tree of an entity of any kind; None if it would take longer than that. UsageError if it would be too large."""
    kind, size = library.store.read("entities", '"id" = $1', (entity,), ["kind", "size"]).row(0)
    if size > LARGEST_TREE:
        raise UsageError(f"an entity of {size:,} mentions is too large for a tree; choose among its mentions")
    if kind == "author":
        return evidence_of(request).branches(library, entity, wait)
    if size > QUICK_TREE and wait <= MOMENT:
        return None
    mentions = library.entity(entity).mentions
    names = {id: name or "" for id, name in mentions.select("id", "name").iter_rows()}
    if kind == "paper":
        names |= {
            id: f"{names[id]} {year}"
            for id, _, _, year in short_details(library.store, list(names)).iter_rows()
        }
    return spelling_branches(names, dict(mentions.select("id", "probability").iter_rows()))


def branch_mentions(request: Request, library: Library, entity: str, keys: Sequence[str]) -> list[str]:
    """The mentions of the branches with these keys."""
    tree = tree_of(request, library, entity, PATIENCE)
    known = {branch_key(branch): branch.mentions for branch in _all(tree)} if tree else {}
    if not all(key in known for key in keys):
        raise UsageError("this branch is not there any more: the entity has changed; look at it again")
    return list(dict.fromkeys(mention for key in keys for mention in known[key]))


def shown_tree(store: Store, tree: Branch) -> Limb:
    """The tree with names and years."""
    details = short_details(store, tree.mentions)
    about = {id: (name or "", title or "", year) for id, name, title, year in details.iter_rows()}
    return _limb(tree, about)


@router.get("/entity/{id}/branches")
def branches(request: Request, library: Opened, person: Reader, id: str) -> Response:
    """The tree alone: what the page left a place for."""
    entity = live_id(library.store, id)
    title = "Branches"
    try:
        tree = tree_of(request, library, entity, PATIENCE)
    except UsageError as error:
        return render_part(request, "no_tree.html", title, why=str(error))
    if tree is None:
        return render_part(request, "wait.html", title, status=202, what="The tree is being made")
    return render_part(request, "tree.html", title, tree=shown_tree(library.store, tree), entity=entity)


def _all(tree: Branch) -> Iterator[Branch]:
    yield tree
    for part in tree.parts:
        yield from _all(part)


def _limb(branch: Branch, about: About, joined: float | None = None) -> Limb:
    """A branch that was joined with this probability to what stands above it.

    A tree in which one mention after the other is joined to a core is as deep as it is large; so the core is followed
    down, and what was joined to it stands beside it.
    """
    known = [about[mention] for mention in branch.mentions if mention in about]
    names = [name for name, _ in Counter(name for name, _, _ in known).most_common()]
    years = sorted(year for _, _, year in known if year is not None)
    return Limb(
        branch_key(branch),
        branch.mentions[0],
        len(branch.mentions),
        tuple(names[:NAMES_SHOWN]),
        max(0, len(names) - NAMES_SHOWN),
        (years[0], years[-1]) if years else None,
        _example([title for _, title, _ in known], names),
        joined,
        tuple(_beside(branch, about)),
    )


def _beside(branch: Branch, about: About) -> Iterator[Limb]:
    """The core of a branch, then what was joined to it; nothing if it is not divided."""
    spine: list[tuple[float, Branch]] = []
    core = branch
    while core.parts and core.probability is not None:
        spine.append((core.probability, core.parts[1]))
        core = core.parts[0]
    if spine:
        yield _limb(core, about)
        yield from (_limb(small, about, probability) for probability, small in reversed(spine))
    else:
        yield from (_limb(part, about, part.probability) for part in core.parts)


def _example(titles: Sequence[str], names: Sequence[str]) -> str:
    """A title that says more than the names do; those of papers are their titles."""
    return next((title for title in titles if title and title not in names), "")
