"""Where every line of a pictured tree stands: columns that make the page most like a slide."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from branchwise.report import style
from branchwise.report.outline import Line, id_beside_name, shown_name
from branchwise.taxonomy import Taxonomy

ROW, INDENT, GUTTER, MARGIN = 0.205, 0.2, 0.4, 0.4  # inches
FONT, SMALL = 9, 7.5
NAME_WIDTH = 3.3  # inches: the most a name may take
SHAPE = 16 / 9
LONGEST_ID = 14  # characters of an id that is shown
MOST_COLUMNS = 8
LOWEST, SHORTEST_START = 6.0, 5.0  # rows of a column, and left in it where a new branch may begin
NARROWEST = 7.0  # inches
FAINTEST = 0.005  # a score below this is not written
TOP = 0.95  # inches above the columns: title and legend
CONTINUED = "continued"


@dataclass
class Row:
    """One place in a column: a label, a number of hidden ones, or the label that a column goes on with."""

    line: Line
    name: str
    id: str
    count: str
    share: float
    is_bold: bool = False
    is_scored: bool = False
    is_repeat: bool = False
    column: int = 0
    y: float = 0.0

    @property
    def is_quiet(self) -> bool:
        """Whether the row steps back behind those that are predicted."""
        return self.is_scored and not self.is_bold


def make_row(tree: Taxonomy, line: Line, values: np.ndarray, below: np.ndarray | None, depth: int) -> Row:
    """Return a line as it is shown; ``below`` counts labels under the deepest level that is shown."""
    if line.hidden:
        return Row(line, f"… and {line.hidden:,} more", "", "", 0.0)
    position = line.position
    bold = line.level == 1
    name = style.fitted(shown_name(tree, position), NAME_WIDTH, FONT, bold)
    label = id_beside_name(tree, position)
    beside = label if len(label) <= LONGEST_ID else ""
    if below is not None and line.level == depth and below[position]:
        beside = f"{beside}  +{below[position]:,} below".strip()
    value = int(values[position])
    share = value / max(int(values.max(initial=0)), 1)
    return Row(line, name, beside, f"{value:,}" if value else "", share, bold)


def make_scored_row(tree: Taxonomy, line: Line, scores: np.ndarray, predicted: Collection[int]) -> Row:
    """Return a line with its score; what is predicted is bold."""
    if line.hidden:
        return Row(line, f"… and {line.hidden:,} more", "", "", 0.0)
    score, bold = float(scores[line.position]), line.position in predicted
    name = style.fitted(shown_name(tree, line.position), NAME_WIDTH, FONT, bold)
    label = id_beside_name(tree, line.position)
    beside = label if len(label) <= LONGEST_ID else ""
    shown = f"{score:.2f}" if bold or score >= FAINTEST else ""
    return Row(line, name, beside, shown, score, bold, True)


def text_width(row: Row) -> float:
    """Return how far a row's text reaches into its column, in inches."""
    name = style.text_width(row.name, FONT, row.is_bold)
    return (
        INDENT * (row.line.level - 1)
        + 0.17
        + name
        + (0.08 + style.text_width(row.id, SMALL) if row.id else 0)
    )


def _gap(row: Row) -> float:
    return 0.45 if row.line.level == 1 and row.line.position >= 0 else 0.0


def arrange(rows: Sequence[Row], width: float) -> list[Row]:
    """Place the rows in as many columns as make the page most like a slide, each as low as can be."""
    best: list[Row] = []
    for columns in range(1, MOST_COLUMNS + 1):
        height = max(sum(1 + _gap(row) for row in rows) / columns, LOWEST)
        placed = _place(rows, height)
        while placed[-1].column >= columns:
            height += 0.5
            placed = _place(rows, height)
        if not best or _distance(placed, width) < _distance(best, width):
            best = placed
    return best


def page_size(rows: Sequence[Row], width: float) -> tuple[float, float]:
    """Return the size of the page in inches."""
    columns = 1 + max(row.column for row in rows)
    across = 2 * MARGIN + columns * width + (columns - 1) * GUTTER
    return max(across, NARROWEST), 2 * MARGIN + TOP + (1 + max(row.y for row in rows)) * ROW


def _distance(rows: Sequence[Row], width: float) -> float:
    across, down = page_size(rows, width)
    return abs(math.log(across / down / SHAPE))


def _place(rows: Sequence[Row], height: float) -> list[Row]:
    """Give every row its column and place; a branch that does not fit goes on under its repeated name."""
    placed: list[Row] = []
    path: list[Row] = []
    column, y = 0, 0.0
    starts = [at for at, row in enumerate(rows) if row.line.level == 1]
    size_of = dict(zip(starts, np.diff([*starts, len(rows)]).tolist(), strict=True))
    for at, row in enumerate(rows):
        left = height - y
        if (
            at in size_of
            and y
            and (left < min(SHORTEST_START, size_of[at]) or left < size_of[at] < height / 3)
        ):
            column, y = column + 1, 0.0
        elif y:
            y += _gap(row)
        del path[row.line.level - 1 :]
        if y + 1 > height + 1e-9 and not row.line.hidden:  # what counts hidden labels starts no column
            column, y = column + 1, 0.0
            for above in path:
                placed.append(
                    replace(above, id=CONTINUED, count="", share=0.0, is_repeat=True, column=column, y=y)
                )
                y += 1
        placed.append(replace(row, column=column, y=y))
        path.append(row)
        y += 1
    return placed
