"""leaf-svm: learns only where a document's paths end, and lets the tree say what is above."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_array

from branchwise.rivals.linear import LinearSystem
from branchwise.rivals.machines import one_against_rest
from branchwise.taxonomy import ROOT, LabelSets


class LeafSvm(LinearSystem):
    """One machine a label for "this is one of the document's most specific labels"; ancestors are added.

    A label's margin is therefore the greatest in its subtree, and predictions are consistent by construction.
    """

    name = "leaf-svm"

    def learn(
        self,
        documents: csr_array,
        truth: LabelSets,
        tell: Callable[[str], None],  # noqa: ARG002
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the machine of every label."""
        ends = truth.most_specific(self.taxonomy)
        return one_against_rest(documents, ends, range(len(self.taxonomy)), self.settings.cost)

    def combine(self, margins: np.ndarray) -> np.ndarray:
        """Raise every label's margin to the greatest of its subtree's."""
        for label in range(len(self.taxonomy) - 1, -1, -1):  # children before their parents
            above = self.taxonomy.parent[label]
            if above != ROOT:
                np.maximum(margins[:, above], margins[:, label], out=margins[:, above])
        return margins
