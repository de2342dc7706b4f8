"""The slice of arXiv that ships with the package, for the demo and the tests; ORIGIN.md says what it is."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from branchwise.taxonomy import Taxonomy


def bundled_file(part: str) -> Path:
    """Return the document file of a part: train, validation or test."""
    return _path(f"{part}.jsonl.zst")


def bundled_taxonomy() -> Taxonomy:
    """Return the tree that the bundled documents are labelled with."""
    return Taxonomy.read(_path("taxonomy.tsv"))


def _path(name: str) -> Path:
    return Path(str(files(__package__).joinpath(name)))
