"""The command line as a process: what it imports, its exit codes, its pipes, and what is not a user's fault."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from branchwise import Taxonomy, __version__
from branchwise.cli.main import app

HEAVY = {"numpy", "scipy", "sklearn", "pyarrow", "matplotlib", "torch", "tokenizers", "rdflib", "openpyxl"}
COMMANDS = [
    ("demo",),
    ("train",),
    ("search",),
    ("evaluate",),
    ("predict",),
    ("explain",),
    ("compare",),
    ("data",),
    *(("data", name) for name in ("tree", "stats", "check", "mask", "convert", "split")),
]


def branchwise_process(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "branchwise", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, check=False)


@pytest.mark.parametrize("arguments", [["--help"], ["data", "tree", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom branchwise.cli.main import run\n"
        f"try:\n    run({arguments!r})\nexcept SystemExit as left:\n    assert not left.code\n"
        f"loaded = sorted({HEAVY!r} & set(sys.modules))\nassert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_with_an_example(command: tuple[str, ...], branchwise: Callable) -> None:
    answer = branchwise(*command, "--help")
    assert answer.code == 0
    assert "branchwise " + " ".join(command) in " ".join(answer.out.split())
    assert "Example: branchwise" in answer.out or "Start with: branchwise" in answer.out
    assert answer.err == ""


@pytest.mark.parametrize("arguments", [(), ("data",)])
def test_no_command_shows_help(arguments: tuple[str, ...], branchwise: Callable) -> None:
    answer = branchwise(*arguments)
    assert answer.code == 0
    assert "Usage:" in answer.out
    assert answer.err == ""


def test_version(branchwise: Callable) -> None:
    assert branchwise("--version").out == f"branchwise {__version__}\n"


@pytest.mark.usefixtures("folder")
def test_typer_app_runs_without_the_console_entry() -> None:
    from typer.testing import CliRunner

    result = CliRunner().invoke(app, ["data", "tree", "tree.tsv", "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["labels"] == 5


def test_process_bad_input_leaves_2_with_one_line(folder: Path) -> None:
    done = branchwise_process("data", "tree", "nowhere.tsv", cwd=folder)
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.decode().count("\n") == 1
    assert b"nowhere.tsv" in done.stderr


def test_process_pipes(folder: Path) -> None:
    documents = (folder / "documents.jsonl").read_bytes()
    options = ("--taxonomy", "tree.tsv", "--output", "-", "--output-format", "csv")
    converted = branchwise_process("data", "convert", "-", *options, stdin=documents, cwd=folder)
    assert converted.returncode == 0
    assert converted.stderr == b""
    counted = branchwise_process(
        "data",
        "stats",
        "-",
        "--format",
        "csv",
        "--taxonomy",
        "tree.tsv",
        "--json",
        stdin=converted.stdout,
        cwd=folder,
    )
    assert json.loads(counted.stdout)["documents"] == 6


def test_process_broken_pipe_is_quiet(tmp_path: Path) -> None:
    rows = "".join(f"L{i}\t\tLabel number {i}\n" for i in range(20_000))
    (tmp_path / "tree.tsv").write_text("id\tparent\tname\n" + rows)
    command = [sys.executable, "-m", "branchwise", "data", "tree", "tree.tsv", "--all"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.usefixtures("folder")
def test_interruption_is_one_short_line(branchwise: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Taxonomy, "read", interrupt)
    answer = branchwise("data", "tree", "tree.tsv")
    assert answer.code == 130
    assert answer.err.strip() == "Interrupted."


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    from branchwise.cli.main import run

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(Taxonomy, "read", fail)
    with pytest.raises(RuntimeError, match="a bug"):
        run(["data", "tree", "tree.tsv"])
