"""What a search tries: of every setting a list of values or a range, in Python or as the command line writes it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

from branchwise.errors import BranchwiseError
from branchwise.training.settings import Settings

RANGE = re.compile(r"(?P<low>.+?)\.\.(?P<high>.+?)(?::(?P<scale>log|linear))?")
WIDE = 10  # a range whose upper end is so many times the lower is searched on a log scale
YES_NO = {"yes": True, "true": True, "no": False, "false": False}
FIXED = ("select", "validation_documents")  # what trials are compared by must be the same for all
MASK_SETTINGS = ("rho", "mask", "reduction")


@dataclass(frozen=True)
class Range:
    """Every number from ``low`` to ``high``, both included; whole ones where the setting is whole."""

    low: float
    high: float
    log: bool = False

    def __str__(self) -> str:
        return f"{self.low:g}..{self.high:g}:{'log' if self.log else 'linear'}"


Choices = tuple[Any, ...]
Space = dict[str, Choices | Range]
GivenSpace = Mapping[str, "str | Range | Sequence[Any]"]

PAPER_GRID: Space = {"rho": (0.1, 1.0, 10.0, 100.0, 200.0)}


def split_texts(texts: Iterable[str]) -> dict[str, str]:
    """Return name and values of every ``name=values``."""
    named: dict[str, str] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name or not values.strip():
            raise BranchwiseError(
                f"The space {text!r} is not a setting and its values: write rho=0.1,1,10 or learning_rate=1e-4..3e-3."
            )
        if name in named:
            raise BranchwiseError(
                f"The space of {name} is given twice: write all its values once, with commas."
            )
        named[name] = values.strip()
    return named


def read_space(given: GivenSpace, base: Settings) -> Space:
    """Return a space with every value in its setting's own type, once it is sure that each is possible.

    Parameters
    ----------
    given
        Values or a :class:`Range` by setting; or a text, ``1,10,100`` or ``1e-4..3e-3``, whose range is on a log
        scale where it is wide or ends on ``:log``.
    base
        The settings that the trials start from.
    """
    kinds = get_type_hints(Settings)
    space: Space = {}
    if not given:
        raise BranchwiseError("The space has no setting to search: name at least one with its values.")
    for name, values in given.items():
        if name not in kinds:
            raise BranchwiseError(
                f"There is no setting {name!r} to search: choose from {', '.join(sorted(kinds))}."
            )
        if name in FIXED:
            raise BranchwiseError(f"{name} cannot be searched, as it is what trials are compared by: fix it.")
        space[name] = _values(name, kinds[name], values)
        for one in ends(space[name]):
            replace(base, **{name: one})  # raises where a value is impossible
    useless = sorted(set(MASK_SETTINGS) & set(space))
    if useless and "variant" not in space and base.variant != "pamm":
        raise BranchwiseError(
            f"{useless[0]} plays no part in the variant {base.variant}: search others, or take the variant pamm."
        )
    return space


def ends(values: Choices | Range) -> Choices:
    """Return every value of a list, and the two ends of a range."""
    return (values.low, values.high) if isinstance(values, Range) else values


def grid_size(space: Space) -> int | None:
    """Return how many settings there are to try, None where a range makes them countless."""
    lists = [values for values in space.values() if not isinstance(values, Range)]
    return math.prod(map(len, lists)) if len(lists) == len(space) else None


def what_matters(settings: Settings) -> tuple[Any, ...]:
    """Return the settings that a trial depends on: without weight on the mask loss, not those of the mask."""
    idle = () if settings.mask_weight else MASK_SETTINGS
    return tuple(value for name, value in vars(settings).items() if name not in idle)


def _values(name: str, kind: Any, given: str | Range | Sequence[Any]) -> Choices | Range:
    if isinstance(given, str) and kind in (int, float):
        if found := RANGE.fullmatch(given):
            low, high = (_value(name, kind, found[end].strip()) for end in ("low", "high"))
            log = found["scale"] == "log" if found["scale"] else 0 < WIDE * low <= high
            return _range(name, Range(low, high, log))
    elif isinstance(given, Range):
        if kind not in (int, float):
            raise BranchwiseError(f"{name} is no number, so it has no range: list its values.")
        return _range(name, Range(_value(name, kind, given.low), _value(name, kind, given.high), given.log))
    listed = given.split(",") if isinstance(given, str) else given
    values = tuple(dict.fromkeys(_value(name, kind, one) for one in listed))
    if not values:
        raise BranchwiseError(f"The space of {name} has no value: give at least one.")
    return values


def _range(name: str, given: Range) -> Range:
    if not given.low < given.high or (given.log and given.low <= 0):
        raise BranchwiseError(
            f"The range {given} of {name} is empty or not above 0 on a log scale: write the lower end first."
        )
    return given


def _value(name: str, kind: Any, given: Any) -> Any:
    text = str(given).strip()
    try:
        if kind is bool:
            return YES_NO[text.lower()]
        if kind is int:
            return int(text)
        if kind is float and math.isfinite(float(text)):
            return float(text)
    except (ValueError, KeyError):
        pass
    if kind in (bool, int, float) or not text:
        wanted = {bool: "yes or no", int: "a whole number", float: "a number"}.get(kind, "a value")
        raise BranchwiseError(f"The space of {name} holds {text!r}, where {wanted} must stand.")
    return text
