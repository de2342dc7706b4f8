"""The pictures of a comparison, drawn into its folder for the page and for papers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from branchwise.compare.analysis import Analysis
from branchwise.compare.making import OWN
from branchwise.compare.results import Results, Spread
from branchwise.compare.tables import bucket_f1, counted, level_f1
from branchwise.evaluation.calibration import Calibration, ReliabilityBin
from branchwise.report import style
from branchwise.report.figures.comparison import Costs, Profile, draw_costs, draw_profiles
from branchwise.report.figures.reliability import draw_reliability

FOLDER = "figures"
ACROSS = 3  # reliability diagrams in one picture
Pictures = dict[str, list[tuple[Path, str, str]]]
"""By section: files, what they say to those who cannot see them, and captions."""


def draw_all(analysis: Analysis, folder: Path) -> Pictures:
    """Draw all pictures; raise where matplotlib is missing."""
    place = folder / FOLDER
    style.check_picture(place / "levels.svg")
    place.mkdir(parents=True, exist_ok=True)
    results = analysis.results
    note = "The line through a dot is the standard deviation over seeds." if _has_spread(results) else ""
    levels = [
        f"level {one['level']}\n{counted(one['labels'])}"
        for one in results.systems[0].runs[0].ways[OWN]["levels"]
    ]
    draw_profiles(
        [_profile(one.name, [level_f1(one, at) for at in range(len(levels))]) for one in results.systems],
        levels,
        place / "levels.svg",
        title="Macro F1 by level, as systems decide, in %",
        note=note,
    )
    columns = [f"{one.name}\n{counted(len(one.positions))}" for one in analysis.buckets]
    draw_profiles(
        [_profile(one.name, [bucket_f1(one, each) for each in analysis.buckets]) for one in results.systems],
        columns,
        place / "frequency.svg",
        title="Macro F1 by training documents of a label, as systems decide, in %",
        note=note,
        below="training documents of a label, and how many such labels the test has",
    )
    pictures: Pictures = {
        "levels": [
            (
                place / "levels.svg",
                "Macro F1 of every system on every level.",
                "The average over all labels of a level, those that no test document has among them.",
            )
        ],
        "frequency": [
            (
                place / "frequency.svg",
                "Macro F1 of every system for rare and frequent labels.",
                "Labels that no test document has are not among them.",
            )
        ],
    }
    if costs := _draw_costs(results, place / "costs.svg"):
        pictures["costs"] = [costs]
    pictures["reliability"] = _draw_reliability(results, place)
    return pictures


def _draw_costs(results: Results, path: Path) -> tuple[Path, str, str] | None:
    kinds = {"seconds of training": "training_seconds", "seconds to predict the test": "prediction_seconds"}
    points = {
        what: [
            Costs(one.name, seconds.mean, f1.mean)
            for one in results.systems
            if (seconds := one.cost(cost)) is not None and (f1 := one.metric("micro_f1")) is not None
        ]
        for what, cost in kinds.items()
    }
    if not all(points.values()):
        return None
    draw_costs(points, path, title="Micro F1 in %, and what it takes")
    return path, "Micro F1 against seconds of training and of prediction.", "Up and to the left is better."


def _draw_reliability(results: Results, place: Path) -> list[tuple[Path, str, str]]:
    measured = {}
    for one in results.systems:
        found = one.runs[0].ways[OWN].get("calibration")
        if found:
            bins = tuple(ReliabilityBin(**each) for each in found["bins"])
            measured[one.name] = Calibration(found["expected_calibration_error"], found["brier"], bins)
    pictures = []
    rows = -(-len(measured) // ACROSS)
    for number, names in enumerate(np.array_split(list(measured), rows) if rows else (), 1):
        several = {str(name): measured[str(name)] for name in names}
        path = place / f"reliability-{number}.svg"
        draw_reliability(several, path)
        pictures.append(
            (
                path,
                f"How often what is scored so is true: {', '.join(several)}.",
                "A dot on the diagonal is a score that is true as often as it says; below, how many document–label "
                "pairs have such a score.",
            )
        )
    return pictures


def _profile(name: str, values: list[Spread | None]) -> Profile:
    return Profile(
        name,
        [None if one is None else one.mean for one in values],
        [None if one is None else one.sd for one in values],
    )


def _has_spread(results: Results) -> bool:
    return any(len(one.runs) > 1 for one in results.systems)
