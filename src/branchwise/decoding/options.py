"""How label sets are to be written, as one value that every door hands on."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import get_args, get_type_hints

from branchwise.choices import Computes, Decoding, Repair
from branchwise.errors import ModelError


@dataclass(frozen=True, kw_only=True)
class DecodingOptions:
    """Wishes for decoding; the defaults write greedily, and never what no label set is written as."""

    decoding: Decoding = "constrained"
    """``free`` is what the network likes best; ``constrained`` only what is some label set's sequence."""
    beams: int = 1
    """Beginnings kept at a time; 1 is greedy."""
    leaves_only: bool = False
    """Lead every branch to a leaf."""
    at_most: int | None = None
    """The most labels of a set."""
    repair: Repair | None = None
    """What becomes of a free set with a missing parent: drop the labels below it, or close the set."""
    may_be_empty: bool = False
    """Whether constrained decoding may write the empty set."""
    samples: int = 0
    """Sampled sets that scores are counted over; 0 takes scores from the greedy pass."""
    seed: int = 0
    """Fixes the samples."""
    precision: Computes = "fp32"

    @property
    def is_plain(self) -> bool:
        """Whether sets are written as scores are found: greedily, and under no limit of the user's."""
        return (
            self.decoding == "constrained"
            and self.beams == 1
            and not self.leaves_only
            and self.at_most is None
        )

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for one in fields(self):
            value = getattr(self, one.name)
            allowed = [choice for choice in get_args(hints[one.name]) if isinstance(choice, str)]
            if one.name == "repair":
                allowed = list(get_args(Repair))
            if allowed and value is not None and value not in allowed:
                raise ModelError(f"The {one.name} is {value!r}: choose one of {', '.join(allowed)}.")
        for name in ("beams", "at_most", "samples", "seed"):
            value = getattr(self, name)
            if not isinstance(value, int) and not (name == "at_most" and value is None):
                raise ModelError(f"{name} is {value!r}: give a whole number.")
        if self.beams < 1 or self.samples < 0 or (self.at_most is not None and self.at_most < 1):
            raise ModelError(
                f"There are {self.beams} beams, {self.samples} samples and at most {self.at_most} labels: beams and "
                "labels must be at least 1, samples not negative."
            )
        if self.decoding == "constrained" and self.repair is not None:
            raise ModelError(
                "Constrained decoding writes nothing that needs repair: leave repair out, or decode freely."
            )
        if self.decoding == "free" and (self.leaves_only or self.at_most is not None):
            raise ModelError(
                "Free decoding writes what it likes: leave leaves-only and at-most out, or decode constrained."
            )
