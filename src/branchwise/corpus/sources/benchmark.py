"""What a benchmark is: a tree, and documents out of raw files, each with the part it belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from branchwise.progress import Progress
from branchwise.taxonomy import Taxonomy

Part = Literal["train", "validation", "test"]
EXAMPLES = 5  # documents named for every reason to leave some out


@dataclass(frozen=True, slots=True)
class Found:
    """One document as the raw files give it."""

    id: str
    text: str
    labels: tuple[str, ...]  # ids of the benchmark's tree, closed upwards or not
    part: Part


@dataclass
class Dropped:
    """Documents that were left out for one reason."""

    documents: int = 0
    examples: list[str] = field(default_factory=list)


@dataclass
class Watch:
    """What is worth knowing about a reading: what was left out and why, and remarks."""

    progress: Progress
    dropped: dict[str, Dropped] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def drop(self, reason: str, which: str) -> None:
        """Count a document that is left out; the reason is a few words, such as ``no text``."""
        one = self.dropped.setdefault(reason, Dropped())
        one.documents += 1
        if len(one.examples) < EXAMPLES:
            one.examples.append(which)

    def note(self, sentence: str) -> None:
        """Remember a sentence for the person who builds; said once."""
        if sentence not in self.notes:
            self.notes.append(sentence)


class Benchmark(Protocol):
    """A data set that people hold as raw files; its fields are its options."""

    name: ClassVar[str]
    title: ClassVar[str]
    """What the paper calls it."""

    def taxonomy(self) -> Taxonomy:
        """Return the tree of labels."""
        ...

    def documents(self, source: Path, watch: Watch) -> Iterator[Found]:
        """Yield every document that ``source`` holds, reading it once and in place.

        What cannot be used goes to ``watch.drop``; what makes the whole source unusable is a CorpusError.
        Building checks ids, texts and labels of what is yielded.
        """
        ...


def bundled_tree(file: str) -> Taxonomy:
    """Return a taxonomy that ships with the package."""
    with as_file(files(__package__) / "files" / file) as path:
        return Taxonomy.read(path)


def bundled_bytes(file: str) -> bytes:
    """Return a file that ships with the package."""
    return (files(__package__) / "files" / file).read_bytes()
