"""Which symbol may follow: a sequence stays the beginning of some label set's canonical sequence.

A pure function of arrays. Per row it needs what is written so far; the labels that may come are found by one
gather, ``emitted[:, parent]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch

from branchwise.choices import Variant
from branchwise.decoding.written import Written
from branchwise.errors import ModelError
from branchwise.sequence.symbols import Symbols
from branchwise.taxonomy import Taxonomy


@dataclass(frozen=True)
class Limit:
    """What every label costs, and how much a sequence may cost in all."""

    cost: torch.Tensor  # [K] int64
    most: int
    rest: torch.Tensor  # [K] int64, the least that the labels below a label cost if it must be led to a leaf


@dataclass(frozen=True)
class Grammar:
    """The tree on the device, and what kind of sequences are meant; make one with :meth:`of`."""

    symbols: Symbols
    parent: torch.Tensor  # [K] int64, K for the root
    level: torch.Tensor  # [K] int64
    is_leaf: torch.Tensor  # [K] bool
    flat: bool  # the t5 variant: valid labels in any order, no repeats
    may_be_empty: bool
    leaves_only: bool
    limits: tuple[Limit, ...]

    @classmethod
    def of(
        cls,
        tree: Taxonomy,
        variant: Variant,
        device: torch.device,
        *,
        costs: np.ndarray,
        room: int,
        may_be_empty: bool = False,
        leaves_only: bool = False,
        at_most: int | None = None,
    ) -> Self:
        """Put a tree's grammar on a device.

        Parameters
        ----------
        tree, variant, device
            What is written, how, and where.
        costs, room
            Symbols or pieces that every label takes, [K], with the separator or end symbol after it; and how
            many there is room for.
        may_be_empty
            Whether a sequence may be that of the empty set.
        leaves_only
            Whether every branch must be led to a leaf.
        at_most
            The most labels of a set.
        """
        flat = variant == "t5"
        if flat and leaves_only:
            raise ModelError("The t5 variant writes no branches to lead to leaves: leave leaves-only out.")
        limits = [_limit(tree, costs, room, leaves_only)]
        if at_most is not None:
            limits.append(_limit(tree, np.ones(len(tree), np.int64), at_most, leaves_only))
        for limit, what in zip(limits, (f"{room} symbols", f"at most {at_most} labels"), strict=False):
            first = limit.cost + limit.rest
            cheapest = int((first if flat else first[torch.from_numpy(tree.level == 1)]).min())
            if cheapest > limit.most:
                raise ModelError(f"No label set fits into {what}: {cheapest} is the least that one takes.")
        parent = torch.as_tensor(tree.parent, dtype=torch.int64)
        return cls(
            Symbols(len(tree)),
            torch.where(parent < 0, len(tree), parent).to(device),
            torch.as_tensor(tree.level, dtype=torch.int64, device=device),
            torch.from_numpy(tree.is_leaf).to(device),
            flat,
            may_be_empty,
            leaves_only,
            tuple(Limit(one.cost.to(device), one.most, one.rest.to(device)) for one in limits),
        )

    def start(self, n_rows: int) -> Written:
        """Return what is written at first: nothing."""
        return Written.nothing(self.symbols, n_rows, len(self.limits), self.parent.device)

    def admissible(self, written: Written) -> torch.Tensor:
        """Say which symbols may follow in every row, [A, K + 4] bool."""
        known = self.symbols
        same, below, may_end = self._labels(written)
        after_label = written.last < known.n_labels  # [A]
        at_start = written.last_label < 0  # [A]
        candidates = torch.where((written.last == known.below)[:, None], below, same)
        allowed = candidates.new_zeros(len(candidates), len(known))
        allowed[:, : known.n_labels] = candidates & ~after_label[:, None]
        allowed[:, known.between] = after_label & same.any(1)
        allowed[:, known.below] = after_label & below.any(1)
        allowed[:, known.end] = (after_label & may_end) | (at_start & self.may_be_empty)
        if self.leaves_only:  # where limits leave no way to a leaf, a sequence ends before it
            allowed[:, known.end] |= ~allowed.any(1)
        return allowed

    def add(self, written: Written, symbols: torch.Tensor) -> None:
        """Write one symbol a row, [A]."""
        written.add(symbols, self.parent, [one.cost for one in self.limits])

    def _labels(self, written: Written) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the labels that may come on the same level and on the next, [A, K], and who may end, [A]."""
        emitted, last_label = written.emitted, written.last_label
        fits = self._fits(written)
        if self.flat:
            same = ~emitted[:, :-1] & fits
            return same, torch.zeros_like(same), torch.ones_like(last_label, dtype=torch.bool)
        reachable = emitted[:, self.parent] & fits  # [A, K] the parent is written
        here = torch.where(last_label >= 0, self.level[last_label.clamp(min=0)], 1)[:, None]  # [A, 1]
        later = torch.arange(len(self.level), device=emitted.device) > last_label[:, None]
        same = reachable & (self.level == here) & later
        below = reachable & (self.level == here + 1)
        if not self.leaves_only:
            return same, below, torch.ones_like(last_label, dtype=torch.bool)
        # An inner label without a child is passed over once a later label's child is written.
        waiting = self._waiting(written)
        above = _first(waiting & (self.level == here - 1), len(self.level))  # [A, 1]
        same &= self.parent <= above
        below &= (self.parent <= _first(waiting & (self.level == here), len(self.level))) & (
            above == len(self.level)
        )
        return same, below, ~waiting.any(1)

    def _waiting(self, written: Written) -> torch.Tensor:
        """Say which inner labels are written and none of their children yet, [A, K] bool."""
        return written.emitted[:, :-1] & ~written.has_child[:, :-1] & ~self.is_leaf

    def _fits(self, written: Written) -> torch.Tensor:
        """Say which labels there is room for, with what they and all that waits still need, [A, K] or [A, 1]."""
        fits = torch.ones_like(written.last_label, dtype=torch.bool)[:, None]
        for number, limit in enumerate(self.limits):
            spent = written.spent[:, number, None] + limit.cost + limit.rest
            if self.leaves_only:
                owed = self._waiting(written) * limit.rest  # [A, K]
                root = owed.new_zeros(len(owed), 1)
                spent = spent + owed.sum(1, keepdim=True) - torch.cat([owed, root], 1)[:, self.parent]
            fits = fits & (spent <= limit.most)
        return fits


def _first(where: torch.Tensor, absent: int) -> torch.Tensor:
    """Return the first label of every row that is true, [A, 1]; ``absent`` where none is."""
    places = torch.arange(where.shape[1], device=where.device)
    return torch.where(where, places, absent).min(1, keepdim=True).values


def _limit(tree: Taxonomy, costs: np.ndarray, most: int, leaves_only: bool) -> Limit:
    rest = np.zeros(len(tree), np.int64)
    if leaves_only:
        for level in range(tree.depth, 1, -1):
            run = tree.level_run(level)
            through = np.full(len(tree), np.iinfo(np.int64).max)
            np.minimum.at(through, tree.parent[run], costs[run] + rest[run])
            inner = through < np.iinfo(np.int64).max
            rest[inner] = through[inner]
    return Limit(torch.as_tensor(costs, dtype=torch.int64), most, torch.from_numpy(rest))
