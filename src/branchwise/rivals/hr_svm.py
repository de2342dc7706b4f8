"""hr-svm: machines of related labels are drawn together along the tree, so that rare labels borrow from relatives.

After Gopal and Yang, "Recursive regularization for large-scale classification with hierarchical and graphical
dependencies" (KDD 2013).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import splu

from branchwise.rivals.linear import LinearSystem
from branchwise.rivals.machines import nowhere, one_against_rest
from branchwise.rivals.settings import LinearSettings
from branchwise.taxonomy import ROOT, LabelSets, Taxonomy

SETTLED = 0.01  # share of the centres' length; when they move by less, the alternation ends
FURTHER = 1.7  # centres move by so many times the step that would be right if machines stood still


@dataclass(frozen=True, kw_only=True)
class RecursiveSettings(LinearSettings):
    """Those of all linear rivals, and how long to alternate."""

    rounds: int = 30
    """At most how often machines and centres take turns."""


class RecursiveSvm(LinearSystem):
    """One machine a label, trained on the closed label sets, with recursive regularization.

    Every label k has a machine w_k. Every inner label n also has a centre m_n, which meets no documents; around
    it lie its own machine, its leaf children's machines and its inner children's centres. As in the paper, only
    the ends of the tree carry loss; an inner label, which has documents here, is one more end below its centre.
    Solved is the convex problem

        min  ½ Σ_k ‖w_k − m_home(k)‖² + ½ Σ_n ‖m_n − m_parent(n)‖² + C Σ_k Σ_i max(0, 1 − y_ik w_k·x_i)²

    where home(k) is k itself for an inner label and its parent for a leaf, and the root's centre is zero. Two
    steps alternate: with fixed centres every machine is a problem of its own (Newton's method, from where the
    last round left it), and with fixed machines all centres together solve one sparse linear system, in which
    each is the mean of its neighbours. Machines follow their centres slowly, so centres move further than that. The
    loss is squared, as in the other linear rivals. The root has no machine, so labels of level 1 are drawn to zero
    and in a tree of one level nothing is shared.
    """

    name = "hr-svm"
    Settings = RecursiveSettings
    settings: RecursiveSettings

    def learn(
        self, documents: csr_array, truth: LabelSets, tell: Callable[[str], None]
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the machine of every label, once a round."""
        labels = range(len(self.taxonomy))
        centres = Centres(self.taxonomy, documents.shape[1] + 1)
        machines: dict[int, np.ndarray] = {}  # none in the first round, when all centres are zero
        for number in range(1, self.settings.rounds + 1):
            centre = centres.home_of if machines else nowhere
            for label, machine in one_against_rest(
                documents, truth, labels, self.settings.cost, centre=centre, start=machines.get
            ):
                machines[label] = machine
                yield label, machine
            moved = centres.settle(np.stack([machines[label] for label in labels]))
            tell(f"Round {number} of at most {self.settings.rounds} moved the centres by {moved:.1%}.")
            if moved < SETTLED:
                return
        tell(f"The centres still moved in round {self.settings.rounds}: more rounds would share more.")

    def effort(self) -> int:
        """Return how many machines are trained at most."""
        return len(self.taxonomy) * self.settings.rounds


class Centres:
    """What machines are drawn to: one centre an inner label, zero for what hangs from the root."""

    def __init__(self, tree: Taxonomy, width: int) -> None:
        inner = np.flatnonzero(~tree.is_leaf)  # [I]
        number = np.full(len(tree) + 1, -1)  # of a label's centre; the last entry is the root's
        number[inner] = np.arange(len(inner))
        home = np.where(tree.is_leaf, number[tree.parent], number[:-1])  # [K]; ROOT is the last entry
        above = number[tree.parent[inner]]  # [I]
        housed = np.flatnonzero(home >= 0)
        below = np.flatnonzero(above >= 0)
        shape = (len(inner), len(inner))
        edges = coo_array((np.ones(len(below)), (above[below], below)), shape=shape)
        own = coo_array((np.ones(len(housed)), (home[housed], housed)), shape=(len(inner), len(tree)))
        neighbours = 1 + np.bincount(home[housed], minlength=len(inner)) + edges.sum(axis=1)
        diagonal = coo_array((neighbours, (np.arange(len(inner)), np.arange(len(inner)))), shape=shape)
        self._home = home
        self._own = own.tocsr()
        self._system = splu((diagonal - edges - edges.T).tocsc()) if len(inner) else None
        self.values = np.zeros((len(inner), width), np.float32)  # [I, V + 1]

    def home_of(self, label: int) -> np.ndarray | None:
        """Return the centre that a label's machine is drawn to, [V + 1]; None where it is zero."""
        home = self._home[label]
        return None if home == ROOT else self.values[home]

    def settle(self, machines: np.ndarray) -> float:
        """Move all centres to where the given machines, [K, V + 1], draw them; return by which share."""
        if self._system is None:
            return 0.0
        before = self.values
        meant = self._system.solve(np.asarray(self._own @ machines, np.float64)).astype(np.float32)
        self.values = before + np.float32(FURTHER) * (meant - before) if before.any() else meant
        length = float(np.linalg.norm(self.values))
        return float(np.linalg.norm(self.values - before)) / length if length else 0.0
