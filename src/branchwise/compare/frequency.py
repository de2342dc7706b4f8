"""F1 by how many training documents a label has: what is frequent is easy, and averages hide the rest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

BOUNDS = (0, 1, 10, 50, 200, 1000)  # where buckets begin, in training documents


@dataclass(frozen=True)
class Bucket:
    """The labels with so many training documents that are true of some test document."""

    low: int
    high: int | None
    """Not in the bucket; None for the last."""
    positions: tuple[int, ...]

    @property
    def name(self) -> str:
        """The bounds in words."""
        if self.high is None:
            return f"{self.low:,} or more"
        return f"{self.low:,} to {self.high - 1:,}" if self.high > self.low + 1 else f"{self.low:,}"


def buckets(training: np.ndarray, support: np.ndarray) -> list[Bucket]:
    """Return the buckets that hold labels.

    Parameters
    ----------
    training, support
        Documents of every label in training and in the test, [K].
    """
    found = []
    for low, high in zip(BOUNDS, (*BOUNDS[1:], None), strict=True):
        inside = (training >= low) & (support > 0)
        if high is not None:
            inside &= training < high
        if inside.any():
            found.append(Bucket(low, high, tuple(np.flatnonzero(inside).tolist())))
    return found


def f1_of(evaluation: dict[str, Any], positions: Iterable[int]) -> dict[str, float]:
    """Return micro and macro F1 over some labels, from an evaluation's figures by label."""
    labels = [evaluation["per_label"][at] for at in positions]
    hits = sum(one["precision"] * one["predicted"] for one in labels)
    whole = sum(one["predicted"] + one["support"] for one in labels)
    return {
        "micro_f1": 2 * hits / whole if whole else 0.0,
        "macro_f1": sum(one["f1"] for one in labels) / len(labels) if labels else 0.0,
    }
