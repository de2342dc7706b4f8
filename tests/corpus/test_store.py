"""Memory that does not grow with the corpus, and a temporary file that never stays behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from branchwise import Corpus
from branchwise.corpus import reader, store
from branchwise.corpus.store import DocumentStore
from branchwise.errors import CorpusError
from tests.corpus.files import TREE, Rows, write_rows

MANY: Rows = [
    {"id": f"d{i}", "text": f"Text number {i}, ünïcode. " * 3, "labels": ["cs.AI"]} for i in range(5000)
]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of temporary files, while documents move to disk almost at once."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(store, "IN_MEMORY", 10_000)
    return folder


def test_on_disk_and_in_memory_are_the_same_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_rows(tmp_path / "docs.jsonl", MANY)
    in_memory = Corpus.read(path, TREE)
    moved = MagicMock(wraps=tempfile.TemporaryFile)
    monkeypatch.setattr(store, "IN_MEMORY", 10_000)
    monkeypatch.setattr(tempfile, "TemporaryFile", moved)
    on_disk = Corpus.read(path, TREE)
    moved.assert_called_once()
    assert on_disk.documents.equals(in_memory.documents)
    assert on_disk.ids == [row["id"] for row in MANY]
    assert list(on_disk.texts()) == [row["text"] for row in MANY]
    assert on_disk.fingerprint == in_memory.fingerprint
    assert on_disk.take([4999, 0]).ids == ["d4999", "d0"]


def test_the_temporary_file_is_gone_while_the_documents_live(tmp_path: Path, temporary: Path) -> None:
    corpus = Corpus.read(write_rows(tmp_path / "docs.jsonl", MANY), TREE)
    assert list(temporary.iterdir()) == []
    documents = corpus.documents
    del corpus
    assert documents.column("text")[4999].as_py() == MANY[4999]["text"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interruption_leaves_no_temporary_file(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    path = write_rows(tmp_path / "docs.jsonl", MANY)
    rejects = tmp_path / "rejects.jsonl"
    files: list[Any] = []
    real_file, real_document = tempfile.TemporaryFile, reader._FileReader._document

    def watched(**options: Any) -> Any:
        files.append(real_file(**options))
        return files[-1]

    def interrupted(self: Any, record: dict[str, Any], number: int) -> Any:
        if number == 4000:
            raise error
        return real_document(self, record, number)

    monkeypatch.setattr(tempfile, "TemporaryFile", watched)
    monkeypatch.setattr(reader._FileReader, "_document", interrupted)
    with pytest.raises(error):
        Corpus.read(path, TREE, rejects=rejects)
    assert len(files) == 1
    assert files[0].closed
    assert list(temporary.iterdir()) == []


def test_an_error_after_the_last_document_leaves_none_either(tmp_path: Path, temporary: Path) -> None:
    with pytest.raises(CorpusError, match="they make no tree"):
        Corpus.read(write_rows(tmp_path / "docs.jsonl", MANY), None)
    assert list(temporary.iterdir()) == []


def fill(n_documents: int) -> None:
    with DocumentStore(("id", "text")) as documents:
        for i in range(n_documents):
            documents.add((str(i), "text" * 100))


def test_a_full_temporary_folder_is_told(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        closed = False

        def write(self, _: bytes) -> int:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            self.closed = True

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(CorpusError) as caught:
        fill(100_000)
    told = str(caught.value)
    assert f"do not fit into the temporary folder {temporary} (" in told
    assert "No space left" in told
    assert told.endswith("free space there, or point TMPDIR to a larger disk.")


def test_large_documents_do_not_wait_for_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "BATCH_CHARACTERS", 1000)
    with DocumentStore(("id", "text")) as documents:
        for i in range(10):
            documents.add((str(i), "x" * 600))
        table = documents.table()
    assert [len(chunk) for chunk in table.column("text").chunks] == [2, 2, 2, 2, 2]


def test_no_documents_are_an_empty_table() -> None:
    with DocumentStore(("id", "text")) as documents:
        assert documents.table().num_rows == 0


STATUS = Path("/proc/self/status")
PROGRAM = """
import json, re, sys
from pathlib import Path
from branchwise import Corpus, Taxonomy
from branchwise.corpus import store

def peak():
    # Not ru_maxrss, which a program inherits from the one that started it.
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

tree = Taxonomy.from_nodes(["a"], [None])
small, large = sys.argv[1:]
Corpus.read(small, tree)  # whatever is loaded once is loaded now
store.IN_MEMORY = 8 << 20
before = peak()
corpus = Corpus.read(large, tree)
json.dump({"documents": len(corpus), "growth": peak() - before}, sys.stdout)
"""


def write_large(path: Path, n_documents: int) -> None:
    """Write documents of 9 kB; Parquet as most programs do, all rows in one group."""
    texts = (f"{i} " + "word and number 17 " * 500 for i in range(n_documents))
    if path.suffix == ".parquet":
        columns = [
            pa.array([str(i) for i in range(n_documents)]),
            pa.array(texts),
            pa.array(["a"] * n_documents),
        ]
        table = pa.table(columns, names=["id", "text", "labels"])
        pq.write_table(table, path, compression="none", row_group_size=n_documents)
        return
    with pa.output_stream(str(path), compression="zstd" if path.suffix == ".zst" else None) as stream:
        if path.suffix == ".csv":
            stream.write(b"id,text,labels\n")
        for i, text in enumerate(texts):
            row = (
                f"{i},{text},a\n"
                if path.suffix == ".csv"
                else f'{{"id": {i}, "text": "{text}", "labels": "a"}}\n'
            )
            stream.write(row.encode())


@pytest.mark.skipif(not STATUS.exists(), reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zst", ".csv", ".parquet"])
def test_memory_does_not_grow_with_the_corpus(tmp_path: Path, suffix: str) -> None:
    small = write_rows(tmp_path / f"small{suffix}", [{"id": "x", "text": "t", "labels": "a"}])
    large = tmp_path / f"large{suffix}"
    write_large(large, 16_000)
    command = [sys.executable, "-c", PROGRAM, str(small), str(large)]
    run = subprocess.run(command, capture_output=True, check=True, env=os.environ | {"TMPDIR": str(tmp_path)})
    large.unlink()
    seen = json.loads(run.stdout)
    assert seen["documents"] == 16_000
    assert seen["growth"] < 130  # megabytes; the texts are 150
    assert sorted(one.name for one in tmp_path.iterdir()) == [small.name]
