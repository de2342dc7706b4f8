"""The ``starter`` backbone: a real pretrained T5 that the package index carries, for where no hub is in reach.

It is flan-t5-small, fine-tuned elsewhere to write titles and stored as int8; this room turns it back into
a T5 checkpoint, once, in the user's cache. As a start for fine-tuning it is far better than random weights,
and far from t5-base.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from branchwise.errors import MissingExtraError, ModelError
from branchwise.extras import require

DESCRIPTION = "flan-t5-small, title fine-tune, dequantised"
WHEEL, WHEEL_VERSION = "traceforge-title-model", "0.2.0"
SOURCES = {  # SHA-256 of what the wheel must hold
    "encoder.onnx": "b82bef1400cec815c3e5addd04dc451ec31491ac6598b166bbc6594656823787",
    "decoder.onnx": "76b40328b8a6bd8b8fc029d80006284c6d644d6e0938c18339bc05fb31a927bc",
    "tokenizer.json": "3550c5f922922567115f702e0543b57276366fc321cf1f088859c71491656cf6",
}
CONFIG = {
    "architectures": ["T5ForConditionalGeneration"],
    "model_type": "t5",
    "d_model": 512,
    "d_kv": 64,
    "d_ff": 1024,
    "num_layers": 8,
    "num_decoder_layers": 8,
    "num_heads": 6,
    "vocab_size": 32128,
    "relative_attention_num_buckets": 32,
    "relative_attention_max_distance": 128,
    "dropout_rate": 0.1,
    "layer_norm_epsilon": 1e-6,
    "feed_forward_proj": "gated-gelu",
    "is_encoder_decoder": True,
    "tie_word_embeddings": False,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
}


def starter_folder(cache: Path | None = None) -> Path:
    """Return the folder of the starter checkpoint, converting it on the first call.

    Parameters
    ----------
    cache
        Where converted files are kept; ``BRANCHWISE_CACHE`` or ``~/.cache/branchwise`` where absent.
    """
    home = (cache or Path(os.environ.get("BRANCHWISE_CACHE") or "~/.cache/branchwise")).expanduser()
    folder = home / f"starter-{WHEEL_VERSION}"
    if (folder / "model.safetensors").exists():
        return folder
    source = _checked_source()
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as scratch:
            part = Path(scratch) / "starter"
            part.mkdir()
            _convert(source, part)
            try:
                part.rename(folder)
            except OSError:  # another process was quicker, or an earlier try left half a folder
                if not (folder / "model.safetensors").exists():
                    shutil.rmtree(folder, ignore_errors=True)
                    part.rename(folder)
    except OSError as error:
        raise ModelError(
            f"The starter backbone cannot be written to {home} ({error}): free 400 MB there, or set "
            "BRANCHWISE_CACHE to another folder."
        ) from error
    return folder


def _checked_source() -> Path:
    try:
        found = version(WHEEL)
    except PackageNotFoundError as error:
        raise MissingExtraError(
            f"The starter backbone needs the package {WHEEL}, which is not installed: run pip install "
            "'branchwise[starter]', or name another backbone."
        ) from error
    if found != WHEEL_VERSION:
        raise ModelError(
            f"The starter backbone is {WHEEL} {WHEEL_VERSION}, but {found} is installed: run pip install "
            f"{WHEEL}=={WHEEL_VERSION}."
        )
    package = require("traceforge_title_model", "starter", "The starter backbone")
    folder = Path(str(package.__file__)).parent / "data" / "span"
    for name, expected in SOURCES.items():
        try:
            with (folder / name).open("rb") as file:
                actual = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            actual = "none"
        if actual != expected:
            raise ModelError(
                f"{folder / name} is not the file that {WHEEL} {WHEEL_VERSION} ships (SHA-256 {actual[:12]}…): "
                f"run pip install --force-reinstall {WHEEL}=={WHEEL_VERSION}."
            )
    return folder


def _convert(source: Path, target: Path) -> None:
    safetensors = require("safetensors", "starter", "The starter backbone")
    save_file = require("safetensors.numpy", "starter", "The starter backbone").save_file
    tensors = dequantised(source / "encoder.onnx") | dequantised(source / "decoder.onnx")
    tokenizer = json.loads((source / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["truncation"] = tokenizer["padding"] = None  # the wheel cuts everything at 48 pieces
    (target / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")
    (target / "config.json").write_text(json.dumps(CONFIG, indent=2), encoding="utf-8")
    settings = {
        "tokenizer_class": "T5TokenizerFast",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "extra_ids": 100,
    }
    (target / "tokenizer_config.json").write_text(json.dumps(settings, indent=2), encoding="utf-8")
    (target / "README.md").write_text(
        f"# Starter backbone\n\n{DESCRIPTION}. Converted from the package {WHEEL} {WHEEL_VERSION} (MIT), whose "
        "weights derive from flan-t5-small (Apache-2.0).\n",
        encoding="utf-8",
    )
    try:
        save_file(tensors, target / "model.safetensors", metadata={"format": "pt"})
    except safetensors.SafetensorError as error:  # what safetensors says of a full disk
        raise OSError(str(error)) from error


def dequantised(path: Path) -> dict[str, np.ndarray]:
    """Read the tensors of one int8 ONNX graph as float32, under the names that transformers gives them."""
    onnx = require("onnx", "starter", "The starter backbone")
    graph = onnx.load(str(path)).graph
    stored = {one.name: one for one in graph.initializer}

    def read(name: str) -> np.ndarray:
        return onnx.numpy_helper.to_array(stored[name])

    def real(base: str) -> np.ndarray:
        quantised, zero = read(f"{base}_quantized"), read(f"{base}_zero_point")
        return (quantised.astype(np.float32) - zero.astype(np.float32)) * read(f"{base}_scale")

    tensors = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            base = next(one for one in node.input if one.endswith("_quantized") and one in stored)
            tensors[_matrix_name(node.name)] = real(base.removesuffix("_quantized")).T.copy()
    for name in stored:
        if name.endswith(("shared.weight_quantized", "relative_attention_bias.weight_quantized")):
            base = name.removesuffix("_quantized")
            tensors[_plain_name(base)] = real(base)
        elif name.endswith("layer_norm.weight"):
            tensors[_plain_name(name)] = read(name)
    return tensors


def _matrix_name(node: str) -> str:
    path = node.removesuffix("/MatMul_quant").strip("/").replace("/", ".")
    return "lm_head.weight" if "block" not in path else _plain_name(path) + ".weight"


def _plain_name(name: str) -> str:
    for short, full in (("enc.", "encoder."), ("m.", "")):
        if name.startswith(short):
            return full + name.removeprefix(short)
    return name
