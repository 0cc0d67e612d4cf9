"""Kinds of publication, as far as evidence about versions needs them, and the cues that betray them.

A record's kinds are a set, as bits: "PhD thesis, also Technical Report 12" is both, and so is what calls itself an
article and names proceedings. A record that says its type is believed, unless it calls itself an article and has no
volume: people do so with anything. Besides, its words outside title and authors decide: every cue of a thesis, a
report, a collection (proceedings, an edited book) and a journal counts; "In" alone is a weak cue, and goes with an
article where there is a volume. Without any cue a volume makes an article, and in a raw citation a publisher makes a
book. The cues are common knowledge, not counted from any collection.

Two kinds conflict, unless they are the same or one is a thesis and the other a report or a book: universities publish
their theses as both.
"""

from __future__ import annotations

import polars as pl

UNKNOWN, ARTICLE, COLLECTION, BOOK, THESIS, REPORT, PREPRINT = 0, 1, 2, 4, 8, 16, 32

GIVEN = {
    "article": ARTICLE,
    "inproceedings": COLLECTION,
    "incollection": COLLECTION,
    "book": BOOK,
    "proceedings": BOOK,
    "thesis": THESIS,
    "techreport": REPORT,
    "preprint": PREPRINT,
}

CUES = (
    (THESIS, r"\b(?:thesis|dissertation|diplomarbeit|habilitation|habilitationsschrift)\b"),
    (
        REPORT,
        r"\b(?:technical (?:reports?|memo(?:randum)?|note)|tech ?(?:rep(?:ort)?|memo)|(?:research|internal|working|lab"
        r"|laboratory) (?:reports?|papers?|notes?)|report|memo|memorandum|tr)\b",
    ),
    (
        COLLECTION,
        r"\b(?:proc|procs|proceedings|conf|conference|workshop|symposium|symp|congress|meeting|colloquium|advances in"
        r"|lecture notes|editors|eds|edited by)\b",
    ),
    (PREPRINT, r"\b(?:arxiv|corr)\b"),
    (
        ARTICLE,
        r"\b(?:journal|transactions|trans|letters|magazine|annals|communications of|bulletin|quarterly"
        r"|record|[a-z]+ review)\b",
    ),
)
WITHIN = r"^in\b"
PUBLISHED = r"\b(?:press|verlag|publishers?|publishing|wiley|edition|kluwer|elsevier|springer)\b"


def publication_types(
    given: pl.Series, said: pl.Series, has_volume: pl.Series, may_be_book: pl.Series
) -> pl.Series:
    """The kinds of each record as bits: from its `given` type, else from what is `said` outside title and authors, from
    whether it has a volume, and whether, without any cue, it may be a book.

    >>> said = pl.Series(["in proc of the hand conference", "phd thesis", "hands 3 1 9", "", "hand press"])
    >>> volume, book = pl.Series([False, False, True, False, False]), pl.Series([True] * 5)
    >>> publication_types(pl.Series(["article", None, None, "book", None]), said, volume, book).to_list()
    [2, 8, 1, 4, 4]
    """
    cued = pl.sum_horizontal(
        pl.when(pl.col("said").str.contains(cue)).then(kind).otherwise(0) for kind, cue in CUES
    )
    uncued = (
        pl.when(pl.col("said").str.contains(WITHIN))
        .then(COLLECTION + pl.col("volume") * ARTICLE)
        .when("volume")
        .then(ARTICLE)
        .when("book")
        .then(BOOK)
        .otherwise(UNKNOWN)
    )
    known = pl.col("given").replace_strict(GIVEN, default=None, return_dtype=pl.Int32)
    doubtful = (pl.col("given") == "article") & ~pl.col("volume")
    told = pl.when(doubtful).then(None).otherwise(known)
    found = (
        pl.when((cued > 0) | told.is_not_null())
        .then(cued | told.fill_null(0))
        .otherwise(uncued)
        .cast(pl.Int32)
    )
    table = pl.DataFrame(
        {"given": given.cast(pl.String), "said": said, "volume": has_volume, "book": may_be_book}
    )
    return table.select(found.alias("type")).to_series()
