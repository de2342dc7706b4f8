"""The solver against liblinear, and what a centre does to a solution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array
from sklearn.svm import LinearSVC

from branchwise.rivals.hinge import solve


def problem(seed: int) -> tuple[csr_array, np.ndarray]:
    chance = np.random.default_rng(seed)
    documents = random_array((300, 80), density=0.1, rng=chance, format="csr", dtype=np.float32)
    truth = chance.normal(size=80)
    return documents, documents @ truth + chance.normal(scale=0.3, size=300) > 0.6


def objective(
    weights: np.ndarray, case: tuple[csr_array, np.ndarray], cost: float, centre: np.ndarray
) -> float:
    documents, positive = case
    margins = np.where(positive, 1, -1) * (documents @ weights[:-1] + weights[-1])
    return float(((weights - centre) ** 2).sum() / 2 + cost * (np.maximum(0, 1 - margins) ** 2).sum())


@pytest.mark.parametrize("cost", [0.1, 1.0, 30.0])
def test_without_a_centre_it_is_what_liblinear_solves(cost: float) -> None:
    case = problem(0)
    weights = solve(*case, cost)
    model = LinearSVC(C=cost, dual=False, tol=1e-6).fit(*case)
    theirs = np.append(model.coef_, model.intercept_)
    best = objective(theirs, case, cost, np.zeros(81))
    assert objective(weights, case, cost, np.zeros(81)) <= best * 1.001
    assert np.abs(weights - theirs).max() < 0.03 * np.abs(theirs).max()


def test_the_same_minimum_from_any_start() -> None:
    case, centre = problem(1), np.random.default_rng(1).normal(size=81).astype(np.float32)
    far = np.random.default_rng(2).normal(size=81).astype(np.float32) * 3
    found = [solve(*case, 1.0, centre, start) for start in (None, far, np.zeros(81, np.float32))]
    values = [objective(weights, case, 1.0, centre) for weights in found]
    assert max(values) <= min(values) * 1.001
    jiggled = found[0] + np.random.default_rng(3).normal(size=(50, 81)) * 0.02
    assert all(objective(one, case, 1.0, centre) >= values[0] * 0.999 for one in jiggled)


def test_little_cost_stays_at_the_centre_and_much_leaves_it() -> None:
    case, centre = problem(2), np.random.default_rng(4).normal(size=81).astype(np.float32)
    distances = [np.linalg.norm(solve(*case, cost, centre) - centre) for cost in (1e-6, 0.1, 10.0)]
    assert distances[0] < 0.01 < distances[1] < distances[2]


@pytest.mark.parametrize(("positive", "answer"), [(True, 1), (False, -1)])
def test_one_sided_problems_have_a_constant_answer(positive: bool, answer: int) -> None:
    documents, _ = problem(3)
    weights = solve(documents, np.full(300, positive), 1.0)
    assert weights[-1] == pytest.approx(answer, abs=0.1)
    assert documents @ weights[:-1] + weights[-1] == pytest.approx(np.full(300, answer), abs=0.2)


def test_no_documents_and_no_words() -> None:
    none = solve(csr_array((0, 5), dtype=np.float32), np.zeros(0, bool), 1.0)
    assert none.tolist() == [0, 0, 0, 0, 0, 0]
    mostly = solve(csr_array((4, 0), dtype=np.float32), np.array([True, False, False, False]), 1.0)
    assert mostly.shape == (1,)
    assert -1 < mostly[0] < 0
