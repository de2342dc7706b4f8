"""Where a T5 comes from: the hub, a folder, the starter, or a configuration alone."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from branchwise.errors import BranchwiseError, ModelError
from branchwise.extras import require
from branchwise.model.hub import local_folder, reason
from branchwise.model.starter import DESCRIPTION, starter_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FAMILIES = ("t5", "mt5")
ABOUT = ("*.json", "*.model")  # configuration and tokenizer
SAFE, OLD = "*.safetensors", "pytorch_model*.bin"  # transformers reads the old ones as weights only


@dataclass
class Backbone:
    """A T5 with its tokenizer, and what to call it where results are shown."""

    t5: Any  # a PreTrainedModel with encoder, decoder and lm_head
    tokenizer: Tokenizer
    description: str


def load_backbone(name: str) -> Backbone:
    """Load a backbone: ``starter``, a folder, or a hub id.

    One with a configuration and a tokenizer but no weights gives random weights, with a warning.
    """
    try:
        folder = starter_folder() if name == "starter" else _fetched(name)
        with quiet_transformers():
            t5 = _load_t5(folder, name)
            tokenizer = _load_tokenizer(folder)
    except BranchwiseError:
        raise
    except Exception as error:  # transformers and tokenizers raise almost any kind
        raise ModelError(
            f"The backbone {name!r} is neither a folder with a T5 nor to be had from the hub ({reason(error)}): name "
            "another, or 'starter' where no hub is in reach."
        ) from error
    known, room = tokenizer.get_vocab_size(), t5.config.vocab_size
    if known > room or tokenizer.token_to_id("</s>") is None:
        raise ModelError(
            f"The tokenizer of the backbone {name!r} is not its T5's ({known} pieces for {room} vectors, or no piece "
            "</s>): put the right tokenizer.json beside the weights."
        )
    return Backbone(t5, tokenizer, DESCRIPTION if name == "starter" else name)


def _fetched(name: str) -> Path:
    folder = local_folder(name, *ABOUT, SAFE)
    return folder if any(folder.glob(SAFE)) else local_folder(name, *ABOUT, OLD)


def _load_t5(folder: Path, name: str) -> Any:
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    config = AutoConfig.from_pretrained(folder)
    if config.model_type not in FAMILIES:
        raise ModelError(
            f"The backbone {name!r} is a {config.model_type}, not a T5: choose a T5, T5 v1.1, flan-T5 or mT5."
        )
    how: dict[str, Any] = {"dtype": torch.float32, "attn_implementation": "sdpa"}
    if not any(folder.glob(SAFE)) and not any(folder.glob(OLD)):
        warnings.warn(f"{name} holds no weights: the model starts from random ones.", stacklevel=4)
        t5 = AutoModelForSeq2SeqLM.from_config(config, **how)
        if output_scale(config) == 1.0:  # T5 v1.1, flan-T5 and mT5 have an output layer of their own
            untie_head(t5)
        return t5
    t5, loading = AutoModelForSeq2SeqLM.from_pretrained(folder, output_loading_info=True, **how)
    if loading["missing_keys"]:
        raise ModelError(
            f"The backbone {name!r} is not a whole T5 (it has no {sorted(loading['missing_keys'])[0]}): name one with "
            "encoder and decoder."
        )
    return t5


def _load_tokenizer(folder: Path) -> Tokenizer:
    """Read tokenizer.json as it stands; transformers rebuilds it, with small differences."""
    from tokenizers import Tokenizer

    if (folder / "tokenizer.json").exists():
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    else:
        if (folder / "spiece.model").exists():  # all that T5 v1.1 and mT5 have on the hub
            require("sentencepiece", "train", f"The tokenizer of {folder}")
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(folder).backend_tokenizer
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def output_scale(t5_config: Any) -> float:
    """Return what a T5 multiplies its last hidden states by: T5 v1.0, which ties its head, scales them down."""
    return t5_config.d_model**-0.5 if getattr(t5_config, "scale_decoder_outputs", False) else 1.0


def untie_head(t5: Any) -> None:
    """Give a T5 an output layer of its own; transformers ties it when it builds a model from a configuration."""
    tied = t5.lm_head
    t5.lm_head = nn.Linear(tied.in_features, tied.out_features, bias=False)
    nn.init.normal_(t5.lm_head.weight, std=tied.in_features**-0.5)


@contextlib.contextmanager
def quiet_transformers() -> Iterator[None]:
    """Let transformers load without progress bars and remarks, and leave its settings as they were."""
    from huggingface_hub import utils as hub
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    hub_bars = not hub.are_progress_bars_disabled()  # transformers switches the hub's with its own
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
        (hub.enable_progress_bars if hub_bars else hub.disable_progress_bars)()
