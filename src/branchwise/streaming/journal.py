"""The journal of an unfinished output: what was asked for, and how far the run has got, always both or neither."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from branchwise.errors import BranchwiseError

NAME, LOCK = "journal.json", "lock"
SHORT = 40  # characters of a value that a sentence may show


@dataclass(frozen=True)
class Done:
    """How far a run has got: the documents that are predicted and written for good."""

    documents: int = 0
    digest: str = ""
    """Of their ids and texts, in order."""
    invalid: int = 0
    abstained: int = 0


@dataclass(frozen=True)
class Journal:
    """What the folder of an unfinished output says about it."""

    asked: dict[str, Any]
    """The model, the files and every option that the output depends on."""
    done: Done = field(default_factory=Done)
    length: int = 0
    """How many bytes of the data belong to ``done``; what stands behind them was cut short."""
    complete: bool = False
    """Whether there are no more documents, so that only the last renaming is left."""

    @classmethod
    def read(cls, folder: Path) -> Journal | None:
        """Return the journal of a folder, None where there is none."""
        try:
            value = json.loads((folder / NAME).read_text(encoding="utf-8"))
            return cls(value["asked"], Done(**value["done"]), value["length"], value["complete"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BranchwiseError(
                f"The journal in {folder} cannot be read ({error}): delete that folder to start again."
            ) from error

    def write(self, folder: Path) -> None:
        """Replace the journal of a folder, all or nothing."""
        new = folder / f"{NAME}.new"
        with new.open("w", encoding="utf-8") as file:
            json.dump(asdict(self), file, ensure_ascii=False)
            file.flush()
            os.fsync(file.fileno())
        new.replace(folder / NAME)
        settle(folder)

    def difference(self, asked: dict[str, Any]) -> str:
        """Return in words the first thing that is asked for differently now; nothing where all is the same."""
        for name in self.asked | asked:
            before, now = (_shown(one.get(name)) for one in (self.asked, asked))
            if before != now:
                short = max(len(before), len(now)) <= SHORT
                return f"{name} {before}, not {now}" if short else f"another {name}"
        return ""


def settle(folder: Path) -> None:
    """Make what was renamed in a folder outlast a power cut, where the system can."""
    with contextlib.suppress(OSError):  # Windows opens no folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep a second process from writing to the same folder; a killed process takes its lock along."""
    with told(folder):
        file = (folder / LOCK).open("w")
    with file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BranchwiseError(
                f"Another process is writing to {folder}: wait for it, or choose another output."
            ) from error
        except (
            ImportError,
            OSError,
        ):  # Windows, and network folders without locks: the user keeps them apart
            pass
        yield


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Say in a sentence what the system says of a file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise BranchwiseError(
            f"{path} cannot be written ({error.strerror or error}): free space or choose another place, and add "
            "--resume where something is written already."
        ) from error


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
