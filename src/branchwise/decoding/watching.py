"""From the steps of a constrained greedy pass to the places and separators that label scores are gathered from."""

from __future__ import annotations

import torch

from branchwise.decoding.label_scores import END, TINY, FlatScores, LevelScores
from branchwise.decoding.spelled import Spelled, Spelling
from branchwise.decoding.writing import Writing
from branchwise.sequence.symbols import Symbols


class SymbolWatch:
    """Watches token units: a step is a place, or what separates two.

    Parameters
    ----------
    symbols
        The decoder's vocabulary.
    gather
        Where the scores are gathered.
    """

    def __init__(self, symbols: Symbols, gather: LevelScores | FlatScores) -> None:
        self.symbols, self.gather = symbols, gather
        self.started = False

    def __call__(self, rows: torch.Tensor, logits: torch.Tensor, chosen: torch.Tensor) -> None:
        """Take one step: logits [A, K + 4] with -inf for what may not come; all rows are at the same kind."""
        known = self.symbols
        probability = logits.softmax(-1).clamp(min=TINY).masked_fill_(logits.isneginf(), 0)
        is_label = chosen < known.n_labels
        if not self.started:
            self.started = True
            if not is_label.all():
                self.gather.nothing(rows[~is_label], probability[~is_label, : known.n_labels])
            self.gather.place(rows[is_label], probability[is_label, : known.n_labels], chosen[is_label])
        elif is_label.all():
            self.gather.place(rows, probability[:, : known.n_labels], chosen)
        else:
            marks = probability[:, [known.between, known.below, known.end]]
            which = torch.where(chosen == known.end, END, chosen - known.between)
            self.gather.separator(rows, marks, which)


class PieceWatch:
    """Watches text units: a place is decided piece by piece, and labels part from what is written on the way.

    What parts with a piece is divided among the labels that go on with it as often as training had them.

    Parameters
    ----------
    spelling
        How labels are spelled.
    gather
        Where the scores are gathered.
    writing
        What is watched; a step is seen before its symbols are written.
    weight
        How common every label is, [K], positive.
    """

    def __init__(
        self, spelling: Spelling, gather: LevelScores | FlatScores, writing: Writing, weight: torch.Tensor
    ) -> None:
        self.spelling, self.gather, self.writing, self.weight = spelling, gather, writing, weight
        self.so_far = torch.ones(len(writing), device=weight.device)  # [B] P(the pieces of the current label)
        self.place = torch.zeros(len(writing), len(weight), device=weight.device)  # [B, K]

    def __call__(self, rows: torch.Tensor, logits: torch.Tensor, chosen: torch.Tensor) -> None:
        """Take one step: logits [A, V] with -inf for what may not come."""
        spelled = self.writing.written
        assert isinstance(spelled, Spelled)
        marks = self.spelling.marks
        probability = logits.softmax(-1)
        inside = spelled.possible & (self.spelling.sizes > spelled.depth[:, None])
        nexts = self.spelling.next_pieces(spelled).clamp(min=0)
        weight = self.weight * inside
        together = torch.zeros_like(probability).scatter_add_(1, nexts, weight).gather(1, nexts)
        part = probability.gather(1, nexts) * weight / together.clamp(min=TINY)
        found, label = self.spelling.complete(spelled)
        part[found, label] = probability[found][:, marks].sum(1)
        so_far = self.so_far[rows]
        place = torch.where(spelled.possible, (so_far[:, None] * part).clamp(min=TINY), self.place[rows])
        self.place[rows] = place
        self.so_far[rows] = so_far * probability.gather(1, chosen[:, None]).squeeze(1)
        is_empty = (chosen == marks[END]) & (spelled.written.last_label < 0) & (spelled.depth == 0)
        if is_empty.any():
            self.gather.nothing(rows[is_empty], place[is_empty])
        whole = (chosen[found, None] == marks).any(1)
        found, label = found[whole], label[whole]
        if len(found):
            self.gather.place(rows[found], place[found], label)
            after = probability[found][:, marks]
            which = (chosen[found, None] == marks).int().argmax(1)
            self.gather.separator(rows[found], after / after.sum(1, keepdim=True), which)
            self.so_far[rows[found]] = 1
            self.place[rows[found]] = 0
