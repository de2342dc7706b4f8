"""td-svm: from the root downwards, each parent tells its own children apart among its own documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_array

from branchwise.rivals.linear import LinearSystem
from branchwise.rivals.machines import one_against_rest
from branchwise.taxonomy import ROOT, LabelSets


class TopDownSvm(LinearSystem):
    """One machine a label, trained on the documents of its parent and asked only where the parent is predicted.

    A label's margin is therefore the least on its path, and predictions are consistent by construction.
    """

    name = "td-svm"

    def learn(
        self,
        documents: csr_array,
        truth: LabelSets,
        tell: Callable[[str], None],  # noqa: ARG002
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the machine of every label, one parent's children after another's."""
        parents = [ROOT, *np.flatnonzero(~self.taxonomy.is_leaf).tolist()]
        for parent in parents:
            own = np.arange(len(truth)) if parent == ROOT else truth.rows[truth.labels == parent]
            children = self.taxonomy.children(parent)
            yield from one_against_rest(documents[own], truth.take(own), children, self.settings.cost)

    def combine(self, margins: np.ndarray) -> np.ndarray:
        """Lower every label's margin to the least of its ancestors'."""
        for label, above in enumerate(self.taxonomy.parent.tolist()):  # parents before their children
            if above != ROOT:
                np.minimum(margins[:, label], margins[:, above], out=margins[:, label])
        return margins
