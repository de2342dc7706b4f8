"""The path-adaptive mask: which decoder inputs the row of each target may look at.

Input i is the start (i = 0) or target i - 1; row i produces target i. A *unit* is a label with one
separator: the one after it in the paper's formula, the one before it in the paper's released code, where
the first label's unit begins with the start. A row sees the units of its own label and of that label's
ancestors, as far as they are written, and the start.
"""

from __future__ import annotations

import numpy as np

from branchwise.choices import MASKS, MaskKind
from branchwise.errors import SequenceError
from branchwise.sequence.encoded import Encoded
from branchwise.taxonomy import LabelSets, Taxonomy


def path_mask(encoded: Encoded, tree: Taxonomy, kind: MaskKind = "released") -> np.ndarray:
    """Return the mask of a batch in canonical order, [B, T, T] bool: may row i look at input j."""
    if kind not in MASKS:
        raise SequenceError(f"There is no mask {kind!r}: choose one of {', '.join(MASKS)}.")
    related = _related(encoded.sets, tree)
    rows, width = encoded.targets.shape
    unit = _units(encoded, kind)
    if unit.ndim == 1:
        mask = related[:, unit[:, None], unit[None, :]]
    else:
        mask = related[np.arange(rows)[:, None, None], unit[:, :, None], unit[:, None, :]]
    mask &= np.tri(width, dtype=bool)
    mask[:, :, 0] = True
    if kind == "released":  # the row that produces the end symbol sees everything
        last = encoded.lengths - 1
        mask[np.arange(rows), last] = np.arange(width) <= last[:, None]
    mask &= encoded.real[:, :, None]
    return mask


def loss_rows(encoded: Encoded) -> np.ndarray:
    """Return which rows carry the mask's loss, [B, T] bool: all but padding and the one that ends."""
    return np.arange(encoded.targets.shape[1]) < encoded.lengths[:, None] - 1


def _units(encoded: Encoded, kind: MaskKind) -> np.ndarray:
    """Return the unit of every input, counted from 1; 0 is the start where it has a unit of its own."""
    symbol = encoded.symbol
    before = np.zeros((*symbol.shape[:-1], 1), symbol.dtype)
    number = np.concatenate([before, symbol[..., :-1] + 1], axis=-1)  # of the symbol each input shows
    return (number + 1) // 2 if kind == "paper" else number // 2 + 1


def _related(sets: LabelSets, tree: Taxonomy) -> np.ndarray:
    """Say whether label k of a set is label u or below it, [B, 1 + m, 1 + m]; index 0 is the start."""
    most = int(sets.sizes.max(initial=0))
    labels = np.full((len(sets), most), -1, np.int32)
    labels[sets.rows, np.arange(len(sets.labels)) - np.repeat(sets.offsets[:-1], sets.sizes)] = sets.labels
    entry, leave = tree.interval
    first = np.append(entry, -1)[labels]  # [B, m]; the appended entry serves absent labels, which are -1
    last = np.append(leave, -1)[labels]
    related = np.zeros((len(sets), most + 2, most + 2), bool)  # one spare unit for padding
    related[:, 1:-1, 1:-1] = (first[:, None, :] <= first[:, :, None]) & (first[:, :, None] < last[:, None, :])
    related[:, :, 0] = True
    return related
