"""A paper in three references: the small invented example that this folder's documentation runs on."""

from __future__ import annotations

import polars as pl

from samehand.records import ASSIGNMENTS, Reference, references_frame


def references() -> pl.DataFrame:
    """Three references: a journal article, the same abbreviated, and an earlier draft.

    >>> references()["id"].to_list()
    ['a.bib:lovelace', 'b.bib:ada01', 'b.bib:draft']
    """
    return references_frame(
        [
            Reference(
                "a.bib",
                3,
                id="a.bib:lovelace",
                key="lovelace",
                type="article",
                title="On Hands",
                authors=["Lovelace, Ada"],
                venue="Journal of Hands",
                year=2001,
                volume="7",
                fields='{"entrytype":"article","author":"Lovelace, Ada","title":"On {Hands}",'
                '"journal":"Journal of Hands","year":"2001","volume":"7"}',
            ),
            Reference(
                "b.bib",
                1,
                id="b.bib:ada01",
                key="ada01",
                type="article",
                title="ON HANDS",
                authors=["A. Lovelace"],
                venue="J. Hands",
                year=2001,
                pages="1-9",
                fields='{"entrytype":"article","author":"A. Lovelace","title":"ON HANDS",'
                '"journal":"J. Hands","year":"2001","pages":"1--9"}',
            ),
            Reference(
                "b.bib",
                9,
                id="b.bib:draft",
                key="draft",
                type="preprint",
                title="On hands",
                year=1999,
                pages="1-40",
                fields='{"entrytype":"misc","title":"On hands","year":"1999","pages":"1--40"}',
            ),
        ]
    )


def mentions() -> pl.DataFrame:
    """All mentions of `references`, resolved: one paper, one author, one venue.

    >>> mentions()["entity"].unique(maintain_order=True).to_list()
    ['phands', 'aada', 'vjournal']
    """
    rows = [
        ("a.bib:lovelace", "paper", "a.bib:lovelace", "On Hands", "phands", 1.0, 0),
        ("a.bib:lovelace/author/1", "author", "a.bib:lovelace", "Ada Lovelace", "aada", 1.0, 0),
        ("a.bib:lovelace/venue", "venue", "a.bib:lovelace", "Journal of Hands", "vjournal", 1.0, 0),
        ("b.bib:ada01", "paper", "b.bib:ada01", "ON HANDS", "phands", 0.9, 0),
        ("b.bib:ada01/author/1", "author", "b.bib:ada01", "A. Lovelace", "aada", 0.9, 0),
        ("b.bib:ada01/venue", "venue", "b.bib:ada01", "J. Hands", "vjournal", 0.8, 0),
        ("b.bib:draft", "paper", "b.bib:draft", "On hands", "phands", 0.9, 0),
    ]
    return pl.DataFrame(rows, schema={**ASSIGNMENTS, "slot": pl.Int32}, orient="row")
