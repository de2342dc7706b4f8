"""Reading a string of symbols back into a label set, and saying all that is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from branchwise.choices import Variant
from branchwise.sequence.symbols import Symbols
from branchwise.taxonomy import Taxonomy

Kind = Literal[
    "unknown symbol",
    "misplaced separator",
    "missing separator",
    "wrong level",
    "wrong order",
    "repeat",
    "missing parent",
    "unfinished",
]

SPELLS_NOTHING = -1  # stands in a string of symbols for word pieces that spell no label


class Problem(NamedTuple):
    """One thing that is wrong, and the place in the sequence where it is."""

    kind: Kind
    at: int
    detail: str


@dataclass(frozen=True)
class Parsed:
    """The labels that a sequence names, ascending and as they stand there, and what is wrong with it."""

    labels: tuple[int, ...]
    problems: tuple[Problem, ...]

    @property
    def is_valid(self) -> bool:
        """Whether the sequence is the canonical one of its label set."""
        return not self.problems


def parse(symbols: Iterable[int], tree: Taxonomy, variant: Variant = "hia") -> Parsed:
    """Read symbols up to the end symbol; what follows that is padding.

    Labels are taken as they come: nothing is added and nothing repaired, only repeats are named once.
    """
    reading = _Reading(tree, flat=variant == "t5")
    known = Symbols(len(tree))
    string = list(map(int, symbols))
    end = string.index(known.end) if known.end in string else len(string)
    for place, symbol in enumerate(string[:end]):
        if 0 <= symbol < len(tree):
            reading.label(symbol, place)
        elif symbol in (known.between, known.below):
            reading.separator(place, below=symbol == known.below)
        else:
            reading.unknown("START" if symbol == known.start else str(symbol), place)
    reading.finish(end)
    if end == len(string):
        reading.say("unfinished", end, "there is no end symbol")
    return Parsed(tuple(sorted(reading.seen)), tuple(reading.problems))


class _Reading:
    """Where the reader stands: the level it is on and what came before."""

    def __init__(self, tree: Taxonomy, flat: bool) -> None:
        self.tree, self.flat = tree, flat
        self.problems: list[Problem] = []
        self.seen: set[int] = set()
        self.level = 1
        self.last: int | None = None  # the last label of this level
        self.after_separator = True  # a label may come now; so it may at the start

    def say(self, kind: Kind, at: int, detail: str) -> None:
        self.problems.append(Problem(kind, at, detail))

    def separator(self, place: int, below: bool) -> None:
        if self.after_separator:
            self.say("misplaced separator", place, "no label stands before it")
        elif self.flat and below:
            self.say("misplaced separator", place, "a flat set has no levels")
        self.after_separator = True
        if below and not self.flat:
            self.level += 1
            self.last = None

    def unknown(self, name: str, place: int) -> None:
        what = "what stands here" if name == str(SPELLS_NOTHING) else name
        self.say("unknown symbol", place, f"{what} is neither a label nor a separator")
        self.after_separator = False

    def label(self, label: int, place: int) -> None:
        name = self.tree.ids[label]
        if not self.after_separator:
            self.say("missing separator", place, f"{name} follows a label at once")
        self.after_separator = False
        if label in self.seen:
            self.say("repeat", place, f"{name} stood before")
        elif not self.flat:
            self._check_place(label, name, place)
        self.seen.add(label)
        self.last = label

    def _check_place(self, label: int, name: str, place: int) -> None:
        level, parent = int(self.tree.level[label]), int(self.tree.parent[label])
        if level != self.level:
            self.say("wrong level", place, f"{name} is of level {level} and stands on level {self.level}")
        elif self.last is not None and label < self.last:
            self.say("wrong order", place, f"{name} comes before {self.tree.ids[self.last]}")
        if parent >= 0 and parent not in self.seen:
            self.say(
                "missing parent",
                place,
                f"the parent {self.tree.ids[parent]} of {name} does not come before it",
            )

    def finish(self, place: int) -> None:
        if self.after_separator and place > 0:
            self.say("misplaced separator", max(place - 1, 0), "no label stands after it")
