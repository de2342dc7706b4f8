"""Greedy decoding, free or constrained: the likeliest symbol a step; finished documents leave the batch."""

from __future__ import annotations

from collections.abc import Callable

import torch

from branchwise.decoding.writing import Writing

Watch = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], None]
"""Told of every step: the rows' numbers [A], logits [A, V] and the symbols chosen [A]."""


@torch.inference_mode()
def greedy(writing: Writing, limit: int, end: int, watch: Watch | None = None) -> torch.Tensor:
    """Write the most likely next symbol until the end symbol, or ``limit`` symbols, are reached.

    Parameters
    ----------
    writing
        The documents, nothing written yet.
    limit
        The most symbols a document gets.
    end
        The symbol that ends a sequence, and pads the result.
    watch
        Told of every step.

    Returns
    -------
    symbols
        [B, T] padded with the end symbol; a free sequence that did not end is cut at ``limit``.
    """
    device = writing.last.device
    symbols = torch.full((len(writing), limit), end, dtype=torch.int64, device=device)
    alive = torch.arange(len(writing), device=device)  # the rows still being written
    for step in range(limit):
        logits = writing.next()
        chosen = logits.argmax(-1)
        symbols[alive, step] = chosen
        if watch is not None:
            watch(alive, logits, chosen)
        alive = alive[writing.write(chosen, end)]
        if not len(alive):
            break
    return symbols
