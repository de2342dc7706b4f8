"""What is written is read back the same, in every format; and a file is there whole or not at all."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise import Corpus, Taxonomy, progress
from branchwise.corpus import streams, write
from branchwise.corpus.excel_text import escaped, unescaped
from branchwise.errors import CorpusError
from tests.corpus.files import ROWS, SUFFIXES, TREE, write_rows

ODD = [
    '"',
    '""',
    "'",
    ",",
    ";",
    "\t",
    "|",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\x0b",
    "\x1c",
    "\x7f",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\ufffe",
    "\uffff",
    "\u202e",
    "😀",
    "e\u0301",
    "\\",
    "\\n",
    "\\ud800",
    "=1+1",
    "#N/A",
    "_x000D_",
    "_x0041_",
    "_x005F_x000D_",
    "<&]]>",
    "NaN",
    "null",
    " ",
    "-",
    "+1",
    "007",
    "2020-01-01",
]
pieces = st.one_of(st.sampled_from(ODD), st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
texts = (
    st.lists(pieces, min_size=1, max_size=6)
    .map("".join)
    .filter(lambda text: not text.isspace() and text != "")
)
label_lists = st.lists(st.sampled_from(TREE.ids), max_size=4)
documents = st.lists(st.tuples(texts, label_lists), min_size=1, max_size=8)


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return Corpus.read(write_rows(tmp_path / "given.jsonl", ROWS), TREE)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(drawn=documents)
def test_every_text_survives_every_format(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, drawn: list[tuple[str, list[str]]]
) -> None:
    ids = [f"{i} {text}" for i, (text, _) in enumerate(drawn)]
    before = Corpus.from_texts([text for text, _ in drawn], [labels for _, labels in drawn], TREE, ids)
    path = tmp_path_factory.mktemp("odd") / f"docs{suffix}"
    before.write(path)
    after = Corpus.read(path, TREE)
    assert list(after.texts()) == [text for text, _ in drawn]
    assert after.ids == ids
    assert after.given == before.given
    assert after.fingerprint == before.fingerprint


@given(texts)
def test_excel_escapes_are_undone(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert all(character in "\t\n" or character >= " " for character in escaped(text))


def test_escapes_as_excel_itself_writes_them() -> None:
    assert unescaped("a_x000D_\nb_x005F_x000D_ _xD83D_ _x00e9_") == "a\r\nb_x000D_ _xD83D_ é"


def test_kept_fields_are_written_and_read_again(tmp_path: Path) -> None:
    rows = [row | {"site": f"s\r\n{i}"} for i, row in enumerate(ROWS)]
    corpus = Corpus.read(write_rows(tmp_path / "in.jsonl", rows), TREE, keep_fields=["site"])
    for suffix in SUFFIXES:
        corpus.write(tmp_path / f"out{suffix}")
        again = Corpus.read(tmp_path / f"out{suffix}", TREE, keep_fields=["site"])
        assert again.documents.to_pylist() == corpus.documents.to_pylist()


def test_json_lines_say_what_the_design_says(tmp_path: Path, corpus: Corpus) -> None:
    corpus.write(tmp_path / "out.jsonl")
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == ROWS


@pytest.mark.parametrize(("suffix", "delimiter"), [(".csv", ","), (".tsv", "\t")])
def test_tables_are_read_by_other_programs(
    tmp_path: Path, corpus: Corpus, suffix: str, delimiter: str
) -> None:
    path = tmp_path / f"out{suffix}"
    corpus.write(path, label_separator=" & ")
    assert b"\r" not in path.read_bytes()
    with path.open(newline="") as file:
        rows = list(csv.reader(file, delimiter=delimiter))
    assert rows[:2] == [["id", "text", "labels"], ["a", "One learns.", "cs.AI & stat.ML"]]


def test_parquet_and_excel_are_read_by_other_programs(tmp_path: Path, corpus: Corpus) -> None:
    corpus.write(tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == ROWS
    corpus.write(tmp_path / "out.xlsx")
    rows = list(openpyxl.load_workbook(tmp_path / "out.xlsx").worksheets[0].iter_rows(values_only=True))
    assert rows[0] == ("id", "text", "labels")
    assert rows[3][:2] == ("c", "Three have none.")


def test_labels_as_given_or_closed(tmp_path: Path, corpus: Corpus) -> None:
    def first_labels(**options: Any) -> list[str]:
        corpus.write(tmp_path / "out.jsonl", **options)
        return json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["labels"]

    assert first_labels() == ["cs.AI", "stat.ML"]
    assert first_labels(closed=True) == ["cs", "stat", "cs.AI", "stat.ML"]


def test_standard_output(monkeypatch: pytest.MonkeyPatch, corpus: Corpus) -> None:
    stream = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=stream))
    corpus.write("-", format="csv")
    assert stream.getvalue().splitlines()[0] == b"id,text,labels"


class TestRefusals:
    """What a format cannot hold is an error, and leaves no file."""

    def refused(self, corpus: Corpus, path: Path, **options: Any) -> str:
        with pytest.raises(CorpusError) as caught:
            corpus.write(path, **options)
        if path.parent.exists():
            assert [one for one in path.parent.iterdir() if "out" in one.name] == []
        return str(caught.value)

    @pytest.mark.parametrize("suffix", [".csv", ".tsv.gz", ".xlsx"])
    def test_a_label_that_holds_the_separator(self, tmp_path: Path, suffix: str) -> None:
        tree = Taxonomy.from_nodes(["a;b"], [None])
        corpus = Corpus.from_texts(["t"], [["a;b"]], tree, ["x"])
        told = self.refused(corpus, tmp_path / f"out{suffix}")
        assert "The label 'a;b' of document 'x' holds the label separator ';': choose another one" in told
        corpus.write(tmp_path / f"fine{suffix}", label_separator="|")
        assert Corpus.read(tmp_path / f"fine{suffix}", tree, label_separator="|").given == corpus.given

    def test_more_than_excel_holds(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        long = Corpus.from_texts(["t" * 32_768], None, TREE, ["x"])
        told = self.refused(long, tmp_path / "out.xlsx")
        assert "document 'x' is longer than the 32,767 characters an Excel cell holds: write .csv" in told
        monkeypatch.setattr(write, "EXCEL_ROWS", 3)
        many = Corpus.from_texts(["t"] * 3, None, TREE)
        assert "cannot hold 3 documents, as a sheet has 3 rows: write .csv" in self.refused(
            many, tmp_path / "out.xlsx"
        )
        Corpus.from_texts(["t" * 32_767] * 2, None, TREE).write(tmp_path / "fits.xlsx")

    @pytest.mark.parametrize("name", ["out.parquet.gz", "out.csv.gz.zst"])
    def test_double_compression(self, tmp_path: Path, corpus: Corpus, name: str) -> None:
        assert "is compressed twice" in self.refused(corpus, tmp_path / name)

    def test_places_that_are_not_there(self, tmp_path: Path, corpus: Corpus) -> None:
        assert "The folder" in self.refused(corpus, tmp_path / "no" / "out.csv")
        assert "which names no document format" in self.refused(corpus, tmp_path / "out.doc")
        folder = tmp_path / "folder.csv"
        folder.mkdir()
        assert "is a folder: name a file in it" in self.refused(corpus, folder)


class TestWholeOrNotAtAll:
    """An output file is complete or is not there, and what stood there before stays until then."""

    @pytest.mark.parametrize("suffix", SUFFIXES)
    @pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
    def test_interrupted(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        corpus: Corpus,
        suffix: str,
        error: type[BaseException],
    ) -> None:
        path = tmp_path / "out" / f"docs{suffix}"
        path.parent.mkdir()
        path.write_bytes(b"of yesterday")
        monkeypatch.setattr(write, "ROWS", 1)
        real = write._batches

        def interrupted(*given: Any) -> Iterator[Any]:
            batches = real(*given)
            yield next(batches)
            raise error

        monkeypatch.setattr(write, "_batches", interrupted)
        with pytest.raises(error):
            corpus.write(path)
        assert [one.name for one in path.parent.iterdir()] == [path.name]
        assert path.read_bytes() == b"of yesterday"

    def test_it_replaces_what_stood_there(self, tmp_path: Path, corpus: Corpus) -> None:
        path = tmp_path / "docs.jsonl"
        path.write_text("of yesterday")
        corpus.write(path)
        assert len(Corpus.read(path, TREE)) == 3
        assert [one.name for one in tmp_path.glob("docs*")] == ["docs.jsonl"]

    def test_a_link_stays_a_link(self, tmp_path: Path, corpus: Corpus) -> None:
        real, link = tmp_path / "real.jsonl", tmp_path / "link.jsonl"
        real.write_text("of yesterday")
        link.symlink_to(real)
        corpus.write(link)
        assert link.is_symlink()
        assert len(Corpus.read(real, TREE)) == 3

    def test_a_pipe_is_written_to_and_not_replaced(self, tmp_path: Path, corpus: Corpus) -> None:
        pipe = tmp_path / "docs.jsonl"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        corpus.write(pipe)
        assert len(os.read(reader, 10_000).splitlines()) == 3
        os.close(reader)
        assert pipe.is_fifo()

    def test_a_full_disk_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corpus: Corpus
    ) -> None:
        def full(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(streams.pa, "output_stream", full)
        with pytest.raises(
            CorpusError, match=r"docs\.csv cannot be written .*No space left.*: free space or choose"
        ):
            corpus.write(tmp_path / "docs.csv")


def test_progress_of_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, corpus: Corpus) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(progress, "PATIENCE", -1)
    for stream, shown in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        corpus.write(tmp_path / "docs.jsonl")
        assert ("Writing docs.jsonl" in stream.getvalue()) is shown
