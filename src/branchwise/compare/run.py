"""The comparison itself: run after run, each put down before the next begins, and none lost to another's failure."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any

from branchwise.compare import folder as files
from branchwise.compare.folder import Record
from branchwise.compare.making import OWN, Parts, make, new_system
from branchwise.compare.measuring import measure
from branchwise.compare.results import Results, read_results
from branchwise.compare.systems import Entry
from branchwise.corpus import Corpus
from branchwise.corpus.estimate import count_of
from branchwise.errors import BranchwiseError, MissingExtraError
from branchwise.taxonomy import Taxonomy

Tell = Callable[[str], None]


@dataclass(frozen=True)
class _Job:
    """One run to make."""

    entry: Entry
    seed: int
    inputs: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.entry.name}, seed {self.seed}"


def compare(
    taxonomy: Taxonomy,
    train: Corpus,
    validation: Corpus,
    test: Corpus,
    entries: Sequence[Entry],
    *,
    output: str | Path,
    seeds: int = 1,
    preset: str = "fast",
    backbone: str | None = None,
    device: str = "auto",
    keep_models: bool = False,
    report_only: bool = False,
    tell: Tell | None = None,
) -> Results:
    """Train and measure every system that the folder does not hold yet, and return all that it holds.

    Parameters
    ----------
    taxonomy
        The tree of labels.
    train, validation, test
        Documents to learn from, to choose by, and to measure on; the same for all.
    entries
        The systems; see :func:`branchwise.compare.read_entries`.
    output
        The comparison's own folder; runs that it holds are not made again.
    seeds
        Runs of every system that a seed changes.
    preset, backbone, device
        For our own model, as for :class:`branchwise.HierarchicalClassifier`.
    keep_models
        Keep the trained systems in the folder ``models``.
    report_only
        Train nothing, and return what the folder holds.
    tell
        Called with a sentence for every thing worth knowing on the way.
    """
    say = tell or (lambda _: None)
    folder = Path(output)
    if not len(test.labels.labels):
        raise BranchwiseError(
            "No test document has a label, so nothing can be measured: check which field holds the labels."
        )
    if seeds < 1:
        raise BranchwiseError(f"{seeds} seeds were asked for: it takes at least 1.")
    parts = Parts(taxonomy, train, validation, test, preset, backbone, device)
    jobs = [] if report_only else list(_jobs(entries, parts, seeds))
    about = {"taxonomy": taxonomy.fingerprint} | {
        f"{name} set": one.fingerprint
        for name, one in (("training", train), ("validation", validation), ("test", test))
    }
    if report_only and not (folder / files.ABOUT).exists():
        raise BranchwiseError(f"{folder} holds no comparison: leave --report-only out to make one.")
    files.check_about(folder, about)
    _refuse_other_settings(folder, jobs)
    if seeds > 1 and (
        once := [one.name for one in entries if one.kind == "rival" and len(one.seeds(2)) == 1]
    ):
        say(f"No seed changes {', '.join(once)}: one run each.")
    _make_all(folder, jobs, parts, keep_models, say)
    return read_results(folder, train, test)


def _jobs(entries: Sequence[Entry], parts: Parts, seeds: int) -> Iterator[_Job]:
    """Yield the runs: files of predictions, which are soon read, then the first seed of every system."""
    numbers = sorted({seed for one in entries for seed in one.seeds(seeds)})
    in_order = sorted(entries, key=lambda one: one.kind != "file")
    for seed in numbers:
        for entry in in_order:
            if seed in entry.seeds(seeds):
                yield _Job(entry, seed, _inputs(entry, parts, seed))


def _inputs(entry: Entry, parts: Parts, seed: int) -> dict[str, Any]:
    """Return what a run depends on beside the documents; settings that cannot be are found here."""
    if entry.kind == "file":
        try:
            data = Path(entry.files[seed]).read_bytes()
        except OSError as error:
            raise BranchwiseError(
                f"The predictions {entry.files[seed]} cannot be read ({error.strerror}): check the path."
            ) from error
        return {"system": entry.system, "predictions": hashlib.sha256(data).hexdigest()}
    try:
        settings: Any = getattr(new_system(entry, parts, seed), "settings", entry.settings)
    except MissingExtraError:  # this run will fail with the same sentence, and the others are made
        settings = entry.settings
    plain = dict(vars(settings)) if is_dataclass(settings) else dict(settings)
    return {
        "system": entry.system,
        "settings": {name: value for name, value in plain.items() if name not in ("seed", "device")},
    }


def _refuse_other_settings(folder: Path, jobs: Sequence[_Job]) -> None:
    """Raise where a name would stand for two systems, for one with two kinds of settings, or for a mixture of files."""
    wanted = {job.entry.name: job for job in jobs}
    given = {(job.entry.name, job.seed): _plain(job.inputs) for job in jobs}
    done = [one for one in files.records(folder) if one.status == "done"]
    replaced = {one.name for one in done if given.get((one.name, one.seed), one.inputs) != one.inputs}
    for record in done:
        job = wanted.get(record.name)
        if job is None:
            continue
        if record.system != job.entry.system:
            raise BranchwiseError(
                f"{folder} holds a system {record.system} under the name {record.name}: give the new one a name of its "
                f"own, as in {record.name}-2, or take the old one out with --forget {record.name}."
            )
        if record.system == "file":
            if record.name in replaced and (record.name, record.seed) not in given:
                raise BranchwiseError(
                    f"{folder} holds more files of predictions as {record.name} than are given now, and others: give "
                    f"as many, or take the old ones out with --forget {record.name}."
                )
            continue
        inputs = job.inputs
        if _plain(inputs) == record.inputs:
            continue
        before, now = record.inputs.get("settings", {}), inputs["settings"]
        changed = next(
            (one for one in {**before, **now} if before.get(one) != _plain(now.get(one))), "system"
        )
        how = f"its {changed} was {before.get(changed)}, not {now.get(changed)}"
        raise BranchwiseError(
            f"{folder} holds {record.name} with other settings ({how}): give the new one a name of its own, as in "
            f"--systems {record.name}-2={_system_of(jobs, record.name)}, or choose another folder."
        )


def _system_of(jobs: Sequence[_Job], name: str) -> str:
    """Return the system behind a name."""
    return next(job.entry.system for job in jobs if job.entry.name == name)


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _make_all(folder: Path, jobs: Sequence[_Job], parts: Parts, keep: bool, say: Tell) -> None:
    finished = 0
    for number, job in enumerate(jobs, 1):
        known = files.read_record(folder / files.RUNS / f"{files.stem_of(job.entry.name, job.seed)}.json")
        if known is not None and known.status == "done" and known.inputs == _plain(job.inputs):
            say(f"{job} is finished already.")
            kept = folder / files.MODELS / known.stem
            if keep and job.entry.kind != "file" and not kept.exists():
                say(f"{job} was made before models were kept, so that there is none in {kept}.")
            finished += 1
            continue
        say(f"Run {number} of {len(jobs)}: {job}.")
        try:
            finished += _make_one(folder, job, parts, keep, say)
        except KeyboardInterrupt:
            say(
                f"Stopped in {job}; {finished} of {len(jobs)} runs are finished, and the same command goes on with the "
                "others."
            )
            raise KeyboardInterrupt from None


def _make_one(folder: Path, job: _Job, parts: Parts, keep: bool, say: Tell) -> bool:
    """Make one run and put it down; say whether it came to predictions."""
    entry, started = job.entry, time.perf_counter()
    key = files.digest([job.inputs, parts.train.fingerprint, parts.validation.fingerprint])[:8]
    record = Record(entry.name, entry.system, entry.group, job.seed, _plain(job.inputs))
    place = folder / files.UNFINISHED / f"{record.stem}-{key}"
    try:
        made = make(entry, parts, job.seed, place, say)
        measure(folder, record, made, parts)
    except Exception as error:  # whatever one system does, the others are not lost
        record.status, record.error, record.ways = "failed", _reason(error), {}
        files.save(folder, record)
        say(f"{job} failed: {record.error}")
        return False
    if keep and place.exists():
        kept = folder / files.MODELS / record.stem
        shutil.rmtree(kept, ignore_errors=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        place.rename(kept)
    files.save(folder, record)
    for one in (folder / files.UNFINISHED).glob(f"{record.stem}-????????"):  # those of other settings too
        shutil.rmtree(one, ignore_errors=True)
    if not any((folder / files.UNFINISHED).glob("*")):
        shutil.rmtree(folder / files.UNFINISHED, ignore_errors=True)
    own = record.ways[OWN]
    say(
        f"{job}: micro F1 {100 * own['micro_f1']:.2f}, macro F1 {100 * own['macro_f1_all']:.2f} on "
        f"{count_of(own['documents'], 'test document')}, after {time.perf_counter() - started:,.0f} seconds."
    )
    for note in made.notes:
        say(f"{job}: {note}")
    return True


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, BranchwiseError) else f"{type(error).__name__}: {text}"


def forget(output: str | Path, names: Sequence[str]) -> list[str]:
    """Take systems out of a comparison's folder, with their models; return the names that were there."""
    folder = Path(output)
    known = {record.name for record in files.records(folder)}
    for name in names:
        if name not in known:
            raise BranchwiseError(
                f"{folder} holds no system {name!r} to forget: it has {', '.join(sorted(known)) or 'none'}."
            )
        for record in files.records(folder):
            if record.name == name:
                shutil.rmtree(folder / files.MODELS / record.stem, ignore_errors=True)
                (folder / files.RUNS / f"{record.stem}.json").unlink()
                for one in (folder / files.RUNS).glob(f"{record.stem}.*.jsonl.gz"):
                    one.unlink()
    return list(names)
