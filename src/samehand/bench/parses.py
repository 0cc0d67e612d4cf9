"""`samehand bench parses`: how many citations of the labelled sets are parsed exactly, and how fast.

The truth is the column `segments`, which nothing learns from. Titles and authors are compared by their letters and digits
alone, authors by their letters: case, punctuation, spaces and the words that join authors ("and", "et al.") are
ignored. `title_exact` is the
percentage of strings whose title is exactly right, among those whose truth has one (`titles`); `authors_exact` that of
strings where every author is, in order; `author_text_exact` that where the authors' text is the same, however the
truth divides it (it sometimes divides one person, or joins two). Of a string that holds two references the truth
of the first is taken. Organisations are no authors in the truth, and are left out. `alone`: each string by itself, after
learning from all strings of the set; `together`: with the others that the default model finds to be of one paper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson
import polars as pl

from samehand.bench import Options, Row
from samehand.bench.labelled import Labelled, labelled_sets, stopwatch
from samehand.errors import UsageError
from samehand.models.citations.parsing import Parse, learn
from samehand.models.citations.parsing.read import clusters
from samehand.models.citations.parsing.together import reparse
from samehand.read import read
from samehand.read.open import open_stream

METHODS = ("alone", "together")
QUICK = 150
_DIGITS = re.compile(r"\d")
_JOINING = re.compile(r"^\W*and\b|\band\W*$|\bet\W+al\b|\band\W+others\b", re.IGNORECASE)


class Truth(NamedTuple):
    """What a string's first reference says: its title (None where it has none), and its authors."""

    title: str | None
    authors: tuple[str, ...]


def run(options: Options) -> Iterator[Row]:
    """Two rows for each set."""
    for labelled in labelled_sets(options, "citations"):
        raw = read(labelled.records).references.head(QUICK if options.quick else 10**9)
        truths = read_truths(labelled)
        yield from measure(labelled.name, raw, [truths[identifier] for identifier in raw["id"]], options)


def measure(name: str, raw: pl.DataFrame, truths: Sequence[Truth], options: Options) -> Iterator[Row]:
    """The figures of one set."""
    texts = raw["text"].to_list()
    learn(texts[:1]).best(texts[0])
    with stopwatch() as learning:
        parser = learn(texts, seed=options.seed)
    with stopwatch() as parsing:
        parses = parser.parses_of(texts)
    with stopwatch() as best:
        parser.parses_of(texts, most=1)
    speed = {
        "citations": len(texts),
        "seconds": learning["seconds"] + parsing["seconds"],
        "learning_cpu_seconds": learning["cpu_seconds"],
        "citations_per_cpu_second": len(texts) / parsing["cpu_seconds"],
        "best_only_per_cpu_second": len(texts) / best["cpu_seconds"],
    }
    for method in METHODS:
        if options.method in (None, method):
            chosen = parses if method == "alone" else reparse(parses, clusters(raw, options.seed))
            row: Row = {"bench": "parses", "set": name, "method": method}
            yield row | accuracy([readings[0] for readings in chosen], texts, truths) | speed


def read_truths(labelled: Labelled) -> dict[str, Truth]:
    """The truth of each string by its id."""
    with open_stream(str(labelled.records)) as stream:
        records = [orjson.loads(line) for line in stream]
    if not all("segments" in record for record in records):
        raise UsageError(f"{labelled.records}: no column segments, which is what parses are compared with")
    return {record["id"]: first_reference(record["segments"]) for record in records}


def first_reference(segments: Sequence[Sequence[str]]) -> Truth:
    """The title and the authors of the first reference of a string.

    >>> first_reference([["author", "Lee, A. and"], ["title", "On hands."], ["author", "B. Wu"], ["title", "Feet"]])
    Truth(title='onhands', authors=('leea',))
    """
    titles = [place for place, (label, _) in enumerate(segments) if label == "title"]
    first = titles[0] if titles else len(segments)
    second = titles[1] if len(titles) > 1 else len(segments)
    authors = _names(segments[:first]) or _names(segments[:second])
    return Truth(letters(segments[first][1]) if titles else None, authors)


def _names(segments: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return named([text for label, text in segments if label == "author"])


def named(authors: Sequence[str]) -> tuple[str, ...]:
    """The letters of each author, without digits and the words that join them; empty ones left out."""
    found = (letters(_JOINING.sub(" ", _DIGITS.sub("", author).strip())) for author in authors)
    return tuple(name for name in found if name)


def letters(text: str) -> str:
    """The letters and digits of a text, in lower case.

    >>> letters("On `Hands'.")
    'onhands'
    """
    return "".join(sign for sign in text.lower() if sign.isalnum())


def accuracy(parses: Sequence[Parse], texts: Sequence[str], truths: Sequence[Truth]) -> Row:
    """Percentages of exact titles and authors."""
    titles = [
        letters(parse.title) == truth.title
        for parse, truth in zip(parses, truths, strict=True)
        if truth.title
    ]
    found = [_persons(parse, text) for parse, text in zip(parses, texts, strict=True)]
    pairs = list(zip(found, (truth.authors for truth in truths), strict=True))
    return {
        "title_exact": 100.0 * sum(titles) / max(len(titles), 1),
        "authors_exact": 100.0 * sum(one == other for one, other in pairs) / max(len(pairs), 1),
        "author_text_exact": 100.0
        * sum("".join(one) == "".join(other) for one, other in pairs)
        / max(len(pairs), 1),
        "titles": len(titles),
    }


def _persons(parse: Parse, text: str) -> tuple[str, ...]:
    bodies = {letters(text[start:end]) for label, start, end in parse.segments if label == "organisation"}
    return tuple(name for name in named(parse.authors) if name not in bodies)
