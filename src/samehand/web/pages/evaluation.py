"""How good the result is, against the truth that the server was given: figures, curves, calibration, worst errors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import Response

from samehand.errors import SamehandError
from samehand.evaluate import Evaluation, evaluate
from samehand.evaluate.align import IDS, TRUE_CLUSTERS
from samehand.evaluate.calibration import calibration_error, reliability, true_shares
from samehand.evaluate.load import read_table
from samehand.evaluate.show import MEANINGS
from samehand.library import Library
from samehand.web.pages.drawings import Axis, curve
from samehand.web.pages.evidence import MOMENT, PATIENCE, evidence_of
from samehand.web.pages.parts import is_part, render_part
from samehand.web.render import render
from samehand.web.security.current import Reader
from samehand.web.shelf import Opened

router = APIRouter()

MAIN = (
    "b3_precision",
    "b3_recall",
    "b3_f1",
    "pairwise_precision",
    "pairwise_recall",
    "pairwise_f1",
    "exact_clusters",
)
COUNTS = ("mentions", "clusters", "true_clusters", "missing_predictions")
THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.999, 1.0)
ERRORS_SHOWN = 30


@dataclass(frozen=True)
class Judged:
    """What was found: the figures, the points (threshold, precision, recall), and the table of reliability."""

    scores: Evaluation
    points: list[tuple[float, float, float]]
    bins: pl.DataFrame
    error: float | None


@router.get("/evaluation")
def evaluation(request: Request, library: Opened, person: Reader) -> Response:
    """The evaluation page; without a truth file, what to do to get one."""
    truth: Path | None = request.app.state.settings.truth
    if truth is None:
        return render(
            request, "evaluation.html", section="/runs", truth="", is_waiting=False, judged=None, why=""
        )
    found = _found(request, library, truth, PATIENCE if is_part(request) else MOMENT)
    if is_part(request):
        status = 202 if found["is_waiting"] else 200
        return render_part(request, "evaluated.html", "Evaluation", status=status, **found)
    return render(request, "evaluation.html", section="/runs", truth=truth.name, **found)


def _found(request: Request, library: Library, truth: Path, wait: float) -> dict[str, Any]:
    try:
        key = ("evaluation", str(truth.stat().st_mtime_ns))
        judged = evidence_of(request).ask(library, key, lambda own: judge(own.mentions(), truth), wait)
    except (SamehandError, OSError) as error:
        return {"is_waiting": False, "judged": None, "why": str(error)}
    if judged is None:
        return {"is_waiting": True, "judged": None, "why": ""}
    return {"is_waiting": False, "why": "", "judged": judged} | _drawn(judged)


def judge(mentions: pl.DataFrame, truth: Path) -> Judged:
    """Score the mentions of a library (as `Library.mentions` gives them) against a file of true entities."""
    table = read_table(truth)
    scores = evaluate(mentions, table, worst=ERRORS_SHOWN)
    id, cluster = (next(name for name in names if name in table.columns) for names in (IDS, TRUE_CLUSTERS))
    labels = table.select(
        pl.col(id).cast(pl.String).alias("id"), pl.col(cluster).cast(pl.String).alias("cluster")
    )
    known = mentions.join(labels, on="id", how="semi")
    mine = mentions.filter(kind=known["kind"].mode()[0])
    points = [(threshold, *_at(mine, labels, threshold)) for threshold in THRESHOLDS]
    shares = true_shares(mine.select("probability", mention="id", cluster="entity"), labels)
    bins = reliability(shares)
    return Judged(scores, points, bins, calibration_error(bins) if bins.height else None)


def _at(mentions: pl.DataFrame, labels: pl.DataFrame, threshold: float) -> tuple[float, float]:
    """B-cubed precision and recall if mentions less sure than this are left alone."""
    sure = pl.col("probability").fill_null(1.0) >= threshold
    kept = pl.when(sure).then(pl.col("entity")).otherwise(pl.concat_str(pl.lit("alone "), "id"))
    figures = evaluate(mentions.with_columns(entity=kept), labels, intervals=False, worst=0).figures
    return figures["b3_precision"], figures["b3_recall"]


def _drawn(judged: Judged) -> dict[str, Any]:
    scores = judged.scores
    lines = [
        (name, MEANINGS[name], scores.figures[name], scores.intervals.get(name))
        for name in MAIN
        if name in scores.figures
    ]
    return {
        "lines": lines,
        "totals": [(name, int(scores.figures[name])) for name in COUNTS if name in scores.figures],
        "precision_recall": _precision_recall(judged),
        "calibration": _calibration(judged),
        "errors": scores.errors.to_dicts(),
    }


def _precision_recall(judged: Judged) -> Markup:
    points = [(recall, precision) for _, precision, recall in judged.points]
    low = min(min(point) for point in points)
    across, up = (Axis(low, 1.0, f"{low:.2f}", "1", title) for title in ("recall", "precision"))
    best = judged.points[0]
    said = f"Precision against recall: {best[1]:.3f} and {best[2]:.3f} if every mention is believed"
    return curve([points], across, up, said, dots=points)


def _calibration(judged: Judged) -> Markup | None:
    if judged.error is None:
        return None
    points = list(judged.bins.select("probability", "share").iter_rows())
    across, up = (Axis(0.0, 1.0, "0", "1", title) for title in ("said", "true"))
    said = f"Share that is true against the probability said; on average they differ by {judged.error:.3f}"
    return curve([points], across, up, said, dots=points, diagonal=True)
