"""From the words of a query to the entities that have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl

from samehand.normalise.tokens import tokens
from samehand.records import KINDS, Kind
from samehand.store import Parameter, Store
from samehand.store.schema import FACTS, WORDS

MOST_WORDS = 8
"""Words of a query beyond these are not looked at: they hardly narrow the search any more."""

_END = "z" * 20
"""Words are of a-z and 0-9: what begins with "han" is not before "han" and not after "hanzzz...", in any collation."""


@dataclass
class Condition:
    """The parameters of a piece of SQL, numbered in order."""

    parameters: list[Parameter] = field(default_factory=list)

    def bind(self, value: Parameter) -> str:
        """The name of a new parameter.

        >>> condition = Condition()
        >>> condition.bind("x"), condition.bind(2)
        ('$1', '$2')
        """
        self.parameters.append(value)
        return f"${len(self.parameters)}"


def query_words(text: str) -> list[str]:
    """The different words of a query, the longest first: it leaves the fewest entities to look at.

    >>> query_words("Müller, H. & Müller")
    ['muller', 'h']
    """
    return sorted(dict.fromkeys(tokens(text)), key=len, reverse=True)[:MOST_WORDS]


def kinds_condition(kind: Kind | None) -> str:
    """Entities of this kind, or of any. Kinds are names of ours, never a client's text."""
    return f"\"kind\" = '{kind}'" if kind else f'"kind" IN ({", ".join(map(repr, KINDS))})'


def places_with(store: Store, words: Sequence[str], columns: Sequence[str], *, whole: bool) -> pl.DataFrame:
    """These columns of `facts` for the entities that have all words, as `whole` words or as beginnings.

    A letter that stands alone in a query is an initial: what begins with it is half the library.
    """
    first, *others = words
    condition = Condition()
    whole = whole or len(first) == 1
    having = _matching("driver", first, condition, whole)
    for number, word in enumerate(others):
        alias = f"other{number}"
        having += (
            f' AND EXISTS (SELECT 1 FROM words AS {alias} WHERE {alias}."place" = driver."place"'
            f" AND {_matching(alias, word, condition, whole)})"
        )
    # What an index of words has need not be looked up in the facts.
    told = "driver" if set(columns) <= set(WORDS) else "facts"
    wanted = ", ".join(f'{told}."{name}" AS "{name}"' for name in columns)
    joined = "" if told == "driver" else 'JOIN facts ON facts."place" = driver."place" '
    sql = f"SELECT {wanted} FROM words AS driver {joined}WHERE driver.{kinds_condition(None)} AND {having}"
    schema = pl.Schema({name: FACTS[name] for name in columns})
    return store.query(schema, sql, condition.parameters).unique("place")


def _matching(alias: str, word: str, condition: Condition, whole: bool) -> str:
    if whole:
        return f'{alias}."word" = {condition.bind(word)}'
    start, end = condition.bind(word), condition.bind(word + _END)
    return f'{alias}."word" >= {start} AND {alias}."word" <= {end}'
