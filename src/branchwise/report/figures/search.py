"""A search at a glance: each score against each searched setting, one point a trial, the best one ringed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from branchwise.report import style

LEFT, RIGHT, TOP, BOTTOM = 0.75, 0.4, 1.3, 0.75  # margins of the page, inches
WIDTH, ALONE, HEIGHT = 4.2, 6.4, 2.1  # of one chart; its width where no other stands beside it
ACROSS, DOWN = 0.6, 0.7  # between charts
WIDE = 10  # numbers that reach so many times as far are drawn on a log scale
FEW = 8  # values that each have a tick and are joined by a line
SMALLEST = 0.2  # points of difference that fill a chart; less is no difference
TICK_SIZE, TICK_GAP, SHORTEST = 9, 0.06, 0.4  # points; inches between words and of the shortest


def draw_search(
    settings: Mapping[str, Sequence[Any]],
    scores: Mapping[str, Sequence[float | None]],
    path: str | Path,
    *,
    ranges: Collection[str] = (),
    title: str = "",
) -> None:
    """Draw what a search tried into a .png, .svg or .pdf file.

    Parameters
    ----------
    settings
        By searched setting, its value in every trial.
    scores
        By score, its share in every trial, None where the trial failed; the first is what chooses the best.
    path
        The file.
    ranges
        Settings whose values come from a range: any between them might have come too.
    title
        What stands above; the number of trials where it is empty.
    """
    style.check_picture(path)
    n_columns, n_rows = len(settings), len(scores)
    width = WIDTH if n_columns > 1 else ALONE
    page = (
        LEFT + RIGHT + n_columns * width + (n_columns - 1) * ACROSS,
        TOP + BOTTOM + n_rows * HEIGHT + (n_rows - 1) * DOWN,
    )
    figure = style.new_figure(*page)
    shares = {name: _per_cent(values) for name, values in scores.items()}
    best = _best(next(iter(shares.values())))
    _write_title(figure, page, title, next(iter(shares)), next(iter(shares.values())))
    for column, (setting, values) in enumerate(settings.items()):
        axis = _Axis(values, setting in ranges)
        for row, (score, percent) in enumerate(shares.items()):
            left = LEFT + column * (width + ACROSS)
            bottom = page[1] - TOP - HEIGHT - row * (HEIGHT + DOWN)
            box = (left / page[0], bottom / page[1], width / page[0], HEIGHT / page[1])
            axes = figure.add_axes(box)
            _draw_points(axes, axis, percent, best, style.SERIES[row % len(style.SERIES)])
            axis.finish(axes, setting if row == n_rows - 1 else "")
            style.heading(axes, score if column == 0 else " ")
    style.save(figure, path)


class _Axis:
    """Where a setting's values stand: on a line, on a log scale, or in a row where they are no numbers."""

    def __init__(self, values: Sequence[Any], from_range: bool) -> None:
        numeric = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
        self.numeric = numeric
        self.distinct = sorted(set(values)) if numeric else list(dict.fromkeys(values))
        low, high = (self.distinct[0], self.distinct[-1]) if numeric else (0, 0)
        self.log = numeric and low > 0 and high >= WIDE * low
        self.in_a_row = not numeric or not (self.log or from_range or self._is_even())
        places = {one: place for place, one in enumerate(self.distinct)} if self.in_a_row else {}
        self.places = np.array([places.get(one, one) for one in values], float)
        self.has_ticks = self.in_a_row or (not from_range and len(self.distinct) <= FEW)

    def _is_even(self) -> bool:
        """Say whether values have room on a line; 0, 0.1 and 100 crowd at its left end."""
        others = [one for one in self.distinct if one > 0]
        return len(self.distinct) > FEW or len(others) < 2 or others[-1] < WIDE * others[0]

    def finish(self, axes: Any, name: str) -> None:
        """Set scale, limits and ticks; only a chart with a ``name`` below has words at its ticks."""
        if self.log:
            axes.set_xscale("log")
        low, high = self.places.min(), self.places.max()
        if self.log:
            room = (high / low) ** 0.08 if high > low else 2.0
            axes.set_xlim(low / room, high * room)
        else:
            room = 0.08 * (high - low) if high > low and not self.in_a_row else 0.5
            axes.set_xlim(low - room, high + room)
        if self.has_ticks:
            at = np.unique(self.places)
            axes.set_xticks(at, _without_crowds(axes, at, self.distinct))
        else:
            if self.log:
                axes.xaxis.set_major_locator(_some_of_each_decade())
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.minorticks_off()
        axes.tick_params(labelbottom=bool(name))
        if name:
            axes.set_xlabel(
                style.drawable(name), color=style.INK, fontsize=10, labelpad=6, family=style.families()
            )


def _draw_points(axes: Any, axis: _Axis, percent: np.ndarray, best: int | None, colour: str) -> None:
    there = ~np.isnan(percent)
    if axis.has_ticks and axis.numeric:
        at = np.unique(axis.places[there])
        tops = [percent[there & (axis.places == one)].max() for one in at]
        axes.plot(at, tops, color=colour, linewidth=1.6, alpha=0.45, zorder=2)
    axes.scatter(
        axis.places[there],
        percent[there],
        s=44,
        color=colour,
        edgecolors=style.PAPER,
        linewidths=0.8,
        zorder=3,
    )
    style.quiet(axes, grid="y")
    low, high = (percent[there].min(), percent[there].max()) if there.any() else (0.0, 1.0)
    room, middle = max(high - low, SMALLEST), (low + high) / 2
    axes.set_ylim(middle - 0.84 * room, middle + 0.8 * room)
    axes.locator_params(axis="y", nbins=5)
    axes.ticklabel_format(axis="y", useOffset=False)
    failed = axis.places[~there]
    across = axes.get_xaxis_transform()
    axes.scatter(
        failed,
        np.full(len(failed), 0.06),
        s=34,
        marker="x",
        color=style.MUTED,
        linewidths=1.4,
        transform=across,
    )
    if best is not None:
        x, y = axis.places[best], percent[best]
        axes.scatter([x], [y], s=120, facecolors="none", edgecolors=style.INK, linewidths=1.5, zorder=4)
        beside = 0.15 * room if y >= middle else -0.17 * room  # away from the line through the others
        style.write(axes, x, y + beside, f"{y:.2f}", ha="center", fontsize=9, weight="bold", zorder=5)


def _write_title(figure: Any, page: tuple[float, float], title: str, first: str, percent: np.ndarray) -> None:
    sheet = figure.add_axes((0, 0, 1, 1))
    sheet.set(xlim=(0, page[0]), ylim=(page[1], 0))
    sheet.axis("off")
    n, failed = len(percent), int(np.isnan(percent).sum())
    named = title or f"{n:,} trial{'' if n == 1 else 's'} on validation documents"
    style.write(sheet, 0.35, 0.38, style.fitted(named, page[0] - 0.7, 15, True), fontsize=15, weight="bold")
    line = f"In %; the ring is the trial with the best {first}" + (
        f", × marks {failed:,} that failed." if failed else "."
    )
    style.write(sheet, 0.35, 0.68, style.fitted(line, page[0] - 0.7, 9), color=style.MUTED)


def _per_cent(values: Sequence[float | None]) -> np.ndarray:
    return np.array([np.nan if one is None else 100 * one for one in values], float)


def _best(percent: np.ndarray) -> int | None:
    return None if np.isnan(percent).all() else int(np.nanargmax(percent))


def _some_of_each_decade() -> Any:
    from matplotlib.ticker import LogLocator

    return LogLocator(subs=(1, 3))


def _spoken(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _without_crowds(axes: Any, at: np.ndarray, values: Sequence[Any]) -> list[str]:
    """Return the words at ticks: names shortened to their room, and none that touches the one before."""
    ends = axes.transData.transform([(limit, 0) for limit in axes.get_xlim()])[:, 0] / axes.figure.dpi
    room = (ends[1] - ends[0]) / len(at) - TICK_GAP
    centres = axes.transData.transform([(place, 0) for place in at])[:, 0] / axes.figure.dpi
    shown: list[str] = []
    free = -np.inf
    for centre, value in zip(centres, values, strict=True):
        text = style.drawable(_spoken(value))
        if isinstance(value, str):
            text = style.fitted(text, max(room, SHORTEST), TICK_SIZE)
        half = style.text_width(text, TICK_SIZE) / 2
        fits = centre - half > free
        shown.append(text if fits else "")
        free = centre + half + TICK_GAP if fits else free
    return shown
