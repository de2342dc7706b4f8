"""Calibration, by hand, against all pairs written out and against scikit-learn."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics import brier_score_loss
from tests.evaluation.cases import Split, dense, splits

from branchwise.evaluation import calibration, evaluate
from branchwise.evaluation.calibration import calibrate
from branchwise.evaluation.scores import blocks
from branchwise.taxonomy import LabelSets, Taxonomy

PAIR = Taxonomy.from_nodes(["a", "b"], ["", ""])


def test_worked_by_hand_one_pair_a_bin() -> None:
    # Bins are 1/15 wide: 0.95 falls in the 15th, 0.05 in the first, 0.9 in the 14th, 0.5 in the 8th.
    result = evaluate(PAIR, [["a"], ["b"]], [[], []], scores=[[0.95, 0.05], [0.9, 0.5]]).calibration
    assert result.expected_calibration_error == pytest.approx((0.05 + 0.05 + 0.9 + 0.5) / 4)
    assert result.brier == pytest.approx((0.05**2 + 0.05**2 + 0.9**2 + 0.5**2) / 4)
    assert [index for index, one in enumerate(result.bins) if one.pairs] == [0, 7, 13, 14]
    assert (result.bins[7].low, result.bins[7].high) == pytest.approx((7 / 15, 8 / 15))
    assert (result.bins[1].mean_score, result.bins[1].share_true) == (None, None)


def test_errors_within_a_bin_cancel() -> None:
    # 0.71 (true), 0.72 (true), 0.73 (not) share a bin: mean 0.72, share 2/3. The rest scores 1 and is true.
    truth = [["a", "b"], ["a", "b"], ["b"]]
    result = evaluate(PAIR, truth, [[], [], []], scores=[[0.71, 1], [0.72, 1], [0.73, 1]]).calibration
    assert result.expected_calibration_error == pytest.approx(3 / 6 * abs(0.72 - 2 / 3))
    assert result.bins[10].pairs == 3
    assert result.bins[10].mean_score == pytest.approx(0.72)
    assert result.bins[10].share_true == pytest.approx(2 / 3)
    assert result.bins[14].pairs == 3  # a score of 1 belongs to the last bin


def test_cells_that_are_not_stored_count_as_zero() -> None:
    scores = csr_array(([0.5], ([0], [0])), shape=(2, 2))
    result = calibrate(scores, LabelSets.from_lists([[0], [1]]))
    # Bin 1: three pairs of score 0, one of them true. Bin 8: one pair of score 0.5, true.
    assert result.bins[0].pairs == 3
    assert result.bins[0].share_true == pytest.approx(1 / 3)
    assert result.expected_calibration_error == pytest.approx((1 + 0.5) / 4)
    assert result.brier == pytest.approx((0.25 + 1) / 4)


@settings(max_examples=60, deadline=None)
@given(splits(), st.integers(0, 1000), st.integers(1, 40))
def test_agrees_with_all_pairs_written_out(split: Split, seed: int, limit: int) -> None:
    tree, truth, _ = split
    random = np.random.default_rng(seed)
    scores = random.random((len(truth), len(tree))) * (random.random((len(truth), len(tree))) < 0.6)
    flat, true = scores.ravel(), dense(truth, tree).ravel()
    error = 0.0
    for index in range(15):
        inside = (flat >= index / 15) & ((flat < (index + 1) / 15) | (index == 14))
        if inside.any():
            error += inside.mean() * abs(flat[inside].mean() - true[inside].mean())
    for given_scores in (scores, csr_array(scores)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(calibration, "blocks", partial(blocks, limit=limit))
            result = calibrate(given_scores, truth)
        assert result.expected_calibration_error == pytest.approx(error)
        assert result.brier == pytest.approx(brier_score_loss(true, flat, labels=[0, 1]))
        assert sum(one.pairs for one in result.bins) == len(flat)
