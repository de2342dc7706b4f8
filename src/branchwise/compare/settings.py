"""Settings of systems from the command line: which systems each is for, and its value in the right type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import NoneType
from typing import Any, get_args, get_type_hints

from branchwise.compare.systems import Entry
from branchwise.errors import BranchwiseError, MissingExtraError
from branchwise.rivals import rival
from branchwise.training.settings import Settings

YES_NO = {"yes": True, "true": True, "no": False, "false": False}
TAKEN = {"variant": "the system's name says it", "seed": "it is an option of its own"}


def assign(entries: Sequence[Entry], given: Sequence[str]) -> list[Entry]:
    """Return the systems with settings such as ``rho=10`` (all that have it) or ``pamm.rho=10`` (that one alone)."""
    changes: dict[str, dict[str, Any]] = {one.name: dict(one.settings) for one in entries}
    known = {one.name: _types(one) for one in entries}
    for text in given:
        left, equals, value = text.partition("=")
        left, value = left.strip(), value.strip()
        if not equals or not left or not value:
            raise BranchwiseError(f"--set {text} is no setting: write NAME=VALUE or SYSTEM.NAME=VALUE.")
        system, _, name = left.rpartition(".")
        if name in TAKEN:
            raise BranchwiseError(f"{name} is not given with --set: {TAKEN[name]}.")
        if system and system not in known:
            raise BranchwiseError(
                f"--set {text} is for a system {system!r}, which does not take part: {', '.join(known)}."
            )
        takers = [one for one in ([system] if system else known) if name in known[one]]
        if not takers:
            one = system or (next(iter(known)) if len(known) == 1 else "")
            has = f"{one} has no setting {name!r}" if one else f"no system here has a setting {name!r}"
            having = known[one] if one else {name for types in known.values() for name in types}
            choice = sorted(set(having) - set(TAKEN))
            raise BranchwiseError(f"--set {text}: {has}; choose from {', '.join(choice) or 'none'}.")
        for one in takers:
            changes[one][name] = parse(value, known[one][name], left)
    return [replace(one, settings=changes[one.name]) for one in entries]


def parse(text: str, kind: Any, name: str) -> Any:
    """Return a value in the type of its setting."""
    kinds = get_args(kind) or (kind,)
    if NoneType in kinds and text.lower() == "none":
        return None
    if bool in kinds and text.lower() in YES_NO:
        return YES_NO[text.lower()]
    for number in (int, float):
        if number in kinds:
            try:
                return number(text)
            except ValueError:
                continue
    if bool in kinds or int in kinds or float in kinds:
        wanted = "yes or no" if bool in kinds else "a number" if float in kinds else "a whole number"
        raise BranchwiseError(f"{name} is {text!r}: give {wanted}.")
    return text


def _types(entry: Entry) -> dict[str, Any]:
    """Return the settings that a system has, with their types."""
    if entry.kind == "file":
        return {}
    try:
        settings = Settings if entry.kind == "ours" else getattr(rival(entry.system), "Settings", None)
    except MissingExtraError:  # its runs will say so
        return {}
    return {} if settings is None else get_type_hints(settings)
