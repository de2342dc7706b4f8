"""A small tree with documents and predictions over it, and a command line to run on them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from branchwise.cli.main import run

TREE = "id\tparent\tname\na\t\tAlpha\nb\t\tBeta\nc\ta\tGamma\nd\tb\tDelta\ne\tc\tEpsilon\n"
LABELS = (["e", "d"], ["a"], ["b"], ["e"], ["c", "b"], ["d"])


@dataclass(frozen=True)
class Answer:
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be JSON and nothing else."""
        return json.loads(self.out)


@pytest.fixture
def branchwise(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Answer]:
    """Run the command line in this process, as the console script does."""

    def call(*arguments: object, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            run([str(one) for one in arguments])
        captured = capsys.readouterr()
        return Answer(int(left.value.code or 0), captured.out, captured.err)

    return call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a tree, documents, and predictions into the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.tsv").write_text(TREE)
    documents = [
        {"id": str(i), "text": f"text number {i} of the test", "labels": labels, "source": f"s{i % 3}"}
        for i, labels in enumerate(LABELS)
    ]
    write_lines(tmp_path / "documents.jsonl", documents)
    write_lines(tmp_path / "train.jsonl", documents[:4])
    write_lines(tmp_path / "test.jsonl", documents[4:])
    write_lines(
        tmp_path / "predictions.jsonl", [{"id": one["id"], "labels": one["labels"]} for one in documents]
    )
    write_lines(tmp_path / "worse.jsonl", [{"id": one["id"], "labels": ["a"]} for one in documents[::-1]])
    (tmp_path / "paths.csv").write_text("id,text,labels\n1,one,A > B > C\n2,two,A > D;E\n3,three,A > B\n")
    return tmp_path


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    """Write JSON lines."""
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
