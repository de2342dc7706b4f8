"""Training and searching from the command line: what is left in the folder, what is said, and what is refused."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from branchwise import Corpus, HierarchicalClassifier, Taxonomy
from branchwise.rivals import load_system, rival
from branchwise.training.settings import Settings, preset
from branchwise.training.trainer import COMPLETE
from tests.cli.test_start import HEAVY
from tests.training.toys import toy_corpus, toy_tree, write_backbone

DATA = ("--train", "train.jsonl", "--validation", "val.jsonl", "--taxonomy", "tree.tsv")
SMALL = (
    "--backbone",
    "t5",
    "--batch",
    "4",
    "--passes",
    "2",
    "--precision",
    "fp32",
    "--learning-rate",
    "3e-3",
)
PROCESS = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "COLUMNS": "600"}
MODEL = {
    "README.md",
    "config.json",
    "decisions.json",
    "model.safetensors",
    "taxonomy.json",
    "tokenizer.json",
} | {"training.json"}

pytestmark = pytest.mark.filterwarnings("ignore:.*holds no weights")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a backbone, a tree and documents into the working folder."""
    monkeypatch.chdir(tmp_path)
    write_backbone(tmp_path / "t5")
    toy_tree().write(tmp_path / "tree.tsv")
    toy_corpus(20).write(tmp_path / "train.jsonl")
    toy_corpus(8, seed=1).write(tmp_path / "val.jsonl")
    return tmp_path


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "branchwise", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, **PROCESS},
    )


def weights(classifier: HierarchicalClassifier) -> dict[str, torch.Tensor]:
    return classifier.model.network.state_dict()


@pytest.mark.usefixtures("work")
def test_train_does_what_fit_does(branchwise: Callable) -> None:
    answer = branchwise("train", *DATA, *SMALL, "--output", "model", "--json")
    assert answer.code == 0
    assert {one.name for one in Path("model").iterdir()} == MODEL | {"checkpoints"}
    assert set(answer.json) == {"model", "steps", "seconds", "best"}
    assert answer.json["model"] == "model"
    assert answer.json["steps"] == 10
    told = answer.err.splitlines()
    assert "The backbone is t5." in told
    assert "Training on cpu in fp32." in told
    assert "1 of 7 labels have no training document; they will hardly be predicted." in told
    best = answer.json["best"]
    scores = f"micro F1 {best['micro_f1']:.4f}, macro F1 {best['macro_f1']:.4f}"
    step = f"on validation at step {best['step']} of 10"
    assert told[-1] == f"The model is in model: {scores} {step}."

    tree = Taxonomy.read("tree.tsv")
    settings: dict[str, Any] = {"batch": 4, "passes": 2.0, "precision": "fp32", "learning_rate": 3e-3}
    fitted = HierarchicalClassifier(tree, "t5", **settings)
    fitted.fit(Corpus.read("train.jsonl", tree), Corpus.read("val.jsonl", tree))
    loaded = HierarchicalClassifier.load("model")
    assert weights(loaded).keys() == weights(fitted).keys()
    for name, one in weights(fitted).items():
        torch.testing.assert_close(weights(loaded)[name], one, rtol=0, atol=0)
    assert loaded.model.record["settings"] == fitted.model.record["settings"]
    assert loaded.model.record["best"] == fitted.model.record["best"]


@pytest.mark.usefixtures("work")
def test_without_json_standard_output_is_empty_and_a_tenth_validates(branchwise: Callable) -> None:
    given = ("--train", "train.jsonl", "--taxonomy", "tree.tsv", "--output", "model")
    answer = branchwise("train", *given, *SMALL)
    assert answer.code == 0
    assert answer.out == ""
    assert "2 training documents are held out for validation." in answer.err


def test_ctrl_c_leaves_a_checkpoint_that_resume_goes_on_from(work: Path, branchwise: Callable) -> None:
    arguments = ("train", *DATA, *SMALL, "--passes", "40", "--output", "model")
    log = work / "model" / "checkpoints" / "log.jsonl"
    with start(*arguments, cwd=work) as process:
        until = time.monotonic() + 100
        while not log.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert err.splitlines()[-1] == "Interrupted."
    (step,) = re.findall(
        r"Stopped after step (\d+); the same command with --resume goes on from there\.", err
    )
    assert 0 < int(step) < 200
    assert not (work / "model" / "config.json").exists()

    refused = branchwise(*arguments)
    assert refused.code == 2
    assert refused.err.splitlines()[-1] == (
        f"Error: model holds an unfinished run (checkpoint-{step}): pass --resume to go on with it, or choose another "
        "folder."
    )
    resumed = branchwise(*arguments, "--resume", "--json")
    assert resumed.code == 0
    assert f"Going on from checkpoint-{step}." in resumed.err
    assert resumed.json["steps"] == 200
    assert {one.name for one in (work / "model").iterdir()} >= MODEL


@pytest.mark.usefixtures("work")
def test_a_rival_is_trained_saved_and_predicts(branchwise: Callable) -> None:
    answer = branchwise("train", *DATA, "--system", "svm", "--set", "cost=2", "--output", "svm", "--json")
    assert answer.code == 0
    assert answer.json["system"] == "svm"
    loaded = load_system("svm")
    tree = Taxonomy.read("tree.tsv")
    validation = Corpus.read("val.jsonl", tree)
    expected = rival("svm")(tree, cost=2.0).fit(Corpus.read("train.jsonl", tree), validation)
    texts = list(validation.texts())
    np.testing.assert_allclose(loaded.scores(texts), expected.scores(texts), atol=1e-6)
    assert loaded.predict(texts) == expected.predict(texts)
    assert f"micro F1 {answer.json['validation']['micro_f1']:.4f}" in answer.err.splitlines()[-1]
    predicted = branchwise("predict", "svm", "val.jsonl", "--output", "predictions.jsonl")
    assert predicted.code == 0
    lines = [json.loads(one) for one in Path("predictions.jsonl").read_text().splitlines()]
    assert [tuple(one["labels"]) for one in lines] == expected.predict(texts)


@pytest.mark.usefixtures("work")
def test_a_network_among_the_rivals_takes_seed_and_device(branchwise: Callable) -> None:
    given = ("--system", "textcnn", "--set", "epochs=1", "--seed", "3", "--device", "cpu", "--output", "cnn")
    assert branchwise("train", *DATA, *given).code == 0
    settings = json.loads(Path("cnn/config.json").read_text())["settings"]
    assert (settings["seed"], settings["device"], settings["epochs"]) == (3, "cpu", 1)


@pytest.mark.usefixtures("work")
def test_our_model_takes_its_variant_as_a_system_and_settings_by_name(branchwise: Callable) -> None:
    given = ("--system", "hia", "--set", "rho=0.5", "--passes", "1", "--output", "model")
    assert branchwise("train", *DATA, *SMALL, *given).code == 0
    settings = HierarchicalClassifier.load("model").model.record["settings"]
    assert (settings["variant"], settings["rho"], settings["passes"]) == ("hia", 0.5, 1.0)


MISTAKES = {
    "unknown system": (["--system", "bert"], ["'bert'", "svm", "pamm"]),
    "two systems": (["--system", "hia", "--variant", "t5"], ["--system hia", "--variant t5"]),
    "a rival with our setting": (["--system", "svm", "--rho", "2"], ["is a setting of t5, hia and pamm"]),
    "unknown setting of a rival": (["--system", "svm", "--set", "depth=2"], ["svm", "'depth'", "cost"]),
    "unknown setting of ours": (["--set", "depth=2"], ["'depth'", "rho"]),
    "unknown preset": (["--preset", "slow"], ["--preset", "slow", "fast", "released"]),
    "unknown setting": (["--colour", "red"], ["--colour"]),
    "unknown choice": (["--variant", "bart"], ["--variant", "bart", "pamm"]),
    "impossible setting": (["--batch", "0"], ["batch is 0", "must be positive"]),
    "impossible weight": (["--rho", "-1"], ["rho is -1.0", "must not be negative"]),
    "no number": (["--passes", "many"], ["--passes", "valid number"]),
    "empty training file": (["--train", "empty.jsonl"], ["empty.jsonl"]),
    "missing validation file": (["--validation", "nowhere.jsonl"], ["nowhere.jsonl"]),
    "missing taxonomy": (["--taxonomy", "nowhere.tsv"], ["nowhere.tsv"]),
    "no label in training": (["--train", "bare.jsonl"], ["No training document has a label", "which field"]),
    "unfinished run": (
        ["--output", "stopped"],
        ["stopped holds an unfinished run (checkpoint-5)", "--resume"],
    ),
    "unusable device": (["--device", "abacus"], ["'abacus' cannot be used", "choose auto, cpu or cuda"]),
    "over-long target": (["--output-limit", "2"], ["2"]),
}


@pytest.mark.parametrize(("arguments", "parts"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_leave_2_with_one_sentence(
    arguments: list[str], parts: list[str], work: Path, branchwise: Callable
) -> None:
    (work / "empty.jsonl").write_text("")
    (work / "bare.jsonl").write_text('{"id": "1", "text": "ggg", "labels": []}\n')
    checkpoint = work / "stopped" / "checkpoints" / "checkpoint-5"
    checkpoint.mkdir(parents=True)
    (checkpoint / COMPLETE).touch()
    given = [*(one for one in DATA if one != "train.jsonl" or "--train" not in arguments)]
    if "--train" in arguments:
        given.remove("--train")  # it is repeatable, so that the wrong one must stand alone
    answer = branchwise("train", *given, *SMALL, "--output", "model", *arguments)
    assert answer.code == 2
    assert answer.out == ""
    (error,) = [one for one in answer.err.splitlines() if one.startswith("Error: ")]
    assert answer.err.splitlines()[-1] == error
    assert error.endswith(".")
    for part in parts:
        assert part in error
    assert not (work / "model" / "config.json").exists()


def test_a_backbone_that_no_hub_can_give_is_one_sentence(work: Path) -> None:
    with start("train", *DATA, "--backbone", "nobody/nothing", "--output", "model", cwd=work) as process:
        out, err = process.communicate(timeout=100)
    assert process.returncode == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith(
        "Error: The backbone 'nobody/nothing' is neither a folder with a T5 nor to be had from the hub"
    )
    assert "'starter' where no hub is in reach" in err


@pytest.mark.parametrize("command", ["train", "search"])
def test_help_is_light_and_names_every_setting_with_the_fast_value(command: str) -> None:
    heavy = sorted(HEAVY | {"transformers", "optuna"})
    code = (
        "import sys\nfrom branchwise.cli.main import run\n"
        f"try:\n    run([{command!r}, '--help'])\nexcept SystemExit as left:\n    assert not left.code\n"
        f"loaded = sorted(set({heavy!r}) & set(sys.modules))\nassert not loaded, loaded\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **PROCESS},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"Example: branchwise {command} --train" in done.stdout
    fast = vars(preset("fast"))
    for one in fields(Settings):
        value = (
            {True: "yes", False: "no"}[fast[one.name]] if isinstance(fast[one.name], bool) else fast[one.name]
        )
        option = re.escape(f"--{one.name.replace('_', '-')}")
        assert re.search(
            rf"{option} .*{re.escape(one.metadata['help'].rstrip('.'))} \(fast: {value}\)\.", done.stdout
        )


@pytest.mark.usefixtures("work")
def test_search_shows_what_it_tried(branchwise: Callable) -> None:
    arguments = ("search", *DATA, *SMALL, "--passes", "1", "--space", "rho=0.1,10", "--output", "search")
    answer = branchwise(*arguments)
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0] == "2 of 2 trials by micro F1 on 8 validation documents, in %"
    assert lines[1].split() == [
        "rho",
        "micro",
        "F1",
        "macro",
        "F1",
        "best",
        "step",
        "steps",
        "seconds",
        "trial",
    ]
    assert sorted(line.split()[0] for line in lines[3:]) == ["0.1", "10"]
    assert re.search(
        r"^Trial 2 of 2: micro F1 0\.\d{4}, macro F1 0\.\d{4} on validation\.$", answer.err, re.MULTILINE
    )
    assert answer.err.splitlines()[-1].startswith("Best is trial ")
    assert {one.name for one in Path("search").iterdir()} == {
        "journal.jsonl",
        "search.json",
        "search.md",
        "search.png",
        "trials",
    }
    again = branchwise(*arguments, "--json")
    assert again.json == json.loads(Path("search/search.json").read_text())
    assert "2 of 2 trials are finished already." in again.err


@pytest.mark.usefixtures("work")
def test_a_search_that_fails_altogether_leaves_2(branchwise: Callable) -> None:
    answer = branchwise("search", *DATA, *SMALL, "--space", "output_limit=2,3", "--output", "search")
    assert answer.code == 2
    assert answer.err.splitlines()[-1].startswith("Error: None of 2 trials came to a model; the first: ")


def test_ctrl_c_in_a_search_says_that_the_same_command_goes_on(work: Path) -> None:
    arguments = ("search", *DATA, *SMALL, "--passes", "400", "--output", "search")
    with start(*arguments, cwd=work) as process:
        assert process.stderr is not None
        told = []
        while not told or (told[-1] and not told[-1].startswith("Training on")):
            told.append(process.stderr.readline())
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, "".join(told) + err
    assert err.splitlines()[-2:] == [
        "Stopped in trial 1 of 5; the same command goes on with it from its beginning.",
        "Interrupted.",
    ]
