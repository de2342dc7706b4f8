"""Saved rivals: the same answers after loading, no pickles, and a sentence about every damaged folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from branchwise import Corpus, Taxonomy
from branchwise.errors import BranchwiseError, ModelError, TaxonomyError
from branchwise.rivals import kind_of, load_system, rival, rivals
from tests.rivals.corpora import TREE, separable
from tests.strategies import taxonomies

each = pytest.mark.parametrize("name", rivals("linear"))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    corpus = separable()
    rival("svm")(TREE).fit(corpus, corpus).save(tmp_path / "svm")
    return tmp_path / "svm"


@each
def test_answers_are_the_same_after_saving_and_loading(name: str, tmp_path: Path) -> None:
    train = Corpus.bundled("train").take(range(200))
    texts = [*Corpus.bundled("test").take(range(50)).texts(), ""]
    system = rival(name)(train.taxonomy, seed=4, cost=2, phrase=2).fit(train)
    system.save(tmp_path / "rival")
    assert kind_of(tmp_path / "rival") == name
    loaded = load_system(tmp_path / "rival", train.taxonomy)
    assert type(loaded) is rival(name)
    assert loaded.taxonomy == train.taxonomy
    assert loaded.settings == system.settings
    assert loaded.record == system.record
    assert loaded.decide(texts) == system.decide(texts)
    assert np.array_equal(loaded.scores(texts), system.scores(texts))
    loaded.save(tmp_path / "again")
    assert load_system(tmp_path / "again").predict(texts) == system.predict(texts)


@settings(max_examples=15)
@given(tree=taxonomies())
def test_odd_ids_survive(tree: Taxonomy, tmp_path: Path) -> None:
    labels = [[label] for label in tree.ids]
    corpus = Corpus.from_texts([f"word{number} \u2028 né" for number in range(len(tree))], labels, tree)
    system = rival("svm")(tree).fit(corpus, corpus)
    system.save(tmp_path / "odd")
    assert load_system(tmp_path / "odd", tree).predict(["word0"]) == system.predict(["word0"])


def test_words_unknown_to_an_empty_vocabulary(tmp_path: Path) -> None:
    tree = Taxonomy.from_nodes(["only"], [""])
    rival("td-svm")(tree).fit(Corpus.from_texts(["", ""], [["only"], ["only"]], tree)).save(tmp_path)
    assert load_system(tmp_path).predict(["anything"]) == [("only",)]


def test_saving_replaces_an_older_rival_and_leaves_other_files(saved: Path) -> None:
    (saved / "notes.txt").write_text("mine")
    corpus = separable(2)
    rival("leaf-svm")(TREE).fit(corpus, corpus).save(saved)
    assert kind_of(saved) == "leaf-svm"
    assert (saved / "notes.txt").read_text() == "mine"
    assert {one.name for one in saved.iterdir()} == {
        "config.json",
        "taxonomy.tsv",
        "vocabulary.json",
        "weights.npz",
        "notes.txt",
    }


def test_a_rival_of_another_name_or_taxonomy_is_not_loaded(saved: Path) -> None:
    with pytest.raises(ModelError, match="holds a svm, not a td-svm: open it with load_system"):
        rival("td-svm").load(saved)
    with pytest.raises(TaxonomyError, match=r"different taxonomy \(6 labels; yours has 1\)"):
        load_system(saved, Taxonomy.from_nodes(["x"], [""]))


def test_only_trained_rivals_are_saved(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="call fit first"):
        rival("svm")(TREE).save(tmp_path / "none")
    assert not (tmp_path / "none").exists()


class Trap:
    """Unpickling this would be noticed."""

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return exec, ("raise SystemExit('unpickled')",)


def replaced(saved: Path, **changes: np.ndarray) -> None:
    with np.load(saved / "weights.npz") as stored:
        arrays = dict(stored)
    np.savez(saved / "weights.npz", **(arrays | changes))


def test_loading_never_unpickles(saved: Path) -> None:
    replaced(saved, values=np.array([Trap()], dtype=object))
    with pytest.raises(ModelError, match=r"weights\.npz cannot be read .*pickle"):
        load_system(saved)
    np.save(saved / "weights.npy", np.array([Trap()], dtype=object))
    (saved / "weights.npy").replace(saved / "weights.npz")
    with pytest.raises(ModelError, match=r"weights\.npz cannot be read"):
        load_system(saved)


def edited(path: Path, change: Callable[[Any], Any]) -> None:
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "no config": lambda folder: (folder / "config.json").unlink(),
    "half a config": lambda folder: (folder / "config.json").write_text('{"system":'),
    "a list": lambda folder: (folder / "config.json").write_text("[]"),
    "a model's": lambda folder: (folder / "config.json").write_text('{"branchwise": "0.1.0", "format": 1}'),
    "later format": lambda folder: edited(folder / "config.json", lambda one: one | {"format": 99}),
    "unknown system": lambda folder: edited(folder / "config.json", lambda one: one | {"system": "nnx"}),
    "odd system": lambda folder: edited(folder / "config.json", lambda one: one | {"system": ["svm"]}),
    "no settings": lambda folder: edited(folder / "config.json", lambda one: one | {"settings": None}),
    "odd settings": lambda folder: edited(folder / "config.json", lambda one: one | {"settings": {"x": 1}}),
    "no record": lambda folder: edited(folder / "config.json", lambda one: one | {"record": 3}),
    "no taxonomy": lambda folder: (folder / "taxonomy.tsv").unlink(),
    "other taxonomy": lambda folder: Taxonomy.from_nodes(["x"], [""]).write(folder / "taxonomy.tsv"),
    "no words": lambda folder: (folder / "vocabulary.json").unlink(),
    "fewer words": lambda folder: edited(folder / "vocabulary.json", lambda words: words[1:]),
    "a word twice": lambda folder: edited(folder / "vocabulary.json", lambda words: [*words[1:], words[1]]),
    "numbers": lambda folder: edited(folder / "vocabulary.json", lambda words: [*words[1:], 7]),
    "no weights": lambda folder: (folder / "weights.npz").unlink(),
    "half the weights": lambda folder: (folder / "weights.npz").write_bytes(
        (folder / "weights.npz").read_bytes()[:900]
    ),
    "nothing in it": lambda folder: (folder / "weights.npz").write_bytes(b""),
    "an array less": lambda folder: np.savez(folder / "weights.npz", idf=np.zeros(3)),
    "columns outside": lambda folder: replaced(folder, columns=np.full(9, 99, np.int32), values=np.ones(9)),
    "not a number": lambda folder: replaced(folder, intercept=np.full(6, np.nan)),
    "texts": lambda folder: replaced(folder, intercept=np.array(["a"] * 6)),
    "fewer labels": lambda folder: replaced(folder, slope=np.zeros(5)),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_or_foreign_folder_is_one_sentence(saved: Path, damage: str) -> None:
    DAMAGE[damage](saved)
    with pytest.raises(BranchwiseError) as caught:
        load_system(saved)
    message = str(caught.value)
    assert str(saved) in message
    assert "\n" not in message
    assert message.endswith(".")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="holds no rival"):
        kind_of(tmp_path / "nowhere")


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(ModelError, match="no rival 'svn': choose one of svm, leaf-svm, td-svm, hr-svm"):
        rival("svn")


def test_naming_rivals_imports_nothing_heavy() -> None:
    program = "import sys, branchwise.rivals; print({'sklearn', 'torch'} & set(sys.modules))"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"
