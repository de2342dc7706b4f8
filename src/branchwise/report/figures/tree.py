"""The tree as a picture for a slide: an outline in columns, coloured by level, with a bar for every count or score."""

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
    make_scored_row,
    page_size,
    text_width,
)
from branchwise.report.outline import fit_cut, outline
from branchwise.taxonomy import Taxonomy

BAR, NUMBER = 0.75, 0.7  # inches: the longest bar, and the number before it
THICK = ROW * 0.52  # inches of a bar
FAINTER = 0.45  # strength of what is not predicted


def draw_tree(
    tree: Taxonomy,
    path: str | Path,
    counts: np.ndarray | None = None,
    max_labels: int = 180,
    title: str = "",
    *,
    scores: np.ndarray | None = None,
    predicted: Sequence[str] = (),
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
    scores
        Of every label for one document, between 0 and 1, [K]; shown in place of counts.
    predicted
        Ids of the labels that stand out among the scores.
    """
    style.check_picture(path)
    if scores is None:
        rows, depth = _counted_rows(tree, counts, max_labels)
        bars = "bars: documents" if counts is not None else "bars: labels below"
    else:
        rows, depth = _scored_rows(tree, scores, predicted, max_labels)
        bars = "bars: scores; bold: predicted"
    width = max((text_width(row) for row in rows), default=1.0) + NUMBER + BAR
    rows = arrange(rows, width)
    page = page_size(rows, width)
    figure = style.new_figure(*page)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, page[0]), ylim=(page[1], 0))
    axes.axis("off")
    _head(axes, page[0], tree, depth, bars, title)
    _draw_guides(axes, rows, width)
    for row in rows:
        _draw_row(axes, row, width)
    style.save(figure, path)


def _counted_rows(tree: Taxonomy, counts: np.ndarray | None, limit: int) -> tuple[list[Row], int]:
    """Return the rows of a tree with counts, and the deepest level among them."""
    below = tree.subtree_size - 1
    weight = counts if counts is not None else tree.subtree_size
    cut = fit_cut(tree, weight, limit)
    values = counts if counts is not None else below
    hidden_below = below if counts is not None and cut.depth < tree.depth else None
    rows = [make_row(tree, line, values, hidden_below, cut.depth) for line in outline(tree, weight, cut)]
    return rows, cut.depth


def _scored_rows(
    tree: Taxonomy, scores: np.ndarray, predicted: Sequence[str], limit: int
) -> tuple[list[Row], int]:
    """Return the rows of a tree with scores, predicted labels before others where not all have room."""
    chosen = {tree.position(one) for one in predicted}
    weight = np.array(scores, float)
    weight[list(chosen)] += 1
    cut = fit_cut(tree, weight, limit)
    return [make_scored_row(tree, line, scores, chosen) for line in outline(tree, weight, cut)], cut.depth


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
    weight = "bold" if row.is_bold else "normal"
    size, strength = 5.5 if level == 1 else 4, FAINTER if row.is_quiet else 1.0
    dot = {"markersize": size, "color": _colour(level), "alpha": strength, "markeredgewidth": 0}
    axes.plot(
        [x], [y], "o", color=style.PAPER, markersize=size, markeredgewidth=0, zorder=2
    )  # hides the guide
    axes.plot([x], [y], "o", zorder=2, **dot)
    colour = style.MUTED if row.is_repeat or row.is_quiet else style.INK
    style.write(axes, x + 0.11, y, row.name, fontsize=FONT, weight=weight, color=colour)
    if row.id:
        after = x + 0.11 + style.text_width(row.name, FONT, row.is_bold) + 0.08
        style.write(axes, after, y + 0.008, row.id, fontsize=SMALL, color=style.MUTED)
    _draw_bar(axes, row, width, y, 0.75 * strength)


def _draw_bar(axes: Any, row: Row, width: float, y: float, strength: float) -> None:
    """Draw a row's number and bar; behind a score's bar lies what 1 would be."""
    from matplotlib.patches import Rectangle

    right = MARGIN + row.column * (width + GUTTER) + width
    corner = (right - BAR, y - THICK / 2)
    if row.is_scored and not row.is_repeat:
        axes.add_patch(Rectangle(corner, BAR, THICK, facecolor=style.EMPTY, linewidth=0))
    if row.share:
        long = max(BAR * row.share, 0.012)
        colour = _colour(row.line.level)
        axes.add_patch(Rectangle(corner, long, THICK, facecolor=colour, alpha=strength, linewidth=0))
    is_strong = row.is_scored and row.is_bold
    look = {"weight": "bold", "color": style.INK} if is_strong else {"color": style.MUTED}
    style.write(axes, right - BAR - 0.07, y + 0.008, row.count, fontsize=SMALL, ha="right", **look)


def _head(axes: Any, width: float, tree: Taxonomy, depth: int, bars: str, title: str) -> None:
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
    style.write(axes, x, y, bars, fontsize=FONT, color=style.MUTED)
