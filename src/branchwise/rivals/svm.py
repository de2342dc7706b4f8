"""svm: every label of the tree on its own against all other documents, blind to the hierarchy."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from scipy.sparse import csr_array

from branchwise.rivals.linear import LinearSystem
from branchwise.rivals.machines import one_against_rest
from branchwise.taxonomy import LabelSets


class Svm(LinearSystem):
    """One machine a label, trained on the closed label sets; a label may be predicted without its parent."""

    name = "svm"

    def learn(
        self,
        documents: csr_array,
        truth: LabelSets,
        tell: Callable[[str], None],  # noqa: ARG002
    ) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the machine of every label."""
        return one_against_rest(documents, truth, range(len(self.taxonomy)), self.settings.cost)
