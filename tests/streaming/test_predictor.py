"""Whatever a folder holds is opened for bulk prediction: a model or a rival, and what it cannot do is said."""

from __future__ import annotations

import pytest

from branchwise import Corpus, Taxonomy
from branchwise.errors import ModelError
from branchwise.rivals import rival
from branchwise.streaming.predictor import open_predictor

TREE = Taxonomy.from_nodes(["a", "b", "c"], ["", "", "a"])
TEXTS = ["apple pear", "brick stone", "apple plum"] * 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    corpus = Corpus.from_texts(TEXTS, [["c"], ["b"], ["a"]] * 8, TREE)
    path = tmp_path_factory.mktemp("rival") / "svm"
    rival("td-svm")(TREE).fit(corpus).save(path)
    return path


def test_a_rival_is_opened_by_what_its_folder_holds(folder):
    predictor = open_predictor(folder, {"scores": "all"})
    said = predictor(["brick stone", "apple pear"])
    assert said[0].labels == ("b",)
    assert set(said[1].scores) == {"a", "b", "c"}
    assert predictor.tree.ids == TREE.ids
    assert predictor.fingerprint == open_predictor(folder).fingerprint
    assert predictor.summary() == []
    assert open_predictor(folder, {"scores": "none"})(["brick"])[0].scores == {}


def test_a_rival_decides_in_its_own_way(folder):
    with pytest.raises(ModelError, match="holds the system td-svm, which has no choice of at-most"):
        open_predictor(folder, {"at_most": 3})


def test_a_folder_that_holds_neither(tmp_path):
    with pytest.raises(ModelError, match="holds no Branchwise model"):
        open_predictor(tmp_path)
