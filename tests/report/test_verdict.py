"""Verdicts in plain words: better, not better, worse, and each only where the bootstrap has it."""

from __future__ import annotations

import numpy as np
import pytest

from branchwise import Taxonomy
from branchwise.evaluation import PairedBootstrap, paired_bootstrap
from branchwise.report.verdict import standing, verdict

TREE = Taxonomy.from_nodes(list("abcd"), [None, None, None, None])


def compared(first: float, second: float, documents: int = 200) -> PairedBootstrap:
    """Compare two systems that are right about these shares of documents."""
    random = np.random.default_rng(0)
    truth = [[str(one)] for one in random.choice(list("abcd"), documents)]
    wrong = {"a": "b", "b": "c", "c": "d", "d": "a"}

    def system(share: float) -> list[list[str]]:
        right = np.arange(documents) < share * documents
        return [one if good else [wrong[one[0]]] for one, good in zip(truth, right, strict=True)]

    return paired_bootstrap(TREE, truth, system(first), system(second))


@pytest.mark.parametrize(
    ("first", "second", "stands", "begins"),
    [
        (0.9, 0.5, "better", "Ours is better than theirs in micro F1 (90.0 against 50.0 %) and macro F1"),
        (
            0.5,
            0.9,
            "worse",
            "Ours is not better than theirs: it is worse in micro F1 (50.0 against 90.0 %) and",
        ),
        (
            0.7,
            0.7,
            "even",
            "Ours is not better than theirs: the difference in micro F1 (70.0 against 70.0 %) and",
        ),
        (0.705, 0.7, "even", "Ours is not better than theirs: the difference in micro F1"),
    ],
)
def test_verdict(first: float, second: float, stands: str, begins: str) -> None:
    comparison = compared(first, second)
    assert standing(comparison, "micro_f1") == stands
    said = verdict(comparison, "Ours", "theirs")
    assert said.startswith(begins)
    assert said.endswith(".")
    assert ("choice of test documents" in said) == (stands == "even")


def test_one_metric_may_differ_from_the_other() -> None:
    """Ours is right about frequent labels, theirs about rare ones."""
    truth = [["a"]] * 160 + [["b"], ["c"], ["d"]] * 13
    ours = [["a"]] * 160 + [["a"]] * 39
    theirs = [["b"]] * 100 + [["a"]] * 60 + truth[160:]
    said = verdict(paired_bootstrap(TREE, truth, ours, theirs), "Ours", "theirs")
    assert said.startswith("Ours is better than theirs in micro F1 (")
    assert ", but it is worse in macro F1 over all labels (" in said
