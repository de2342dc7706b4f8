"""The rivals by name; each is imported when it is asked for, because most pull in heavy libraries."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from branchwise.errors import ModelError
from branchwise.extras import require
from branchwise.rivals.storage import CONFIG, SYSTEM, read_about

if TYPE_CHECKING:
    from branchwise.rivals.protocol import System
    from branchwise.taxonomy import Taxonomy

Kind = Literal["linear", "neural"]
DEVICE = "device"

_HOMES = {
    "svm": ("svm", "Svm"),
    "leaf-svm": ("leaf_svm", "LeafSvm"),
    "td-svm": ("td_svm", "TopDownSvm"),
    "hr-svm": ("hr_svm", "RecursiveSvm"),
    "textcnn": ("neural.textcnn", "TextCnn"),
    "bow-cnn": ("neural.bow_cnn", "BowCnn"),
    "han": ("neural.han", "Han"),
    "hmcn": ("neural.hmcn", "Hmcn"),
    "hiagm": ("neural.hiagm", "Hiagm"),
    "sgm": ("neural.sgm", "Sgm"),
}
"""The module and the class of every rival."""


def rivals(kind: Kind | None = None) -> tuple[str, ...]:
    """Return the names of all rivals, or of those of one kind."""
    return tuple(name for name in _HOMES if kind in (None, "neural" if _is_neural(name) else "linear"))


def _is_neural(name: str) -> bool:
    return _HOMES[name][0].startswith("neural.")


def rival(name: str) -> Any:
    """Return the class of a rival, a :class:`branchwise.rivals.System`."""
    if name not in _HOMES:
        raise ModelError(f"There is no rival {name!r}: choose one of {', '.join(_HOMES)}.")
    module, kind = _HOMES[name]
    if _is_neural(name):
        for package in ("torch", "safetensors"):
            require(package, "train", f"The rival {name}")
    return getattr(import_module(f"branchwise.rivals.{module}"), kind)


def new_rival(name: str, taxonomy: Taxonomy, *, seed: int = 0, device: str = "auto", **settings: Any) -> Any:
    """Return an untrained rival; ``device`` is for those that compute on one, unless their settings name another."""
    kind = rival(name)
    place = {DEVICE: device} if hasattr(kind.Settings, DEVICE) else {}
    return kind(taxonomy, seed=seed, **place | settings)


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
