"""Every mistake that a user can make: exit code 2, one line that says what and where, and no traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

T = ("--taxonomy", "tree.tsv")
FILES = {
    "empty.tsv": b"",
    "empty.jsonl": b"",
    "cycle.tsv": b"id\tparent\tname\na\tb\tA\nb\ta\tB\n",
    "orphan.tsv": b"id\tparent\tname\na\tnone\tA\n",
    "twice.tsv": b"id\tparent\tname\na\t\tA\na\t\tB\n",
    "latin.tsv": b"id\tparent\tname\na\t\tCaf\xe9\n",
    "latin.csv": b"id,text,labels\n1,caf\xe9,a\n",
    "column.csv": b"id,body,labels\n1,one,a\n",
    "label_column.csv": b"id,text,topic\n1,one,a\n",
    "unknown.jsonl": b'{"id": "1", "text": "one", "labels": ["a"]}\n{"id": "2", "text": "two", "labels": ["zz"]}\n',
    "no_text.jsonl": b'{"id": "1", "text": "", "labels": ["a"]}\n',
    "same_id.jsonl": b'{"id": "1", "text": "x", "labels": ["a"]}\n{"id": "1", "text": "y", "labels": ["a"]}\n',
    "broken.jsonl": b'{"id": "1", "text": "x"\n',
    "picture.bmp": b"",
    "doubled.jsonl": b'{"id": "1", "labels": []}\n{"id": "1", "labels": []}\n',
    "few.jsonl": b'{"id": "1", "labels": []}\n',
    "strange.jsonl": b'{"id": "1", "labels": ["zz"]}\n',
    "tokenizer.json": b"{}",
    "utf16.csv": "id,text,labels\r\n1,one,a\r\n".encode("utf-16"),
    "name.jsonl": b'{"id": "1", "text": "x", "labels": ["Gamma"]}\n',
    "short.csv": b"id,text,labels\n1,one\n2,two,a\n",
    "spelling.jsonl": b'{"id": "1", "text": "x", "labels": ["A"]}\n',
}
MISTAKES = {
    "empty taxonomy": (["data", "tree", "empty.tsv"], ["empty.tsv"]),
    "cyclic taxonomy": (["data", "tree", "cycle.tsv"], ["cycle.tsv, line 2", "a → b → a"]),
    "unknown parent": (["data", "tree", "orphan.tsv"], ["orphan.tsv, line 2", "'none'"]),
    "repeated id": (["data", "tree", "twice.tsv"], ["twice.tsv, line 3", "'a'"]),
    "taxonomy not UTF-8": (["data", "tree", "latin.tsv"], ["latin.tsv, line 2", "0xe9", "UTF-8"]),
    "unknown taxonomy suffix": (["data", "tree", "tree.xyz"], ["tree.xyz", ".tsv"]),
    "missing taxonomy": (["data", "tree", "nowhere.tsv"], ["nowhere.tsv"]),
    "no tree at all": (["data", "tree"], ["FILE", "--from"]),
    "two trees": (["data", "tree", "tree.tsv", "--from", "paths.csv"], ["FILE", "--from"]),
    "skos option on tsv": (["data", "tree", "tree.tsv", "--language", "en"], ["tree.tsv", "language"]),
    "skos option on documents": (["data", "tree", "--from", "paths.csv", "--ids", "iri"], ["--ids"]),
    "empty documents": (["data", "stats", "empty.jsonl", *T], ["empty.jsonl"]),
    "missing documents": (["data", "stats", "nowhere.jsonl", *T], ["nowhere.jsonl"]),
    "no documents": (["data", "stats", *T], ["-"]),
    "wrong text column": (
        ["data", "check", "column.csv", *T],
        ["column.csv, line 2", "'text'", "body", "--text-field"],
    ),
    "wrong label column": (
        ["data", "check", "label_column.csv", *T],
        ["label_column.csv", "topic", "--label-field"],
    ),
    "unknown label": (
        ["data", "stats", "unknown.jsonl", *T],
        ["unknown.jsonl, line 2", "'zz'", "--unknown-label"],
    ),
    "missing text": (["data", "stats", "no_text.jsonl", *T], ["no_text.jsonl, line 1", "--missing-text"]),
    "same id": (["data", "stats", "same_id.jsonl", *T], ["same_id.jsonl, line 2", "'1'", "--duplicate-id"]),
    "not JSON": (["data", "stats", "broken.jsonl", *T], ["broken.jsonl, line 1"]),
    "documents not UTF-8": (
        ["data", "stats", "latin.csv", *T],
        ["latin.csv, line 2", "0xe9", "--encoding cp1252"],
    ),
    "no such encoding": (["data", "stats", "latin.csv", *T, "--encoding", "klingon"], ["klingon"]),
    "unknown document suffix": (["data", "stats", "tree.xyz", *T], ["tree.xyz"]),
    "no taxonomy and no paths": (["data", "stats", "nowhere.jsonl"], ["nowhere.jsonl"]),
    "a part without a file": (["data", "stats", "--part", "train", *T], ["--part train"]),
    "unknown picture suffix": (
        ["data", "tree", "tree.tsv", "--figure", "picture.bmp"],
        ["picture.bmp", ".png"],
    ),
    "picture without a folder": (
        ["data", "tree", "tree.tsv", "--figure", "no/tree.png"],
        ["no/tree.png", "folder"],
    ),
    "output over its input": (
        ["data", "convert", "documents.jsonl", "--output", "documents.jsonl", *T],
        ["documents.jsonl", "written over"],
    ),
    "tree over its input": (
        ["data", "tree", "tree.tsv", "--output", "./tree.tsv"],
        ["tree.tsv", "written over"],
    ),
    "two outputs in one": (
        ["data", "tree", "tree.tsv", "--output", "out.svg", "--figure", "out.svg"],
        ["out.svg", "two outputs"],
    ),
    "unknown output suffix": (["data", "convert", "documents.jsonl", "--output", "out.doc", *T], ["out.doc"]),
    "separator inside a label": (
        ["data", "convert", "documents.jsonl", "--output", "o.csv", "--output-separator", "e", *T],
        ["'e'", "separator"],
    ),
    "shares beyond 1": (
        ["data", "split", "documents.jsonl", *T, "--output-dir", "o", "--parts", "a=0.9,b=0.9"],
        ["a=0.9"],
    ),
    "parts without shares": (
        ["data", "split", "documents.jsonl", *T, "--output-dir", "o", "--parts", "a,b"],
        ["'a'"],
    ),
    "the same part twice": (
        ["data", "split", "documents.jsonl", *T, "--output-dir", "o", "--parts", "a=0.5,a=0.5"],
        ["'a'", "twice"],
    ),
    "a part outside its folder": (
        ["data", "split", "documents.jsonl", *T, "--output-dir", "o", "--parts", "../a=0.5,b=0.5"],
        ["../a"],
    ),
    "group without a field": (
        ["data", "split", "documents.jsonl", *T, "--output-dir", "o", "--how", "group"],
        ["group"],
    ),
    "group by a missing field": (
        ["data", "split", "documents.jsonl", *T, "--output-dir", "o", "--how", "group", "--group", "author"],
        ["documents.jsonl", "'author'"],
    ),
    "standard input twice": (["evaluate", "-", "-", *T], ["Standard input", "twice"]),
    "unknown tree output": (
        ["data", "tree", "tree.tsv", "--output", "out.xyz"],
        ["Error: out.xyz has", "'.xyz'"],
    ),
    "unreadable row": (["data", "stats", "short.csv", *T], ["short.csv, line 2", "--bad-row skip"]),
    "UTF-16": (["data", "stats", "utf16.csv", *T], ["utf16.csv, line 1", "0xff", "utf-16"]),
    "a name for an id": (["data", "stats", "name.jsonl", *T], ["'Gamma'", "the name of c;"]),
    "another spelling": (["data", "stats", "spelling.jsonl", *T], ["'A'", "did you mean a;"]),
    "unknown label in a mask": (["data", "mask", "--labels", "zz", *T], ["'zz'"]),
    "no label in a mask": (["data", "mask", "--labels", " , ", *T], ["--labels"]),
    "text units without a tokenizer": (
        ["data", "mask", "--labels", "e", *T, "--units", "text"],
        ["--tokenizer"],
    ),
    "a tokenizer without text units": (
        ["data", "mask", "--labels", "e", *T, "--tokenizer", "t.json"],
        ["--units text"],
    ),
    "missing tokenizer": (
        ["data", "mask", "--labels", "e", *T, "--units", "text", "--tokenizer", "nowhere.json"],
        ["nowhere.json"],
    ),
    "not a tokenizer": (
        ["data", "mask", "--labels", "e", *T, "--units", "text", "--tokenizer", "tokenizer.json"],
        ["tokenizer.json"],
    ),
    "no mask to draw": (
        ["data", "mask", "--labels", "e", *T, "--variant", "t5", "--figure", "m.png"],
        ["t5"],
    ),
    "doubled prediction": (["evaluate", "documents.jsonl", "doubled.jsonl", *T], ["'1'", "more than once"]),
    "missing prediction": (
        ["evaluate", "documents.jsonl", "few.jsonl", *T],
        ["'0'", "not among the predictions"],
    ),
    "unknown predicted label": (
        ["evaluate", "documents.jsonl", "strange.jsonl", *T],
        ["strange.jsonl, line 1", "'zz'"],
    ),
    "missing predictions": (["evaluate", "documents.jsonl", "nowhere.jsonl", *T], ["nowhere.jsonl"]),
    "report over its input": (
        ["evaluate", "documents.jsonl", "predictions.jsonl", *T, "--output", "predictions.jsonl"],
        ["predictions.jsonl", "written over"],
    ),
    "no taxonomy": (
        ["evaluate", "documents.jsonl", "predictions.jsonl"],
        ["--taxonomy", "branchwise evaluate --help"],
    ),
    "unknown option": (["data", "tree", "tree.tsv", "--colour"], ["--colour", "branchwise data tree --help"]),
    "unknown choice": (["data", "mask", "--labels", "e", *T, "--mask", "paint"], ["paint", "released"]),
    "unknown command": (["dataa"], ["dataa", "branchwise --help"]),
}


@pytest.fixture
def mistakes(folder: Path) -> Path:
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str, mistakes: Path, branchwise: Callable) -> None:
    arguments, expected = MISTAKES[name]
    before = {path: path.read_bytes() for path in mistakes.iterdir() if path.is_file()}
    answer = branchwise(*arguments)
    assert_one_line(answer, *expected)
    assert answer.out == ""
    after = {path: path.read_bytes() for path in mistakes.iterdir() if path.is_file()}
    assert after == before, "a mistake must not leave files behind"


@pytest.mark.parametrize(
    "arguments",
    [
        ["data", "tree", "tree.tsv", "--figure", "tree.png"],
        ["data", "stats", "documents.jsonl", *T, "--figure", "stats.png"],
        ["data", "mask", "--labels", "e", *T, "--figure", "mask.png"],
    ],
    ids=["tree", "stats", "mask"],
)
def test_missing_matplotlib(
    arguments: list[str], folder: Path, branchwise: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    answer = branchwise(*arguments)
    assert_one_line(answer, "matplotlib", "pip install 'branchwise[figures]'")
    assert not list(folder.glob("*.png"))


def test_missing_rdflib(folder: Path, branchwise: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    (folder / "tree.ttl").write_text("@prefix a: <b:> .")
    assert_one_line(branchwise("data", "tree", "tree.ttl"), "rdflib", "pip install 'branchwise[skos]'")


def test_bad_taxonomy_on_standard_input(branchwise: Callable) -> None:
    answer = branchwise("data", "tree", "-", stdin=FILES["cycle.tsv"])
    assert_one_line(answer, "standard input, line 2", "a → b → a")


@pytest.mark.usefixtures("folder")
def test_bad_documents_on_standard_input(branchwise: Callable) -> None:
    answer = branchwise("data", "stats", "-", *T, stdin=FILES["unknown.jsonl"])
    assert_one_line(answer, "standard input, line 2", "'zz'")


def assert_one_line(answer: object, *expected: str) -> None:
    code, err = answer.code, answer.err  # type: ignore[attr-defined]
    assert code == 2, err
    assert err.startswith("Error: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    for one in expected:
        assert one in err, (one, err)
