"""Training as people live it: it learns, it can be stopped and goes on, and bad days end in one sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from branchwise import HierarchicalClassifier
from branchwise.errors import TrainingError
from branchwise.training.trainer import HiATrainer, last_checkpoint
from tests.training.toys import toy_corpus, toy_tree, write_backbone

SMALL = {"batch": 4, "passes": 3.0, "precision": "fp32", "learning_rate": 3e-3, "warmup": 0.0}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def backbone(tmp_path_factory) -> str:
    return str(write_backbone(tmp_path_factory.mktemp("t5") / "tiny"))


@pytest.fixture
def classifier(backbone):
    def build(**changes) -> HierarchicalClassifier:
        return HierarchicalClassifier(toy_tree(), backbone, **{**SMALL, **changes})

    with pytest.warns(UserWarning, match="no weights"):
        yield build


def weights(classifier: HierarchicalClassifier) -> dict[str, torch.Tensor]:
    return {name: one.clone() for name, one in classifier.model.network.state_dict().items()}


def assert_equal_weights(first, second, tolerance=0.0):
    for name, one in first.items():
        torch.testing.assert_close(one, second[name], rtol=0, atol=tolerance)


def losses(folder: Path) -> dict[int, tuple[float, float]]:
    """Return both parts of the loss by step; of a step that was trained twice, the last time."""
    lines = [json.loads(line) for line in (folder / "checkpoints" / "log.jsonl").read_text().splitlines()]
    return {one["step"]: (one["cross_entropy"], one["mask_loss"]) for one in lines if "cross_entropy" in one}


@pytest.mark.parametrize("variant", ["t5", "hia", "pamm"])
def test_it_learns(classifier, variant):
    trained = classifier(variant=variant, passes=12.0, batch=8).fit(toy_corpus(300), toy_corpus(40, seed=1))
    texts = ["ggg mmm", "www", "hhh ggg xx"]
    assert trained.predict(texts) == [("sky", "land", "sun", "cat"), ("land", "dog"), ("sky", "sun", "sea")]
    record = trained.model.record
    assert record["best"]["micro_f1"] > 0.95
    assert record["train"]["documents"] == 300
    curve = [one["cross_entropy"] for one in record["history"] if "cross_entropy" in one]
    assert curve[-1] < 0.2 * curve[0]


def test_text_units_learn_too(classifier):
    trained = classifier(units="text", variant="hia", passes=12.0, batch=8).fit(
        toy_corpus(200), toy_corpus(40, seed=1)
    )
    assert trained.model.record["best"]["micro_f1"] > 0.6


def test_the_same_seed_gives_the_same_model_and_another_does_not(classifier):
    corpus, validation = toy_corpus(20), toy_corpus(8, seed=1)
    first, again, other = (weights(classifier(seed=seed).fit(corpus, validation)) for seed in (0, 0, 1))
    assert_equal_weights(first, again)
    assert any(not torch.equal(one, other[name]) for name, one in first.items())


def test_no_weight_on_the_mask_is_hia_exactly(classifier):
    corpus, validation = toy_corpus(20), toy_corpus(8, seed=1)
    hia = weights(classifier(variant="hia").fit(corpus, validation))
    pamm = weights(classifier(variant="pamm", rho=0.0).fit(corpus, validation))
    heavy = weights(classifier(variant="pamm", rho=5.0).fit(corpus, validation))
    assert_equal_weights(hia, pamm)
    assert any(not torch.equal(one, heavy[name]) for name, one in hia.items())


def test_accumulated_batches_train_like_one(classifier):
    corpus, validation = toy_corpus(16), toy_corpus(8, seed=1)
    whole = weights(classifier(batch=8, passes=2.0, learning_rate=1e-3).fit(corpus, validation))
    parts = weights(classifier(batch=2, accumulate=4, passes=2.0, learning_rate=1e-3).fit(corpus, validation))
    assert_equal_weights(whole, parts, tolerance=2e-5)


def test_the_model_that_validates_best_is_kept(classifier, tmp_path, monkeypatch):
    scores = iter([0.3, 0.9, 0.5])
    seen = []

    def validate(model, _precision):
        seen.append({name: one.clone() for name, one in model.network.state_dict().items()})
        return {"micro_f1": next(scores), "macro_f1": 0.1}

    monkeypatch.setattr("branchwise.classifier._validator", lambda *_: validate)
    trained = classifier().fit(toy_corpus(12), toy_corpus(4, seed=1), output=tmp_path / "run")
    assert_equal_weights(weights(trained), seen[1])
    assert trained.model.record["best"]["micro_f1"] == 0.9


def test_it_stops_early_when_asked(classifier, monkeypatch):
    scores = iter([0.9, 0.5, 0.4, 0.3, 0.2, 0.1])
    monkeypatch.setattr(
        "branchwise.classifier._validator",
        lambda *_: lambda *_: {"micro_f1": next(scores), "macro_f1": 0.1},
    )
    trained = classifier(passes=6.0, patience=2).fit(toy_corpus(12), toy_corpus(4, seed=1))
    assert trained.model.record["steps"] == 9, "the best after 3 steps, then two validations in vain"


def test_what_is_logged_can_be_looked_at_in_tensorboard(classifier, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    classifier().fit(toy_corpus(12), toy_corpus(4, seed=1), output=tmp_path / "run")
    (folder,) = {one.parent for one in (tmp_path / "run" / "checkpoints").rglob("events*")}
    events = EventAccumulator(str(folder)).Reload()
    assert {
        "train/cross_entropy",
        "train/mask_loss",
        "train/learning_rate",
        "eval/micro_f1",
        "eval/macro_f1",
    } <= set(events.Tags()["scalars"])
    assert len(events.Scalars("eval/micro_f1")) == 3


def test_labels_without_documents_and_cut_texts_are_told(classifier):
    told: list[str] = []
    classifier(input_limit=4, passes=1.0).fit(toy_corpus(12), toy_corpus(4, seed=1), tell=told.append)
    assert any("1 of 7 labels have no training document" in one for one in told)
    assert any("12 of 12 texts are longer than 4 pieces" in one for one in told)
    assert any(one == "Training on cpu in fp32." for one in told)


def test_without_validation_a_tenth_is_held_out(classifier):
    told: list[str] = []
    trained = classifier(passes=1.0).fit(toy_corpus(40), tell=told.append)
    assert trained.model.record["train"]["documents"] == 36
    assert told[0].startswith("4 training documents are held out")


def test_a_loss_that_is_no_number_names_its_documents(classifier, monkeypatch):
    from branchwise.model.network import HiAT5

    forward = HiAT5.forward

    def broken(self, **batch):
        sums = forward(self, **batch)
        sums.cross_entropy = sums.cross_entropy * float("nan")
        return sums

    monkeypatch.setattr(HiAT5, "forward", broken)
    with pytest.raises(TrainingError, match=r"became nan at step 1 on the documents d\d+, d\d+, d\d+, d\d+:"):
        classifier().fit(toy_corpus(12), toy_corpus(4, seed=1))


def test_a_full_disk_keeps_the_last_good_checkpoint(classifier, tmp_path, monkeypatch):
    save = torch.save
    told: list[str] = []

    def full_later(value, path, *args, **kwargs):
        if "checkpoint-6" in str(path):
            raise OSError(28, "No space left on device")
        return save(value, path, *args, **kwargs)

    monkeypatch.setattr(torch, "save", full_later)
    monkeypatch.setattr("branchwise.training.run.clear_checkpoints", lambda _: None)  # what a kill would find
    classifier().fit(toy_corpus(12), toy_corpus(4, seed=1), output=tmp_path / "run", tell=told.append)
    left = {one.name for one in (tmp_path / "run" / "checkpoints").glob("checkpoint-*")}
    assert "checkpoint-6" not in left
    assert {"checkpoint-3", "checkpoint-9"} <= left
    assert any("step 6 could not be written" in one and "No space left" in one for one in told)


def test_a_finished_run_keeps_its_log_and_is_not_written_over(classifier, tmp_path):
    corpus, validation = toy_corpus(12), toy_corpus(4, seed=1)
    classifier().fit(corpus, validation, output=tmp_path / "run")
    assert not list((tmp_path / "run" / "checkpoints").glob("checkpoint-*"))
    assert losses(tmp_path / "run")
    for resume in (False, True):
        with pytest.raises(TrainingError, match="holds a finished model: choose another folder"):
            classifier().fit(corpus, validation, output=tmp_path / "run", resume=resume)


def test_ctrl_c_saves_and_says_how_to_go_on(classifier, tmp_path, monkeypatch):
    corpus, validation = toy_corpus(12), toy_corpus(4, seed=1)
    straight = classifier().fit(corpus, validation, output=tmp_path / "straight")
    step = HiATrainer.training_step

    def interrupted(self, *args, **kwargs):
        if self.state.global_step == 4:
            os.kill(os.getpid(), signal.SIGINT)
        return step(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(HiATrainer, "training_step", interrupted)
        with pytest.raises(KeyboardInterrupt, match="Stopped after step 5; the same command with --resume"):
            classifier().fit(corpus, validation, output=tmp_path / "run")
    assert last_checkpoint(tmp_path / "run" / "checkpoints").name == "checkpoint-5"
    with pytest.raises(TrainingError, match=r"holds an unfinished run \(checkpoint-5\): pass --resume"):
        classifier().fit(corpus, validation, output=tmp_path / "run")
    resumed = classifier().fit(corpus, validation, output=tmp_path / "run", resume=True)
    assert losses(tmp_path / "run") == losses(tmp_path / "straight")
    assert_equal_weights(weights(straight), weights(resumed))


SCRIPT = """
import json, os, sys
import torch
from branchwise import HierarchicalClassifier
from branchwise.training.trainer import HiATrainer
from tests.training.test_training import SMALL
from tests.training.toys import toy_corpus, toy_tree

torch.set_num_threads(1)
backbone, output, resume, kill_at = sys.argv[1], sys.argv[2], sys.argv[3] == "1", int(sys.argv[4])
changes = json.loads(sys.argv[5])
step = HiATrainer.training_step

def killed(self, *args, **kwargs):
    if self.state.global_step == kill_at:
        os.kill(os.getpid(), 9)
    return step(self, *args, **kwargs)

HiATrainer.training_step = killed
classifier = HierarchicalClassifier(toy_tree(), backbone, **{**SMALL, **changes})
classifier.fit(toy_corpus(12), toy_corpus(4, seed=1), output=output, resume=resume)
if int(os.environ.get("RANK", "0")) == 0:
    torch.save(classifier.model.network.state_dict(), output + "/weights.pt")
"""


def run_script(tmp_path, backbone, output, *, resume=False, kill_at=-1, launch=(), **changes):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    root = str(Path(__file__).parents[2])
    command = [*(launch or [sys.executable]), str(script)]
    return subprocess.run(
        [*command, backbone, str(output), str(int(resume)), str(kill_at), json.dumps(changes)],
        cwd=root,
        env={**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_a_killed_run_goes_on_exactly(tmp_path, backbone):
    """With dropout, so that the generators' states must come back too."""
    straight = run_script(tmp_path, backbone, tmp_path / "straight", dropout=0.3)
    assert straight.returncode == 0, straight.stderr
    killed = run_script(tmp_path, backbone, tmp_path / "run", kill_at=5, dropout=0.3)
    assert killed.returncode == -9
    assert not (tmp_path / "run" / "model.safetensors").exists()
    resumed = run_script(tmp_path, backbone, tmp_path / "run", resume=True, dropout=0.3)
    assert resumed.returncode == 0, resumed.stderr
    assert losses(tmp_path / "run") == losses(tmp_path / "straight")
    first, second = (
        torch.load(tmp_path / one / "weights.pt", weights_only=True) for one in ("straight", "run")
    )
    assert_equal_weights(first, second)


def test_two_processes_train_like_one(tmp_path, backbone):
    """Data parallelism over gloo: the sums are divided by the counts of both."""
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    settings = {"passes": 1.0, "clip": 0.0, "learning_rate": 1e-3}
    one = run_script(tmp_path, backbone, tmp_path / "one", batch=4, **settings)
    assert one.returncode == 0, one.stderr
    two = run_script(tmp_path, backbone, tmp_path / "two", launch=launch, batch=2, **settings)
    assert two.returncode == 0, two.stderr
    for step, (cross_entropy, mask_loss) in losses(tmp_path / "one").items():
        assert losses(tmp_path / "two")[step] == pytest.approx((cross_entropy, mask_loss), rel=1e-5)
    first, second = (torch.load(tmp_path / name / "weights.pt", weights_only=True) for name in ("one", "two"))
    assert_equal_weights(first, second, tolerance=2e-5)
