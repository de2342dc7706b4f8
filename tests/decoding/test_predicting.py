"""Prediction as a user asks for it: every wish heard, no impossible set, and what cannot be met said plainly."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from branchwise import HierarchicalClassifier
from branchwise.errors import ModelError
from tests.model.tiny import model_of

TEXTS = [letter * size for size, letter in zip((5, 1, 30, 12, 2), "abcde", strict=True)]


@pytest.fixture
def classifier(backbones):
    """Return a classifier whose documents differ in what is written for them."""
    model = model_of(backbones["flan"], output_limit=14)
    torch.manual_seed(2)
    with torch.no_grad():
        model.network.head.weight *= 2
        model.network.head.bias += 0.5 * torch.randn(11)
    found = HierarchicalClassifier(model.tree, **vars(model.config))
    found._model = model
    return found


def check_closed(classifier, sets):
    tree = classifier.taxonomy
    assert tree.label_sets(sets).to_ids(tree) == sets


def test_every_wish_is_heard(classifier):
    tree = classifier.taxonomy
    scores = classifier.scores(TEXTS)
    assert scores.shape == (5, 7)
    written = classifier.predict(TEXTS)
    check_closed(classifier, written)
    for wishes in ({"beams": 3}, {"decision": "expected-f1"}, {"decision": "threshold"}, {"threshold": 0.01}):
        check_closed(classifier, classifier.predict(TEXTS, **wishes))
    assert all(len(one) == 2 for one in classifier.predict(TEXTS, top=2))
    assert all(len(one) <= 2 for one in classifier.predict(TEXTS, at_most=2))
    for one in classifier.predict(TEXTS, leaves_only=True):
        sets = tree.label_sets([one])
        assert tree.is_leaf[sets.most_specific(tree).labels].all()
    low = classifier.predict(TEXTS, threshold=0.0)
    assert all(len(one) == 7 for one in low)
    abstained = classifier.predict(TEXTS, abstain_below=1.0)
    assert abstained == [None] * 5
    assert classifier.predict(TEXTS, abstain_below=0.0) == written


def test_free_sets_are_as_they_were_written_until_they_are_repaired(classifier):
    tree = classifier.taxonomy
    with torch.no_grad():
        classifier.model.network.head.bias[4] += 6  # e, whose parents are hardly ever written
    free = classifier.predict(TEXTS, decoding="free")
    closed = classifier.predict(TEXTS, decoding="free", repair="close")
    dropped = classifier.predict(TEXTS, decoding="free", repair="drop")
    assert [tree.label_sets([one]).to_ids(tree)[0] for one in free] == closed
    assert free != closed
    for before, after in zip(free, dropped, strict=True):
        assert set(after) <= set(before)
        check_closed(classifier, [after])
    described = classifier.predict_documents(TEXTS, decoding="free", repair="close")
    assert any(one.invalid for one in described)


def test_all_there_is_to_say_of_a_document(classifier):
    tree = classifier.taxonomy
    scores = classifier.scores(TEXTS)
    for scope in ("predicted", "all", "none"):
        said = classifier.predict_documents(TEXTS, scores=scope, abstain_below=0.5)
        for row, one in enumerate(said):
            named = {"predicted": set(one.labels), "all": set(tree.ids), "none": set()}[scope]
            assert set(one.scores) == named
            for label, score in one.scores.items():
                assert score == pytest.approx(scores[row, tree.index[label]], abs=2e-3)
            assert one.abstained == (one.confidence < 0.5)
            assert {path[0] for path in one.paths} <= {"Arts", "Books", "Food"}
            assert len(one.paths) == len(tree.label_sets([one.labels]).most_specific(tree).labels)


def test_training_decides_how_to_decide(classifier):
    classifier.model.decisions = {
        "rule": "threshold",
        "thresholds": [0.0, 0.0, 1.0],
        "calibration": {"method": "none", "levels": []},
        "evidence": {},
    }
    assert classifier.predict(TEXTS[:1]) == [("a", "b", "f", "c", "g", "d")]
    assert classifier.predict(TEXTS[:1], decision="set") != [("a", "b", "f", "c", "g", "d")]
    flat = ((0.0, 1.0), (0.25, 0.25))
    classifier.model.decisions["calibration"] = {"method": "isotonic", "levels": [flat] * 3}
    assert (classifier.scores(TEXTS) == 0.25).all()
    assert len(np.unique(classifier.scores(TEXTS, calibrated=False))) > 3
    assert len(classifier.predict(TEXTS[:1], at_most=1)[0]) == 1, (
        "who says how to write wants what was written"
    )


def test_labels_come_from_scores_or_from_a_way_of_writing(classifier):
    for way in ({"at_most": 2}, {"leaves_only": True}, {"beams": 2}, {"decoding": "free"}):
        for rule in ({"threshold": 0.1}, {"top": 2}, {"decision": "expected-f1"}):
            with pytest.raises(ModelError, match="at once: leave one of the two out"):
                classifier.predict(TEXTS, **way, **rule)


def test_limits_on_what_is_written_leave_the_scores_alone(classifier):
    free = classifier.predict_documents(TEXTS, scores="all")
    for way in ({"at_most": 1}, {"leaves_only": True}, {"beams": 3}):
        for one, other in zip(free, classifier.predict_documents(TEXTS, scores="all", **way), strict=True):
            assert other.scores == pytest.approx(one.scores, abs=2e-3)


def test_only_a_model_that_saw_empty_sets_predicts_one(classifier):
    assert all(classifier.predict(TEXTS, threshold=1.0))
    classifier.model.record = {"train": {"documents": 9, "documents_without_labels": 3}}
    assert classifier.predict(TEXTS, threshold=1.0) == [()] * 5
    said = classifier.predict_documents(TEXTS, threshold=1.0, scores="all")
    assert all(one.confidence == pytest.approx(1 - max(one.scores.values()), abs=1e-3) for one in said)


def test_what_is_explained_is_what_is_predicted(classifier):
    classifier.model.decisions = {
        "rule": "threshold",
        "thresholds": [0.0, 0.0, 1.0],
        "calibration": {"method": "none", "levels": []},
        "evidence": {},
    }
    explained = classifier.explain("some text")
    assert set(explained.labels) == set(classifier.predict(["some text"])[0])
    assert set(classifier.explain("some text", labels=["e"]).labels) == {"a", "c", "e"}
    with pytest.raises(ModelError, match="list of ids"):
        classifier.explain("some text", labels="e")
    with pytest.raises(ModelError, match="text is empty"):
        classifier.explain("  ")


@pytest.mark.parametrize(
    "broken",
    [
        {"rule": "set"},
        {
            "rule": "best",
            "thresholds": [0.5] * 3,
            "calibration": {"method": "none", "levels": []},
            "evidence": {},
        },
        {"rule": "set", "thresholds": [0.5], "calibration": {"method": "none", "levels": []}, "evidence": {}},
        {"rule": "set", "thresholds": "abc", "calibration": {"method": "none", "levels": []}, "evidence": {}},
    ],
)
def test_broken_decisions_are_one_sentence(classifier, broken):
    classifier.model.decisions = broken
    with pytest.raises(ModelError, match="The model's decisions"):
        classifier.predict(TEXTS)


@pytest.mark.parametrize("text", [None, 5, b"bytes", "half \ud800 a character"])
def test_what_is_no_text_is_named(classifier, text):
    with pytest.raises(ModelError, match="Text 2 "):
        classifier.predict(["fine", text])


def test_sampled_scores_are_shares_of_sampled_sets(classifier):
    sampled = classifier.scores(TEXTS, samples=8)
    np.testing.assert_allclose(sampled * 8, (sampled * 8).round(), atol=1e-6)


def test_no_texts(classifier):
    assert classifier.predict([]) == []
    assert classifier.scores([]).shape == (0, 7)
    assert classifier.predict_documents([]) == []


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"decision": "best"}, "decision is 'best': choose one of set, threshold, expected-f1"),
        ({"threshold": 2}, "threshold is 2: give a number from 0 to 1"),
        ({"top": 0}, "top is 0: ask for a whole number"),
        ({"top": 2, "threshold": 0.5}, "top decides by itself"),
        ({"decision": "set", "threshold": 0.5}, "A threshold was given, but the decision is 'set'"),
        ({"beam": 2}, "no wish 'beam': choose from abstain_below, at_most, beams"),
        ({"at_most": 0}, "at most 0 labels"),
        ({"top": 1.5}, "top is 1.5: ask for a whole number"),
        ({"threshold": "high"}, "threshold is 'high': give a number"),
        ({"samples": 2.5}, "samples is 2.5: give a whole number"),
        ({"samples": 4, "decision": "set"}, "nothing here asks for scores"),
        ({"repair": "close"}, "Constrained decoding writes nothing that needs repair"),
    ],
)
def test_wishes_that_cannot_be_met(classifier, wishes, message):
    with pytest.raises(ModelError, match=message):
        classifier.predict(TEXTS, **wishes)


def test_one_text_is_no_list(classifier):
    with pytest.raises(ModelError, match="a list of texts"):
        classifier.predict("one text")
