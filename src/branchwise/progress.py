"""A progress bar that appears on work longer than two seconds, and never where nobody is looking."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

PATIENCE = 2.0  # seconds of silence before the bar appears


class Progress:
    """Counts finished items; shows a bar on standard error if that is a terminal.

    Parameters
    ----------
    what
        What is being done, as the bar's caption: ``Reading train.jsonl``.
    total
        How much there is to do, in the unit of :meth:`advance`; None where nobody knows.
    unit
        What is counted, for the rate: ``documents``.
    """

    def __init__(self, what: str, total: float | None = None, unit: str = "documents") -> None:
        self.what, self.total, self.unit = what, total, unit
        self.done = 0
        self._position = 0.0
        self._started = time.monotonic()
        self._visible = sys.stderr.isatty()
        self._bar: Any = None

    def advance(self, items: int = 1, position: float | None = None) -> None:
        """Count ``items`` more; ``position`` says how far along ``total`` that is where it is not the count."""
        self.done += items
        self._position = self.done if position is None else position
        if self._visible and (self._bar is not None or time.monotonic() - self._started > PATIENCE):
            self._draw()

    def _draw(self) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task(self.what, total=self.total, rate="")
            self._bar.start()
        rate = self.done / max(time.monotonic() - self._started, 1e-9)
        self._bar.update(
            self._task, completed=self._position, rate=f"{self.done:,} {self.unit}, {rate:,.0f} a second"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
