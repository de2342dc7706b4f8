"""Pictures, one module each, drawn by matplotlib without a screen and without global state."""

from branchwise.report.figures.curves import Curve, draw_curves
from branchwise.report.figures.explanation import draw_explanation
from branchwise.report.figures.mask import draw_mask
from branchwise.report.figures.reliability import draw_reliability
from branchwise.report.figures.statistics import draw_statistics
from branchwise.report.figures.tree import draw_tree

__all__ = [
    "Curve",
    "draw_curves",
    "draw_explanation",
    "draw_mask",
    "draw_reliability",
    "draw_statistics",
    "draw_tree",
]
