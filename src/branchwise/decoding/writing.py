"""The loop's own state: documents read once by the encoder, cached keys and values, and the rules of writing."""

from __future__ import annotations

from typing import Any, Protocol

import torch

from branchwise.model.network import HiAT5


class Rules(Protocol):
    """Which symbols may follow: a Grammar in token units, a Spelling in text units.

    What rules remember of every row is their own; all of it has ``select``.
    """

    def start(self, n_rows: int) -> Any:
        """Return what is written at first: nothing."""

    def admissible(self, written: Any) -> torch.Tensor:
        """Say which symbols may follow in every row, [A, V] bool."""

    def add(self, written: Any, symbols: torch.Tensor) -> None:
        """Write one symbol a row, [A]."""


class Writing:
    """A rows being written, one symbol a step.

    Parameters
    ----------
    network
        The model, in evaluation mode.
    encoded, attention_mask
        The documents as the encoder gives them, [A, S, D], and which of their places are real, [A, S].
    rules
        What may follow what; None writes freely.
    """

    def __init__(
        self,
        network: HiAT5,
        encoded: torch.Tensor,
        attention_mask: torch.Tensor,
        rules: Rules | None,
    ) -> None:
        self.network, self.rules = network, rules
        self.encoded, self.real = encoded, attention_mask
        self.cache = network.new_cache()
        self.last = torch.full((len(encoded),), network.start, dtype=torch.int64, device=encoded.device)
        self.written: Any = rules.start(len(encoded)) if rules is not None else None

    def __len__(self) -> int:
        return len(self.last)

    def next(self) -> torch.Tensor:
        """Return what may come next as logits, [A, V] fp32, with -inf for what may not."""
        logits = self.network.decode(self.last[:, None], self.encoded, self.real, cache=self.cache)[:, -1]
        logits = logits.float()
        if self.rules is not None:
            logits.masked_fill_(~self.rules.admissible(self.written), -torch.inf)
        return logits

    def add(self, symbols: torch.Tensor) -> None:
        """Write one symbol a row, [A]."""
        self.last = symbols
        if self.rules is not None:
            self.rules.add(self.written, symbols)

    def write(self, symbols: torch.Tensor, end: int) -> torch.Tensor:
        """Write one symbol a row, [A]; rows that end leave. Return which of them are left."""
        going = (symbols != end).nonzero().squeeze(1)
        if len(going):
            self.add(symbols)
        if 0 < len(going) < len(symbols):
            self.select(going)
        return going

    def select(self, rows: torch.Tensor) -> None:
        """Keep some rows, in any order and any number of times."""
        self.last, self.real = self.last[rows], self.real[rows]
        # From the second step on the cache holds what the encoder said: only its shape is asked for.
        self.encoded = self.encoded[:1].expand(len(rows), -1, -1)
        self.cache.batch_select_indices(rows)
        if self.written is not None:
            self.written = self.written.select(rows)
