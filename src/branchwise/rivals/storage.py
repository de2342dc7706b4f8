"""A saved rival's folder: a description, the taxonomy and plain arrays, read back without unpickling anything."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import branchwise
from branchwise.errors import BranchwiseError, ModelError, TaxonomyError
from branchwise.model.folder import CONFIG, damaged, read_json
from branchwise.taxonomy import Taxonomy

TAXONOMY, VOCABULARY, WEIGHTS = "taxonomy.tsv", "vocabulary.json", "weights.npz"
SYSTEM = "system"
FORMAT = 1


def describe(system: str, tree: Taxonomy, settings: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """Return what the config.json of a saved rival says."""
    return {
        SYSTEM: system,
        "format": FORMAT,
        "written_by": f"branchwise {branchwise.__version__}",
        "taxonomy_fingerprint": tree.fingerprint,
        "settings": settings,
        "record": record,
    }


def read_about(folder: Path) -> dict[str, Any]:
    """Return what the config.json of a saved rival says, or say that the folder holds none."""
    about = read_json(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    if SYSTEM not in about:
        raise ModelError(
            f"{folder} holds no rival (no {CONFIG} of one): name a folder that a rival was saved to."
        )
    if about.get("format") != FORMAT:
        raise ModelError(
            f"{folder} was written in rival format {about.get('format')}, which Branchwise {branchwise.__version__} "
            f"does not read: use the version that wrote it, {about.get('written_by', 'unknown')}."
        )
    if not isinstance(about.get("settings"), dict) or not isinstance(about.get("record"), dict):
        raise damaged(folder / CONFIG, ValueError("its settings or its record are missing"))
    return about


def read_tree(folder: Path, about: Mapping[str, Any], wanted: Taxonomy | None) -> Taxonomy:
    """Return the taxonomy of a saved rival, which has to be the ``wanted`` one where one is given."""
    try:
        own = Taxonomy.read(folder / TAXONOMY)
    except (BranchwiseError, OSError) as error:
        raise damaged(folder / TAXONOMY, error) from error
    if own.fingerprint != about.get("taxonomy_fingerprint"):
        raise ModelError(
            f"The {TAXONOMY} in {folder} is not the taxonomy that the rival was saved with: restore it, or train again."
        )
    if wanted is not None and wanted.fingerprint != own.fingerprint:
        raise TaxonomyError(
            f"The rival in {folder} was trained with a different taxonomy ({len(own)} labels; yours has "
            f"{len(wanted)}): use its own, or train it again with yours."
        )
    return own


def write_words(path: Path, words: list[str]) -> None:
    """Write a list of words as JSON."""
    path.write_text(json.dumps(words, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def read_words(path: Path) -> list[str]:
    """Read a list of different words."""
    try:
        words = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise damaged(path, error) from error
    if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
        raise damaged(path, ValueError("it is not a list of words"))
    if len(set(words)) < len(words):
        raise damaged(path, ValueError("it holds a word twice"))
    return words


def read_arrays(path: Path, shapes: Mapping[str, tuple[int | None, ...]]) -> dict[str, np.ndarray]:
    """Read the named arrays of numbers, whose shapes are known up to None; pickled objects are refused."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in shapes}
    except (
        OSError,
        ValueError,
        KeyError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
    ) as error:
        raise damaged(path, error) from error
    for name, shape in shapes.items():
        array = arrays[name]
        fits = len(array.shape) == len(shape) and all(
            wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True)
        )
        if not fits or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
            raise damaged(path, ValueError(f"its array {name!r} does not belong to this rival"))
    return arrays
