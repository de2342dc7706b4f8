"""Whether one system is better than another, in words that nobody can mistake, as the paired bootstrap has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from branchwise.report.evaluation_tables import SPOKEN

if TYPE_CHECKING:
    from branchwise.evaluation import PairedBootstrap

Standing = Literal["better", "even", "worse"]
METRICS = ("micro_f1", "macro_f1_all")


def standing(comparison: PairedBootstrap, metric: str) -> Standing:
    """Say how the first system stands to the second: ``even`` is what the choice of documents could explain."""
    one = comparison[metric]
    if one.low > 0:
        return "better"
    return "worse" if one.high < 0 else "even"


def verdict(comparison: PairedBootstrap, first: str, second: str, metrics: Sequence[str] = METRICS) -> str:
    """Return one sentence on whether the first system is better than the second.

    Parameters
    ----------
    comparison
        What :func:`branchwise.evaluation.paired_bootstrap` returns.
    first, second
        What to call the systems.
    metrics
        What the sentence speaks of.
    """
    found: dict[Standing, list[str]] = {"better": [], "even": [], "worse": []}
    for metric in metrics:
        one = comparison[metric]
        numbers = f"{100 * one.first:.1f} against {100 * one.second:.1f} %"
        found[standing(comparison, metric)].append(f"{SPOKEN[metric]} ({numbers})")
    better, even, worse = (" and ".join(found[one]) for one in ("better", "even", "worse"))
    chance = f"the difference in {even} could be the choice of test documents alone"
    rest = [
        *([f"it is worse in {worse}"] if worse else []),
        *([chance] if even else []),
    ]
    if better:
        but = f", but {', and '.join(rest)}" if rest else ""
        return f"{first} is better than {second} in {better}{but}."
    return f"{first} is not better than {second}: {', and '.join(rest)}."
