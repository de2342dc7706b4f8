"""Files that are the parts of one corpus: which is train, which validation, which test."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from branchwise.errors import BranchwiseError

if TYPE_CHECKING:
    from branchwise.cli.options import Reading
    from branchwise.corpus import Corpus
    from branchwise.taxonomy import Taxonomy

NAMES = {"train": "train", "training": "train", "test": "test"} | dict.fromkeys(
    ("validation", "valid", "val", "dev"), "validation"
)
ORDER = ("train", "validation", "test")
WHOLE = "documents"  # the one part where nothing names several

Documents = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="DOCUMENTS...", help="Files of documents, or -; train, val or test in a name says its part."
    ),
]
PartOption = Annotated[
    list[str] | None, typer.Option("--part", metavar="NAME=FILE", help="A part and its file; repeat it.")
]


def name_parts(documents: Sequence[str] | None, chosen: Sequence[str] | None) -> dict[str, list[str]]:
    """Return the files of every part, in the order train, validation, test, others.

    Files named on their own are parts if each name says which; otherwise they are one part together.
    """
    parts: dict[str, list[str]] = {}
    for one in chosen or ():
        name, equals, file = one.partition("=")
        if not equals or not name.strip() or not file.strip():
            raise BranchwiseError(f"--part {one} is not a name and a file: write --part train=train.jsonl.")
        parts.setdefault(name.strip(), []).append(file.strip())
    files = list(documents or ())
    spoken = [_part_of(file) for file in files]
    is_spoken = len(files) > 1 and all(spoken)
    for file, word in zip(files, spoken, strict=True):
        parts.setdefault(word if is_spoken and word else WHOLE, []).append(file)
    if not parts:
        raise BranchwiseError("No document file is named: give at least one, or - for standard input.")
    return {name: parts[name] for name in (*ORDER, *parts) if name in parts}


def read_parts(
    reading: Reading, parts: dict[str, list[str]], tree: Taxonomy | None, what: str = "Reading"
) -> dict[str, Corpus]:
    """Read every part; without a taxonomy the labels must be paths, and all parts together grow the tree."""
    from dataclasses import replace

    if tree is None:
        if len(parts) == 1:
            return {name: reading.read(files, what=what) for name, files in parts.items()}
        everything = [file for files in parts.values() for file in files]
        lenient = replace(reading, duplicate_id="keep")  # each part is checked for itself
        tree = lenient.read(everything, quiet=True).taxonomy
        reading = replace(reading, path_separator=reading.path_separator or ">")
    several = len(parts) > 1
    return {
        name: reading.read(
            files, tree, what=f"{what} {name}" if several else what, part=name if several else ""
        )
        for name, files in parts.items()
    }


def rejects_of(reading: Reading, parts: dict[str, list[str]]) -> list[Path | None]:
    """Return the files that skipped rows are written to."""
    return [reading.rejects_of(name if len(parts) > 1 else "") for name in parts]


def _part_of(file: str) -> str | None:
    """Return the part that a file's name speaks of: ``wos_train.json`` of train."""
    words = re.split(r"[^a-z]+", Path(file).name.lower())
    found = {NAMES[word] for word in words if word in NAMES}
    return found.pop() if len(found) == 1 else None
