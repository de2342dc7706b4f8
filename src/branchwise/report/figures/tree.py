"""The tree as a picture for a slide: an outline in columns, coloured by level, with a bar for every count."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from branchwise.report import style
from branchwise.report.figures.tree_layout import (
    FONT,
    GUTTER,
    INDENT,
    MARGIN,
    ROW,
    SMALL,
    TOP,
    Row,
    arrange,
    make_row,
    page_size,
    text_width,
)
from branchwise.report.outline import fit_cut, outline
from branchwise.taxonomy import Taxonomy

BAR, NUMBER = 0.75, 0.7  # inches: the longest bar, and the number before it


def draw_tree(
    tree: Taxonomy,
    path: str | Path,
    counts: np.ndarray | None = None,
    max_labels: int = 180,
    title: str = "",
) -> None:
    """Draw a tree into a .png, .svg or .pdf file.

    Parameters
    ----------
    tree
        The taxonomy.
    path
        The file.
    counts
        Documents of every label, [K]; without them the bars show how many labels stand below.
    max_labels
        Lines there may be; a bigger tree shows its first levels and the biggest labels of each.
    title
        What stands above; the numbers of labels and levels where it is empty.
    """
    style.check_picture(path)
    below = tree.subtree_size - 1
    weight = counts if counts is not None else tree.subtree_size
    cut = fit_cut(tree, weight, max_labels)
    values = counts if counts is not None else below
    hidden_below = below if counts is not None and cut.depth < tree.depth else None
    rows = [make_row(tree, line, values, hidden_below, cut.depth) for line in outline(tree, weight, cut)]
    width = max((text_width(row) for row in rows), default=1.0) + NUMBER + BAR
    rows = arrange(rows, width)
    page = page_size(rows, width)
    figure = style.new_figure(*page)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, page[0]), ylim=(page[1], 0))
    axes.axis("off")
    _head(axes, page[0], tree, cut.depth, counts is not None, title)
    _draw_guides(axes, rows, width)
    for row in rows:
        _draw_row(axes, row, width)
    style.save(figure, path)


def _x(row: Row, width: float) -> float:
    return MARGIN + row.column * (width + GUTTER) + 0.06 + INDENT * (row.line.level - 1)


def _y(row: Row) -> float:
    return MARGIN + TOP + (row.y + 0.5) * ROW


def _colour(level: int) -> str:
    return style.SERIES[(level - 1) % len(style.SERIES)]


def _draw_guides(axes: Any, rows: Sequence[Row], width: float) -> None:
    """Join every row with the one above that it hangs on, by an elbow."""
    from matplotlib.collections import LineCollection

    segments = []
    last: dict[int, Row] = {}  # the row of each level that is open
    for row in rows:
        level = row.line.level
        parent = last.get(level - 1)
        if level > 1 and parent is not None and parent.column == row.column:
            x, y = _x(parent, width), _y(row)
            segments.append([(x, _y(parent) + 0.05), (x, y), (_x(row, width) - 0.06, y)])
        last[level] = row
    axes.add_collection(LineCollection(segments, colors=style.FAINT, linewidths=0.9, zorder=1))


def _draw_row(axes: Any, row: Row, width: float) -> None:
    x, y, level = _x(row, width), _y(row), row.line.level
    if row.line.hidden:
        style.write(axes, x + 0.02, y, row.name, fontsize=SMALL + 0.5, color=style.MUTED, style="italic")
        return
    bold = level == 1
    axes.plot([x], [y], "o", markersize=5.5 if bold else 4, color=_colour(level), zorder=2, markeredgewidth=0)
    colour = style.MUTED if row.is_repeat else style.INK
    style.write(axes, x + 0.11, y, row.name, fontsize=FONT, weight="bold" if bold else "normal", color=colour)
    if row.id:
        after = x + 0.11 + style.text_width(row.name, FONT, bold) + 0.08
        style.write(axes, after, y + 0.008, row.id, fontsize=SMALL, color=style.MUTED)
    right = MARGIN + row.column * (width + GUTTER) + width
    if row.share:
        from matplotlib.patches import Rectangle

        size = (max(BAR * row.share, 0.012), ROW * 0.52)
        axes.add_patch(
            Rectangle(
                (right - BAR, y - size[1] / 2), *size, facecolor=_colour(level), alpha=0.75, linewidth=0
            )
        )
    style.write(axes, right - BAR - 0.07, y + 0.008, row.count, fontsize=SMALL, color=style.MUTED, ha="right")


def _head(axes: Any, width: float, tree: Taxonomy, depth: int, counted: bool, title: str) -> None:
    named = title or f"{len(tree):,} labels on {tree.depth} levels"
    style.write(
        axes,
        MARGIN,
        MARGIN + 0.1,
        style.fitted(named, width - 2 * MARGIN, 15, True),
        fontsize=15,
        weight="bold",
    )
    starts = tree.level_start.tolist()
    x, y = MARGIN + 0.06, MARGIN + 0.45
    for level in range(1, depth + 1):
        text = f"level {level}: {starts[level] - starts[level - 1]:,}"
        if x + style.text_width(text, FONT) > width - MARGIN - 2.3:
            break
        axes.plot([x], [y], "o", markersize=5, color=_colour(level), markeredgewidth=0)
        style.write(axes, x + 0.1, y, text, fontsize=FONT, color=style.MUTED)
        x += style.text_width(text, FONT) + 0.35
    what = "bars: documents" if counted else "bars: labels below"
    style.write(axes, x, y, what, fontsize=FONT, color=style.MUTED)
