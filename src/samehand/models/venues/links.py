"""The default resolver of venues: links between strings.

links_strings       the distinct strings of the mentions
links_candidates    which of them to compare
links_match         how much two have in common
links_works         the papers that appear under them
links_items         all that, as what the sampler needs
links_forest        the model, and one step of its sampler
links_sampler       chains of steps
links_namesakes     two venues under one string
links_belief        how sure it is

The clustering is the state a cooled chain ends in, namesakes divided. A mention's probability is the share of samples,
drawn at temperature 1 thereafter, in which its string is in one tree with most of its venue, times the probability
that the string was the right one to write.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from samehand.block import Blocked
from samehand.curate.constraints import Constraints
from samehand.infer.random import stream
from samehand.infer.run import Run
from samehand.models.venues.links_belief import belonging, slip_share
from samehand.models.venues.links_items import make_items
from samehand.models.venues.links_namesakes import divide_namesakes
from samehand.models.venues.links_sampler import search_and_sample
from samehand.models.venues.links_strings import group_equal
from samehand.records import CLUSTERING


def resolve(blocked: Blocked, constraints: Constraints, run: Run) -> pl.DataFrame:
    """Cluster venue mentions (schema `normalise.mentions.VENUES`) into venues; blocks are not looked at.

    >>> from samehand.block import block
    >>> from samehand.curate.constraints import NONE
    >>> from samehand.normalise.mentions import venue_mentions
    >>> from samehand.records import Reference, references_frame
    >>> names = ["Journal of Ancient Hands", "J. Anc. Hands", "Proc. Society of Thumbs (SOT '94)", "SOT"]
    >>> papers = [Reference("a.bib", n, id=f"{n}", venue=name, year=1994) for n, name in enumerate(names)]
    >>> references = references_frame(papers)
    >>> resolve(block("venue", venue_mentions(references), references), NONE, Run())["cluster"].to_list()
    [0, 0, 1, 1]
    """
    mentions = blocked.mentions
    if mentions.is_empty():
        return CLUSTERING.to_frame()
    items = make_items(mentions, constraints)
    answer, samples = search_and_sample(items.links, items.new, stream(run.seed, "venue links"))
    size = np.bincount(items.item, minlength=answer.shape[0]).astype(np.float64)
    cluster, sure = divide_namesakes(answer, items, mentions["title_key"].fill_null("").to_list())
    linked = belonging(answer, samples, size)[items.item]
    probability = linked * sure * (1.0 - slip_share(cluster, items.titles))
    return pl.DataFrame(
        {
            "mention": mentions["id"],
            "cluster": group_equal(cluster.tolist()).astype(np.uint32),
            "probability": probability,
        },
        schema=CLUSTERING,
    )
