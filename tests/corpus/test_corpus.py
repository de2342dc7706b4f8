"""The corpus itself: built in memory, cut into rows, and known by its content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from branchwise import Corpus, Taxonomy
from branchwise.errors import CorpusError, TaxonomyError
from tests.corpus.files import ROWS, SUFFIXES, TREE, Rows, write_rows

GOLDEN = "920c1868bf1f353bc775df776901d4012879f9701bc61cd9ad648913c2cf08ca"  # worked out apart from the code


def read(tmp_path: Path, rows: Rows, suffix: str = ".jsonl", tree: Taxonomy = TREE) -> Corpus:
    return Corpus.read(write_rows(tmp_path / f"docs{suffix}", rows), tree)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_fingerprint_is_the_same_in_every_format_and_for_ever(tmp_path: Path, suffix: str) -> None:
    assert read(tmp_path, ROWS, suffix).fingerprint == GOLDEN


@pytest.mark.parametrize(
    "change",
    [
        {"id": "A"},
        {"text": "One learns. "},
        {"text": "One learns"},
        {"labels": ["cs.AI"]},
        {"labels": ["cs.LG", "stat.ML"]},
        {"id": "aO", "text": "ne learns."},
    ],
)
def test_any_change_changes_the_fingerprint(tmp_path: Path, change: dict[str, Any]) -> None:
    assert read(tmp_path, [ROWS[0] | change, *ROWS[1:]]).fingerprint != GOLDEN


def test_the_fingerprint_is_of_the_closed_sets_in_order(tmp_path: Path) -> None:
    spelled_out = [ROWS[0] | {"labels": ["stat.ML", "cs", "stat", "cs.AI"]}, *ROWS[1:]]
    assert read(tmp_path, spelled_out).fingerprint == GOLDEN
    assert read(tmp_path, ROWS[::-1]).fingerprint != GOLDEN
    renamed = Taxonomy.from_nodes(TREE.ids, [TREE.ids[p] if p >= 0 else None for p in TREE.parent])
    assert read(tmp_path, ROWS, tree=renamed).fingerprint == GOLDEN


def test_take_keeps_order_fields_and_labels(tmp_path: Path) -> None:
    corpus = read(tmp_path, ROWS)
    part = corpus.take(np.array([2, 0, 0]))
    assert part.ids == ["c", "a", "a"]
    assert part.given.to_ids(TREE) == [(), ("cs.AI", "stat.ML"), ("cs.AI", "stat.ML")]
    assert part.report.read == len(part) == 3
    assert corpus.take(range(3)).fingerprint == corpus.fingerprint
    assert len(corpus.take([])) == 0


class TestFromTexts:
    """Documents that are in memory already."""

    def test_it_equals_the_corpus_read(self) -> None:
        corpus = Corpus.from_texts(
            [row["text"] for row in ROWS], [row["labels"] for row in ROWS], TREE, [row["id"] for row in ROWS]
        )
        assert corpus.fingerprint == GOLDEN
        assert corpus.report.read == 3

    def test_without_ids_and_labels(self) -> None:
        corpus = Corpus.from_texts(["one", ""], None, TREE)
        assert corpus.ids == ["1", "2"]
        assert corpus.labels.to_ids(TREE) == [(), ()]

    def test_what_does_not_fit_together(self) -> None:
        with pytest.raises(CorpusError, match="There are 2 texts and 1 label sets: give one to every text"):
            Corpus.from_texts(["a", "b"], [["cs"]], TREE)
        with pytest.raises(CorpusError, match="There are 1 texts and 2 ids"):
            Corpus.from_texts(["a"], None, TREE, ["x", "y"])
        with pytest.raises(CorpusError, match="Text 2 is a number, not a string"):
            Corpus.from_texts(["a", 5], None, TREE)  # type: ignore[list-item]
        with pytest.raises(TaxonomyError, match="'biology' is not in the taxonomy"):
            Corpus.from_texts(["a"], [["biology"]], TREE)


def test_a_corpus_says_what_it_is(tmp_path: Path) -> None:
    assert repr(read(tmp_path, ROWS)) == "Corpus(3 documents, Taxonomy(6 labels on 2 levels))"
