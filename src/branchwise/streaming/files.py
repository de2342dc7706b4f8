"""An output file that survives a kill at any moment, and appears under its own name when it is complete.

It grows in the folder ``OUT.partial`` beside it. Every chunk is safe on the disk before the journal speaks of
it, so that the journal always tells which bytes count and which document is next.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from branchwise.errors import BranchwiseError
from branchwise.streaming.forms import Chunk, Form
from branchwise.streaming.journal import Done, Journal, locked, settle, told
from branchwise.streaming.parquet import ArrowMessages, to_parquet

UNFINISHED, DATA, WHOLE = ".partial", "data", "whole"


class FileWriter:
    """Writes a file that a later run can go on with; open it with :func:`open_file`."""

    def __init__(self, output: Path, form: Form, journal: Journal) -> None:
        self._output, self._form, self._journal = output, form, journal
        self._folder = unfinished(output)
        self._path = self._folder / DATA
        self._data: Any = None
        self.is_there = False  # under its own name

    @property
    def done(self) -> Done:
        """What is written for good."""
        return self._journal.done

    def open(self) -> None:
        """Open the data behind what the journal speaks of."""
        if self._journal.complete:
            with told(self._output):
                self._appear()
            return
        begun = self._journal.length > 0
        size = self._path.stat().st_size if self._path.exists() else 0
        if size < self._journal.length:
            raise BranchwiseError(
                f"{self._path} has lost bytes that its journal speaks of: delete {self._folder} to start again."
            )
        with told(self._output):
            self._data = self._path.open("r+b" if begun else "wb")
            self._data.truncate(self._journal.length)
            self._data.seek(self._journal.length)

    def write(self, chunk: Chunk, done: Done) -> None:
        """Write a chunk, and only then that it is written."""
        data = self._form.encode(chunk, first=not self._journal.length)
        with told(self._output):
            self._data.write(data)
            self._data.flush()
            os.fsync(self._data.fileno())
            self._note(replace(self._journal, done=done, length=self._journal.length + len(data)))

    def finish(self) -> None:
        """Give the file its name."""
        if not self._journal.length:
            self.write((), self.done)
        with told(self._output):
            self._data.close()
            self._note(replace(self._journal, complete=True))
            self._appear()

    def close(self) -> None:
        """Let go of the data."""
        if self._data is not None:
            with contextlib.suppress(OSError):  # a full disk has been told of before
                self._data.close()

    def _note(self, journal: Journal) -> None:
        journal.write(self._folder)
        self._journal = journal

    def _appear(self) -> None:
        """Rename the data; none is left where a kill came between that and the end."""
        if self._path.exists():
            whole = self._path
            if isinstance(self._form, ArrowMessages):
                whole = self._folder / WHOLE
                to_parquet(self._path, whole)
                with whole.open("r+b") as file:
                    os.fsync(file.fileno())
            whole.replace(self._output)
            settle(self._output.parent)
        self.is_there = True


def unfinished(output: str | Path) -> Path:
    """Return the folder that an output grows in."""
    path = Path(output).resolve()  # what a link points to is replaced, not the link
    return path.with_name(path.name + UNFINISHED)


def find_journal(output: str | Path, resume: bool) -> Journal | None:
    """Return the journal to go on with, if any; raise where there is one and nobody asked to."""
    folder = unfinished(output)
    journal = Journal.read(folder)
    if journal is None or not journal.done.documents:
        return None
    has_name = journal.complete and not (folder / DATA).exists()  # and only this folder was left to delete
    if has_name and not (resume and Path(output).exists()):
        return None
    if not resume:
        raise BranchwiseError(
            f"{folder} holds an unfinished run, {journal.done.documents:,} documents of it predicted: add --resume "
            "to go on with it, or delete that folder to start again."
        )
    return journal


@contextlib.contextmanager
def open_file(
    output: str | Path, form: Form, asked: dict[str, Any], *, resume: bool = False
) -> Iterator[FileWriter]:
    """Open an output file, which appears when :meth:`FileWriter.finish` is called.

    Parameters
    ----------
    output
        The file.
    form
        How chunks become bytes.
    asked
        Everything that the output depends on, ready for JSON; an unfinished run that was asked for something
        else is refused.
    resume
        Go on with an unfinished run where there is one.
    """
    path, folder = Path(output).resolve(), unfinished(output)
    with told(path):
        folder.mkdir(exist_ok=True)
    with locked(folder):
        journal = find_journal(path, resume)
        if journal is not None and (difference := journal.difference(asked)):
            raise BranchwiseError(
                f"{folder} was begun with {difference}: give the same files, model and options to go on with it, "
                "or delete that folder to start again."
            )
        writer = FileWriter(path, form, journal or Journal(asked))
        try:
            writer.open()
            yield writer
        finally:
            writer.close()
            if writer.is_there or not writer.done.documents:
                shutil.rmtree(folder, ignore_errors=True)
