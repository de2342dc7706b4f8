"""Learning curves: what each system reaches with ever more documents, one chart a metric, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from branchwise.report import style

LEFT, RIGHT, TOP, BOTTOM = 0.75, 0.55, 2.05, 0.75  # margins of the page, inches
WIDTH, HEIGHT, ACROSS = 4.8, 2.9, 0.95  # of one chart, and between two
TITLE, NOTE, KEY = 0.4, 0.72, 1.08  # inches from the top: the title, the note, and the names of the curves
SMALLEST = 2.0  # points of difference that fill a chart; less is no difference
CLOSE, NEAR = 0.075, 0.15  # shares of a chart's height and width within which two numbers would touch
WIDEST = 1.2  # how far a chart goes beyond its last point, which leaves room for a number
MARKERS = "osD^v"


@dataclass(frozen=True)
class Curve:
    """One system at ever more documents."""

    name: str
    documents: Sequence[float]
    scores: Mapping[str, Sequence[float]]
    """By metric, a share for every number of documents."""
    system: str = ""
    """Whose curve this is: those of one system have one colour; by the curve's name where it is empty."""


def draw_curves(
    curves: Sequence[Curve],
    path: str | Path,
    *,
    title: str = "",
    note: str = "",
    below: str = "documents",
    marks: Mapping[float, str] | None = None,
) -> None:
    """Draw learning curves into a .png, .svg or .pdf file.

    Parameters
    ----------
    curves
        One a system, all with the same metrics.
    path
        The file.
    title
        What stands above; the metrics where it is empty.
    note
        What a reader should know of the numbers, in one line.
    below
        What the numbers below count.
    marks
        Numbers of documents worth a line across where the chart reaches them, with what they are.
    """
    style.check_picture(path)
    metrics = list(curves[0].scores)
    page = (LEFT + RIGHT + len(metrics) * WIDTH + (len(metrics) - 1) * ACROSS, TOP + HEIGHT + BOTTOM)
    figure = style.new_figure(*page)
    sheet = figure.add_axes((0, 0, 1, 1))
    sheet.set(xlim=(0, page[0]), ylim=(page[1], 0))
    sheet.axis("off")
    named = title or ", ".join(metrics)
    style.write(sheet, 0.35, TITLE, style.fitted(named, page[0] - 0.7, 15, True), fontsize=15, weight="bold")
    line = style.fitted(note, page[0] - 0.7, 9)
    style.write(sheet, 0.35, NOTE, line, color=style.MUTED)
    _draw_key(sheet, curves, page[0])
    for at, metric in enumerate(metrics):
        left = LEFT + at * (WIDTH + ACROSS)
        box = (left / page[0], BOTTOM / page[1], WIDTH / page[0], HEIGHT / page[1])
        _draw_metric(figure.add_axes(box), curves, metric, below, marks or {})
    style.save(figure, path)


def _looks(curves: Sequence[Curve]) -> list[dict[str, Any]]:
    """Return colour, marker and line of every curve: a colour a system, whose later curves are broken lines."""
    systems = list(dict.fromkeys(one.system or one.name for one in curves))
    looks, seen = [], set()
    for at, curve in enumerate(curves):
        system = curve.system or curve.name
        look = {
            "color": style.SERIES[systems.index(system) % len(style.SERIES)],
            "marker": MARKERS[at % len(MARKERS)],
            "linestyle": (0, (4, 2)) if system in seen else "-",
        }
        looks.append(look)
        seen.add(system)
    return looks


def _draw_key(sheet: Any, curves: Sequence[Curve], width: float) -> None:
    x = 0.42
    for curve, look in zip(curves, _looks(curves), strict=True):
        name = style.fitted(curve.name, (width - 0.7) / len(curves) - 0.8, 9)
        at = [x, x + 0.22, x + 0.44]
        sheet.plot(
            at, [KEY] * 3, linewidth=2, markersize=5.5, markeredgecolor=style.PAPER, markevery=[1], **look
        )
        style.write(sheet, x + 0.54, KEY, name)
        x += 0.54 + style.text_width(name, 9) + 0.35


def _draw_metric(
    axes: Any, curves: Sequence[Curve], metric: str, below: str, marks: Mapping[float, str]
) -> None:
    most = max((max(one.documents, default=0) for one in curves), default=0) or 1
    values = [100 * value for one in curves for value in one.scores[metric]]
    low, high = min(values, default=0.0), max(values, default=1.0)
    room, middle = max(high - low, SMALLEST), (low + high) / 2
    style.quiet(axes, grid="y")
    axes.set(xlim=(0, 1.13 * most), ylim=(middle - 0.68 * room, middle + 0.72 * room))
    for curve, look in zip(curves, _looks(curves), strict=True):
        percent = [100 * value for value in curve.scores[metric]]
        axes.plot(
            curve.documents,
            percent,
            linewidth=2,
            markersize=6,
            markeredgecolor=style.PAPER,
            zorder=3,
            **look,
        )
        if percent and curve.documents[-1] < most:  # so that the ends can be compared
            ends, last = (curve.documents[-1], most), percent[-1]
            axes.plot(ends, (last, last), linewidth=1.2, linestyle=":", zorder=2, color=look["color"])
    _write_ends(axes, curves, metric)
    across = axes.get_xaxis_transform()
    for documents, what in marks.items():
        if documents > axes.get_xlim()[1]:
            continue
        axes.axvline(documents, color=style.FAINT, linewidth=1, linestyle=(0, (4, 3)), zorder=1)
        side = "right" if documents > most / 2 else "left"
        place = documents + (-0.012 if side == "right" else 0.012) * most
        style.write(axes, place, 0.035, what, fontsize=8, color=style.MUTED, ha=side, transform=across)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.locator_params(axis="x", nbins=5)
    axes.locator_params(axis="y", nbins=6)
    axes.minorticks_off()
    axes.set_xlabel(style.drawable(below), color=style.MUTED, fontsize=9, family=style.families())
    style.heading(axes, metric, "in %")


def _write_ends(axes: Any, curves: Sequence[Curve], metric: str) -> None:
    """Write every curve's last value: right of it where the chart ends, else above it, and none upon another."""
    bottom, top = axes.get_ylim()
    right = axes.get_xlim()[1]
    ends = [
        (100 * one.scores[metric][-1], one.documents[-1], look["color"])
        for one, look in zip(curves, _looks(curves), strict=True)
        if one.documents
    ]
    taken: list[tuple[float, float]] = []
    for value, documents, colour in sorted(ends, reverse=True):
        beside = documents * WIDEST > right
        x = documents + 0.02 * right if beside else documents
        y = value if beside else value + 0.06 * (top - bottom)
        while any(abs(x - a) < NEAR * right and abs(y - b) < CLOSE * (top - bottom) for a, b in taken):
            y -= 0.01 * (top - bottom)
        taken.append((x, y))
        place = "left" if beside else "center"
        style.write(axes, x, y, f"{value:.1f}", ha=place, weight="bold", color=colour, zorder=4)
