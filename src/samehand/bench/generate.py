"""`samehand bench generate`: speed of `samehand generate`, and how like the real sets its bibliographies are.

Each statistic is counted on a real labelled set and on a generated one of as many mentions, in the same way.
Where only some persons of the real set are labelled, what concerns persons is counted on those generated
persons whose blocks have the same ranks in size. `draw` makes the picture of docs/generated.md.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from samehand.bench import Options, Row
from samehand.bench.labelled import Labelled, labelled_sets, stopwatch
from samehand.evaluate.synthetic import PROFILES, generate
from samehand.normalise.name_parts import name_parts


def run(options: Options) -> Iterator[Row]:
    """Rows of speed, then real and generated statistics of the sets the profiles are fitted to."""
    if options.wants("speed", "generate"):
        yield from _speeds(options)
    if options.set == "speed":
        return
    for name, real, made in compared(options):
        for method, mentions in (("real", real), ("generated", made)):
            if options.method in (None, method):
                yield {"bench": "generate", "set": name, "method": method, **statistics(mentions)}


def _speeds(options: Options) -> Iterator[Row]:
    """Mentions per second of each profile, kernels loaded before the clock starts."""
    count = 200_000 if options.quick else 1_000_000
    for like in PROFILES:
        with tempfile.TemporaryDirectory() as folder:
            generate(100, Path(folder, "first.parquet"), like=like)
            with stopwatch() as figures:
                made = generate(count, Path(folder, "all.parquet"), like=like, seed=options.seed)
        yield {
            "bench": "generate",
            "set": "speed",
            "method": f"generate-{like}",
            "mentions": made.mentions,
            "persons": made.persons,
            **figures,
            "mentions_per_second": made.mentions / figures["seconds"],
        }


def compared(options: Options) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame]]:
    """Each profile's name, the labelled set it is fitted to, and a generated one of as many mentions."""
    for labelled in labelled_sets(options, "authors"):
        name = labelled.name.split("/")[1]
        if name in PROFILES:
            real = real_mentions(labelled)
            yield name, real, labelled_like(generated_mentions(real.height, name, options.seed), real)


COLUMNS = ["id", "paper_id", "first", "middle", "last", "title", "year", "coauthors"]


def real_mentions(labelled: Labelled) -> pl.DataFrame:
    """A labelled set with `block`, and `cluster` where labelled."""
    mentions = pl.read_ndjson(labelled.records, infer_schema_length=None).select(COLUMNS)
    truth = pl.read_csv(labelled.truth, schema_overrides={"cluster": pl.String})
    return _blocked(mentions).join(truth, on="id", how="left", maintain_order="left")


def generated_mentions(count: int, like: str, seed: int) -> pl.DataFrame:
    """So many generated mentions with `block` and `cluster`."""
    with tempfile.TemporaryDirectory() as folder:
        made = generate(count, Path(folder, "all.parquet"), like=like, seed=seed)
        mentions, truth = pl.read_parquet(made.output, columns=COLUMNS), pl.read_parquet(made.truth)
    return _blocked(mentions).join(truth, on="id", how="left", maintain_order="left")


def _blocked(mentions: pl.DataFrame) -> pl.DataFrame:
    """With the resolver's own block of each name."""
    written = mentions.select(
        pl.format("{}, {} {}", *(pl.col(part).fill_null("") for part in ("last", "first", "middle")))
    ).to_series()
    return mentions.with_columns(block=name_parts(written.str.strip_chars(", "))["key"])


def block_sizes(mentions: pl.DataFrame) -> pl.DataFrame:
    """`block`, `size` and `rank`: the largest block has rank 0."""
    sizes = mentions.group_by("block").agg(size=pl.len())
    return sizes.sort("size", "block", descending=[True, False]).with_row_index("rank")


def main_blocks(mentions: pl.DataFrame) -> pl.DataFrame:
    """`cluster` and `rank`: the rank of the block that most of a labelled person's mentions are in."""
    counted = mentions.drop_nulls("cluster").group_by("cluster", "block").len()
    main = counted.sort("len", "block", descending=[True, False]).unique("cluster", keep="first")
    return main.join(block_sizes(mentions), on="block").select("cluster", "rank")


def labelled_like(made: pl.DataFrame, real: pl.DataFrame) -> pl.DataFrame:
    """The generated mentions, labelled only for persons whose main block has the rank of a labelled real one.

    A real set that is labelled throughout leaves all labels.
    """
    if real["cluster"].null_count() == 0:
        return made
    kept = main_blocks(made).join(main_blocks(real), on="rank", how="semi")["cluster"]
    return made.with_columns(cluster=pl.when(pl.col("cluster").is_in(kept.implode())).then("cluster"))


def statistics(mentions: pl.DataFrame) -> Row:
    """All statistics of one table of mentions with `block` and `cluster`."""
    labelled = mentions.drop_nulls("cluster")
    persons = labelled.group_by("cluster").len()["len"]
    return {
        "mentions": mentions.height,
        **_sizes("block", block_sizes(mentions)["size"]),
        "labelled_mentions": labelled.height,
        **_sizes("person", persons),
        **_ambiguity(labelled),
        "shared_coauthor": shared_coauthor(labelled),
        **_records(mentions),
    }


def _sizes(what: str, sizes: pl.Series) -> Row:
    """Number, mean, largest, share of size one, and the mean size as a mention sees it."""
    return {
        f"{what}s": sizes.len(),
        f"{what}_mean": sizes.mean(),
        f"{what}_median": sizes.median(),
        f"{what}_largest": sizes.max(),
        f"{what}_single": (sizes == 1).mean(),
        f"{what}_of_mention": float(sizes.dot(sizes) or 0) / float(sizes.sum()),
    }


def _ambiguity(labelled: pl.DataFrame) -> Row:
    """Persons per block: mean, most, as a mention sees it; share of mentions in blocks of several persons."""
    blocks = labelled.group_by("block").agg(persons=pl.col("cluster").n_unique(), size=pl.len())
    ambiguous = blocks.filter(pl.col("persons") > 1)["size"].sum()
    return {
        "persons_per_block": blocks["persons"].mean(),
        "persons_largest": blocks["persons"].max(),
        "persons_of_mention": (blocks["persons"] * blocks["size"]).sum() / labelled.height,
        "ambiguous": ambiguous / labelled.height,
    }


def shared_coauthor(labelled: pl.DataFrame) -> float:
    """Share of the mentions that have a co-author's last name in common with another of the same person's.

    Persons with one mention are left out.

    >>> coauthors = [["A. Dam"], ["Dam, Ada"], ["B. Rib"]]
    >>> table = pl.DataFrame({"id": ["a", "b", "c"], "cluster": ["x"] * 3, "coauthors": coauthors})
    >>> round(shared_coauthor(table), 2)
    0.67
    """
    several = labelled.filter(pl.len().over("cluster") > 1)
    pairs = several.select("id", "cluster", "coauthors").explode("coauthors").drop_nulls("coauthors")
    last = pl.coalesce(
        pl.col("coauthors").str.extract(r"^([^,]+),"), pl.col("coauthors").str.extract(r"(\S+?)\.?$")
    )
    pairs = pairs.with_columns(last=last.str.to_lowercase()).unique(["id", "last"])
    shared = pairs.filter(pl.len().over("cluster", "last") > 1)
    return shared["id"].n_unique() / several.height


def _records(mentions: pl.DataFrame) -> Row:
    """What concerns records and the way names are written."""
    papers = mentions.unique("paper_id").with_columns(authors=pl.col("coauthors").list.len().fill_null(0) + 1)
    return {
        "initials": (mentions["first"].str.len_chars() <= 1).mean(),
        "middle": mentions["middle"].is_not_null().mean(),
        "authors_mean": papers["authors"].mean(),
        "authors_single": (papers["authors"] == 1).mean(),
        "authors_over_ten": (papers["authors"] > 10).mean(),
        "distinct_titles": papers["title"].n_unique() / papers.height,
        "title_words": papers["title"].str.split(" ").list.len().mean(),
        "year_median": papers["year"].median(),
    }


def survival(sizes: pl.Series) -> pl.DataFrame:
    """`size` and `share`: the share of all that are at least of this size.

    >>> survival(pl.Series([1, 1, 2, 5])).rows()
    [(1, 1.0), (2, 0.5), (5, 0.25)]
    """
    counted = sizes.alias("size").value_counts().sort("size")
    at_least = pl.col("count").reverse().cum_sum().reverse()
    return counted.select("size", share=at_least / sizes.len())


def survival_rows(options: Options) -> Iterator[Row]:
    """Points of the survival curves of block sizes and mentions per person, real and generated."""
    for name, real, made in compared(options):
        for source, mentions in (("real", real), ("generated", made)):
            persons = mentions.drop_nulls("cluster").group_by("cluster").len()["len"]
            for what, sizes in (("block", block_sizes(mentions)["size"]), ("person", persons)):
                panel = f"{name}: mentions per {what}"
                for row in survival(sizes).iter_rows(named=True):
                    yield {"panel": panel, "source": source, **row}


def draw(data: Path, picture: Path, seed: int = 0) -> None:
    """Draw the survival curves, with logarithmic axes, as SVG."""
    import altair as alt
    import vl_convert

    rows = list(survival_rows(Options(data=data, seed=seed)))
    logarithmic = alt.Scale(type="log")
    colours = alt.Scale(domain=["real", "generated"], range=["#1a1a2e", "#c8553d"])
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("size:Q", scale=logarithmic, title="mentions", axis=alt.Axis(values=[1, 10, 100, 1000])),
            y=alt.Y(
                "share:Q",
                scale=logarithmic,
                title="share at least as large",
                axis=alt.Axis(values=[1, 0.1, 0.01, 0.001, 0.0001]),
            ),
            color=alt.Color("source:N", scale=colours, title=None, legend=alt.Legend(orient="top")),
            strokeDash=alt.StrokeDash("source:N", sort=["real", "generated"], legend=None),
            facet=alt.Facet("panel:N", columns=2, title=None),
        )
        .properties(width=300, height=200)
        .resolve_scale(x="independent", y="independent")
        .configure(background="white", font="sans-serif")
    )
    picture.write_text(vl_convert.vegalite_to_svg(chart.to_dict()) + "\n", encoding="utf-8")
