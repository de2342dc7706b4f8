"""Ranking metrics and the checks of scores, by hand, against sorting and against scikit-learn."""

from __future__ import annotations

from functools import partial
from math import log2

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array
from sklearn.metrics import ndcg_score
from tests.evaluation.cases import Split, as_python_sets, dense, small_tree, splits

from branchwise.errors import EvaluationError
from branchwise.evaluation import evaluate, ranking
from branchwise.evaluation.ranking import rank_labels
from branchwise.evaluation.scores import blocks, true_ranks
from branchwise.taxonomy import LabelSets, Taxonomy

TREE = small_tree()
Scored = tuple[Taxonomy, LabelSets, np.ndarray]


def test_worked_by_hand() -> None:
    truth = [["a", "c"], ["b"], []]
    scores = [[0.9, 0.8, 0.7, 0.1, 0, 0], [0.5] * 6, [0.3] * 6]
    # First document: order a b c d e f. Second: all are equal, so canonical order, b second. Third: left out.
    result = evaluate(TREE, truth, [[], [], []], scores=scores).ranking
    assert (result.documents, result.documents_without_labels) == (2, 1)
    assert result.r_precision == pytest.approx((1 / 2 + 0) / 2)  # a of {a b}; not a
    assert result.precision_at_1 == pytest.approx((1 + 0) / 2)
    assert result.precision_at_3 == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert result.precision_at_5 == pytest.approx((2 / 5 + 1 / 5) / 2)
    first = (1 + 1 / log2(4)) / (1 + 1 / log2(3))  # found at ranks 1 and 3, at best 1 and 2
    second = (1 / log2(3)) / 1
    assert result.ndcg_at_5 == pytest.approx((first + second) / 2)


def test_truth_is_closed_before_ranking() -> None:
    scores = [[0.9, 0, 0.8, 0, 0, 0.7]]
    assert evaluate(TREE, [["f"]], [[]], scores=scores).ranking.r_precision == 1  # f brings c and a


@st.composite
def scored(draw: st.DrawFn) -> Scored:
    """Draw a split with scores that tie often and are often absent."""
    tree, truth, _ = draw(splits())
    cells = len(truth) * len(tree)
    scores = draw(st.lists(st.sampled_from([0, 0, 0.25, 0.5, 1]), min_size=cells, max_size=cells))
    return tree, truth, np.array(scores, float).reshape(len(truth), len(tree))


@settings(max_examples=80, deadline=None)
@given(scored())
def test_agrees_with_sorting_every_row(case: Scored) -> None:
    _, truth, scores = case
    sums = np.zeros(4)
    documents = 0
    ranks = []
    for true, row in zip(as_python_sets(truth), scores, strict=True):
        order = sorted(range(len(row)), key=lambda label, row=row: (-row[label], label))
        ranks += [order.index(label) for label in sorted(true)]
        if true:
            documents += 1
            tops = [len(true & set(order[:k])) / k for k in (len(true), 1, 3, 5)]
            sums += tops
    result = rank_labels(scores, truth)
    found = (result.r_precision, result.precision_at_1, result.precision_at_3, result.precision_at_5)
    assert found == pytest.approx(tuple(sums / documents))
    assert true_ranks(scores, truth).tolist() == ranks
    assert true_ranks(csr_array(scores), truth).tolist() == ranks
    rows, columns = np.nonzero((scores > 0) | (np.arange(scores.shape[1]) % 2 == 1))
    some_zeros_stored = csr_array((scores[rows, columns], (rows, columns)), shape=scores.shape)
    assert true_ranks(some_zeros_stored, truth).tolist() == ranks


@settings(max_examples=40, deadline=None)
@given(splits(), st.integers(0, 1000))
def test_ndcg_agrees_with_scikit_learn_on_distinct_scores(split: Split, seed: int) -> None:
    tree, truth, _ = split
    assume(len(tree) > 1)
    scores = np.random.default_rng(seed).permuted(
        np.tile(np.linspace(0.1, 0.9, len(tree)), (len(truth), 1)), axis=1
    )
    has_labels = truth.sizes > 0
    theirs = ndcg_score(dense(truth, tree)[has_labels], scores[has_labels], k=5)
    assert rank_labels(scores, truth).ndcg_at_5 == pytest.approx(theirs)
    assert rank_labels(csr_array(scores), truth).ndcg_at_5 == pytest.approx(theirs)


@settings(max_examples=30, deadline=None)
@given(scored(), st.integers(1, 30), st.booleans())
def test_blocks_are_all_rows_in_order_and_do_not_change_the_result(
    case: Scored, limit: int, sparse: bool
) -> None:
    _, truth, scores = case
    scores = csr_array(scores) if sparse else scores
    parts = list(blocks(scores, truth, limit))
    assert all(len(labels) == part.shape[0] > 0 for part, labels in parts)
    assert [one.tolist() for _, labels in parts for one in labels] == [one.tolist() for one in truth]
    whole = rank_labels(scores, truth)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranking, "blocks", partial(blocks, limit=limit))
        parted = rank_labels(scores, truth)
    assert vars(parted) == pytest.approx(vars(whole))


def test_work_of_a_block_is_bounded() -> None:
    truth = LabelSets.from_lists([[0, 1]] * 50)
    parts = [len(labels) for _, labels in blocks(np.zeros((50, 6)), truth, limit=100)]
    assert parts == [5] * 10  # 3 · 6 cells a document


def test_any_sparse_matrix_will_do() -> None:
    # Two entries for one cell add up, as SciPy defines it; a stored 0 is one that is not stored.
    cells = coo_array(([0.25, 0.5, 0.5, 0.0], ([0, 0, 0, 0], [2, 2, 1, 0])), shape=(1, 6))
    untidy = csr_array(
        (cells.data, cells.col, [0, 4]), shape=(1, 6)
    )  # the same, with repeats and out of order
    for scores in (cells, untidy):
        result = evaluate(TREE, [["b"]], [[]], scores=scores)
        assert result.ranking.precision_at_1 == 0
        assert result.ranking.precision_at_3 == pytest.approx(1 / 3)
        assert result.calibration.bins[11].pairs == 1  # 0.75
        assert scores.nnz == 4  # what we were given is not ours to tidy


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("bad", [1.5, -0.5, float("nan")])
def test_scores_that_are_no_probabilities_are_named(bad: float, sparse: bool) -> None:
    scores = np.full((2, 6), 0.5)
    scores[1, 2] = bad
    with pytest.raises(EvaluationError, match=r"label 'c' for document row 1 is .*between 0 and 1"):
        evaluate(TREE, [["a"], ["b"]], [[], []], scores=csr_array(scores) if sparse else scores)


def test_scores_of_another_shape_or_kind_are_named() -> None:
    with pytest.raises(EvaluationError, match=r"shape 2 × 5, but there are 2 documents and 6 labels"):
        evaluate(TREE, [["a"], ["b"]], [[], []], scores=np.zeros((2, 5)))
    with pytest.raises(EvaluationError, match=r"not numbers"):
        evaluate(TREE, [["a"]], [[]], scores=[["x"] * 6])
