"""Where a reproduction's documents come from: raw files that are built once, or parts that are there already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from branchwise.corpus import Corpus
from branchwise.corpus.records import format_of
from branchwise.corpus.sources import Built, benchmark, build, read_built
from branchwise.corpus.sources.archives import size_of
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
        tree = Taxonomy.read(ready["taxonomy"])
        parts = {part: Corpus.read(ready[part], tree) for part in NAMES}
        measured = statistics(parts)
        return Documents(which.title, tree, parts, measured, differences(which.title, measured))
    built = _built(folder, source, name, options)
    if built is not None:
        tell(f"{which.title} is in {folder} already, built from {source}.")
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
        f"{one['documents']:,} documents were left out: {reason}."
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


def _built(folder: Path, source: Path, name: str, options: dict[str, Any]) -> Built | None:
    """Return what was built before from the same files with the same options."""
    built = read_built(folder)
    if built is None:
        return None
    about = built.manifest
    same = {"name": source.name, "bytes": size_of(source) if source.exists() else 0}
    given = {key: value for key, value in about["options"].items() if key in options}
    if about["benchmark"] != name or about["source"] != same or given != options:
        raise CorpusError(
            f"{folder} was built from {about['source']['name']} ({about['source']['bytes']:,} bytes, "
            f"{about['benchmark']}), not from {source.name}: choose another folder for --output."
        )
    return built
