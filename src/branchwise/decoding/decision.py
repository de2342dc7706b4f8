"""How label sets come out of scores: what was written, what passes a threshold, or what promises the best F1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self, get_args

import numpy as np

from branchwise.choices import Rule
from branchwise.decoding.calibration import Calibration
from branchwise.errors import ModelError
from branchwise.taxonomy import LabelSets, Taxonomy

NAMES = {
    "set": "what was written",
    "threshold": "a threshold",
    "levels": "a threshold a level",
    "expected-f1": "the highest expected F1",
}


@dataclass(frozen=True)
class Decisions:
    """How a trained model decides where nobody says otherwise, and the evidence for it."""

    rule: Rule
    thresholds: tuple[float, ...]
    """One a level."""
    calibration: Calibration
    evidence: dict[str, Any]

    @classmethod
    def untuned(cls, tree: Taxonomy) -> Self:
        """Return decisions that no validation documents stand behind: what was written is the set."""
        return cls("set", (0.5,) * tree.depth, Calibration("none", ()), {})

    def sentences(self) -> list[str]:
        """Return what was learned, for people; nothing where nothing was."""
        if not self.evidence:
            return []
        select, rules, calibrations = (self.evidence[name] for name in ("select", "rules", "calibration"))
        measured = ", ".join(f"{NAMES[name]} {one[f'{select}_f1']:.4f}" for name, one in rules.items())
        raw, chosen = calibrations["none"], calibrations[self.calibration.method]
        return [
            f"Label sets come from {NAMES[self.rule]}; on validation documents that taught nothing of it, {select} F1 "
            f"was: {measured}.",
            f"Scores are calibrated by {self.calibration.method}: calibration error {raw['ece']:.4f} before, "
            f"{chosen['ece']:.4f} after; Brier score {raw['brier']:.4f} before, {chosen['brier']:.4f} after.",
        ]

    def decide(
        self, scores: np.ndarray, written: LabelSets, tree: Taxonomy, may_be_empty: bool = False
    ) -> LabelSets:
        """Return the label sets by the rule; ``scores`` [N, K] are calibrated, ``written`` are the sets as written."""
        if self.rule == "threshold":
            return pass_thresholds(scores, tree, self.thresholds, may_be_empty)
        return best_expected_f1(scores, may_be_empty) if self.rule == "expected-f1" else written

    def to_dict(self) -> dict[str, Any]:
        """Return the decisions ready for JSON."""
        return {**asdict(self), "calibration": self.calibration.to_dict()}

    @classmethod
    def from_dict(cls, given: dict[str, Any], tree: Taxonomy) -> Self:
        """Read what :meth:`to_dict` wrote; an empty one is untuned."""
        if not given:
            return cls.untuned(tree)
        try:
            calibration = Calibration.from_dict(given["calibration"])
            learned = cls(
                given["rule"], tuple(map(float, given["thresholds"])), calibration, dict(given["evidence"])
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(
                f"The model's decisions cannot be read ({error!r}): fetch or train the model again."
            ) from error
        if (
            learned.rule not in get_args(Rule)
            or len(learned.thresholds) != tree.depth
            or len(calibration.levels) not in (0, tree.depth)
        ):
            raise ModelError(
                f"The model's decisions do not fit its tree of {tree.depth} levels: fetch or train the model again."
            )
        return learned


def above_thresholds(scores: np.ndarray, tree: Taxonomy, thresholds: Sequence[float]) -> LabelSets:
    """Return the labels that reach the threshold of their level and whose ancestors do too.

    Parameters
    ----------
    scores
        Of N documents and K labels, [N, K].
    tree
        The taxonomy.
    thresholds
        One a level.
    """
    passed = scores >= np.asarray(thresholds, scores.dtype)[tree.level - 1]
    for level in range(2, tree.depth + 1):
        run = tree.level_run(level)
        passed[:, run] &= passed[:, tree.parent[run]]
    return _sets(passed)


def pass_thresholds(
    scores: np.ndarray, tree: Taxonomy, thresholds: Sequence[float], may_be_empty: bool = False
) -> LabelSets:
    """Return the labels above their thresholds; where there is none, the best of level 1 unless sets may be empty."""
    sets = above_thresholds(scores, tree, thresholds)
    return sets if may_be_empty else never_empty(sets, scores, tree)


def best_expected_f1(scores: np.ndarray, may_be_empty: bool = False) -> LabelSets:
    """Return of every document as many of its best labels as promise the highest F1.

    The promise of n labels is twice the sum of their scores over n and the sum of all scores; that of none, where
    sets may be empty, is what the best label lacks to 1. Since no child scores above its parent, and parents come
    first among equals, the best labels are a closed set.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    best = np.take_along_axis(scores, order, 1).astype(np.float64)
    promise = 2 * best.cumsum(1) / (np.arange(1, best.shape[1] + 1) + best.sum(1, keepdims=True))
    sizes = promise.argmax(1) + 1
    if may_be_empty:
        sizes[1 - best[:, 0] > promise.max(1)] = 0
    return _first(order, sizes)


def best_labels(scores: np.ndarray, n: int) -> LabelSets:
    """Return the ``n`` best labels of every document; with fewer in the tree, all."""
    order = np.argsort(-scores, axis=1, kind="stable")
    return _first(order, np.full(len(scores), min(n, scores.shape[1])))


def never_empty(sets: LabelSets, scores: np.ndarray, tree: Taxonomy) -> LabelSets:
    """Give every document without labels the label of level 1 that scores highest."""
    lonely = np.flatnonzero(sets.sizes == 0)
    if not len(lonely):
        return sets
    best = scores[lonely, : int(tree.level_start[1])].argmax(1)
    rows = np.concatenate([sets.rows, lonely])
    return LabelSets.from_pairs(rows, np.concatenate([sets.labels, best]).astype(np.int32), len(sets))


def confidence(scores: np.ndarray, sets: LabelSets) -> np.ndarray:
    """Return the F1 that the scores promise for the sets, [N]: what abstaining is decided by.

    An empty set promises what the best label lacks to 1.
    """
    within = np.bincount(sets.rows, scores[sets.rows, sets.labels], len(sets))
    whole = sets.sizes + scores.sum(1, dtype=np.float64)
    promised = 2 * within / np.maximum(whole, 1e-12)
    return np.where(sets.sizes > 0, promised, 1 - scores.max(1, initial=0))


def _first(order: np.ndarray, sizes: np.ndarray) -> LabelSets:
    taken = np.arange(order.shape[1]) < sizes[:, None]
    chosen = np.zeros(order.shape, bool)
    np.put_along_axis(chosen, order, taken, 1)
    return _sets(chosen)


def _sets(chosen: np.ndarray) -> LabelSets:
    rows, labels = np.nonzero(chosen)
    return LabelSets.from_pairs(rows, labels.astype(np.int32), len(chosen))
