"""The mask of one label set as a labelled grid; several masks of the same sequence stand side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from branchwise.report import style
from branchwise.report.mask_view import ROLE_NAMES, MaskView, Role
from branchwise.sequence import MaskKind

COLOURS = {
    Role.OWN: style.SERIES[0],
    Role.ANCESTOR: style.SERIES[2],
    Role.SEPARATOR: style.SERIES[1],
    Role.START: "#a9b5bf",
    Role.OTHER: style.SERIES[3],
    Role.HIDDEN: style.EMPTY,
}
CELL, GAP, MARGIN, SPACE = 0.3, 0.045, 0.45, 0.75  # inches: a cell, the gap in it, the page, between grids
BIG = 40  # inputs from which cells are drawn smaller
FONT, LONGEST = 9, 1.7  # points, and inches of a symbol's name
SHORT = 2  # characters of a symbol that is not turned on its side
TITLE, LEGEND = 1.3, 0.6  # inches above and below the grids


def draw_mask(view: MaskView, path: str | Path, title: str = "") -> None:
    """Draw every mask of a view into a .png, .svg or .pdf file.

    Parameters
    ----------
    view
        The sequence and its masks, of :func:`branchwise.report.mask_view.view_mask`.
    path
        The file.
    title
        What stands above; the sequence where it is empty.
    """
    style.check_picture(path)
    size = len(view.inputs)
    cell = CELL if size <= BIG else CELL * 0.62
    font = FONT if size <= BIG else 6.5
    inputs = [style.fitted(name, LONGEST, font) for name in view.inputs]
    rows = [
        style.fitted(f"{a} → {b}", 2 * LONGEST, font) for a, b in zip(view.inputs, view.targets, strict=True)
    ]
    beside = max(style.text_width(name, font) for name in rows) + 0.4
    above = max(style.text_width(name, font) for name in inputs) + 0.3
    side = size * cell
    across = 2 * MARGIN + len(view.masks) * (beside + side) + (len(view.masks) - 1) * SPACE
    page = max(across, 7.5), 2 * MARGIN + TITLE + above + side + LEGEND
    figure = style.new_figure(*page)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, page[0]), ylim=(page[1], 0))
    axes.axis("off")
    heading = title or " ".join(view.targets)
    style.write(
        axes,
        MARGIN,
        MARGIN + 0.1,
        style.fitted(heading, page[0] - 2 * MARGIN, 14, True),
        fontsize=14,
        weight="bold",
    )
    style.write(
        axes,
        MARGIN,
        MARGIN + 0.42,
        "Row “a → b” is given a, produces b, and looks at the marked inputs.",
        color=style.MUTED,
    )
    for number, kind in enumerate(view.masks):
        left = MARGIN + beside + number * (beside + side + SPACE)
        top = MARGIN + TITLE + above
        style.write(axes, left, MARGIN + TITLE - 0.2, f"{kind} mask", fontsize=11.5, weight="bold")
        _grid(axes, view, kind, (left, top), cell)
        for i, (name, row) in enumerate(zip(inputs, rows, strict=True)):
            middle = (i + 0.5) * cell
            style.write(
                axes,
                left + middle,
                top - 0.1,
                name,
                fontsize=font,
                color=style.MUTED,
                ha="center",
                va="bottom",
                rotation=90 if len(name) > SHORT else 0,
            )
            style.write(axes, left - 0.1, top + middle, row, fontsize=font, ha="right")
    _legend(axes, view, page)
    style.save(figure, path)


def _grid(axes: Any, view: MaskView, kind: MaskKind, corner: tuple[float, float], cell: float) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import FancyBboxPatch

    patches, colours = [], []
    gap = GAP * cell / CELL
    for i, roles in enumerate(view.roles[kind]):
        for j, role in enumerate(roles[: i + 1]):
            at = corner[0] + j * cell + gap, corner[1] + i * cell + gap
            size = cell - 2 * gap
            box = f"round,pad=0,rounding_size={0.16 * cell}"
            patches.append(FancyBboxPatch(at, size, size, boxstyle=box))
            colours.append(COLOURS[Role(role)])
    axes.add_collection(PatchCollection(patches, facecolors=colours, linewidths=0))


def _legend(axes: Any, view: MaskView, page: tuple[float, float]) -> None:
    from matplotlib.patches import Rectangle

    used = {role for roles in view.roles.values() for role in roles.flat}
    x, y = MARGIN, page[1] - MARGIN
    for role, name in ROLE_NAMES.items():
        if role not in used:
            continue
        width = 0.2 + style.text_width(name, FONT) + 0.3
        if x + width > page[0] - MARGIN + 0.3:
            x, y = MARGIN, y + 0.24
        axes.add_patch(Rectangle((x, y - 0.07), 0.14, 0.14, facecolor=COLOURS[role], linewidth=0))
        style.write(axes, x + 0.21, y + 0.005, name, color=style.MUTED)
        x += width
