"""The settings of rivals: what all share, what the linear ones share, and the check when they are given."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from types import NoneType
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from branchwise.errors import ModelError

POSITIVE = ("cost", "rate")  # may not be 0, in whichever rival has it
BELOW_ONE = ("dropout",)
UP_TO_ONE = ("beta", "prune")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every rival has, and the check of every field against its type."""

    seed: int = 0
    """For the documents held out and for all that is random in training."""

    def __post_init__(self) -> None:
        kinds = get_type_hints(type(self))
        for one in fields(self):
            kind, value = kinds[one.name], getattr(self, one.name)
            if get_origin(kind) is Literal:
                if value not in get_args(kind):
                    raise self._wrong(one.name, " or ".join(get_args(kind)))
                continue
            choices = get_args(kind) or (kind,)
            if value is None and NoneType in choices:
                continue
            if str in choices:
                if not isinstance(value, str):
                    raise self._wrong(one.name, "a text")
            else:
                self._check_number(one.name, value, whole=int in choices)

    def _check_number(self, name: str, value: Any, *, whole: bool) -> None:
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise self._wrong(name, "a whole number" if whole else "a number")
        least = 1 if whole and name != "seed" else 0
        if not least <= value < math.inf:  # a NaN fails too
            raise self._wrong(name, f"{least} or more")
        if name in POSITIVE and not value:
            raise self._wrong(name, "more than 0")
        if name in BELOW_ONE and value >= 1:
            raise self._wrong(name, "less than 1")
        if name in UP_TO_ONE and value > 1:
            raise self._wrong(name, "at most 1")

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


@dataclass(frozen=True, kw_only=True)
class LinearSettings(Settings):
    """How documents become vectors, and how the machines are trained."""

    cost: float = 1.0
    """Weight of the training documents' loss against the size of the weights: C in the literature."""
    phrase: int = 1
    """Longest run of words that counts as a feature."""
    fewest: int | None = None
    """In how many documents a word has to stand; 3 where it is None, but 1 in a small corpus."""
    prune: float = 0.02
    """Weights nearer to zero than this share of a label's largest are dropped."""
