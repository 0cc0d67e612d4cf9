"""Curves of the tree papers' experiments as SVG, in the look of the report's charts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from samehand.bench import Row
from samehand.publish.charts import AFTER, GRID, INK

OTHER = "#c8553d"
WIDTH, HEIGHT = 300, 190
FEW_POINTS = 80


def curve(rows: Sequence[Row], x: str, y: str, colour: str, *, logarithmic: bool = False) -> Any:
    """Lines of `y` over `x`, one for each value of `colour`, named after the columns; a score ends at 1."""
    names = list(dict.fromkeys(row[colour] for row in rows))
    x_scale = alt.Scale(type="log") if logarithmic else alt.Scale(zero=True)
    is_score = y.endswith("f1")
    y_scale = alt.Scale(domain=[0, 1]) if is_score else alt.Scale(zero=True)
    lines = alt.Chart(alt.InlineData(values=list(rows))).mark_line(
        strokeWidth=2, point=alt.OverlayMarkDef(size=14) if len(rows) <= FEW_POINTS else False
    )
    x_axis = alt.Axis(tickCount=4, grid=False, format="~g" if x == "seconds" else "~s")
    y_axis = alt.Axis(tickCount=5, format="~g" if is_score else "~s")
    return lines.encode(
        x=alt.X(f"{x}:Q", scale=x_scale, title=_words(x), axis=x_axis),
        y=alt.Y(f"{y}:Q", scale=y_scale, title=_words(y), axis=y_axis),
        color=alt.Color(
            f"{colour}:N",
            scale=alt.Scale(domain=names, range=[AFTER, OTHER][: len(names)]),
            legend=alt.Legend(orient="top", title=None),
        ),
    ).properties(width=WIDTH, height=HEIGHT)


def marks(rows: Sequence[Row], x: str) -> Any:
    """Upright dashed lines at the values of `x`."""
    chart = alt.Chart(alt.InlineData(values=list(rows)))
    return chart.mark_rule(strokeDash=[3, 3], color=INK, opacity=0.4).encode(x=alt.X(f"{x}:Q"))


def write_svg(charts: Sequence[Any], title: str, path: Path) -> None:
    """Charts in two columns under a title, written to a file."""
    heading = alt.TitleParams(title, anchor="start", color=INK, fontSize=13)
    chart = (
        alt.concat(*charts, columns=2, title=heading)
        .configure(background="white", font="ui-sans-serif, system-ui, sans-serif", padding=6)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=INK,
            gridColor=GRID,
            domainColor=GRID,
            tickColor=GRID,
            titleFontWeight="normal",
        )
    )
    path.write_text(vl_convert.vegalite_to_svg(chart.to_dict()) + "\n", encoding="utf-8")


def _words(column: str) -> str:
    return column.replace("_", " ").replace("f1", "F1")
