"""What takes chunks of predictions in order, and the one that sends them on at once, into a pipe."""

from __future__ import annotations

from typing import IO, Protocol

from branchwise.streaming.forms import Chunk, Form
from branchwise.streaming.journal import Done


class Writer(Protocol):
    """Takes chunks in order."""

    @property
    def done(self) -> Done:
        """What is written, by an earlier run too."""

    def write(self, chunk: Chunk, done: Done) -> None:
        """Write a chunk, with which ``done`` is reached."""

    def finish(self) -> None:
        """Say that there are no more chunks."""


class PipeWriter:
    """Sends every chunk on at once; nothing can be taken back or gone on with."""

    def __init__(self, stream: IO[bytes], form: Form) -> None:
        self._stream, self._form = stream, form
        self._first = True
        self.done = Done()

    def write(self, chunk: Chunk, done: Done) -> None:
        """Write a chunk."""
        self._stream.write(self._form.encode(chunk, self._first))
        self._stream.flush()
        self._first, self.done = False, done

    def finish(self) -> None:
        """Write the header at least."""
        if self._first:
            self.write((), self.done)
