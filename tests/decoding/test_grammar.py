"""Which symbol may follow: exactly what some label set's sequence goes on with, over random trees."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.decoding.greedy import greedy
from branchwise.errors import ModelError
from branchwise.sequence import VARIANTS, TokenCodec
from branchwise.taxonomy import Taxonomy
from tests.decoding.toys import (
    RandomNetwork,
    admissible,
    check_every_prefix,
    closed_sets,
    grammar_of,
    sequences,
    writing,
)
from tests.strategies import label_sets, taxonomies


def every_flat_sequence(tree: Taxonomy) -> list[list[int]]:
    """Write every set of labels in every order."""
    known = TokenCodec(tree).symbols
    orders = [one for size in range(len(tree) + 1) for one in itertools.permutations(range(len(tree)), size)]
    return [[*[one for label in order for one in (known.between, label)][1:], known.end] for order in orders]


@given(taxonomies(max_labels=6), st.booleans())
def test_exactly_the_continuations_of_label_sets_are_admissible(tree, may_be_empty):
    sets = closed_sets(tree)
    kept = sets.take(np.flatnonzero((sets.sizes > 0) | may_be_empty))
    check_every_prefix(grammar_of(tree, may_be_empty=may_be_empty), sequences(TokenCodec(tree), kept))


@given(taxonomies(max_labels=4), st.booleans())
def test_the_flat_variant_writes_any_labels_once(tree, may_be_empty):
    written = [one for one in every_flat_sequence(tree) if len(one) > 1 or may_be_empty]
    check_every_prefix(grammar_of(tree, "t5", may_be_empty=may_be_empty), written)


@given(taxonomies(max_labels=7), st.integers(1, 5))
def test_at_most_so_many_labels(tree, most):
    sets = closed_sets(tree)
    kept = sets.take(np.flatnonzero((sets.sizes > 0) & (sets.sizes <= most)))
    check_every_prefix(grammar_of(tree, at_most=most), sequences(TokenCodec(tree), kept))
    check_every_prefix(grammar_of(tree, room=2 * most + 1), sequences(TokenCodec(tree), kept))


@given(taxonomies(max_labels=8), st.integers(1, 8))
def test_every_branch_led_to_a_leaf(tree, most):
    sets = closed_sets(tree)
    specific = sets.most_specific(tree)
    ends_at_leaves = np.ones(len(sets), bool)
    ends_at_leaves[specific.rows[~tree.is_leaf[specific.labels]]] = False
    kept = sets.take(np.flatnonzero((sets.sizes > 0) & ends_at_leaves))
    check_every_prefix(grammar_of(tree, leaves_only=True), sequences(TokenCodec(tree), kept))
    few = kept.take(np.flatnonzero(kept.sizes <= most))
    if len(few):
        grammar = grammar_of(tree, leaves_only=True, at_most=most)
        check_every_prefix(grammar, sequences(TokenCodec(tree), few))
    else:
        with pytest.raises(ModelError, match=f"No label set fits into at most {most} labels"):
            grammar_of(tree, leaves_only=True, at_most=most)


def test_limits_that_no_set_keeps_and_a_variant_without_branches():
    tree = Taxonomy.from_nodes(["a", "b"], ["", "a"])
    with pytest.raises(ModelError, match="No label set fits into 1 symbols: 2 is the least"):
        grammar_of(tree, room=1)
    with pytest.raises(ModelError, match="t5 variant writes no branches"):
        grammar_of(tree, "t5", leaves_only=True)


@st.composite
def trees_with_sets(draw):
    tree = draw(taxonomies(max_labels=20))
    return tree, draw(label_sets(tree))


@given(trees_with_sets(), st.sampled_from(VARIANTS))
def test_every_closed_set_can_be_written(case, variant):
    tree, sets = case
    grammar = grammar_of(tree, variant, may_be_empty=True)
    encoded = TokenCodec(tree, variant).encode(sets)
    for row, length in zip(encoded.targets.tolist(), encoded.lengths.tolist(), strict=True):
        for place in range(length):
            assert row[place] in admissible(grammar, row[:place])


def test_what_follows_a_leaf_and_an_inner_label():
    tree = Taxonomy.from_nodes(["a", "b", "c", "d"], ["", "", "a", "a"])
    grammar = grammar_of(tree, "pamm")
    a, b, c, d, between, below, _, end = range(8)
    assert admissible(grammar, []) == {a, b}
    assert admissible(grammar, [a]) == {between, below, end}
    assert admissible(grammar, [b]) == {end}, "a leaf, the last of its level"
    assert admissible(grammar, [a, between]) == {b}
    assert admissible(grammar, [a, between, b]) == {below, end}
    assert admissible(grammar, [a, below]) == {c, d}
    assert admissible(grammar, [a, below, d]) == {end}, "c stands before d"


@given(
    taxonomies(max_labels=15),
    st.sampled_from(VARIANTS),
    st.integers(2, 40),
    st.booleans(),
    st.integers(0, 1 << 30),
)
def test_whatever_the_network_says_the_sequence_is_some_label_sets(tree, variant, limit, may_be_empty, seed):
    grammar = grammar_of(tree, variant, room=limit, may_be_empty=may_be_empty)
    codec = TokenCodec(tree, variant)
    network = RandomNetwork(len(codec.symbols), codec.symbols.start, seed)
    written = greedy(writing(network, grammar, 16), limit, codec.end)
    assert written.shape == (16, limit)
    for row in written.tolist():
        assert row[-1] == codec.end, "the limit holds, the end symbol included"
        parsed = codec.decode(row)
        assert parsed.is_valid, parsed.problems
        assert parsed.labels or may_be_empty
        assert 2 * len(parsed.labels) <= limit


@pytest.mark.parametrize("variant", ["hia", "t5"])
def test_a_huge_taxonomy_takes_memory_by_labels_not_by_their_square(variant):
    n_labels = 200_000  # a square of booleans would be 40 GB
    tree = Taxonomy.from_nodes(
        [str(one) for one in range(n_labels)], ["" if one < 50 else str(one // 20) for one in range(n_labels)]
    )
    grammar = grammar_of(tree, variant, room=6)
    network = RandomNetwork(n_labels + 4, grammar.symbols.start, 0)
    written = greedy(writing(network, grammar, 2), 6, grammar.symbols.end)
    assert all(TokenCodec(tree, variant).decode(row).is_valid for row in written.tolist())
