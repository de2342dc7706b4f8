"""The slice that ships with the package is what its note says, and enough to learn from."""

from __future__ import annotations

import re

import numpy as np
import pytest

from branchwise import Corpus
from branchwise.corpus.bundled import bundled_file, bundled_taxonomy
from branchwise.corpus.corpus import PARTS
from branchwise.errors import CorpusError


@pytest.fixture(scope="module")
def parts() -> dict[str, Corpus]:
    return {part: Corpus.bundled(part) for part in PARTS}


def test_the_note_tells_the_truth(parts: dict[str, Corpus]) -> None:
    note = bundled_file("train").with_name("ORIGIN.md").read_text(encoding="utf-8")
    assert "CC0 1.0" in note
    assert f"`{bundled_taxonomy().fingerprint}`" in note
    for part, corpus in parts.items():
        row = re.search(rf"^\| {part} \| ([\d,]+) \| ([\d.]+) \|.*`(\w+)` \|$", note, re.MULTILINE)
        assert row is not None
        assert row[1] == f"{len(corpus):,}"
        assert row[2] == f"{corpus.labels.sizes.mean():.2f}"
        assert row[3] == corpus.fingerprint


def test_every_label_can_be_learnt_and_tested(parts: dict[str, Corpus]) -> None:
    tree = bundled_taxonomy()
    assert 30 <= len(tree) <= 50
    assert tree.depth == 3
    assert parts["train"].labels.counts(len(tree)).min() >= 30
    for part in ("validation", "test"):
        assert parts[part].labels.counts(len(tree)).min() >= 5


def test_it_has_what_makes_the_task_hierarchical(parts: dict[str, Corpus]) -> None:
    tree = bundled_taxonomy()
    assert tree.names.count("Machine Learning") == 2
    specific = parts["train"].labels.most_specific(tree)
    assert np.mean(specific.sizes > 1) > 0.3
    assert not tree.is_leaf[specific.labels].all()


def test_no_text_and_no_id_stands_twice(parts: dict[str, Corpus]) -> None:
    for values in (
        [text for one in parts.values() for text in one.texts()],
        [one for corpus in parts.values() for one in corpus.ids],
    ):
        assert len(set(values)) == len(values)


def test_it_is_small() -> None:
    assert sum(bundled_file(part).stat().st_size for part in PARTS) < 1_500_000


def test_a_part_that_does_not_exist() -> None:
    with pytest.raises(CorpusError, match="no part 'dev': choose one of train, validation, test"):
        Corpus.bundled("dev")
