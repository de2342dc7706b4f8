"""One table, for a terminal and for a paper."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from branchwise.report.table import Table


def printed(table: Table, width: int = 80) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table.rich())
    return out.getvalue()


def test_markdown_aligns_numbers_and_escapes() -> None:
    table = Table("A | B", ("name", "share", "count"))
    table.add("x|y_z", 12.345, 1234)
    table.add("[a](b)\nc", None, 5)
    assert table.markdown() == (
        "**A \\| B**\n\n"
        "| name | share | count |\n"
        "| --- | ---: | ---: |\n"
        "| x\\|y\\_z | 12.35 | 1,234 |\n"
        "| \\[a](b) c | – | 5 |\n"
    )


def test_terminal_shows_markup_as_it_stands() -> None:
    table = Table("[bold]title[/bold]", ("[i]", "n"))
    for name in ("[red]x[/red]", "[/]", ":smile:"):
        table.add(name, 1)
    text = printed(table)
    for one in ("[bold]title[/bold]", "[i]", "[red]x[/red]", "[/]", ":smile:"):
        assert one in text


def test_narrow_terminal_folds_words_and_keeps_numbers() -> None:
    table = Table("t", ("a very long heading over numbers", "what"))
    table.add(1234567.0, "some words that have to be folded")
    text = printed(table, 30)
    assert "1,234,567.00" in text
    assert all(len(line) <= 30 for line in text.splitlines())


def test_a_row_of_the_wrong_length_is_a_bug() -> None:
    with pytest.raises(ValueError, match="1 cells does not fit under 2 headings"):
        Table("t", ("a", "b")).add("x")
