"""Which systems take part: a name for each, what stands behind it, and where the paper's table would put it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from branchwise.choices import VARIANTS
from branchwise.errors import BranchwiseError
from branchwise.rivals import rivals

Kind = Literal["ours", "rival", "file"]
FILE = "file"
GROUPS = ("flat", "local", "global", "others")
"""The parts of the table: labels on their own, a decision at each place of the tree, the tree as a whole."""
GROUP_OF = {
    **dict.fromkeys(("svm", "leaf-svm", "t5", "textcnn", "bow-cnn", "han"), "flat"),
    **dict.fromkeys(("td-svm", "hmcn"), "local"),
}
UNSEEDED = frozenset({"svm", "leaf-svm", "td-svm", "hr-svm"})
"""Systems whose result no seed changes, once there are validation documents."""
NAME = re.compile(r"[\w+][\w+.-]{0,59}")


@dataclass(frozen=True)
class Entry:
    """One row of the comparison."""

    name: str
    """What tables call it."""
    system: str
    """A rival, a variant of our own model, or ``file``."""
    settings: dict[str, Any] = field(default_factory=dict)
    """What differs from the defaults."""
    files: tuple[str, ...] = ()
    """Predictions that somebody else's system made, one file a seed."""

    @property
    def kind(self) -> Kind:
        """What makes the predictions."""
        if self.system in VARIANTS:
            return "ours"
        return "file" if self.system == FILE else "rival"

    @property
    def group(self) -> str:
        """The part of the table that the system belongs to."""
        return "others" if self.system == FILE else GROUP_OF.get(self.system, "global")

    def seeds(self, wanted: int) -> range:
        """Return the seeds to run, where ``wanted`` are asked for: one where seeds change nothing."""
        if self.system == FILE:
            return range(len(self.files))
        return range(1 if self.system in UNSEEDED else wanted)


def known_systems() -> tuple[str, ...]:
    """Return the names of all systems that can be trained here."""
    return (*rivals(), *VARIANTS)


def read_entries(systems: Iterable[str], predictions: Sequence[str] = ()) -> list[Entry]:
    """Return the systems that were asked for.

    Parameters
    ----------
    systems
        Names of systems; ``name=system`` gives one a name of its own, ``file:name=path`` is a file of predictions.
    predictions
        ``name=path`` each; a name that comes again is the same system with another seed.
    """
    entries: dict[str, Entry] = {}
    for one in filter(None, (text.strip() for text in systems)):
        if one.startswith(f"{FILE}:"):
            _add_file(entries, one.removeprefix(f"{FILE}:"), one)
            continue
        name, _, system = one.rpartition("=")
        if system not in known_systems():
            raise BranchwiseError(
                f"There is no system {system!r}: choose from {', '.join(known_systems())}, or take "
                "another's predictions with --predictions NAME=FILE."
            )
        _add(entries, Entry(_checked(name.strip() or system, one), system))
    for one in predictions:
        _add_file(entries, one, f"--predictions {one}")
    if not entries:
        raise BranchwiseError(f"No system is named: choose from {', '.join(known_systems())}.")
    return list(entries.values())


def place_of(name: str, system: str, group: str) -> tuple[int, int, str]:
    """Return where a system stands in tables: by group, rivals before our own, then by name."""
    order = [*known_systems(), FILE]
    at = order.index(system) if system in order else len(order)
    return GROUPS.index(group) if group in GROUPS else len(GROUPS), at, name


def _add_file(entries: dict[str, Entry], text: str, given: str) -> None:
    name, equals, path = text.partition("=")
    if not equals or not path.strip():
        raise BranchwiseError(f"{given} is not a name and a file: write NAME=predictions.jsonl.")
    name = _checked(name.strip(), given)
    files: tuple[str, ...] = (path.strip(),)
    if not Path(files[0]).is_file():
        raise BranchwiseError(f"The predictions {files[0]} of {name} do not exist: check the path.")
    known = entries.get(name)
    if known is not None and known.system == FILE:
        files = (*known.files, *files)
        del entries[name]
    _add(entries, Entry(name, FILE, files=files))


def _add(entries: dict[str, Entry], entry: Entry) -> None:
    """Take a system in; names that differ in case alone would be one file on some disks."""
    twin = next((one for one in entries if one.lower() == entry.name.lower()), None)
    if twin is not None:
        raise BranchwiseError(
            f"Two systems are called {twin!r}: give one a name of its own, as in {entry.name}-2={entry.system}."
        )
    entries[entry.name] = entry


def _checked(name: str, given: str) -> str:
    if not NAME.fullmatch(name):
        raise BranchwiseError(
            f"The name {name!r} of {given} cannot be part of a file name: use letters, digits, '.', '-', '_' and '+'."
        )
    return name
