"""The linear SVM of the demo: tuned on the same validation documents as the model, and with a learning curve."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchwise.cli.console import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np

    from branchwise.cli.demo.stage import Stage
    from branchwise.corpus import Corpus
    from branchwise.decoding.decision import Decisions
    from branchwise.rivals import System
    from branchwise.taxonomy import LabelSets

SHARES = (0.1, 0.25, 0.5)  # of the training documents, beside all of them


@dataclass(frozen=True)
class Svm:
    """A trained SVM, and what validation taught about its scores."""

    system: System
    seconds: float
    decisions: Decisions

    def decide(self, texts: Sequence[str]) -> tuple[LabelSets, np.ndarray]:
        """Return label sets and scores by the rule that served best on validation, as the model's own are."""
        tree = self.system.taxonomy
        scores = self.decisions.calibration.apply(self.system.scores(texts), tree)
        return self.decisions.decide(scores, self.system.decide(texts), tree), scores


F1 = tuple[float, float]
"""Micro F1, and macro F1 over all labels."""


@dataclass(frozen=True)
class Point:
    """What the SVM reaches with so many training documents."""

    documents: int
    plain: F1
    """As it is, on validation."""
    tuned: F1 | None
    """On validation documents that the tuning did not see; None with too few of them."""
    test: F1
    """As it is."""
    tuned_test: F1


def train_svm(stage: Stage, seed: int) -> Svm:
    """Train the SVM and learn on validation how it decides best: what the model is allowed, it is too."""
    return _train(stage, stage.corpora["train"], seed, say)


def _train(stage: Stage, train: Corpus, seed: int, tell: Callable[[str], None] | None = None) -> Svm:
    from branchwise.evaluation.tuning import tune
    from branchwise.rivals import rival

    validation, texts = stage.corpora["validation"], stage.texts("validation")
    started = time.perf_counter()
    system = rival("svm")(stage.tree, seed=seed).fit(train, validation, tell=tell)
    decisions = tune(stage.tree, validation.labels, system.decide(texts), system.scores(texts))
    return Svm(system, time.perf_counter() - started, decisions)


def learning_curve(stage: Stage, svm: Svm, seed: int) -> list[Point]:
    """Return what the SVM reaches with ever more of the training documents, each part within the next."""
    import numpy as np

    train = stage.corpora["train"]
    order = np.random.default_rng(seed).permutation(len(train))
    sizes = sorted({max(round(share * len(train)), 2) for share in SHARES} - {len(train)})
    points = []
    for size in sizes:
        part = train.take(np.sort(order[:size]))
        if part.labels.sizes.sum():
            points.append(_point(stage, _train(stage, part, seed), size))
    return [*points, _point(stage, svm, len(train))]


def _point(stage: Stage, svm: Svm, documents: int) -> Point:
    from branchwise import evaluate

    def reached(part: str, sets: LabelSets) -> F1:
        result = evaluate(stage.tree, stage.corpora[part].labels, sets)
        return result.micro_f1, result.macro_f1_all

    validation, test = stage.texts("validation"), stage.texts("test")
    return Point(
        documents,
        plain=reached("validation", svm.system.decide(validation)),
        tuned=judged(svm.decisions.evidence),
        test=reached("test", svm.system.decide(test)),
        tuned_test=reached("test", svm.decide(test)[0]),
    )


def judged(evidence: dict[str, Any]) -> F1 | None:
    """Return what the best rule reached on validation documents that it had not been fitted on."""
    rules = evidence.get("rules", {}).values()
    best = max(rules, key=lambda one: one["micro_f1"], default=None)
    return None if best is None else (best["micro_f1"], best["macro_f1"])
