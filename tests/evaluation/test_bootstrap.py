"""The paired bootstrap, against evaluating every resample and by its definition."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evaluation.cases import Split, small_tree, splits

from branchwise.errors import EvaluationError
from branchwise.evaluation import evaluate, paired_bootstrap
from branchwise.evaluation.bootstrap import METRICS, count_table, draw_weights, weighted_metrics
from branchwise.taxonomy import LabelSets

TREE = small_tree()


def mixed(share_right: float, seed: int, n: int = 300) -> tuple[LabelSets, LabelSets]:
    """Return a truth, the same for every call, and predictions of which a share is right."""
    truth = LabelSets.from_lists(np.random.default_rng(0).integers(0, 6, (n, 1)).tolist()).closed(TREE)
    right = np.random.default_rng(seed).random(n) < share_right
    wrong = LabelSets.from_lists([[1] if 0 in one else [0] for one in truth])
    both = LabelSets.from_lists([*truth, *wrong])
    return truth, both.take(np.where(right, np.arange(n), np.arange(n) + n))


@settings(max_examples=25, deadline=None)
@given(splits(systems=2), st.integers(0, 1000))
def test_agrees_with_evaluating_every_resample(split: Split, seed: int) -> None:
    tree, truth, *systems = split
    (weights,) = draw_weights(len(truth), 5, seed)
    found = weighted_metrics(count_table(tree, truth, *systems), weights, len(tree))
    assert found.shape == (2, len(METRICS), 5)
    for column in range(5):
        rows = np.repeat(np.arange(len(truth)), weights[:, column])
        if not len(truth.take(rows).labels):
            continue  # evaluate refuses a split without any true label
        for at, system in enumerate(systems):
            result = evaluate(tree, truth.take(rows), system.take(rows))
            expected = [getattr(result, metric) for metric in METRICS]
            assert found[at, :, column] == pytest.approx(expected)


def test_every_resample_draws_as_many_documents_as_there_are() -> None:
    (weights,) = draw_weights(50, 200, seed=0)
    assert weights.shape == (50, 200)
    assert (weights.sum(axis=0) == 50).all()
    # A document is left out of a resample with probability (1 - 1/50)^50 = 0.364.
    assert (weights == 0).mean() == pytest.approx(0.364, abs=0.02)


def test_draws_do_not_depend_on_the_size_of_a_chunk() -> None:
    whole = np.hstack(list(draw_weights(7, 10, seed=3)))
    parts = list(draw_weights(7, 10, seed=3, cells=21))
    assert [one.shape[1] for one in parts] == [3, 3, 3, 1]
    assert (np.hstack(parts) == whole).all()
    assert not (np.hstack(list(draw_weights(7, 10, seed=4))) == whole).all()


def test_equal_systems_do_not_differ() -> None:
    truth, system = mixed(0.7, seed=1)
    for one in paired_bootstrap(TREE, truth, system, system, resamples=50).differences:
        assert (one.difference, one.low, one.high, one.p_value) == (0, 0, 0, 1)


def test_a_clearly_better_system_is_significantly_better() -> None:
    truth, good = mixed(0.9, seed=1)
    _, poor = mixed(0.6, seed=2)
    result = paired_bootstrap(TREE, truth, good, poor, resamples=400)
    assert [one.metric for one in result.differences] == list(METRICS)
    for one in result.differences:
        assert one.difference == pytest.approx(one.first - one.second)
        assert 0 < one.low < one.difference < one.high
        assert one.p_value == 1 / 401  # no resample is as far off; the smallest p there can be
    turned = paired_bootstrap(TREE, truth, poor, good, resamples=400)["exact_match"]
    straight = result["exact_match"]
    assert turned.difference == -straight.difference
    assert (turned.low, turned.high) == pytest.approx((-straight.high, -straight.low))


def test_observed_values_are_those_of_evaluate() -> None:
    truth, good = mixed(0.9, seed=1)
    _, poor = mixed(0.6, seed=2)
    result = paired_bootstrap(TREE, truth, good, poor, resamples=3)
    for one in result.differences:
        assert one.first == pytest.approx(getattr(evaluate(TREE, truth, good), one.metric))
        assert one.second == pytest.approx(getattr(evaluate(TREE, truth, poor), one.metric))


def test_p_value_and_interval_are_those_of_the_definition() -> None:
    truth, first = mixed(0.80, seed=1)
    _, second = mixed(0.76, seed=2)
    result = paired_bootstrap(TREE, truth, first, second, resamples=200, seed=5)["exact_match"]
    right = [
        np.array([a.tolist() == b.tolist() for a, b in zip(truth, one, strict=True)])
        for one in (first, second)
    ]
    gain = right[0].astype(int) - right[1]
    (weights,) = draw_weights(len(truth), 200, seed=5)
    differences = [sum(w * g for w, g in zip(column, gain, strict=True)) / len(truth) for column in weights.T]
    as_far = sum(abs(one - gain.mean()) >= abs(gain.mean()) - 1e-12 for one in differences)
    assert result.difference == pytest.approx(gain.mean())
    assert result.p_value == pytest.approx((1 + as_far) / 201)
    assert 1 / 201 < result.p_value < 1  # neither end, or this test would see nothing
    assert (result.low, result.high) == pytest.approx(tuple(np.quantile(differences, [0.025, 0.975])))


def test_seed_makes_it_repeatable() -> None:
    truth, first = mixed(0.8, seed=1)
    _, second = mixed(0.7, seed=2)
    same = [paired_bootstrap(TREE, truth, first, second, resamples=50, seed=9) for _ in range(2)]
    assert same[0] == same[1]
    assert same[0] != paired_bootstrap(TREE, truth, first, second, resamples=50, seed=10)
    assert json.loads(json.dumps(same[0].to_dict()))["differences"][0]["metric"] == "micro_f1"


def test_ancestors_can_be_added() -> None:
    result = paired_bootstrap(
        TREE, [["c"]] * 4, [["c"]] * 4, [["a", "c"]] * 4, resamples=5, add_ancestors=True
    )
    assert result["micro_f1"].difference == 0
    assert (
        paired_bootstrap(TREE, [["c"]] * 4, [["c"]] * 4, [["a", "c"]] * 4, resamples=5)["micro_f1"].difference
        < 0
    )


def test_bad_requests_are_named() -> None:
    with pytest.raises(EvaluationError, match=r"2 true label sets but 1 second ones"):
        paired_bootstrap(TREE, [["a"], ["b"]], [["a"], ["b"]], [["a"]])
    with pytest.raises(EvaluationError, match=r"0 resamples"):
        paired_bootstrap(TREE, [["a"]], [["a"]], [["a"]], resamples=0)
    with pytest.raises(EvaluationError, match=r"confidence of 95"):
        paired_bootstrap(TREE, [["a"]], [["a"]], [["a"]], confidence=95)
