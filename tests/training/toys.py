"""A tiny real T5 with random weights, and documents so plain that it learns them in seconds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from branchwise import Corpus, Taxonomy
from tests.sequence.spelling import character_tokenizer

WORDS = {"sun": "ggg", "sea": "hhh", "cat": "mmm", "dog": "www"}  # what a text says of each label


def write_backbone(folder: Path, dropout: float = 0.0) -> Path:
    """Write a T5 configuration and a tokenizer; without weights, the model starts from random ones."""
    folder.mkdir(parents=True)
    tokenizer = character_tokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    special = {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", **special}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    config = {
        "model_type": "t5",
        "vocab_size": tokenizer.get_vocab_size(),
        "d_model": 32,
        "d_kv": 8,
        "d_ff": 64,
        "num_layers": 2,
        "num_decoder_layers": 2,
        "num_heads": 4,
        "dropout_rate": dropout,
        "feed_forward_proj": "gated-gelu",
        "tie_word_embeddings": False,
        "decoder_start_token_id": 0,
        "pad_token_id": 0,
        "eos_token_id": 1,
    }
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def toy_tree() -> Taxonomy:
    """Return sky and land, with sun below the first, and cat and dog below the second; sea is sky's too."""
    return Taxonomy.from_nodes(
        ["sky", "land", "sun", "sea", "cat", "dog", "never"],
        ["", "", "sky", "sky", "land", "land", ""],
    )


def toy_corpus(n_documents: int, seed: int = 0) -> Corpus:
    """Return documents that name each of their labels by a run of letters."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(n_documents):
        chosen = random.choice(list(WORDS), size=random.integers(1, 3), replace=False).tolist()
        texts.append(" ".join(WORDS[one] for one in chosen) + " " + "x" * int(random.integers(0, 5)))
        labels.append(chosen)
    return Corpus.from_texts(texts, labels, toy_tree(), [f"d{i}" for i in range(n_documents)])
