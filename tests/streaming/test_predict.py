"""``branchwise predict`` in this process and as one of its own: messages, pipes, signals."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

import branchwise.streaming.predictor as predictors
from branchwise.cli import main
from branchwise.evaluation import read_predictions
from tests.cli.conftest import branchwise as branchwise  # a fixture
from tests.corpus.files import write_rows
from tests.streaming.letters import TREE, rows, run
from tests.streaming.program import command_line, letters

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds; nothing waits that long unless it is broken


@pytest.fixture
def predict(branchwise: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable:
    """Run the command in this process, in a folder with documents."""
    monkeypatch.setattr(main, "app", command_line())
    monkeypatch.setattr(predictors, "open_predictor", letters)
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "in.jsonl", rows(8))
    return lambda *arguments, **more: branchwise("predict", "model", *arguments, **more)


@contextmanager
def process(*arguments: object, **more: Any) -> Iterator[subprocess.Popen]:
    command = [sys.executable, "-m", "tests.streaming.program", "predict", "model", *map(str, arguments)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | more.pop("environment", {})
    with subprocess.Popen(command, env=environment, **pipes, **more) as started:
        try:
            yield started
        finally:
            started.kill()


@contextmanager
def stopped_at_the_barrier(*arguments: object) -> Iterator[subprocess.Popen]:
    """Run the command until it is about to predict a document with a barrier in its text."""
    said, say = os.pipe()
    wait, go = os.pipe()
    environment = {"SAY": str(say), "WAIT": str(wait)}
    with process(*arguments, environment=environment, pass_fds=(say, wait)) as started:
        os.close(say)
        assert os.read(said, 1) == b"!", started.stderr and started.stderr.read()
        yield started
    for handle in (said, wait, go):
        os.close(handle)


def next_line(stream: IO[bytes]) -> bytes:
    assert select.select([stream], [], [], PATIENCE)[0], "nothing came"
    return stream.readline()


def barrier(path: Path, at: int) -> Path:
    """Write documents of which one has a barrier; enough of them for several chunks."""
    texts = [{"id": f"d{i}", "text": f"a {i}" + " barrier" * (i == at)} for i in range(2500)]
    return write_rows(path, texts)


@pytest.mark.parametrize(
    ("at", "before", "form"), [(0, 0, "jsonl"), (1024, 1024, "csv.gz"), (2499, 2048, "parquet")]
)
def test_killed_and_gone_on_with(tmp_path: Path, predict: Callable, at: int, before: int, form: str) -> None:
    source, output = barrier(tmp_path / "in.jsonl.gz", at), tmp_path / f"out.{form}"
    with stopped_at_the_barrier(source, "--output", output) as started:
        started.send_signal(signal.SIGKILL)
        assert started.wait(PATIENCE) == -signal.SIGKILL
    assert not output.exists()
    answer = predict(source, "--output", output, "--resume", "--json")
    assert answer.code == 0
    assert (answer.json["documents"], answer.json["predicted_before"]) == (2500, before)
    predict(source, "--output", f"once.{form}")
    assert output.read_bytes() == (tmp_path / f"once.{form}").read_bytes()


def test_interrupted(tmp_path: Path, predict: Callable) -> None:
    source, output = barrier(tmp_path / "in.csv", 2000), tmp_path / "out.jsonl"
    with stopped_at_the_barrier(source, "--output", output) as started:
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=PATIENCE)
    assert (started.returncode, out) == (130, b"")
    first, last = err.decode().splitlines()
    assert f"{output}.partial: the same command with --resume" in first
    assert last == "Interrupted."
    refused = predict(source, "--output", output)
    assert (refused.code, refused.out) == (2, "")
    assert "1,024 documents of it predicted: add --resume" in refused.err
    assert "1,024 of them before" in predict(source, "--output", output, "--resume").err


def test_line_by_line() -> None:
    with process("-", "--line-by-line") as started:
        for text, label in (("a", "a"), ("b", "b"), ("7", "digit")):
            started.stdin.write(json.dumps({"id": text, "text": text}).encode() + b"\n")
            started.stdin.flush()
            answer = json.loads(next_line(started.stdout))
            assert answer["id"] == text
            assert label in answer["labels"]
        out, err = started.communicate(timeout=PATIENCE)
    assert (started.returncode, out) == (0, b"")
    assert err.decode().startswith("3 documents predicted, ")


def test_a_pipe_gives_what_a_file_gets(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.csv", rows(20))
    with process("-", "--format", "csv", "--output-format", "csv") as started:
        out, _ = started.communicate(source.read_bytes(), timeout=PATIENCE)
    run(source, tmp_path / "out.csv")
    assert out == (tmp_path / "out.csv").read_bytes()


def test_a_broken_pipe_is_quiet(tmp_path: Path) -> None:
    source = barrier(tmp_path / "in.jsonl", -1)
    with process(source, "--line-by-line") as started:
        next_line(started.stdout)
        started.stdout.close()
        assert started.stderr.read() == b""
        assert started.wait(PATIENCE) == 1


def test_a_named_pipe_is_written_to(tmp_path: Path, predict: Callable) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert predict("in.jsonl", "--output", pipe).code == 0
    assert len(os.read(reading, 1 << 16).splitlines()) == 8
    os.close(reading)
    assert pipe.is_fifo()


def test_what_is_said(tmp_path: Path, predict: Callable) -> None:
    with (tmp_path / "in.jsonl").open("a") as file:
        file.write("broken\n")
    answer = predict("in.jsonl", "--output", "out.csv", "--bad-row", "skip", "--scores", "none")
    assert (answer.code, answer.out) == (0, "")
    reading, problem, done, letters_read = answer.err.splitlines()
    assert reading == "Reading: 8 documents read, 1 row left out."
    assert "bad row: 1 (in.jsonl, line 9" in problem
    assert done.startswith("out.csv: 8 documents predicted, 1 left out, 2 with invalid output, 2 abstained, ")
    assert letters_read == "Letters were read."
    assert read_predictions(tmp_path / "out.csv", TREE).ids == tuple(f"d{i}" for i in range(8))


def test_standard_output_holds_predictions_alone(predict: Callable) -> None:
    answer = predict("in.jsonl")
    assert [json.loads(line)["id"] for line in answer.out.splitlines()] == [f"d{i}" for i in range(8)]
    assert predict("-", stdin=b"").out == ""
    assert predict("in.jsonl", "--output-format", "csv").out.startswith("id,labels,paths,scores,")


def test_a_bad_row_says_how_to_go_on(tmp_path: Path, predict: Callable) -> None:
    with (tmp_path / "in.jsonl").open("a") as file:
        file.write("broken\n")
    answer = predict("in.jsonl", "--output", "out.jsonl")
    assert answer.code == 2
    kept, error = answer.err.splitlines()
    assert "--resume" in kept
    assert error.startswith("Error: in.jsonl, line 9: this is not JSON")
    assert (
        "8 of them before"
        in predict("in.jsonl", "--output", "out.jsonl", "--resume", "--bad-row", "skip").err
    )
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 8


def test_a_bad_row_in_a_pipe_comes_after_what_stood_before_it(tmp_path: Path, predict: Callable) -> None:
    answer = predict("-", stdin=(tmp_path / "in.jsonl").read_bytes() + b"broken\n")
    assert answer.code == 2
    assert len(answer.out.splitlines()) == 8


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (("in.jsonl", "--json"), "would both go to standard output"),
        (("in.jsonl", "--output", "in.jsonl"), "would be written over"),
        (("nowhere.jsonl",), "There is no file nowhere.jsonl"),
        (("in.jsonl", "--output", "out.csv", "--label-separator", ""), "separator is empty"),
        (("-", "-"), "named twice"),
    ],
)
def test_mistakes_are_one_sentence(predict: Callable, arguments: tuple[str, ...], match: str) -> None:
    answer = predict(*arguments)
    assert (answer.code, answer.out) == (2, "")
    assert match in answer.err
    assert answer.err.count("\n") == 1


def test_options_reach_the_model(predict: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    def remember(model: str, options: dict[str, Any], *, device: str) -> Any:
        opened.append((model, options, device))
        return letters()

    monkeypatch.setattr(predictors, "open_predictor", remember)
    predict(
        "in.jsonl",
        "--decision",
        "threshold",
        "--threshold",
        "0.3",
        "--leaves-only",
        "--beam",
        "4",
        "--device",
        "cpu",
    )
    options = {
        "beams": 4,
        "leaves_only": True,
        "decision": "threshold",
        "threshold": 0.3,
        "scores": "predicted",
    }
    assert opened == [("model", options, "cpu")]


def test_help_names_every_option(predict: Callable, branchwise: Callable) -> None:  # noqa: ARG001
    answer = branchwise("predict", "--help")
    for option in ("--abstain-below", "--resume", "--line-by-line", "--rejects", "--scores"):
        assert option in answer.out
