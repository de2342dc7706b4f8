"""``demo``: every step runs on the bundled documents, and what it promises is there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from branchwise import Corpus, Taxonomy


def test_demo_writes_what_it_lists(tmp_path: Path, branchwise: Callable) -> None:
    folder = tmp_path / "demo"
    answer = branchwise("demo", "--output", folder)
    assert answer.code == 0
    assert answer.err == ""
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "tree.png", "statistics.png", "mask.png", "statistics.md", "taxonomy.tsv", "train.jsonl",
        "validation.jsonl", "test.jsonl",
    }  # fmt: skip
    for name in names:
        assert str(folder / name) in answer.out
    for heading in ("Sequence: ", "The corpus", "Checked train", "branchwise data split"):
        assert heading in answer.out
    tree = Taxonomy.read(folder / "taxonomy.tsv")
    assert Corpus.read(folder / "train.jsonl", tree).fingerprint == Corpus.bundled("train").fingerprint


def test_demo_without_matplotlib_goes_on(
    tmp_path: Path, branchwise: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = branchwise("demo", "--output", tmp_path)
    assert answer.code == 0
    assert "branchwise[figures]" in answer.err
    assert not list(tmp_path.glob("*.png"))
    assert (tmp_path / "taxonomy.tsv").exists()
