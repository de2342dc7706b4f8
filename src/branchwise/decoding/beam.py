"""Beam search, free or constrained: the likeliest whole sequence among the best few beginnings.

A sequence's probability is what counts, and no length is favoured: level by level a label set has one canonical
sequence, so that this is the set's probability too.
"""

from __future__ import annotations

import torch

from branchwise.decoding.writing import Writing


@torch.inference_mode()
def beam_search(writing: Writing, beams: int, limit: int, end: int) -> torch.Tensor:
    """Write the likeliest sequence found with ``beams`` beginnings at a time.

    Parameters
    ----------
    writing
        The documents, nothing written yet.
    beams
        Beginnings kept of each document.
    limit, end
        As for :func:`branchwise.decoding.greedy.greedy`.

    Returns
    -------
    symbols
        [B, T] padded with the end symbol; where no sequence ended (free decoding alone), the likeliest beginning.
    """
    device, n_rows = writing.last.device, len(writing)
    best = torch.full((n_rows, limit), end, dtype=torch.int64, device=device)
    best_score = torch.full((n_rows,), -torch.inf, device=device)
    alive = torch.arange(n_rows, device=device)  # [A] documents still being written
    begun = best[:, None]  # [A, W, T], W is 1 before the first step
    score = torch.zeros(n_rows, 1, device=device)  # [A, W]
    for step in range(limit):
        width = score.shape[1]
        steps = writing.next().log_softmax(-1).view(len(alive), width, -1)
        steps = steps.nan_to_num(nan=-torch.inf, neginf=-torch.inf)  # of rows that may not go on at all
        total = score[:, :, None] + steps  # [A, W, V]
        ended, of_beam = total[:, :, end].max(1)  # [A]
        better = ended > best_score[alive]
        best_score[alive[better]] = ended[better]
        best[alive[better]] = begun[better, of_beam[better]]
        total[:, :, end] = -torch.inf
        n_symbols = total.shape[2]
        score, places = total.flatten(1).topk(min(beams, width * n_symbols), 1)  # [A, W']
        from_beam, symbol = places // n_symbols, places % n_symbols
        begun = begun.gather(1, from_beam[:, :, None].expand(-1, -1, limit)).clone()
        begun[:, :, step] = symbol
        kept = (score[:, 0] > best_score[alive]).nonzero().squeeze(1)  # no beginning gets likelier
        rows = (kept[:, None] * width + from_beam[kept]).flatten()
        alive, score, begun, symbol = alive[kept], score[kept], begun[kept], symbol[kept]
        if not len(alive):
            return best
        writing.select(rows)
        # A beginning of probability 0 fills the beam where there are fewer; what it writes is never looked at.
        writing.add(torch.where(score.isfinite(), symbol, end).flatten())
    unfinished = best_score[alive] == -torch.inf
    best[alive[unfinished]] = begun[unfinished, 0]
    return best
