"""Which labels of a tree are shown, and what stands for the others."""

from __future__ import annotations

import numpy as np
import pytest

from branchwise import Taxonomy
from branchwise.report.outline import ROOT, Cut, fit_cut, id_beside_name, outline, shown_name
from branchwise.report.tree_text import tree_text


def random_tree(size: int, seed: int = 0) -> Taxonomy:
    random = np.random.default_rng(seed)
    parents = [None if i < 5 else f"L{int(i * random.random() ** 1.5)}" for i in range(size)]
    return Taxonomy.from_nodes([f"L{i}" for i in range(size)], parents)


def test_whole_tree_is_depth_first() -> None:
    tree = Taxonomy.from_nodes(["a", "b", "c", "d", "e"], [None, None, "a", "b", "c"])
    lines = list(outline(tree, tree.subtree_size, Cut(3)))
    assert [tree.ids[line.position] for line in lines] == ["a", "c", "e", "b", "d"]
    assert lines[2].is_last == (False, True, True)


def test_biggest_children_are_shown_and_the_rest_is_counted() -> None:
    tree = Taxonomy.from_nodes(list("abcdef"), [None, *"aaaaa"])
    weight = np.array([9, 1, 5, 2, 4, 3])
    lines = list(outline(tree, weight, Cut(2, 2)))
    assert [tree.ids[line.position] for line in lines[:-1]] == ["a", "c", "e"]
    assert (lines[-1].position, lines[-1].hidden) == (ROOT, 3)


def test_no_line_stands_for_a_single_label() -> None:
    tree = Taxonomy.from_nodes(list("abcd"), [None, *"aaa"])
    assert all(not line.hidden for line in outline(tree, tree.subtree_size, Cut(2, 2)))


@pytest.mark.parametrize("limit", [1, 3, 10, 50, 400, 5000])
@pytest.mark.parametrize("seed", [0, 1])
def test_cut_fits_and_hides_nothing_silently(limit: int, seed: int) -> None:
    tree = random_tree(2000, seed)
    cut = fit_cut(tree, tree.subtree_size, limit)
    lines = list(outline(tree, tree.subtree_size, cut))
    assert len(lines) <= max(limit, 2)
    for level in range(1, cut.depth + 1):  # every child of a shown label is shown or counted
        parents = [line.position for line in lines if line.level == level - 1 and not line.hidden]
        children = sum(len(tree.children(one)) for one in (parents if level > 1 else [ROOT]))
        assert children == sum(line.hidden or 1 for line in lines if line.level == level)


def test_chosen_depth_is_kept() -> None:
    tree = random_tree(300)
    assert fit_cut(tree, tree.subtree_size, 10_000, depth=2) == Cut(2)


def test_ids_that_are_paths_are_shortened() -> None:
    tree = Taxonomy.from_nodes(["Top/News", "Top/News/World", "Top/Newsreel"], [None, "Top/News", "Top/News"])
    assert [shown_name(tree, i) for i in range(3)] == ["Top/News", "World", "Top/Newsreel"]
    named = Taxonomy.from_nodes(["A", "A > B", "x"], [None, "A", "A"], ["A", "B", "B"])
    assert [id_beside_name(named, i) for i in range(3)] == ["", "", "x"]


@pytest.mark.parametrize("width", [30, 80])
def test_lines_fit_the_terminal(width: int) -> None:
    tree = Taxonomy.from_nodes(["a", "b" * 60, "c"], [None, "a", "b" * 60], ["名" * 50, "long " * 30, "x\ny"])
    counts = np.array([100, 10, 1])
    for line in tree_text(tree, outline(tree, counts, Cut(3)), counts, width):
        assert line.cell_len <= max(width, 60)
        assert "\n" not in line.plain
