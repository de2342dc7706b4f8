"""Where a reproduction's documents come from: raw files that are built once, or parts that are there already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from branchwise.corpus import Corpus
from branchwise.corpus.estimate import count_of
from branchwise.corpus.records import format_of
from branchwise.corpus.sources import Built, benchmark, build, read_built
from branchwise.corpus.sources.benchmark import Benchmark
from branchwise.corpus.sources.build import about_source, builder_of
from branchwise.corpus.sources.published import differences
from branchwise.corpus.statistics import Statistics, statistics
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy

NAMES = {"train": ("train",), "validation": ("validation", "val", "valid", "dev"), "test": ("test",)}
TREES = ("taxonomy.tsv", "taxonomy.csv", "taxonomy.json")

Tell = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Documents:
    """A benchmark, read."""

    title: str
    tree: Taxonomy
    parts: dict[str, Corpus]
    """train, validation and test."""
    measured: Statistics
    notes: list[str]
    """What happened when it was built, and where it differs from the paper's."""

    @property
    def sizes(self) -> dict[str, int]:
        """Documents of every part."""
        return {name: len(one) for name, one in self.parts.items()}


def open_documents(name: str, source: Path, folder: Path, tell: Tell, **options: Any) -> Documents:
    """Return a benchmark's documents.

    Parameters
    ----------
    name
        Which benchmark.
    source
        The raw files; or a folder that holds the parts in our own format, which is used as it is.
    folder
        Where what is built goes; it is not built again.
    tell
        Called with a sentence for every thing worth knowing.
    **options
        Of the benchmark.
    """
    which = benchmark(name, **options)
    ready = _ready(source)
    if ready is not None:
        _refuse_other(name, source)
        tree = Taxonomy.read(ready["taxonomy"])
        parts = {part: Corpus.read(ready[part], tree) for part in NAMES}
        measured = statistics(parts)
        notes = differences(which.title, measured)
        if set(tree.ids) != set(which.taxonomy().ids):
            notes.insert(0, f"The taxonomy in {source} is not the one that {which.title} is published with.")
            tell(notes[0])
        return Documents(which.title, tree, parts, measured, notes)
    built = _built(folder, source, which)
    if built is not None:
        tell(f"{which.title} is in {folder} already, built from {built.manifest['source']['name']}.")
    elif not source.exists():
        raise CorpusError(
            f"{source} does not exist: give the raw files of {which.title}, or a folder with its parts."
        )
    else:
        built = build(which, source, folder, tell=tell)
    tree = built.tree
    lacking = [part for part in NAMES if not built.manifest["parts"][part]["documents"]]
    if lacking:
        raise CorpusError(
            f"{source} gave no {lacking[0]} documents of {which.title}: check that all of its files are there."
        )
    parts = {part: built.part(part, tree) for part in NAMES}  # type: ignore[arg-type]
    dropped = [
        f"Left out, {count_of(one['documents'], 'document')}: {reason}."
        for reason, one in built.manifest["dropped"].items()
    ]
    notes = [*built.manifest["notes"], *dropped, *built.manifest["differences"]]
    return Documents(which.title, tree, parts, statistics(parts), notes)


def is_ready(source: Path) -> bool:
    """Say whether a folder holds the parts in our own format."""
    return _ready(source) is not None


def _ready(source: Path) -> dict[str, Path] | None:
    """Return the files of a folder that holds a taxonomy and three parts in our own format; None for raw files."""
    if not source.is_dir():
        return None
    found: dict[str, Path] = {}
    for tree in TREES:
        if (source / tree).is_file():
            found.setdefault("taxonomy", source / tree)
    for path in sorted(source.iterdir()):
        stem = path.name.split(".")[0]
        for part, names in NAMES.items():
            if stem in names and path.is_file() and _is_documents(path):
                found.setdefault(part, path)
    return found if len(found) == len(NAMES) + 1 else None


def _is_documents(path: Path) -> bool:
    try:
        format_of(str(path))
    except CorpusError:
        return False
    return True


def _refuse_other(name: str, source: Path) -> None:
    """Raise where a folder's manifest says that its parts are another benchmark's, or not whole."""
    other = builder_of(source)
    if other is not None and other != name:
        raise CorpusError(f"{source} holds {other}, not {name}: name the benchmark that it holds.")
    if other is not None and read_built(source) is None:
        raise CorpusError(f"The build in {source} was not finished: build it again from the raw files.")


def _built(folder: Path, source: Path, which: Benchmark) -> Built | None:
    """Return what was built before from the same files with the same options; the files may be gone since."""
    built = read_built(folder)
    if built is None:
        return None
    about = built.manifest
    if about["benchmark"] != which.name or about["options"] != dict(vars(which)):
        raise CorpusError(
            f"{folder} holds {about['benchmark']} as it was built with {about['options'] or 'no options'}: choose "
            "another folder for --output."
        )
    if source.exists() and about["source"] != about_source(source):
        raise CorpusError(
            f"{folder} was built from {about['source']['name']} ({about['source']['bytes']:,} bytes), and {source} is "
            "another file or has changed since: choose another folder for --output."
        )
    return built
