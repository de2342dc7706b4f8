"""Output files: never one of the inputs, and there only when they are complete."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from branchwise.errors import BranchwiseError

STANDARD = "-"


def check_outputs(inputs: Iterable[str | Path | None], outputs: Iterable[str | Path | None]) -> None:
    """Raise where an input would be written over or a pipe read twice, or where an output has no folder."""
    named = [one for one in inputs if one is not None]
    if sum(str(one) == STANDARD for one in named) > 1:
        raise BranchwiseError("Standard input (-) is named twice, but can be read once: name a file for one.")
    read = {Path(one).resolve() for one in named if str(one) != STANDARD}
    written: set[Path] = set()
    for output in outputs:
        if output is None or str(output) == STANDARD:
            continue
        path = Path(output).resolve()
        if path in read:
            raise BranchwiseError(f"{output} is read and would be written over: choose another output file.")
        if path in written:
            raise BranchwiseError(f"{output} is named for two outputs: choose another file for one of them.")
        if path.is_dir():
            raise BranchwiseError(f"{output} is a folder, not a file: name a file in it.")
        if not path.parent.is_dir():
            raise BranchwiseError(f"The folder {path.parent} of {output} does not exist: make it first.")
        written.add(path)


def check_figure(path: str | Path | None) -> None:
    """Raise, before any work is done, where a picture cannot be drawn."""
    if path is not None:
        from branchwise.report.style import check_picture

        check_picture(path)


@contextmanager
def complete_file(path: str | Path) -> Iterator[Path]:
    """Give a place to write to, with the suffix of ``path``, which becomes ``path`` if all goes well."""
    path = Path(path)
    part = path
    try:
        with tempfile.TemporaryDirectory(prefix=f".{path.stem[:40]}.", dir=path.parent) as folder:
            part = Path(folder) / path.name
            yield part
            part.replace(path)
    except BranchwiseError as error:  # speaks of the file the user named
        message = str(error).replace(str(part.resolve()), str(path)).replace(str(part), str(path))
        raise type(error)(message) from error
    except OSError as error:
        raise BranchwiseError(
            f"{path} cannot be written ({error.strerror or error}): choose another place."
        ) from error


def make_folder(path: str | Path) -> Path:
    """Make a folder for outputs, with those above it."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BranchwiseError(
            f"The folder {folder} cannot be made ({error.strerror}): choose another place."
        ) from error
    return folder
