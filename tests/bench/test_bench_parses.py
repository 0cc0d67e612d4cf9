"""How parses are scored, on a set invented here; and the figures on the real ones."""

import gzip
import json
import os
from pathlib import Path

import pytest

from samehand.bench import Options
from samehand.bench.parses import accuracy, first_reference, run
from samehand.errors import UsageError
from samehand.models.citations.parsing.parse import Parse

ROWS = [
    {
        "id": f"c{n}",
        "text": f"A. Lee and B. Wu. {title}. Nature, {n}:3-9, 199{n}.",
        "segments": [
            ["author", "A. Lee"],
            ["author", "and B. Wu."],
            ["title", f"{title}."],
            ["journal", "Nature,"],
        ],
    }
    for n, title in enumerate(["The theory of hands", "Reading the foot", "On the theory of hands and feet"])
]


def parsed(title: str, *authors: str) -> Parse:
    return Parse(0.0, title, authors, "", None, "", "", "", "other", ())


def test_letters_are_compared_and_the_first_reference_counts():
    truth = first_reference(
        [["author", ", Lee, A., AND"], ["author", "B. Wu et al."], ["title", "`On hands'."], ["title", "x"]]
    )
    figures = accuracy([parsed("On Hands", "Lee, A", "B. Wu")], [""], [truth])
    assert (figures["title_exact"], figures["authors_exact"]) == (100.0, 100.0)
    figures = accuracy([parsed("On Hands x", "Lee", "A., B. Wu")], [""], [truth])
    assert (figures["title_exact"], figures["authors_exact"], figures["author_text_exact"]) == (
        0.0,
        0.0,
        100.0,
    )


def test_a_string_without_a_title_is_not_scored_for_titles():
    truth = first_reference([["author", "A. Lee"], ["booktitle", "On hands"]])
    assert accuracy([parsed("On hands", "A. Lee")], [""], [truth])["titles"] == 0


def write_set(folder: Path, rows: list[dict]) -> Options:
    (folder / "citations").mkdir()
    with gzip.open(folder / "citations" / "tiny.jsonl.gz", "wt") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)
    with gzip.open(folder / "citations" / "tiny.truth.csv.gz", "wt") as stream:
        stream.write("id,cluster\n" + "".join(f"{row['id']},1\n" for row in rows))
    return Options(data=folder)


def test_rows_of_a_set(tmp_path):
    rows = list(run(write_set(tmp_path, ROWS)))
    assert [row["method"] for row in rows] == ["alone", "together"]
    assert all(row["title_exact"] == row["authors_exact"] == 100.0 for row in rows)
    assert rows[0]["citations_per_cpu_second"] > 0


def test_a_set_without_segments_is_told(tmp_path):
    with pytest.raises(UsageError, match="segments"):
        list(run(write_set(tmp_path, [{"id": "a", "text": "A. Lee. On hands."}])))


@pytest.mark.data
def test_the_real_sets_are_parsed():
    if "SAMEHAND_DATA" not in os.environ:
        pytest.skip("set SAMEHAND_DATA to the folder of labelled sets")
    options = Options(
        data=Path(os.environ["SAMEHAND_DATA"]), set="citations/citeseer-constraint", method="alone"
    )
    row = next(run(options))
    assert row["title_exact"] > 93.0
    assert row["author_text_exact"] > 92.0
