"""Which differences survive the choice of test documents: the paired bootstrap over all systems at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from branchwise.evaluation.bootstrap import (
    METRICS,
    ROUNDING,
    Difference,
    PairedBootstrap,
    count_table,
    draw_weights,
    weighted_metrics,
)
from branchwise.progress import Progress
from branchwise.taxonomy import LabelSets, Taxonomy

LEVEL = 0.05
SHOWN = ("micro_f1", "macro_f1_all")


@dataclass(frozen=True)
class Pair:
    """Two systems on the same documents."""

    first: str
    second: str
    bootstrap: PairedBootstrap
    adjusted: dict[str, float]
    """By metric, the p-value after Holm's correction for the number of pairs."""

    def survives(self, metric: str) -> bool:
        """Say whether the difference in a metric is more than the choice of documents explains."""
        return self.adjusted[metric] <= LEVEL

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        differences = [
            {
                **asdict(one),
                "adjusted_p_value": self.adjusted[one.metric],
                "survives": self.survives(one.metric),
            }
            for one in self.bootstrap.differences
        ]
        return {"first": self.first, "second": self.second, "differences": differences}


def all_pairs(
    tree: Taxonomy,
    truth: LabelSets,
    systems: Mapping[str, LabelSets],
    *,
    resamples: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> list[Pair]:
    """Compare every two systems over the same resamples, which are those of ``paired_bootstrap``."""
    if len(systems) < 2:
        return []
    table = count_table(tree, truth, *systems.values())
    observed = weighted_metrics(table, np.ones((len(truth), 1), np.int32), len(tree))[..., 0]  # [S, M]
    drawn = []
    with Progress("Resampling documents", resamples, "resamples") as progress:
        for weights in draw_weights(len(truth), resamples, seed):
            drawn.append(weighted_metrics(table, weights, len(tree)))
            progress.advance(weights.shape[1])
    resampled = np.concatenate(drawn, axis=-1)  # [S, M, resamples]
    tail = (1 - confidence) / 2
    found = []
    for (a, first), (b, second) in combinations(enumerate(systems), 2):
        shown, moved = observed[a] - observed[b], resampled[a] - resampled[b]
        low, high = np.quantile(moved, [tail, 1 - tail], axis=-1)
        as_far = np.abs(moved - shown[:, None]) >= np.abs(shown)[:, None] - ROUNDING
        p_values = (1 + as_far.sum(axis=-1)) / (1 + resamples)
        columns = (observed[a], observed[b], shown, low, high, p_values)
        rows = zip(METRICS, *(one.tolist() for one in columns), strict=True)
        differences = tuple(Difference(*row) for row in rows)
        found.append((first, second, PairedBootstrap(len(truth), resamples, seed, confidence, differences)))
    adjusted = {metric: holm([one[metric].p_value for _, _, one in found]) for metric in METRICS}
    return [
        Pair(first, second, one, {metric: adjusted[metric][at] for metric in METRICS})
        for at, (first, second, one) in enumerate(found)
    ]


def holm(p_values: list[float]) -> list[float]:
    """Return p-values that allow for how many there are, by Holm's step-down rule."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for rank, at in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = least
    return adjusted
