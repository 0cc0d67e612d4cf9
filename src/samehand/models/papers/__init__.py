"""The paper resolver of samehand: evidence by field, two levels, average link, a probability for every mention.

    (citations.fill reads raw citations)           odds       from features to log-odds, of works and of versions
    facts       what a record says                 origins    collections without duplicates
    types       kinds of publication               links      average link
    words       slips of the pen                   posterior  how sure one can be
    distinct    copies are one witness             weights    what was learned, in a small file
    layout      facts as arrays                    learn      from labelled pairs to weights
    candidates  which records to compare           merged     the merged record, with a probability for each field
    evidence    what speaks for and against        compare    all of these, one after the other
                                                   growing    only what new references touch

A *work* is what one title by its authors names; its *versions* are the report, the conference paper, the article. With
`run.versions` "separate", a paper is a version; "merged", a work.
"""

from __future__ import annotations

import polars as pl

from samehand.block import Blocked
from samehand.block.canopies import Floats
from samehand.curate.constraints import Constraints
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.infer.union import connected
from samehand.models.citations.fill import fill
from samehand.models.papers.compare import Compared, compare
from samehand.models.papers.links import Links, Longs, agglomerate, with_decisions
from samehand.models.papers.odds import paper_odds, work_odds
from samehand.models.papers.origins import cleanness
from samehand.models.papers.posterior import belonging
from samehand.models.papers.weights import Weights, default

WORKS = pl.Schema(
    {"mention": pl.String(), "cluster": pl.UInt32(), "work": pl.UInt32(), "probability": pl.Float64()}
)


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster paper mentions (schema `normalise.mentions.PAPERS`) into papers, each with the probability that it
    belongs there.

    >>> from samehand.block import block
    >>> from samehand.curate.constraints import NONE
    >>> from samehand.normalise.mentions import paper_mentions
    >>> from samehand.records import Reference, references_frame
    >>> titles = ["On Hands and Thumbs", "On hands & thumbs.", "A Study of Feet and Toes"]
    >>> papers = [Reference("a.bib", n, id=f"{n}", title=title, authors=["Ada Lee"]) for n, title in enumerate(titles)]
    >>> references = references_frame(papers)
    >>> resolve(block("paper", paper_mentions(references), references), NONE, Run())["cluster"].to_list()
    [0, 0, 1]
    """
    return resolve_with(default(), blocked, constraints, run)


def resolve_with(weights: Weights, blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """The same with any weights."""
    return works(blocked, constraints, run, weights)


def works(
    blocked: Blocked, constraints: Constraints, run: Run, weights: Weights | None = None
) -> pl.DataFrame:
    """Papers and works (schema `WORKS`): every paper lies in one work; where versions are merged, they are the same."""
    weights = weights or default()
    if blocked.mentions.is_empty():
        return WORKS.to_frame()
    return clustered(compared_mentions(blocked, constraints, run), blocked.mentions["id"], run, weights)


def compared_mentions(blocked: Blocked, constraints: Constraints, run: Run) -> Compared:
    """The records of paper mentions, compared."""
    return compare(fill(_references(blocked), run.seed), constraints, run.threads)


def clustered(compared: Compared, mentions: pl.Series, run: Run, weights: Weights) -> pl.DataFrame:
    """Papers and works of compared records."""
    found, work, probability = clusters(*linked(compared, weights), compared.records.same, run, weights)
    return _table(mentions, compared.records.record, found, work, probability)


def clusters(
    versions: Links, whole: Links, same: Longs, run: Run, weights: Weights
) -> tuple[Longs, Longs, Floats]:
    """The paper and the work of each record, and the probability that it belongs to the paper."""
    paper = agglomerate(versions, connected(versions.count, same))
    work = agglomerate(whole, paper)
    links, found = (whole, work) if run.versions == "merged" else (versions, paper)
    return found, work, belonging(links, found, same, weights.temperature, stream(run.seed, "papers"))


def linked(compared: Compared, weights: Weights) -> tuple[Links, Links]:
    """The links between records as versions of a work, and as works."""
    records = compared.records
    versions, whole = (
        with_decisions(
            Links(
                records.facts.height,
                compared.pairs,
                cleanness(records.facts["origin"], compared.pairs, odds),
                weights.unlike,
            ),
            records.different,
        )
        for odds in (paper_odds(compared.rows, weights), work_odds(compared.rows, weights))
    )
    return versions, whole


def _references(blocked: Blocked) -> pl.DataFrame:
    """The references of the mentions, in their order."""
    wanted = blocked.mentions.select(id="reference")
    return wanted.join(blocked.references, on="id", how="left", maintain_order="left")


def _table(
    mentions: pl.Series,
    record: Longs,
    found: Longs,
    work: Longs,
    probability: Floats,
) -> pl.DataFrame:
    table = pl.DataFrame(
        {
            "mention": mentions,
            "cluster": found[record],
            "work": work[record],
            "probability": probability[record],
        }
    )
    return table.with_columns(
        (pl.col(name).rank("dense") - 1).cast(WORKS[name]) for name in ("cluster", "work")
    )
