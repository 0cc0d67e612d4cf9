"""The users of a library: their roles, passwords (argon2) and API tokens, kept in its tables."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from functools import cache

import polars as pl
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from samehand.errors import UsageError
from samehand.store import Store
from samehand.store.schema import TOKENS, USERS

SHORTEST_PASSWORD = 10
LONGEST_PASSWORD = 1_000
LONGEST_NAME = 100


class Role(IntEnum):
    """What a person may do: a reader looks, a curator decides, an admin does everything.

    >>> Role.parse("curator") > Role.READER
    True
    """

    NOBODY = 0
    READER = 1
    CURATOR = 2
    ADMIN = 3

    @classmethod
    def parse(cls, word: str) -> Role:
        """The role of this name, or a UsageError that lists the names."""
        roles = {role.name.lower(): role for role in cls if role is not cls.NOBODY}
        if word not in roles:
            raise UsageError(f"no role is called {word!r}; say one of: {', '.join(roles)}")
        return roles[word]


@dataclass(frozen=True)
class Person:
    """Somebody at a browser or behind a token."""

    name: str
    role: Role

    @property
    def may_decide(self) -> bool:
        """Whether the person's word counts."""
        return self.role >= Role.CURATOR


NOBODY = Person("", Role.NOBODY)


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobodys_password() -> str:
    """A hash to compare with when there is no such user, so that the answer takes as long."""
    return _hasher().hash(secrets.token_hex())


def add_user(store: Store, name: str, role: str, password: str) -> None:
    """Add a user, or give one another role and password."""
    parsed = Role.parse(role)
    _check_name(name)
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise UsageError(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")
    row = (name, parsed.name.lower(), _hasher().hash(password), datetime.now(UTC))
    with store.writing():
        forget_sessions(store, name)
        store.execute('DELETE FROM users WHERE "name" = $1', (name,))
        store.append("users", pl.DataFrame([row], schema=USERS, orient="row"))


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise UsageError(f"a user's name has 1 to {LONGEST_NAME} printable characters")


def remove_user(store: Store, name: str) -> None:
    """Remove a user with all sessions and tokens; decisions keep the name."""
    with store.writing():
        _known(store, name)
        forget_sessions(store, name)
        for table in ("users", "tokens"):
            store.execute(f'DELETE FROM {table} WHERE "name" = $1', (name,))


def users(store: Store) -> list[Person]:
    """All users by name."""
    rows = store.read("users", columns=["name", "role"]).sort("name")
    return [Person(name, Role.parse(role)) for name, role in rows.iter_rows()]


def make_token(store: Store, name: str) -> str:
    """A new API token of a user. It is shown this once: only its hash is kept."""
    token = secrets.token_urlsafe(32)
    with store.writing():
        _known(store, name)
        row = (hashed(token), name, datetime.now(UTC))
        store.append("tokens", pl.DataFrame([row], schema=TOKENS, orient="row"))
    return token


def by_token(store: Store, token: str) -> Person | None:
    """Whose API token this is."""
    return _person(store, '"name" IN (SELECT "name" FROM tokens WHERE "hash" = $1)', hashed(token))


def by_name(store: Store, name: str) -> Person | None:
    """The user of this name."""
    return _person(store, '"name" = $1', name)


def by_password(store: Store, name: str, password: str) -> Person | None:
    """The user of this name, if the password is right."""
    rows = store.read("users", '"name" = $1', (name,)).to_dicts()
    known = rows[0]["password"] if rows else _nobodys_password()
    try:
        _hasher().verify(known, password[:LONGEST_PASSWORD])
    except (VerificationError, InvalidHashError):
        return None
    return Person(name, Role.parse(rows[0]["role"])) if rows else None


def forget_sessions(store: Store, name: str) -> None:
    """Log a user out everywhere."""
    store.execute('DELETE FROM sessions WHERE "name" = $1', (name,))


def hashed(secret: str) -> str:
    """What is kept of a token or a session's number: both are random and long, so that a plain hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _person(store: Store, where: str, value: str) -> Person | None:
    rows = store.read("users", where, (value,), ["name", "role"]).rows()
    return Person(rows[0][0], Role.parse(rows[0][1])) if rows else None


def _known(store: Store, name: str) -> None:
    if by_name(store, name) is None:
        raise UsageError(f"no user is called {name!r}; add one with: samehand users add LIBRARY NAME")
