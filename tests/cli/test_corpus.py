"""``data stats``, ``check``, ``convert`` and ``split`` on a handful of documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from branchwise import Corpus, Taxonomy

T = ("--taxonomy", "tree.tsv")


@pytest.mark.usefixtures("folder")
def test_stats_json(branchwise: Callable) -> None:
    data = branchwise("data", "stats", "test.jsonl", "train.jsonl", *T, "--json").json
    assert data["sizes"] == {"train": 4, "test": 2}
    assert (data["labels"], data["depth"], data["documents"]) == (5, 3, 6)
    assert data["labels_per_document"] == 15 / 6
    assert data["most_labels"] == 5
    assert data["levels"][0]["occurrences_per_label"] == 4.0


@pytest.mark.usefixtures("folder")
def test_stats_tables(branchwise: Callable) -> None:
    out = branchwise("data", "stats", "train.jsonl", "test.jsonl", *T).out
    rows = [line.split() for line in out.splitlines()]
    assert ["5", "3", "2.50", "5", "4", "2", "6"] in rows
    assert ["1", "2", "2", "2.50", "1.50", "4.00"] in rows


@pytest.mark.usefixtures("folder")
def test_stats_markdown(branchwise: Callable) -> None:
    out = branchwise("data", "stats", "--part", "mine=documents.jsonl", *T, "--markdown").out
    assert "| \\|L\\| | depth | Avg(\\|Li\\|) | Max(\\|Li\\|) | documents |" in out
    assert "| 5 | 3 | 2.50 | 5 | 6 |" in out


def test_stats_without_a_taxonomy(folder: Path, branchwise: Callable) -> None:
    (folder / "more.csv").write_text("id,text,labels\n4,four,F > G\n")
    data = branchwise("data", "stats", "--part", "train=paths.csv", "--part", "test=more.csv", "--json").json
    assert data["labels"] == 7
    assert data["sizes"] == {"train": 3, "test": 1}


def test_skipped_rows_of_each_part_have_a_file(folder: Path, branchwise: Callable) -> None:
    for name in ("train", "test"):
        with (folder / f"{name}.jsonl").open("a") as file:
            file.write('{"id": "9", "text": "", "labels": ["a"]}\n')
    options = (*T, "--missing-text", "skip", "--rejects", "rejects.jsonl")
    answer = branchwise("data", "stats", "train.jsonl", "test.jsonl", *options, "--json")
    assert answer.json["documents"] == 6
    assert answer.err.count("1 row left out") == 2
    for name in ("train", "test"):
        [row] = (folder / f"rejects.{name}.jsonl").read_text().splitlines()
        assert f"{name}.jsonl" in json.loads(row)["where"]


def test_check_tells_and_strict_fails(folder: Path, branchwise: Callable) -> None:
    (folder / "test.jsonl").write_text((folder / "train.jsonl").read_text())
    calm = branchwise("data", "check", "train.jsonl", "test.jsonl", *T)
    assert calm.code == 0
    assert "train 4, test 4" in calm.out
    assert branchwise("data", "check", "train.jsonl", "test.jsonl", *T, "--strict").code == 1
    data = branchwise("data", "check", "train.jsonl", "test.jsonl", *T, "--strict", "--json").json
    assert data["counts"]["error"] > 0
    assert branchwise("data", "check", "documents.jsonl", *T, "--strict").code == 0


def test_check_prints_markup_as_it_stands(folder: Path, branchwise: Callable) -> None:
    (folder / "odd.tsv").write_text("id\tparent\tname\na\t\tAlpha\n[/red]\t\t[red]x[/red]\n")
    (folder / "odd.jsonl").write_text('{"id": "1", "text": "one two", "labels": ["a"]}\n')
    assert "[/red]" in branchwise("data", "check", "odd.jsonl", "--taxonomy", "odd.tsv").out


def test_convert_round_trip_keeps_the_fingerprint(folder: Path, branchwise: Callable) -> None:
    tree = Taxonomy.read("tree.tsv")
    before = Corpus.read(folder / "documents.jsonl", tree).fingerprint
    for name in ("copy.csv", "copy.parquet", "copy.jsonl.zst"):
        answer = branchwise("data", "convert", "documents.jsonl", "--output", name, *T)
        assert before in answer.err
        assert answer.out == ""
        assert Corpus.read(folder / name, tree).fingerprint == before


@pytest.mark.usefixtures("folder")
def test_convert_closed_and_kept_fields_to_standard_output(branchwise: Callable) -> None:
    out = branchwise(
        "data", "convert", "documents.jsonl", "--output", "-", *T, "--closed", "--keep-field", "source"
    ).out
    first = json.loads(out.splitlines()[0])
    assert first == {"id": "0", "text": "text number 0 of the test", "source": "s0", "labels": list("abcde")}


def test_convert_overwrites_its_output(folder: Path, branchwise: Callable) -> None:
    (folder / "copy.jsonl").write_text("old")
    assert branchwise("data", "convert", "documents.jsonl", "--output", "copy.jsonl", *T).code == 0
    assert "old" not in (folder / "copy.jsonl").read_text()


def test_split_writes_parts_and_a_manifest(folder: Path, branchwise: Callable) -> None:
    options = (
        "--how",
        "random",
        "--seed",
        "7",
        "--parts",
        "train=0.5,test=0.5",
        "--output-dir",
        "parts/of/it",
    )
    answer = branchwise("data", "split", "documents.jsonl", *T, *options, "--suffix", "jsonl", "--json")
    manifest = answer.json
    assert manifest == json.loads((folder / "parts/of/it/split.json").read_text())
    tree = Taxonomy.read("tree.tsv")
    assert manifest["source"] == {
        "documents": 6, "sha256": Corpus.read(folder / "documents.jsonl", tree).fingerprint,
    }  # fmt: skip
    assert (manifest["how"], manifest["seed"]) == ("random", 7)
    for name, part in manifest["parts"].items():
        corpus = Corpus.read(folder / "parts/of/it" / part["file"], tree)
        assert (len(corpus), corpus.fingerprint) == (part["documents"], part["sha256"])
        assert part["file"] == f"{name}.jsonl"


def test_split_by_group_keeps_the_field(folder: Path, branchwise: Callable) -> None:
    options = ("--how", "group", "--group", "source", "--parts", "x=0.5,y=0.5", "--output-dir", "parts")
    answer = branchwise("data", "split", "documents.jsonl", *T, *options, "--suffix", ".jsonl")
    assert "group split, seed 0" in answer.out
    sources = [
        {json.loads(line)["source"] for line in (folder / f"parts/{name}.jsonl").read_text().splitlines()}
        for name in "xy"
    ]
    assert not sources[0] & sources[1]


def test_rows_that_cannot_be_read_can_be_skipped(folder: Path, branchwise: Callable) -> None:
    (folder / "short.csv").write_text("id,text,labels\n1,one\n2,two,a\n")
    options = ("--bad-row", "skip", "--rejects", "rejects.jsonl", "--output", "-")
    answer = branchwise("data", "convert", "short.csv", *T, *options)
    assert [json.loads(line)["id"] for line in answer.out.splitlines()] == ["2"]
    assert "1 document read, 1 row left out." in answer.err
    assert json.loads((folder / "rejects.jsonl").read_text())["where"] == "short.csv, line 2"


@pytest.mark.usefixtures("folder")
def test_split_says_where_a_part_is_not_of_the_size_asked_for(branchwise: Callable) -> None:
    options = ("--how", "group", "--group", "source", "--parts", "x=1,y=5", "--suffix", ".jsonl")
    answer = branchwise("data", "split", "documents.jsonl", *T, *options, "--output-dir", "parts")
    assert "x has 2 documents, not the 1 asked for: groups stay whole." in answer.err
    shares = ("--how", "random", "--parts", "x=0.5,y=0.5")
    assert branchwise("data", "split", "documents.jsonl", *T, *shares, "--output-dir", "parts").err == ""


def test_a_split_cut_short_leaves_the_one_before(
    folder: Path, branchwise: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--parts", "x=0.5,y=0.5", "--suffix", ".jsonl", "--output-dir", "parts")
    branchwise("data", "split", "documents.jsonl", *T, *options)
    before = {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}
    written = []

    def write_one_then_stop(_corpus: Corpus, place: Path) -> None:
        if written:
            raise KeyboardInterrupt
        written.append(place)
        place.write_text("whole")

    monkeypatch.setattr(Corpus, "write", write_one_then_stop)
    assert branchwise("data", "split", "documents.jsonl", *T, *options, "--seed", "1").code == 130
    assert written
    assert {path.name: path.read_bytes() for path in (folder / "parts").iterdir()} == before


@pytest.mark.usefixtures("folder")
def test_check_of_one_file_speaks_of_documents(branchwise: Callable) -> None:
    out = branchwise("data", "check", "documents.jsonl", *T).out
    assert "Checked 6 documents." in out
    assert "documents in documents" not in out
