"""A search tries everything once, survives whatever happens to it, and its best is the best."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from branchwise import HierarchicalClassifier
from branchwise.errors import BranchwiseError, MissingExtraError, ModelError, TrainingError
from branchwise.report import style
from branchwise.report.figures.search import draw_search
from branchwise.search import Range, SearchResult, search
from branchwise.search.output import table
from branchwise.search.space import PAPER_GRID, read_space, split_texts
from branchwise.training.settings import preset
from tests.report.test_figures import assert_legible
from tests.training.toys import toy_corpus, toy_tree, write_backbone

TREE, TRAIN, VALIDATION = toy_tree(), toy_corpus(12), toy_corpus(6, seed=1)
BASE = preset("fast")
SMALL = {"batch": 4, "passes": 1.0, "precision": "fp32", "learning_rate": 3e-3}


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def backbone(tmp_path_factory) -> str:
    return str(write_backbone(tmp_path_factory.mktemp("t5") / "tiny"))


def made_up_figures(settings: Any) -> dict[str, float]:
    """Return figures that are best at ρ = 10 for micro F1, and the better the smaller ρ for macro F1."""
    micro = 1 / (1 + abs(np.log10(settings.rho) - 0.9))
    return {"micro_f1": float(micro), "macro_f1": 1 / (1 + settings.rho), "step": 3}


@pytest.fixture
def trained(monkeypatch) -> list[Any]:
    """Let training take no time, and return the settings that were trained with."""
    made: list[Any] = []

    def fit(self, *_, **__):
        made.append(self.settings)
        self._model = SimpleNamespace(record={"best": made_up_figures(self.settings), "steps": 3})
        return self

    monkeypatch.setattr(HierarchicalClassifier, "fit", fit)
    monkeypatch.setattr(
        "branchwise.search.attempt.gc", SimpleNamespace(collect=lambda: 0)
    )  # takes its time here
    monkeypatch.setattr("branchwise.search.output.draw", lambda *_: None)
    return made


def look(folder: Path, **changes: Any) -> SearchResult:
    return search(TREE, TRAIN, VALIDATION, **{"output": folder, "backbone": "-", **changes})


@pytest.mark.filterwarnings("ignore:.*holds no weights")
def test_a_trial_is_a_training_and_the_best_model_is_kept(tmp_path, backbone):
    told: list[str] = []
    space = {"learning_rate": [1e-4, 1e30, 3e-3]}
    few = {name: value for name, value in SMALL.items() if name != "learning_rate"}
    options = {"backbone": backbone, "keep_best": True, "passes": 3.0, **{**few, "passes": 3.0}}
    result = look(tmp_path, space=space, tell=told.append, **options)
    by_rate = {one.changes["learning_rate"]: one for one in result.trials}
    assert set(by_rate) == {1e-4, 1e30, 3e-3}
    assert "The loss became" in by_rate[1e30].error, "one that failed does not lose the rest"
    assert by_rate[1e30].best is None
    assert result.ranked()[-1] is by_rate[1e30]
    assert result.best.changes == {"learning_rate": 3e-3}
    straight = HierarchicalClassifier(TREE, backbone, **{**few, "passes": 3.0, "learning_rate": 3e-3})
    straight.fit(TRAIN, VALIDATION)
    assert result.best.best == straight.model.record["best"]
    assert result.best.steps == straight.model.record["steps"]
    kept = HierarchicalClassifier.load(tmp_path / "best").model
    assert kept.record["search"] == {"trial": result.best.number, "changes": {"learning_rate": 3e-3}}
    for name, one in straight.model.network.state_dict().items():
        torch.testing.assert_close(one, kept.network.state_dict()[name])
    assert {one.name for one in tmp_path.iterdir()} == {
        "best",
        "journal.jsonl",
        "search.json",
        "search.md",
        "search.png",
        "trials",
    }
    assert json.loads((tmp_path / "search.json").read_text()) == result.to_dict()
    assert sum(one.startswith("The backbone is") for one in told) == 1, (
        "what trials have in common is told once"
    )
    assert any("failed: The loss became" in one for one in told)


def test_the_papers_grid_is_tried_whole(tmp_path, trained):
    result = look(tmp_path)
    assert sorted(one.rho for one in trained) == list(PAPER_GRID["rho"])
    assert result.best.changes == {"rho": 10.0}
    assert result.best_settings.rho == 10.0
    assert [one.changes["rho"] for one in result.ranked()] == [10.0, 1.0, 100.0, 200.0, 0.1]
    assert [one.number for one in result.trials] == [1, 2, 3, 4, 5]
    trial = json.loads((tmp_path / "trials" / f"{result.best.number:04}.json").read_text())
    assert trial["changes"] == {"rho": 10.0}
    assert trial["micro_f1"] == pytest.approx(1 / 1.1)
    assert trial["steps"] == 3
    first = (tmp_path / "search.md").read_text().split("---: |\n")[1].splitlines()[0]
    assert first.startswith("| 10 | 90.91 | 9.09 | 3 | 3 |")


def test_the_objective_chooses_the_models_too(tmp_path, trained):
    result = look(tmp_path, objective="macro")
    assert result.best.changes == {"rho": 0.1}
    assert {one.select for one in trained} == {"macro"}
    with pytest.raises(BranchwiseError, match="select is micro and the objective macro"):
        look(tmp_path, objective="macro", select="micro")


def test_lists_are_tried_in_every_combination_and_nothing_twice(tmp_path, trained):
    told: list[str] = []
    space = {"variant": ["hia", "pamm"], "rho": [1, 10], "mask": "paper,released"}
    result = look(tmp_path, space=space, tell=told.append)
    assert len({tuple(one.changes.items()) for one in result.trials}) == len(result.trials) == 8
    assert len(trained) == 5, "the mask is nothing to hia"
    same = [one for one in result.trials if one.same_as]
    assert len(same) == 3
    assert all(one.best == result.trials[one.same_as - 1].best for one in same)
    assert sum("is not trained again" in one for one in told) == 3
    assert "the same as trial" in table(result).markdown()


def test_a_finished_search_can_be_made_longer(tmp_path, trained):
    assert len(look(tmp_path, trials=2).trials) == 2
    told: list[str] = []
    result = look(tmp_path, tell=told.append)
    assert told[0] == "2 of 5 trials are finished already."
    assert sorted(one.rho for one in trained) == list(PAPER_GRID["rho"])
    assert look(tmp_path, trials=3).trials == result.trials
    assert len(trained) == 5


SPACES = {
    "grid": {"rho": "0.1,1,10,100"},
    "ranges": {"rho": "0.1..200", "batch": "4..64", "mask": "paper,released"},
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_ctrl_c_says_how_to_go_on(space, tmp_path, trained, monkeypatch):
    straight = look(tmp_path / "straight", space=space, trials=4)
    fit = HierarchicalClassifier.fit
    made = len(trained)

    def interrupted(self, *args, **kwargs):
        if len(trained) == made + 2:
            raise KeyboardInterrupt("another sentence")
        return fit(self, *args, **kwargs)

    told: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(HierarchicalClassifier, "fit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            look(tmp_path / "run", space=space, trials=4, tell=told.append)
    assert told[-1] == "Stopped in trial 3 of 4; the same command goes on with it from its beginning."
    assert len(json.loads((tmp_path / "run" / "search.json").read_text())["trials"]) == 2
    resumed = look(tmp_path / "run", space=space, trials=4)
    assert [one.changes for one in resumed.trials] == [one.changes for one in straight.trials]
    assert len(trained) == made + 4


KILLED = """
import os, sys
from branchwise import HierarchicalClassifier
from branchwise.search.run import files
from tests.training.test_search import SPACES, SimpleNamespace, look, made_up_figures

trained = []
def fit(self, train, validation, **_):
    if len(trained) == 2:
        os.kill(os.getpid(), 9)
    trained.append(self)
    self._model = SimpleNamespace(record={"best": made_up_figures(self.settings), "steps": 3})
    return self

HierarchicalClassifier.fit = fit
files.draw = lambda *_: None
look(sys.argv[1], space=SPACES["grid"])
"""


def test_a_killed_search_goes_on_and_repeats_nothing(tmp_path, trained):
    root = str(Path(__file__).parents[2])
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "run")],
        cwd=root,
        env={**os.environ, "PYTHONPATH": root, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    with (tmp_path / "run" / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"op_code": 4, "wor')  # the kill may hit a line that is being written
    before = json.loads((tmp_path / "run" / "search.json").read_text())["trials"]
    result = look(tmp_path / "run", space=SPACES["grid"])
    assert [one.to_dict() for one in result.trials[:2]] == before
    assert len(trained) == 2
    assert sorted(one.changes["rho"] for one in result.trials) == [0.1, 1.0, 10.0, 100.0]


@pytest.mark.usefixtures("trained")
def test_ranges_are_drawn_from_with_a_seed(tmp_path):
    space = {"rho": Range(0.1, 200, log=True), "batch": Range(4, 64), "dropout": "0..0.3"}
    result = look(tmp_path / "one", space=space)
    assert len(result.trials) == 20
    for one in result.trials:
        rho, batch, dropout = one.changes.values()
        assert 0.1 <= rho <= 200
        assert isinstance(batch, int)
        assert 4 <= batch <= 64
        assert 0 <= dropout <= 0.3
        assert rho == float(f"{rho:.3g}")
    rhos = [one.changes["rho"] for one in result.trials]
    assert sum(one < 4.5 for one in rhos) > 5, "on a log scale"
    again = look(tmp_path / "again", space=space, trials=7)
    assert [one.changes for one in again.trials] == [one.changes for one in result.trials[:7]]
    other = look(tmp_path / "other", space=space, trials=7, seed=1)
    assert [one.changes for one in other.trials] != [one.changes for one in again.trials]


@pytest.mark.usefixtures("trained")
def test_what_trials_have_shown_steers_the_next(tmp_path):
    micro, macro = (
        [
            one.changes["rho"]
            for one in look(tmp_path / name, space={"rho": "0.1..200"}, objective=name).trials
        ]
        for name in ("micro", "macro")
    )
    assert micro[:5] == macro[:5], "the first are drawn at random"
    assert np.mean(macro[10:]) < np.mean(macro[:5]), "small ones are best for macro F1"
    assert np.mean(macro[10:]) < np.mean(micro[10:])


@pytest.mark.parametrize(
    ("changes", "difference"),
    [
        ({"passes": 2.0}, "its passes is 3.0, not 2.0"),
        ({"backbone": "other"}, "its backbone is -, not other"),
        ({"space": {"rho": [1, 2]}}, "its space is another"),
    ],
)
def test_another_search_in_the_same_folder_is_refused(changes, difference, tmp_path, trained):
    look(tmp_path, trials=1)
    with pytest.raises(TrainingError, match=rf"holds another search \({difference}\)"):
        look(tmp_path, **changes)
    assert len(trained) == 1


def test_other_documents_in_the_same_folder_are_refused(tmp_path, trained):
    look(tmp_path, trials=1)
    with pytest.raises(TrainingError, match="its validation data is another"):
        search(TREE, TRAIN, TRAIN, output=tmp_path, backbone="-")
    assert len(trained) == 1


def fails(monkeypatch, error: Exception, at: float | None = None) -> None:
    fit = HierarchicalClassifier.fit

    def failing(self, *args, **kwargs):
        if at is None or self.settings.rho == at:
            raise error
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(HierarchicalClassifier, "fit", failing)


@pytest.mark.usefixtures("trained")
def test_a_failed_trial_is_put_down_and_the_others_are_made(tmp_path, monkeypatch):
    fails(monkeypatch, RuntimeError("out of memory"), at=10.0)
    result = look(tmp_path)
    assert [one.error for one in result.trials if one.error] == ["RuntimeError: out of memory"]
    assert result.best.changes == {"rho": 1.0}
    assert "failed: RuntimeError: out of memory" in (tmp_path / "search.md").read_text()
    assert look(tmp_path).trials == result.trials, "what failed is finished"


@pytest.mark.usefixtures("trained")
def test_where_all_trials_fail_the_first_says_why(tmp_path, monkeypatch):
    fails(monkeypatch, TrainingError("The loss became nan."))
    with pytest.raises(
        TrainingError, match="None of 5 trials came to a model; the first: The loss became nan"
    ):
        look(tmp_path).best  # noqa: B018
    assert len(list((tmp_path / "trials").iterdir())) == 5


def test_what_is_wrong_with_every_trial_ends_the_search_at_once(tmp_path, trained, monkeypatch):
    with monkeypatch.context() as patch:
        fails(patch, ModelError("The backbone '-' is not to be had."))
        with pytest.raises(ModelError, match="is not to be had"):
            look(tmp_path)
    assert not (tmp_path / "trials").exists()
    assert len(look(tmp_path).trials) == len(trained) == 5


@pytest.mark.usefixtures("trained")
def test_a_best_model_that_was_not_kept_is_told(tmp_path):
    look(tmp_path)
    told: list[str] = []
    look(tmp_path, keep_best=True, tell=told.append)
    assert "train it with --rho 10.0" in told[-1]


@pytest.mark.parametrize("package", ["optuna", "transformers"])
def test_a_missing_package_names_its_extra(package, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    extra = {"optuna": "search", "transformers": "train"}[package]
    with pytest.raises(MissingExtraError, match=rf"needs the package {package}.*branchwise\[{extra}\]"):
        look(tmp_path)


def test_without_matplotlib_there_is_one_sentence_and_no_picture(tmp_path, monkeypatch):
    def fit(self, *_, **__):
        self._model = SimpleNamespace(record={"best": made_up_figures(self.settings), "steps": 3})
        return self

    monkeypatch.setattr(HierarchicalClassifier, "fit", fit)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    told: list[str] = []
    look(tmp_path, tell=told.append)
    assert sum("branchwise[figures]" in one for one in told) == 1
    assert (tmp_path / "search.md").exists()
    assert not (tmp_path / "search.png").exists()


def test_an_unusable_device_is_refused_before_anything_is_written(tmp_path, trained):
    with pytest.raises(ModelError, match="device 'abacus' cannot be used"):
        look(tmp_path / "run", device="abacus")
    assert not (tmp_path / "run").exists()
    assert not trained


finite = st.floats(0, 1e6, allow_nan=False).map(abs)


@given(st.lists(finite, min_size=1, max_size=6))
def test_a_list_is_read_as_it_is_written(values):
    written = split_texts([f"rho={','.join(map(repr, values))}"])
    assert read_space(written, BASE) == {"rho": tuple(dict.fromkeys(values))}
    assert read_space({"rho": values}, BASE) == read_space(written, BASE)


@given(st.floats(1e-6, 1e3), st.floats(1e-6, 1e3), st.sampled_from(["", ":log", ":linear"]))
def test_a_range_is_read_as_it_is_written(one, other, scale):
    low, high = sorted((one, other))
    text = f"learning-rate = {low!r}..{high!r}{scale}"
    if low == high:
        with pytest.raises(BranchwiseError, match="is empty"):
            read_space(split_texts([text]), BASE)
        return
    read = read_space(split_texts([text]), BASE)["learning_rate"]
    assert read == Range(low, high, scale == ":log" or (not scale and high >= 10 * low))


@given(st.text(max_size=20))
def test_whatever_is_written_is_read_or_refused_in_a_sentence(text):
    for name in ("rho", "batch", "mask", "train_position_bias"):
        try:
            read_space(split_texts([f"{name}={text}"]), BASE)
        except BranchwiseError as error:
            assert str(error).endswith(".")  # noqa: PT017


def test_every_kind_of_setting_can_be_listed():
    space = {"batch": "8,16", "pad_to_limit": "yes,no", "backbone": "../a,b/c", "units": ["token"]}
    read = read_space(space, BASE)
    assert read == {
        "batch": (8, 16),
        "pad_to_limit": (True, False),
        "backbone": ("../a", "b/c"),
        "units": ("token",),
    }


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["rho"], r"'rho' is not a setting and its values: write rho=0\.1,1,10"),
        (["=1"], "is not a setting and its values"),
        (["rho="], "is not a setting and its values"),
        (["rho=1", "rho=2"], "space of rho is given twice"),
        (["colour=red"], "no setting 'colour' to search: choose from"),
        (["select=micro,macro"], "select cannot be searched"),
        (["rho=1,two"], "space of rho holds 'two', where a number must stand"),
        (["rho=1,,2"], "space of rho holds '', where a number must stand"),
        (["rho=nan"], "holds 'nan', where a number"),
        (["batch=8.5"], "holds '8.5', where a whole number must stand"),
        (["batch=4..x"], "holds 'x', where a whole number must stand"),
        (["pad_to_limit=maybe"], "holds 'maybe', where yes or no must stand"),
        (["mask=paper,"], "space of mask holds '', where a value must stand"),
        (["mask=paper,scissors"], "mask is 'scissors': choose one of paper, released"),
        (["rho=-1,1"], "rho must not be negative"),
        (["dropout=0.1..1.5"], r"dropout in \[0, 1\)"),
        (["rho=2..1"], "is empty or not above 0"),
        (["rho=0..1:log"], "is empty or not above 0 on a log scale"),
        (["rho=1..2..3"], "where a number must stand"),
    ],
)
def test_what_cannot_be_searched_is_a_clear_error(texts, message):
    with pytest.raises(BranchwiseError, match=message):
        read_space(split_texts(texts), BASE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"space": {"mask": Range(1, 2)}}, "mask is no number, so it has no range"),
        ({"space": {}}, "space has no setting to search"),
        ({"space": {"mask": []}}, "space of mask has no value"),
        ({"rho": 1.0}, "rho has a value and is to be searched as well"),
        ({"space": {"backbone": ["a"]}}, "backbone has a value and is to be searched as well"),
        ({"variant": "hia"}, "rho plays no part in the variant hia"),
        ({"trials": 0}, "0 trials were asked for"),
        ({"preset": "slow"}, "no preset 'slow'"),
    ],
)
def test_an_impossible_search_is_refused_before_anything_is_written(changes, message, tmp_path):
    with pytest.raises(BranchwiseError, match=message):
        look(tmp_path / "run", **changes)
    assert not (tmp_path / "run").exists()


PICTURES = {
    "one setting": ({"rho": [1.0, 0.1, 200.0, 10.0, 100.0]}, [0.61, 0.60, None, 0.62, 0.61]),
    "one trial": ({"pad_to_limit": [True], "batch": [8]}, [0.3]),
    "nothing but failures": ({"rho": [1.0, 2.0]}, [None, None]),
    "many": (
        {
            "learning_rate": [1e-4 * 1.2**i for i in range(20)],
            "mask": ["paper", "released"] * 10,
            "rho": [0.0, 0.1, 1.0, 10.0, 100.0] * 4,
            "backbone": ["google-t5/t5-base", "starter", "a/very-long-name-of-a-backbone", "$x$"] * 5,
        },
        [0.5 + 0.01 * (i % 7) for i in range(20)],
    ),
    "a short range": ({"learning_rate": [0.00125, 0.00931, 0.00881]}, [0.1, 0.2, None]),
    "crowded": ({"batch": [1, 100, 101, 102, 103, 104]}, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_legible(name, tmp_path, monkeypatch):
    figures: list[Any] = []
    save = style.save
    monkeypatch.setattr(style, "save", lambda figure, path: (figures.append(figure), save(figure, path)))
    settings, scores = PICTURES[name]
    both = {"micro F1": scores, "macro F1": [None if one is None else one / 3 for one in scores]}
    draw_search(settings, both, tmp_path / "search.png", ranges=["learning_rate"])
    assert (tmp_path / "search.png").stat().st_size > 5_000
    assert_legible(figures[0])
