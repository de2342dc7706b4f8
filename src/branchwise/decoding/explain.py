"""Why these labels: the model is made to write a given label set for a text, and watched while it does.

A pure function of model, text and label set, so that labels that were not predicted can be asked about too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwise.decoding.explanation import ExplainedLabel, Explanation, Sibling
from branchwise.decoding.forced import write_forced
from branchwise.decoding.words import read_words
from branchwise.errors import ModelError
from branchwise.model.bundle import Model
from branchwise.sequence import Encoded, Symbols, TextCodec, path_mask
from branchwise.taxonomy import LabelSets, Taxonomy


def explain_labels(
    model: Model,
    text: str,
    labels: LabelSets,
    scores: np.ndarray,
    *,
    layer: int | None = None,
    head: int | None = None,
) -> Explanation:
    """Explain one label set of a text.

    Words are weighed twice. Attention says where the decoder's layers looked while they produced the label,
    which need not be what decided. The gradient says how far the label's log probability would move with the
    vectors of a word's pieces, up or down. Its length is taken, not its product with those vectors: the norm
    in front of every T5 layer takes most of a vector's own length away, and with it what the product would
    measure. Against leaving each word out of the text, the length ranks words best of all these, and the
    product's sign does not say which way the probability goes.

    Parameters
    ----------
    model
        The model; its device is used, and it is left in evaluation mode.
    text
        The document.
    labels
        One label set; ancestors are added.
    scores
        The score of every label of the tree, [K], which siblings are ranked by.
    layer, head
        Show the attention of this decoder layer or head, counted from 1, in place of the mean over all.
    """
    labels = _checked(model.tree, labels, scores)
    words = read_words(text, model.tokenizer, model.config.input_limit)
    encoded = model.codec.encode(labels)
    sequence = _Sequence.of(model, encoded)
    forced = write_forced(model, words.pieces, encoded, sequence.by_row, layer, head)
    attention = sequence.by_row @ forced.own @ sequence.by_input  # [N, N]
    looked = (sequence.by_row @ forced.cross)[::2]  # [m, S] of the rows that produce labels
    by_attention, by_gradient = (_shares(words.weigh(one)) for one in (looked, forced.gradient))
    shares, even, on_path = _on_path(model, encoded, sequence, forced.own)
    symbols = Symbols(len(model.tree)).spell(sequence.symbols, model.tree)
    positions = sequence.symbols[::2]
    inside = {int(one) for one in positions}
    explained = tuple(
        ExplainedLabel(
            label=model.tree.ids[position],
            name=model.tree.names[position],
            score=float(scores[position]),
            probability=float(np.exp(forced.log_probability[k])),
            path_share=None if shares is None else float(shares[2 * k]),
            even_share=None if even is None else float(even[2 * k]),
            by_attention=by_attention[k],
            end_share=float(looked[k, -1]),
            by_gradient=by_gradient[k],
            siblings=_siblings(model.tree, position, inside, scores),
        )
        for k, position in enumerate(positions)
    )
    return Explanation(
        text, words.spans, words.unread, tuple(symbols), attention, on_path, explained, layer, head
    )


@dataclass(frozen=True, eq=False)
class _Sequence:
    """A label set's N symbols and their T targets (the same in token units, several a label in text units)."""

    symbols: list[int]  # [N]
    by_row: np.ndarray  # [N, T] averages the rows of a symbol's targets
    by_input: np.ndarray  # [T, N] adds up the inputs of a symbol, the start first

    @classmethod
    def of(cls, model: Model, encoded: Encoded) -> _Sequence:
        targets = encoded.targets[0].tolist()
        symbols = model.codec.symbols_of(targets) if isinstance(model.codec, TextCodec) else targets
        symbol = encoded.symbol.reshape(-1)  # [T]
        rows = np.equal.outer(np.arange(len(symbols)), symbol).astype(np.float64)
        column = np.concatenate([[0], symbol[:-1] + 1])
        inputs = np.equal.outer(column, np.arange(len(symbols))).astype(np.float64)
        return cls(symbols, rows / rows.sum(1, keepdims=True), inputs)


def _on_path(
    model: Model, encoded: Encoded, sequence: _Sequence, own: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray | None]:
    """Return the share of attention on each symbol's path, that of even attention, and the path, [N, N]."""
    if model.config.variant == "t5":
        return None, None, None
    mask = path_mask(encoded, model.tree, model.config.mask)[0]  # [T, T]
    shares = sequence.by_row @ (own * mask).sum(1)
    even = sequence.by_row @ (mask.sum(1) / np.arange(1, len(mask) + 1))
    return shares, even, sequence.by_row @ mask @ sequence.by_input > 0


def _siblings(tree: Taxonomy, position: int, inside: set[int], scores: np.ndarray) -> tuple[Sibling, ...]:
    others = [one for one in tree.children(int(tree.parent[position])) if one != position]
    others.sort(key=lambda one: -scores[one])
    return tuple(
        Sibling(tree.ids[one], tree.names[one], float(scores[one]), one not in inside) for one in others
    )


def _shares(weights: np.ndarray) -> np.ndarray:
    """Divide weights by their sum; weights that are all zero stay so."""
    total = weights.sum(-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def _checked(tree: Taxonomy, labels: LabelSets, scores: np.ndarray) -> LabelSets:
    if len(labels) != 1:
        raise ModelError(f"One text has one label set, and {len(labels)} are given: explain them one by one.")
    if not len(labels.labels):
        raise ModelError(
            "There is nothing to explain, because no label is predicted for this text: name labels to explain."
        )
    if np.shape(scores) != (len(tree),):
        raise ModelError(
            f"The scores have the shape {np.shape(scores)}, but the tree has {len(tree)} labels: give one a label."
        )
    return labels.closed(tree)
