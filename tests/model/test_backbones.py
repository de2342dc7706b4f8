"""Where a T5 comes from: any style of checkpoint, a configuration alone, and every way it can be missing."""

from __future__ import annotations

import json
import shutil
import sys
import time
import warnings

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers.utils import logging

from branchwise.errors import MissingExtraError, ModelError
from branchwise.model.backbones import load_backbone
from tests.model.tiny import documents, model_of, small_tree, stock, write_backbone


def one_sentence(error) -> str:
    text = str(error.value)
    assert text.endswith(".")
    assert "\n" not in text
    return text


@pytest.fixture
def copied(backbones, tmp_path):
    """Return a flan-T5 of one's own to break."""
    return shutil.copytree(backbones["flan"], tmp_path / "copy")


def test_a_checkpoint_is_loaded_whole_in_fp32_with_its_tokenizer(backbone):
    loaded = load_backbone(str(backbone))
    stored = load_file(backbone / "model.safetensors")
    state = loaded.t5.state_dict()
    assert all(torch.equal(state[name], one) for name, one in stored.items())
    assert loaded.description == str(backbone)
    assert loaded.tokenizer.token_to_id("</s>") == 1


def test_bf16_checkpoints_are_trained_in_fp32(copied):
    state = {name: one.bfloat16() for name, one in load_file(copied / "model.safetensors").items()}
    save_file(state, copied / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((copied / "config.json").read_text()) | {"dtype": "bfloat16"}
    (copied / "config.json").write_text(json.dumps(config))
    assert {one.dtype for one in model_of(copied).network.parameters()} == {torch.float32}


def test_a_tokenizer_cuts_and_pads_nothing(copied):
    settings = json.loads((copied / "tokenizer.json").read_text())
    settings["truncation"] = {"max_length": 3, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    (copied / "tokenizer.json").write_text(json.dumps(settings))
    tokenizer = load_backbone(str(copied)).tokenizer
    assert len(tokenizer.encode("abcdefgh", add_special_tokens=False).ids) == 9


def test_old_checkpoints_in_pytorchs_own_format_load(copied):
    state = load_file(copied / "model.safetensors")
    torch.save(state, copied / "pytorch_model.bin")
    (copied / "model.safetensors").unlink()
    loaded = load_backbone(str(copied)).t5.state_dict()
    assert all(torch.equal(loaded[name], one) for name, one in state.items())


@pytest.mark.parametrize(
    ("style", "tied", "scale"), [("t5", True, 0.25), ("flan", False, 1), ("mt5", False, 1)]
)
def test_a_configuration_alone_gives_random_weights_and_a_warning(tmp_path, style, tied, scale):
    folder = write_backbone(tmp_path / style, style, weights=False)
    with pytest.warns(UserWarning, match="holds no weights"):
        network = model_of(folder, units="text").network
    assert (network.tied_head, network.output_scale) == (tied, scale)
    shared = network.head.weight is network.encoder.embed_tokens.weight
    assert shared == tied, "transformers ties it, whatever the configuration says"
    pieces, real = documents()
    with torch.no_grad():
        logits = network.decode(torch.tensor([[0]] * 4), network.encode(pieces, real), real)
    assert logits.std() < 5, "logits must start near zero, or the first steps are lost"


def test_output_scale_follows_tie_word_embeddings(tmp_path, backbones):
    """The same tied weights with and without the word: transformers scales only the first."""
    folder = shutil.copytree(backbones["t5"], tmp_path / "unscaled")
    config = json.loads((folder / "config.json").read_text()) | {"tie_word_embeddings": False}
    (folder / "config.json").write_text(json.dumps(config))
    pieces, real = documents()
    start = torch.zeros(4, 1, dtype=torch.long)
    found = []
    for one in (backbones["t5"], folder):
        network = model_of(one, units="text").network
        with torch.no_grad():
            logits = network.decode(start, network.encode(pieces, real), real)
            expected = stock(one)(input_ids=pieces, attention_mask=real, decoder_input_ids=start).logits
        torch.testing.assert_close(logits, expected, rtol=1e-5, atol=1e-4)
        found.append(logits)
    torch.testing.assert_close(found[1], found[0] * 4, rtol=1e-4, atol=1e-3)


def test_a_seed_fixes_random_weights_and_leaves_the_callers_chance_alone(tmp_path):
    folder = write_backbone(tmp_path / "t5", "flan", weights=False)
    torch.manual_seed(11)
    before = torch.get_rng_state()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first, second, third = (
            model_of(folder, seed, units="text").network.state_dict() for seed in (1, 1, 2)
        )
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["head.weight"], third["head.weight"])


def test_loading_is_quiet_and_leaves_transformers_settings_alone(backbones, tmp_path, capfd):
    logging.set_verbosity_info()
    logging.enable_progress_bar()
    try:
        model = model_of(backbones["flan"], units="text")
        model.save(tmp_path / "m")
        type(model).load(tmp_path / "m")
        assert logging.get_verbosity() == logging.INFO
        assert logging.is_progress_bar_enabled()
        logging.disable_progress_bar()
        load_backbone(str(backbones["mt5"]))
        assert not logging.is_progress_bar_enabled()
    finally:
        logging.set_verbosity_warning()
        logging.enable_progress_bar()
    said = capfd.readouterr()
    assert said.out == said.err == ""


def test_nothing_of_that_name(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    for name in ("nobody/nothing", str(tmp_path / "absent")):
        with pytest.raises(
            ModelError, match="neither a folder with a T5 nor to be had from the hub"
        ) as error:
            load_backbone(name)
        assert name in one_sentence(error)
        assert "starter" in str(error.value)


def test_a_hub_out_of_reach(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"nor to be had from the hub .*(onnect|refused)") as error:
        load_backbone("nobody/nothing")
    one_sentence(error)
    assert time.monotonic() - started < 5, "nobody waits for a hub that is not there"


@pytest.mark.parametrize(
    ("break_it", "says"),
    [
        (lambda one: (one / "config.json").unlink(), "neither a folder with a T5"),
        (lambda one: (one / "config.json").write_text("{"), "neither a folder with a T5"),
        (lambda one: (one / "model.safetensors").write_bytes(b"123456789"), "neither a folder with a T5"),
        (lambda one: (one / "tokenizer.json").write_text("{}"), "neither a folder with a T5"),
        (lambda one: (one / "config.json").write_text('{"model_type": "bert"}'), "is a bert, not a T5"),
        (lambda one: drop_decoder(one), "is not a whole T5"),
        (lambda one: other_tokenizer(one), "is not its T5's"),
    ],
)
def test_broken_folders_are_one_sentence(copied, break_it, says):
    break_it(copied)
    with pytest.raises(ModelError, match=says) as error:
        load_backbone(str(copied))
    assert str(copied) in one_sentence(error)


def drop_decoder(folder):
    state = load_file(folder / "model.safetensors")
    save_file(
        {name: one for name, one in state.items() if not name.startswith("decoder")},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )


def other_tokenizer(folder):
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.add_tokens([f"word{i}" for i in range(60)])
    tokenizer.save(str(path))


def test_a_taxonomy_without_labels_is_refused(backbones):
    with pytest.raises(ModelError, match="has no label"):
        model_of(backbones["t5"], tree=type(small_tree()).from_nodes([], []))


def test_only_a_sentencepiece_model(tmp_path, backbones, monkeypatch):
    """As google/t5-v1_1-base and google/mt5-base come: no tokenizer.json, only spiece.model."""
    sentencepiece = pytest.importorskip("sentencepiece")
    folder = shutil.copytree(backbones["flan"], tmp_path / "spm")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    (tmp_path / "text").write_text("\n".join(["the cat sat on a mat", "dogs and arts", "books of food"] * 20))
    sentencepiece.SentencePieceTrainer.train(
        input=str(tmp_path / "text"),
        model_prefix=str(folder / "spiece"),
        vocab_size=24,
        pad_id=0,
        eos_id=1,
        unk_id=2,
        bos_id=-1,
        minloglevel=2,
    )
    tokenizer = load_backbone(str(folder)).tokenizer
    plain = sentencepiece.SentencePieceProcessor(model_file=str(folder / "spiece.model"))
    assert tokenizer.encode("the dog sat", add_special_tokens=False).ids == plain.encode("the dog sat")
    assert tokenizer.token_to_id("<extra_id_0>") is not None
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match="needs the package sentencepiece"):
        load_backbone(str(folder))
