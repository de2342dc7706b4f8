"""One label set's sequence and masks, with what each input is to each row: what is printed and drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from branchwise.errors import SequenceError
from branchwise.sequence import MaskKind, Symbols, TextCodec, TokenCodec, Variant, path_mask

if TYPE_CHECKING:
    from branchwise.sequence import Encoded
    from branchwise.taxonomy import LabelSets, Taxonomy


class Role(IntEnum):
    """What an input is to a row."""

    FUTURE = 0
    HIDDEN = 1
    START = 2
    OWN = 3
    ANCESTOR = 4
    SEPARATOR = 5
    OTHER = 6


ROLE_NAMES = {
    Role.OWN: "the row's own label",
    Role.ANCESTOR: "an ancestor",
    Role.SEPARATOR: "a separator",
    Role.START: "the start",
    Role.OTHER: "another label",
    Role.HIDDEN: "hidden by the mask",
}


@dataclass(frozen=True, eq=False)
class MaskView:
    """A sequence of T targets; input i is the start or target i - 1, and row i produces target i."""

    inputs: tuple[str, ...]
    targets: tuple[str, ...]
    masks: dict[MaskKind, np.ndarray]  # [T, T] bool
    roles: dict[MaskKind, np.ndarray]  # [T, T] of Role

    def rows(self, kind: MaskKind) -> list[list[int]]:
        """Return the inputs that every row sees."""
        return [np.flatnonzero(row).tolist() for row in self.masks[kind]]

    def to_dict(self) -> dict[str, Any]:
        """Return the view ready for JSON; one mask stands at the top, several each under its name."""
        data: dict[str, Any] = {"symbols": list(self.targets), "inputs": list(self.inputs)}
        parts: dict[str, dict[str, Any]] = {
            str(kind): {
                "mask": mask.astype(int).tolist(),
                "rows": {str(i): row for i, row in enumerate(self.rows(kind))},
            }
            for kind, mask in self.masks.items()
        }
        if len(parts) == 1:
            [(kind, part)] = parts.items()
            return {**data, "kind": kind, **part}
        return {**data, **parts}


def view_mask(
    tree: Taxonomy,
    sets: LabelSets,
    kinds: Sequence[MaskKind],
    *,
    variant: Variant = "pamm",
    tokenizer: Any = None,
) -> MaskView:
    """Write one closed label set as a sequence, in word pieces where a tokenizer is given, and mask it."""
    if len(sets) != 1 or not len(sets.labels):
        raise SequenceError("A mask is drawn for one label set with at least one label: name its labels.")
    if variant == "t5" and kinds:
        raise SequenceError(
            "The t5 variant writes labels in a random order and has no mask: choose hia or pamm."
        )
    symbols = TokenCodec(tree, variant).encode(sets)
    spelled = Symbols(len(tree)).spell(symbols.targets[0, : symbols.lengths[0]], tree)
    encoded: Encoded = symbols
    if tokenizer is not None:
        encoded = TextCodec(tree, tokenizer, variant).encode(sets)
        spelled = _pieces(encoded, spelled, tokenizer)
    return MaskView(
        inputs=("START", *spelled[:-1]),
        targets=tuple(spelled),
        masks={kind: path_mask(encoded, tree, kind)[0] for kind in kinds},
        roles={kind: _roles(encoded, tree, kind) for kind in kinds},
    )


def _pieces(encoded: Encoded, spelled: Sequence[str], tokenizer: Any) -> list[str]:
    """Return word pieces as they are written, separators and the end as in token units."""
    pieces = []
    for piece, symbol in zip(encoded.targets[0].tolist(), encoded.symbol.reshape(-1).tolist(), strict=True):
        is_label = symbol % 2 == 0
        pieces.append(tokenizer.id_to_token(piece) if is_label else spelled[symbol])
    return pieces


def _roles(encoded: Encoded, tree: Taxonomy, kind: MaskKind) -> np.ndarray:
    """Say of every row and input what they are to each other, [T, T]."""
    mask = path_mask(encoded, tree, kind)[0]
    # The symbol of every input: -1 is the start, labels are even, separators odd.
    symbol = np.concatenate([[-1], encoded.symbol.reshape(-1)[:-1]])
    # A separator's row goes with the label before it in the paper's mask, with the one after in the other.
    own = np.maximum(symbol, 0) // 2 if kind == "paper" else (symbol + 1) // 2
    labels = encoded.sets[0]
    entry, leave = tree.interval
    row, column = labels[own][:, None], labels[np.maximum(symbol, 0) // 2][None, :]
    is_above = (entry[column] <= entry[row]) & (entry[row] < leave[column])
    roles = np.full(mask.shape, Role.OTHER, np.int8)
    roles[is_above] = Role.ANCESTOR
    roles[row == column] = Role.OWN
    roles[:, symbol % 2 == 1] = Role.SEPARATOR
    roles[:, symbol < 0] = Role.START
    roles[~mask] = Role.HIDDEN
    roles[~np.tri(len(roles), dtype=bool)] = Role.FUTURE
    return roles
