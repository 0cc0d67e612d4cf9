"""Generated bibliographies: the same bytes for the same seed, a true truth, and the laws they follow."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from samehand.bench import Options
from samehand.bench.generate import compared, statistics
from samehand.errors import SamehandError, UsageError
from samehand.evaluate.synthetic import PROFILES, generate
from samehand.evaluate.synthetic.build import Maker, Numbers, fields
from samehand.evaluate.synthetic.draws import rank
from samehand.evaluate.synthetic.laws import ACL_A, REXA
from samehand.evaluate.synthetic.names import inventory
from samehand.evaluate.synthetic.text import coauthors, misspelt
from samehand.evaluate.synthetic.write import row_groups
from samehand.infer.random import stream

COLUMNS = [
    "id", "paper_id", "position", "first", "middle", "last", "name", "title", "venue", "year", "coauthors"
]  # fmt: skip


def made(folder: Path, mentions: int, like: str = "acl-a", seed: int = 0) -> pl.DataFrame:
    """A generated bibliography with its truth as the column `cluster`."""
    written = generate(mentions, folder / f"{like}-{seed}.parquet", like=like, seed=seed)
    return pl.read_parquet(written.output).join(
        pl.read_parquet(written.truth), on="id", how="left", maintain_order="left"
    )


@pytest.fixture(scope="module", params=sorted(PROFILES))
def bibliography(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """Forty thousand mentions of each profile."""
    return made(tmp_path_factory.mktemp("made"), 40_000, like=request.param)


@pytest.fixture(scope="module")
def full_names(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return made(tmp_path_factory.mktemp("made"), 40_000)


@pytest.fixture(scope="module")
def citations(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return made(tmp_path_factory.mktemp("made"), 30_000, like="rexa")


@pytest.mark.parametrize("like", sorted(PROFILES))
def test_same_seed_gives_same_bytes(tmp_path: Path, like: str) -> None:
    first = generate(25_000, tmp_path / "a.parquet", like=like, seed=5, truth=tmp_path / "a.csv.gz")
    second = generate(25_000, tmp_path / "b.parquet", like=like, seed=5, truth=tmp_path / "b.csv.gz")
    assert first.output.read_bytes() == second.output.read_bytes()
    assert first.truth.read_bytes() == second.truth.read_bytes()


def test_other_seeds_give_other_bibliographies(tmp_path: Path) -> None:
    first, second = made(tmp_path, 2_000, seed=1), made(tmp_path, 2_000, seed=2)
    for column in ("last", "title", "cluster"):
        assert not first[column].equals(second[column])


def test_groups_of_any_size_hold_the_same_rows() -> None:
    """How many fields go into one row group changes nothing but the row groups."""
    by_one = [piece.mentions for group in row_groups(fields(REXA, 20_000, 3), 1) for piece in group]
    by_two = [piece.mentions for group in row_groups(fields(REXA, 20_000, 3), 8_000) for piece in group]
    assert pa.concat_tables(by_one).equals(pa.concat_tables(by_two))


def test_a_field_does_not_depend_on_those_before_it() -> None:
    third = list(fields(REXA, 20_000, 3))[2]
    alone = Maker(REXA, 3).make(2, 5_000, Numbers(0, 0, 0))
    assert alone.mentions["title"].equals(third.mentions["title"])
    assert alone.mentions["coauthors"].equals(third.mentions["coauthors"])


def test_a_longer_bibliography_begins_with_the_same_fields() -> None:
    short, long = next(iter(fields(REXA, 7_500, 0))), next(iter(fields(REXA, 9_000, 0)))
    assert short.mentions.equals(long.mentions)


def test_columns_are_those_resolve_takes(bibliography: pl.DataFrame) -> None:
    assert bibliography.columns == [*COLUMNS, "cluster"]
    assert bibliography.schema["coauthors"] == pl.List(pl.String)
    for column in ("id", "paper_id", "position", "first", "last", "name", "title", "coauthors"):
        assert bibliography[column].null_count() == 0


def test_truth_covers_every_id_once(bibliography: pl.DataFrame) -> None:
    assert bibliography["id"].n_unique() == bibliography.height
    assert bibliography["cluster"].null_count() == 0


def test_counts_are_those_of_the_file(tmp_path: Path) -> None:
    written = generate(3_000, tmp_path / "a.parquet")
    table, truth = pl.read_parquet(written.output), pl.read_parquet(written.truth)
    assert written.mentions == table.height == truth.height == 3_000
    assert written.records == table["paper_id"].n_unique()
    assert written.persons == truth["cluster"].n_unique()


def test_coauthors_are_the_other_names_of_the_record(bibliography: pl.DataFrame) -> None:
    for paper in bibliography.head(6_000).partition_by("paper_id")[:-1]:
        names = paper["name"].to_list()
        assert paper["position"].to_list() == list(range(paper.height))
        for position, others in enumerate(paper["coauthors"].to_list()):
            assert others == names[:position] + names[position + 1 :]


def test_nobody_signs_a_paper_twice(bibliography: pl.DataFrame) -> None:
    assert bibliography.group_by("paper_id", "cluster").len()["len"].max() == 1


def test_mentions_of_a_record_share_what_is_the_records(bibliography: pl.DataFrame) -> None:
    shared = bibliography.group_by("paper_id").agg(pl.col("title", "venue", "year").n_unique())
    assert shared.select(pl.max_horizontal("title", "venue", "year").max()).item() == 1


def test_homonyms_exist(full_names: pl.DataFrame) -> None:
    """Two persons with one full name, and blocks of many persons."""
    persons = full_names.group_by("first", "last").agg(pl.col("cluster").n_unique())
    assert (persons["cluster"] > 1).sum() > 10
    block = pl.concat_str(pl.col("first").str.head(1), "last")
    assert full_names.group_by(block).agg(pl.col("cluster").n_unique())["cluster"].max() > 10


def test_papers_per_person_are_heavy_tailed(full_names: pl.DataFrame) -> None:
    sizes = full_names.group_by("cluster").len()["len"]
    assert sizes.median() <= 5
    assert sizes.max() > 50 * sizes.median()


def test_teams_grow_with_the_years(full_names: pl.DataFrame) -> None:
    papers = full_names.unique("paper_id").with_columns(size=pl.col("coauthors").list.len() + 1)
    early, late = papers.filter(pl.col("year") < 2000), papers.filter(pl.col("year") > 2020)
    assert early["size"].mean() + 0.5 < late["size"].mean()


def test_people_work_again_with_the_same_people(full_names: pl.DataFrame) -> None:
    """Pairs of persons that meet again are far more than chance would make them."""
    pairs = full_names.join(full_names, on="paper_id").filter(pl.col("cluster") < pl.col("cluster_right"))
    met = pairs.group_by("cluster", "cluster_right").len()["len"]
    assert (met > 1).mean() > 0.1


def test_careers_are_no_longer_than_a_life(full_names: pl.DataFrame) -> None:
    spans = full_names.group_by("cluster").agg(span=pl.col("year").max() - pl.col("year").min())["span"]
    assert 3 < spans.filter(spans > 0).mean() < 15


def test_persons_have_words_of_their_own(full_names: pl.DataFrame) -> None:
    """Two titles led by one person share more words than titles led by two persons of one name."""
    leads = full_names.filter(pl.col("position") == 0).with_columns(
        words=pl.col("title").str.to_lowercase().str.split(" ")
    )
    same = leads.join(leads, on="cluster").filter(pl.col("id") < pl.col("id_right"))
    other = leads.join(leads, on="last").filter(
        (pl.col("id") < pl.col("id_right")) & (pl.col("cluster") != pl.col("cluster_right"))
    )
    common = pl.col("words").list.set_intersection("words_right").list.len().mean()
    assert same.select(common).item() > 1.5 * other.select(common).item()


def test_initials_are_a_matter_of_the_record(citations: pl.DataFrame) -> None:
    papers = citations.group_by("paper_id").agg(
        pl.len(), initials=(pl.col("first").str.len_chars() == 1).mean()
    )
    several = papers.filter(pl.col("len") > 1)["initials"]
    assert (several == 1).mean() > 0.5
    assert ((several > 0) & (several < 1)).mean() < 0.2
    assert 0.7 < (citations["first"].str.len_chars() == 1).mean() < 0.8


def test_citations_repeat_papers(citations: pl.DataFrame) -> None:
    """The same title and persons, written in several ways and under several forms of one venue."""
    papers = citations.group_by("paper_id", "title").agg(persons=pl.col("cluster"), names=pl.col("name"))
    records = papers.group_by("title").agg(pl.len(), pl.col("persons").n_unique(), pl.col("names").n_unique())
    repeated = records.filter(pl.col("len") > 1)
    assert repeated.height > 0.3 * records.height
    assert (repeated["persons"] == 1).mean() > 0.99
    assert (repeated["names"] > 1).mean() > 0.3


def test_some_names_are_misspelt(citations: pl.DataFrame) -> None:
    lasts = citations.group_by("cluster").agg(pl.col("last").n_unique(), pl.len())
    assert 0.005 < (lasts["last"] > 1).mean() < 0.3


def test_given_names_of_two_parts_are_written_in_three_ways(full_names: pl.DataFrame) -> None:
    joined = full_names["first"].str.replace("[- ]", "").str.to_lowercase()
    forms = full_names.group_by(joined.alias("joined")).agg(pl.col("first").n_unique())["first"]
    assert forms.max() >= 3


@pytest.mark.parametrize("like", sorted(PROFILES))
@pytest.mark.parametrize("mentions", [1, 2, 10])
def test_tiny_bibliographies(tmp_path: Path, like: str, mentions: int) -> None:
    table = made(tmp_path, mentions, like=like)
    assert table.height == mentions
    assert table["cluster"].null_count() == 0


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".csv.gz"])
def test_truth_is_written_by_its_ending(tmp_path: Path, ending: str) -> None:
    written = generate(100, tmp_path / "a.parquet", truth=tmp_path / f"t{ending}")
    read = pl.read_parquet if ending == ".parquet" else pl.read_csv
    assert read(written.truth).columns == ["id", "cluster"]
    assert read(written.truth)["id"].to_list() == pl.read_parquet(written.output)["id"].to_list()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"mentions": 0}, "from 1 on"),
        ({"mentions": -5}, "from 1 on"),
        ({"seed": -1}, "--seed"),
        ({"seed": 2**63}, "--seed"),
        ({"like": "dblp"}, "acl-a, rexa"),
        ({"output": "a.csv"}, ".parquet"),
        ({"output": "none/a.parquet"}, "no such folder"),
        ({"truth": "t.json"}, ".csv.gz"),
        ({"truth": "a.parquet"}, "one file"),
        ({"truth": "none/t.csv"}, "no such folder"),
    ],
)
def test_bad_arguments_are_refused(tmp_path: Path, arguments: dict[str, object], said: str) -> None:
    asked: dict[str, object] = {"mentions": 10, "output": "a.parquet"} | arguments
    paths = {name: tmp_path / str(asked[name]) for name in ("output", "truth") if name in asked}
    with pytest.raises(UsageError, match=said):
        generate(**(asked | paths))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.parquet.part").mkdir()
    with pytest.raises(SamehandError, match="cannot be written"):
        generate(10, tmp_path / "a.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet.part"]


def test_names_of_an_inventory_are_nearly_all_distinct() -> None:
    names = inventory(ACL_A)
    for index, culture in enumerate(names.cultures):
        begin, count = culture["last_from"], culture["last_count"]
        assert len(names.lasts[begin : begin + count].unique()) > 0.998 * count, index


def test_ranks_follow_zipf_and_mandelbrot() -> None:
    """Frequencies of ranks against the law's integral over [r, r + 1), within five standard errors."""
    count, shift, exponent, draws = 50, 2.0, 1.4, 40_000
    random = stream(1, "ranks")
    seen = np.bincount([rank(random, count, shift, exponent) for _ in range(draws)], minlength=count)
    edges = (np.arange(count + 1) + shift) ** (1 - exponent)
    expected = draws * np.diff(edges) / (edges[-1] - edges[0])
    assert np.abs((seen - expected) / np.sqrt(expected)).max() < 5


@pytest.mark.parametrize(
    ("edit", "expected"), [(0, "Gramen"), (4, "Grmen"), (5, "Graamen"), (6, "Grmaen"), (7, "Grbmen")]
)
def test_an_edit_changes_one_letter_and_spares_short_names(edit: int, expected: str) -> None:
    edits = np.array([0, edit, edit, 0], "u2")
    names = misspelt(pa.array(["Tosal", "Gramen", "Li", "Vun"]), edits)
    assert names.to_pylist() == ["Tosal", expected, "Li", "Vun"]


def test_coauthors_of_records_of_one_and_two() -> None:
    assert coauthors(pa.array(["A", "B", "C"]), np.array([0, 1, 3], "i4")).to_pylist() == [[], ["C"], ["B"]]


@pytest.mark.data
def test_statistics_are_like_those_of_the_real_sets(data: Path) -> None:
    """Each within half and double; the profiles vary by less from seed to seed."""
    names = (
        "blocks", "block_mean", "block_of_mention", "block_single", "person_mean", "person_of_mention",
        "persons_per_block", "shared_coauthor", "initials", "middle", "authors_mean", "authors_single",
        "title_words",
    )  # fmt: skip
    for like, real, generated in compared(Options(data=data)):
        expected, found = statistics(real), statistics(generated)
        for name in names:
            assert 0.5 < found[name] / expected[name] < 2, (like, name, expected[name], found[name])


def test_kernels_give_the_same_bytes_as_plain_python(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from samehand.evaluate.synthetic import generate; "
        "generate(300, Path(sys.argv[1]), like='rexa', seed=4)"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "plain.parquet")],
        check=True,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
    )
    generate(300, tmp_path / "compiled.parquet", like="rexa", seed=4)
    for ending in (".parquet", ".truth.parquet"):
        plain, compiled = tmp_path / f"plain{ending}", tmp_path / f"compiled{ending}"
        assert plain.read_bytes() == compiled.read_bytes()
