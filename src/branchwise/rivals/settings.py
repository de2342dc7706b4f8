"""The settings that all linear rivals share, checked when they are given."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, Self

from branchwise.errors import ModelError


@dataclass(frozen=True, kw_only=True)
class LinearSettings:
    """How documents become vectors, and how the machines are trained."""

    seed: int = 0
    """For the documents held out for calibration; everything else is determined."""
    cost: float = 1.0
    """Weight of the training documents' loss against the size of the weights: C in the literature."""
    phrase: int = 1
    """Longest run of words that counts as a feature."""
    fewest: int | None = None
    """In how many documents a word has to stand; 3 where it is None, but 1 in a small corpus."""
    prune: float = 0.03
    """Weights nearer to zero than this are dropped."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if value is None and "None" in str(one.type):
                continue
            whole = str(one.type).startswith("int")
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
                raise self._wrong(one.name, "a whole number" if whole else "a number")
            least = 1 if whole and one.name != "seed" else 0
            if not least <= value < math.inf:  # a NaN fails too
                raise self._wrong(one.name, f"{least} or more")
        if not self.cost:
            raise self._wrong("cost", "more than 0")

    def _wrong(self, name: str, wanted: str) -> ModelError:
        return ModelError(f"The setting {name} is {getattr(self, name)!r}: give {wanted}.")

    @classmethod
    def of(cls, system: str, given: dict[str, Any]) -> Self:
        """Return settings by name, or say which name the system does not know."""
        known = [one.name for one in fields(cls)]
        for name in given:
            if name not in known:
                raise ModelError(f"{system} has no setting {name!r}: choose among {', '.join(known)}.")
        return cls(**given)
