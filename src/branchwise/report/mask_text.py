"""Masks in the terminal: a table of what every row sees, and a grid that shows it at a glance."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

from branchwise.report.mask_view import ROLE_NAMES, MaskView, Role
from branchwise.report.table import Table
from branchwise.report.tree_text import shorten
from branchwise.sequence import MaskKind

LOOKS = {
    Role.FUTURE: (" ", ""),
    Role.HIDDEN: ("·", "bright_black"),
    Role.START: ("◇", "bright_black"),
    Role.OWN: ("■", "blue"),
    Role.ANCESTOR: ("▲", "green"),
    Role.SEPARATOR: ("+", "yellow"),
    Role.OTHER: ("□", "magenta"),
}
"""A character and a colour of every role; the characters alone tell them apart."""
LONGEST = 18  # cells of a symbol beside the grid


def row_table(view: MaskView) -> Table:
    """Return the table of rows: what is given, what is to be produced, and which inputs each mask shows."""
    table = Table(
        "What every row sees", ("row", "input", "produces", *(f"{kind} mask" for kind in view.masks))
    )
    seen = {kind: view.rows(kind) for kind in view.masks}
    for i, (given, target) in enumerate(zip(view.inputs, view.targets, strict=True)):
        table.add(str(i), given, target, *(" ".join(map(str, seen[kind][i])) for kind in view.masks))
    return table


def grid(view: MaskView, kind: MaskKind, width: int | None = None) -> Iterator[Text]:
    """Yield the lines of a grid: a row for every symbol to produce, a column for every input.

    A terminal of ``width`` columns that is too narrow gets columns without gaps, or a line that says so.
    """
    size = len(view.inputs)
    digits = len(str(size - 1))
    names = [shorten(name, LONGEST) for name in view.inputs]
    produced = [shorten(name, LONGEST) for name in view.targets]
    left, right = max(map(cell_len, names)), max(map(cell_len, produced))
    margin = digits + 1 + left + 3 + right + 2
    yield Text(f"{kind} mask", style="bold")
    gap = "" if width is not None and margin + 2 * size > width else " "
    if width is not None and margin + size > width:
        yield Text(
            f"The grid needs {margin + size} columns: widen the terminal, or draw it with --figure mask.png."
        )
        return
    for digit in range(digits):
        numbers = gap.join(f"{i:>{digits}}"[digit] for i in range(size))
        yield Text(" " * margin + numbers, style="bright_black")
    for i in range(size):
        line = Text(f"{i:>{digits}} {_padded(names[i], left)} → {_padded(produced[i], right)}  ")
        for role in view.roles[kind][i]:
            mark, colour = LOOKS[Role(role)]
            line.append(mark, style=colour).append(gap)
        line.rstrip()
        yield line


def legend(view: MaskView) -> Text:
    """Return what the marks of the grids mean, those that occur."""
    used = {role for roles in view.roles.values() for role in roles.flat}
    parts = [(*LOOKS[role], name) for role, name in ROLE_NAMES.items() if role in used]
    text = Text("")
    for mark, colour, name in parts:
        text.append(mark, style=colour).append(f" {name}   ")
    text.rstrip()
    return text


def _padded(text: str, cells: int) -> str:
    return text + " " * (cells - cell_len(text))
