"""The tables of docs/training.md, made from the result files of :mod:`benchmarks.evidence` and nothing else."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from branchwise.report.table import Table


def main() -> None:
    """Print every table that there are results for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/training"))
    folder = parser.parse_args().results
    for name, title in TITLES.items():
        runs = {one.stem: json.loads(one.read_text()) for one in sorted((folder / name).glob("*.json"))}
        if runs:
            table = by_variant(title, runs) if name == "variants" else one_a_run(title, runs)
            sys.stdout.write(table.markdown() + "\n")


TITLES = {
    "settings": "What is best per minute: 4,000 documents, hia, validation",
    "rho": "The grid of ρ: 4,000 documents, pamm, mean reduction, validation",
    "variants": "Three variants: 8,000 documents, mean ± sd over seeds, test",
}


def one_a_run(title: str, runs: dict[str, dict[str, Any]]) -> Table:
    """Return one row a run, in per cent, free and constrained."""
    levels = len(next(iter(runs.values()))["constrained"]["levels"])
    table = Table(
        title,
        (
            "run",
            "micro",
            "macro",
            *(f"macro, level {one}" for one in range(1, levels + 1)),
            "free micro",
            "free macro",
            "inconsistent, free",
            "processor minutes",
        ),
    )
    for name, run in runs.items():
        free, own = run["free"], run["constrained"]
        table.add(
            name,
            *_percent(own["micro_f1"], own["macro_f1_all"]),
            *_percent(*(one["macro_f1"] for one in own["levels"])),
            *_percent(free["micro_f1"], free["macro_f1_all"], free["label_inconsistency"]),
            run["processor_seconds"] / 60 if "processor_seconds" in run else None,
        )
    return table


def by_variant(title: str, runs: dict[str, dict[str, Any]]) -> Table:
    """Return one row a variant and way of decoding, mean ± standard deviation over its seeds."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for name, run in runs.items():
        groups[name.rsplit("-seed-", 1)[0]].append(run)
    levels = len(next(iter(runs.values()))["constrained"]["levels"])
    table = Table(
        title,
        (
            "variant",
            "decoding",
            "seeds",
            "micro",
            "macro",
            *(f"macro, level {one}" for one in range(1, levels + 1)),
            "inconsistent",
        ),
    )
    for name, group in groups.items():
        for decoding in ("free", "constrained"):
            parts = [run[decoding] for run in group]
            table.add(
                name,
                decoding,
                len(group),
                _spread([one["micro_f1"] for one in parts]),
                _spread([one["macro_f1_all"] for one in parts]),
                *(_spread([one["levels"][at]["macro_f1"] for one in parts]) for at in range(levels)),
                _spread([one["label_inconsistency"] for one in parts]),
            )
    return table


def _percent(*shares: float) -> list[float]:
    return [100 * one for one in shares]


def _spread(values: list[float]) -> str:
    if len(values) < 2:
        return f"{100 * values[0]:.2f}"
    return f"{100 * mean(values):.2f} ± {100 * stdev(values):.2f}"


if __name__ == "__main__":
    main()
