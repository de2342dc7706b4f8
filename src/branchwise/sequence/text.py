"""Text units: labels spelled out in word pieces, as the paper's released code does.

Two labels are never spelled alike, whatever their names, and a separator is a reserved piece that no name
can produce, so that a name may hold any character.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from branchwise.choices import OnLong, Variant
from branchwise.errors import SequenceError
from branchwise.sequence.encoded import Encoded, fit
from branchwise.sequence.parse import SPELLS_NOTHING, Parsed, parse
from branchwise.sequence.symbols import Symbols
from branchwise.sequence.tokens import TokenCodec
from branchwise.taxonomy import LabelSets, Taxonomy

RESERVED = ("<extra_id_0>", "<extra_id_1>")  # T5's sentinels, which stand for `_` and `/`
END = "</s>"


class TextCodec:
    """Writes label sets as word pieces and reads any string of word pieces back.

    Parameters
    ----------
    tree
        The taxonomy.
    tokenizer
        A ``tokenizers.Tokenizer`` that has T5's sentinels and end piece.
    variant, seed
        As for :class:`TokenCodec`.
    """

    def __init__(self, tree: Taxonomy, tokenizer: Any, variant: Variant = "hia", seed: int = 0) -> None:
        self._tokens = TokenCodec(tree, variant, seed)
        self.tree, self.variant = tree, variant
        self.between, self.below, self.end = (_piece(tokenizer, one) for one in (*RESERVED, END))
        self.spelling = spell_labels(tree, tokenizer, {self.between, self.below, self.end})
        self._label_of = {pieces: label for label, pieces in enumerate(self.spelling)}
        pieces = [*self.spelling, (self.between,), (self.below,), (), (self.end,)]
        self._size = np.array([len(one) for one in pieces])  # pieces of every symbol
        self._first = np.concatenate([[0], np.cumsum(self._size)])
        self._flat = np.array([piece for one in pieces for piece in one], np.int32)

    def encode(self, sets: LabelSets, documents: np.ndarray | None = None, epoch: int = 0) -> Encoded:
        """Write closed label sets; ``documents`` and ``epoch`` choose the orders of ``t5``."""
        written = self._tokens.encode(sets, documents, epoch)
        rows, columns = np.nonzero(written.real)
        symbols = written.targets[rows, columns]
        sizes = self._size[symbols]
        begin = np.cumsum(sizes) - sizes
        source = np.repeat(self._first[symbols] - begin, sizes) + np.arange(sizes.sum())
        row = np.repeat(rows, sizes)
        lengths = np.bincount(row, minlength=len(sets))
        column = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        shape = (len(sets), int(lengths.max(initial=1)))
        targets = np.full(shape, self.end, np.int32)
        targets[row, column] = self._flat[source]
        symbol = np.zeros(shape, np.int32)
        symbol[row, column] = np.repeat(columns, sizes)
        return Encoded(targets, lengths, symbol, sets)

    def fit(self, sets: LabelSets, limit: int, on_long: OnLong = "error") -> tuple[LabelSets, np.ndarray]:
        """Make every sequence fit into ``limit`` pieces; see :func:`branchwise.sequence.encoded.fit`."""
        return fit(sets, self._size[sets.labels] + 1, limit, on_long)

    def symbols_of(self, pieces: Sequence[int] | np.ndarray) -> list[int]:
        """Read pieces as symbols; a run of pieces that spells no label becomes SPELLS_NOTHING."""
        known = Symbols(len(self.tree))
        marks = {self.between: known.between, self.below: known.below, self.end: known.end}
        symbols: list[int] = []
        run: list[int] = []
        for piece in map(int, pieces):
            if piece not in marks:
                run.append(piece)
                continue
            if run:
                symbols.append(self._label_of.get(tuple(run), SPELLS_NOTHING))
                run = []
            symbols.append(marks[piece])
            if piece == self.end:
                break
        if run:
            symbols.append(self._label_of.get(tuple(run), SPELLS_NOTHING))
        return symbols

    def decode(self, pieces: Sequence[int] | np.ndarray) -> Parsed:
        """Read one string of word pieces, however odd; problems stand at symbols, not at pieces."""
        return parse(self.symbols_of(pieces), self.tree, self.variant)


def spell_labels(tree: Taxonomy, tokenizer: Any, reserved: set[int]) -> list[tuple[int, ...]]:
    """Return the pieces of every label: its name's, or where that is not its own, name and id.

    Names that the tokenizer cannot tell apart (two scripts it does not know both become unknown pieces)
    are told apart by their ids, and where even those are alike by their position.
    """
    by_name = [_spell(tokenizer, name, reserved) for name in tree.names]
    uses = Counter(by_name)
    taken: dict[tuple[int, ...], int] = {}
    for label, (name, one) in enumerate(zip(tree.names, tree.ids, strict=True)):
        pieces = by_name[label]
        if not pieces or uses[pieces] > 1 or pieces in taken:
            others = (f"{name} ({one})", f"{name} ({one}) {label}", f"{label}", f"{label} {label}")
            spelled = (_spell(tokenizer, text, reserved) for text in others)
            pieces = next((one for one in spelled if one and one not in taken and one not in uses), ())
        if not pieces:
            raise SequenceError(
                f"The label {one!r} cannot be spelled apart from others with this tokenizer: use token units."
            )
        taken[pieces] = label
    return list(taken)


def _spell(tokenizer: Any, text: str, reserved: set[int]) -> tuple[int, ...]:
    pieces = tokenizer.encode(text, add_special_tokens=False).ids
    if reserved.intersection(pieces):  # a name that holds a reserved piece as text
        text = text.replace("<", "< ")
        pieces = [one for one in tokenizer.encode(text, add_special_tokens=False).ids if one not in reserved]
    return tuple(pieces)


def _piece(tokenizer: Any, text: str) -> int:
    piece = tokenizer.token_to_id(text)
    if piece is None:  # mT5 keeps its sentinels as ordinary pieces, which begin a word
        piece = tokenizer.token_to_id("▁" + text)
    if piece is None:
        raise SequenceError(f"The tokenizer has no piece {text!r}, which text units need: use one of T5's.")
    return int(piece)
