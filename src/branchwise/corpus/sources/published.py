"""What has been published about the benchmarks, each figure with its source; facts to print beside our own."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from branchwise.corpus.sources.benchmark import bundled_bytes
from branchwise.corpus.statistics import Statistics

SPLITS = ("train", "validation", "test")


@cache
def published() -> dict[str, Any]:
    """Return everything that is known, as published.json has it."""
    known: dict[str, Any] = json.loads(bundled_bytes("published.json"))
    return known


def paper_statistics(title: str) -> dict[str, Any] | None:
    """Return the row of the paper's Table 1 for a benchmark by its title; None where the paper has none."""
    rows = published()["dataset_statistics"]["rows"]
    return next((one for one in rows if one["dataset"] == title), None)


def occurrences(title: str) -> list[float]:
    """Return the paper's Table 2 for a benchmark: mean occurrences of a label, level by level."""
    return list(published()["mean_occurrences_per_level"]["rows"].get(title, ()))


def differences(title: str, measured: Statistics) -> list[str]:
    """Return a sentence for every figure of the paper's Tables 1 and 2 that a built benchmark does not have."""
    paper = paper_statistics(title)
    if paper is None:
        return []
    ours: dict[str, float] = {
        "labels": measured.labels,
        "depth": measured.depth,
        "mean_labels": round(measured.labels_per_document, 2),
        "max_labels": measured.most_labels,
        **{name: measured.sizes.get(name, 0) for name in SPLITS},
    }
    words = {
        "mean_labels": "labels a document",
        "max_labels": "labels at most",
        "train": "training documents",
    }
    words |= {"validation": "validation documents", "test": "test documents", "depth": "levels"}
    found = [
        f"{title} has {ours[name]:,} {words.get(name, name)} here, {paper[name]:,} in the paper."
        for name in ours
        if abs(ours[name] - paper[name]) > (0.05 if name == "mean_labels" else 0)
    ]
    table = occurrences(title)
    for one, theirs in zip(measured.levels, table, strict=False):
        if round(one.occurrences_per_label) != theirs:
            found.append(
                f"A label of level {one.level} occurs {one.occurrences_per_label:,.0f} times on average here, "
                f"{theirs:,} in the paper."
            )
    return found
