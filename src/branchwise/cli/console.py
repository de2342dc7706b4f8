"""Where the command line writes: answers to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from branchwise.corpus import ReadingReport

PIPED_WIDTH = 10_000  # columns where nobody looks: nothing is folded or cut


def console(stderr: bool = False) -> Console:
    """Return a console as wide as the terminal, or wide enough for everything where there is none."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PIPED_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def show(*things: RenderableType) -> None:
    """Show tables and text to people; where nobody looks, without the spaces that fill a terminal's lines."""
    target = console()
    if sys.stdout.isatty():
        for thing in things:
            target.print(thing)
        return
    with target.capture() as captured:
        for thing in things:
            target.print(thing)
    show_lines(line.rstrip() for line in captured.get().removesuffix("\n").split("\n"))


def show_lines(lines: Iterable[str]) -> None:
    """Write plain lines, all at once."""
    typer.echo("\n".join(lines))


def terminal_width() -> int | None:
    """Return how many columns the terminal has, None where standard output goes elsewhere."""
    return console().width if sys.stdout.isatty() else None


def show_json(data: Any) -> None:
    """Write data for a program, and nothing else."""
    typer.echo(json.dumps(data, ensure_ascii=False, indent=2))


def say(message: str) -> None:
    """Tell people something that is not the answer."""
    typer.echo(message, err=True)


def say_report(report: ReadingReport, what: str) -> None:
    """Tell what reading met, if it met anything."""
    lines = list(report.lines())
    if not lines and not report.skipped:
        return
    documents, rows = (
        "document" if report.read == 1 else "documents",
        "row" if report.skipped == 1 else "rows",
    )
    say(f"{what}: {report.read:,} {documents} read, {report.skipped:,} {rows} left out.")
    for line in lines:
        say(f"  {line}")
