"""HiA-T5 from a T5: its symbols' first vectors, or an empty network of the right shape to load weights into."""

from __future__ import annotations

from typing import Any

import torch

from branchwise.model.backbones import Backbone, output_scale, untie_head
from branchwise.model.config import ModelConfig
from branchwise.model.network import HiAT5
from branchwise.model.vectors import name_vectors
from branchwise.sequence import Symbols
from branchwise.taxonomy import Taxonomy


def network_from(backbone: Backbone, config: ModelConfig, tree: Taxonomy) -> HiAT5:
    """Turn a T5 into HiA-T5 before any training."""
    t5 = backbone.t5
    if config.units == "text":
        return HiAT5(config, t5, None, _start_piece(t5.config))
    inputs, outputs = t5.get_input_embeddings().weight.detach(), t5.lm_head.weight.detach()
    symbols = Symbols(len(tree))
    network = HiAT5(config, t5, len(symbols), symbols.start)
    with torch.no_grad():
        network.symbols.weight.copy_(name_vectors(inputs, tree, backbone.tokenizer))
        network.head.weight.copy_(name_vectors(outputs, tree, backbone.tokenizer) * output_scale(t5.config))
        network.head.bias.zero_()
    return network


def t5_settings(network: HiAT5, t5_config: Any) -> dict[str, Any]:
    """Return what :func:`empty_network` must know of a T5, as it is saved."""
    scales = output_scale(t5_config) != 1.0
    return t5_config.to_dict() | {"scale_decoder_outputs": scales, "tied_head": network.tied_head}


def empty_network(config: ModelConfig, tree: Taxonomy, settings: dict[str, Any]) -> HiAT5:
    """Build a network without weights, which are about to be loaded."""
    from transformers import AutoConfig, AutoModelForSeq2SeqLM

    t5_config = AutoConfig.for_model(**settings)
    with torch.device("meta"):
        t5 = AutoModelForSeq2SeqLM.from_config(t5_config, dtype=torch.float32, attn_implementation="sdpa")
        if config.units == "token":
            symbols = Symbols(len(tree))
            return HiAT5(config, t5, len(symbols), symbols.start)
        if not settings["tied_head"]:
            untie_head(t5)
        return HiAT5(config, t5, None, _start_piece(t5_config))


def _start_piece(t5_config: Any) -> int:
    """Return the piece that a T5's decoder is given first; a configuration may leave it out."""
    start = t5_config.decoder_start_token_id
    return int(t5_config.pad_token_id if start is None else start)
