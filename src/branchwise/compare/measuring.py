"""What is kept of a run: the evaluation of every way to decide, and its predictions as files of their own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import branchwise
from branchwise.compare import folder as files
from branchwise.compare.folder import Record
from branchwise.compare.making import Made, Parts, Way
from branchwise.decoding.decision import confidence
from branchwise.evaluation import evaluate
from branchwise.score_arrays import dense
from branchwise.taxonomy import LabelSets

MOST_SCORES = 4_000_000  # documents × labels whose scores are written beside the predictions
DIGITS = 5  # of a score in a file
ROWS = 1024  # documents whose scores are dense at a time


def measure(folder: Path, record: Record, made: Made, parts: Parts) -> None:
    """Evaluate every way with the same code, and write what it predicts."""
    for name, way in made.ways.items():
        measured = evaluate(parts.tree, parts.test.labels, way.sets, scores=way.scores, invalid=way.invalid)
        record.ways[name] = measured.to_dict()
        path = files.predictions_file(folder, record.name, record.seed, name)
        files.write_lines(path, _lines(way, parts))
    record.costs, record.decisions, record.notes = made.costs, made.decisions, made.notes
    if record.costs:
        record.costs["documents_a_second"] = round(
            len(parts.test) / max(record.costs["prediction_seconds"] or 0.0, 1e-9), 1
        )
        record.notes = [*record.notes, f"Made by Branchwise {branchwise.__version__}."]


def _lines(way: Way, parts: Parts) -> Iterator[dict[str, Any]]:
    """Yield one prediction a document, with how sure of it the system is, and how sure of the label it was given."""
    tree, truth = parts.tree, parts.test.labels
    written = way.scores is not None and len(truth) * len(tree) <= MOST_SCORES
    sure, of_label = (_promised(way.scores, sets) for sets in (way.sets, truth))
    for row, (name, labels) in enumerate(zip(parts.test.ids, way.sets.to_ids(tree), strict=True)):
        line: dict[str, Any] = {"id": name, "labels": labels}
        if way.invalid is not None:
            line["invalid"] = bool(way.invalid[row])
        if sure is not None and of_label is not None:
            line |= {"confidence": float(sure[row]), "confidence_in_label": float(of_label[row])}
        if written:
            scores = way.scores[[row]]
            rounded = dense(scores)[0].round(DIGITS)
            line["scores"] = {tree.ids[at]: float(f"{rounded[at]:.{DIGITS}f}") for at in range(len(tree))}
        yield line


def _promised(scores: Any, sets: LabelSets) -> np.ndarray | None:
    """Return the F1 that the scores promise for the sets, [N], a block of documents at a time."""
    if scores is None:
        return None
    found = []
    for start in range(0, len(sets), ROWS):
        rows = np.arange(start, min(start + ROWS, len(sets)))
        found.append(confidence(dense(scores[rows]), sets.take(rows)))
    return np.concatenate(found).round(4)
