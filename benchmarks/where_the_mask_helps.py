"""Whether the mask loss helps somewhere: F1 of hia and pamm by how rare labels are and how many a document has.

Made from the predictions that ``python -m benchmarks.evidence variants`` leaves, over its seeds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from benchmarks.machine import write_result
from branchwise import Corpus, Taxonomy
from branchwise.compare.frequency import buckets
from branchwise.evaluation import match, read_predictions
from branchwise.evaluation.counts import per_label
from branchwise.evaluation.f1 import f1
from branchwise.report.table import Table
from branchwise.taxonomy import LabelSets

TRAINED_ON, MEASURED = 8000, 2000  # as the list of variants has it
VARIANTS = ("t5", "hia", "pamm")
LENGTHS = ((1, 2), (3, 3), (4, 5), (6, 99))  # labels of a document


def main() -> None:
    """Count, print two tables and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with train, test and taxonomy.tsv")
    parser.add_argument("--runs", type=Path, default=Path("benchmarks/results/training/variants"))
    parser.add_argument("--result", type=Path, default=Path("benchmarks/results/where_the_mask_helps.json"))
    arguments = parser.parse_args()
    tree = Taxonomy.read(arguments.data / "taxonomy.tsv")
    train = Corpus.read(arguments.data / "train.jsonl.zst", tree).take(range(TRAINED_ON))
    test = Corpus.read(arguments.data / "test.jsonl.zst", tree).take(range(MEASURED))
    truth = test.labels
    rare = buckets(train.labels.counts(len(tree)), truth.counts(len(tree)))
    found: dict[str, Any] = {}
    for variant in VARIANTS:
        files = sorted(arguments.runs.glob(f"{variant}-seed-*.predictions.jsonl.gz"))
        runs = []
        for file in files:
            read = read_predictions(file, tree)
            runs.append(read.take(match(test.ids, read.ids)).sets)
        if runs:
            found[variant] = {
                "seeds": len(runs),
                "macro_f1_by_training_documents": {
                    one.name: _spread([_macro(truth, sets, one.positions, len(tree)) for sets in runs])
                    for one in rare
                },
                "micro_f1_by_labels_of_a_document": {
                    _spoken(low, high): _spread([_micro(truth, sets, low, high) for sets in runs])
                    for low, high in LENGTHS
                },
            }
    for title in ("macro_f1_by_training_documents", "micro_f1_by_labels_of_a_document"):
        columns = list(next(iter(found.values()))[title])
        table = Table(f"{title.replace('_', ' ')}, in %", ("variant", "seeds", *columns))
        for variant, one in found.items():
            table.add(variant, one["seeds"], *(_text(one[title][column]) for column in columns))
        sys.stdout.write(table.markdown() + "\n")
    write_result(arguments.result, "python -m benchmarks.where_the_mask_helps --data ARXIV", found)


def _macro(truth: LabelSets, sets: LabelSets, positions: tuple[int, ...], n_labels: int) -> float:
    return float(np.asarray(f1(per_label(truth, sets, n_labels)))[list(positions)].mean())


def _micro(truth: LabelSets, sets: LabelSets, low: int, high: int) -> float:
    rows = np.flatnonzero((truth.sizes >= low) & (truth.sizes <= high))
    return truth.take(rows).agreement(sets.take(rows))


def _spread(values: list[float]) -> dict[str, float]:
    return {"mean": mean(values), "sd": stdev(values) if len(values) > 1 else 0.0}


def _text(one: dict[str, float]) -> str:
    return f"{100 * one['mean']:.1f} ± {100 * one['sd']:.1f}"


def _spoken(low: int, high: int) -> str:
    return f"{low} or more" if high == LENGTHS[-1][1] else f"{low}" if low == high else f"{low} to {high}"


if __name__ == "__main__":
    main()
