"""Reliability diagrams are drawn for any calibration, with empty bins and with all pairs in one."""

from __future__ import annotations

import numpy as np
import pytest

from branchwise import Taxonomy
from branchwise.evaluation.calibration import calibrate
from branchwise.report.figures import draw_reliability

TREE = Taxonomy.from_nodes(["a", "b", "c"], ["", "", "a"])


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_before_and_after(tmp_path, suffix):
    random = np.random.default_rng(0)
    scores = random.random((50, 3))
    truth = TREE.label_sets([[one for one in "abc" if random.random() < 0.5] for _ in range(50)])
    path = tmp_path / f"reliability.{suffix}"
    draw_reliability({"before": calibrate(scores, truth), "after": calibrate(0 * scores, truth)}, path)
    assert path.stat().st_size > 5000
    if suffix == "svg":
        assert "<svg" in path.read_text()
