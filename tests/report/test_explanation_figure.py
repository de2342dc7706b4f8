"""Explanations drawn and printed: legible whatever the labels and the text are, and true to the numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from branchwise import Taxonomy
from branchwise.errors import BranchwiseError
from branchwise.report.explanation_text import explanation_text, label_table
from branchwise.report.figures.explanation import draw_explanation, subtitle
from branchwise.report.figures.word_blocks import best_parts
from tests.report.explained import explanation_of
from tests.report.test_figures import NAMES, assert_legible, drawn, pixels

__all__ = ["drawn"]

TREE = Taxonomy.from_nodes(list("abcdef"), [None, None, "a", "b", "c", "a"], ["Arts", *"BCDEF"])
TEXT = "Some words of a document that is about sculptures, and about what people write on them."


@pytest.fixture(autouse=True)
def _no_warnings(recwarn: pytest.WarningsRecorder) -> Iterator[None]:
    yield
    assert not list(recwarn)


def many_labels(count: int) -> tuple[Taxonomy, list[str]]:
    ids = [f"{NAMES[i % 8]}{i}" for i in range(count)]
    parents = [None] * (count // 4 + 1) + ids
    return Taxonomy.from_nodes(ids, parents[:count], [NAMES[(i + 3) % 8] for i in range(count)]), ids


@pytest.mark.parametrize("labels", [["a"], ["c", "b"], ["e", "d", "f"]])
@pytest.mark.parametrize("has_path", [True, False])
def test_a_few_labels(labels: list[str], has_path: bool, tmp_path: Path, drawn: list[Any]) -> None:
    draw_explanation(explanation_of(TREE, labels, TEXT, has_path=has_path), tmp_path / "one.png")
    assert pixels(tmp_path / "one.png").std() > 0.01
    assert_legible(drawn[0])


@pytest.mark.parametrize("count", [12, 38])
def test_many_labels_with_long_and_odd_names(count: int, tmp_path: Path, drawn: list[Any]) -> None:
    tree, ids = many_labels(count)
    text = " ".join(f"{TEXT} {name}" for name in NAMES)
    draw_explanation(explanation_of(tree, ids, text, unread=7), tmp_path / "many.png")
    assert_legible(drawn[0])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "word",
        "x" * 3000,
        "深度学习很好。" * 9,
        "العربية\tПривет 👩\u200d👧 e\u0301te\u0301 $a$ [b]",
        "many words " * 900,
    ],
    ids=["none", "one", "endless", "unspaced", "scripts", "long"],
)
def test_odd_texts(text: str, tmp_path: Path, drawn: list[Any]) -> None:
    draw_explanation(explanation_of(TREE, ["c", "b"], text), tmp_path / "one.png")
    assert_legible(drawn[0])


def test_text_units_may_look_at_their_own_pieces(tmp_path: Path, drawn: list[Any]) -> None:
    explanation = explanation_of(TREE, ["c"], TEXT)
    ahead = explanation.attention.copy()
    ahead[0, :2] = 0.5
    draw_explanation(dataclasses.replace(explanation, attention=ahead), tmp_path / "one.png")
    cells = [one for one in drawn[0].axes[0].collections if len(one.get_paths()) > 3]
    assert len(cells[0].get_paths()) == 10 + 1
    assert_legible(drawn[0])


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_picture_is_the_same_file(suffix: str, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}{suffix}" for name in ("one", "two")]
    for file in files:
        draw_explanation(explanation_of(TREE, ["c"], TEXT), file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_unknown_suffix(tmp_path: Path) -> None:
    with pytest.raises(BranchwiseError, match=r"one\.gif"):
        draw_explanation(explanation_of(TREE, ["c"], TEXT), tmp_path / "one.gif")


def test_the_words_that_weigh_most_are_shown() -> None:
    weights = np.zeros(500)
    weights[[100, 101, 300]] = 5, 4, 3
    shown = best_parts(weights, 24)
    assert len(shown) == 24
    assert {100, 101, 300} <= set(shown)
    assert shown == sorted(shown)
    assert best_parts(weights[:33], 24) == list(range(33)), "hardly too long is not cut"
    assert best_parts(weights[:0], 24) == []


def test_the_subtitle_says_what_was_chosen() -> None:
    explanation = explanation_of(TREE, ["c"], TEXT, unread=1234)
    assert "(all layers, all heads)" in subtitle(explanation)
    assert "1,234 words" in subtitle(explanation)
    assert "(layer 3, head 1)" in subtitle(dataclasses.replace(explanation, layer=3, head=1))


def printed(explanation: Any, width: int = 160) -> str:
    console = Console(width=width, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(*explanation_text(explanation), sep="\n")
    return captured.get()


def test_what_is_printed() -> None:
    explanation = explanation_of(TREE, ["c"], "alpha beta [red]gamma[/red]")
    first, second = explanation.explained
    heavy = dataclasses.replace(
        second, score=0.25, path_share=0.5, even_share=0.254, by_attention=np.array([0.1, 0.9, 0.0])
    )
    text = printed(dataclasses.replace(explanation, explained=(first, heavy), unread=3))
    assert "Sequence: a / c EOS" in text
    assert "3 words at the end of the text were not read" in text
    row = next(line for line in text.splitlines() if line.startswith("c "))
    assert all(one in row for one in ("0.25", "50 %", "25 %", "beta alpha", "red]gamma[/red", "f (0.50)"))
    assert "alpha" not in row.split("beta alpha")[0]


def test_a_model_without_mask_prints_no_path() -> None:
    explanation = explanation_of(TREE, ["c"], "", has_path=False)
    assert "path" not in printed(explanation)
    assert len(label_table(explanation).rows[0]) == len(label_table(explanation).headings) == 5
    assert "–" in printed(explanation)
