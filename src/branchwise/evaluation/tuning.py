"""What validation documents teach about decisions: calibration, thresholds, and which rule serves best."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from branchwise.choices import Average, Calibrating, Rule
from branchwise.decoding.calibration import Calibration
from branchwise.decoding.decision import Decisions, best_expected_f1, pass_thresholds
from branchwise.evaluation.calibration import calibrate
from branchwise.evaluation.counts import per_label
from branchwise.evaluation.f1 import macro_f1, micro_f1
from branchwise.taxonomy import LabelSets, Taxonomy

ENOUGH = 40  # validation documents below which nothing is learned from them
GRID = np.round(np.arange(0.05, 0.96, 0.025), 3)
METHODS: tuple[Calibrating, ...] = ("none", "temperature", "isotonic")


def tune(
    tree: Taxonomy,
    truth: LabelSets,
    written: LabelSets,
    scores: np.ndarray,
    select: Average = "micro",
    *,
    may_be_empty: bool = False,
) -> Decisions:
    """Learn from validation documents how to decide.

    Every alternative is judged on documents that it was not fitted on: each half of the documents by what the
    other half taught. The winner is then fitted on all.

    Parameters
    ----------
    tree
        The taxonomy.
    truth, written, scores
        The true closed sets, the sets as they were written, and the scores [N, K] of the same documents.
    select
        The F1 that decides.
    may_be_empty
        Whether a set may be empty.
    """
    if len(truth) < ENOUGH:
        return Decisions.untuned(tree)
    halves = [np.arange(start, len(truth), 2) for start in (0, 1)]
    folds = [(halves[0], halves[1]), (halves[1], halves[0])]
    method, calibrations = _choose_calibration(tree, truth, scores, folds)
    f1 = _measure(tree, select)

    def passed(scores: np.ndarray, thresholds: tuple[float, ...]) -> LabelSets:
        return pass_thresholds(scores, tree, thresholds, may_be_empty)

    chosen: dict[str, list[LabelSets]] = {name: [] for name in ("set", "threshold", "levels", "expected-f1")}
    for learned, judged in folds:
        fitted = Calibration.fit(scores[learned], truth.take(learned), tree, method)
        seen, new = (fitted.apply(scores[rows], tree) for rows in (learned, judged))
        one = _global_threshold(tree, truth.take(learned), seen, f1, passed)
        several = _level_thresholds(tree, truth.take(learned), seen, f1, passed, one)
        chosen["set"].append(written.take(judged))
        chosen["threshold"].append(passed(new, (one,) * tree.depth))
        chosen["levels"].append(passed(new, several))
        chosen["expected-f1"].append(best_expected_f1(new, may_be_empty))
    judged_truth = truth.take(np.concatenate([judged for _, judged in folds]))
    results = {}
    for name, parts in chosen.items():
        sets = LabelSets.from_lists([one for part in parts for one in part])
        results[name] = {
            "micro_f1": _measure(tree, "micro")(judged_truth, sets),
            "macro_f1": _measure(tree, "macro")(judged_truth, sets),
        }
    winner = max(results, key=lambda name: results[name][f"{select}_f1"])
    calibration = Calibration.fit(scores, truth, tree, method)
    calibrated = calibration.apply(scores, tree)
    one = _global_threshold(tree, truth, calibrated, f1, passed)
    thresholds = (one,) * tree.depth
    if results["levels"][f"{select}_f1"] > results["threshold"][f"{select}_f1"]:
        thresholds = _level_thresholds(tree, truth, calibrated, f1, passed, one)
    rule: Rule = "threshold" if winner in ("threshold", "levels") else winner  # type: ignore[assignment]
    evidence = {"documents": len(truth), "select": select, "rules": results, "calibration": calibrations}
    return Decisions(rule, thresholds, calibration, evidence)


F1 = Callable[[LabelSets, LabelSets], float]
Passed = Callable[[np.ndarray, tuple[float, ...]], LabelSets]


def _measure(tree: Taxonomy, average: Average) -> F1:
    measured = micro_f1 if average == "micro" else macro_f1
    return lambda truth, sets: float(measured(per_label(truth, sets, len(tree))))


def _choose_calibration(
    tree: Taxonomy, truth: LabelSets, scores: np.ndarray, folds: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[Calibrating, dict[str, dict[str, float]]]:
    """Return the method of the lowest Brier score on new documents, and what all of them reach."""
    found: dict[str, dict[str, float]] = {}
    order = np.concatenate([judged for _, judged in folds])
    for method in METHODS:
        parts = [
            Calibration.fit(scores[learned], truth.take(learned), tree, method).apply(scores[judged], tree)
            for learned, judged in folds
        ]
        measured = calibrate(np.concatenate(parts), truth.take(order))
        found[method] = {"ece": measured.expected_calibration_error, "brier": measured.brier}
    return min(METHODS, key=lambda method: found[method]["brier"]), found


def _global_threshold(tree: Taxonomy, truth: LabelSets, scores: np.ndarray, f1: F1, passed: Passed) -> float:
    return max(GRID.tolist(), key=lambda one: f1(truth, passed(scores, (float(one),) * tree.depth)))


def _level_thresholds(
    tree: Taxonomy, truth: LabelSets, scores: np.ndarray, f1: F1, passed: Passed, start: float
) -> tuple[float, ...]:
    """Return one threshold a level, each the best given the others, from the top down."""
    thresholds = [start] * tree.depth
    for level in range(tree.depth):

        def value(one: float, level: int = level) -> float:
            tried = [*thresholds[:level], one, *thresholds[level + 1 :]]
            return f1(truth, passed(scores, tuple(tried)))

        thresholds[level] = max(GRID.tolist(), key=value)
    return tuple(thresholds)
