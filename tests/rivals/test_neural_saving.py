"""Saved neural rivals and files of word vectors: the same answers, no pickles, a sentence about what is broken."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from branchwise.errors import BranchwiseError, ModelError
from branchwise.rivals import kind_of, load_system, rival
from branchwise.rivals.neural.vectors import read_vectors
from branchwise.rivals.neural.vocabulary import FIRST_WORD, STOP, Vocabulary
from tests.rivals.corpora import TREE, separable
from tests.rivals.neural import each, tiny
from tests.rivals.test_saving import Trap, edited


@pytest.fixture(scope="module")
def trained() -> Any:
    corpus = separable(2)
    return tiny("textcnn", TREE, epochs=1).fit(corpus, corpus)


@pytest.fixture
def saved(trained: Any, tmp_path: Path) -> Path:
    trained.save(tmp_path / "textcnn")
    return tmp_path / "textcnn"


@each
def test_answers_are_the_same_after_saving_and_loading(name: str, tmp_path: Path) -> None:
    corpus = separable(2)
    texts = [*corpus.texts(), "", "unheard of"]
    system = tiny(name, TREE, epochs=1, seed=5).fit(corpus)
    system.save(tmp_path / "rival")
    assert kind_of(tmp_path / "rival") == name
    files = {one.name for one in (tmp_path / "rival").iterdir()}
    assert files == {"config.json", "taxonomy.tsv", "vocabulary.json", "model.safetensors"}
    random = torch.get_rng_state()
    loaded = load_system(tmp_path / "rival", TREE)
    assert torch.equal(torch.get_rng_state(), random)
    assert type(loaded) is rival(name)
    assert loaded.settings == system.settings
    assert loaded.record == system.record
    assert loaded.decide(texts) == system.decide(texts)
    assert np.array_equal(loaded.scores(texts), system.scores(texts))


def test_a_rival_trained_on_a_device_that_is_not_here_is_loaded_on_one_that_is(saved: Path) -> None:
    edited(saved / "config.json", lambda one: one | {"settings": one["settings"] | {"device": "cuda:77"}})
    assert load_system(saved).predict(["purr"]) is not None


def test_loading_never_unpickles(saved: Path) -> None:
    torch.save({"words.weight": torch.zeros(1), "trap": Trap()}, saved / "model.safetensors")
    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        load_system(saved)
    (saved / "model.safetensors").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        load_system(saved)


def changed(folder: Path, change: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]) -> None:
    save_file(change(load_file(folder / "model.safetensors")), folder / "model.safetensors")


def setting(folder: Path, **settings: Any) -> None:
    edited(folder / "config.json", lambda one: one | {"settings": one["settings"] | settings})


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "fewer words": lambda folder: edited(folder / "vocabulary.json", lambda words: words[1:]),
    "no words": lambda folder: (folder / "vocabulary.json").unlink(),
    "no weights": lambda folder: (folder / "model.safetensors").unlink(),
    "half the weights": lambda folder: (folder / "model.safetensors").write_bytes(
        (folder / "model.safetensors").read_bytes()[:900]
    ),
    "a weight less": lambda folder: changed(folder, lambda one: {k: one[k] for k in sorted(one)[1:]}),
    "a weight more": lambda folder: changed(folder, lambda one: one | {"network.more": torch.zeros(1)}),
    "foreign weights": lambda folder: save_file({"x": torch.zeros(1)}, folder / "model.safetensors"),
    "not a number": lambda folder: changed(folder, lambda one: {k: one[k] * torch.nan for k in one}),
    "fewer labels": lambda folder: changed(folder, lambda one: one | {"maps.slope": one["maps.slope"][1:]}),
    "no vectors": lambda folder: changed(folder, lambda one: one | {"network.words.weight": torch.zeros(())}),
    "other filters": lambda folder: setting(folder, filters=3),
    "odd settings": lambda folder: setting(folder, filters="many"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_folder_is_one_sentence(saved: Path, damage: str) -> None:
    DAMAGE[damage](saved)
    with pytest.raises(BranchwiseError) as caught:
        load_system(saved)
    message = str(caught.value)
    assert str(saved) in message
    assert "\n" not in message
    assert message.endswith(".")


WORDS = Vocabulary(["cat", "dog", "new york", "elk"])
LINES = "cat 1 2 3\nCAT 7 7 7\nDog 4 5 6\nnew york 1 1 1\nother 0 0 0\n. 9 9 9\n"


@pytest.mark.parametrize(("before", "after"), [("", ""), ("6 3\n", ""), ("\ufeff", "\n")])
def test_vectors_are_read_in_both_formats(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(before + LINES.removesuffix("\n") + after)
    vectors, n_given = read_vectors(path, WORDS, seed=0)
    assert vectors.shape == (FIRST_WORD + 4, 3)
    assert n_given == 4
    assert vectors[FIRST_WORD:-1].tolist() == [[1, 2, 3], [4, 5, 6], [1, 1, 1]]  # exact before capitals
    assert vectors[STOP].tolist() == [9, 9, 9]
    assert vectors[0].tolist() == [0, 0, 0]
    assert 0 < np.abs(vectors[-1]).max() < 20  # drawn


def test_vectors_may_be_compressed(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt.gz").write_bytes(gzip.compress(LINES.encode()))
    assert read_vectors(tmp_path / "vectors.txt.gz", WORDS, seed=0)[1] == 4


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (b"cat 1 2 3\ndog 4 5\n", r"line 2, cannot be read \(it has 2 numbers, and other lines have 3\)"),
        (b"cat 1 2 x\n", r"line 1, cannot be read \(could not convert"),
        (b"cat 1 nan 3\n", r"line 1, cannot be read \(a value is not finite\)"),
        (b"2 3\ncat \xff\x00\x80?dog", r"line 2, cannot be read \(byte 5 .*binary format"),
        (b"", "have none of the documents' words"),
        (b"horse 1 2\n", "have none of the documents' words"),
        (b"cat\n", r"line 1, cannot be read \(it has 0 numbers"),
    ],
)
def test_broken_vectors_are_refused_in_a_sentence(tmp_path: Path, content: bytes, wanted: str) -> None:
    path = tmp_path / "vectors.txt"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=wanted) as caught:
        read_vectors(path, WORDS, seed=0)
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_rival_begins_with_given_vectors_and_is_loaded_without_their_file(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("purr 1 0 0 0\nbark 0 1 0 0\ntrunk 0 0 1 0\ndamp 0 0 0 1\n")
    corpus = separable(2)
    said: list[str] = []
    system = tiny("textcnn", TREE, vectors=path, epochs=1, rate=1e-9).fit(corpus, corpus, tell=said.append)
    assert any(one.startswith("4 of ") for one in said)
    trained = system.trained
    purr = trained.network.words.weight[trained.vocabulary.numbers["purr"]]
    assert purr.tolist() == pytest.approx([1, 0, 0, 0], abs=1e-4)
    system.save(tmp_path / "rival")
    path.unlink()
    assert json.loads((tmp_path / "rival" / "config.json").read_text())["settings"]["vectors"] == str(path)
    loaded = load_system(tmp_path / "rival")
    assert np.array_equal(loaded.scores(["purr"]), system.scores(["purr"]))
    with pytest.raises(ModelError, match="There is no file of word vectors"):
        loaded.fit(corpus)
