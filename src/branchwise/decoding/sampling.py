"""Sampled label sets: the encoder reads a document once, and its decoder writes several sequences by chance."""

from __future__ import annotations

import torch

from branchwise.decoding.writing import Writing


@torch.inference_mode()
def sample(
    writing: Writing, n_samples: int, limit: int, end: int, random: torch.Generator | None = None
) -> torch.Tensor:
    """Write ``n_samples`` sequences of every document, each symbol drawn as the network says.

    Parameters
    ----------
    writing
        The documents, nothing written yet.
    n_samples
        Sequences of each document.
    limit, end
        As for :func:`branchwise.decoding.greedy.greedy`.
    random
        Where chance comes from.

    Returns
    -------
    symbols
        [B, n_samples, T] padded with the end symbol.
    """
    device, n_rows = writing.last.device, len(writing)
    symbols = torch.full((n_rows * n_samples, limit), end, dtype=torch.int64, device=device)
    logits = writing.next()  # the same for all sequences of a document, which part after it
    copies = torch.arange(n_rows, device=device).repeat_interleave(n_samples)
    writing.select(copies)
    logits = logits[copies]
    alive = torch.arange(len(writing), device=device)
    for step in range(limit):
        if step:
            logits = writing.next()
        chosen = torch.multinomial(logits.softmax(-1), 1, generator=random).squeeze(1)
        symbols[alive, step] = chosen
        alive = alive[writing.write(chosen, end)]
        if not len(alive):
            break
    return symbols.view(n_rows, n_samples, limit)
