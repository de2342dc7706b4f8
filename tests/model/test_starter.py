"""The starter backbone: int8 graphs turned back into numbers, and the real wheel turned into a T5, once."""

from __future__ import annotations

import importlib.metadata
import shutil
import sys

import numpy as np
import pytest

from branchwise.errors import MissingExtraError, ModelError
from branchwise.model import starter
from branchwise.model.backbones import load_backbone
from tests.model.test_backbones import one_sentence

onnx = pytest.importorskip("onnx")


def quantised(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Round to int8 with a scale and a zero point, as ONNX Runtime does."""
    scale = np.float32((values.max() - values.min()) / 255)
    zero = np.int8(np.round(-128 - values.min() / scale))
    return np.clip(np.round(values / scale) + zero, -128, 127).astype(np.int8), zero, scale


def test_a_quantised_graph_becomes_tensors_with_transformers_names(tmp_path):
    random = np.random.default_rng(0)
    wanted = {
        "decoder.block.0.layer.0.SelfAttention.q.weight": random.normal(size=(4, 6)),
        "lm_head.weight": random.normal(size=(9, 4)),
        "shared.weight": random.normal(size=(9, 4)),
        "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight": random.normal(size=(8, 2)),
        "decoder.final_layer_norm.weight": random.normal(size=4),
    }
    stored, nodes = [], []

    def put(name, array):
        stored.append(onnx.numpy_helper.from_array(np.asarray(array), name))

    def put_quantised(base, values):
        for part, array in zip(("quantized", "zero_point", "scale"), quantised(values), strict=True):
            put(f"{base}_{part}", array)

    for number, (path, name) in enumerate(
        [
            ("/m/decoder/block.0/layer.0/SelfAttention/q", "decoder.block.0.layer.0.SelfAttention.q.weight"),
            ("/lm_head", "lm_head.weight"),
        ]
    ):
        put_quantised(f"onnx::MatMul_{number}", wanted[name].T)  # in × out
        inputs = [f"x{number}", f"onnx::MatMul_{number}_quantized", f"z{number}"]
        inputs.append(f"onnx::MatMul_{number}_zero_point")
        nodes.append(onnx.helper.make_node("MatMulInteger", inputs, [f"y{number}"], f"{path}/MatMul_quant"))
    put_quantised("m.shared.weight", wanted["shared.weight"])
    bias = "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    put_quantised(f"m.{bias}", wanted[bias])
    put("m.decoder.final_layer_norm.weight", wanted["decoder.final_layer_norm.weight"].astype(np.float32))
    put("m.some_constant", np.zeros(3, np.float32))
    nodes.append(onnx.helper.make_node("Relu", ["a"], ["b"], "/m/decoder/block.0/Relu"))
    onnx.save(onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", [], [], stored)), tmp_path / "g.onnx")

    found = starter.dequantised(tmp_path / "g.onnx")
    assert set(found) == set(wanted)
    for name, values in wanted.items():
        assert found[name].shape == values.shape, name
        assert found[name].dtype == np.float32
        step = (values.max() - values.min()) / 255
        assert np.abs(found[name] - values).max() <= step, name


def installed() -> bool:
    try:
        return importlib.metadata.version(starter.WHEEL) == starter.WHEEL_VERSION
    except importlib.metadata.PackageNotFoundError:
        return False


needs_the_wheel = pytest.mark.skipif(not installed(), reason="the starter's wheel is not installed")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Convert the starter once, into a cache of its own."""
    home = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BRANCHWISE_CACHE", str(home / "new"))
        starter.starter_folder()
    yield home / "new"
    shutil.rmtree(home)  # 300 MB


@needs_the_wheel
def test_the_real_wheel_becomes_a_whole_t5(cache, monkeypatch):
    from transformers import AutoModelForSeq2SeqLM

    monkeypatch.setenv("BRANCHWISE_CACHE", str(cache))
    assert [one.name for one in cache.iterdir()] == [f"starter-{starter.WHEEL_VERSION}"]
    _, loading = AutoModelForSeq2SeqLM.from_pretrained(
        cache / f"starter-{starter.WHEEL_VERSION}", output_loading_info=True
    )
    assert not loading["missing_keys"]
    assert not loading["unexpected_keys"]
    assert not loading["mismatched_keys"]
    backbone = load_backbone("starter")
    assert backbone.description == "flan-t5-small, title fine-tune, dequantised"
    assert backbone.t5.lm_head.weight is not backbone.t5.get_input_embeddings().weight
    assert not backbone.t5.config.scale_decoder_outputs
    words = "word " * 199 + "word"
    assert len(backbone.tokenizer.encode(words, add_special_tokens=False).ids) == 200, "the wheel cuts at 48"
    assert backbone.tokenizer.token_to_id("<extra_id_0>") == 32099


@needs_the_wheel
def test_the_real_weights_know_language(cache):
    """A text's own words are likelier in their order than in any other: no transposed or swapped matrix."""
    import torch

    backbone = load_backbone(str(cache / f"starter-{starter.WHEEL_VERSION}"))

    def loss(text, title):
        ids = [torch.tensor([backbone.tokenizer.encode(one).ids]) for one in (text, title)]
        with torch.no_grad():
            return backbone.t5.eval()(input_ids=ids[0], labels=ids[1]).loss.item()

    text = "We study how bees find flowers in cities and how gardens help them to survive the winter."
    good = loss(text, "How bees find flowers in cities")
    assert good < loss(text, "cities in flowers find bees How")
    assert good < loss(text, "Quantum field theory on curved spaces")
    assert good < 5, "a random model has the logarithm of 32,128, which is 10.4"


@needs_the_wheel
def test_a_second_call_converts_nothing(cache, monkeypatch):
    def again(*_):
        raise AssertionError("converted again")

    monkeypatch.setattr(starter, "_convert", again)
    monkeypatch.setattr(starter, "_checked_source", again)
    assert starter.starter_folder(cache) == cache / f"starter-{starter.WHEEL_VERSION}"


@needs_the_wheel
def test_half_a_folder_is_replaced(tmp_path, monkeypatch):
    folder = tmp_path / f"starter-{starter.WHEEL_VERSION}"
    folder.mkdir()
    (folder / "config.json").write_text("{")
    monkeypatch.setattr(starter, "_convert", lambda _, part: (part / "model.safetensors").write_text("whole"))
    assert starter.starter_folder(tmp_path) == folder
    assert [one.name for one in folder.iterdir()] == ["model.safetensors"]
    assert [one.name for one in tmp_path.iterdir()] == [folder.name]


@needs_the_wheel
def test_a_conversion_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def full(_, part):
        (part / "config.json").write_text("{}")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(starter, "_convert", full)
    with pytest.raises(ModelError, match="No space left") as error:
        starter.starter_folder(tmp_path)
    assert "BRANCHWISE_CACHE" in one_sentence(error)
    assert not list(tmp_path.iterdir())


def wheel_of(folder, monkeypatch, version=starter.WHEEL_VERSION):
    """Pretend that a wheel with these files is installed."""
    data = folder / "traceforge_title_model" / "data" / "span"
    data.mkdir(parents=True)
    (data.parents[1] / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "traceforge_title_model", raising=False)
    monkeypatch.setattr(starter, "version", lambda _: version)
    return data


def test_changed_files_are_refused(tmp_path, monkeypatch):
    data = wheel_of(tmp_path, monkeypatch)
    for state in ("missing", "changed"):
        if state == "changed":
            (data / "encoder.onnx").write_bytes(b"tampered with")
        with pytest.raises(ModelError, match=r"encoder\.onnx is not the file") as error:
            starter.starter_folder(tmp_path / "cache")
        assert "--force-reinstall" in one_sentence(error)
    assert not (tmp_path / "cache").exists()


def test_another_version_is_refused(tmp_path, monkeypatch):
    wheel_of(tmp_path, monkeypatch, version="9.9")
    with pytest.raises(ModelError, match=r"but 9\.9 is installed") as error:
        starter.starter_folder(tmp_path / "cache")
    one_sentence(error)


def test_without_the_wheel_the_extra_is_named(tmp_path, monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(starter, "version", absent)
    monkeypatch.setenv("BRANCHWISE_CACHE", str(tmp_path))
    with pytest.raises(MissingExtraError, match=r"branchwise\[starter\]") as error:
        load_backbone("starter")
    one_sentence(error)
