"""``evaluate``: tables for people and papers, JSON for programs, and the comparison of two systems."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

T = ("--taxonomy", "tree.tsv")


def test_json_and_report_file_agree(folder: Path, branchwise: Callable) -> None:
    answer = branchwise(
        "evaluate",
        "documents.jsonl",
        "predictions.jsonl",
        *T,
        "--add-ancestors",
        "--json",
        "--output",
        "r.json",
    )
    assert answer.json["micro_f1"] == 1.0
    assert answer.json["documents"] == 6
    assert answer.json == json.loads((folder / "r.json").read_text())
    assert answer.err == ""


@pytest.mark.usefixtures("folder")
def test_table_is_in_per_cent(branchwise: Callable) -> None:
    answer = branchwise("evaluate", "documents.jsonl", "worse.jsonl", *T)
    rows = [line.split() for line in answer.out.splitlines()]
    assert ["micro", "F1", "38.10"] in rows  # 4 hits of 6 predictions and 15 true labels
    assert ["micro", "precision", "66.67"] in rows
    assert "macro F1, all 5 labels" in answer.out
    assert "By level, in %" in answer.out
    assert "Epsilon" not in answer.out


@pytest.mark.usefixtures("folder")
def test_missing_ancestors_are_said(branchwise: Callable) -> None:
    answer = branchwise("evaluate", "documents.jsonl", "predictions.jsonl", *T)
    assert answer.err.startswith("predictions.jsonl: ")
    assert "--add-ancestors" in answer.err


@pytest.mark.usefixtures("folder")
def test_per_label_and_markdown(branchwise: Callable) -> None:
    out = branchwise(
        "evaluate", "documents.jsonl", "predictions.jsonl", *T, "--add-ancestors", "--per-label", "--markdown"
    ).out
    assert "| micro F1 | 100.00 |" in out
    assert "| 3 | e | Epsilon | 2 | 2 | 100.00 | 100.00 | 100.00 |" in out


@pytest.mark.usefixtures("folder")
def test_comparison(branchwise: Callable) -> None:
    options = ("--compare", "worse.jsonl", "--resamples", "200", "--add-ancestors")
    data = branchwise("evaluate", "documents.jsonl", "predictions.jsonl", *T, *options, "--json").json
    assert set(data["systems"]) == {"predictions.jsonl", "worse.jsonl"}
    assert data["comparison"]["resamples"] == 200
    assert (
        "predictions.jsonl stands 61.90 points of micro F1 above worse.jsonl"
        in data["comparison"]["sentence"]
    )
    out = branchwise("evaluate", "documents.jsonl", "predictions.jsonl", *T, *options).out
    assert data["comparison"]["sentence"] in " ".join(out.split())


def test_comparison_with_itself_finds_nothing(folder: Path, branchwise: Callable) -> None:
    (folder / "again").mkdir()
    (folder / "again" / "predictions.jsonl").write_text((folder / "predictions.jsonl").read_text())
    options = ("--compare", "again/predictions.jsonl", "--resamples", "50", "--add-ancestors", "--json")
    data = branchwise("evaluate", "documents.jsonl", "predictions.jsonl", *T, *options).json
    assert set(data["systems"]) == {"predictions.jsonl", "again/predictions.jsonl"}
    assert "have the same micro F1" in data["comparison"]["sentence"]


@pytest.mark.parametrize("which", ["truth", "predictions"])
def test_either_side_from_standard_input(which: str, folder: Path, branchwise: Callable) -> None:
    files = {"truth": "documents.jsonl", "predictions": "predictions.jsonl"}
    piped = (folder / files[which]).read_bytes()
    names = ["-" if name == which else file for name, file in files.items()]
    assert (
        branchwise("evaluate", *names, *T, "--add-ancestors", "--json", stdin=piped).json["exact_match"]
        == 1.0
    )


@pytest.mark.parametrize("name", ["truth.jsonl", "truth.csv", "hiagm.json", "neural.json"])
def test_truth_needs_ids_and_labels_only(name: str, folder: Path, branchwise: Callable) -> None:
    rows = [json.loads(line) for line in (folder / "documents.jsonl").read_text().splitlines()]
    if name == "truth.csv":
        lines = ["id,labels", *(f"{row['id']},{';'.join(row['labels'])}" for row in rows)]
    elif name == "hiagm.json":
        lines = [json.dumps({"id": row["id"], "token": ["x"], "label": row["labels"]}) for row in rows]
    elif name == "neural.json":
        lines = [json.dumps({"id": row["id"], "doc_token": [], "doc_label": row["labels"]}) for row in rows]
    else:
        lines = [json.dumps({"id": row["id"], "labels": row["labels"]}) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n")
    answer = branchwise("evaluate", name, "predictions.jsonl", *T, "--add-ancestors", "--json")
    assert answer.json["exact_match"] == 1.0
    assert answer.err == ""


def test_predictions_from_a_named_pipe(folder: Path, branchwise: Callable) -> None:
    os.mkfifo(folder / "pipe")
    content = (folder / "predictions.jsonl").read_bytes()
    writer = threading.Thread(target=(folder / "pipe").write_bytes, args=(content,))
    writer.start()
    answer = branchwise("evaluate", "documents.jsonl", "pipe", *T, "--add-ancestors", "--json")
    writer.join()
    assert answer.json["exact_match"] == 1.0


def test_truth_without_texts(folder: Path, branchwise: Callable) -> None:
    (folder / "truth.jsonl").write_text(
        (folder / "documents.jsonl").read_text().replace('"text": "', '"text": "", "x": "')
    )
    answer = branchwise("evaluate", "truth.jsonl", "predictions.jsonl", *T, "--add-ancestors", "--json")
    assert answer.json["exact_match"] == 1.0
