"""Tiny real T5 checkpoints, written as the hub has them, and batches for them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from branchwise.model.backbones import quiet_transformers
from branchwise.model.bundle import Model
from branchwise.model.config import ModelConfig
from branchwise.model.loss import IGNORED
from branchwise.sequence import path_mask
from branchwise.taxonomy import Taxonomy
from tests.sequence.spelling import character_tokenizer

torch.set_num_threads(1)

SHAPE = {
    "vocab_size": 128,
    "d_model": 16,
    "d_kv": 4,
    "d_ff": 24,
    "num_heads": 2,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "decoder_start_token_id": 0,
    "pad_token_id": 0,
    "eos_token_id": 1,
}
STYLES = {  # what the hub's config.json say
    "t5": {"model_type": "t5", "architectures": ["T5ForConditionalGeneration"]},
    "flan": {
        "model_type": "t5",
        "architectures": ["T5ForConditionalGeneration"],
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
    },
    "mt5": {
        "model_type": "mt5",
        "architectures": ["MT5ForConditionalGeneration"],
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
    },
}


def write_backbone(folder: Path, style: str, weights: bool = True, **changes: object) -> Path:
    """Write a checkpoint with strong random weights, so that attention is far from even."""
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    folder.mkdir(parents=True)
    settings = {**SHAPE, **STYLES[style], **changes}
    (folder / "config.json").write_text(json.dumps(settings))
    (folder / "tokenizer.json").write_text(character_tokenizer().to_str())
    about = {"tokenizer_class": "T5TokenizerFast", "eos_token": "</s>", "pad_token": "<pad>", "extra_ids": 4}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    if not weights:
        return folder
    with quiet_transformers():
        t5 = AutoModelForSeq2SeqLM.from_config(AutoConfig.from_pretrained(folder))
    random = torch.Generator().manual_seed(5)
    state = {}
    for name, one in t5.state_dict().items():
        if name.endswith("embed_tokens.weight") or name == "lm_head.weight":
            continue  # tied to shared.weight
        noise = torch.randn(one.shape, generator=random)
        state[name] = 1 + 0.2 * noise if "layer_norm" in name else 0.6 * noise
    if style != "t5":
        state["lm_head.weight"] = torch.randn(t5.lm_head.weight.shape, generator=random)
    save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    return folder


def stock(folder: Path, attention: str = "eager") -> torch.nn.Module:
    """Load a checkpoint as transformers does."""
    from transformers import AutoModelForSeq2SeqLM

    with quiet_transformers():
        return AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation=attention).eval()


def small_tree() -> Taxonomy:
    """Roots a, b, f; c, g under a; d under b; e under c."""
    return Taxonomy.from_nodes(
        ["a", "b", "c", "d", "e", "f", "g"],
        ["", "", "a", "b", "c", "", "a"],
        ["Arts", "Books", "Cinema", "Drama", "Epics", "Food", "Games"],
    )


def model_of(folder: Path, seed: int = 0, tree: Taxonomy | None = None, **settings: object) -> Model:
    """Start a model, without dropout unless it is asked for."""
    config = ModelConfig(**{"backbone": str(folder), "dropout": 0.0, **settings})
    model = Model.from_backbone(config, small_tree() if tree is None else tree, seed)
    model.network.eval()
    return model


def documents(seed: int = 3, sizes: tuple[int, ...] = (9, 4, 7, 1)) -> tuple[torch.Tensor, torch.Tensor]:
    """Return random pieces [B, S] of documents of these lengths, and which are real."""
    random = np.random.default_rng(seed)
    real = np.arange(max(sizes)) < np.array(sizes)[:, None]
    pieces = np.where(real, random.integers(3, 100, real.shape), 0)
    return torch.from_numpy(pieces), torch.from_numpy(real).long()


def batch_of(model: Model, sets: list[list[str]], spare: int = 0) -> dict[str, torch.Tensor]:
    """Return the tensors of a batch with these label sets; ``spare`` pads the targets further."""
    encoded = model.codec.encode(model.tree.label_sets(sets))
    targets = np.where(encoded.real, encoded.targets, IGNORED)
    mask = path_mask(encoded, model.tree, model.config.mask)
    input_ids, attention_mask = documents(sizes=tuple(3 + 2 * (i % 4) for i in range(len(sets))))
    return {
        "input_ids": input_ids,
        "attention_mask": attention_mask,
        "targets": torch.from_numpy(np.pad(targets, ((0, 0), (0, spare)), constant_values=IGNORED)).long(),
        "path_mask": torch.from_numpy(np.pad(mask, ((0, 0), (0, spare), (0, spare)))),
    }
