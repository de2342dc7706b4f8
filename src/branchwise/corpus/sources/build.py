"""From a benchmark's raw files to a folder: three parts, the taxonomy, and a manifest of what happened.

The manifest is written last, so a folder with one is complete.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, get_args

from branchwise.corpus.corpus import Corpus
from branchwise.corpus.sources.archives import files_of, size_of
from branchwise.corpus.sources.benchmark import Benchmark, Found, Part, Watch
from branchwise.corpus.sources.published import differences
from branchwise.corpus.statistics import statistics
from branchwise.corpus.streams import open_output
from branchwise.errors import CorpusError
from branchwise.progress import Progress
from branchwise.taxonomy import Taxonomy

PARTS: tuple[Part, ...] = get_args(Part)
MANIFEST, TAXONOMY = "manifest.json", "taxonomy.tsv"
SUFFIX = ".jsonl.zst"
FILES = tuple(f"{name}{SUFFIX}" for name in PARTS)
FORMAT = 1

Tell = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Built:
    """A benchmark in our own format."""

    folder: Path
    manifest: dict[str, Any]

    @property
    def tree(self) -> Taxonomy:
        """The tree of labels."""
        return Taxonomy.read(self.folder / TAXONOMY)

    def part(self, name: Part, tree: Taxonomy | None = None) -> Corpus:
        """Return a part; it is empty-handed only where the manifest says so."""
        return Corpus.read(self.folder / self.manifest["parts"][name]["file"], tree or self.tree)


def read_built(folder: str | Path) -> Built | None:
    """Return what a folder holds, or None where nothing was built to the end there."""
    manifest = _read_manifest(Path(folder))
    if manifest.get("format") != FORMAT:
        return None
    named = [manifest["taxonomy"]["file"], *(one["file"] for one in manifest["parts"].values())]
    whole = all((Path(folder) / one).is_file() for one in named)
    return Built(Path(folder), manifest) if whole else None


def builder_of(folder: Path) -> str | None:
    """Return which benchmark a folder's manifest names, finished or not; None where there is no manifest of ours."""
    return str(_read_manifest(folder).get("benchmark") or "") or None


def _read_manifest(folder: Path) -> dict[str, Any]:
    """Return what a folder's manifest says, ours or not; nothing where there is none that can be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def build(benchmark: Benchmark, source: str | Path, output: str | Path, *, tell: Tell | None = None) -> Built:
    """Write a benchmark's parts, its taxonomy and a manifest.

    Parameters
    ----------
    benchmark
        Which, with its options; see :func:`branchwise.corpus.sources.benchmark`.
    source
        A folder, an archive or a file with the raw data; nothing is written there.
    output
        The folder for the result.
    tell
        Called with a sentence for every thing worth knowing.
    """
    say = tell or (lambda _: None)
    source, output = Path(source), Path(output)
    if not source.exists():
        raise CorpusError(
            f"{source} does not exist: give the folder or archive with the raw files of {benchmark.title}."
        )
    _make_folder(source, output, benchmark.name)
    tree = benchmark.taxonomy()
    with Progress(f"Building {benchmark.title}", size_of(source), "bytes") as progress:
        watch = Watch(progress)
        try:
            counts = _write(benchmark, source, output, tree, watch)
        except BaseException:
            with suppress(OSError):  # where it holds nothing, nothing stays
                output.rmdir()
            raise
    built = Built(output, _manifest(benchmark, source, output, tree, watch, counts))
    _write_json(output / MANIFEST, built.manifest)
    for sentence in (*watch.notes, *built.manifest["differences"]):
        say(sentence)
    return built


def about_source(source: Path) -> dict[str, Any]:
    """Return what tells sources apart: name, bytes, and a SHA-256 of their files' names, sizes and times."""
    digest, size = hashlib.sha256(), 0
    for name, path in files_of(source):
        known = path.stat()
        size += known.st_size
        digest.update(f"{name}\n{known.st_size} {known.st_mtime_ns}\n".encode())
    return {"name": source.resolve().name, "bytes": size, "fingerprint": digest.hexdigest()}


def _make_folder(source: Path, output: Path, name: str) -> None:
    if output.resolve() == source.resolve() or source.resolve() in output.resolve().parents:
        raise CorpusError(
            f"{output} is among the raw files of {source}: choose a folder outside for the result."
        )
    foreign = [one for one in (*FILES, TAXONOMY, MANIFEST) if (output / one).exists()]
    if foreign and builder_of(output) != name:
        raise CorpusError(
            f"{output} holds a {foreign[0]} that is no build of {name} and would be written over: choose another "
            "folder."
        )
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CorpusError(
            f"The folder {output} cannot be made ({error.strerror}): choose another."
        ) from error


def _write(benchmark: Benchmark, source: Path, output: Path, tree: Taxonomy, watch: Watch) -> dict[Part, int]:
    """Write what can be used to the part that it belongs to; return how many documents each got."""
    counts: dict[Part, int] = dict.fromkeys(PARTS, 0)
    seen: set[str] = set()
    with ExitStack() as stack:
        streams: dict[str, IO[bytes]] = {
            name: stack.enter_context(open_output(output / f"{name}{SUFFIX}")) for name in PARTS
        }
        for one in benchmark.documents(source, watch):
            fault = _fault(one, tree, seen)
            if fault:
                watch.drop(fault, one.id)
                continue
            seen.add(one.id)
            record = {"id": one.id, "text": one.text, "labels": list(one.labels)}
            streams[one.part].write((json.dumps(record, ensure_ascii=False) + "\n").encode())
            counts[one.part] += 1
        if not any(counts.values()):
            reasons = "; ".join(f"{one.documents:,} × {reason}" for reason, one in watch.dropped.items())
            raise CorpusError(
                f"{source} holds no document of {benchmark.title}"
                f"{f' that can be used ({reasons})' if reasons else ''}: check that it is the raw data that "
                f"docs/benchmarks/{benchmark.name}.md describes."
            )
        _write_json(
            output / MANIFEST, {"benchmark": benchmark.name, "unfinished": True}
        )  # until all else is in its place
        tree.write(output / TAXONOMY)
    return counts


def _fault(one: Found, tree: Taxonomy, seen: set[str]) -> str:
    """Return why a document cannot be used, in a few words."""
    if one.id in seen:
        return "the same id again"
    if not one.text.strip():
        return "no text"
    if not one.labels:
        return "no label"
    unknown = next((label for label in one.labels if label not in tree.index), None)
    return f"label {unknown!r} is not in the taxonomy" if unknown is not None else ""


def _manifest(
    benchmark: Benchmark, source: Path, output: Path, tree: Taxonomy, watch: Watch, counts: dict[Part, int]
) -> dict[str, Any]:
    corpora: dict[str, Corpus] = {
        name: Corpus.read(output / f"{name}{SUFFIX}", tree) for name in PARTS if counts[name]
    }
    measured = statistics(corpora)
    return {
        "format": FORMAT,
        "benchmark": benchmark.name,
        "title": benchmark.title,
        "source": about_source(source),
        "options": dict(vars(benchmark)),
        "taxonomy": {"file": TAXONOMY, "labels": len(tree), "fingerprint": tree.fingerprint},
        "parts": {
            name: {
                "file": f"{name}{SUFFIX}",
                "documents": counts[name],
                "fingerprint": corpora[name].fingerprint if name in corpora else None,
            }
            for name in PARTS
        },
        "dropped": {reason: asdict(one) for reason, one in watch.dropped.items()},
        "notes": watch.notes,
        "statistics": measured.to_dict(),
        "differences": differences(benchmark.title, measured),
    }


def _write_json(path: Path, value: Any) -> None:
    with open_output(path) as stream:
        stream.write((json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n").encode())
