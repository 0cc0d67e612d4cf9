"""Parsing all raw citations of a table of references: alone, and together with the others of the same paper."""

from __future__ import annotations

import polars as pl

from samehand.block import block
from samehand.curate.constraints import NONE
from samehand.infer.run import Run
from samehand.models import DEFAULT, resolver
from samehand.models.citations.parsing.marginals import marginals
from samehand.models.citations.parsing.parse import Parse
from samehand.models.citations.parsing.parser import learn
from samehand.models.citations.parsing.show import Fields, Parsed
from samehand.models.citations.parsing.together import reparse
from samehand.normalise.mentions import paper_mentions


def raw_citations(references: pl.DataFrame) -> pl.DataFrame:
    """The references that are raw citation strings."""
    return references.filter((pl.col("scope") == "citation") & pl.col("text").is_not_null())


def parse_all(references: pl.DataFrame, *, alone: bool, together: bool, seed: int = 0) -> list[Parsed]:
    """The fields of every raw citation among references; structured ones teach the parser.

    >>> from samehand.records import Reference, references_frame
    >>> raw = Reference("a.txt", 1, id="a.txt:1", scope="citation", text="J. Lee. On hands. Nature, 12:3-9, 1991.")
    >>> found = parse_all(references_frame([raw]), alone=True, together=False)
    >>> found[0].alone["title"].value
    'On hands'
    """
    raw = raw_citations(references)
    texts = raw["text"].to_list()
    parses = learn(texts, references.filter(pl.col("scope") != "citation"), seed).parses_of(texts)
    helped = reparse(parses, clusters(raw, seed)) if together and texts else None
    return [
        Parsed(identifier, text, _fields(parses, place, alone), _fields(helped, place, together))
        for place, (identifier, text) in enumerate(raw.select("id", "text").iter_rows())
    ]


def _fields(parses: list[list[Parse]] | None, place: int, wanted: bool) -> Fields | None:
    return marginals(parses[place]) if wanted and parses is not None else None


def clusters(raw: pl.DataFrame, seed: int) -> list[int]:
    """For each raw citation the number of its paper, by the default model."""
    mentions = paper_mentions(raw)
    found = resolver(DEFAULT, "paper")(block("paper", mentions, raw), NONE, Run(seed))
    joined = mentions.select("id", "reference").join(found, left_on="id", right_on="mention", how="left")
    numbers = dict(joined.select("reference", "cluster").iter_rows())
    return [numbers[identifier] for identifier in raw["id"]]
