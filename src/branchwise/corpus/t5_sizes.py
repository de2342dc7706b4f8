"""The sizes of T5 backbones, known by name or read from a folder, and the arithmetic on them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from branchwise.errors import CorpusError

BUCKETS = 32  # relative position buckets of every T5
PREFIXES = ("google-t5/", "google/")


@dataclass(frozen=True)
class T5Sizes:
    """The numbers a T5's cost depends on."""

    name: str
    d_model: int
    d_ff: int
    heads: int
    d_kv: int
    encoder_layers: int
    decoder_layers: int
    vocabulary: int
    gated: bool  # two input matrices in each feed-forward block: T5 v1.1, flan and mT5
    tied: bool  # the output layer is the embedding

    @property
    def inner(self) -> int:
        """Width of all heads together."""
        return self.heads * self.d_kv

    @property
    def feed_forward(self) -> int:
        """Weights of one feed-forward block."""
        return (3 if self.gated else 2) * self.d_model * self.d_ff

    @property
    def body(self) -> int:
        """Weights of encoder and decoder without embedding and output layer."""
        attention = 4 * self.d_model * self.inner
        encoder = self.encoder_layers * (attention + self.feed_forward + 2 * self.d_model)
        decoder = self.decoder_layers * (2 * attention + self.feed_forward + 3 * self.d_model)
        return encoder + decoder + 2 * (BUCKETS * self.heads + self.d_model)

    @property
    def parameters(self) -> int:
        """Weights of the whole backbone."""
        return self.body + (1 if self.tied else 2) * self.vocabulary * self.d_model

    def encoder_flops(self, pieces: np.ndarray) -> np.ndarray:
        """Operations to encode texts of so many word pieces, forward only."""
        weights = 4 * self.d_model * self.inner + self.feed_forward
        return self.encoder_layers * (2.0 * weights * pieces + 4.0 * self.inner * pieces**2)

    def cross_flops(self, pieces: np.ndarray) -> np.ndarray:
        """Operations for the keys and values that the decoder reads the encoded texts by."""
        return self.decoder_layers * 4.0 * self.d_model * self.inner * pieces

    def decoder_flops(self, pieces: np.ndarray, symbols: np.ndarray, outputs: int) -> np.ndarray:
        """Operations to decode so many symbols, each one of ``outputs``, over encoded texts, forward only."""
        weights = 6 * self.d_model * self.inner + self.feed_forward
        attention = 4.0 * self.inner * symbols * (symbols + pieces)
        head = 2.0 * self.d_model * outputs * symbols
        return self.decoder_layers * (2.0 * weights * symbols + attention) + head


def _v1_0(name: str, d_model: int, d_ff: int, heads: int, layers: int) -> T5Sizes:
    return T5Sizes(name, d_model, d_ff, heads, 64, layers, layers, 32_128, gated=False, tied=True)


def _v1_1(name: str, d_model: int, d_ff: int, heads: int, layers: int, vocabulary: int = 32_128) -> T5Sizes:
    return T5Sizes(name, d_model, d_ff, heads, 64, layers, layers, vocabulary, gated=True, tied=False)


def _known() -> dict[str, T5Sizes]:
    found = [
        _v1_0("t5-small", 512, 2048, 8, 6),
        _v1_0("t5-base", 768, 3072, 12, 12),
        _v1_0("t5-large", 1024, 4096, 16, 24),
        _v1_1("starter", 512, 1024, 6, 8),
        _v1_1("mt5-small", 512, 1024, 6, 8, 250_112),
        _v1_1("mt5-base", 768, 2048, 12, 12, 250_112),
    ]
    for family in ("flan-t5", "t5-v1_1"):
        found += [
            _v1_1(f"{family}-small", 512, 1024, 6, 8),
            _v1_1(f"{family}-base", 768, 2048, 12, 12),
            _v1_1(f"{family}-large", 1024, 2816, 16, 24),
        ]
    return {one.name: one for one in found}


KNOWN = _known()


def t5_sizes(backbone: str | Path) -> T5Sizes:
    """Return the sizes of a backbone: a name, with or without its owner, or a folder with config.json."""
    name = str(backbone)
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    if name in KNOWN:
        return KNOWN[name]
    folder = Path(backbone)
    if folder.is_dir():
        return _from_config(folder / "config.json")
    raise CorpusError(
        f"The sizes of the backbone {str(backbone)!r} are not known: name one of {', '.join(sorted(KNOWN))}, "
        "or a folder with its config.json."
    )


def _from_config(path: Path) -> T5Sizes:
    if not path.is_file():
        raise CorpusError(f"There is no {path}: name the folder of a saved T5.")
    try:
        config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        sizes = T5Sizes(
            name=str(path.parent),
            d_model=int(config["d_model"]),
            d_ff=int(config["d_ff"]),
            heads=int(config["num_heads"]),
            d_kv=int(config["d_kv"]),
            encoder_layers=int(config["num_layers"]),
            decoder_layers=int(config.get("num_decoder_layers") or config["num_layers"]),
            vocabulary=int(config["vocab_size"]),
            gated=str(config.get("feed_forward_proj", "relu")).startswith("gated"),
            tied=bool(config.get("tie_word_embeddings", True)),
        )
    except KeyError as error:
        raise CorpusError(f"{path} has no {error.args[0]!r}: it is not the configuration of a T5.") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise CorpusError(f"{path} cannot be read ({error}): name the folder of a saved T5.") from error
    return replace(sizes, name=path.parent.name or sizes.name)
