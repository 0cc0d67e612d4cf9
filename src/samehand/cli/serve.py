"""`samehand serve` and `samehand users`: a library for browsers and other programs, and who may use it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from samehand.cli.options import LibraryPlace
from samehand.errors import MissingExtraError, UsageError

users = typer.Typer(
    no_args_is_help=True, help="Who may use a library that is served: add, remove, list, token."
)

UserName = Annotated[str, typer.Argument(metavar="NAME", help="The user's name; it signs decisions.")]


def serve(
    place: Annotated[
        str | None,
        typer.Argument(metavar="LIBRARY", help="A library: a file, or postgresql://user@host/name."),
    ] = None,
    library: Annotated[str | None, typer.Option("--library", help="The same, by name.")] = None,
    host: Annotated[
        str, typer.Option(help="Where to listen; beyond this machine only with users.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free port.")] = 8471,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="A host name by which browsers may call the server.")
    ] = None,
    https: Annotated[
        bool, typer.Option("--https", help="A proxy gives it to browsers by https: cookies go no other way.")
    ] = False,
    truth: Annotated[
        Path | None, typer.Option(help="A file of true entities, for the evaluation page.")
    ] = None,
) -> None:
    """Serve a library: pages for curators, a REST interface, and a reconciliation service for OpenRefine.

    Only this machine can reach it, and whoever does is you. Give it users, and it may listen further (--host).
    """
    _check_installed()
    from samehand.library import Library
    from samehand.web.run import run
    from samehand.web.settings import Settings

    if truth is not None and not truth.is_file():
        raise UsageError(f"{truth}: no such file; --truth takes a table of true entities")
    location = library or place
    if location is None or (library is not None and place is not None):
        raise UsageError("name the one library to serve: samehand serve LIBRARY")
    Library.open(location, create=False).close()
    run(location, Settings(host=host, port=port, https=https, truth=truth, names=tuple(name or ())))


@users.command()
def add(
    library: LibraryPlace,
    name: UserName,
    role: Annotated[str, typer.Option(help="reader, curator or admin.")] = "reader",
    password: Annotated[
        str, typer.Option(prompt=True, hide_input=True, confirmation_prompt=True, help="Asked for if absent.")
    ] = "",
) -> None:
    """Add a user, or give one another role and password."""
    _check_installed()
    from samehand.library import Library
    from samehand.web.security.people import add_user

    with Library.open(library, create=False) as opened:
        add_user(opened.store, name, role, password)
    print(f"{name} is a {role} of {library}; a server that runs already knows when it is started again")


@users.command()
def remove(library: LibraryPlace, name: UserName) -> None:
    """Remove a user, with all sessions and tokens."""
    _check_installed()
    from samehand.library import Library
    from samehand.web.security.people import remove_user

    with Library.open(library, create=False) as opened:
        remove_user(opened.store, name)
    print(f"{name} is removed")


@users.command("list")
def list_users(library: LibraryPlace) -> None:
    """List the users with their roles."""
    _check_installed()
    from samehand.library import Library
    from samehand.web.security.people import users as found

    with Library.open(library, create=False) as opened:
        for person in found(opened.store):
            print(f"{person.role.name.lower():8} {person.name}")


@users.command()
def token(library: LibraryPlace, name: UserName) -> None:
    """Make a user an API token; it is shown this once."""
    _check_installed()
    from samehand.library import Library
    from samehand.web.security.people import make_token

    with Library.open(library, create=False) as opened:
        print(make_token(opened.store, name))


def _check_installed() -> None:
    """A clear word if the extra is missing, before anything else fails."""
    from importlib.util import find_spec

    if any(find_spec(module) is None for module in ("fastapi", "uvicorn", "argon2", "python_multipart")):
        raise MissingExtraError("serving a library needs more packages: pip install 'samehand[web]'")
