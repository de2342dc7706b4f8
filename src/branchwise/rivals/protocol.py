"""What a system can do, whether it is the model or a rival; comparisons ask for nothing more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    import numpy as np

    from branchwise.corpus import Corpus
    from branchwise.taxonomy import LabelSets, Taxonomy


@runtime_checkable
class System(Protocol):
    """Learns from labelled documents and then labels others.

    A system is made from a taxonomy, a seed and settings of its own: ``SomeSystem(tree, *, seed=0, **settings)``.
    """

    taxonomy: Taxonomy

    def fit(
        self,
        train: Corpus,
        validation: Corpus | None = None,
        *,
        tell: Callable[[str], None] | None = None,
    ) -> Self:
        """Learn from ``train``; ``tell`` is called with a sentence for every thing worth knowing on the way.

        ``validation`` serves calibration and choices; a part of ``train`` is held out where it is absent.
        """
        ...

    def predict(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the label ids of every text in canonical order, as the system decided.

        Nothing is repaired: a label may come without its parent where the system allows that, so that label
        inconsistency can be measured. A set may be empty.
        """
        ...

    def decide(self, texts: Sequence[str]) -> LabelSets:
        """Return the same as :meth:`predict`, as arrays of label positions."""
        ...

    def scores(self, texts: Sequence[str]) -> np.ndarray:
        """Return a probability for every text and label, [N, K] in tree order, no child above its parent."""
        ...

    def save(self, path: str | Path) -> None:
        """Write the trained system as a folder."""
        ...

    @classmethod
    def load(cls, path: str | Path, taxonomy: Taxonomy | None = None) -> Self:
        """Load a trained system from its folder; a ``taxonomy`` other than its own is an error."""
        ...
