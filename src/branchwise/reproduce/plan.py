"""What a reproduction will take, said before it begins: disk, and the time of training and predicting."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from branchwise.choices import VARIANTS
from branchwise.compare.systems import Entry
from branchwise.corpus.estimate import Estimate, count_of, duration, expected_training
from branchwise.corpus.sources.published import paper_statistics
from branchwise.errors import BranchwiseError
from branchwise.training.settings import Settings

BYTES_A_DOCUMENT = 700  # of text in a compressed part; arXiv abstracts take 240, longer news more
BYTES_A_PREDICTION = 120  # a document, way to decide and run, compressed
WAYS = 3
CHECKPOINTS = 2  # of a run, beside the model itself
FORWARD = 1 / 3  # share of a training step's operations that predicting takes
DECODINGS = 2  # the test documents are decoded freely and under the constraint


@dataclass(frozen=True)
class Plan:
    """The sizes that time and disk follow from."""

    documents: dict[str, int]
    labels: int
    labels_per_document: float

    @classmethod
    def of_paper(cls, title: str) -> Plan | None:
        """Return the paper's own sizes for a benchmark; None where it has none."""
        paper = paper_statistics(title)
        if paper is None:
            return None
        sizes = {name: int(paper[name]) for name in ("train", "validation", "test")}
        return cls(sizes, int(paper["labels"]), float(paper["mean_labels"]))

    def disk(self, runs: int, weight_bytes: int) -> int:
        """Return the bytes that parts, predictions and checkpoints take, at most about."""
        texts = sum(self.documents.values()) * BYTES_A_DOCUMENT
        predictions = self.documents["test"] * BYTES_A_PREDICTION * WAYS * runs
        return texts + predictions + CHECKPOINTS * weight_bytes

    def sentences(self, entries: Sequence[Entry], settings: Settings, seeds: int, folder: Path) -> list[str]:
        """Return what to expect, or raise where the disk is too small for it."""
        ours = seeds * sum(one.system in VARIANTS for one in entries)
        runs = sum(len(one.seeds(seeds)) for one in entries)
        found, weights = [], 0
        if ours:
            try:
                expected = self._expected(settings)
            except BranchwiseError as error:  # a hub's own model has sizes that are known once it is fetched
                found.append(f"How long it takes, and the disk for checkpoints, cannot be estimated: {error}")
            else:
                weights = expected.weight_bytes
                again = expected.training_flops_per_document * FORWARD * DECODINGS * self.documents["test"]
                predicting = again / (expected.machine_flops * expected.share_reached)
                found.append(
                    f"{count_of(ours, 'run')} of our own model: at most about "
                    f"{duration(ours * (expected.seconds + predicting))} on this machine ({expected.device}; "
                    f"{duration(expected.seconds)} of training and {duration(predicting)} of prediction each, good to "
                    "a factor of two, as if all texts were as long as the limit). Rivals come on top: linear ones take "
                    "minutes, networks from minutes for a few thousand documents to hours."
                )
        needed = self.disk(runs, weights)
        free = shutil.disk_usage(next(one for one in (folder, *folder.parents) if one.exists())).free
        if free < needed:
            raise BranchwiseError(
                f"{folder} needs about {_spoken(needed)} of disk and {_spoken(free)} are free: free some, or choose "
                "another folder for --output."
            )
        found.append(f"It takes at most about {_spoken(needed)} of disk, {_spoken(free)} are free.")
        return found

    def _expected(self, settings: Settings) -> Estimate:
        return expected_training(
            self.documents["train"],
            self.labels,
            self.labels_per_document,
            settings.backbone,
            passes=settings.passes,
            batch=settings.batch,
            input_limit=settings.input_limit,
            units=settings.units,
        )


def _spoken(size: int) -> str:
    """Return bytes in words."""
    return f"{size / 1e9:,.1f} GB" if size >= 1e8 else f"{size / 1e6:,.1f} MB"
