"""Decoding many documents: sorted by length, a batch at a time, and put back in order."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import torch

from branchwise.choices import Decoding
from branchwise.decoding.grammar import Grammar
from branchwise.decoding.greedy import greedy
from branchwise.errors import ModelError
from branchwise.model.bundle import Model
from branchwise.model.pieces import PieceStore
from branchwise.progress import Progress
from branchwise.sequence import Parsed
from branchwise.taxonomy import LabelSets

Computes = Literal["fp32", "bf16"]  # what ``auto`` has been decided to mean
PIECES_A_BATCH = 8192  # documents times the longest of them; a batch that fits any laptop
LOGITS_A_BATCH = 1 << 24  # documents times the size of the output layer


@dataclass(frozen=True, eq=False)
class Decoded:
    """The label sets written for N documents, as they stand there, and what was wrong with the sequences."""

    sets: LabelSets
    invalid: np.ndarray  # [N] bool, documents whose sequence is not the canonical one of its set
    problems: Counter[str]  # how often each kind of problem occurred


def decode_documents(
    model: Model,
    pieces: PieceStore,
    decoding: Decoding = "constrained",
    *,
    precision: str = "fp32",
    may_be_empty: bool = False,
) -> Decoded:
    """Write the label sets of all documents of a store.

    Parameters
    ----------
    model
        The model; its device is used, and it is left in evaluation mode.
    pieces
        The documents.
    decoding
        ``free`` is plain greedy, ``constrained`` writes only what is some label set's sequence.
    precision
        ``bf16`` computes matrix products in bfloat16, ``fp32`` in full.
    may_be_empty
        Whether constrained decoding may write the empty set.
    """
    if decoding not in get_args(Decoding):
        raise ModelError(f"The decoding is {decoding!r}: choose one of {', '.join(get_args(Decoding))}.")
    if decoding == "constrained" and model.config.units == "text":
        raise ModelError(
            "Constrained decoding is not there yet for text units: decode freely, or use token units."
        )
    network = model.network.eval()
    device = next(network.parameters()).device
    grammar = None
    if decoding == "constrained":
        grammar = Grammar.of(model.tree, model.config.variant, device, may_be_empty)
    end = model.codec.end
    parsed: dict[int, Parsed] = {}
    with Progress("Decoding", len(pieces)) as progress:
        for rows in _batches(pieces.lengths, LOGITS_A_BATCH // network.head.out_features):
            input_ids, real = (torch.from_numpy(one).to(device) for one in pieces.padded(rows))
            with autocast(device, precision):
                written = greedy(network, input_ids, real, model.config.output_limit, end, grammar)
            for row, symbols in zip(rows.tolist(), written.tolist(), strict=True):
                parsed[row] = model.codec.decode(symbols)
            progress.advance(len(rows))
    in_order = [parsed[row] for row in range(len(pieces))]
    return Decoded(
        LabelSets.from_lists([one.labels for one in in_order]),
        np.array([not one.is_valid for one in in_order], bool),
        Counter(problem.kind for one in in_order for problem in one.problems),
    )


def autocast(device: torch.device, precision: str) -> contextlib.AbstractContextManager[object]:
    """Return the context in which a network computes in the given precision."""
    if precision not in get_args(Computes):
        raise ModelError(f"The precision is {precision!r}: choose one of {', '.join(get_args(Computes))}.")
    if precision == "fp32":
        return contextlib.nullcontext()
    return torch.autocast(device.type, torch.bfloat16)


def _batches(lengths: np.ndarray, most: int) -> list[np.ndarray]:
    """Group documents of similar length, the longest first, so that what does not fit fails at once."""
    order = np.argsort(-lengths, kind="stable")
    batches = []
    start = 0
    while start < len(order):
        size = max(min(PIECES_A_BATCH // int(lengths[order[start]]), most), 1)
        batches.append(order[start : start + size])
        start += size
    return batches
