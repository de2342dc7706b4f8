"""Self-attention over a label sequence as the paper's heat map, with each label's share on its own path beside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from branchwise.decoding.explanation import Explanation
from branchwise.report import style

ON_PATH, OFF_PATH = style.SERIES[0], style.SERIES[1]
FONT, SMALL = 9, 7
LONGEST = 1.7  # inches of a symbol's name
SHORT = 2  # characters of a symbol that is not turned on its side
BAR, NUMBER = 1.1, 0.45  # inches: the bar of a whole, the number after it
CURVE = 0.6  # power of attention that colours follow, so that small shares are seen
STEPS = (0.0, 0.05, 0.2, 0.5, 1.0)  # shares in the legend
LEGEND = 0.85  # inches below the grid


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A heat map that knows its size before it is drawn."""

    explanation: Explanation

    @property
    def size(self) -> int:
        """Symbols of the sequence."""
        return len(self.explanation.symbols)

    @property
    def cell(self) -> float:
        """Inches of a cell's side."""
        return 0.42 if self.size <= 10 else 0.3 if self.size <= 30 else 0.2

    @property
    def font(self) -> float:
        """Points of the names beside the grid."""
        return FONT if self.size <= 30 else SMALL

    @cached_property
    def rows(self) -> list[str]:
        """What stands beside the rows."""
        return [style.fitted(one, LONGEST, self.font, True) for one in self.explanation.symbols]

    @cached_property
    def columns(self) -> list[str]:
        """What stands above the columns."""
        return [style.fitted(one, LONGEST, self.font) for one in self.explanation.inputs]

    @property
    def beside(self) -> float:
        """Inches to the left of the grid."""
        return max(style.text_width(one, self.font, True) for one in self.rows) + 0.15

    @property
    def above(self) -> float:
        """Inches above the grid."""
        return max(style.text_width(one, self.font) for one in self.columns) + 0.25

    @property
    def width(self) -> float:
        """Inches of everything across."""
        bars = 0 if self.explanation.on_path is None else 0.25 + BAR + NUMBER
        return max(self.beside + self.size * self.cell + bars, 3.6)

    @property
    def height(self) -> float:
        """Inches of everything down."""
        return self.above + self.size * self.cell + LEGEND

    def draw(self, axes: Any, left: float, top: float) -> None:
        """Draw the map into axes of inches, down from the upper left corner."""
        x, y = left + self.beside, top + self.above
        self._cells(axes, x, y)
        for i, (row, column) in enumerate(zip(self.rows, self.columns, strict=True)):
            middle = (i + 0.5) * self.cell
            is_label = i in self.explanation.rows
            style.write(
                axes,
                x - 0.1,
                y + middle,
                row,
                fontsize=self.font,
                ha="right",
                color=style.INK if is_label else style.MUTED,
                weight="bold" if is_label else "normal",
            )
            style.write(
                axes,
                x + middle,
                y - 0.1,
                column,
                fontsize=self.font,
                color=style.MUTED,
                ha="center",
                va="bottom",
                rotation=90 if len(column) > SHORT else 0,
            )
        side = self.size * self.cell
        if self.explanation.on_path is not None:
            self._bars(axes, x + side + 0.25, y)
        self._legend(axes, left, y + side + 0.3)

    def _cells(self, axes: Any, x: float, y: float) -> None:
        from matplotlib.collections import PatchCollection
        from matplotlib.patches import Rectangle

        shares, on_path = self.explanation.attention, self.explanation.on_path
        shown = np.tri(self.size, dtype=bool) | (shares > 0)
        gap = 0.07 * self.cell
        patches, colours, edges = [], [], []
        for i, j in np.argwhere(shown).tolist():
            inside = on_path is None or bool(on_path[i, j])
            at = x + j * self.cell + gap, y + i * self.cell + gap
            patches.append(Rectangle(at, self.cell - 2 * gap, self.cell - 2 * gap))
            colours.append(shade(shares[i, j], ON_PATH if inside else OFF_PATH))
            edges.append(ON_PATH if inside and on_path is not None else style.FAINT)
            if self.size <= 10:
                style.write(
                    axes,
                    x + (j + 0.5) * self.cell,
                    y + (i + 0.52) * self.cell,
                    f"{100 * shares[i, j]:.0f}",
                    fontsize=SMALL,
                    ha="center",
                    color=style.PAPER if shares[i, j] > 0.4 and inside else style.INK,
                )
        axes.add_collection(PatchCollection(patches, facecolors=colours, edgecolors=edges, linewidths=0.7))

    def _bars(self, axes: Any, x: float, y: float) -> None:
        from matplotlib.patches import Rectangle

        style.write(axes, x, y - 0.1, "on its own path", color=style.MUTED, va="bottom")
        thick = min(0.5 * self.cell, 0.16)
        for row, one in zip(self.explanation.rows, self.explanation.explained, strict=True):
            if one.path_share is None or one.even_share is None:
                continue
            middle = y + (row + 0.5) * self.cell
            for length, colour in ((1.0, style.EMPTY), (one.path_share, ON_PATH)):
                axes.add_patch(
                    Rectangle((x, middle - thick / 2), length * BAR, thick, facecolor=colour, linewidth=0)
                )
            even = x + one.even_share * BAR
            axes.plot([even, even], [middle - thick, middle + thick], color=style.INK, linewidth=1.2)
            style.write(
                axes, x + BAR + 0.08, middle, f"{100 * one.path_share:.0f} %", fontsize=max(self.font, 8)
            )

    def _legend(self, axes: Any, x: float, y: float) -> None:
        from matplotlib.patches import Rectangle

        has_path = self.explanation.on_path is not None
        kinds = [(ON_PATH, "on the path"), (OFF_PATH, "off it")] if has_path else [(ON_PATH, "attention")]
        start = x + max(style.text_width(name, 8) for _, name in kinds) + 0.12
        for line, (colour, name) in enumerate(kinds):
            middle = y + 0.2 * line
            style.write(axes, x, middle, name, fontsize=8, color=style.MUTED)
            for step, share in enumerate(STEPS):
                axes.add_patch(
                    Rectangle(
                        (start + 0.36 * step, middle - 0.07),
                        0.34,
                        0.14,
                        facecolor=shade(share, colour),
                        edgecolor=style.FAINT,
                        linewidth=0.5,
                    )
                )
        below = y + 0.2 * len(kinds) + 0.02
        for step, share in enumerate(STEPS):
            style.write(
                axes,
                start + 0.36 * step + 0.17,
                below,
                f"{100 * share:.0f} %",
                fontsize=SMALL,
                color=style.MUTED,
                ha="center",
            )
        if has_path:
            after = start + 0.36 * len(STEPS) + 0.25
            axes.plot([after, after], [y - 0.07, y + 0.07], color=style.INK, linewidth=1.2)
            style.write(axes, after + 0.1, y, "if attention were even", fontsize=8, color=style.MUTED)


def shade(share: float, colour: str, strongest: float = 1.0, curve: float = CURVE) -> tuple[float, ...]:
    """Return a colour between paper (nothing) and the given one, ``strongest`` of it where the share is one."""
    from matplotlib.colors import to_rgb

    weight = strongest * min(max(share, 0.0), 1.0) ** curve
    return tuple(
        (1 - weight) * a + weight * b for a, b in zip(to_rgb(style.PAPER), to_rgb(colour), strict=True)
    )
