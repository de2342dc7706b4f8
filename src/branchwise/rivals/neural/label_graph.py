"""The tree of labels as a graph that features travel along, weighted by how training documents divide on it."""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from branchwise.taxonomy import ROOT, Taxonomy


def prior_probabilities(tree: Taxonomy, shares: Tensor) -> Tensor:
    """Return how likely each label is under its parent, among the parent's children, [K].

    Siblings sum to one; where no training document goes below a parent, its children are equally likely.
    """
    family = torch.from_numpy(tree.parent).long() + 1  # [K]; the root's children are family 0
    totals = torch.zeros(len(tree) + 1, device=shares.device)
    sizes = totals.index_add(0, family, torch.ones_like(shares))[family]
    totals = totals.index_add(0, family, shares)[family]
    return torch.where(totals > 0, shares / totals.clamp(min=1e-12), 1 / sizes)


class LabelGraph(nn.Module):
    """Features of K labels in, features of the same size out, after an exchange along the tree."""

    def __init__(self, tree: Taxonomy, shares: Tensor) -> None:
        super().__init__()
        below = torch.nonzero(torch.from_numpy(tree.parent) != ROOT)[:, 0]
        self.prior: Tensor
        self.below: Tensor
        self.above: Tensor
        self.register_buffer("prior", prior_probabilities(tree, shares), persistent=False)  # [K]
        self.register_buffer("below", below, persistent=False)  # [E], the child of every edge
        self.register_buffer("above", torch.from_numpy(tree.parent).long()[below], persistent=False)  # [E]


class GraphConvolution(LabelGraph):
    """Every label gathers from itself, its parent and its children, each through a gate of its own.

    A parent's features come with the label's prior probability, a child's in full.
    """

    def __init__(self, tree: Taxonomy, shares: Tensor, width: int) -> None:
        super().__init__(tree, shares)
        self.gates = nn.Linear(width, 3, bias=False)  # as itself, as a parent, as a child
        self.gate_bias = nn.Parameter(torch.zeros(len(tree), 3))
        self.bias = nn.Parameter(torch.zeros(len(tree), 2, width))  # from above, from below

    def forward(self, values: Tensor) -> Tensor:
        """Exchange features [B, K, D]."""
        gates = self.gates(values)  # [B, K, 3], of the label that gives
        own, above, below = (gates[..., kind, None] for kind in range(3))
        bias = self.gate_bias[..., None]  # [K, 3, 1], of the label that takes
        gathered = (own + bias[:, 0]).sigmoid() * values
        down = self.prior[self.below, None] * values[:, self.above] + self.bias[self.below, 0]  # [B, E, D]
        down = (above[:, self.above] + bias[self.below, 1]).sigmoid() * down
        up = values[:, self.below] + self.bias[self.above, 1]
        up = (below[:, self.below] + bias[self.above, 2]).sigmoid() * up
        return functional.relu(gathered.index_add(1, self.below, down).index_add(1, self.above, up))


class TreeLstm(LabelGraph):
    """One LSTM climbs the tree and sums over children, another descends; each gives half of the features."""

    def __init__(self, tree: Taxonomy, shares: Tensor, width: int) -> None:
        super().__init__(tree, shares)
        half = -(-width // 2)
        self.levels = [(int(start), int(stop)) for start, stop in pairwise(tree.level_start)]
        self.parent = torch.from_numpy(tree.parent).long()
        self.inputs = nn.ModuleList(nn.Linear(width, 4 * half) for _ in range(2))
        self.states = nn.ModuleList(nn.Linear(half, 3 * half, bias=False) for _ in range(2))
        self.forget = nn.ModuleList(nn.Linear(half, half, bias=False) for _ in range(2))
        self.join = nn.Linear(2 * half, width) if 2 * half != width else nn.Identity()

    def forward(self, values: Tensor) -> Tensor:
        """Exchange features [B, K, D]."""
        return self.join(torch.cat([self._climb(values), self._descend(values)], 2))

    def _climb(self, values: Tensor) -> Tensor:
        given = self.inputs[0](values)  # [B, K, 4H]
        nothing = given.new_zeros(len(values), 0, given.shape[2] // 4)
        floors, state, cell, below = [], nothing, nothing, (0, 0)
        for start, stop in reversed(self.levels):
            parent = self.parent[slice(*below)].to(values.device) - start if state.shape[1] else None
            summed = kept = given.new_zeros(len(values), stop - start, nothing.shape[2])
            if parent is not None:
                forget = given[:, start:stop, -nothing.shape[2] :][:, parent] + self.forget[0](state)
                summed = summed.index_add(1, parent, state)
                kept = kept.index_add(1, parent, forget.sigmoid() * cell)
            state, cell = self._cell(given[:, start:stop], self.states[0](summed), kept)
            floors.append(state)
            below = (start, stop)
        return torch.cat(floors[::-1], 1)

    def _descend(self, values: Tensor) -> Tensor:
        given = self.inputs[1](values)
        floors: list[Tensor] = []
        half = given.shape[2] // 4
        state = cell = given.new_zeros(len(values), 1, half)
        first = ROOT
        for start, stop in self.levels:
            parent = self.parent[start:stop].to(values.device) - first
            above = state[:, parent] * self.prior[start:stop, None]
            forget = given[:, start:stop, -half:] + self.forget[1](above)
            kept = forget.sigmoid() * cell[:, parent]
            state, cell = self._cell(given[:, start:stop], self.states[1](above), kept)
            floors.append(state)
            first = start
        return torch.cat(floors, 1)

    @staticmethod
    def _cell(given: Tensor, told: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
        """Return state and cell, [B, n, H], from what the label brings, what it is told and what is kept."""
        enter, leave, new = (given[..., : told.shape[2]] + told).chunk(3, 2)
        cell = enter.sigmoid() * new.tanh() + kept
        return leave.sigmoid() * cell.tanh(), cell
