"""Explanations made by hand, so that pictures and tables are tested without a network."""

from __future__ import annotations

import numpy as np

from branchwise import Taxonomy
from branchwise.decoding.explanation import ExplainedLabel, Explanation, Sibling
from branchwise.decoding.words import WORD
from branchwise.sequence import Symbols, TokenCodec, path_mask


def explanation_of(
    tree: Taxonomy, labels: list[str], text: str, *, has_path: bool = True, unread: int = 0, seed: int = 0
) -> Explanation:
    """Return an explanation with attention that mostly keeps to the path, and uneven words."""
    random = np.random.default_rng(seed)
    sets = tree.label_sets([labels])
    encoded = TokenCodec(tree).encode(sets)
    mask = path_mask(encoded, tree)[0]
    raw = np.tril(random.random(mask.shape) ** 3 + 0.01) * np.where(mask, 1.0, 0.25)
    attention = raw / raw.sum(1, keepdims=True)
    spans = np.array([one.span() for one in WORD.finditer(text)], np.int64).reshape(-1, 2)
    explained = []
    for k, position in enumerate(sets[0].tolist()):
        others = [one for one in tree.children(int(tree.parent[position])) if one != position]
        by_attention, by_gradient = random.random((2, len(spans))) ** 6
        explained.append(
            ExplainedLabel(
                label=tree.ids[position],
                name=tree.names[position],
                score=float(random.random()),
                probability=float(random.random()),
                path_share=float((attention * mask)[2 * k].sum()) if has_path else None,
                even_share=float(mask[2 * k].sum() / (2 * k + 1)) if has_path else None,
                by_attention=by_attention / max(by_attention.sum(), 1e-9),
                end_share=0.2,
                by_gradient=by_gradient / max(by_gradient.sum(), 1e-9),
                siblings=tuple(
                    Sibling(tree.ids[one], tree.names[one], 0.5 / (1 + rank), one not in sets[0])
                    for rank, one in enumerate(others)
                ),
            )
        )
    return Explanation(
        text=text,
        spans=spans,
        unread=unread,
        symbols=tuple(Symbols(len(tree)).spell(encoded.targets[0], tree)),
        attention=attention,
        on_path=mask if has_path else None,
        explained=tuple(explained),
        layer=None,
        head=None,
    )
