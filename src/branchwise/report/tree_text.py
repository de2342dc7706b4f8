"""The tree as lines of text: guides, names, ids, and to the right how many labels and documents there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from branchwise.report.outline import Line, id_beside_name, shown_name
from branchwise.taxonomy import Taxonomy

BAR = 12  # cells of the longest bar
EIGHTHS = " ▏▎▍▌▋▊▉█"
GUIDE, NAME, FAINT, BAR_STYLE = "bright_black", "", "bright_black", "cyan"
SHORTEST = 12  # cells that a name keeps however narrow the terminal is


def tree_text(
    tree: Taxonomy, lines: Iterable[Line], documents: np.ndarray | None = None, width: int | None = None
) -> Iterator[Text]:
    """Yield one line of text for every line of an outline, after a line of headings.

    Parameters
    ----------
    tree
        The taxonomy.
    lines
        What :func:`branchwise.report.outline.outline` yields.
    documents
        Documents of every label, [K].
    width
        Cells of the terminal; None where nothing has to be cut.
    """
    rows = [_Row(tree, line) for line in lines]
    headings = ["labels below"] + (["documents"] if documents is not None else [])
    sizes = [max(len(heading), 9) for heading in headings]
    bar = BAR + 1 if documents is not None and width is not None else 0
    needed = max((row.width for row in rows), default=0)
    room = max(SHORTEST, min(needed, width - sum(sizes) - 2 * len(sizes) - bar)) if width else needed
    yield Text(
        " " * room + "".join(f"  {one:>{size}}" for one, size in zip(headings, sizes, strict=True)),
        style=FAINT,
    )
    below = tree.subtree_size - 1
    most = int(documents.max(initial=1)) if documents is not None else 1
    for row in rows:
        text = row.text(room)
        if row.line.hidden:
            text.rstrip()
            yield text
            continue
        position = row.line.position
        text.append(f"  {below[position] or '':>{sizes[0]},}" if below[position] else " " * (sizes[0] + 2))
        if documents is not None:
            text.append(f"  {documents[position]:>{sizes[1]},}")
            if bar:
                text.append(" " + _bar(documents[position] / max(most, 1)), style=BAR_STYLE)
        text.rstrip()
        yield text


class _Row:
    """The left side of a line: its guides, its name, and its id where that says more."""

    def __init__(self, tree: Taxonomy, line: Line) -> None:
        self.line = line
        above = line.is_last[1:-1] if len(line.is_last) > 1 else ()
        corner = "" if len(line.is_last) == 1 else "└── " if line.is_last[-1] else "├── "
        self.guide = "".join("    " if last else "│   " for last in above) + corner
        if line.hidden:
            self.name, self.id = f"… {line.hidden:,} more", ""
        else:
            self.name = _one_line(shown_name(tree, line.position))
            self.id = _one_line(id_beside_name(tree, line.position))
        self.width = cell_len(self.guide + self.name) + (2 + cell_len(self.id) if self.id else 0)

    def text(self, room: int) -> Text:
        """Return the left side in exactly ``room`` cells; the name gives way before the id."""
        tail = f"  {self.id}" if self.id else ""
        left = room - cell_len(self.guide) - cell_len(tail)
        if left < min(SHORTEST, cell_len(self.name)):
            tail, left = "", room - cell_len(self.guide)
        name = shorten(self.name, left)
        style = FAINT if self.line.hidden else "bold" if self.line.level == 1 else NAME
        text = Text.assemble((self.guide, GUIDE), (name, style), (tail, FAINT))
        text.append(" " * max(room - text.cell_len, 0))
        text.no_wrap, text.overflow = True, "crop"
        return text


def shorten(text: str, cells: int) -> str:
    """Cut a text to a number of cells, with … at its end where something is missing."""
    if cell_len(text) <= cells:
        return text
    return set_cell_size(text, max(cells - 1, 0)).rstrip() + "…"


def _one_line(text: str) -> str:
    return "".join(one if one.isprintable() else " " for one in text)


def _bar(share: float) -> str:
    whole, part = divmod(round(share * BAR * 8), 8)
    return "█" * whole + (EIGHTHS[part] if part else "")
