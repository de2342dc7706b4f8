"""What free decoding wrote, made into closed sets: only when asked, and always counted."""

from __future__ import annotations

from typing import get_args

import numpy as np

from branchwise.choices import Repair
from branchwise.errors import ModelError
from branchwise.taxonomy import LabelSets, Taxonomy


def repair(sets: LabelSets, tree: Taxonomy, how: Repair) -> tuple[LabelSets, np.ndarray]:
    """Return closed sets, and which of them had to be changed, [N] bool.

    Parameters
    ----------
    sets
        Label sets, some of them with labels whose parents are missing.
    tree
        Their taxonomy.
    how
        ``close`` adds the missing ancestors, ``drop`` leaves out what stands below a missing one.
    """
    if how not in get_args(Repair):
        raise ModelError(f"The repair is {how!r}: choose one of {', '.join(get_args(Repair))}.")
    if how == "close":
        closed = sets.closed(tree)
        return closed, closed.sizes != sets.sizes
    kept = sets
    while (missing := kept.missing_parent(tree)).any():
        kept = kept.select(~missing)
    return kept, kept.sizes != sets.sizes
