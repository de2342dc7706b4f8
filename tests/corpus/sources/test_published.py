"""A built benchmark is measured against the paper's tables: silence where it agrees, a sentence where not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from branchwise.corpus.lengths import Spread
from branchwise.corpus.sources.published import differences, occurrences, paper_statistics
from branchwise.corpus.statistics import LevelStatistics, Statistics

TITLES = ("RCV1-V2", "NYT", "WOS")
SPREAD = Spread(*[0] * len(Spread.__dataclass_fields__))


def as_in_the_paper(title: str) -> Statistics:
    """Statistics that have every figure of the paper's Tables 1 and 2."""
    paper = paper_statistics(title)
    assert paper is not None
    sizes = {name: paper[name] for name in ("train", "validation", "test")}
    levels = tuple(
        LevelStatistics(level, 1, 1, times + 0.3, {}) for level, times in enumerate(occurrences(title), 1)
    )
    return Statistics(
        sizes=sizes,
        documents=sum(sizes.values()),
        labels=paper["labels"],
        labels_in_use=paper["labels"],
        depth=paper["depth"],
        labels_per_document=paper["mean_labels"] + 0.004,
        most_labels=paper["max_labels"],
        label_set_sizes={},
        levels=levels,
        paths_per_document=1.0,
        most_paths=1,
        multi_path_share=0.0,
        inner_stop_share=0.0,
        unlabelled=0,
        words=SPREAD,
        words_by_part={},
    )


@pytest.mark.parametrize("title", TITLES)
def test_nothing_is_said_where_all_agrees(title: str) -> None:
    assert differences(title, as_in_the_paper(title)) == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"labels": 140}, "WOS has 140 labels here, 141 in the paper."),
        ({"depth": 3}, "WOS has 3 levels here, 2 in the paper."),
        ({"most_labels": 3}, "WOS has 3 labels at most here, 2 in the paper."),
        ({"labels_per_document": 2.2}, "WOS has 2.2 labels a document here, 2.0 in the paper."),
        (
            {"sizes": {"train": 30_069, "validation": 7_518, "test": 9_397}},
            "WOS has 30,069 training documents here, 30,070 in the paper.",
        ),
        (
            {"sizes": {"train": 30_070, "test": 9_397}},
            "WOS has 0 validation documents here, 7,518 in the paper.",
        ),
        (
            {"sizes": {"train": 30_070, "validation": 7_518, "test": 9_000}},
            "WOS has 9,000 test documents here, 9,397 in the paper.",
        ),
    ],
)
def test_one_sentence_for_every_figure_that_differs(change: dict[str, Any], sentence: str) -> None:
    assert differences("WOS", replace(as_in_the_paper("WOS"), **change)) == [sentence]


def test_occurrences_of_a_level() -> None:
    same = as_in_the_paper("WOS")
    levels = (replace(same.levels[0], occurrences_per_label=6_000.2), same.levels[1])
    assert differences("WOS", replace(same, levels=levels)) == [
        "A label of level 1 occurs 6,000 times on average here, 6,712 in the paper."
    ]


def test_several_at_once() -> None:
    assert len(differences("NYT", replace(as_in_the_paper("NYT"), labels=1, depth=1, most_labels=1))) == 3


@pytest.mark.parametrize("title", ["BGC", "arXiv"])
def test_nothing_is_said_of_what_the_paper_does_not_have(title: str) -> None:
    assert differences(title, as_in_the_paper("WOS")) == []


def test_the_sizes_are_those_of_the_splits() -> None:
    rows = {title: paper_statistics(title) for title in TITLES}
    assert all(row is not None for row in rows.values())
    assert sum(rows["WOS"][name] for name in ("train", "validation", "test")) == 46_985
