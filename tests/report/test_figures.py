"""Pictures: there, not blank, of a fair size, no text upon text or beyond the page, and no warnings."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from branchwise import Corpus, Taxonomy
from branchwise.corpus.statistics import statistics
from branchwise.errors import BranchwiseError
from branchwise.report import style
from branchwise.report.figures import draw_mask, draw_statistics, draw_tree
from branchwise.report.mask_view import view_mask

NAMES = (
    "[red]x[/red]",
    "$x_1$ and $",
    "名前 of things",
    "a" * 200,
    "two\nlines",
    "100 %",
    "\\frac{1}{2}",
    "العربية",
)


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Remember every figure that is written."""
    figures: list[Any] = []
    save = style.save

    def remember(figure: Any, path: str | Path) -> None:
        figures.append(figure)
        save(figure, path)

    monkeypatch.setattr(style, "save", remember)
    return figures


def tree_of(size: int, roots: int = 3) -> Taxonomy:
    random = np.random.default_rng(size)
    parents = [None if i < roots else f"L{int(i * random.random() ** 1.5)}" for i in range(size)]
    return Taxonomy.from_nodes([f"L{i}" for i in range(size)], parents, [NAMES[i % 8] for i in range(size)])


def pixels(path: Path) -> np.ndarray:
    from matplotlib.image import imread

    return imread(path)


def assert_legible(figure: Any) -> None:
    """Fail where a text that is drawn leaves the page or touches another one."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    boxes: list[tuple[str, Any]] = []
    draw = Text.draw

    def remember(text: Any, renderer: Any, *rest: Any) -> None:
        if text.get_visible() and text.get_text().strip():
            boxes.append((text.get_text(), text.get_window_extent(renderer)))
        draw(text, renderer, *rest)

    with pytest.MonkeyPatch.context() as patch, rc_context(style.SETTINGS):
        patch.setattr(Text, "draw", remember)
        FigureCanvasAgg(figure).draw()
    assert boxes
    texts = [text for text, _ in boxes]
    x0, y0, x1, y1 = np.array([box.extents for _, box in boxes]).T
    outside = (x0 < 0) | (y0 < 0) | (x1 > figure.bbox.x1) | (y1 > figure.bbox.y1)
    assert not outside.any(), texts[int(outside.argmax())]
    across = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    along = np.minimum(y1[:, None], y1) - np.maximum(y0[:, None], y0)
    # A pixel of overlap is the white above and below letters.
    touching = np.triu((across > 0.5) & (along > 1), 1)
    assert not touching.any(), [(texts[i], texts[j]) for i, j in np.argwhere(touching)[:3]]


@pytest.mark.parametrize(
    ("size", "counted"), [(1, True), (7, False), (161, True), (161, False), (3000, True)]
)
def test_tree(size: int, counted: bool, tmp_path: Path, drawn: list[Any]) -> None:
    tree = tree_of(size, roots=min(size, 3))
    counts = np.arange(size)[::-1].copy() if counted else None
    draw_tree(tree, tmp_path / "tree.png", counts)
    picture = pixels(tmp_path / "tree.png")
    assert picture.std() > 0.01
    assert 0.3 < picture.shape[1] / picture.shape[0] < 4
    assert picture.shape[1] >= 7 * style.DPI
    assert_legible(drawn[0])


def test_big_tree_says_how_many_more(tmp_path: Path, drawn: list[Any]) -> None:
    from matplotlib.text import Text

    draw_tree(tree_of(3000), tmp_path / "tree.png", max_labels=60, title="A title that is long " * 20)
    texts = [one.get_text() for one in drawn[0].findobj(Text)]
    assert any(one.startswith("… and ") for one in texts)
    assert len(texts) < 250
    assert_legible(drawn[0])


def test_flat_tree(tmp_path: Path, drawn: list[Any]) -> None:
    tree = Taxonomy.from_nodes([f"L{i}" for i in range(120)], [None] * 120)
    draw_tree(tree, tmp_path / "tree.png", np.zeros(120, np.int64))
    assert_legible(drawn[0])


@pytest.mark.parametrize("labels", [["e", "d"], ["a"], list("abcde")])
def test_mask(labels: list[str], tmp_path: Path, drawn: list[Any]) -> None:
    tree = Taxonomy.from_nodes(list("abcde"), [None, None, "a", "b", "c"])
    draw_mask(view_mask(tree, tree.label_sets([labels]), ["paper", "released"]), tmp_path / "mask.png")
    assert pixels(tmp_path / "mask.png").std() > 0.01
    assert_legible(drawn[0])


def test_mask_of_many_labels_with_long_ids(tmp_path: Path, drawn: list[Any]) -> None:
    ids = [f"{NAMES[i % 8]}{i}" for i in range(38)]
    tree = Taxonomy.from_nodes(ids, [None] * 10 + ids[:28])
    draw_mask(view_mask(tree, tree.label_sets([ids]), ["released"]), tmp_path / "mask.png")
    assert_legible(drawn[0])


@pytest.mark.parametrize("size", [1, 5, 60, 3000])
def test_statistics(size: int, tmp_path: Path, drawn: list[Any]) -> None:
    tree = tree_of(size, roots=1)
    labels = [[tree.ids[i] for i in range(k % min(size, 50), min(size, 50))] for k in range(40)]
    corpus = Corpus.from_texts(["some words"] * 40, labels, tree)
    counts = corpus.labels.counts(size)
    draw_statistics(statistics({"all": corpus}), tree, counts, tmp_path / "statistics.png")
    assert pixels(tmp_path / "statistics.png").shape[:2] == (5 * style.DPI, 14 * style.DPI)
    assert_legible(drawn[0])


def test_statistics_without_any_label(tmp_path: Path, drawn: list[Any]) -> None:
    tree = tree_of(4)
    corpus = Corpus.from_texts(["x"], [[]], tree)
    draw_statistics(statistics({"all": corpus}), tree, np.zeros(4, np.int64), tmp_path / "statistics.png")
    assert_legible(drawn[0])


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF"), (".PNG", b"\x89PNG")]
)
def test_suffix_names_the_format_and_the_same_picture_is_the_same_file(
    suffix: str, start: bytes, tmp_path: Path
) -> None:
    tree = tree_of(8)
    for name in ("one", "two"):
        draw_tree(tree, tmp_path / f"{name}{suffix}")
    one, two = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("one", "two"))
    assert one.startswith(start)
    assert one == two


def test_unknown_suffix(tmp_path: Path) -> None:
    with pytest.raises(BranchwiseError, match=r"tree\.gif .* \.png, \.svg, \.pdf"):
        draw_tree(tree_of(3), tmp_path / "tree.gif")


def test_no_global_state(tmp_path: Path) -> None:
    import sys

    from matplotlib import rcParams

    before = dict(rcParams)
    was_there = "matplotlib.pyplot" in sys.modules
    draw_tree(tree_of(3), tmp_path / "tree.png")
    assert dict(rcParams) == before
    assert ("matplotlib.pyplot" in sys.modules) == was_there


def test_png_says_its_resolution(tmp_path: Path) -> None:
    draw_tree(tree_of(3), tmp_path / "tree.png")
    data = (tmp_path / "tree.png").read_bytes()
    at = data.index(b"pHYs") + 4
    assert struct.unpack(">I", data[at : at + 4])[0] == round(style.DPI / 0.0254)
