"""The command: files in, a report out, sentences for what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from branchwise.cli.compare import compare
from branchwise.errors import BranchwiseError
from branchwise.rivals import rival
from tests.compare.corpora import write_parts

APP = typer.Typer()
APP.command()(compare)


def call(*arguments: object) -> Any:
    return CliRunner().invoke(APP, [str(one) for one in arguments])


def test_from_files_to_a_report_and_again_without_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = write_parts(tmp_path)
    out, paper = tmp_path / "out", tmp_path / "paper.tex"
    given = call(
        *options,
        "--systems",
        "svm, td-svm",
        "--seeds",
        2,
        "--output",
        out,
        "--resamples",
        20,
        "--latex",
        paper,
    )
    assert given.exit_code == 0, given.output
    assert "svm level with td-svm" in given.stdout
    assert "No seed changes svm, td-svm: one run each." in given.stderr
    for name in ("index.html", "comparison.csv", "comparison.json"):
        assert (out / name).exists()
    assert r"\toprule" in paper.read_text()
    monkeypatch.setattr(rival("svm"), "fit", None)
    (out / "index.html").unlink()
    again = call(*options, "--output", out, "--report-only", "--json", "--resamples", 20)
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout) == json.loads((out / "comparison.json").read_text())
    assert (out / "index.html").exists()


def test_a_failed_run_is_told_and_leaves_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = write_parts(tmp_path)
    monkeypatch.setattr(rival("svm"), "fit", None)
    given = call(*options, "--systems", "svm,td-svm", "--output", tmp_path / "out", "--resamples", 5)
    assert given.exit_code == 1
    assert "Failed: svm (seed 0); the same command tries these again." in given.stderr
    page = (tmp_path / "out" / "index.html").read_text()
    assert "Some runs failed" in page
    assert "TypeError" in page


def test_a_report_on_nothing_is_an_error(tmp_path: Path) -> None:
    options = write_parts(tmp_path)
    given = call(*options, "--output", tmp_path / "out", "--report-only")
    assert isinstance(given.exception, BranchwiseError)
    assert "holds no comparison" in str(given.exception)
    assert not (tmp_path / "out").exists()
