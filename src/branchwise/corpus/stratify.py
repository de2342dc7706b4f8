"""Multi-label stratification: deal documents to parts so that every label, rare ones first, gets its share.

The idea is iterative stratification (Sechidis, Tsoumakas and Vlahavas, 2011): again and again take the label
with the fewest documents left and hand each of them to the part that wants that label most. Before that,
every label with enough documents is given one in every part.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from branchwise.taxonomy import LabelSets

LOOK = 16  # documents of a label that are weighed when it needs one in a part
PATIENCE = 100  # moves a wish that is left open after the deal
UNDEALT = -1


def stratify(sets: LabelSets, sizes: Sequence[int], reached: int, keys: np.ndarray) -> np.ndarray:
    """Return the part of every document.

    Parameters
    ----------
    sets
        The closed label sets.
    sizes
        Wished number of documents of every part; they sum to the number of documents.
    reached
        How many of the parts, from the first on, must hold every label that has at least that many
        documents. A part grows beyond its size only where this asks for more documents than it has room for.
        Where documents carry several paths the wishes of rare labels can exclude each other; then as many
        are met as a local search finds.
    keys
        One random integer a document: they decide all ties.
    """
    deal = _Deal(sets, sizes, reached, keys)
    deal.reach_every_part()
    deal.by_rarest_label()
    deal.without_labels()
    deal.repair()
    return np.asarray(deal.part, dtype=np.int64)


class _Deal:
    """The state of one deal, in plain lists: each document is one step, not one row of a matrix."""

    def __init__(self, sets: LabelSets, sizes: Sequence[int], reached: int, keys: np.ndarray) -> None:
        used, labels = np.unique(sets.labels, return_inverse=True)
        counts = np.bincount(labels, minlength=len(used))
        flat, bounds = labels.tolist(), sets.offsets.tolist()
        self.labels = [flat[a:b] for a, b in pairwise(bounds)]
        self.order = np.argsort(keys, kind="stable")
        rank = np.empty(len(keys), np.int64)
        rank[self.order] = np.arange(len(keys))
        by_label = np.lexsort((rank[sets.rows], labels))
        self.members = np.split(sets.rows[by_label], np.cumsum(counts)[:-1]) if len(used) else []
        self.count = counts.tolist()
        self.left = list(self.count)
        self.wanted = np.outer(counts / max(len(sets), 1), sizes).tolist()
        self.held = [[0] * len(sizes) for _ in self.count]
        self.room = list(sizes)
        self.part = [UNDEALT] * len(sets)
        self.reached = reached
        self.tie = (keys % len(sizes)).tolist()

    def place(self, document: int, part: int) -> None:
        """Give a document to a part."""
        self.part[document] = part
        self.room[part] -= 1
        for label in self.labels[document]:
            self.left[label] -= 1
            self.wanted[label][part] -= 1
            self.held[label][part] += 1

    def lacking(self, label: int) -> list[int]:
        """Return the parts that must hold a label and do not."""
        if self.count[label] < self.reached:
            return []
        held = self.held[label]
        return [part for part in range(self.reached) if not held[part]]

    def reach_every_part(self) -> None:
        """Give every label that has enough documents one in every part, rarest first."""
        for label in sorted(range(len(self.count)), key=self.count.__getitem__):
            while parts := self.lacking(label):
                free = self.free_members(label)
                if not free:
                    break
                # A document that brings its part other labels it lacks saves another one, and keeps the
                # documents of those labels free for the parts that need them.
                pairs = [(self.gain(document, part), document, part) for document in free for part in parts]
                _, document, part = max(pairs, key=lambda pair: pair[0])
                self.place(document, part)

    def free_members(self, label: int) -> list[int]:
        """Return some documents of a label that no part has yet."""
        free = []
        for document in self.members[label].tolist():
            if self.part[document] == UNDEALT:
                free.append(document)
                if len(free) == LOOK:
                    break
        return free

    def gain(self, document: int, part: int) -> float:
        """Weigh the labels that a document would bring to a part that lacks them; rare ones weigh more."""
        return sum(
            1 / self.count[label]
            for label in self.labels[document]
            if self.count[label] >= self.reached and not self.held[label][part]
        )

    def by_rarest_label(self) -> None:
        """Deal the documents of the label that has fewest left, until no labelled document is left."""
        queue = [(left, label) for label, left in enumerate(self.left) if left]
        heapq.heapify(queue)
        while queue:
            left, label = heapq.heappop(queue)
            if left != self.left[label]:  # an old entry; the label has a newer one, or nothing left
                continue
            touched = set()
            for document in self.members[label].tolist():
                if self.part[document] == UNDEALT:
                    self.place(document, self.keenest(label, document))
                    touched.update(self.labels[document])
            for other in touched:
                if self.left[other]:
                    heapq.heappush(queue, (self.left[other], other))

    def keenest(self, label: int, document: int) -> int:
        """Return the part that wants a label most; ties go to the most room, then to the document's key."""
        wanted, room = self.wanted[label], self.room
        best, n_parts = UNDEALT, len(room)
        for turn in range(n_parts):
            part = (turn + self.tie[document]) % n_parts
            if room[part] > 0 and (
                best == UNDEALT
                or wanted[part] > wanted[best]
                or (wanted[part] == wanted[best] and room[part] > room[best])
            ):
                best = part
        return best

    def without_labels(self) -> None:
        """Fill the parts with the documents that have no label."""
        seats = [part for part, room in enumerate(self.room) for _ in range(max(room, 0))]
        rest = [document for document in self.order.tolist() if self.part[document] == UNDEALT]
        for document, part in zip(rest, seats, strict=False):  # more seats where a part grew
            self.place(document, part)

    def repair(self) -> None:
        """Bring labels to parts that still lack them, by moves that lose no more than they win."""
        wishes = deque((label, part) for label in range(len(self.count)) for part in self.lacking(label))
        moves = [0] * len(self.part) if wishes else []
        for _ in range(PATIENCE * len(wishes)):
            if not wishes:
                break
            label, part = wishes.popleft()
            if self.held[label][part]:
                continue
            # Fewest labels lost; among equals the document moved least often, lest two wishes take turns.
            cost, _, document = min(
                (self.cost(one, part), moves[one], one) for one in self.members[label].tolist()
            )
            if cost <= 0:
                source = self.part[document]
                self.move(document, part)
                moves[document] += 1
                wishes.extend(
                    (other, source) for other in self.labels[document] if source in self.lacking(other)
                )
        self.even_out()

    def cost(self, document: int, part: int) -> int:
        """Return how many labels a document's part would then lack, less those another part would win by it."""
        source = self.part[document]
        bound = [label for label in self.labels[document] if self.count[label] >= self.reached]
        lost = sum(self.held[label][source] == 1 for label in bound) if source < self.reached else 0
        return lost - sum(not self.held[label][part] for label in bound)

    def even_out(self) -> None:
        """Move documents that no label needs where they are from parts that are too large to those too small."""
        for document in self.order.tolist() if min(self.room) < 0 else ():
            source, target = self.part[document], max(range(len(self.room)), key=self.room.__getitem__)
            if self.room[source] < 0 < self.room[target] and self.cost(document, target) <= 0:
                self.move(document, target)

    def move(self, document: int, part: int) -> None:
        """Take a document from its part and give it to another."""
        source = self.part[document]
        self.part[document] = part
        self.room[source] += 1
        self.room[part] -= 1
        for label in self.labels[document]:
            self.held[label][source] -= 1
            self.held[label][part] += 1
