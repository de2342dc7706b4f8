"""All systems of the demo on the test documents: what is measured, the tables, and the verdict."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.cli.console import show
from branchwise.cli.demo.model import ask
from branchwise.report.table import Cell, Table

if TYPE_CHECKING:
    import numpy as np

    from branchwise import HierarchicalClassifier
    from branchwise.cli.demo.stage import Stage
    from branchwise.cli.demo.svm import Point, Svm
    from branchwise.evaluation import Evaluation, PairedBootstrap
    from branchwise.taxonomy import LabelSets, Taxonomy

OURS, SVM, PLAIN = "Branchwise", "SVM, tuned", "SVM as it is"
RIVAL = "the linear SVM"
FREE, CONSTRAINED, DECIDED = "free", "constrained", "decided"


@dataclass
class Results:
    """What was measured."""

    systems: dict[str, Evaluation] = field(default_factory=dict)
    training: dict[str, float] = field(default_factory=dict)
    """Seconds."""
    speed: dict[str, float] = field(default_factory=dict)
    """Documents predicted a second."""
    decoding: dict[str, Evaluation] = field(default_factory=dict)
    """Of the model: how label sets come out of it."""
    comparison: PairedBootstrap | None = None
    """The model and the tuned SVM; None without a model."""
    points: list[Point] = field(default_factory=list)

    def verdict(self) -> str:
        """Say whether the model is better."""
        if self.comparison is None:
            return "Only the linear SVM was measured: Branchwise's own model could not be trained here."
        from branchwise.report.verdict import verdict

        return verdict(self.comparison, OURS, RIVAL)

    def sentences(self) -> list[str]:
        """Return what the bootstrap shows, a sentence a metric."""
        from branchwise.report.evaluation_tables import difference_sentence
        from branchwise.report.verdict import METRICS

        found = self.comparison
        return (
            []
            if found is None
            else [difference_sentence(found, OURS, "the tuned SVM", one) for one in METRICS]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything ready for JSON."""
        return {
            "verdict": self.verdict(),
            "systems": {name: one.to_dict() for name, one in self.systems.items()},
            "decoding": {name: one.to_dict() for name, one in self.decoding.items()},
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "training_seconds": self.training,
            "documents_a_second": self.speed,
            "svm_learning_curve": [asdict(one) for one in self.points],
        }


def measure(
    stage: Stage, svm: Svm, points: list[Point], classifier: HierarchicalClassifier | None
) -> Results:
    """Measure all systems on the test documents, write what they predict, and print the tables."""
    from branchwise import evaluate
    from branchwise.evaluation import paired_bootstrap

    truth, texts, tree = stage.corpora["test"].labels, stage.texts("test"), stage.tree
    results = Results(points=points)
    plain = svm.system.decide(texts)
    results.systems[PLAIN] = evaluate(tree, truth, plain, scores=svm.system.scores(texts))
    started = time.perf_counter()
    tuned, scores = svm.decide(texts)
    speed = len(texts) / (time.perf_counter() - started)
    results.systems[SVM] = evaluate(tree, truth, tuned, scores=scores)
    for name in (PLAIN, SVM):
        results.training[name], results.speed[name] = svm.seconds, speed
    _write(stage, "svm.jsonl", "what the tuned SVM predicts for them", tuned, scores)
    if classifier is not None:
        ours = _measure_model(stage, classifier, results)
        results.comparison = paired_bootstrap(tree, truth, ours, tuned)
    stage.write("results.json", "everything measured", lambda place: _write_json(place, results.to_dict()))
    for table in tables(results):
        show("", table.rich())
    show("", results.verdict())
    return results


def _measure_model(stage: Stage, classifier: HierarchicalClassifier, results: Results) -> LabelSets:
    import numpy as np

    from branchwise import evaluate

    truth, texts, tree = stage.corpora["test"].labels, stage.texts("test"), stage.tree
    started = time.perf_counter()
    said = ask(classifier, texts, "Predicting", scores="all")
    results.speed[OURS] = len(texts) / (time.perf_counter() - started)
    results.training[OURS] = classifier.model.record["seconds"]
    sets = tree.label_sets([one.labels for one in said])
    scores = np.array([[one.scores[label] for label in tree.ids] for one in said])
    results.systems[OURS] = evaluate(tree, truth, sets, scores=scores)
    for name, wishes in ((FREE, {"decoding": "free"}), (CONSTRAINED, {"decision": "set"})):
        written = ask(classifier, texts, f"Decoding, {name}", scores="none", **wishes)
        labels = [one.labels for one in written]  # as they stand: a free one may lack parents
        invalid = np.array([one.invalid for one in written])
        results.decoding[name] = evaluate(tree, truth, labels, invalid=invalid)
    results.decoding[DECIDED] = results.systems[OURS]
    _write(stage, "predictions.jsonl", "what Branchwise predicts for the test documents", sets, scores)
    return sets


def tables(results: Results) -> list[Table]:
    """Return the systems side by side, and the ways in which the model's label sets can come about."""
    first = next(iter(results.systems.values()))
    table = Table(
        f"{first.documents:,} test documents, {first.labels} labels; shares in %",
        ("metric", *results.systems),
    )
    rows = [_shares(one) for one in results.systems.values()]
    for metric in rows[0]:
        table.add(metric, *(row[metric] for row in rows))
    table.add("training, seconds", *(f"{results.training[one]:,.0f}" for one in results.systems))
    table.add("predicted documents a second", *(f"{results.speed[one]:,.0f}" for one in results.systems))
    if not results.decoding:
        return [table]
    ways = Table(f"How {OURS} comes to its label sets; shares in %", ("metric", *results.decoding))
    written = [_shares(one) for one in results.decoding.values()]
    invalid = [one.invalid_output for one in results.decoding.values()]
    for metric in ("micro F1", "macro F1, all labels", "exact match", "label inconsistency"):
        ways.add(metric, *(row[metric] for row in written))
    ways.add("invalid sequences", *(None if one is None else 100 * one for one in invalid))
    return [table, ways]


def _shares(one: Evaluation) -> dict[str, Cell]:
    """Return the metrics that the demo shows, in per cent."""
    calibration = one.calibration
    return {
        "micro F1": 100 * one.micro_f1,
        "macro F1, all labels": 100 * one.macro_f1_all,
        f"macro F1, {one.supported_labels} labels with support": 100 * one.macro_f1_supported,
        **{f"level {level.level} micro F1": 100 * level.micro_f1 for level in one.levels},
        **{f"level {level.level} macro F1": 100 * level.macro_f1_all for level in one.levels},
        "exact match": 100 * one.exact_match,
        "label inconsistency": 100 * one.label_inconsistency,
        "calibration error (ECE)": 100 * calibration.expected_calibration_error if calibration else None,
    }


def _write(stage: Stage, name: str, what: str, sets: LabelSets, scores: np.ndarray) -> None:
    ids, tree = stage.corpora["test"].ids, stage.tree
    stage.write(name, what, lambda place: _write_predictions(place, ids, tree, sets, scores))


def _write_predictions(
    path: Path, ids: list[str], tree: Taxonomy, sets: LabelSets, scores: np.ndarray
) -> None:
    with path.open("w", encoding="utf-8") as file:
        for name, labels, row in zip(ids, sets.to_ids(tree), scores.round(4).tolist(), strict=True):
            record = {"id": name, "labels": labels, "scores": dict(zip(tree.ids, row, strict=True))}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _write_json(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
