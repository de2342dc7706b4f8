"""A trained network for a changed taxonomy: labels whose ids survive keep what they learned."""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from branchwise.model.build import empty_network
from branchwise.model.network import HiAT5
from branchwise.model.vectors import name_vectors, outputs_of_names
from branchwise.sequence import Symbols
from branchwise.taxonomy import Taxonomy

INPUTS, OUTPUTS, BIAS = "decoder.embed_tokens.weight", "head.weight", "head.bias"


def carried_network(
    network: HiAT5, old: Taxonomy, new: Taxonomy, tokenizer: Any, settings: dict[str, Any]
) -> HiAT5:
    """Return a network over the symbols of ``new``, with weights of its own.

    Surviving labels keep their input and output vectors. A new one reads in as the mean of its name's pieces,
    and writes out as the old labels' names tell (see :func:`outputs_of_names`).
    """
    state = {name: one.clone() for name, one in network.state_dict().items()}
    pieces = state["encoder.embed_tokens.weight"]
    inputs = name_vectors(pieces, new, tokenizer)  # [K' + 4, D]
    learned = torch.cat([state[OUTPUTS], state[BIAS][:, None]], 1)  # [K + 4, D + 1]
    old_names = name_vectors(pieces, old, tokenizer)[: len(old)]
    outputs = outputs_of_names(old_names, learned[: len(old)], inputs)
    into, source = _survivors(old, new)
    inputs[into], outputs[into] = state[INPUTS][source], learned[source]
    carried = empty_network(network.settings, new, settings)
    rows = {INPUTS: inputs, OUTPUTS: outputs[:, :-1].contiguous(), BIAS: outputs[:, -1].contiguous()}
    carried.load_state_dict(state | rows, assign=True)
    return carried


def with_known_names(old: Taxonomy, new: Taxonomy) -> Taxonomy:
    """Return the new tree with the old names of surviving labels, which are how text units spell them.

    A new label of the same name gets its id added, so that it does not change how the old one is spelled.
    """
    known = {label: old.names[place] for label, place in old.index.items() if label in new.index}
    taken = set(known.values())
    names = [
        known.get(label) or (f"{name} ({label})" if name in taken else name)
        for label, name in zip(new.ids, new.names, strict=True)
    ]
    return dataclasses.replace(new, names=tuple(names))


def _survivors(old: Taxonomy, new: Taxonomy) -> tuple[list[int], list[int]]:
    """Return the symbols of ``new`` that ``old`` has too, marks included, and where it has them."""
    pairs = [(place, old.index[label]) for place, label in enumerate(new.ids) if label in old.index]
    pairs += zip(
        range(len(new), len(Symbols(len(new)))), range(len(old), len(Symbols(len(old)))), strict=True
    )
    return [one for one, _ in pairs], [one for _, one in pairs]
