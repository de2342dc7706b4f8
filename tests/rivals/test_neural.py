"""All neural rivals: they learn, keep the protocol, repeat themselves, and bear the corpora that users have."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwise import Corpus, Taxonomy
from branchwise.errors import MissingExtraError, ModelError, TrainingError
from branchwise.rivals import System, rival, rivals
from branchwise.rivals.neural.network import Network
from branchwise.rivals.neural.vocabulary import FIRST_WORD, STOP, UNKNOWN, Vocabulary
from branchwise.score_arrays import capped
from branchwise.taxonomy import LabelSets
from tests.rivals.corpora import TREE, separable
from tests.rivals.neural import batch, each, network, tiny
from tests.rivals.test_linear import corpora, well_formed
from tests.strategies import taxonomies


@each
def test_learns_what_can_be_learned(name: str) -> None:
    corpus = separable()
    said: list[str] = []
    system = tiny(name, TREE).fit(corpus, corpus, tell=said.append)
    assert isinstance(system, System)
    texts = list(corpus.texts())
    assert system.predict(texts) == corpus.labels.to_ids(TREE)
    assert system.predict(["purr whisker animal breathes"]) == [("animal", "cat")]
    assert system.record["documents"] == len(corpus)
    assert len(system.record["epochs"]) == sum(one.startswith("Epoch") for one in said)
    assert "micro-F1 100.00% on 36 documents held out." in said[-1]
    scores = system.scores(texts)
    assert well_formed(scores, TREE)
    true = corpus.labels.to_csr(len(TREE)).toarray().astype(bool)
    assert scores[true].mean() > 0.8 > 0.2 > scores[~true].mean()


@each
def test_the_same_seed_gives_the_same_rival_and_leaves_the_random_numbers_of_others_alone(name: str) -> None:
    corpus = separable(2)
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    scores = [
        tiny(name, TREE, seed=seed, epochs=1).fit(corpus).scores(["purr", "bark"]) for seed in (3, 3, 4)
    ]
    assert torch.rand(1) == expected
    assert np.array_equal(scores[0], scores[1])
    assert not np.array_equal(scores[0], scores[2])


@pytest.mark.parametrize(
    ("name", "more"),
    [(name, {}) for name in rivals("neural")]
    + [
        ("bow-cnn", {"pooling": "maximum"}),
        ("hiagm", {"fusion": "la"}),
        ("hiagm", {"structure": "tree-lstm"}),
        ("hiagm", {"structure": "none"}),
        ("sgm", {"beam": 1}),
    ],
)
def test_a_document_is_answered_alike_alone_and_beside_longer_ones(name: str, more: dict[str, Any]) -> None:
    net = network(name, TREE, **more)
    lists = [[5], [4, 2, 6, 7, 2, 9], [3, 4, 5], list(range(3, 23))]
    with torch.inference_mode():
        together, decided = net.answer(batch(*lists))
        for row, one in enumerate(lists):
            alone, chosen = net.answer(batch(one))
            assert torch.allclose(alone[0], together[row], atol=1e-5)
            assert torch.equal(chosen[0], decided[row])


@each
@settings(max_examples=5)
@given(corpora())
def test_any_corpus_at_all(name: str, corpus: Corpus) -> None:
    tree = corpus.taxonomy
    system = tiny(name, tree, epochs=1, batch=64).fit(corpus)
    texts = [*corpus.texts(), "", "unheard of", "... !"]
    decided = system.decide(texts)
    assert system.predict(texts) == decided.to_ids(tree)
    scores = system.scores(texts)
    assert scores.shape == (len(texts), len(tree))
    assert well_formed(scores, tree)


@each
def test_labels_with_no_documents_and_with_all(name: str) -> None:
    tree = Taxonomy.from_nodes(["all", "some", "none"], ["", "all", "all"])
    texts = [f"{'yes' if number % 2 else 'no'} word{number}" for number in range(20)]
    labels = [["some"] if number % 2 else ["all"] for number in range(20)]
    corpus = Corpus.from_texts(texts, labels, tree)
    system = tiny(name, tree).fit(corpus, corpus)
    assert system.predict(texts) == corpus.labels.to_ids(tree)


@each
def test_one_label_and_documents_without_any_word(name: str) -> None:
    tree = Taxonomy.from_nodes(["only"], [""])
    system = tiny(name, tree, epochs=2).fit(Corpus.from_texts(["", "", ""], [["only"], ["only"], []], tree))
    assert system.predict(["", "new"]) == [("only",), ("only",)]
    assert system.predict([]) == []
    assert system.scores([]).shape == (0, 1)


@given(st.data())
def test_no_score_is_above_its_parents(data: st.DataObject) -> None:
    tree = data.draw(taxonomies())
    scores = np.random.default_rng(data.draw(st.integers(0, 1000))).random((5, len(tree)))
    lowered = capped(scores.copy(), tree)
    assert well_formed(lowered, tree)
    assert (lowered <= scores).all()
    for label in range(len(tree)):
        path = [*tree.ancestors(label), label]
        assert np.array_equal(lowered[:, label], scores[:, path].min(axis=1))


@each
def test_what_cannot_be_done_is_said(name: str) -> None:
    kind = rival(name)
    with pytest.raises(ModelError, match=f"This {name} has not been trained: call fit first"):
        kind(TREE).predict(["a text"])
    with pytest.raises(ModelError, match="another taxonomy"):
        kind(Taxonomy.from_nodes(["x"], [""])).fit(separable())
    with pytest.raises(ModelError, match="No training document has a label"):
        kind(TREE).fit(Corpus.from_texts(["a text"], None, TREE))
    with pytest.raises(ModelError, match=f"{name} has no setting 'cost': choose among seed, words"):
        kind(TREE, cost=1)
    with pytest.raises(ModelError, match="The device 'warp' cannot be used"):
        kind(TREE, device="warp").fit(separable(1))


@pytest.mark.parametrize(
    ("name", "setting", "value", "wanted"),
    [
        ("textcnn", "rate", 0, "more than 0"),
        ("textcnn", "dropout", 1, "less than 1"),
        ("textcnn", "widest", 2, "3 or more, as narrowest is"),
        ("textcnn", "vectors", 3, "a text"),
        ("hmcn", "beta", 1.5, "at most 1"),
        ("hmcn", "penalty", -1, "0 or more"),
        ("hiagm", "fusion", "xx", "tp or la"),
        ("bow-cnn", "pooling", None, "average or maximum"),
        ("sgm", "beam", 0, "1 or more"),
    ],
)
def test_settings_that_make_no_sense(name: str, setting: str, value: Any, wanted: str) -> None:
    with pytest.raises(ModelError, match=f"The setting {setting} is .*: give {wanted}"):
        rival(name)(TREE, **{setting: value})


def test_training_ends_when_neither_f1_nor_loss_improves_and_keeps_the_best_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpus = separable(2)
    measured = iter(
        [(0.5, 1.0), (0, 0.9), (0, 0.8), (0.9, 0.9), (0.9, 0.85), (0.9, 0.9), (0.8, 1), (1.0, 0.0)]
    )
    states = []

    def watch(trainer: object, net: Network, *others: object) -> tuple[float, float]:  # noqa: ARG001
        states.append(net.output.weight.detach().clone())  # type: ignore[union-attr]
        return next(measured)

    monkeypatch.setattr("branchwise.rivals.neural.training.Trainer._watch", watch)
    system = tiny("textcnn", TREE, epochs=10, patience=2).fit(corpus, corpus)
    assert [one["micro_f1"] for one in system.record["epochs"]] == [0.5, 0, 0, 0.9, 0.9, 0.9, 0.8]
    assert torch.equal(system.trained.network.output.weight, states[4])


def test_a_part_is_held_out_where_no_validation_is_given() -> None:
    system = tiny("bow-cnn", TREE, epochs=1).fit(separable())
    assert system.record["documents"] == 32
    assert system.record["calibration"]["documents"] == 4


def test_an_interruption_leaves_what_was_learned_before(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = separable(2)
    system = tiny("textcnn", TREE, epochs=1).fit(corpus, corpus)
    before = system.scores(["purr"])

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("branchwise.rivals.neural.training.Trainer._step", interrupt)
    with pytest.raises(KeyboardInterrupt):
        system.fit(corpus, corpus)
    assert np.array_equal(system.scores(["purr"]), before)


def test_a_loss_that_is_no_number_ends_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Network, "loss", lambda net, *_: net.words.weight.sum() * torch.inf)
    with pytest.raises(TrainingError, match=r"The loss of textcnn has become .*: lower its setting rate\."):
        tiny("textcnn", TREE).fit(separable(1))


def test_words_are_cut_counted_and_encoded() -> None:
    vocabulary = Vocabulary.learn(["B b, a?! C's 3.5", "b c's"], 2, most=3, fewest=None)
    assert vocabulary.words == ["b", "c's", "3.5"]
    encoded = vocabulary.encode(["b . new", "", "c's c's c's"], longest=2)
    b, c = FIRST_WORD, FIRST_WORD + 1
    assert encoded.words.tolist() == [b, STOP, UNKNOWN, c, c]
    assert encoded.padded(np.array([1, 0])).tolist() == [[UNKNOWN, 0], [b, STOP]]
    assert Vocabulary.learn(["b b a"], 1, most=9, fewest=2).words == ["b"]


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        MissingExtraError, match=r"The rival han needs the package torch.*branchwise\[train\]"
    ):
        rival("han")


def test_the_linear_rivals_do_without_torch() -> None:
    program = (
        "import sys\n"
        "from branchwise.rivals import rival, rivals\n"
        "print([rival(name).name for name in rivals('linear')], 'torch' in sys.modules)"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "['svm', 'leaf-svm', 'td-svm', 'hr-svm'] False"


def test_decisions_are_margins_above_zero_unless_a_rival_decides_otherwise() -> None:
    corpus = separable(2)
    system = tiny("textcnn", TREE, epochs=1).fit(corpus, corpus)
    texts = list(corpus.texts())
    margins, _ = system._answers(texts)
    assert system.decide(texts) == LabelSets.from_pairs(*np.nonzero(margins > 0), len(texts))
