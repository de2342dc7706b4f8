"""The decoder's own small vocabulary: one symbol a label, four that are none, and how people write them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from branchwise.choices import VARIANTS
from branchwise.errors import SequenceError
from branchwise.taxonomy import Taxonomy

SPELLED = ("_", "/", "START", "EOS")


@dataclass(frozen=True)
class Symbols:
    """K labels are symbols 0 to K - 1, in canonical order; the other four follow."""

    n_labels: int

    @property
    def between(self) -> int:
        """``_``, between two labels of one level."""
        return self.n_labels

    @property
    def below(self) -> int:
        """``/``, between two levels."""
        return self.n_labels + 1

    @property
    def start(self) -> int:
        """What the decoder is given first."""
        return self.n_labels + 2

    @property
    def end(self) -> int:
        """What ends a sequence; it also pads."""
        return self.n_labels + 3

    def __len__(self) -> int:
        return self.n_labels + 4

    def spell(self, symbols: Iterable[int], tree: Taxonomy) -> list[str]:
        """Return symbols as people write them: label ids, ``_``, ``/``, START, EOS."""
        return [
            tree.ids[one] if one < self.n_labels else SPELLED[one - self.n_labels]
            for one in map(int, symbols)
        ]


def check_variant(variant: str) -> None:
    """Raise unless the variant is one of the three."""
    if variant not in VARIANTS:
        raise SequenceError(f"There is no variant {variant!r}: choose one of {', '.join(VARIANTS)}.")
