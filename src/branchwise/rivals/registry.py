"""The rivals by name; each is imported when it is asked for, because most pull in heavy libraries."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.errors import ModelError
from branchwise.rivals.storage import CONFIG, SYSTEM, read_about

if TYPE_CHECKING:
    from branchwise.rivals.protocol import System
    from branchwise.taxonomy import Taxonomy

_HOMES = {
    "svm": ("svm", "Svm"),
    "leaf-svm": ("leaf_svm", "LeafSvm"),
    "td-svm": ("td_svm", "TopDownSvm"),
    "hr-svm": ("hr_svm", "RecursiveSvm"),
}
"""The module and the class of every rival."""


def rivals() -> tuple[str, ...]:
    """Return the names of all rivals."""
    return tuple(_HOMES)


def rival(name: str) -> Any:
    """Return the class of a rival, a :class:`branchwise.rivals.System`."""
    if name not in _HOMES:
        raise ModelError(f"There is no rival {name!r}: choose one of {', '.join(_HOMES)}.")
    module, kind = _HOMES[name]
    return getattr(import_module(f"branchwise.rivals.{module}"), kind)


def kind_of(path: str | Path) -> str:
    """Return the name of the rival that a folder holds."""
    name = str(read_about(Path(path))[SYSTEM])
    if name not in _HOMES:
        raise ModelError(
            f"{path} holds a system {name!r}, which this version of Branchwise does not know "
            f"({', '.join(_HOMES)}): open it with the version that wrote it."
        )
    return name


def holds_rival(path: str | Path) -> bool:
    """Say whether a folder's config.json is a rival's, as far as that can be told without complaint."""
    try:
        return SYSTEM in json.loads((Path(path) / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return False


def load_system(path: str | Path, taxonomy: Taxonomy | None = None) -> System:
    """Load whichever rival a folder holds; a ``taxonomy`` other than its own is an error."""
    system: System = rival(kind_of(path)).load(path, taxonomy)
    return system
