"""From scores to sets: closed whatever the scores, as good as promised, and calibrated without harm to the tree."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.decoding.calibration import Calibration
from branchwise.decoding.decision import (
    Decisions,
    above_thresholds,
    best_expected_f1,
    best_labels,
    confidence,
    pass_thresholds,
)
from branchwise.errors import ModelError
from branchwise.evaluation.calibration import calibrate
from branchwise.evaluation.tuning import tune
from branchwise.taxonomy import LabelSets, Taxonomy
from tests.strategies import taxonomies


def capped(scores: np.ndarray, tree: Taxonomy) -> np.ndarray:
    """Make no child score above its parent."""
    return Calibration("none", ()).apply(scores, tree)


@st.composite
def scored(draw, max_labels=12):
    tree = draw(taxonomies(max_labels=max_labels))
    random = np.random.default_rng(draw(st.integers(0, 1 << 20)))
    n = draw(st.integers(1, 6))
    scores = random.random((n, len(tree))).astype(np.float32)
    if draw(st.booleans()):
        scores = scores.round(1)  # many alike
    return tree, capped(scores, tree)


@given(scored(), st.lists(st.floats(0, 1), min_size=12, max_size=12), st.integers(1, 20))
def test_every_rule_gives_closed_sets(case, thresholds, n):
    tree, scores = case
    for sets in (
        above_thresholds(scores, tree, thresholds[: tree.depth]),
        pass_thresholds(scores, tree, thresholds[: tree.depth]),
        best_expected_f1(scores),
        best_labels(scores, n),
    ):
        assert len(sets) == len(scores)
        assert sets.is_closed(tree).all()
    assert (pass_thresholds(scores, tree, [1.0] * tree.depth).sizes >= 1).all()
    assert (best_labels(scores, n).sizes == min(n, len(tree))).all()


@given(scored(max_labels=7))
def test_no_set_promises_a_better_f1(case):
    tree, scores = case
    chosen = best_expected_f1(scores)
    promised = confidence(scores, chosen)
    for size in range(1, len(tree) + 1):
        for one in itertools.combinations(range(len(tree)), size):
            every = LabelSets.from_lists([one] * len(scores))
            assert (confidence(scores, every) <= promised + 1e-6).all()


def test_thresholds_of_levels():
    tree = Taxonomy.from_nodes(["a", "b", "c"], ["", "", "a"])
    scores = np.array([[0.6, 0.3, 0.5], [0.4, 0.1, 0.4], [0.2, 0.7, 0.2]], np.float32)
    assert above_thresholds(scores, tree, [0.5, 0.4]).to_ids(tree) == [("a", "c"), (), ("b",)]
    assert pass_thresholds(scores, tree, [0.5, 0.4]).to_ids(tree) == [("a", "c"), ("a",), ("b",)]


def crooked(seed: int = 0, n: int = 3000) -> tuple[Taxonomy, LabelSets, np.ndarray]:
    """Return scores far too sure of themselves, and the truth."""
    tree = Taxonomy.from_nodes(["a", "b", "c", "d", "e"], ["", "", "a", "a", "b"])
    random = np.random.default_rng(seed)
    given_parent = random.random((n, 5))
    true = random.random((n, 5)) < given_parent
    true[:, 2:4] &= true[:, [0]]
    true[:, 4] &= true[:, 1]
    odds = np.log(given_parent / (1 - given_parent)) * 3
    scores = 1 / (1 + np.exp(-odds))
    scores[:, 2:] *= scores[:, tree.parent[2:]]
    rows, labels = np.nonzero(true)
    return tree, LabelSets.from_pairs(rows, labels.astype(np.int32), n), scores.astype(np.float32)


@pytest.mark.parametrize("method", ["temperature", "isotonic"])
def test_calibration_makes_new_documents_scores_truer_and_keeps_the_tree(method):
    tree, truth, scores = crooked()
    fitted = Calibration.fit(scores, truth, tree, method)
    again = Calibration.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert again == fitted
    _, other_truth, other = crooked(seed=1)
    before, after = calibrate(other, other_truth), calibrate(fitted.apply(other, tree), other_truth)
    assert after.brier < before.brier
    assert after.expected_calibration_error < 0.5 * before.expected_calibration_error
    for run in (slice(0, 2), slice(2, 5)):  # a map rises, so a level keeps its order but for what is capped
        one = np.interp(np.linspace(0, 1, 300), *fitted.levels[0 if run.start == 0 else 1])
        assert (np.diff(one) >= 0).all()


@given(scored(), st.sampled_from(["temperature", "isotonic"]), st.integers(0, 99))
def test_no_child_is_calibrated_above_its_parent(case, method, seed):
    tree, scores = case
    random = np.random.default_rng(seed)
    many = capped(random.random((80, len(tree))).astype(np.float32), tree)
    truth = LabelSets.from_lists([np.flatnonzero(one).tolist() for one in random.random(many.shape) < many])
    calibrated = Calibration.fit(many, truth.closed(tree), tree, method).apply(scores, tree)
    inner = tree.parent >= 0
    assert (calibrated[:, inner] <= calibrated[:, tree.parent[inner]]).all()
    assert ((calibrated >= 0) & (calibrated <= 1)).all()


def test_tuning_finds_the_rule_that_serves_new_documents_best():
    tree, truth, scores = crooked()
    empty_handed = LabelSets.from_lists([[0]] * len(truth))  # what was written is of little use
    learned = tune(tree, truth, empty_handed, scores)
    assert learned.rule != "set"
    assert learned.calibration.method != "none"
    rules = learned.evidence["rules"]
    assert rules["threshold"]["micro_f1"] > rules["set"]["micro_f1"] + 0.1
    assert Decisions.from_dict(json.loads(json.dumps(learned.to_dict())), tree) == learned
    rule, calibrated = learned.sentences()
    assert "Label sets come from" in rule
    assert f"what was written {rules['set']['micro_f1']:.4f}" in rule
    assert learned.calibration.method in calibrated
    right = tune(tree, truth, truth, scores)
    assert right.rule == "set"
    assert right.evidence["rules"]["set"]["micro_f1"] == pytest.approx(1)


def test_too_few_documents_teach_nothing():
    tree, truth, scores = crooked(n=20)
    learned = tune(tree, truth, truth, scores)
    assert (learned.rule, learned.calibration.method, learned.evidence) == ("set", "none", {})
    assert Decisions.from_dict({}, tree) == learned
    assert learned.sentences() == []


def test_an_unknown_calibration():
    tree, truth, scores = crooked(n=50)
    with pytest.raises(ModelError, match="calibration is 'platt': choose one of none, temperature, isotonic"):
        Calibration.fit(scores, truth, tree, "platt")
