"""One table: shown in the terminal, written as Markdown that can be pasted into a paper, or part of a page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

Cell = str | int | float | None
ABSENT = "–"
NUMBER = re.compile(r"[+-]?[\d.,]+( ± [\d.,]+)?")


@dataclass
class Table:
    """Rows under headings; columns of numbers stand to the right.

    Parameters
    ----------
    title
        What the table shows.
    headings
        One a column.
    decimals
        Decimals of every float.
    unbroken
        Columns, counted from 0, whose text stays on one line of a page.
    """

    title: str
    headings: Sequence[str]
    decimals: int = 2
    unbroken: Sequence[int] = ()
    rows: list[Sequence[Cell]] = field(default_factory=list)

    def add(self, *cells: Cell) -> None:
        """Append a row: text, numbers, or None where there is nothing to say."""
        if len(cells) != len(self.headings):
            raise ValueError(f"A row of {len(cells)} cells does not fit under {len(self.headings)} headings.")
        self.rows.append(cells)

    def rich(self) -> RenderableType:
        """Return the table for a terminal; label names are shown as they are, markup and all."""
        from rich import box
        from rich.cells import cell_len
        from rich.console import Group
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
        texts = [[self._text(cell) for cell in row] for row in self.rows]
        for index, heading in enumerate(self.headings):
            numeric = self._is_numeric(index)
            widest = max((cell_len(row[index]) for row in texts), default=0)
            table.add_column(
                Text(heading),
                justify="right" if numeric else "left",
                overflow="fold",
                min_width=widest if numeric else None,  # a heading may be folded, a number not
            )
        for row in texts:
            table.add_row(*(Text(cell) for cell in row))
        return Group(Text(self.title, style="bold"), table)

    def markdown(self) -> str:
        """Return the table as Markdown, with its title above."""
        lines = [f"**{_escaped(self.title)}**", ""]
        lines.append(_line(self.headings))
        lines.append(_line(["---:" if self._is_numeric(i) else "---" for i in range(len(self.headings))]))
        lines += [_line([self._text(cell) for cell in row]) for row in self.rows]
        return "\n".join(lines) + "\n"

    def html(self) -> str:
        """Return the table as HTML, with its title as caption."""
        kinds = [' class="number"' if self._is_numeric(i) else "" for i in range(len(self.headings))]
        for at in self.unbroken:
            kinds[at] = kinds[at] or ' class="unbroken"'
        head = "".join(
            f'<th scope="col"{kind}>{escape(one)}</th>'
            for kind, one in zip(kinds, self.headings, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f"<td{kind}>{escape(self._text(cell))}</td>" for kind, cell in zip(kinds, row, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        caption = f"<caption>{escape(self.title)}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def latex(self) -> str:
        """Return the table as LaTeX for the package booktabs, with its title as caption."""
        from branchwise.report.latex import table

        columns = "".join("r" if self._is_numeric(at) else "l" for at in range(len(self.headings)))
        return table(
            self.title, columns, self.headings, [[self._text(cell) for cell in row] for row in self.rows]
        )

    def _text(self, cell: Cell) -> str:
        if cell is None:
            return ABSENT
        if isinstance(cell, float):
            return f"{cell:,.{self.decimals}f}"
        return f"{cell:,}" if isinstance(cell, int) else cell

    def _is_numeric(self, column: int) -> bool:
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and all(not isinstance(cell, str) or NUMBER.fullmatch(cell) for cell in cells)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _escaped(text: str) -> str:
    """Escape what Markdown would take for a column, emphasis, a link or HTML."""
    for character in "\\|*_`<[":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())
