"""The tree: its canonical order against an obvious reference, its arrays against brute force, its errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.errors import TaxonomyError
from branchwise.taxonomy import ROOT, Taxonomy
from tests.strategies import ids, taxonomies


def small() -> Taxonomy:
    return Taxonomy.from_nodes(
        ["cs.LG", "stat", "cs", "stat.ML", "cs.AI", "stat.ML.x"],
        ["cs", "", None, "stat", "cs", "stat.ML"],
        ["Machine Learning", "Statistics", "", "Machine Learning", "AI", "X"],
    )


def test_canonical_order_is_levels_then_parents_then_file_order() -> None:
    tree = small()
    assert tree.ids == ("stat", "cs", "stat.ML", "cs.LG", "cs.AI", "stat.ML.x")
    assert tree.level.tolist() == [1, 1, 2, 2, 2, 3]
    assert tree.parent.tolist() == [ROOT, ROOT, 0, 1, 1, 2]
    assert tree.names == ("Statistics", "cs", "Machine Learning", "Machine Learning", "AI", "X")
    assert (tree.depth, len(tree), repr(tree)) == (3, 6, "Taxonomy(6 labels on 3 levels)")


@given(st.data())
def test_canonical_order_equals_a_plain_breadth_first_walk(data: st.DataObject) -> None:
    labels = data.draw(st.lists(ids(), max_size=15, unique=True))
    rank = data.draw(st.permutations(range(len(labels))))
    parents = []
    for own in rank:
        above = data.draw(st.integers(-1, own - 1))
        parents.append(labels[rank.index(above)] if above >= 0 else None)
    tree = Taxonomy.from_nodes(labels, parents)
    walked, wave = [], [None]
    while wave:
        wave = [
            child for parent in wave for child, above in zip(labels, parents, strict=True) if above == parent
        ]
        walked += wave
    assert list(tree.ids) == walked
    assert [tree.ids[p] if p != ROOT else None for p in tree.parent] == [
        parents[labels.index(x)] for x in walked
    ]
    assert tree.parent.dtype == tree.level.dtype == np.int32


@given(taxonomies(min_labels=0))
def test_arrays_agree_with_walking_the_parents(tree: Taxonomy) -> None:
    positions = range(len(tree))
    above = {}
    for one in positions:
        path, at = [], int(tree.parent[one])
        while at != ROOT:
            path.insert(0, at)
            at = int(tree.parent[at])
        above[one] = path
    entry, leave = tree.interval
    for one in positions:
        children = [other for other in positions if tree.parent[other] == one]
        below = [other for other in positions if one in above[other]]
        assert tree.ancestors(one) == above[one]
        assert tree.level[one] == len(above[one]) + 1
        assert list(tree.children(one)) == children
        assert tree.is_leaf[one] == (not children)
        assert tree.subtree_size[one] == len(below) + 1
        assert tree.path_names(one) == tuple(tree.names[other] for other in [*above[one], one])
        assert tree.position(tree.ids[one]) == one
        for other in positions:
            assert (entry[one] <= entry[other] < leave[one]) == (other == one or other in below)
    assert list(tree.children(ROOT)) == [one for one in positions if tree.parent[one] == ROOT]
    assert sorted(entry.tolist()) == list(positions)
    for level in range(1, tree.depth + 1):
        run = range(tree.level_start[level - 1], tree.level_start[level])
        assert list(run) == [one for one in positions if tree.level[one] == level]


@given(taxonomies(min_labels=1))
def test_matrices_agree_with_the_parents(tree: Taxonomy) -> None:
    size = len(tree)
    child, ancestor = np.zeros((size, size), bool), np.zeros((size, size), bool)
    for one in range(size):
        if tree.parent[one] != ROOT:
            child[tree.parent[one], one] = True
        ancestor[one, tree.ancestors(one)] = True
    assert np.array_equal(tree.child_matrix.toarray(), child)
    assert np.array_equal(tree.ancestor_matrix.toarray(), ancestor)


def test_one_name_under_two_parents_makes_two_labels() -> None:
    tree = small()
    assert tree.names[tree.position("stat.ML")] == tree.names[tree.position("cs.LG")]
    assert tree.path_names(tree.position("cs.LG")) == ("cs", "Machine Learning")


def test_an_unknown_label_is_named_with_near_ones() -> None:
    with pytest.raises(TaxonomyError, match=r"'cs\.L'.*did you mean cs\.LG"):
        small().position("cs.L")
    with pytest.raises(TaxonomyError, match="'zzzzzz' is not in the taxonomy of 6 labels"):
        small().position("zzzzzz")


@pytest.mark.parametrize(
    ("labels", "parents", "told"),
    [
        (["a", "b", "c"], ["b", "c", "a"], r"cycle \(f, line 1\).*: a → b → c → a:"),
        (["a", "b"], [None, "b"], r"cycle \(f, line 2\).*: b → b:"),
        (["r", "x", "a", "b"], [None, "a", "b", "a"], r"cycle \(f, line 3\).*: a → b → a:"),
        (["a", "b"], [None, "z"], r"'b' names the parent 'z' \(f, line 2\)"),
        (
            ["a", "b", "c", "c"],
            [None, None, "a", "b"],
            r"two parents, 'a' \(f, line 3\) and 'b' \(f, line 4\)",
        ),
        (["a", "b", "b"], [None, None, "a"], r"two parents, 'the root' \(f, line 2\) and 'a' \(f, line 3\)"),
        (["a", "a"], [None, ""], r"'a' is repeated \(f, line 2\), first seen \(f, line 1\)"),
        (["a", ""], [None, "a"], r"empty id \(f, line 2\)"),
        (["a", "  "], [None, "a"], r"empty id \(f, line 2\)"),
    ],
)
def test_what_is_not_a_tree_is_refused_with_its_place(
    labels: list[str], parents: list[str | None], told: str
) -> None:
    where = [f"f, line {row + 1}" for row in range(len(labels))]
    with pytest.raises(TaxonomyError, match=told):
        Taxonomy.from_nodes(labels, parents, where=where)


def test_a_long_cycle_is_shortened() -> None:
    labels = [f"n{i}" for i in range(5000)]
    with pytest.raises(TaxonomyError, match=r"n0 → n1 .* … .* n4999 → n0") as caught:
        Taxonomy.from_nodes(labels, [*labels[1:], "n0"])
    assert len(str(caught.value)) < 300


def test_a_deep_chain_is_no_trouble() -> None:
    labels = [f"n{i}" for i in range(5000)]
    tree = Taxonomy.from_nodes(labels[::-1], [None, *labels][4999::-1])
    assert tree.depth == 5000
    assert tree.ids == tuple(labels)
    assert tree.interval[1].tolist() == [5000] * 5000
    assert len(tree.ancestors(4999)) == 4999


def test_blank_names_fall_back_to_the_id_and_synonyms_do_not_repeat() -> None:
    tree = Taxonomy.from_nodes(["a"], [None], [" "], synonyms=[["x", "", "y", "x", " "]])
    assert tree.names == ("a",)
    assert tree.synonyms == (("x", "y"),)


def test_equality_and_fingerprint_follow_the_meaning_of_positions() -> None:
    tree = small()
    other = Taxonomy.from_nodes(tree.ids, [None, None, "stat", "cs", "cs", "stat.ML"], tree.names)
    renamed = Taxonomy.from_nodes(tree.ids, [None, None, "stat", "cs", "cs", "stat.ML"])
    moved = Taxonomy.from_nodes(tree.ids, [None, None, "stat", "cs", "cs", "cs.LG"], tree.names)
    assert tree == other
    assert hash(tree) == hash(other)
    assert tree != renamed
    assert tree.fingerprint == renamed.fingerprint
    assert tree.fingerprint != moved.fingerprint
    assert tree != "a tree"


def test_an_id_that_stands_for_copies_brings_them_all() -> None:
    tree = Taxonomy.from_nodes(["a", "b", "x", "x@b"], [None, None, "a", "b"], copies={"x": ["x", "x@b"]})
    assert tree.positions("x") == (2, 3)
    assert tree.positions("a") == (0,)
    assert tree.label_sets([["x"], []]).to_ids(tree) == [("a", "b", "x", "x@b"), ()]
    with pytest.raises(TaxonomyError, match="'y' is not in the taxonomy"):
        tree.label_sets([["y"]])


def test_an_unknown_label_is_told_its_other_spelling() -> None:
    tree = small()
    assert "did you mean cs.LG;" in tree.unknown_label(" CS.lg")
    assert "the name of stat.ML and cs.LG; use" in tree.unknown_label("machine learning")
    assert "not in the taxonomy of 6 labels" in tree.unknown_label("zzzzzz")
