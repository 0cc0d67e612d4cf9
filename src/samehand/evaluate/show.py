"""How an evaluation is printed for people: a table of figures, then the worst errors."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from samehand.evaluate.report import Evaluation

LONGEST = 60

MEANINGS = {
    "b3_precision": "of a mention's predicted cluster, the share that belongs",
    "b3_recall": "of a mention's true cluster, the share that was found",
    "b3_f1": "harmonic mean of the two",
    "pairwise_precision": "of the pairs put together, the share that belongs together",
    "pairwise_recall": "of the pairs that belong together, the share put together",
    "pairwise_f1": "harmonic mean of the two",
    "exact_clusters": "share of true clusters recovered without any error",
    "mean_f1": "mean over true clusters of F1, each with a partner of its own",
    "mean_f1_lenient": "mean over true clusters of the best F1 with any cluster",
    "ceaf_e_precision": "best one-to-one agreement (F1), per predicted cluster",
    "ceaf_e_recall": "the same, per true cluster",
    "ceaf_e_f1": "harmonic mean of the two",
    "ceaf_m_precision": "share of mentions in the best one-to-one matching",
    "ceaf_m_recall": "the same: every mention is in both clusterings",
    "ceaf_m_f1": "harmonic mean of the two",
    "homogeneity": "what the predicted cluster tells about the true one",
    "completeness": "what the true cluster tells about the predicted one",
    "v_measure": "harmonic mean of the two",
    "adjusted_rand": "agreement on pairs, 0 as by chance, 1 perfect",
    "clusters": "predicted clusters among the labelled mentions",
    "true_clusters": "clusters in the truth",
    "mentions": "labelled mentions, all scored",
    "missing_predictions": "labelled mentions without a prediction, scored as singletons",
}


def show(evaluation: Evaluation, console: Console) -> None:
    """Print the figures with their intervals and meanings, then the worst errors, if there are any."""
    console.print(figures_table(evaluation))
    if not evaluation.errors.is_empty():
        console.print()
        console.print(errors_table(evaluation))


def figures_table(evaluation: Evaluation) -> Table:
    """One row per figure."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("figure", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("95% interval", no_wrap=True)
    table.add_column("meaning")
    for name, value in evaluation.figures.items():
        low, high = evaluation.intervals.get(name, (None, None))
        interval = "" if low is None else f"{low:.4f} - {high:.4f}"
        shown = f"{value:,}" if isinstance(value, int) else f"{value:.4f}"
        table.add_row(name, shown, interval, MEANINGS[name])
    return table


def errors_table(evaluation: Evaluation) -> Table:
    """One row per cluster that is split or merged, worst first."""
    table = Table(box=None, header_style="bold", title="Worst errors", title_justify="left", pad_edge=False)
    table.add_column("error", no_wrap=True)
    table.add_column("cluster")
    for column in ("size", "parts", "lost pairs"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("largest pieces")
    for row in evaluation.errors.iter_rows(named=True):
        counts = (f"{row[name]:,}" for name in ("size", "parts", "lost_pairs"))
        table.add_row(row["error"], _labelled(row), *counts, _pieces(row))
    return table


def _pieces(row: dict[str, Any]) -> Text:
    texts = [_labelled(piece).append(f": {piece['size']:,}") for piece in row["pieces"]]
    unshown = row["parts"] - len(texts)
    if unshown:
        texts.append(Text(f"{unshown:,} more"))
    return Text("; ").join(texts)


def _labelled(cluster: dict[str, Any]) -> Text:
    """A cluster's label, and its commonest name in brackets where that says more."""
    label, name = cluster["cluster"], cluster["name"]
    text = "no prediction" if label is None else _readable(label)
    return Text(text if name in (None, label) else f"{text} ({_readable(name)})")


def _readable(text: str) -> str:
    """At most `LONGEST` characters, those a terminal might obey made visible."""
    shown = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text[:LONGEST])
    return shown if len(text) <= LONGEST else f"{shown}..."
