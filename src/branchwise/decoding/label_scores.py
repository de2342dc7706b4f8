"""A score for every label of the tree from one greedy pass, which says what every admissible label would have had.

On each level the pass is read as a chain over the labels in canonical order: what it said at a place holds for
every label that may stand there, whichever label stood before. So a label that was passed over, and a label that
others might have preceded, get what the chain gives them in all, and never more than 1.
"""

from __future__ import annotations

import torch
from torch.nn import functional

from branchwise.decoding.grammar import Grammar

TINY = 1e-30  # what a label that may come has at least, so that it differs from one that may not
BETWEEN, BELOW, END = range(3)  # the marks behind a label, as every method orders them


class LevelScores:
    """Gathers scores while B documents are written level by level.

    Parameters
    ----------
    grammar
        The tree on the device.
    share
        Of the training documents with a label's parent, how many have the label, [K].
    n_rows
        B.
    """

    def __init__(self, grammar: Grammar, share: torch.Tensor, n_rows: int) -> None:
        self.parent, self.level = grammar.parent, grammar.level
        self.share = share
        shape = (n_rows, len(share))
        device = share.device
        # What a label scores given its parent. Where the pass says nothing, what training documents say.
        self.given_parent = share.expand(shape).clone()
        self.reached = torch.ones(n_rows, device=device)  # P(the level is written at all), given its parents
        self.open = torch.zeros(shape, dtype=torch.bool, device=device)  # labels that this level may have
        self.total = torch.zeros(shape, device=device)  # P(a label is among those written so far)
        self.here = torch.zeros(shape, device=device)  # P(it is the one written last)
        self.base = torch.zeros(shape, device=device)  # P(it comes first), as far as the pass says
        self.more = torch.ones(n_rows, device=device)  # P(`_`) after the label written last
        self.last_label = torch.full((n_rows,), -1, dtype=torch.int64, device=device)  # of this level
        self.emitted = torch.zeros(n_rows, len(share) + 1, dtype=torch.bool, device=device)

    def place(self, rows: torch.Tensor, probability: torch.Tensor, label: torch.Tensor) -> None:
        """Take one place: the label that came to stand there, [A], and P of each, [A, K], above 0 where it may come."""
        is_first = self.last_label[rows] < 0
        if is_first.any():
            first = rows[is_first]
            self.open[first] = probability[is_first] > 0
            self.base[first] = self.here[first] = self.total[first] = probability[is_first]
        if not is_first.all():
            self._place_later(rows[~is_first], probability[~is_first])
        self.last_label[rows] = label
        self.emitted[rows, label] = True

    def _place_later(self, rows: torch.Tensor, probability: torch.Tensor) -> None:
        """Go one place on: behind the label before, as this place says; before it, as earlier places said."""
        self.open[rows] |= probability > 0
        base = self.base[rows]
        is_behind = torch.arange(base.shape[1], device=base.device) > self.last_label[rows, None]
        rest = (base * is_behind).sum(1, keepdim=True).clamp(min=TINY)
        base = torch.where(is_behind, probability * rest, base)
        self.base[rows] = base
        self._go_on(rows)

    def _go_on(self, rows: torch.Tensor) -> None:
        base = self.base[rows]
        behind = functional.pad(
            base[:, 1:].flip(1).cumsum(1).flip(1), (0, 1)
        )  # [A, K] mass behind each label
        leaving = torch.where(behind > 0, self.here[rows] / behind.clamp(min=TINY), 0)
        arriving = functional.pad(leaving[:, :-1].cumsum(1), (1, 0))
        here = base * arriving * self.more[rows, None]
        self.here[rows] = here
        self.total[rows] += here

    def separator(self, rows: torch.Tensor, marks: torch.Tensor, chosen: torch.Tensor) -> None:
        """Take the probabilities of `_`, `/` and the end behind a label, [A, 3], and which of them it was, [A]."""
        self.more[rows] = marks[:, BETWEEN]
        leaving = chosen != BETWEEN
        if leaving.any():
            _, below, end = marks[leaving].unbind(1)
            self._leave(rows[leaving], below / (below + end).clamp(min=TINY), chosen[leaving] == END)

    def nothing(self, rows: torch.Tensor, probability: torch.Tensor) -> None:
        """Take the distribution of the first place in rows where the end came to stand there."""
        self.given_parent[rows] = torch.where(probability > 0, probability, self.given_parent[rows])

    def _leave(self, rows: torch.Tensor, deeper: torch.Tensor, ends: torch.Tensor) -> None:
        """Finish the level of some rows; ``deeper`` is P(`/`) where no label of the level follows."""
        self._go_on(rows)  # one more place, had `_` been written
        score = (self.reached[rows, None] * self.total[rows]).clamp(0, 1)
        given = torch.where(self.open[rows], score, self.given_parent[rows])
        next_level = self.level == self.level[self.last_label[rows], None] + 1  # [A, K]
        unwritten = next_level & self.emitted[rows][:, self.parent] & ends[:, None]
        self.given_parent[rows] = torch.where(unwritten, deeper[:, None] * self.share, given)
        self.reached[rows] = deeper
        self.last_label[rows] = -1

    def finish(self) -> torch.Tensor:
        """Return the scores, [B, K]: a label's is its parent's times what it has given its parent."""
        scores = self.given_parent.clone()
        for level in range(2, int(self.level.max()) + 1):
            labels = (self.level == level).nonzero().squeeze(1)
            scores[:, labels] *= scores[:, self.parent[labels]]
        return scores


class FlatScores:
    """Gathers scores while B flat sets are written in any order, of the t5 variant; made like LevelScores."""

    def __init__(self, grammar: Grammar, share: torch.Tensor, n_rows: int) -> None:
        self.parent, self.level = grammar.parent, grammar.level
        self.absent = torch.ones(n_rows, len(share), device=share.device)  # P(a label stands nowhere so far)
        self.reached = torch.ones(n_rows, device=share.device)

    def place(self, rows: torch.Tensor, probability: torch.Tensor, label: torch.Tensor) -> None:  # noqa: ARG002
        """Take one place: P of every label, [A, K]."""
        self.absent[rows] *= 1 - self.reached[rows, None] * probability

    def separator(self, rows: torch.Tensor, marks: torch.Tensor, chosen: torch.Tensor) -> None:  # noqa: ARG002
        """Take the probabilities of `_`, `/` and the end behind a label, [A, 3]."""
        self.reached[rows] *= marks[:, BETWEEN]

    def nothing(self, rows: torch.Tensor, probability: torch.Tensor) -> None:
        """Take the distribution of the first place in rows where the end came to stand there."""
        self.place(rows, probability, rows)

    def finish(self) -> torch.Tensor:
        """Return the scores, [B, K]: a set is closed upwards, so a label scores no less than those below it."""
        scores = 1 - self.absent
        for level in range(int(self.level.max()), 1, -1):
            labels = (self.level == level).nonzero().squeeze(1)
            above = self.parent[labels].expand(len(scores), -1)
            scores.scatter_reduce_(1, above, scores[:, labels], "amax")
        return scores
