"""``demo``: it trains, compares, predicts and explains, its page tells it, and it goes on after an interruption."""

from __future__ import annotations

import html
import json
import re
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from branchwise import Corpus, HierarchicalClassifier, Taxonomy
from branchwise.cli.demo.abstracts import ABSTRACTS
from branchwise.training.callbacks import ProgressBar
from tests.cli.conftest import Answer
from tests.cli.demos import run_demo

FILES = {
    "taxonomy.tsv", "train.jsonl", "validation.jsonl", "test.jsonl", "statistics.md", "svm.jsonl",
    "predictions.jsonl", "results.json", "new.jsonl", "index.html",
}  # fmt: skip
PICTURES = {f"{name}.svg" for name in ("tree", "statistics", "mask", "scores", "why", "curves")}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer]:
    """Run the demo once, for all tests that only look at what it left."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    answer = run_demo(folder)
    assert answer.code == 0, answer.err
    return folder, answer


def page_of(folder: Path) -> str:
    return (folder / "index.html").read_text(encoding="utf-8")


def test_it_writes_what_it_lists(done: tuple[Path, Answer]) -> None:
    folder, answer = done
    assert {path.name for path in folder.iterdir()} == FILES | PICTURES | {"model"}
    for name in FILES | PICTURES:
        assert name in answer.out
    tree = Taxonomy.read(folder / "taxonomy.tsv")
    assert len(Corpus.read(folder / "train.jsonl", tree)) == 48
    assert HierarchicalClassifier.load(folder / "model", tree).predict(["about proteins"])
    assert not list((folder / "model" / "checkpoints").glob("checkpoint-*"))


def test_the_verdict_stands_on_the_page_and_in_the_terminal(done: tuple[Path, Answer]) -> None:
    folder, answer = done
    results = json.loads((folder / "results.json").read_text())
    verdict = results["verdict"]
    assert verdict.startswith("Branchwise is not better than the linear SVM: it is worse in micro F1 (")
    assert verdict in answer.out
    page = page_of(folder)
    assert html.escape(verdict) in page
    assert page.index('class="verdict"') < page.index("<table>")
    assert set(results["systems"]) == {"SVM as it is", "SVM, tuned", "Branchwise"}
    assert results["decoding"]["constrained"]["label_inconsistency"] == 0
    micro = [results["systems"][name]["micro_f1"] for name in ("Branchwise", "SVM, tuned")]
    assert results["comparison"]["differences"][0]["difference"] == pytest.approx(micro[0] - micro[1])
    assert [one["documents"] for one in results["svm_learning_curve"]] == [5, 12, 24, 48]


def test_the_page_shows_everything_and_nothing_private(done: tuple[Path, Answer]) -> None:
    folder, _ = done
    page = page_of(folder)
    assert page.count("<img ") == len(PICTURES)
    for title, _ in ABSTRACTS:
        assert title in page
    for what in ("label inconsistency", "training, seconds", "How long it took", "Its backbone is t5."):
        assert what in page
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert str(folder.parent) not in page
    assert str(Path.home()) + "/" not in page


def test_what_it_advises_works(
    done: tuple[Path, Answer], branchwise: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, answer = done
    monkeypatch.chdir(folder.parent)
    shown = [html.unescape(one) for one in re.findall(r"<code>(.*?)</code>", page_of(folder), re.DOTALL)]
    lines = [line for block in shown for line in block.splitlines() if line.startswith("branchwise")]
    assert {shlex.split(line)[1] for line in lines} == {"predict", "explain", "evaluate", "train", "data"}
    assert all(line in answer.out for line in lines if "demo/" not in line)
    ready = [line for line in lines if "demo/" in line and "your.csv" not in line]
    assert len(ready) == 3
    for line in ready:
        given = branchwise(*shlex.split(line)[1:])
        assert given.code == 0, (line, given.err)
        assert given.out
    assert (folder.parent / "why.png").exists()


def test_a_second_demo_starts_anew_or_goes_on_with_the_finished_model(
    done: tuple[Path, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = done
    first = json.loads((folder / "results.json").read_text())
    monkeypatch.setattr(HierarchicalClassifier, "fit", None)
    resumed = run_demo(folder, "--resume")
    assert resumed.code == 0
    assert "holds the finished model" in resumed.err
    second = json.loads((folder / "results.json").read_text())
    assert second["systems"]["Branchwise"] == first["systems"]["Branchwise"]
    monkeypatch.undo()
    again = run_demo(folder)
    assert again.code == 0
    assert "Training on cpu" in again.err


def test_a_model_of_other_documents_is_not_touched(done: tuple[Path, Answer]) -> None:
    folder, _ = done
    before = (folder / "model" / "model.safetensors").read_bytes()
    answer = run_demo(folder, "--documents", "20")
    assert answer.code == 2
    assert "holds a model of other documents: choose another folder with --output" in answer.err
    assert (folder / "model" / "model.safetensors").read_bytes() == before


def test_ctrl_c_saves_and_resume_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = ProgressBar.on_step_end

    def press(self: Any, args: Any, state: Any, control: Any, **others: Any) -> None:
        count(self, args, state, control, **others)
        if state.global_step == 4:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(ProgressBar, "on_step_end", press)
    stopped = run_demo(tmp_path / "demo")
    assert stopped.code == 130
    found = re.search(r"Stopped after step (\d+); the same command with --resume goes on", stopped.err)
    assert found, stopped.err
    assert not (tmp_path / "demo" / "index.html").exists()
    monkeypatch.undo()
    refused = run_demo(tmp_path / "demo")
    assert refused.code == 2
    assert "pass --resume" in refused.err
    resumed = run_demo(tmp_path / "demo", "--resume")
    assert resumed.code == 0
    assert f"Going on from checkpoint-{found[1]}." in resumed.err
    assert "the seconds count from where it went on" in page_of(tmp_path / "demo")


@pytest.mark.parametrize(
    ("module", "extra", "absent"),
    [("matplotlib", "figures", PICTURES), ("torch", "train", {"why.svg", "model", "predictions.jsonl"})],
)
def test_what_is_not_installed_is_said_and_the_rest_is_done(
    module: str, extra: str, absent: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    answer = run_demo(tmp_path / "demo")
    assert answer.code == 0, answer.err
    [said] = [line for line in answer.err.splitlines() if f"branchwise[{extra}]" in line]
    page = page_of(tmp_path / "demo")
    assert html.escape(said) in page
    assert {path.name for path in (tmp_path / "demo").iterdir()} == (FILES | PICTURES | {"model"}) - absent
    assert "SVM, tuned" in page
    if module == "torch":
        assert "Only the linear SVM was measured" in answer.out
        assert "what the linear SVM says of them" in page
