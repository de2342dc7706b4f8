"""The paper's two corpus tables, counted by hand."""

from __future__ import annotations

import json

import pytest

from branchwise.corpus import Corpus
from branchwise.corpus.statistics import statistics
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy


def tree() -> Taxonomy:
    #   a: c (e), d      b: f
    return Taxonomy.from_nodes(["a", "b", "c", "d", "f", "e"], [None, None, "a", "a", "b", "c"])


def parts() -> dict[str, Corpus]:
    train = Corpus.from_texts(
        ["one two three", "one\ttwo", "  one  ", "one two three four\nfive six"],
        [["e"], ["d", "c"], ["a"], []],  # closed: {a c e}, {a c d}, {a}, {}
        tree(),
    )
    test = Corpus.from_texts(["one two three four"], [["e", "b"]], tree())  # closed: {a b c e}
    return {"train": train, "test": test}


def test_a_small_corpus_counted_by_hand() -> None:
    found = statistics(parts())
    assert found.sizes == {"train": 4, "test": 1}
    assert (found.documents, found.labels, found.labels_in_use, found.depth) == (5, 6, 5, 3)
    assert found.labels_per_document == pytest.approx((3 + 3 + 1 + 0 + 4) / 5)
    assert found.most_labels == 4
    assert found.label_set_sizes == {0: 1, 1: 1, 3: 2, 4: 1}
    assert found.unlabelled == 1
    # paths: e; c and d; a; none; e and b
    assert (found.paths_per_document, found.most_paths) == (pytest.approx(6 / 5), 2)
    assert found.multi_path_share == pytest.approx(2 / 5)
    # c, a and b have children, and paths end there in the second, third and fifth document
    assert found.inner_stop_share == pytest.approx(3 / 5)
    alone = Corpus.from_texts(["x"] * 4, [["e"], ["f"], ["a"], ["d", "f"]], tree())
    assert statistics({"all": alone}).inner_stop_share == pytest.approx(1 / 4)


def test_occurrences_are_per_label_of_the_level_the_unused_ones_too() -> None:
    levels = statistics(parts()).levels
    assert [(one.level, one.labels, one.labels_in_use) for one in levels] == [(1, 2, 2), (2, 3, 2), (3, 1, 1)]
    # a 4, b 1; c 3, d 1, f 0; e 2
    assert [one.occurrences_per_label for one in levels] == pytest.approx([5 / 2, 4 / 3, 2])
    by_part = [one.occurrences_per_label_by_part for one in levels]
    assert [one["train"] for one in by_part] == pytest.approx([3 / 2, 3 / 3, 1])
    assert [one["test"] for one in by_part] == pytest.approx([2 / 2, 1 / 3, 1])


def test_text_lengths_are_in_words() -> None:
    found = statistics(parts())
    assert found.words_by_part["test"].to_dict() == {"mean": 4, "median": 4, "p95": 4, "max": 4}
    assert (found.words.mean, found.words.median, found.words.max) == (pytest.approx(16 / 5), 3, 6)
    assert found.words.p95 == pytest.approx(4 + 0.8 * 2)  # between the two longest of 1 2 3 4 6


def test_the_numbers_go_into_json() -> None:
    found = json.loads(json.dumps(statistics(parts()).to_dict()))
    assert found["levels"][1]["occurrences_per_label_by_part"]["train"] == 1.0
    assert found["label_set_sizes"]["3"] == 2


def test_long_corpora_are_counted_block_by_block() -> None:
    texts = ["word " * (i % 900) + "end" for i in range(3000)]
    one = Corpus.from_texts(texts, None, tree())
    words = statistics({"all": one}).words
    assert words.mean == pytest.approx(sum(i % 900 + 1 for i in range(3000)) / 3000)
    assert words.max == 900


def test_errors_say_what_is_wrong() -> None:
    other = Corpus.from_texts(["x"], None, Taxonomy.from_nodes(["a"], [None]))
    with pytest.raises(CorpusError, match="'train' and 'other' stand in different taxonomies"):
        statistics({"train": parts()["train"], "other": other})
    with pytest.raises(CorpusError, match="No part is given"):
        statistics({})
