"""The tables of a comparison; every share is in per cent, and mean ± standard deviation over a system's runs."""

from __future__ import annotations

from collections.abc import Mapping

from branchwise.choices import VARIANTS
from branchwise.compare.frequency import Bucket, f1_of
from branchwise.compare.making import FREE, OWN, TUNED, WAYS
from branchwise.compare.results import Results, Spread, System
from branchwise.compare.significance import SHOWN, Pair
from branchwise.report.evaluation_tables import SPOKEN
from branchwise.report.table import Cell, Table

CONSTRAINED = "constrained"
RANKING = {
    "R-Precision": "ranking.r_precision",
    "P@1": "ranking.precision_at_1",
    "P@3": "ranking.precision_at_3",
    "P@5": "ranking.precision_at_5",
    "nDCG@5": "ranking.ndcg_at_5",
}


def cell(value: Spread | None, factor: float = 100.0, decimals: int = 2) -> Cell:
    """Return a number over runs as a cell."""
    return None if value is None else value.text(factor, decimals)


def counted(labels: int) -> str:
    """Return a number of labels in words."""
    return f"{labels:,} label{'' if labels == 1 else 's'}"


def ways_of(system: System) -> dict[str, str]:
    """Return the ways of a system that stand in rows of their own, with what tables call the row."""
    if not system.is_ours:
        return {OWN: system.name}
    return {FREE: f"{system.name} (free)", OWN: f"{system.name} ({CONSTRAINED})"}


def comparison_table(results: Results) -> Table:
    """Return the paper's comparison: flat, local and global systems with micro and macro F1."""
    first = results.systems[0].runs[0].ways[OWN]
    headings = ["group", "system", "runs", "micro F1", "macro F1", "macro F1 (support)"]
    tuned = results.has_tuned
    if tuned:
        headings += ["tuned: micro F1", "tuned: macro F1"]
    table = Table(
        f"Systems on {first['documents']:,} test documents, in %; macro F1 over all {first['labels']:,} labels, "
        f"and over the {first['supported_labels']:,} with support",
        headings,
        unbroken=(1,),
    )
    group = ""
    for system in results.systems:
        for way, name in ways_of(system).items():
            names = ("micro_f1", "macro_f1_all", "macro_f1_supported")
            cells = [cell(system.metric(one, way)) for one in names]
            if tuned:
                cells += [
                    cell(system.metric(one, TUNED)) if way == OWN else None
                    for one in ("micro_f1", "macro_f1_all")
                ]
            table.add(system.group if system.group != group else "", name, len(system.runs), *cells)
            group = system.group
    return table


def ablation_table(results: Results) -> Table | None:
    """Return what each part of the method adds; None where none of its variants took part."""
    ours = [one for one in results.systems if one.system in VARIANTS]
    if not ours:
        return None
    ours.sort(key=lambda one: VARIANTS.index(one.system))
    parts = {
        "t5": "labels as a flat set",
        "hia": "labels level by level",
        "pamm": "and the path-adaptive mask loss",
    }
    columns = [f"{way}: {average} F1" for way in ("free", CONSTRAINED) for average in ("micro", "macro")]
    table = Table(
        "The variants, decoded freely and under the tree’s constraint, in %",
        ("variant", "what it has", "runs", *columns),
        unbroken=(0,),
    )
    for one in ours:
        cells = [cell(one.metric(name, way)) for way in (FREE, OWN) for name in ("micro_f1", "macro_f1_all")]
        table.add(one.name, parts[one.system], len(one.runs), *cells)
    return table


def inconsistency_table(results: Results) -> Table:
    """Return in how many documents a label came without its parent, before any repair."""
    table = Table(
        "Documents with a label whose parent is missing, and outputs that are no label sequence, in %",
        ("system", "label inconsistency", "invalid output"),
    )
    for system in results.systems:
        for way, name in ways_of(system).items():
            inconsistent, invalid = (
                cell(system.metric(one, way)) for one in ("label_inconsistency", "invalid_output")
            )
            table.add(name, inconsistent, invalid)
    return table


def level_table(results: Results, way: str = OWN) -> Table:
    """Return macro F1 on every level, over all of its labels, of the systems that have this way to decide."""
    levels = results.systems[0].runs[0].ways[OWN]["levels"]
    headings = [f"level {one['level']} ({counted(one['labels'])})" for one in levels]
    title = f"Macro F1 by level, {WAYS[way]}, over all labels of the level, in %"
    table = Table(title, ("system", *headings), unbroken=(0,))
    for system in results.with_way(way):
        table.add(system.name, *(cell(level_f1(system, at, way)) for at in range(len(levels))))
    return table


def level_f1(system: System, at: int, way: str = OWN) -> Spread | None:
    """Return the macro F1 of a level, counted from 0."""
    return system.over_runs(lambda one: float(one["levels"][at]["macro_f1_all"]), way)


def frequency_table(results: Results, buckets: list[Bucket], way: str = OWN) -> Table:
    """Return macro F1 by how many training documents a label has."""
    headings = [f"{one.name} ({counted(len(one.positions))})" for one in buckets]
    title = f"Macro F1 by training documents of a label, {WAYS[way]}, over labels with support, in %"
    table = Table(title, ("system", *headings), unbroken=(0,))
    for system in results.with_way(way):
        table.add(system.name, *(cell(bucket_f1(system, one, way)) for one in buckets))
    return table


def bucket_f1(system: System, bucket: Bucket, way: str = OWN) -> Spread | None:
    """Return the macro F1 over the labels of a bucket."""
    return system.over_runs(lambda one: f1_of(one, bucket.positions)["macro_f1"], way)


def scores_tables(results: Results) -> list[Table]:
    """Return how well scores rank labels and how true they are; nothing where no system has scores."""
    ranking = Table("How well scores rank labels, in %", ("system", *RANKING), unbroken=(0,))
    headings = (f"{name}{way}" for name in ("ECE, in %", "Brier score") for way in ("", ", tuned"))
    calibration = Table(
        "How true scores are; tuned: calibrated once more", ("system", *headings), unbroken=(0,)
    )
    for one in results.systems:
        if one.metric("ranking.r_precision") is None:
            continue
        ranking.add(one.name, *(cell(one.metric(name)) for name in RANKING.values()))
        errors = (one.metric("calibration.expected_calibration_error", way) for way in (OWN, TUNED))
        briers = (one.metric("calibration.brier", way) for way in (OWN, TUNED))
        calibration.add(one.name, *map(cell, errors), *(cell(value, 1.0, 4) for value in briers))
    return [ranking, calibration] if ranking.rows else []


def cost_table(results: Results) -> Table:
    """Return what training and prediction cost, and how large a saved system is."""
    table = Table(
        "What each system takes",
        (
            "system",
            "training, seconds",
            "… of all processors",
            "predicted documents a second",
            "size on disk, MB",
        ),
    )
    for one in results.systems:
        if one.cost("training_seconds") is not None:
            table.add(
                one.name,
                cell(one.cost("training_seconds"), 1.0, 1),
                cell(one.cost("training_processor_seconds"), 1.0, 1),
                cell(one.cost("documents_a_second"), 1.0, 0),
                cell(one.cost("bytes"), 1e-6, 1),
            )
    return table


def significance_table(pairs: list[Pair], metric: str, way: str = OWN) -> Table:
    """Return every difference between two systems in a metric, with whether it survives."""
    title = f"Differences in {SPOKEN[metric]}, {WAYS[way]}, in points"
    table = Table(title, ("systems", "difference", "95 % interval", "p", "p, corrected", "survives"))
    table.unbroken = (0, 2)
    for one in sorted(pairs, key=lambda pair: -abs(pair.bootstrap[metric].difference)):
        found = one.bootstrap[metric]
        sign = 1 if found.difference >= 0 else -1
        first, second = (one.first, one.second)[::sign]
        low, high = sorted((sign * found.low, sign * found.high))
        table.add(
            f"{first} over {second}" if found.difference else f"{first} level with {second}",
            f"{100 * abs(found.difference):.2f}",
            f"{100 * low:+.2f} to {100 * high:+.2f}",
            f"{found.p_value:.3f}",
            f"{one.adjusted[metric]:.3f}",
            "yes" if one.survives(metric) else "no",
        )
    return table


def significance_tables(pairs: Mapping[str, list[Pair]]) -> list[Table]:
    """Return the differences in both metrics, for every way to decide in which systems can be compared."""
    return [significance_table(some, metric, way) for way, some in pairs.items() if some for metric in SHOWN]
