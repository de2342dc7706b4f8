"""Published results and our own: two marks a system, joined by a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from branchwise.report import style

NAMES, CHART, GAP, RIGHT = 2.3, 3.6, 0.35, 0.35  # inches across
TOP, ROW, BOTTOM = 1.45, 0.27, 0.55  # and down
OURS, THEIRS = style.SERIES[1], style.SERIES[0]


@dataclass(frozen=True)
class Beside:
    """One system; None where there is no such figure."""

    name: str
    published: float | None
    ours: float | None


def draw_beside(
    charts: Mapping[str, Sequence[Beside]], path: str | Path, *, title: str, note: str = ""
) -> None:
    """Draw one chart a metric into a .png, .svg or .pdf file; all have the same systems.

    Parameters
    ----------
    charts
        By the metric's name, in per cent.
    path
        The file.
    title, note
        What stands above.
    """
    names = [one.name for one in next(iter(charts.values()))]
    width = NAMES + len(charts) * (CHART + GAP) - GAP + RIGHT
    height = TOP + ROW * len(names) + BOTTOM
    figure = style.new_figure(width, height)
    sheet = figure.add_axes((0, 0, 1, 1))
    sheet.set(xlim=(0, width), ylim=(height, 0))
    sheet.axis("off")
    style.write(sheet, 0.3, 0.38, style.fitted(title, width - 0.6, 15, True), fontsize=15, weight="bold")
    style.write(sheet, 0.3, 0.68, style.fitted(note, width - 0.6, 9), color=style.MUTED)
    for x, name, color, filled in ((0.4, "published", THEIRS, False), (1.6, "here", OURS, True)):
        sheet.plot(
            [x], [0.95], "o", markersize=7, color=color, markerfacecolor=color if filled else style.PAPER
        )
        style.write(sheet, x + 0.15, 0.95, name)
    for at, name in enumerate(names):
        y = TOP + ROW * (at + 0.5)
        style.write(sheet, NAMES - 0.15, y, style.fitted(name, NAMES - 0.4, 9), ha="right")
    for place, (metric, several) in enumerate(charts.items()):
        left = NAMES + place * (CHART + GAP)
        axes = figure.add_axes((left / width, BOTTOM / height, CHART / width, ROW * len(names) / height))
        style.quiet(axes, grid="x")
        axes.set(ylim=(len(names) - 0.5, -0.5), yticks=[])
        style.heading(axes, metric)
        for at, one in enumerate(several):
            known = [value for value in (one.published, one.ours) if value is not None]
            if len(known) > 1:
                axes.plot(known, [at, at], color=style.MUTED, linewidth=1.2, zorder=2)
            for value, color, filled in ((one.published, THEIRS, False), (one.ours, OURS, True)):
                if value is not None:
                    inside = color if filled else style.PAPER
                    axes.plot(
                        [value],
                        [at],
                        "o",
                        markersize=7,
                        color=color,
                        markerfacecolor=inside,
                        zorder=3,
                        clip_on=False,
                    )
        low, high = axes.get_xlim()
        axes.set_xlim(max(low - 1, 0), min(high + 1, 101))
    style.save(figure, path)
