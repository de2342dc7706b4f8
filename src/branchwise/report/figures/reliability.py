"""Whether scores are what they say: for every bin of scores, how often what is scored so is true."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from branchwise.evaluation.calibration import Calibration
from branchwise.report import style

WIDE, HIGH = 4.6, 5.4  # inches of one diagram
FEWEST = 20  # pairs of a bin that is drawn whole; one of fewer is pale


def draw_reliability(systems: Mapping[str, Calibration], path: str | Path) -> None:
    """Draw one reliability diagram a system, side by side, into a .png, .svg or .pdf file.

    Parameters
    ----------
    systems
        What was measured, by the name that stands above it.
    path
        The file.
    """
    style.check_picture(path)
    figure = style.new_figure(WIDE * len(systems), HIGH)
    for place, (name, measured) in enumerate(systems.items()):
        left, width = (place + 0.17) / len(systems), 0.76 / len(systems)
        _diagram(figure.add_axes((left, 0.36, width, 0.48)), name, measured)
        _histogram(figure.add_axes((left, 0.12, width, 0.15)), measured)
    style.save(figure, path)


def _diagram(axes: Any, name: str, measured: Calibration) -> None:
    bins = [one for one in measured.bins if one.pairs]
    scores = [one.mean_score for one in bins]
    shares = [one.share_true for one in bins]
    style.quiet(axes, grid="y")
    axes.plot([0, 1], [0, 1], color=style.FAINT, linewidth=1.5, zorder=1)
    axes.vlines(scores, scores, shares, color=style.SERIES[1], linewidth=1.2, zorder=2)
    for one, score, share in zip(bins, scores, shares, strict=True):
        alpha = 1.0 if one.pairs >= FEWEST else 0.35
        axes.plot(
            [score],
            [share],
            "o",
            markersize=6,
            color=style.SERIES[0],
            alpha=alpha,
            markeredgewidth=0,
            zorder=3,
        )
    axes.set(xlim=(0, 1), ylim=(0, 1.02), xticks=[], yticks=np.linspace(0, 1, 6))
    axes.set_ylabel("share that is true", color=style.MUTED, fontsize=9, family=style.families())
    error, brier = measured.expected_calibration_error, measured.brier
    style.heading(axes, name, f"calibration error {100 * error:.2f} %, Brier score {brier:.4f}")


def _histogram(axes: Any, measured: Calibration) -> None:
    style.quiet(axes)
    width = measured.bins[0].high - measured.bins[0].low
    middles = [(one.low + one.high) / 2 for one in measured.bins]
    axes.bar(middles, [max(one.pairs, 0.5) for one in measured.bins], width=0.86 * width, color=style.PALE)
    axes.set_yscale("log")
    axes.set(xlim=(0, 1), ylim=(0.5, None), xticks=np.linspace(0, 1, 6))
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.set_xlabel("score", color=style.MUTED, fontsize=9, family=style.families())
    axes.set_ylabel("pairs", color=style.MUTED, fontsize=9, family=style.families())
