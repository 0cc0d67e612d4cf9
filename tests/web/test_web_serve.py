"""`samehand serve` and `samehand users`, as somebody uses them in a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from samehand.cli import app
from samehand.errors import SamehandError
from samehand.library import Library
from samehand.web.run import run
from samehand.web.security.people import by_password, by_token
from samehand.web.settings import Settings


def called(*arguments: object, text: str = "") -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)


def test_users_are_added_listed_given_tokens_and_removed(place: Path) -> None:
    added = called("users", "add", place, "ann", "--role", "curator", text="correct horse\ncorrect horse\n")
    assert added.exit_code == 0, added.output
    assert "correct" not in added.output
    assert called("users", "list", place).stdout == "curator  ann\n"
    token = called("users", "token", place, "ann").stdout.strip()
    with Library(place) as library:
        assert by_token(library.store, token) == by_password(library.store, "ann", "correct horse")
    assert called("users", "remove", place, "ann").exit_code == 0
    assert called("users", "list", place).stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("add", "PLACE", "ann", "--role", "king", "--password", "correct horse"),
            "no role is called 'king'",
        ),
        (("add", "PLACE", "ann", "--password", "short"), "a password has 10 to"),
        (("token", "PLACE", "bob"), "no user is called 'bob'"),
        (("remove", "PLACE", "bob"), "no user is called 'bob'"),
        (("list", "nowhere.library"), "no such library"),
    ],
)
def test_what_cannot_be_done_is_said(place: Path, arguments: tuple[str, ...], message: str) -> None:
    result = called("users", *(str(place) if one == "PLACE" else one for one in arguments))
    assert isinstance(result.exception, SamehandError)
    assert message in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere.library",), "no such library"),
        (("--library", "nowhere.library"), "no such library"),
        ((), "name the one library to serve"),
        (("PLACE", "--library", "PLACE"), "name the one library to serve"),
        (("PLACE", "--host", "0.0.0.0"), "samehand users add"),
        (("PLACE", "--truth", "nowhere.csv"), "no such file"),
    ],
)
def test_serving_is_refused_with_a_reason(place: Path, arguments: tuple[str, ...], message: str) -> None:
    result = called("serve", *(str(place) if one == "PLACE" else one for one in arguments))
    assert isinstance(result.exception, SamehandError)
    assert message in str(result.exception)


def test_a_port_that_is_taken_is_named(place: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SamehandError, match=f"cannot listen on 127.0.0.1:{port}.*choose another --port"):
            run(str(place), Settings(port=port))
