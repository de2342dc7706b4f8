"""Runs are resumable, independent of each other, and never made twice."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from branchwise import HierarchicalClassifier, evaluate
from branchwise.compare import forget, making, read_entries
from branchwise.compare.making import FREE, OWN, TUNED
from branchwise.compare.results import read_said
from branchwise.errors import BranchwiseError
from branchwise.evaluation import match, read_predictions
from branchwise.rivals import rival
from tests.compare.corpora import parts, run, write_parts, write_predictions


def states(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        path.name: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in (folder / "runs").iterdir()
    }


def test_the_numbers_are_those_of_evaluate(three) -> None:
    train, validation, test = parts()
    texts = list(test.texts())
    for name in ("svm", "td-svm", "leaf-svm"):
        system = rival(name)(test.taxonomy).fit(train, validation)
        expected = evaluate(test.taxonomy, test.labels, system.decide(texts), scores=system.scores(texts))
        assert three[name].runs[0].ways[OWN] == expected.to_dict()
        assert len(three[name].runs) == 1


def test_the_prediction_files_can_be_evaluated_again(three) -> None:
    test = three.test
    for way in (OWN, TUNED):
        run_of = three["svm"].runs[0]
        read = read_predictions(three.folder / "runs" / f"svm-seed-0.{way}.jsonl.gz", test.taxonomy)
        read = read.take(match(test.ids, read.ids))
        again = evaluate(test.taxonomy, test.labels, read.sets, scores=read.scores)
        assert again.micro_f1 == run_of.ways[way]["micro_f1"]
        assert again.calibration.brier == pytest.approx(run_of.ways[way]["calibration"]["brier"], abs=1e-4)
        said = read_said(three, run_of, way)
        assert said.sets == read.sets
        assert said.confidence.shape == (len(test),)


def test_a_system_is_added_and_the_others_stay_as_they_are(tmp_path: Path) -> None:
    run(tmp_path, "svm,td-svm")
    before = states(tmp_path)
    said: list[str] = []
    results = run(tmp_path, "leaf-svm", tell=said.append)
    assert [one.name for one in results.systems] == ["svm", "leaf-svm", "td-svm"]
    after = states(tmp_path)
    assert before.items() <= after.items()
    assert len(after) > len(before)
    run(tmp_path, "svm,td-svm,leaf-svm", tell=said.append)
    assert states(tmp_path) == after
    assert said.count("svm, seed 0 is finished already.") == 1


def test_one_failure_does_not_lose_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(rival("td-svm"), "fit", fail)
    said: list[str] = []
    results = run(tmp_path, "svm,td-svm,leaf-svm", tell=said.append)
    assert [one.name for one in results.systems] == ["svm", "leaf-svm"]
    assert [(one.name, one.error) for one in results.failed] == [("td-svm", "RuntimeError: out of memory")]
    assert "td-svm, seed 0 failed: RuntimeError: out of memory" in said
    monkeypatch.undo()
    again = run(tmp_path, "td-svm")
    assert not again.failed
    assert [one.name for one in again.systems] == ["svm", "leaf-svm", "td-svm"]


def test_nothing_that_works_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rival("svm"), "fit", None)
    with pytest.raises(BranchwiseError, match=r"No run in .* came to predictions; the first: svm: TypeError"):
        run(tmp_path, "svm")


def test_a_killed_comparison_goes_on(tmp_path: Path) -> None:
    options = write_parts(tmp_path)
    program = (
        "import sys, time\n"
        "import branchwise.compare.run as run\n"
        "from branchwise.compare.making import make\n"
        "def slow(entry, *rest):\n"
        "    if entry.name == 'leaf-svm':\n"
        "        time.sleep(300)\n"
        "    return make(entry, *rest)\n"
        "run.make = slow\n"
        "import typer\n"
        "from branchwise.cli.compare import compare\n"
        "app = typer.Typer()\n"
        "app.command()(compare)\n"
        "app()\n"
    )
    command = [sys.executable, "-c", program, *options, "--systems", "svm,td-svm,leaf-svm"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    out = tmp_path / "out"
    with subprocess.Popen([*command, "--output", str(out)], env=environment) as killed:
        deadline = time.monotonic() + 60
        while not (out / "runs" / "td-svm-seed-0.json").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        killed.send_signal(signal.SIGKILL)
    before = states(out)
    assert {one for one in before if one.endswith(".json")} == {"svm-seed-0.json", "td-svm-seed-0.json"}
    results = run(out, "svm,td-svm,leaf-svm")
    assert len(results.systems) == 3
    assert before.items() <= states(out).items()


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rival("td-svm"), "fit", press)
    said: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, "svm,td-svm", tell=said.append)
    assert said[-1] == (
        "Stopped in td-svm, seed 0; 1 of 2 runs are finished, and the same command goes on with the others."
    )


def test_a_run_whose_predictions_are_lost_is_made_again(tmp_path: Path) -> None:
    run(tmp_path, "svm")
    (tmp_path / "runs" / "svm-seed-0.own.jsonl.gz").unlink()
    assert run(tmp_path, "svm").systems[0].name == "svm"
    assert (tmp_path / "runs" / "svm-seed-0.own.jsonl.gz").exists()


def test_other_documents_and_other_settings_are_refused(tmp_path: Path) -> None:
    run(tmp_path, "svm")
    train, validation, test = parts()
    with pytest.raises(BranchwiseError, match="another training set"):
        run(tmp_path, "svm", corpora=(train.take(range(50)), validation, test))
    with pytest.raises(BranchwiseError, match=r"its cost was 1\.0, not 2\.0.*svm-2=svm"):
        run(tmp_path, "svm", settings=["cost=2"])
    results = run(tmp_path, "svm-2=svm", settings=["svm-2.cost=2"])
    assert [one.name for one in results.systems] == ["svm", "svm-2"]


def test_predictions_from_a_file_take_part_one_file_a_seed(tmp_path: Path) -> None:
    test = parts()[2]
    given = test.labels.to_ids(test.taxonomy)
    right = write_predictions(tmp_path / "right.jsonl", test.ids[::-1], given[::-1])
    half = write_predictions(
        tmp_path / "half.jsonl", test.ids, [own if row % 2 else ["cat"] for row, own in enumerate(given)]
    )
    results = run(tmp_path / "out", f"svm,file:one={half}", predictions=[f"theirs={right}", f"theirs={half}"])
    theirs = results["theirs"]
    assert [one.ways[OWN]["micro_f1"] for one in theirs.runs] == [
        1.0,
        results["one"].runs[0].ways[OWN]["micro_f1"],
    ]
    assert theirs.group == "others"
    assert theirs.metric("label_inconsistency").mean > 0
    right.write_text(half.read_text())
    changed = run(tmp_path / "out", "", predictions=[f"theirs={right}", f"theirs={half}"])
    assert changed["theirs"].runs[0].ways[OWN]["micro_f1"] < 1
    write_predictions(right, test.ids, given)
    with pytest.raises(BranchwiseError, match="more files of predictions as theirs"):
        run(tmp_path / "out", "", predictions=[f"theirs={right}"])  # would be the mean of two systems
    with pytest.raises(BranchwiseError, match="holds a system svm under the name svm"):
        run(tmp_path / "out", "", predictions=[f"svm={right}"])
    assert forget(tmp_path / "out", ["svm", "theirs"]) == ["svm", "theirs"]
    assert [one.name for one in run(tmp_path / "out", "", predictions=[f"svm={right}"]).systems] == [
        "one",
        "svm",
    ]
    with pytest.raises(BranchwiseError, match="no system 'theirs' to forget: it has one, svm"):
        forget(tmp_path / "out", ["theirs"])


def test_our_own_model_free_and_constrained_and_goes_on_after_training(
    tmp_path: Path, backbone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, validation, test = parts()
    corpora = (train.take(range(12)), validation.take(range(6)), test.take(range(8)))
    small = {
        "settings": ["passes=1", "batch=6", "input_limit=12"],
        "backbone": str(backbone),
        "corpora": corpora,
        "device": "cpu",
    }
    measure = making._costs

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(making, "_costs", stop)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, "pamm", keep_models=True, **small)
    monkeypatch.setattr(making, "_costs", measure)
    monkeypatch.setattr(HierarchicalClassifier, "fit", None)  # what is trained is not trained again
    results = run(tmp_path, "pamm", keep_models=True, **small)
    ways = results["pamm"].runs[0].ways
    assert set(ways) == {OWN, FREE}  # six validation documents teach nothing
    assert ways[OWN]["label_inconsistency"] == ways[OWN]["invalid_output"] == 0
    assert ways[OWN]["calibration"] is not None
    kept = tmp_path / "models" / "pamm-seed-0"
    classifier = HierarchicalClassifier.load(kept, test.taxonomy)
    predicted = classifier.predict(list(corpora[2].texts()), decision="set")
    assert evaluate(test.taxonomy, corpora[2].labels, predicted).micro_f1 == ways[OWN]["micro_f1"]
    assert results["pamm"].cost("bytes").mean == sum(
        one.stat().st_size for one in kept.rglob("*") if one.is_file() and "checkpoints" not in one.parts
    )
    assert not (tmp_path / "unfinished").exists()


def test_models_are_kept_only_on_request(tmp_path: Path) -> None:
    run(tmp_path / "a", "svm")
    assert not (tmp_path / "a" / "models").exists()
    results = run(tmp_path / "b", "svm", keep_models=True)
    texts = list(results.test.texts())
    loaded = rival("svm").load(tmp_path / "b" / "models" / "svm-seed-0", results.tree)
    assert loaded.decide(texts) == read_said(results, results["svm"].runs[0]).sets


@pytest.mark.parametrize(
    ("systems", "predictions", "settings", "message"),
    [
        ("svn", [], [], "There is no system 'svn': choose from svm, leaf-svm"),
        ("", [], [], "No system is named: choose from svm"),
        ("svm,SVM=td-svm", [], [], "Two systems are called 'svm'"),
        ("a/b=svm", [], [], "The name 'a/b' .* cannot be part of a file name"),
        ("svm", ["x"], [], "--predictions x is not a name and a file"),
        ("svm", ["x=nowhere.jsonl"], [], "nowhere.jsonl of x do not exist"),
        ("svm", [], ["cost"], "--set cost is no setting"),
        ("svm", [], ["rho=1"], "svm has no setting 'rho'"),
        ("svm", [], ["pamm.rho=1"], "for a system 'pamm', which does not take part"),
        ("svm,hia", [], ["svm.rho=1"], "svm has no setting 'rho'"),
        ("svm", [], ["cost=much"], "cost is 'much': give a number"),
        ("pamm", [], ["seed=3"], "seed is not given with --set: it is an option of its own"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_trained(
    systems: str, predictions: list[str], settings: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(BranchwiseError, match=message):
        run(tmp_path, systems, predictions=predictions, settings=settings)
    assert not (tmp_path / "runs").exists()


def test_settings_go_where_they_belong() -> None:
    from branchwise.compare.settings import assign

    entries = assign(
        read_entries(["svm", "big=pamm", "t5"]), ["cost=2", "rho=3", "big.rho=5", "units=text", "clip=0"]
    )
    assert [one.settings for one in entries] == [
        {"cost": 2.0},
        {"rho": 5.0, "units": "text", "clip": 0.0},
        {"rho": 3.0, "units": "text", "clip": 0.0},
    ]


def test_records_are_plain_json(three) -> None:
    record = json.loads((three.folder / "runs" / "svm-seed-0.json").read_text())
    assert record["inputs"]["settings"]["cost"] == 1.0
    assert record["costs"]["training_seconds"] >= 0
    assert len(record["ways"]["own"]["per_label"]) == len(three.tree)
