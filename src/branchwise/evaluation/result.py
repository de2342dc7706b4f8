"""What an evaluation says: every metric under its own name, as an object, as JSON-ready data, or as rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from branchwise.evaluation.calibration import Calibration
from branchwise.evaluation.f1 import LabelScores, LevelScores
from branchwise.evaluation.hierarchy import HierarchyScores
from branchwise.evaluation.ranking import Ranking


@dataclass(frozen=True)
class Evaluation:
    """Predicted label sets measured against true ones; made by :func:`branchwise.evaluate`."""

    documents: int
    labels: int
    """Number of labels of the taxonomy, over which ``macro_f1_all`` averages."""
    supported_labels: int
    """Number of labels true of at least one document here, over which ``macro_f1_supported`` averages."""
    micro_f1: float
    micro_precision: float
    micro_recall: float
    macro_f1_all: float
    macro_f1_supported: float
    weighted_f1: float
    """Mean F1 of the labels, each weighted by its support."""
    document_f1: float
    """Mean F1 of the documents; 1 for a document that has no label and was given none."""
    exact_match: float
    """Share of documents whose predicted set is the true one."""
    hierarchy: HierarchyScores
    label_inconsistency: float
    """Share of documents predicted with a label whose parent was missing, before anything was added."""
    ancestors_added: bool
    """Whether missing ancestors were added to the predictions before they were scored."""
    documents_completed: int
    """Number of documents to which ancestors were added."""
    invalid_output: float | None
    """Share of documents whose output was no valid label sequence; None where nobody counted."""
    ranking: Ranking | None
    """None without scores."""
    calibration: Calibration | None
    """None without scores."""
    levels: tuple[LevelScores, ...]
    per_label: tuple[LabelScores, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dictionaries, lists, strings and plain numbers, ready for JSON."""
        return _plain(asdict(self))

    def rows(self) -> list[tuple[str, float]]:
        """Return (metric, value) pairs for printing, most asked-for first; absent metrics have no row."""
        every, some = f"all {self.labels} labels", f"{self.supported_labels} labels with support"
        tree = self.hierarchy
        rows: list[tuple[str, float]] = [
            ("documents", self.documents),
            ("micro F1", self.micro_f1),
            (f"macro F1, {every}", self.macro_f1_all),
            (f"macro F1, {some}", self.macro_f1_supported),
            ("micro precision", self.micro_precision),
            ("micro recall", self.micro_recall),
            ("weighted F1", self.weighted_f1),
            ("document F1", self.document_f1),
            ("exact match", self.exact_match),
        ]
        for one in self.levels:
            rows += [
                (f"level {one.level} micro F1", one.micro_f1),
                (f"level {one.level} macro F1, all {one.labels} labels", one.macro_f1_all),
                (
                    f"level {one.level} macro F1, {one.supported_labels} labels with support",
                    one.macro_f1_supported,
                ),
            ]
        rows += [
            ("C-micro F1", tree.c_micro_f1),
            (f"C-macro F1, {every}", tree.c_macro_f1_all),
            (f"C-macro F1, {some}", tree.c_macro_f1_supported),
            ("path accuracy", tree.path_accuracy),
            ("hierarchical precision", tree.hierarchical_precision),
            ("hierarchical recall", tree.hierarchical_recall),
            ("hierarchical F1", tree.hierarchical_f1),
            ("label inconsistency", self.label_inconsistency),
        ]
        if self.ancestors_added:
            rows.append(("documents with ancestors added", self.documents_completed))
        if self.invalid_output is not None:
            rows.append(("invalid output", self.invalid_output))
        return rows + self._score_rows()

    def _score_rows(self) -> list[tuple[str, float]]:
        rows: list[tuple[str, float]] = []
        if self.ranking is not None:
            rows += [
                ("R-Precision", self.ranking.r_precision),
                ("P@1", self.ranking.precision_at_1),
                ("P@3", self.ranking.precision_at_3),
                ("P@5", self.ranking.precision_at_5),
                ("nDCG@5", self.ranking.ndcg_at_5),
            ]
        if self.calibration is not None:
            rows += [
                (f"ECE, {len(self.calibration.bins)} bins", self.calibration.expected_calibration_error),
                ("Brier score", self.calibration.brier),
            ]
        return rows


def _plain(value: Any) -> Any:
    """Turn tuples into lists, all the way down, so that JSON read back compares equal."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
