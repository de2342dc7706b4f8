"""Token units: every label is one symbol, so a set of m labels is a sequence of 2m symbols."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from branchwise.choices import OnLong, Variant
from branchwise.sequence.encoded import Encoded, fit
from branchwise.sequence.order import random_order
from branchwise.sequence.parse import Parsed, parse
from branchwise.sequence.symbols import Symbols, check_variant
from branchwise.taxonomy import LabelSets, Taxonomy


class TokenCodec:
    """Writes label sets as symbols and reads any string of symbols back.

    Parameters
    ----------
    tree
        The taxonomy.
    variant
        ``hia`` and ``pamm`` write level by level; ``t5`` writes a flat set in a random order.
    seed
        Fixes the random orders of ``t5``.
    """

    def __init__(self, tree: Taxonomy, variant: Variant = "hia", seed: int = 0) -> None:
        check_variant(variant)
        self.tree, self.variant, self.seed = tree, variant, seed
        self.symbols = Symbols(len(tree))
        self.end = self.symbols.end

    def encode(self, sets: LabelSets, documents: np.ndarray | None = None, epoch: int = 0) -> Encoded:
        """Write closed label sets; ``documents`` and ``epoch`` choose the orders of ``t5``."""
        labels = sets.labels
        if self.variant == "t5":
            labels = random_order(sets, self.seed, documents, epoch)
        width = max(2 * int(sets.sizes.max(initial=0)), 1)
        targets = np.full((len(sets), width), self.symbols.end, np.int32)
        column = 2 * (np.arange(len(labels)) - np.repeat(sets.offsets[:-1], sets.sizes))
        targets[sets.rows, column] = labels
        follows = np.flatnonzero(column[1:])  # entries that another label of the same set follows
        separator = np.full(len(follows), self.symbols.between, np.int32)
        if self.variant != "t5":
            level = self.tree.level[labels]
            separator[level[follows + 1] != level[follows]] = self.symbols.below
        targets[sets.rows[follows], column[follows] + 1] = separator
        lengths = np.maximum(2 * sets.sizes, 1)
        return Encoded(targets, lengths, np.arange(width, dtype=np.int32), sets)

    def fit(self, sets: LabelSets, limit: int, on_long: OnLong = "error") -> tuple[LabelSets, np.ndarray]:
        """Make every sequence fit into ``limit`` symbols; see :func:`branchwise.sequence.encoded.fit`."""
        return fit(sets, np.full(len(sets.labels), 2), limit, on_long)

    def decode(self, targets: Sequence[int] | np.ndarray) -> Parsed:
        """Read one string of symbols, however odd."""
        return parse(targets, self.tree, self.variant)
