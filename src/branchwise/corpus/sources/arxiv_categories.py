"""arXiv's categories as its papers carry them, of thirty years, and as today's tree names them."""

from __future__ import annotations

from collections.abc import Container

SUCCESSORS = {
    # Archives that arXiv closed in the 1990s and subsumed under a category.
    "acc-phys": "physics.acc-ph",
    "adap-org": "nlin.AO",
    "alg-geom": "math.AG",
    "ao-sci": "physics.ao-ph",
    "atom-ph": "physics.atom-ph",
    "bayes-an": "physics.data-an",
    "chao-dyn": "nlin.CD",
    "chem-ph": "physics.chem-ph",
    "cmp-lg": "cs.CL",
    "comp-gas": "nlin.CG",
    "dg-ga": "math.DG",
    "funct-an": "math.FA",
    "mtrl-th": "cond-mat.mtrl-sci",
    "patt-sol": "nlin.PS",
    "plasm-ph": "physics.plasm-ph",
    "q-alg": "math.QA",
    "solv-int": "nlin.SI",
    "supr-con": "cond-mat.supr-con",
    # Second names of a category, which a paper carries beside the first.
    "cs.NA": "math.NA",
    "cs.SY": "eess.SY",
    "math.IT": "cs.IT",
    "math.MP": "math-ph",
    "q-fin.EC": "econ.GN",
    "stat.TH": "math.ST",
}


def current(categories: str, known: Container[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return the labels that ``cs.LG stat.ML`` stands for, in that order, and the categories that are unknown."""
    named = [SUCCESSORS.get(one, one) for one in categories.split()]
    labels = tuple(dict.fromkeys(one for one in named if one in known))
    return labels, [one for one in named if one not in known]
