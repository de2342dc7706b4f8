"""Which symbol may follow: exactly what some label set's sequence goes on with, over random trees."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from branchwise.decoding.grammar import Grammar
from branchwise.decoding.greedy import greedy
from branchwise.sequence import VARIANTS, TokenCodec
from branchwise.taxonomy import LabelSets, Taxonomy
from tests.strategies import label_sets, taxonomies

CPU = torch.device("cpu")


def admissible(grammar: Grammar, prefix: list[int]) -> set[int]:
    """Return what may follow a prefix of symbols."""
    known = grammar.symbols
    labels = [one for one in prefix if one < known.n_labels]
    emitted = torch.zeros(1, known.n_labels + 1, dtype=torch.bool)
    emitted[0, [*labels, known.n_labels]] = True
    last_label = torch.tensor([labels[-1] if labels else -1])
    last = torch.tensor([prefix[-1] if prefix else known.start])
    return set(grammar.admissible(emitted, last_label, last)[0].nonzero().flatten().tolist())


def every_sequence(tree: Taxonomy, flat: bool) -> list[list[int]]:
    """Write every sequence that there is: of closed sets in canonical order, or of any sets in any order."""
    n_labels = len(tree)
    if flat:
        orders = [
            list(order)
            for size in range(n_labels + 1)
            for order in itertools.permutations(range(n_labels), size)
        ]
        known = TokenCodec(tree).symbols
        return [
            [*[one for label in order for one in (known.between, label)][1:], known.end] for order in orders
        ]
    subsets = [s for size in range(n_labels + 1) for s in itertools.combinations(range(n_labels), size)]
    sets = LabelSets.from_lists(subsets)
    sets = sets.take(np.flatnonzero(sets.is_closed(tree)))
    encoded = TokenCodec(tree).encode(sets)
    return [row[:length].tolist() for row, length in zip(encoded.targets, encoded.lengths, strict=True)]


@given(taxonomies(max_labels=6), st.booleans())
def test_exactly_the_continuations_of_label_sets_are_admissible(tree, may_be_empty):
    check_every_prefix(tree, "hia", may_be_empty)


@given(taxonomies(max_labels=4), st.booleans())
def test_the_flat_variant_writes_any_labels_once(tree, may_be_empty):
    check_every_prefix(tree, "t5", may_be_empty)


def check_every_prefix(tree, variant, may_be_empty):
    grammar = Grammar.of(tree, variant, CPU, may_be_empty)
    follows: dict[tuple[int, ...], set[int]] = {}
    for sequence in every_sequence(tree, variant == "t5"):
        if len(sequence) > 1 or may_be_empty:
            for place, symbol in enumerate(sequence):
                follows.setdefault(tuple(sequence[:place]), set()).add(symbol)
    for prefix, expected in follows.items():
        assert admissible(grammar, list(prefix)) == expected, prefix


@st.composite
def trees_with_sets(draw):
    tree = draw(taxonomies(max_labels=20))
    return tree, draw(label_sets(tree))


@given(trees_with_sets(), st.sampled_from(VARIANTS))
def test_every_closed_set_can_be_written(case, variant):
    tree, sets = case
    grammar = Grammar.of(tree, variant, CPU, may_be_empty=True)
    encoded = TokenCodec(tree, variant).encode(sets)
    for row, length in zip(encoded.targets.tolist(), encoded.lengths.tolist(), strict=True):
        for place in range(length):
            assert row[place] in admissible(grammar, row[:place])


def test_what_follows_a_leaf_and_an_inner_label():
    tree = Taxonomy.from_nodes(["a", "b", "c", "d"], ["", "", "a", "a"])
    grammar = Grammar.of(tree, "pamm", CPU)
    a, b, c, d, between, below, _, end = range(8)
    assert admissible(grammar, []) == {a, b}
    assert admissible(grammar, [a]) == {between, below, end}
    assert admissible(grammar, [b]) == {end}, "a leaf, the last of its level"
    assert admissible(grammar, [a, between]) == {b}
    assert admissible(grammar, [a, between, b]) == {below, end}
    assert admissible(grammar, [a, below]) == {c, d}
    assert admissible(grammar, [a, below, d]) == {end}, "c stands before d"


class RandomNetwork:
    """Stands in for a network: writes anything at all."""

    def __init__(self, n_symbols: int, start: int, seed: int) -> None:
        self.n_symbols, self.start = n_symbols, start
        self.random = torch.Generator().manual_seed(seed)

    def encode(self, input_ids, _):
        return input_ids[:, :, None].float()

    def new_cache(self):
        return self

    def batch_select_indices(self, rows):
        pass

    def decode(self, symbols, encoded, attention_mask, cache):
        assert cache is self
        assert len(symbols) == len(encoded) == len(attention_mask)
        logits = torch.randn(len(symbols), 1, self.n_symbols, generator=self.random)
        logits[:, :, -1] -= 1.0  # sequences should not all end at once
        return logits


@given(
    taxonomies(max_labels=15),
    st.sampled_from(VARIANTS),
    st.integers(2, 40),
    st.booleans(),
    st.integers(0, 1 << 30),
)
def test_whatever_the_network_says_the_sequence_is_some_label_sets(tree, variant, limit, may_be_empty, seed):
    grammar = Grammar.of(tree, variant, CPU, may_be_empty)
    codec = TokenCodec(tree, variant)
    network = RandomNetwork(len(codec.symbols), codec.symbols.start, seed)
    ones = torch.ones(16, 1, dtype=torch.long)
    written = greedy(network, ones, ones, limit, codec.end, grammar)
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
    grammar = Grammar.of(tree, variant, CPU)
    network = RandomNetwork(n_labels + 4, grammar.symbols.start, 0)
    ones = torch.ones(2, 1, dtype=torch.long)
    written = greedy(network, ones, ones, 6, grammar.symbols.end, grammar)
    assert all(TokenCodec(tree, variant).decode(row).is_valid for row in written.tolist())
