"""Authors by block and compatible names.

Within a block (same first initial and last name) the written names, (first, middle), are ordered by how much
they say: "J" says less than "J. R.", which says less than "John R.". A name goes with the name that completes
it when there is exactly one fullest completion in the block; with several ("J" beside "John" and "Jane") it
stays by itself, because the name alone cannot tell. Equal ORCIDs are one person wherever they stand.
"""

from __future__ import annotations

import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.run import Run
from samehand.models.baseline import chain, clustering

Written = tuple[str, str]


def completes(full: Written, short: Written) -> bool:
    """Whether `full` says everything `short` says, and possibly more.

    >>> completes(("john", "r"), ("j", ""))
    True
    >>> completes(("john", "r"), ("jane", ""))
    False
    >>> completes(("charles", "antony richard"), ("c", "a r"))
    True
    """
    return all(_extends(more, less) for more, less in zip(full, short, strict=True))


def _extends(more: str, less: str) -> bool:
    """Whether the words of `less` are the leading words of `more`, in full or as initials."""
    if more == less:
        return True
    words, fewer = more.replace("-", " ").split(), less.replace("-", " ").split()
    return len(fewer) <= len(words) and all(
        word == short or (len(short) == 1 and word.startswith(short))
        for word, short in zip(words, fewer, strict=False)
    )


def groups(names: list[Written]) -> list[int]:
    """The group of each of a block's distinct names: its only fullest completion, else itself.

    >>> groups([("j", ""), ("john", ""), ("john", "r")])
    [2, 2, 2]
    >>> groups([("j", ""), ("john", ""), ("jane", "")])
    [0, 1, 2]
    """
    above = [
        [j for j, other in enumerate(names) if j != i and other != name and completes(other, name)]
        for i, name in enumerate(names)
    ]
    result = []
    for i, completions in enumerate(above):
        fullest = [j for j in completions if not above[j]]
        result.append(fullest[0] if len(fullest) == 1 else i)
    return result


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster author mentions (schema `normalise.mentions.AUTHORS`) into persons."""
    authors = blocked.mentions
    by_name = _group_names(authors.select("block", "first", "middle", "last"))
    edges = pl.concat([chain(authors, ["orcid"]), chain(by_name, ["block", "group"])])
    return clustering(authors["id"], edges, constraints)


def _group_names(written: pl.DataFrame) -> pl.DataFrame:
    """Each mention's block and the number of its group of names within the block."""
    name = ["block", "last", "first", "middle"]
    distinct = written.unique(name, maintain_order=True).sort(name)
    grouped = distinct.group_by("block", maintain_order=True).agg("last", "first", "middle")
    numbers: list[list[int]] = []
    for _, lasts, firsts, middles in grouped.iter_rows():
        numbers.append(_number(lasts, firsts, middles))
    table = (
        grouped.with_columns(group=pl.Series(numbers, dtype=pl.List(pl.Int64)))
        .explode("last", "first", "middle", "group", empty_as_null=True, keep_nulls=True)
        .select(*name, "group")
    )
    return written.join(table, on=name, how="left", nulls_equal=True, maintain_order="left")


def _number(lasts: list[str], firsts: list[str], middles: list[str]) -> list[int]:
    """Group numbers within one block, whose names are sorted by last name; last names never mix."""
    result: list[int] = []
    begin = 0
    while begin < len(lasts):
        end = begin
        while end < len(lasts) and lasts[end] == lasts[begin]:
            end += 1
        names = list(zip(firsts[begin:end], middles[begin:end], strict=True))
        result.extend(begin + group for group in groups(names))
        begin = end
    return result
