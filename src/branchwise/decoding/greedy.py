"""Greedy decoding, free or constrained: one symbol a step for every document, finished ones leave the batch."""

from __future__ import annotations

import torch

from branchwise.decoding.grammar import Grammar
from branchwise.model.network import HiAT5


@torch.inference_mode()
def greedy(
    network: HiAT5,
    input_ids: torch.Tensor,  # [B, S]
    attention_mask: torch.Tensor,  # [B, S]
    limit: int,
    end: int,
    grammar: Grammar | None = None,
) -> torch.Tensor:
    """Write the most likely next symbol until the end symbol, or ``limit`` symbols, are reached.

    Parameters
    ----------
    network
        The model, in evaluation mode.
    input_ids, attention_mask
        The documents.
    limit
        The most symbols a document gets; the last admissible place is kept for the end symbol.
    end
        The symbol that ends a sequence, and pads the result.
    grammar
        What may follow what, in token units; None decodes freely.

    Returns
    -------
    symbols
        [B, T] padded with the end symbol; a free sequence that did not end is cut at ``limit``.
    """
    device, n_rows = input_ids.device, len(input_ids)
    written = torch.full((n_rows, limit), end, dtype=torch.int64, device=device)
    alive = torch.arange(n_rows, device=device)  # the rows still being written
    encoded = network.encode(input_ids, attention_mask)
    cache = network.new_cache()
    last = torch.full((n_rows,), network.start, dtype=torch.int64, device=device)
    state = _Written(grammar, n_rows, device) if grammar is not None else None
    for step in range(limit):
        logits = network.decode(last[:, None], encoded, attention_mask, cache=cache)[:, -1].float()  # [A, V]
        if state is not None:
            logits.masked_fill_(~state.admissible(last, room=limit - step), -torch.inf)
        last = logits.argmax(-1)
        written[alive, step] = last
        if state is not None:
            state.add(last)
        going = last != end
        if not going.all():
            kept = going.nonzero().squeeze(1)
            if not len(kept):
                break
            alive, last, encoded, attention_mask = (
                one[kept] for one in (alive, last, encoded, attention_mask)
            )
            cache.batch_select_indices(kept)
            if state is not None:
                state.keep(kept)
    return written


class _Written:
    """What the grammar must know of every row that is being written."""

    def __init__(self, grammar: Grammar, n_rows: int, device: torch.device) -> None:
        self.grammar = grammar
        n_labels = grammar.symbols.n_labels
        self.emitted = torch.zeros(n_rows, n_labels + 1, dtype=torch.bool, device=device)
        self.emitted[:, -1] = True
        self.last_label = torch.full((n_rows,), -1, dtype=torch.int64, device=device)

    def admissible(self, last: torch.Tensor, room: int) -> torch.Tensor:
        allowed = self.grammar.admissible(self.emitted, self.last_label, last)
        if room < 3:  # a separator would need a label and an end symbol after it
            allowed[:, [self.grammar.symbols.between, self.grammar.symbols.below]] = False
        return allowed

    def add(self, symbol: torch.Tensor) -> None:
        is_label = symbol < self.grammar.symbols.n_labels
        self.last_label = torch.where(is_label, symbol, self.last_label)
        rows = is_label.nonzero().squeeze(1)
        self.emitted[rows, symbol[rows]] = True

    def keep(self, rows: torch.Tensor) -> None:
        self.emitted, self.last_label = self.emitted[rows], self.last_label[rows]
