"""Learning curves and the tree with scores: legible whatever the numbers are, and true to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.text import Text

from branchwise.errors import BranchwiseError
from branchwise.report import style
from branchwise.report.figures import Curve, draw_curves, draw_tree
from tests.report.test_figures import NAMES, assert_legible, drawn, pixels, tree_of

__all__ = ["drawn"]

METRICS = ("micro F1", "macro F1 over all labels")


def curve(name: str, documents: list[float], *values: list[float], system: str = "") -> Curve:
    return Curve(name, documents, dict(zip(METRICS, values, strict=True)), system)


def texts(figure: Any) -> list[Text]:
    return [one for one in figure.findobj(Text) if one.get_text().strip()]


CASES = {
    "usual": [
        curve("ours", [1600, 3200, 8000], [0.4, 0.5, 0.66], [0.1, 0.3, 0.55], system="a"),
        curve("ours, decided", [8000], [0.67], [0.56], system="a"),
        curve("theirs", [320, 1600, 3233], [0.3, 0.5, 0.6], [0.2, 0.4, 0.5], system="b"),
        curve("theirs, tuned", [320, 1600, 3233], [0.4, 0.6, 0.601], [0.3, 0.45, 0.5], system="b"),
    ],
    "one point": [curve("one", [8], [0.5], [0.0])],
    "all the same": [curve(name, [10, 20], [0.5, 0.5], [0, 0]) for name in ("a", "b", "c")],
    "perfect and hopeless": [curve("a", [1, 1e6], [0, 1], [1, 0]), curve("b", [5e5, 1e6], [1, 1], [0, 0])],
    "odd names": [curve(name * 3, [1, 9], [0.1 * at, 0.3], [0.2, 0.4]) for at, name in enumerate(NAMES[:4])],
    "one that is empty": [curve("none", [], [], []), curve("some", [1, 2], [0.1, 0.2], [0.1, 0.2])],
}


@pytest.mark.parametrize("case", CASES)
def test_curves(case: str, tmp_path: Path, drawn: list[Any]) -> None:
    path = tmp_path / "curves.png"
    draw_curves(
        CASES[case], path, title=NAMES[3], note="A note that is long. " * 20, marks={3233: "all of them"}
    )
    assert pixels(path).std() > 0.01
    assert_legible(drawn[0])


def test_last_values_are_written_in_the_colour_of_their_system(tmp_path: Path, drawn: list[Any]) -> None:
    draw_curves(CASES["usual"], tmp_path / "curves.png")
    colours = {one.get_text(): one.get_color() for one in texts(drawn[0])}
    assert colours["66.0"] == colours["67.0"] == colours["55.0"] == style.SERIES[0]
    assert colours["60.0"] == colours["60.1"] == style.SERIES[1]


def test_curves_of_an_unknown_suffix(tmp_path: Path) -> None:
    with pytest.raises(BranchwiseError, match=r"curves\.gif"):
        draw_curves(CASES["one point"], tmp_path / "curves.gif")


@pytest.mark.parametrize("size", [1, 7, 161, 3000])
def test_tree_with_scores(size: int, tmp_path: Path, drawn: list[Any]) -> None:
    tree = tree_of(size, roots=min(size, 3))
    scores = np.random.default_rng(0).random(size)
    predicted = [tree.ids[0], *(tree.ids[one] for one in tree.children(0))][:4]
    draw_tree(tree, tmp_path / "tree.png", scores=scores, predicted=predicted)
    assert_legible(drawn[0])


def test_predicted_labels_stand_out_and_are_never_hidden(tmp_path: Path, drawn: list[Any]) -> None:
    tree = tree_of(3000)
    root = int(np.argmax(tree.subtree_size[:3]))
    worst = tree.children(root)[-1]
    scores = np.linspace(1, 0.5, 3000)
    scores[[root, worst]] = 0.013, 0.012
    predicted = [tree.ids[root], tree.ids[worst]]
    draw_tree(tree, tmp_path / "tree.png", max_labels=80, scores=scores, predicted=predicted)
    bold = {one.get_text() for one in texts(drawn[0]) if one.get_weight() == "bold"}
    assert {"0.01", predicted[1]} <= bold | {one.get_text() for one in texts(drawn[0])}
    assert "0.01" in bold
    assert sum(one.get_text() == "0.01" for one in texts(drawn[0])) == 2


def test_hardly_any_score_is_not_written(tmp_path: Path, drawn: list[Any]) -> None:
    draw_tree(
        tree_of(4, roots=4), tmp_path / "t.png", scores=np.array([0.87, 0.004, 0.0, 1.0]), predicted=["L3"]
    )
    shown = [one.get_text() for one in texts(drawn[0])]
    assert "0.87" in shown
    assert "1.00" in shown
    assert "0.00" not in shown
