"""The one public call: what it accepts, refuses and returns."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.evaluation.cases import small_tree

import branchwise
from branchwise.errors import EvaluationError
from branchwise.evaluation import evaluate
from branchwise.taxonomy import LabelSets, Taxonomy

TREE = small_tree()


def test_ids_and_label_sets_are_the_same_thing() -> None:
    truth, predicted = [("f",), ("e",)], [{"a", "c"}, ["b"]]
    from_ids = evaluate(TREE, truth, predicted)
    assert from_ids == evaluate(TREE, LabelSets.from_lists([[5], [4]]), LabelSets.from_lists([[0, 2], [1]]))
    assert from_ids.micro_recall == pytest.approx(3 / 5)  # the truth was closed: a c f and b e
    assert branchwise.evaluate is evaluate


def test_an_id_that_stands_for_copies_brings_them_all() -> None:
    tree = Taxonomy.from_nodes(["a", "b", "x@a", "x@b"], ["", "", "a", "b"], copies={"x": ["x@a", "x@b"]})
    result = evaluate(tree, [["x"]], [["a", "b", "x"]])
    assert result.exact_match == 1
    assert result.hierarchy.paths == 2


def test_perfect_predictions_have_perfect_scores() -> None:
    truth = TREE.label_sets([["f", "e"], ["d"]])
    result = evaluate(TREE, truth, truth, scores=truth.to_csr(6), invalid=0)
    zero = {"label inconsistency", "invalid output", "ECE, 15 bins", "Brier score"}
    counted = {"documents", "P@3", "P@5"}
    for name, value in result.rows():
        assert name in counted or value == (0 if name in zero else 1), name


def test_rows_say_how_many_labels_a_macro_is_over() -> None:
    rows = dict(evaluate(TREE, [["a"], ["d"]], [["a"], ["a"]]).rows())
    # a: F1 1. d: missed, 0. The other four labels do not occur.
    assert rows["macro F1, all 6 labels"] == pytest.approx(1 / 6)
    assert rows["macro F1, 2 labels with support"] == pytest.approx(1 / 2)
    assert rows["level 2 macro F1, 1 labels with support"] == 0
    assert not {"P@1", "Brier score", "invalid output", "documents with ancestors added"} & set(rows)


def test_rows_follow_what_was_given() -> None:
    rows = dict(
        evaluate(TREE, [["c"]], [["c"]], scores=[[1, 0, 1, 0, 0, 0]], add_ancestors=True, invalid=1).rows()
    )
    assert rows["documents with ancestors added"] == 1
    assert rows["invalid output"] == 1
    assert rows["R-Precision"] == 1
    assert rows["exact match"] == 1


def test_dictionary_survives_json_unchanged() -> None:
    result = evaluate(
        TREE, [["f"], ["e"]], [["a"], ["e"]], scores=csr_array((2, 6)), invalid=np.array([True, False])
    )
    data = result.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["hierarchy"]["paths"] == 2
    assert [one["level"] for one in data["levels"]] == [1, 2, 3]
    assert data["per_label"][4] == {
        "id": "e",
        "name": "e",
        "level": 2,
        "support": 1,
        "predicted": 1,
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
    }
    assert data["invalid_output"] == 0.5
    assert len(data["calibration"]["bins"]) == 15


@pytest.mark.parametrize("invalid", [3, 1.0, True, [True], ["yes", "no"], [1, 0], -1])
def test_invalid_counts_that_make_no_sense_are_refused(invalid: Any) -> None:
    with pytest.raises(EvaluationError, match=r"whole number from 0 to 2 or one boolean for each of the 2"):
        evaluate(TREE, [["a"], ["b"]], [[], []], invalid=invalid)


def test_unknown_label_names_row_and_label() -> None:
    with pytest.raises(
        EvaluationError, match=r"predicted sets of document row 1.*'q' is not in the taxonomy"
    ):
        evaluate(TREE, [["a"], ["b"]], [["a"], ["a", "q"]])
    with pytest.raises(EvaluationError, match=r"truth of document row 0.*'q'"):
        evaluate(TREE, [["q"]], [["a"]])


def test_other_mistakes_are_named() -> None:
    with pytest.raises(EvaluationError, match=r"2 true label sets but 1 predicted ones"):
        evaluate(TREE, [["a"], ["b"]], [["a"]])
    with pytest.raises(EvaluationError, match=r"no documents to evaluate"):
        evaluate(TREE, [], [])
    with pytest.raises(EvaluationError, match=r"None of the 2 documents has a true label"):
        evaluate(TREE, [[], []], [["a"], []])
    with pytest.raises(EvaluationError, match=r"single string 'ab'"):
        evaluate(TREE, ["ab"], [["a"]])
    with pytest.raises(
        EvaluationError, match=r"row 1 holds the label position 6, but the taxonomy has only 6"
    ):
        evaluate(TREE, [["a"], ["a"]], LabelSets.from_lists([[0], [6]]))


def test_no_dense_matrix_of_documents_and_labels() -> None:
    # 2,000 documents × 50,000 labels: 800 MB as floats, 100 MB as booleans. A thousandth of that is present.
    import tracemalloc

    n, k = 2_000, 50_000
    tree = Taxonomy.from_nodes([str(i) for i in range(k)], [""] * k)
    random = np.random.default_rng(0)
    truth, predicted = (LabelSets.from_lists(random.integers(0, k, (n, 3)).tolist()) for _ in range(2))
    scores = csr_array((np.full(len(truth.labels), 0.5), truth.labels, truth.offsets), shape=(n, k))
    tracemalloc.start()
    try:
        result = evaluate(tree, truth, predicted, scores=scores)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.ranking.r_precision == 1
    assert peak < 50e6
