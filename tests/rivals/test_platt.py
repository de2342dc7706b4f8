"""Logistic maps: they calibrate, and labels with little evidence follow the others."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from branchwise.rivals.platt import USUAL_SLOPE, LogisticMaps
from branchwise.taxonomy import LabelSets


def drawn(slope: list[float], offset: list[float], n: int = 4000) -> tuple[np.ndarray, LabelSets]:
    chance = np.random.default_rng(0)
    margins = chance.normal(size=(n, len(slope)))
    true = chance.random(margins.shape) < 1 / (1 + np.exp(-(np.array(slope) * margins + np.array(offset))))
    return margins, LabelSets.from_pairs(*np.nonzero(true), n)


def test_with_much_evidence_every_label_has_the_likeliest_map() -> None:
    margins, truth = drawn([3.0, 1.0], [-2.0, 1.0])
    maps = LogisticMaps.learn(margins, truth)
    for label, true in enumerate(truth.to_csr(2).toarray().T):
        alone = LogisticRegression(C=1e6).fit(margins[:, [label]], true)
        assert maps.slope[label] == pytest.approx(alone.coef_.item(), rel=0.05)
        assert maps.offset[label] == pytest.approx(alone.intercept_.item(), rel=0.05)


def test_a_label_never_seen_borrows_the_map_of_all() -> None:
    margins, truth = drawn([3.0, 3.0, 3.0], [0.0, 0.0, 0.0], n=300)
    margins[:, 2] = -8  # tells nothing: any map gives nearly zero here
    maps = LogisticMaps.learn(margins, truth.select(truth.labels != 2))
    assert maps.slope[2] == pytest.approx(maps.slope[:2].mean(), abs=0.5)


def test_separable_margins_do_not_run_away() -> None:
    maps = LogisticMaps.learn(np.array([[5.0], [-5.0]] * 20), LabelSets.from_lists([[0], []] * 20))
    assert 0 < maps.slope[0] < 10


def test_a_greater_margin_is_never_less_likely() -> None:
    margins = np.linspace(-2, 2, 200)[:, None]
    maps = LogisticMaps.learn(margins, LabelSets.from_lists([[0] if m < 0 else [] for m in margins[:, 0]]))
    assert maps.slope[0] == 0


def test_nothing_held_out_leaves_the_usual_map() -> None:
    maps = LogisticMaps.learn(np.zeros((0, 3)), LabelSets.empty(0))
    assert maps.slope.tolist() == [USUAL_SLOPE] * 3
    assert maps.probabilities(np.zeros((1, 3))).tolist() == [[0.5, 0.5, 0.5]]
