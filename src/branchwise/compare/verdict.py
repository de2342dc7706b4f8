"""What a comparison comes to, in a sentence or two that say no more than the bootstrap does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from branchwise.compare.making import OWN, TUNED
from branchwise.compare.results import Results
from branchwise.compare.significance import Pair


def verdicts(results: Results, pairs: Mapping[str, Sequence[Pair]]) -> list[str]:
    """Return what to know first: the best system, what it is surely better than, and what tuning changes."""
    best = results.by_metric()[0]
    top = best.metric("micro_f1")
    if top is None:
        return []
    if len(results.systems) == 1:
        return [
            f"{best.name} reaches {top.text(decimals=1)} % micro F1; there is nothing to compare it with."
        ]
    sentences = [
        f"{best.name} has the highest micro F1, {top.text(decimals=1)} %{_beaten(best.name, pairs[OWN])}"
    ]
    macro = results.by_metric("macro_f1_all")[0]
    reached = macro.metric("macro_f1_all")
    if reached is not None and macro.name != best.name:
        sentences.append(f"The highest macro F1, {reached.text(decimals=1)} %, is that of {macro.name}.")
    tuned = results.by_metric_of(TUNED)
    if len(tuned) > 1 and (value := tuned[0].metric("micro_f1", TUNED)) is not None:
        sentences.append(
            f"When every system tunes its decisions on the same validation documents, {tuned[0].name} leads with "
            f"{value.text(decimals=1)} % micro F1{_beaten(tuned[0].name, pairs[TUNED])}"
        )
    return sentences


def seeds_sentence(pairs: Sequence[Pair]) -> str:
    """Say what the differences rest on and what is not in them."""
    if not pairs:
        return "There is one system, so there is no difference to test."
    one = pairs[0].bootstrap
    return (
        f"Each difference is that of the systems’ first runs, over {one.resamples:,} resamples of {one.documents:,} "
        f"test documents. It survives where its p-value, corrected by Holm’s rule for {len(pairs):,} pairs, is at most "
        "0.05. How far other seeds would move a system is not in it: see the standard deviations."
    )


def _beaten(best: str, pairs: Sequence[Pair]) -> str:
    """Say over which systems the lead survives, over which it may be chance, and which are level."""
    sure: list[str] = []
    open_: list[str] = []
    level: list[str] = []
    for one in pairs:
        if best in (one.first, one.second):
            other = one.second if one.first == best else one.first
            difference = one.bootstrap["micro_f1"].difference
            leads = (difference > 0) == (one.first == best)
            (level if not difference else sure if leads and one.survives("micro_f1") else open_).append(other)
    beside = f", level with {_listed(level)}" if level else ""
    if sure and open_:
        return (
            f"{beside}: more than the choice of test documents explains over {_listed(sure)}, but not over "
            f"{_listed(open_)}."
        )
    if sure:
        return f"{beside}: more than the choice of test documents explains over {_listed(sure)}."
    if open_:
        return (
            f"{beside}, but the choice of test documents alone could explain its lead over {_listed(open_)}."
        )
    return f"{beside}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
