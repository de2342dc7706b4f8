"""Saving and loading: the same logits, the folder's files, no pickle, and every way a folder can be wrong."""

from __future__ import annotations

import json
import os
import pickle
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from branchwise.errors import ModelError, TaxonomyError
from branchwise.model.bundle import Model
from branchwise.taxonomy import Taxonomy
from tests.model.test_backbones import one_sentence
from tests.model.tiny import documents, model_of, small_tree

FILES = {
    "README.md",
    "config.json",
    "model.safetensors",
    "taxonomy.json",
    "tokenizer.json",
    "decisions.json",
    "training.json",
}


def logits_of(model: Model) -> torch.Tensor:
    pieces, real = documents()
    symbols = torch.tensor([[model.network.start, 2, 5, 9, 3]] * 4)
    with torch.no_grad():
        return model.network.decode(symbols, model.network.encode(pieces, real), real)


def shaken(model: Model) -> Model:
    """As training leaves it: no weight is where the backbone had it."""
    torch.manual_seed(4)
    with torch.no_grad():
        for one in model.network.parameters():
            one += 0.1 * torch.randn_like(one)
    return model


@pytest.fixture
def saved(backbones, tmp_path):
    """Return a saved model to break."""
    model = shaken(model_of(backbones["flan"]))
    model.record = {"train": {"documents": 5}}
    model.save(tmp_path / "model")
    return tmp_path / "model"


@pytest.mark.parametrize("units", ["token", "text"])
def test_a_loaded_model_is_the_saved_one(backbone, tmp_path, units):
    model = shaken(model_of(backbone, units=units, rho=3.5, mask="paper", dropout=0.25))
    model.record = {"train": {"documents": 3}, "note": "é"}
    model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    assert torch.equal(logits_of(loaded), logits_of(model))
    assert loaded.config == model.config
    assert loaded.tree == model.tree
    assert loaded.record == model.record
    assert loaded.backbone == str(backbone)
    assert loaded.tokenizer.to_str() == model.tokenizer.to_str()
    assert (loaded.network.output_scale, loaded.network.tied_head) == (
        model.network.output_scale,
        model.network.tied_head,
    )
    assert not loaded.network.training
    assert all(one.requires_grad for one in loaded.network.parameters())
    rates = {one.p for one in loaded.network.modules() if isinstance(one, torch.nn.Dropout)}
    assert rates == {0.25}
    ties = [
        len({one.data_ptr() for one in network.parameters()}) for network in (model.network, loaded.network)
    ]
    assert ties[0] == ties[1] == len(load_file(tmp_path / "m" / "model.safetensors")), "each weight once"


def test_a_loaded_model_saves_the_same_files_again(saved, tmp_path):
    Model.load(saved).save(tmp_path / "again")
    for name in FILES:
        assert (tmp_path / "again" / name).read_bytes() == (saved / name).read_bytes(), name


def test_the_folder_holds_what_it_says_and_nothing_unpickles_it(saved, monkeypatch):
    assert {one.name for one in saved.iterdir()} == FILES
    assert load_file(saved / "model.safetensors")
    for name in FILES - {"model.safetensors"}:
        (saved / name).read_text(encoding="utf-8")

    def refuse(*_, **__):
        raise AssertionError("something was unpickled")

    for place in (pickle, torch):
        monkeypatch.setattr(place, "load", refuse)
    monkeypatch.setattr(pickle, "loads", refuse)
    monkeypatch.setattr(pickle, "Unpickler", refuse)
    Model.load(saved)


def test_odd_labels_survive(backbones, tmp_path):
    tree = Taxonomy.from_nodes(
        ["_", "/", "名", "a\tb"],
        ["", "_", "/", ""],
        ["</s>", '"', "", "é\n"],
        synonyms=[["x"], [], [], ["y"]],
    )
    model_of(backbones["t5"], tree=tree).save(tmp_path / "m")
    assert Model.load(tmp_path / "m").tree == tree


def test_saving_leaves_other_things_and_replaces_an_older_model(saved, backbones):
    (saved / "checkpoints").mkdir()
    (saved / "checkpoints" / "keep").write_text("me")
    (saved / "log.jsonl").write_text("{}")
    (saved / ".unfinished").mkdir()  # of a save that was killed
    model = shaken(model_of(backbones["t5"], units="text"))
    model.save(saved)
    assert {one.name for one in saved.iterdir()} == FILES | {"checkpoints", "log.jsonl"}
    assert (saved / "checkpoints" / "keep").read_text() == "me"
    assert torch.equal(logits_of(Model.load(saved)), logits_of(model))


def test_a_save_that_fails_leaves_the_older_model(saved, backbones, monkeypatch):
    before = {name: (saved / name).read_bytes() for name in FILES}

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Taxonomy, "write", full)
    with pytest.raises(ModelError, match="No space left on device") as error:
        model_of(backbones["t5"]).save(saved)
    assert str(saved) in one_sentence(error)
    assert {one.name: one.read_bytes() for one in saved.iterdir()} == before


def test_a_save_killed_among_its_renames_is_no_model(saved, backbones, monkeypatch):
    replace, done = os.replace, []

    def killed(source, target):
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(target)
        replace(source, target)

    monkeypatch.setattr("pathlib.Path.replace", lambda self, target: killed(self, target))
    with pytest.raises(KeyboardInterrupt):
        model_of(backbones["t5"]).save(saved)
    monkeypatch.undo()
    with pytest.raises(ModelError, match="no Branchwise model"):
        Model.load(saved)
    model_of(backbones["t5"]).save(saved)
    Model.load(saved)


def test_a_place_that_cannot_be_written(backbones, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ModelError, match="cannot be written") as error:
        model_of(backbones["t5"]).save(tmp_path / "file" / "model")
    one_sentence(error)


def rewrite(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


BROKEN = {
    "weights cut short": (
        lambda one: (one / "model.safetensors").write_bytes((one / "model.safetensors").read_bytes()[:999]),
        "cannot be read",
    ),
    "weights of another model": (lambda one: other_weights(one), "do not belong to this model"),
    "weights of another shape": (lambda one: other_weights(one, wide=True), "cannot be read into this model"),
    "no weights": (lambda one: (one / "model.safetensors").unlink(), "has lost its model.safetensors"),
    "no tokenizer": (lambda one: (one / "tokenizer.json").unlink(), "has lost its tokenizer.json"),
    "no taxonomy": (lambda one: (one / "taxonomy.json").unlink(), "has lost its taxonomy.json"),
    "no record": (lambda one: (one / "training.json").unlink(), "has lost its training.json"),
    "no config": (lambda one: (one / "config.json").unlink(), "no Branchwise model"),
    "a T5, not a model": (
        lambda one: (one / "config.json").write_text('{"model_type": "t5"}'),
        "no Branchwise model",
    ),
    "broken config": (lambda one: (one / "config.json").write_text("{"), "config.json cannot be read"),
    "config of a list": (lambda one: (one / "config.json").write_text("[]"), "config.json cannot be read"),
    "a later format": (lambda one: rewrite(one / "config.json", format=2), "format 2"),
    "an unknown setting": (
        lambda one: rewrite(one / "config.json", settings={"colour": "red"}),
        "config.json cannot be read",
    ),
    "a wrong setting": (
        lambda one: rewrite(one / "config.json", settings={"variant": "gru"}),
        "config.json cannot be read",
    ),
    "no settings": (lambda one: rewrite(one / "config.json", settings=None), "config.json cannot be read"),
    "no shape": (lambda one: rewrite(one / "config.json", t5={}), "config.json cannot be read"),
    "broken tokenizer": (
        lambda one: (one / "tokenizer.json").write_text("{}"),
        "tokenizer.json cannot be read",
    ),
    "broken taxonomy": (lambda one: (one / "taxonomy.json").write_text("{"), "taxonomy.json cannot be read"),
    "another taxonomy": (
        lambda one: Taxonomy.from_nodes(["x"], [""]).write(one / "taxonomy.json"),
        "not the taxonomy that the model was saved with",
    ),
    "broken record": (lambda one: (one / "training.json").write_text("nope"), "training.json cannot be read"),
}


def other_weights(folder, wide=False):
    path = folder / "model.safetensors"
    state = load_file(path)
    if wide:
        state["head.weight"] = torch.zeros(500, 16)
    else:
        del state["head.bias"]
        state["extra"] = torch.zeros(1)
    save_file(state, path)


@pytest.mark.parametrize("kind", sorted(BROKEN))
def test_a_broken_folder_is_one_sentence(saved, kind):
    break_it, says = BROKEN[kind]
    break_it(saved)
    with pytest.raises(ModelError, match=says) as error:
        Model.load(saved)
    assert str(saved) in one_sentence(error)


def test_no_such_model(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    (tmp_path / "empty").mkdir()
    for name, says in (
        ("nobody/nothing", "neither as a folder nor on the hub"),
        (tmp_path / "absent", "There is no folder"),
        (tmp_path / "empty", "no Branchwise model"),
    ):
        with pytest.raises(ModelError, match=says) as error:
            Model.load(name)
        assert str(name) in one_sentence(error)


def test_a_model_comes_from_the_hub_without_its_other_files(saved, monkeypatch):
    asked = {}

    def snapshot(source, **options):
        asked.update(options, source=source)
        return str(saved)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot)
    assert Model.load("someone/model").tree == small_tree()
    assert asked["source"] == "someone/model"
    assert set(asked["allow_patterns"]) == FILES, "no pickle is even fetched"


def test_another_taxonomy_is_refused(saved):
    same = Taxonomy.from_nodes(
        ["a", "b", "c", "d", "e", "f", "g"], ["", "", "a", "b", "c", "", "a"], ["Renamed"] * 7
    )
    assert Model.load(saved, same).tree == small_tree(), "names are for people"
    moved = Taxonomy.from_nodes(["a", "b", "c", "d", "e", "f", "g"], ["", "", "a", "b", "c", "", "b"])
    for other in (moved, Taxonomy.from_nodes(["a", "z"], ["", ""])):
        with pytest.raises(TaxonomyError, match="different taxonomy") as error:
            Model.load(saved, other)
        assert "carry_over" in one_sentence(error)


def test_the_card_tells_what_the_model_is(saved, backbones):
    card = (saved / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: branchwise\n")
    assert "# PAMM-HiA-T5 for 7 labels on 3 levels" in card
    assert "Trained on 5 documents." in card
    assert "| rho | 1.0 |" in card
    assert "has not been trained" in model_of(backbones["t5"]).card()
    shutil.rmtree(saved)
