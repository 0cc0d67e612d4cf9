"""Figures 2 to 5 of the stream paper as SVG, from the rows of `samehand bench stream --json`.

python -m samehand.bench.stream_pictures docs/images < rows.jsonl
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import orjson

from samehand.bench import Row
from samehand.bench.curves import HEIGHT, write_svg
from samehand.publish.charts import AFTER, BEFORE, INK

COLOURS = [AFTER, "#c8553d", "#8a9a5b", "#b08bb5"]
PARAMETERS = {
    "rank": "latent dimensions h",
    "alpha": "concentration alpha",
    "particles": "particles M",
}
SIDE = 260


def draw(rows: Sequence[Row], folder: Path) -> list[Path]:
    """Draw every figure of which there are rows: `stream-figure-2.svg` and so on; what was written."""
    written = []
    for set_name, (title, charts) in PICTURES.items():
        found = [row for row in rows if row["set"] == set_name]
        if found:
            written.append(folder / f"stream-{set_name}.svg")
            write_svg(charts(found), title, written[-1])
    return written


def _features(rows: Sequence[Row]) -> list[Any]:
    names = list(dict.fromkeys(row["features"] for row in rows))
    bars = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("features:N", sort=names, title=None, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("method:N"),
            y=_score("mean_f1"),
            color=_colour(rows),
        )
    )
    return [bars.properties(width=2 * SIDE, height=HEIGHT)]


def _sensitivity(rows: Sequence[Row]) -> list[Any]:
    charts = []
    for parameter, title in PARAMETERS.items():
        found = [row for row in rows if row["parameter"] == parameter]
        if found:
            charts.append(_lines(found, "value", title, logarithmic=parameter != "rank"))
    return charts


def _over_time(rows: Sequence[Row]) -> list[Any]:
    return [_lines(rows, "records", "records of the stream seen")]


def _active(rows: Sequence[Row]) -> list[Any]:
    return [_lines(rows, "asked", "share of the records asked about")]


def _asking(rows: Sequence[Row]) -> list[Any]:
    return [
        _lines(
            [row for row in rows if row["years"] == years], "asked", "share of the records asked about"
        ).properties(title=f"T0 = {years}")
        for years in sorted({row["years"] for row in rows})
    ]


def _library_asked(rows: Sequence[Row]) -> list[Any]:
    """Questions by expected gain and at random; both begin where nobody is asked."""
    drawn = []
    for prefix, title in (("samehand-ask", "by expected gain"), ("random-ask", "at random")):
        wanted = [row for row in rows if row["method"].startswith((prefix, "samehand-ask-0"))]
        drawn += [row | {"method": title, "mean_f1": row["b3_f1"]} for row in wanted]
    return [_lines(drawn, "asked", "share of the records asked about", score="B-cubed F1")]


def _library_over_time(rows: Sequence[Row]) -> list[Any]:
    drawn = [
        row | {"method": OVER_TIME[row["method"]], "mean_f1": row["b3_f1"]}
        for row in rows
        if row["method"] in OVER_TIME and row["year"] >= FIRST_YEAR
    ]
    lines = _lines(drawn, "records", "records in the library", score="B-cubed F1")
    return [lines.properties(width=2 * SIDE)]


OVER_TIME = {
    "no-repair": "never repaired",
    "samehand-ask-0": "merged each year",
    "samehand-runs": "author model, every fifth year",
    "tree-runs": "tree sampler, every fifth year",
}
FIRST_YEAR = 1985
"""Earlier there are too few records to draw."""


def _lines(
    rows: Sequence[Row], x: str, title: str, *, logarithmic: bool = False, score: str = "mean F1, strict"
) -> Any:
    scale = alt.Scale(type="log") if logarithmic else alt.Scale(zero=True)
    marks = _chart(rows).mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=20))
    return marks.encode(
        x=alt.X(f"{x}:Q", title=title, scale=scale, axis=alt.Axis(grid=False, tickCount=5, format="~r")),
        y=_score("mean_f1", floor=_floor(rows), title=score),
        color=_colour(rows),
        order=alt.Order(f"{x}:Q"),
    ).properties(width=SIDE, height=HEIGHT)


def _floor(rows: Sequence[Row]) -> float:
    """Where the axis begins: at nothing, or at 0.8 or 0.6 where all scores are above."""
    least = min(row["mean_f1"] for row in rows)
    return next((floor for floor in (0.8, 0.6) if least > floor), 0.0)


def _score(column: str, floor: float = 0.0, title: str = "mean F1, strict") -> Any:
    return alt.Y(
        f"{column}:Q",
        title=title,
        scale=alt.Scale(domain=[floor, 1.0]),
        axis=alt.Axis(tickCount=5, format="~g"),
    )


def _colour(rows: Sequence[Row]) -> Any:
    names = list(dict.fromkeys(row["method"] for row in rows))
    return alt.Color(
        "method:N",
        scale=alt.Scale(domain=names, range=COLOURS[: len(names)]),
        legend=alt.Legend(orient="top", title=None, labelColor=INK, labelLimit=300),
    )


def _chart(rows: Sequence[Row]) -> Any:
    return alt.Chart(alt.InlineData(values=list(rows)))


def _tables(rows: Sequence[Row]) -> list[Any]:
    """Mean F1 of every method on the 25 names, strict and lenient."""
    table = [
        {"method": row["method"], "reading": reading, "mean_f1": row[key]}
        for row in rows
        for reading, key in (("strict", "mean_f1"), ("lenient", "mean_f1_lenient"))
    ]
    base = _chart(table).encode(
        y=alt.Y("method:N", sort=None, title=None, axis=alt.Axis(domain=False, ticks=False, labelLimit=200)),
        yOffset=alt.YOffset("reading:N", sort=["strict", "lenient"]),
        x=alt.X("mean_f1:Q", title="mean F1", scale=alt.Scale(domain=[0, 1])),
        color=alt.Color(
            "reading:N",
            scale=alt.Scale(domain=["strict", "lenient"], range=[AFTER, BEFORE]),
            legend=alt.Legend(orient="top", title=None),
        ),
    )
    return [base.mark_bar().properties(width=1.5 * SIDE, height=22 * len(rows))]


PICTURES: dict[str, tuple[str, Callable[[Sequence[Row]], list[Any]]]] = {
    "T0=2": ("25 names, the last two years streamed", _tables),
    "T0=3": ("25 names, the last three years streamed", _tables),
    "figure-2": ("Figure 2: features added one by one, T0 = 2", _features),
    "figure-3": ("Figure 3: sensitivity of the published model, T0 = 2", _sensitivity),
    "figure-4": ("Figure 4: mean F1 over the stream, Jing Zhang, T0 = 3", _over_time),
    "figure-5": ("Figure 5: questions by entropy and at random, Jing Zhang, T0 = 3", _active),
    "asking": ("Questions to the evidence model, 25 names", _asking),
    "arnetminer-by-year": ("A library filled year by year: questions", _library_asked),
    "arnetminer-over-time": ("A library filled year by year: repair", _library_over_time),
}
"""Set -> title and charts."""


def main() -> None:
    """Read rows from standard input, draw them into the folder named on the command line."""
    rows = [orjson.loads(line) for line in sys.stdin]
    for path in draw(rows, Path(sys.argv[1])):
        print(path)


if __name__ == "__main__":
    main()
