"""Systems side by side: what each reaches on every level or for every kind of label, and what quality costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from branchwise.report import style

LEFT, RIGHT, ROW, BOTTOM = 0.75, 0.4, 0.28, 0.85  # inches around the chart; a line of the key
WIDTH, HEIGHT = 8.4, 3.6  # of the chart
MARKERS = "osD^vPX<>*"
SPREAD = 0.62  # share of a column that its dots take up


@dataclass(frozen=True)
class Profile:
    """One system over several columns, as shares; None where it has nothing to show."""

    name: str
    values: Sequence[float | None]
    spreads: Sequence[float | None] = ()
    """Standard deviations, where there are several runs."""


@dataclass(frozen=True)
class Costs:
    """What one system takes and reaches."""

    name: str
    seconds: float
    f1: float
    """A share."""


def draw_profiles(
    profiles: Sequence[Profile],
    columns: Sequence[str],
    path: str | Path,
    *,
    title: str,
    note: str = "",
    below: str = "",
) -> None:
    """Draw systems as dots, side by side in every column, into a .png, .svg or .pdf file.

    Parameters
    ----------
    profiles
        One a system.
    columns
        What stands below each column, in one line or several.
    path
        The file.
    title, note
        What stands above.
    below
        What the columns are.
    """
    figure, axes = _sheet(path, [one.name for one in profiles], title, note)
    axes.set(xlim=(-0.5, len(columns) - 0.5), xticks=range(len(columns)))
    axes.set_xticklabels(
        ["\n".join(map(style.drawable, one.splitlines())) for one in columns], family=style.families()
    )
    for edge in range(1, len(columns)):
        axes.axvline(edge - 0.5, color=style.FAINT, linewidth=0.7, zorder=0)
    step = SPREAD / max(len(profiles) - 1, 1)
    for at, one in enumerate(profiles):
        look = _look(at)
        shift = (at - (len(profiles) - 1) / 2) * step
        for column, value in enumerate(one.values):
            if value is None:
                continue
            x, y = column + shift, 100 * value
            axes.vlines(x, 0, y, color=look["color"], linewidth=1.4, alpha=0.35, zorder=2)
            around = one.spreads[column] if one.spreads else None
            if around:
                axes.vlines(x, y - 100 * around, y + 100 * around, color=style.INK, linewidth=1.1, zorder=4)
            axes.plot(
                [x],
                [y],
                markersize=7.5,
                markeredgewidth=0.5,
                markeredgecolor=style.PAPER,
                linestyle="none",
                zorder=3,
                **look,
            )
    top = max((100 * value for one in profiles for value in one.values if value is not None), default=1.0)
    axes.set_ylim(0, min(max(1.12 * top, 1.0), 102))
    if below:
        axes.set_xlabel(style.drawable(below), color=style.MUTED, fontsize=9, family=style.families())
    style.save(figure, path)


def draw_costs(costs: Mapping[str, Sequence[Costs]], path: str | Path, *, title: str, note: str = "") -> None:
    """Draw F1 against seconds, one chart a kind of time, into a .png, .svg or .pdf file.

    Parameters
    ----------
    costs
        By what the seconds are: ``training``, for example. The systems are the same in all.
    path
        The file.
    title, note
        What stands above.
    """
    names = [one.name for one in next(iter(costs.values()))]
    figure, _ = _sheet(path, names, title, note, charts=0)
    width = LEFT + WIDTH + RIGHT
    height = figure.get_figheight()
    across = (WIDTH - 0.8 * (len(costs) - 1)) / len(costs)
    values = [100 * one.f1 for several in costs.values() for one in several]
    room = max(max(values) - min(values), 2.0)
    for place, (what, several) in enumerate(costs.items()):
        left = LEFT + place * (across + 0.8)
        axes = figure.add_axes((left / width, BOTTOM / height, across / width, HEIGHT / height))
        style.quiet(axes, grid="both")
        seconds = [max(one.seconds, 1e-3) for one in several]
        axes.set_xscale("log")
        axes.set_xticks(_ticks(min(seconds) / 2, max(seconds) * 2))
        axes.set(
            xlim=(min(seconds) / 2, max(seconds) * 2),
            ylim=(min(values) - 0.2 * room, max(values) + 0.2 * room),
        )
        for at, (one, x) in enumerate(zip(several, seconds, strict=True)):
            axes.plot(
                [x],
                [100 * one.f1],
                markersize=9,
                markeredgewidth=0.5,
                markeredgecolor=style.PAPER,
                linestyle="none",
                **_look(at),
            )
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.3g}")
        axes.minorticks_off()
        axes.set_xlabel(style.drawable(what), color=style.MUTED, fontsize=9, family=style.families())
    style.save(figure, path)


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two bounds: powers of ten, with twos and fives where those are few."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1,), (1, 2, 5)):
        found = [
            one for power in powers for factor in factors if low <= (one := factor * 10.0**power) <= high
        ]
        if len(found) > 2:
            break
    return found


def _look(at: int) -> dict[str, Any]:
    return {"color": style.SERIES[at % len(style.SERIES)], "marker": MARKERS[at % len(MARKERS)]}


def _sheet(path: str | Path, names: Sequence[str], title: str, note: str, charts: int = 1) -> tuple[Any, Any]:
    """Return a figure with title and key, and its chart where there is to be one."""
    style.check_picture(path)
    width = LEFT + WIDTH + RIGHT
    places, lines = _key(names, width)
    first = 1.05 if note else 0.8
    head = first + 0.2 + ROW * lines
    height = head + HEIGHT + BOTTOM
    figure = style.new_figure(width, height)
    sheet = figure.add_axes((0, 0, 1, 1))
    sheet.set(xlim=(0, width), ylim=(height, 0))
    sheet.axis("off")
    style.write(sheet, 0.35, 0.4, style.fitted(title, width - 0.7, 15, True), fontsize=15, weight="bold")
    style.write(sheet, 0.35, 0.72, style.fitted(note, width - 0.7, 9), color=style.MUTED)
    for at, (name, (x, line)) in enumerate(zip(names, places, strict=True)):
        y = first + ROW * line
        sheet.plot(
            [x],
            [y],
            markersize=7.5,
            markeredgewidth=0.5,
            markeredgecolor=style.PAPER,
            linestyle="none",
            **_look(at),
        )
        style.write(sheet, x + 0.14, y, style.fitted(name, 3.0, 9))
    if not charts:
        return figure, None
    axes = figure.add_axes((LEFT / width, BOTTOM / height, WIDTH / width, HEIGHT / height))
    style.quiet(axes, grid="y")
    return figure, axes


def _key(names: Sequence[str], width: float) -> tuple[list[tuple[float, int]], int]:
    """Return where every name stands, and how many lines they take."""
    places: list[tuple[float, int]] = []
    x, line = 0.45, 0
    for name in names:
        wide = 0.14 + style.text_width(style.fitted(name, 3.0, 9), 9) + 0.35
        if places and x + wide > width - 0.35:
            x, line = 0.45, line + 1
        places.append((x, line))
        x += wide
    return places, line + 1
