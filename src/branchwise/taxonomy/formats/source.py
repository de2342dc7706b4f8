"""The text of a taxonomy file and where things stand in it, so that an error can point at a line."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from branchwise.errors import TaxonomyError


def read_text(path: Path) -> str:
    """Return a file's text, line ends untouched, or say in one sentence why it cannot be read."""
    if path.is_dir():
        raise TaxonomyError(f"{path} is a folder, not a taxonomy: name the file in it.")
    try:
        data = path.read_bytes().removeprefix(codecs.BOM_UTF8)
    except FileNotFoundError:
        raise TaxonomyError(f"There is no taxonomy file {path}: check its name and folder.") from None
    except OSError as error:
        raise TaxonomyError(f"{path} cannot be read ({error.strerror}): make it readable.") from error
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = _line(data[: error.start].decode())
        raise TaxonomyError(
            f"{path}, line {line}, holds the byte 0x{data[error.start]:02x}, which is not UTF-8: "
            "save the file as UTF-8."
        ) from error
    if not text.strip():
        raise TaxonomyError(f"{path} is empty: a taxonomy needs at least one label.")
    return text


def write_text(path: Path, text: str) -> None:
    """Write a file, or say in one sentence why it cannot be written."""
    try:
        path.write_bytes(text.encode())
    except UnicodeEncodeError as error:
        broken = text[error.start : error.end]
        raise TaxonomyError(
            f"{path} cannot hold {broken!r}, half of a character pair: correct the id or name that has it."
        ) from error
    except OSError as error:
        raise TaxonomyError(f"{path} cannot be written ({error.strerror}): check its folder.") from error


@dataclass(frozen=True)
class Source:
    """A file that was read."""

    path: Path
    text: str

    @classmethod
    def read(cls, path: Path) -> Source:
        """Read the file at ``path``."""
        return cls(path, read_text(path))

    def at(self, line: int) -> str:
        """Name a line, counted from 1, the way errors do."""
        return f"{self.path}, line {line}"

    def find(self, *patterns: str, nth: int = 0) -> str:
        """Name the line of the first pattern that is found ``nth`` times and once more; else only the file.

        A guess, for formats whose parsers do not say where a value stood; patterns are tried in turn, and
        ``^`` is the start of a line.
        """
        for pattern in patterns:
            for match in islice(re.finditer(pattern, self.text, re.MULTILINE), nth, None):
                return self.at(_line(self.text[: match.start()]))
        return str(self.path)


class Places(Sequence[str]):
    """Where each node was read, worked out only for the one or two that an error names."""

    def __init__(self, size: int, describe: Callable[[int], str]) -> None:
        self._size = size
        self._describe = describe

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, row: Any) -> Any:
        """Return the place of one row."""
        return self._describe(row)


def _line(before: str) -> int:
    """Return the line, counted from 1, that what follows ``before`` stands on."""
    return 1 + before.count("\n") + before.count("\r") - before.count("\r\n")
