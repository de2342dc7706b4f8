"""Metrics that look at the tree, by hand and against Python sets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.evaluation.cases import Split, ancestors_or_self, as_python_sets, small_tree, splits

from branchwise.evaluation import evaluate
from branchwise.evaluation.hierarchy import connected
from branchwise.taxonomy import LabelSets

TREE = small_tree()
#            true                  predicted        lacks
TRUTH = [list("abcf"), list("ad"), list("be"), list("ac")]
PREDICTED = [list("abf"), list("ad"), list("e"), list("ade")]  # c above f; nothing; b above e; b above e


def test_plain_micro_f1_does_not_mind_orphans() -> None:
    # Hits 3 + 2 + 1 + 1 = 7, predicted 3 + 2 + 1 + 3 = 9, true 4 + 2 + 2 + 2 = 10.
    assert evaluate(TREE, TRUTH, PREDICTED).micro_f1 == pytest.approx(2 * 7 / (9 + 10))


def test_c_f1_drops_orphans() -> None:
    # What remains: {a b}, {a d}, {}, {a d}; hits 2 + 2 + 0 + 1 = 5, predicted 6, true 10.
    scores = evaluate(TREE, TRUTH, PREDICTED).hierarchy
    assert scores.c_micro_f1 == pytest.approx(2 * 5 / (6 + 10))
    # a: 3 hits of 3 and 3, F1 1; b: 1 hit, 1 predicted, 2 true, 2/3; d: 1, 2, 1, 2/3; c, e, f: 0.
    assert scores.c_macro_f1_all == pytest.approx((1 + 2 / 3 + 2 / 3) / 6)
    assert scores.c_macro_f1_supported == pytest.approx((1 + 2 / 3 + 2 / 3) / 6)


def test_path_accuracy_asks_for_every_label_of_a_path() -> None:
    # True paths: a/c/f, b | a/d | b/e | a/c. Predicted whole: b and a/d.
    scores = evaluate(TREE, TRUTH, PREDICTED).hierarchy
    assert scores.paths == 5
    assert scores.path_accuracy == pytest.approx(2 / 5)


def test_path_may_end_at_an_inner_label() -> None:
    scores = evaluate(TREE, [["a"]], [["a", "c"]]).hierarchy
    assert (scores.paths, scores.path_accuracy) == (1, 1.0)


def test_hierarchical_f1_is_on_closed_sets() -> None:
    # Closed predictions: abcf, ad, be, abde: 12 labels, 4 + 2 + 2 + 1 = 9 of them true; 10 are true in all.
    scores = evaluate(TREE, TRUTH, PREDICTED).hierarchy
    assert scores.hierarchical_precision == pytest.approx(9 / 12)
    assert scores.hierarchical_recall == pytest.approx(9 / 10)
    assert scores.hierarchical_f1 == pytest.approx(2 * 9 / (12 + 10))


def test_inconsistency_counts_documents_and_adding_ancestors_does_not_hide_it() -> None:
    as_given = evaluate(TREE, TRUTH, PREDICTED)
    assert as_given.label_inconsistency == 3 / 4
    assert (as_given.ancestors_added, as_given.documents_completed) == (False, 0)
    completed = evaluate(TREE, TRUTH, PREDICTED, add_ancestors=True)
    assert completed.label_inconsistency == 3 / 4
    assert (completed.ancestors_added, completed.documents_completed) == (True, 3)
    assert completed.micro_f1 == pytest.approx(completed.hierarchy.hierarchical_f1)
    assert completed.hierarchy.c_micro_f1 == pytest.approx(completed.micro_f1)
    assert completed.hierarchy.path_accuracy == pytest.approx(4 / 5)  # all but a/c of the last document


def test_an_orphan_takes_its_descendants_along() -> None:
    assert connected(TREE, LabelSets.from_lists([[2, 5], [0, 5], [0, 2, 5]])) == LabelSets.from_lists(
        [[], [0], [0, 2, 5]]
    )


@settings(max_examples=60, deadline=None)
@given(splits())
def test_agrees_with_sets_taken_one_by_one(split: Split) -> None:
    tree, truth, predicted = split
    scores = evaluate(tree, truth, predicted).hierarchy
    paths = whole = hits = kept = true = 0
    closed_hits = closed_guess = inconsistent = 0
    for t, p in zip(as_python_sets(truth), as_python_sets(predicted), strict=True):
        ends = [one for one in t if not any(tree.parent[other] == one for other in t)]
        paths += len(ends)
        whole += sum(ancestors_or_self(tree, end) <= p for end in ends)
        sound = {one for one in p if ancestors_or_self(tree, one) <= p}
        inconsistent += sound != p
        closed = set().union(*(ancestors_or_self(tree, one) for one in p))
        hits, kept, true = hits + len(sound & t), kept + len(sound), true + len(t)
        closed_hits, closed_guess = closed_hits + len(closed & t), closed_guess + len(closed)
    assert scores.paths == paths
    assert scores.path_accuracy == pytest.approx(whole / paths)
    assert scores.c_micro_f1 == pytest.approx(2 * hits / (kept + true))
    assert scores.hierarchical_f1 == pytest.approx(2 * closed_hits / (closed_guess + true))
    assert scores.hierarchical_recall == pytest.approx(closed_hits / true)
    assert evaluate(tree, truth, predicted).label_inconsistency == pytest.approx(inconsistent / len(truth))
