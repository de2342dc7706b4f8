"""All that a comparison shows beside its plain numbers, worked out once for the page and the files."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from branchwise.compare.errors import (
    Confusion,
    Mistake,
    Suspect,
    document_f1,
    likely_label_errors,
    sibling_confusions,
    that_do_well,
    worst_documents,
)
from branchwise.compare.frequency import Bucket, buckets
from branchwise.compare.making import OWN, TUNED
from branchwise.compare.results import Results, System
from branchwise.compare.significance import Pair, all_pairs
from branchwise.compare.verdict import verdicts

HARDEST = 5  # documents that all systems get wrong


@dataclass(frozen=True)
class Analysis:
    """Differences, errors and suspicions, about the first run of every system.

    Errors are those of its tuned decisions where it has them: a system that hardly dares to predict shows none.
    """

    results: Results
    pairs: dict[str, list[Pair]]
    """By way to decide: as systems decide by themselves, and tuned."""
    buckets: list[Bucket]
    confusions: dict[str, list[Confusion]]
    worst: dict[str, list[Mistake]]
    hardest: list[tuple[int, float]]
    """Rows of the documents with the lowest F1 averaged over all systems, and that average."""
    judges: list[str]
    """The systems that do well."""
    suspects: list[Suspect]

    @property
    def verdicts(self) -> list[str]:
        """What to know first."""
        return verdicts(self.results, self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON has it, with ids for documents and labels."""
        ids, label = self.results.test.ids, self.results.tree.ids

        def named(labels: tuple[int, ...]) -> list[str]:
            return [label[one] for one in labels]

        return {
            "differences": {way: [one.to_dict() for one in pairs] for way, pairs in self.pairs.items()},
            "label_frequency": [
                {"from": one.low, "below": one.high, "labels": named(one.positions)} for one in self.buckets
            ],
            "sibling_confusions": {
                name: [
                    {**asdict(one), "true": label[one.true], "predicted": label[one.predicted]}
                    for one in several
                ]
                for name, several in self.confusions.items()
            },
            "worst_documents": {
                name: [
                    {
                        "id": ids[one.row],
                        "f1": one.f1,
                        "missed": named(one.missed),
                        "wrong": named(one.wrong),
                    }
                    for one in several
                ]
                for name, several in self.worst.items()
            },
            "hardest_documents": [{"id": ids[row], "mean_f1": value} for row, value in self.hardest],
            "likely_label_errors": {
                "systems_asked": self.judges,
                "documents": [
                    {
                        "id": ids[one.row],
                        "labels": list(self.results.test.labels.to_ids(self.results.tree)[one.row]),
                        "agreed": named(one.labels),
                        "systems": list(one.systems),
                        "confidence": one.confidence,
                        "confidence_in_label": one.confidence_in_label,
                    }
                    for one in self.suspects
                ],
            },
        }


def analyse(results: Results, *, resamples: int = 1000) -> Analysis:
    """Work out what the predictions of a comparison show."""
    tree, truth = results.tree, results.test.labels
    said = results.said(TUNED)
    sets = {name: one.sets for name, one in said.items()}
    judges = that_do_well({one.name: float(best_way(one)["micro_f1"]) for one in results.systems})
    mean = np.mean([document_f1(truth, one) for one in sets.values()], axis=0)
    order = np.lexsort((-truth.sizes, mean))[:HARDEST].tolist()
    tuned = {one.name: sets[one.name] for one in results.by_metric_of(TUNED)}
    own = {name: one.sets for name, one in results.said(OWN).items()}
    return Analysis(
        results,
        {
            OWN: all_pairs(tree, truth, own, resamples=resamples),
            TUNED: all_pairs(tree, truth, tuned, resamples=resamples),
        },
        buckets(results.train.labels.counts(len(tree)), truth.counts(len(tree))),
        {name: sibling_confusions(tree, truth, one) for name, one in sets.items()},
        {name: worst_documents(truth, one) for name, one in sets.items()},
        [(row, float(mean[row])) for row in order if mean[row] < 1],
        judges,
        likely_label_errors(tree, truth, {name: said[name] for name in judges}),
    )


def best_way(system: System) -> dict[str, Any]:
    """Return the evaluation of a system's first run, tuned where it can be."""
    ways = system.runs[0].ways
    return ways.get(TUNED, ways[OWN])
