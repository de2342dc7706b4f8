"""A comparison's folder: one record a run, its predictions beside it, and what the comparison is about."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from branchwise.errors import BranchwiseError

RUNS, MODELS, UNFINISHED, ABOUT = "runs", "models", "unfinished", "documents.json"
FORMAT = 1


@dataclass
class Record:
    """One run: a system with a seed, and what came of it."""

    name: str
    system: str
    group: str
    seed: int
    inputs: dict[str, Any]
    """What the run depends on: settings, and the fingerprint of a file of predictions."""
    status: Literal["done", "failed"] = "done"
    error: str | None = None
    ways: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The evaluation of every way to decide, as :meth:`branchwise.evaluation.Evaluation.to_dict` has it."""
    costs: dict[str, float | None] = field(default_factory=dict)
    decisions: dict[str, Any] = field(default_factory=dict)
    """What validation taught about the tuned way."""
    notes: list[str] = field(default_factory=list)
    format: int = FORMAT

    @property
    def stem(self) -> str:
        """The run's name in files."""
        return stem_of(self.name, self.seed)


def stem_of(name: str, seed: int) -> str:
    """Return a run's name in files."""
    return f"{name}-seed-{seed}"


def digest(value: Any) -> str:
    """Return the SHA-256 of JSON-ready data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(data)
        os.replace(part, path)  # noqa: PTH105
    except OSError as error:
        raise BranchwiseError(
            f"{path} cannot be written ({error.strerror or error}): free space or choose another place."
        ) from error


def write_data(path: Path, value: Any) -> None:
    """Write JSON."""
    write_whole(path, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write compressed JSON lines; the same lines are the same bytes."""
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)
    write_whole(path, gzip.compress(lines.encode(), 6, mtime=0))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what :func:`write_lines` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def predictions_file(folder: Path, name: str, seed: int, way: str) -> Path:
    """Return where the predictions of a run are."""
    return folder / RUNS / f"{stem_of(name, seed)}.{way}.jsonl.gz"


def save(folder: Path, record: Record) -> None:
    """Write a record, which is what makes a run finished: its predictions must be there before."""
    write_data(folder / RUNS / f"{record.stem}.json", asdict(record))


def read_record(path: Path) -> Record | None:
    """Return a record, or None where there is none that this version can read, or a part of it is lost."""
    try:
        record = Record(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    folder = path.parent.parent
    whole = all(predictions_file(folder, record.name, record.seed, way).exists() for way in record.ways)
    return record if whole and record.format == FORMAT else None


def records(folder: Path) -> list[Record]:
    """Return all runs that the folder holds."""
    found = (read_record(path) for path in sorted((folder / RUNS).glob("*.json")))
    return [one for one in found if one is not None]


def check_about(folder: Path, about: dict[str, str]) -> None:
    """Write down what a new folder compares on; raise where an older one compared on something else."""
    path = folder / ABOUT
    if not path.exists():
        write_data(path, about)
        return
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BranchwiseError(
            f"{path} cannot be read ({error}): choose another folder for --output."
        ) from error
    for what, fingerprint in about.items():
        if known.get(what) != fingerprint:
            raise BranchwiseError(
                f"{folder} holds a comparison with another {what}: give the same one to go on with it, or choose "
                "another folder for --output."
            )
