"""What a comparison leaves for programs and papers: every number as CSV, everything as JSON, tables as LaTeX."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from branchwise.compare.analysis import Analysis
from branchwise.compare.folder import Record, write_data, write_whole
from branchwise.compare.making import OWN, TUNED
from branchwise.compare.results import Results, Spread
from branchwise.compare.sections import sections
from branchwise.report.table import Table

CSV, JSON, PAGE = "comparison.csv", "comparison.json", "index.html"
SUMMARISED = ("micro_f1", "macro_f1_all", "macro_f1_supported", "exact_match", "label_inconsistency")


def tables(analysis: Analysis) -> list[Table]:
    """Return all tables of numbers."""
    return [table for several in sections(analysis).values() for table in several]


def rows(results: Results) -> Iterator[tuple[str, str, int, str, str, float]]:
    """Yield system, group, seed, way to decide, metric and value: one number a row."""
    for system in results.systems:
        for run in system.runs:
            for way, evaluation in run.ways.items():
                for metric, value in _numbers(evaluation):
                    yield run.name, run.group, run.seed, way, metric, value
            for cost, seconds in run.costs.items():
                if seconds is not None:
                    yield run.name, run.group, run.seed, "", cost, seconds


def to_dict(analysis: Analysis) -> dict[str, Any]:
    """Return everything as JSON has it; figures by label stay with the runs."""
    results = analysis.results
    first = results.systems[0].runs[0].ways[OWN]
    return {
        "verdict": analysis.verdicts,
        "documents": {"training": len(results.train), "test": len(results.test)},
        "labels": first["labels"],
        "systems": {
            one.name: {
                "system": one.system,
                "group": one.group,
                **{
                    way: {metric: _plain(one.metric(metric, way)) for metric in SUMMARISED}
                    for way in dict.fromkeys(way for run in one.runs for way in (OWN, TUNED, *run.ways))
                    if one.metric("micro_f1", way) is not None
                },
                "costs": {name: _plain(one.cost(name)) for name in one.runs[0].costs},
                "runs": [_run(run) for run in one.runs],
            }
            for one in results.systems
        },
        "failed": [{"system": one.name, "seed": one.seed, "error": one.error} for one in results.failed],
        **analysis.to_dict(),
    }


def write_files(analysis: Analysis, folder: Path) -> dict[str, Any]:
    """Write CSV and JSON, and return what is in the latter."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("system", "group", "seed", "decision", "metric", "value"))
    writer.writerows(rows(analysis.results))
    write_whole(folder / CSV, text.getvalue().encode())
    everything = to_dict(analysis)
    write_data(folder / JSON, everything)
    return everything


def latex(analysis: Analysis) -> str:
    """Return all tables for a paper that uses the package booktabs."""
    return latex_of(tables(analysis))


def latex_of(several: Iterable[Table]) -> str:
    """Return tables as LaTeX, with what they need said on top."""
    head = "% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}.\n\n"
    return head + "\n".join(one.latex() for one in several)


def _numbers(evaluation: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield the numbers of an evaluation by dotted name; bins and labels are left out."""
    for name, value in evaluation.items():
        if name == "levels":
            for one in value:
                for metric in ("micro_f1", "macro_f1_all", "macro_f1_supported"):
                    yield f"level_{one['level']}.{metric}", one[metric]
        elif isinstance(value, dict):
            yield from ((f"{name}.{inner}", number) for inner, number in _numbers(value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield name, value


def _run(run: Record) -> dict[str, Any]:
    ways = {
        way: {name: value for name, value in one.items() if name != "per_label"}
        for way, one in run.ways.items()
    }
    return {"seed": run.seed, "inputs": run.inputs, "costs": run.costs, "notes": run.notes, "ways": ways}


def _plain(value: Spread | None) -> dict[str, Any] | None:
    return None if value is None else asdict(value)
