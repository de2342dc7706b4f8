"""What has been written of every row so far, as far as the grammar asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import torch

from branchwise.sequence.symbols import Symbols


@dataclass
class Written:
    """A rows of symbols over K labels; the last column of ``emitted`` and ``has_child`` is the root."""

    emitted: torch.Tensor  # [A, K + 1] bool
    has_child: torch.Tensor  # [A, K + 1] bool, one of its children is written
    last_label: torch.Tensor  # [A] int64, -1 at the start
    last: torch.Tensor  # [A] int64, the last symbol
    spent: torch.Tensor  # [A, L] int64, what the labels cost so far, by each limit

    @classmethod
    def nothing(cls, symbols: Symbols, n_rows: int, n_limits: int, device: torch.device) -> Self:
        """Return rows in which nothing is written."""
        emitted = torch.zeros(n_rows, symbols.n_labels + 1, dtype=torch.bool, device=device)
        emitted[:, -1] = True
        last_label = torch.full((n_rows,), -1, dtype=torch.int64, device=device)
        last = torch.full_like(last_label, symbols.start)
        spent = torch.zeros(n_rows, n_limits, dtype=torch.int64, device=device)
        return cls(emitted, torch.zeros_like(emitted), last_label, last, spent)

    def add(self, symbols: torch.Tensor, parent: torch.Tensor, costs: Sequence[torch.Tensor]) -> None:
        """Write one symbol a row, [A]; ``parent`` and every cost are [K]."""
        is_label = symbols < len(parent)
        rows = is_label.nonzero().squeeze(1)
        labels = symbols[rows]
        self.emitted[rows, labels] = True
        self.has_child[rows, parent[labels]] = True
        for number, cost in enumerate(costs):
            self.spent[rows, number] += cost[labels]
        self.last_label = torch.where(is_label, symbols, self.last_label)
        self.last = symbols.clone()

    def select(self, rows: torch.Tensor) -> Written:
        """Return some rows, in any order and any number of times."""
        return Written(
            self.emitted[rows], self.has_child[rows], self.last_label[rows], self.last[rows], self.spent[rows]
        )

    def put(self, rows: torch.Tensor, others: Written) -> None:
        """Replace some rows by others."""
        for name, one in vars(self).items():
            one[rows] = getattr(others, name)
