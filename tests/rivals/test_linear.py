"""All linear rivals: they learn, keep the protocol, and bear the corpora that users have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwise import Corpus, Taxonomy, evaluate
from branchwise.corpus.splits import split
from branchwise.errors import ModelError
from branchwise.rivals import System, rival, rivals
from branchwise.taxonomy import LabelSets
from tests.rivals.corpora import TREE, separable
from tests.strategies import label_sets, taxonomies

each = pytest.mark.parametrize("name", rivals("linear"))
CONSISTENT = ("leaf-svm", "td-svm")


def consistent(margins: np.ndarray, tree: Taxonomy) -> bool:
    rows, labels = np.nonzero(margins > 0)
    return bool(LabelSets.from_pairs(rows, labels, len(margins)).is_closed(tree).all())


def well_formed(scores: np.ndarray, tree: Taxonomy) -> bool:
    below = np.flatnonzero(tree.parent >= 0)
    in_range = bool(((scores >= 0) & (scores <= 1)).all())
    return in_range and bool((scores[:, below] <= scores[:, tree.parent[below]]).all())


@st.composite
def corpora(draw: Callable[..., Any]) -> Corpus:
    tree = draw(taxonomies(max_labels=7))
    sets = draw(label_sets(tree, max_documents=8).filter(lambda one: len(one.labels)))
    words = st.lists(st.sampled_from(["ant", "bee", "cow", "dog", "elk", "fox"]), max_size=4)
    texts = [" ".join(draw(words)) for _ in range(len(sets))]
    return Corpus.from_texts(texts, sets.to_ids(tree), tree)


@each
def test_learns_what_can_be_learned(name: str) -> None:
    corpus = separable()
    said: list[str] = []
    system = rival(name)(TREE).fit(corpus, corpus, tell=said.append)
    assert isinstance(system, System)
    texts = list(corpus.texts())
    assert evaluate(TREE, corpus.labels, system.decide(texts)).exact_match == 1
    assert system.predict(texts) == corpus.labels.to_ids(TREE)
    assert system.predict(["purr whisker animal breathes"]) == [("animal", "cat")]
    assert system.record["documents"] == len(corpus)
    assert system.record["fingerprint"] == corpus.fingerprint
    assert said
    scores = system.scores(texts)
    assert well_formed(scores, TREE)
    true = corpus.labels.to_csr(len(TREE)).toarray().astype(bool)
    assert scores[true].mean() > 0.6 > 0.3 > scores[~true].mean()


@each
def test_real_documents_with_part_of_them_held_out(name: str) -> None:
    train = Corpus.bundled("train").take(range(500))
    system = rival(name)(train.taxonomy, seed=3).fit(train)
    assert system.record["documents"] == 450
    assert system.record["calibration"]["documents"] == 50
    test = Corpus.bundled("test").take(range(200))
    texts = list(test.texts())
    result = evaluate(test.taxonomy, test.labels, system.decide(texts), scores=system.scores(texts))
    assert result.ranking is not None
    assert result.ranking.precision_at_1 > 0.5
    assert result.calibration is not None
    assert result.calibration.expected_calibration_error < 0.03
    assert name not in CONSISTENT or result.label_inconsistency == 0
    again = rival(name)(train.taxonomy, seed=3).fit(train)
    assert again.decide(texts) == system.decide(texts)


@pytest.mark.parametrize("name", CONSISTENT)
@given(st.data())
def test_consistent_by_construction_whatever_the_machines_say(name: str, data: st.DataObject) -> None:
    tree = data.draw(taxonomies())
    seed = data.draw(st.integers(0, 1000))
    margins = np.random.default_rng(seed).normal(size=(20, len(tree)))
    assert consistent(rival(name)(tree).combine(margins), tree)


@each
@settings(max_examples=15)
@given(corpora())
def test_any_corpus_at_all(name: str, corpus: Corpus) -> None:
    tree = corpus.taxonomy
    system = rival(name)(tree).fit(corpus)
    texts = [*corpus.texts(), "", "unheard of"]
    decided = system.decide(texts)
    assert system.predict(texts) == decided.to_ids(tree)
    assert name not in CONSISTENT or decided.is_closed(tree).all()
    scores = system.scores(texts)
    assert scores.shape == (len(texts), len(tree))
    assert well_formed(scores, tree)


@each
def test_a_label_without_documents_is_not_predicted_and_one_with_all_is(name: str) -> None:
    tree = Taxonomy.from_nodes(["all", "some", "none"], ["", "all", "all"])
    texts = [f"{'yes' if number % 2 else 'no'} word{number}" for number in range(20)]
    labels = [["some"] if number % 2 else ["all"] for number in range(20)]
    corpus = Corpus.from_texts(texts, labels, tree)
    system = rival(name)(tree).fit(corpus, corpus)
    assert system.predict(texts) == corpus.labels.to_ids(tree)


@each
def test_one_label_and_documents_without_any_word(name: str) -> None:
    tree = Taxonomy.from_nodes(["only"], [""])
    system = rival(name)(tree).fit(Corpus.from_texts(["", "", ""], [["only"], ["only"], []], tree))
    assert system.predict(["", "new"]) == [("only",), ("only",)]
    assert system.predict([]) == []
    assert system.scores([]).shape == (0, 1)


@each
def test_what_cannot_be_done_is_said(name: str) -> None:
    kind = rival(name)
    with pytest.raises(ModelError, match=f"This {name} has not been trained: call fit first"):
        kind(TREE).predict(["a text"])
    with pytest.raises(ModelError, match="another taxonomy"):
        kind(Taxonomy.from_nodes(["x"], [""])).fit(separable())
    with pytest.raises(ModelError, match="another taxonomy"):
        kind(TREE).fit(separable(), Corpus.bundled("validation"))
    with pytest.raises(ModelError, match="no documents"):
        kind(TREE).fit(Corpus.from_texts([], [], TREE))
    with pytest.raises(ModelError, match="No training document has a label"):
        kind(TREE).fit(Corpus.from_texts(["a text"], None, TREE))
    with pytest.raises(ModelError, match="no label"):
        kind(Taxonomy.from_nodes([], [])).fit(separable())
    with pytest.raises(ModelError, match=f"{name} has no setting 'costs': choose among seed, cost"):
        kind(TREE, costs=1)
    system = kind(TREE).fit(separable(1))
    for call in (system.predict, system.decide, system.scores):
        with pytest.raises(ModelError, match="a list of texts, not one text"):
            call("one text")
        with pytest.raises(ModelError, match="Text 2 is of type int"):
            call(["a", 7])


@pytest.mark.parametrize(
    ("setting", "value", "wanted"),
    [
        ("cost", 0, "more than 0"),
        ("cost", "1", "a number"),
        ("cost", float("nan"), "0 or more"),
        ("cost", float("inf"), "0 or more"),
        ("phrase", 0, "1 or more"),
        ("phrase", 1.5, "a whole number"),
        ("fewest", 0, "1 or more"),
        ("prune", -1, "0 or more"),
        ("seed", -1, "0 or more"),
        ("rounds", True, "a whole number"),
    ],
)
def test_settings_that_make_no_sense(setting: str, value: Any, wanted: str) -> None:
    with pytest.raises(ModelError, match=f"The setting {setting} is .*: give {wanted}"):
        rival("hr-svm")(TREE, **{setting: value})


def test_many_texts_are_taken_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = separable()
    system = rival("svm")(TREE).fit(corpus, corpus)
    texts = list(corpus.texts())
    whole, scores = system.decide(texts), system.scores(texts)
    monkeypatch.setattr("branchwise.rivals.base.CHUNK", 7)
    assert system.decide(texts) == whole
    assert np.array_equal(system.scores(texts), scores)


def test_phrases_tell_what_words_do_not() -> None:
    tree = Taxonomy.from_nodes(["q", "r"], ["", ""])
    texts = ["alpha beta"] * 5 + ["beta alpha"] * 5
    corpus = Corpus.from_texts(texts, [["q"]] * 5 + [["r"]] * 5, tree)
    for phrase, right in ((1, False), (2, True)):
        system = rival("svm")(tree, phrase=phrase, cost=10).fit(corpus, corpus)
        assert (system.predict(texts) == corpus.labels.to_ids(tree)) is right


def test_a_split_off_part_never_loses_documents() -> None:
    corpus = separable()
    system = rival("svm")(TREE).fit(corpus)
    parts = split(corpus, {"train": 0.9, "held out": 0.1}, how="random", seed=0)
    assert system.record["fingerprint"] == parts["train"].fingerprint
    assert system.record["calibration"]["fingerprint"] == parts["held out"].fingerprint
