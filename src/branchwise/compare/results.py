"""What a comparison has found: its runs, their mean and spread, and the predictions behind them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from branchwise.compare import folder as files
from branchwise.compare.folder import Record
from branchwise.compare.making import OWN, TUNED
from branchwise.compare.systems import place_of
from branchwise.corpus import Corpus
from branchwise.errors import BranchwiseError
from branchwise.taxonomy import LabelSets, Taxonomy


@dataclass(frozen=True)
class Spread:
    """A number over several runs."""

    mean: float
    sd: float | None
    """Of a sample (divided by one less than the runs); None for a single run."""
    runs: int

    def text(self, factor: float = 100.0, decimals: int = 2) -> str:
        """Return ``68.61 ± 0.12``, or the number alone."""
        mean = f"{factor * self.mean:,.{decimals}f}"
        return mean if self.sd is None else f"{mean} ± {factor * self.sd:.{decimals}f}"


def spread(values: Iterable[float | None]) -> Spread | None:
    """Return the mean and standard deviation of what is there; None where nothing is."""
    known = [float(one) for one in values if one is not None]
    if not known:
        return None
    return Spread(statistics.fmean(known), statistics.stdev(known) if len(known) > 1 else None, len(known))


@dataclass(frozen=True, eq=False)
class Said:
    """What one run says of the test documents."""

    sets: LabelSets
    confidence: np.ndarray | None  # [N], the F1 that its scores promise for what it says
    confidence_in_label: np.ndarray | None  # [N], and for the label that the document came with


@dataclass(frozen=True)
class System:
    """All runs of one row."""

    name: str
    system: str
    group: str
    runs: tuple[Record, ...]
    """By seed; those that came to predictions."""
    failed: tuple[Record, ...] = ()

    @property
    def is_ours(self) -> bool:
        """Whether it decodes, so that it has a free and a constrained way."""
        return any("free" in one.ways for one in self.runs)

    def over_runs(self, read: Callable[[dict[str, Any]], float | None], way: str = OWN) -> Spread | None:
        """Return what ``read`` takes from the evaluation of every run that has this way."""
        return spread(read(one.ways[way]) for one in self.runs if way in one.ways)

    def metric(self, name: str, way: str = OWN) -> Spread | None:
        """Return a metric by its name, as in ``micro_f1`` or ``hierarchy.path_accuracy``."""
        return self.over_runs(lambda one: pick(one, name), way)

    def cost(self, name: str) -> Spread | None:
        """Return a cost by its name: ``training_seconds``, ``documents_a_second``, ``bytes``."""
        return spread(one.costs.get(name) for one in self.runs)


@dataclass(frozen=True)
class Results:
    """A comparison as its folder holds it."""

    folder: Path
    train: Corpus
    test: Corpus
    systems: tuple[System, ...]
    """In the order of tables; those with at least one finished run."""
    failed: tuple[Record, ...]

    @property
    def tree(self) -> Taxonomy:
        """The taxonomy of all."""
        return self.test.taxonomy

    def __getitem__(self, name: str) -> System:
        return next(one for one in self.systems if one.name == name)

    def said(self, way: str = OWN) -> dict[str, Said]:
        """Return what the first run of every system says, in this way where it has it, else as it decides by itself."""
        found = {}
        for one in self.systems:
            run = one.runs[0]
            found[one.name] = read_said(self, run, way if way in run.ways else OWN)
        return found

    def by_metric(self, name: str = "micro_f1") -> list[System]:
        """Return the systems, the best first as they decide by themselves."""
        return self.by_metric_of(OWN, name)

    def by_metric_of(self, way: str, name: str = "micro_f1") -> list[System]:
        """Return the systems that have a way to decide, the best in it first."""
        having = {one.name: found.mean for one in self.systems if (found := one.metric(name, way))}
        return sorted((self[name] for name in having), key=lambda one: -having[one.name])

    def with_way(self, way: str) -> list[System]:
        """Return the systems that have a way to decide, in the order of tables."""
        return [one for one in self.systems if one.metric("micro_f1", way) is not None]

    @property
    def has_tuned(self) -> bool:
        """Whether any system has learned on validation how to decide."""
        return bool(self.with_way(TUNED))


def pick(evaluation: dict[str, Any], name: str) -> float | None:
    """Return a metric of an evaluation by its dotted name; None where it was not measured."""
    value: Any = evaluation
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def read_results(folder: str | Path, train: Corpus, test: Corpus) -> Results:
    """Return what a folder holds; raise where no run came to predictions."""
    folder = Path(folder)
    by_name: dict[str, list[Record]] = {}
    for one in files.records(folder):
        by_name.setdefault(one.name, []).append(one)
    systems = []
    for name, runs in by_name.items():
        runs.sort(key=lambda one: one.seed)
        done = tuple(one for one in runs if one.status == "done")
        lost = tuple(one for one in runs if one.status == "failed")
        systems.append(System(name, runs[0].system, runs[0].group, done, lost))
    systems.sort(key=lambda one: place_of(one.name, one.system, one.group))
    failed = tuple(run for one in systems for run in one.failed)
    whole = tuple(one for one in systems if one.runs)
    if not whole:
        why = (
            f"; the first: {failed[0].name}: {failed[0].error}" if failed else ": name systems to make some."
        )
        raise BranchwiseError(f"No run in {folder} came to predictions{why}")
    return Results(folder, train, test, whole, failed)


def read_said(results: Results, run: Record, way: str = OWN) -> Said:
    """Return the predictions of a run."""
    path = files.predictions_file(results.folder, run.name, run.seed, way)
    index, sets, sure, of_label = results.tree.index, [], [], []
    for line in files.read_lines(path):
        sets.append([index[label] for label in line["labels"]])
        sure.append(line.get("confidence"))
        of_label.append(line.get("confidence_in_label"))
    if len(sets) != len(results.test):
        raise BranchwiseError(
            f"{path} holds {len(sets):,} predictions for {len(results.test):,} test documents: remove it and run again."
        )
    return Said(LabelSets.from_lists(sets), _numbers(sure), _numbers(of_label))


def _numbers(values: Sequence[float | None]) -> np.ndarray | None:
    return None if any(one is None for one in values) else np.array(values, np.float64)
