"""Label sets: every operation on the flat arrays against Python sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.taxonomy import ROOT, LabelSets, Taxonomy
from tests.strategies import label_sets, taxonomies

Case = tuple[Taxonomy, LabelSets]


@st.composite
def trees_with_sets(draw: Callable[..., Any], closed: bool = False) -> Case:
    tree = draw(taxonomies())
    return tree, draw(label_sets(tree, closed=closed))


def as_sets(sets: LabelSets) -> list[set[int]]:
    return [set(one.tolist()) for one in sets]


def with_ancestors(tree: Taxonomy, labels: set[int]) -> set[int]:
    return labels | {above for label in labels for above in tree.ancestors(label)}


@given(st.lists(st.lists(st.integers(0, 9)), max_size=6))
def test_lists_become_ascending_sets_without_repeats(lists: list[list[int]]) -> None:
    sets = LabelSets.from_lists(lists)
    assert [one.tolist() for one in sets] == [sorted(set(one)) for one in lists]
    assert len(sets) == len(lists)
    assert sets.sizes.tolist() == [len(set(one)) for one in lists]
    assert sets.counts(10).tolist() == [sum(label in one for one in lists) for label in range(10)]
    assert sets.labels.dtype == np.int32


@given(trees_with_sets())
def test_closing_adds_every_ancestor_and_nothing_else(case: Case) -> None:
    tree, sets = case
    closed = sets.closed(tree)
    assert as_sets(closed) == [with_ancestors(tree, one) for one in as_sets(sets)]
    assert all(one.tolist() == sorted(one.tolist()) for one in closed)
    assert closed.closed(tree) == closed
    assert closed.is_closed(tree).all()


@given(st.lists(st.tuples(st.frozensets(st.integers(0, 5)), st.frozensets(st.integers(0, 5))), max_size=6))
def test_agreement_is_micro_f1(pairs: list[tuple[frozenset[int], frozenset[int]]]) -> None:
    one, other = (LabelSets.from_lists([sorted(pair[at]) for pair in pairs]) for at in (0, 1))
    both = sum(len(a) + len(b) for a, b in pairs)
    expected = 2 * sum(len(a & b) for a, b in pairs) / both if both else 0.0
    assert one.agreement(other) == pytest.approx(expected)
    assert one.agreement(other) == other.agreement(one)


@given(trees_with_sets())
def test_open_sets_and_missing_parents_are_found(case: Case) -> None:
    tree, sets = case
    wanted = as_sets(sets)
    assert sets.is_closed(tree).tolist() == [with_ancestors(tree, one) == one for one in wanted]
    missing = [
        tree.parent[label] != ROOT and tree.parent[label] not in one
        for one in wanted
        for label in sorted(one)
    ]
    assert sets.missing_parent(tree).tolist() == missing


@given(trees_with_sets(closed=True))
def test_most_specific_labels_close_to_the_same_set(case: Case) -> None:
    tree, sets = case
    specific = sets.most_specific(tree)
    assert as_sets(specific) == [
        {label for label in one if not any(tree.parent[other] == label for other in one)}
        for one in as_sets(sets)
    ]
    assert specific.closed(tree) == sets


@given(trees_with_sets(), st.data())
def test_take_select_and_csr(case: Case, data: st.DataObject) -> None:
    tree, sets = case
    rows = data.draw(st.lists(st.integers(0, len(sets) - 1))) if len(sets) else []
    assert [one.tolist() for one in sets.take(rows)] == [sets[row].tolist() for row in rows]
    kept = sets.select(sets.labels % 2 == 0)
    assert as_sets(kept) == [{label for label in one if label % 2 == 0} for one in as_sets(sets)]
    dense = sets.to_csr(len(tree)).toarray()
    assert [set(np.flatnonzero(row)) for row in dense] == as_sets(sets)
    assert LabelSets.from_pairs(sets.rows[::-1], sets.labels[::-1], len(sets)) == sets


@given(trees_with_sets())
def test_ids_come_back_as_they_went(case: Case) -> None:
    tree, sets = case
    assert tree.label_sets(sets.to_ids(tree)) == sets.closed(tree)


def test_empty_sets() -> None:
    tree = Taxonomy.from_nodes(["a"], [None])
    assert [one.tolist() for one in LabelSets.empty(2)] == [[], []]
    assert LabelSets.empty(2) == LabelSets.from_lists([[], []])
    assert LabelSets.empty(2).closed(tree) == LabelSets.empty(2)
    assert LabelSets.empty(0).most_specific(tree) == LabelSets.empty(0)
    assert LabelSets.empty(0).is_closed(tree).tolist() == []


def test_rows_count_from_the_end_too_and_stop_at_it() -> None:
    sets = LabelSets.from_lists([[0], [1, 2]])
    assert sets[-1].tolist() == [1, 2]
    with pytest.raises(IndexError, match="outside the 2"):
        sets[2]


def test_many_rows_and_large_positions_do_not_mix() -> None:
    far = 2**31 - 1
    sets = LabelSets.from_lists([[far, 0], [far]])
    assert [one.tolist() for one in sets] == [[0, far], [far]]
