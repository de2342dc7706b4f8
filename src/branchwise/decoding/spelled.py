"""Text units under the grammar: a walk through the spellings of the labels that may come, piece by piece.

The labels whose spelling begins with what is written of the current one are a boolean row, which is all that a
trie would say; one label's spelling may begin with another's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from branchwise.decoding.grammar import Grammar
from branchwise.decoding.written import Written
from branchwise.sequence import TextCodec


@dataclass(frozen=True)
class Spelling:
    """The grammar of symbols, and how symbols are spelled in word pieces."""

    grammar: Grammar
    pieces: torch.Tensor  # [K, P + 1] int64, the pieces of every label, -1 behind them
    sizes: torch.Tensor  # [K] int64
    marks: torch.Tensor  # [3] int64, the pieces of `_`, `/` and the end
    n_pieces: int

    @classmethod
    def of(cls, codec: TextCodec, grammar: Grammar, n_pieces: int) -> Spelling:
        """Put a codec's spellings on the grammar's device; the network writes ``n_pieces`` pieces."""
        device = grammar.parent.device
        sizes = np.array([len(one) for one in codec.spelling])
        pieces = np.full((len(sizes), int(sizes.max()) + 1), -1)
        for label, one in enumerate(codec.spelling):
            pieces[label, : len(one)] = one
        marks = torch.tensor([codec.between, codec.below, codec.end], device=device)
        return cls(
            grammar,
            torch.from_numpy(pieces).to(device),
            torch.from_numpy(sizes).to(device),
            marks,
            n_pieces,
        )

    def start(self, n_rows: int) -> Spelled:
        """Return what is written at first: nothing."""
        written = self.grammar.start(n_rows)
        labels = self.grammar.admissible(written)[:, : len(self.sizes)]
        return Spelled(written, torch.zeros_like(written.last), labels)

    def admissible(self, spelled: Spelled) -> torch.Tensor:
        """Say which pieces may follow in every row, [A, V] bool."""
        inside = spelled.possible & (self.sizes > spelled.depth[:, None])  # [A, K]
        nexts = self.next_pieces(spelled).clamp(min=0)
        allowed = torch.zeros(len(nexts), self.n_pieces, dtype=torch.int32, device=nexts.device)
        allowed.scatter_add_(1, nexts, inside.int())
        found, label = self.complete(spelled)
        if spelled.depth.eq(0).any() and self.grammar.may_be_empty:
            allowed[:, self.marks[2]] += (spelled.written.last_label < 0) & (spelled.depth == 0)
        if len(found):
            after = spelled.written.select(found)
            self.grammar.add(after, label)
            separators = self.grammar.admissible(after)[:, self._mark_symbols]
            allowed[found[:, None], self.marks] += separators.int()
        return allowed > 0

    def add(self, spelled: Spelled, pieces: torch.Tensor) -> None:
        """Write one piece a row, [A]."""
        is_mark = (pieces[:, None] == self.marks).any(1)
        spelled.possible &= (self.next_pieces(spelled) == pieces[:, None]) | is_mark[:, None]
        marked = is_mark.nonzero().squeeze(1)
        if len(marked):
            self._finish_labels(spelled, marked, pieces[marked])
        spelled.depth = torch.where(is_mark, 0, spelled.depth + 1)

    def next_pieces(self, spelled: Spelled) -> torch.Tensor:
        """Return the piece that each label would go on with, [A, K]; -1 where it has no more."""
        return self.pieces.T[spelled.depth.clamp(max=self.pieces.shape[1] - 1)]

    def complete(self, spelled: Spelled) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the rows in which a label stands whole, and that label."""
        whole = spelled.possible & (self.sizes == spelled.depth[:, None])
        found, label = whole.nonzero(as_tuple=True)
        return found, label

    @property
    def _mark_symbols(self) -> list[int]:
        known = self.grammar.symbols
        return [known.between, known.below, known.end]

    def _finish_labels(self, spelled: Spelled, rows: torch.Tensor, pieces: torch.Tensor) -> None:
        """Turn the labels spelled in some rows into symbols, now that a mark follows them."""
        labels = (self.sizes == spelled.depth[rows, None]) & spelled.possible[
            rows
        ]  # one, or none at the start
        symbols = torch.tensor(self._mark_symbols, device=pieces.device)
        mark = symbols[(pieces[:, None] == self.marks).int().argmax(1)]
        after = spelled.written.select(rows)
        label = torch.where(labels.any(1), labels.int().argmax(1), mark)  # the empty set has no label
        self.grammar.add(after, label)
        self.grammar.add(after, mark)
        spelled.possible[rows] = self.grammar.admissible(after)[:, : len(self.sizes)]
        spelled.written.put(rows, after)


@dataclass
class Spelled:
    """A rows: the symbols that are whole, and where each row stands in the spelling of the next label."""

    written: Written
    depth: torch.Tensor  # [A] int64, pieces of the current label
    possible: torch.Tensor  # [A, K] bool, labels that may come and begin with them

    def select(self, rows: torch.Tensor) -> Spelled:
        """Return some rows, in any order and any number of times."""
        return replace(
            self,
            written=self.written.select(rows),
            depth=self.depth[rows],
            possible=self.possible[rows],
        )
