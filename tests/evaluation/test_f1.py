"""Flat F1 in all its averages, against scikit-learn and by hand."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.metrics import f1_score, precision_score, recall_score
from tests.evaluation.cases import Split, dense, small_tree, splits

from branchwise.evaluation import evaluate
from branchwise.evaluation.counts import Counts, intersection, per_document, per_label, ratio
from branchwise.taxonomy import LabelSets

many = settings(max_examples=60, deadline=None)


def f1(truth: np.ndarray, predicted: np.ndarray, average: str | None, empty: int = 0) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f1_score(truth, predicted, average=average, zero_division=empty)


@many
@given(splits())
def test_agrees_with_scikit_learn(split: Split) -> None:
    tree, truth, predicted = split
    true, guess = dense(truth, tree), dense(predicted, tree)
    if len(tree) == 1:  # scikit-learn takes one column for a binary task; one that is always 0 changes no sum
        true, guess = np.pad(true, [(0, 0), (0, 1)]), np.pad(guess, [(0, 0), (0, 1)])
    result = evaluate(tree, truth, predicted)
    per_class = f1(true, guess, None)
    support = true.sum(0)
    assert result.micro_f1 == pytest.approx(f1(true, guess, "micro"))
    assert result.micro_precision == pytest.approx(
        precision_score(true, guess, average="micro", zero_division=0)
    )
    assert result.micro_recall == pytest.approx(recall_score(true, guess, average="micro", zero_division=0))
    assert result.macro_f1_all == pytest.approx(per_class.sum() / len(tree))
    assert result.macro_f1_supported == pytest.approx(per_class[support > 0].mean())
    assert result.weighted_f1 == pytest.approx(f1(true, guess, "weighted"))
    assert result.document_f1 == pytest.approx(f1(true, guess, "samples", empty=1))
    assert result.exact_match == pytest.approx((true == guess).all(axis=1).mean())
    assert [one.f1 for one in result.per_label] == pytest.approx(per_class[: len(tree)].tolist())
    assert [one.support for one in result.per_label] == support[: len(tree)].tolist()
    for name, score in (("precision", precision_score), ("recall", recall_score)):
        theirs = score(true, guess, average=None, zero_division=0)[: len(tree)]
        assert [getattr(one, name) for one in result.per_label] == pytest.approx(theirs.tolist())


@many
@given(splits())
def test_levels_are_evaluations_of_their_columns(split: Split) -> None:
    tree, truth, predicted = split
    true, guess = dense(truth, tree), dense(predicted, tree)
    levels = evaluate(tree, truth, predicted).levels
    assert [one.level for one in levels] == list(range(1, tree.depth + 1))
    for one in levels:
        columns = tree.level == one.level
        support = true[:, columns].sum(0)
        padded = [np.pad(side[:, columns], [(0, 0), (0, 1)]) for side in (true, guess)]
        per_class = f1(*padded, None)[:-1]
        assert one.labels == columns.sum()
        assert one.supported_labels == (support > 0).sum()
        assert one.micro_f1 == pytest.approx(f1(*padded, "micro"))
        assert one.macro_f1_all == pytest.approx(per_class.mean())
        assert one.macro_f1_supported == pytest.approx(per_class[support > 0].mean() if support.any() else 0)


def test_macro_over_all_and_over_supported_labels_differ() -> None:
    # a is right twice (F1 1); c is missed (F1 0); b, d, e, f are never true, b predicted once (F1 0).
    result = evaluate(small_tree(), [["a", "c"], ["a"]], [["a"], ["a", "b"]])
    assert (result.labels, result.supported_labels) == (6, 2)
    assert result.macro_f1_all == pytest.approx(1 / 6)
    assert result.macro_f1_supported == pytest.approx(1 / 2)
    assert [one.supported_labels for one in result.levels] == [1, 1, 0]
    assert result.levels[2].macro_f1_supported == 0


def test_document_without_labels_that_was_given_none_counts_as_right() -> None:
    tree = small_tree()
    # Document F1: 1 for the empty one, 2·1/(1+2) for the other. Then 0 for one that is wrongly given a label.
    result = evaluate(tree, [[], ["a", "c"]], [[], ["a"]])
    assert result.document_f1 == pytest.approx((1 + 2 / 3) / 2)
    assert result.exact_match == 1 / 2
    assert evaluate(tree, [[], ["a"]], [["b"], ["a"]]).document_f1 == pytest.approx(1 / 2)


def test_counts_tell_hits_false_alarms_and_misses_apart() -> None:
    truth = LabelSets.from_lists([[0, 2], [0], []])
    predicted = LabelSets.from_lists([[0, 1], [], [1]])
    labels = per_label(truth, predicted, 3)
    assert labels.hits.tolist() == [1, 0, 0]
    assert labels.false_positives.tolist() == [0, 2, 0]
    assert labels.false_negatives.tolist() == [1, 0, 1]
    documents = per_document(truth, predicted)
    assert documents.hits.tolist() == [1, 0, 0]
    assert documents.false_positives.tolist() == [1, 0, 1]
    assert documents.false_negatives.tolist() == [1, 1, 0]
    assert intersection(truth, predicted) == LabelSets.from_lists([[0], [], []])


def test_parts_and_totals_take_the_last_axis() -> None:
    counts = Counts(*(np.arange(6).reshape(2, 3) + shift for shift in (0, 1, 2)))
    assert counts.part(1, 3).predicted.tolist() == [[2, 3], [5, 6]]
    assert counts.total().true.tolist() == [[9], [18]]


def test_ratio_has_one_convention_for_nothing() -> None:
    assert ratio(np.array([1, 0]), np.array([2, 0])).tolist() == [0.5, 0]
    assert ratio(np.array([1, 0]), np.array([2, 0]), empty=1).tolist() == [0.5, 1]
