"""An evaluation as tables for a paper: overall, by level, by label, and two systems side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from branchwise.report.table import Cell, Table

if TYPE_CHECKING:
    from branchwise.evaluation import Evaluation, PairedBootstrap
    from branchwise.evaluation.bootstrap import Difference

SPOKEN = {
    "micro_f1": "micro F1",
    "macro_f1_all": "macro F1 over all labels",
    "macro_f1_supported": "macro F1 over labels with support",
    "exact_match": "exact match",
}

BRIER = "Brier score"


def overall_table(systems: dict[str, Evaluation]) -> Table:
    """Return one row a metric and one column a system; shares are in per cent."""
    names = list(systems)
    first = systems[names[0]]
    rows = {name: dict(one.rows()) for name, one in systems.items()}
    size = f"{first.documents:,} document{'' if first.documents == 1 else 's'}"
    table = Table(f"{size}, {first.labels:,} labels; shares in %", ("metric", *names))
    for metric in dict.fromkeys(metric for one in rows.values() for metric in one):
        if metric != "documents" and not metric.startswith("level "):
            table.add(metric, *(_cell(metric, rows[name].get(metric)) for name in names))
    return table


def level_table(systems: dict[str, Evaluation]) -> Table:
    """Return one row a level and system."""
    several = len(systems) > 1
    headings = ("level", "labels", "with support", "micro F1", "macro F1 (all)", "macro F1 (support)")
    table = Table("By level, in %", (*headings[:1], *(("system",) if several else ()), *headings[1:]))
    for at in range(len(next(iter(systems.values())).levels)):
        for name, one in systems.items():
            level = one.levels[at]
            scores = (100 * level.micro_f1, 100 * level.macro_f1_all, 100 * level.macro_f1_supported)
            system = (name,) if several else ()
            table.add(level.level, *system, level.labels, level.supported_labels, *scores)
    return table


def label_table(evaluation: Evaluation, name: str = "") -> Table:
    """Return one row a label, in canonical order."""
    title = f"By label, in %{': ' + name if name else ''}"
    table = Table(title, ("level", "id", "name", "support", "predicted", "precision", "recall", "F1"))
    for one in evaluation.per_label:
        scores = (100 * one.precision, 100 * one.recall, 100 * one.f1)
        table.add(one.level, one.id, one.name, one.support, one.predicted, *scores)
    return table


def difference_table(comparison: PairedBootstrap, first: str, second: str) -> Table:
    """Return one row a metric with both systems, their difference, its interval and its p-value."""
    interval = f"{100 * comparison.confidence:g} % interval"
    table = Table("The difference, in points", ("metric", first, second, "difference", interval, "p"))
    for one in comparison.differences:
        between = f"{100 * one.low:+.2f} to {100 * one.high:+.2f}"
        table.add(
            SPOKEN[one.metric],
            100 * one.first,
            100 * one.second,
            f"{100 * one.difference:+.2f}",
            between,
            f"{one.p_value:.3f}",
        )
    return table


def difference_sentence(
    comparison: PairedBootstrap, first: str, second: str, metric: str = "micro_f1"
) -> str:
    """Say in one sentence what the bootstrap shows, and what it does not."""
    one: Difference = comparison[metric]
    points = f"{abs(100 * one.difference):.2f} points of {SPOKEN[metric]}"
    basis = (
        f"{100 * comparison.confidence:g} % interval {100 * one.low:+.2f} to {100 * one.high:+.2f}, "
        f"p = {one.p_value:.3f}, {comparison.resamples:,} resamples of {comparison.documents:,} documents"
    )
    if one.difference == 0:
        return f"{first} and {second} have the same {SPOKEN[metric]} ({basis})."
    stands = f"{first} stands {points} {'above' if one.difference > 0 else 'below'} {second} ({basis})"
    if one.low > 0 or one.high < 0:
        return (
            f"{stands}: more than the choice of documents explains, though how far training with other seeds "
            "would move it is not in these numbers."
        )
    return f"{stands}: the choice of documents alone could explain that, so neither can be called better."


def _cell(metric: str, value: float | None) -> Cell:
    """Shares become per cent; counts stay, and so does the Brier score, which is no share."""
    if isinstance(value, float):
        return f"{value:.4f}" if metric == BRIER else 100 * value
    return value
