"""What the steps of the demo share: the documents, the folder, and what each step left for the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.cli.console import say, show
from branchwise.cli.files import complete_file
from branchwise.errors import MissingExtraError

if TYPE_CHECKING:
    import numpy as np

    from branchwise.corpus import Corpus
    from branchwise.report.table import Table
    from branchwise.taxonomy import Taxonomy

PARTS = ("train", "validation", "test")
SMALL_PICTURE = 400_000  # bytes of an .svg file that is kept; a bigger picture becomes a .png


@dataclass
class Stage:
    """The demo on its way."""

    folder: Path
    corpora: dict[str, Corpus]
    draws: bool = True
    pictures: dict[str, Path] = field(default_factory=dict)
    tables: list[Table] = field(default_factory=list)
    """On the corpus."""
    findings: list[str] = field(default_factory=list)
    files: list[tuple[Path, str]] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    """By step."""
    missing: list[str] = field(default_factory=list)
    """What could not be shown because something is not installed, a sentence each."""
    resumed: bool = False
    """Whether training went on from an earlier run."""

    @property
    def tree(self) -> Taxonomy:
        """The tree of all parts."""
        return self.corpora["train"].taxonomy

    def texts(self, part: str) -> list[str]:
        """Return the texts of a part."""
        return list(self.corpora[part].texts())

    def counts(self) -> np.ndarray:
        """Return the documents of every label, over all parts."""
        import numpy as np

        return np.sum([one.labels.counts(len(self.tree)) for one in self.corpora.values()], axis=0)

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Announce a step and remember how long it took."""
        from rich.text import Text

        show("", Text(title, style="bold cyan"))
        started = time.perf_counter()
        yield
        self.seconds[title] = time.perf_counter() - started

    @contextmanager
    def optional(self, what: str) -> Iterator[None]:
        """Say in one sentence what an extra that is not installed takes away, and go on without."""
        try:
            yield
        except MissingExtraError as error:
            self.missing.append(f"{what}: {error}")
            say(self.missing[-1])

    def write(self, name: str, what: str, make: Callable[[Path], object]) -> Path:
        """Make a file, whole or not at all, and remember it."""
        path = self.folder / name
        with complete_file(path) as place:
            make(place)
        self.files = [one for one in self.files if one[0] != path] + [(path, what)]
        return path

    def draw(self, name: str, what: str, make: Callable[[Path], object]) -> None:
        """Make a picture, where there is something to draw it with: sharp at any size unless that is big."""
        if not self.draws:
            return
        path = self.write(f"{name}.svg", what, make)
        if path.stat().st_size > SMALL_PICTURE:
            path.unlink()
            self.files = [one for one in self.files if one[0] != path]
            path = self.write(f"{name}.png", what, make)
        self.pictures[name] = path


def open_stage(folder: Path, documents: int | None) -> Stage:
    """Return the stage before the first step.

    Parameters
    ----------
    folder
        Where files go.
    documents
        The most documents of each part; all where None.
    """
    from branchwise.corpus import Corpus
    from branchwise.report.style import check_picture

    corpora = {part: Corpus.bundled(part) for part in PARTS}
    if documents is not None:
        corpora = {part: one.take(range(min(documents, len(one)))) for part, one in corpora.items()}
    stage = Stage(folder, corpora, draws=False)
    with stage.optional("There are no pictures"):
        check_picture("tree.svg")
        stage.draws = True
    return stage
