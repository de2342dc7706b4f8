"""Beam search and sampling against all label sets of a small tree, whose probabilities are summed up."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from branchwise.decoding.beam import beam_search
from branchwise.decoding.greedy import greedy
from branchwise.decoding.sampling import sample
from branchwise.sequence import TextCodec, TokenCodec
from branchwise.taxonomy import LabelSets
from tests.decoding.toys import (
    TableNetwork,
    closed_sets,
    grammar_of,
    marginals,
    probability,
    sequences,
    spelling_of,
    writing,
)
from tests.sequence.spelling import character_tokenizer
from tests.strategies import taxonomies

SEEDS = st.integers(0, 1 << 20)


@given(taxonomies(max_labels=5), SEEDS)
def test_a_wide_beam_finds_the_likeliest_set_and_a_narrow_one_is_no_worse_than_greedy(tree, seed):
    codec = TokenCodec(tree)
    grammar = grammar_of(tree, room=2 * len(tree))
    network = TableNetwork(len(codec.symbols), codec.symbols.start, seed)
    sets = closed_sets(tree)
    every = sequences(codec, sets.take(np.flatnonzero(sets.sizes > 0)))
    likely = [probability(network, grammar, one) for one in every]

    def found(beams):
        wide = beam_search(writing(network, grammar, 2), beams, 2 * len(tree), codec.end)
        assert torch.equal(wide[0], wide[1])
        parsed = codec.decode(wide[0].tolist())
        assert parsed.is_valid
        return wide[0].tolist()[: max(2 * len(parsed.labels), 1)]

    assert probability(network, grammar, found(200)) >= max(likely) * (1 - 1e-5)
    alone = greedy(writing(network, grammar), 2 * len(tree), codec.end)[0].tolist()
    alone = alone[: alone.index(codec.end) + 1]
    assert probability(network, grammar, found(2)) >= probability(network, grammar, alone) * (1 - 1e-5)


@given(taxonomies(max_labels=5), SEEDS)
def test_free_beams_find_what_is_likeliest_of_all(tree, seed):
    codec = TokenCodec(tree)
    network = TableNetwork(len(codec.symbols), codec.symbols.start, seed, spread=3)
    written = beam_search(writing(network, None), 5000, 3, codec.end)[0].tolist()
    size = len(codec.symbols)
    best, best_sequence = 0.0, []
    first = network.logits(()).softmax(0)
    if first[codec.end] > best:
        best, best_sequence = float(first[codec.end]), [codec.end]
    for a in range(size):
        second = network.logits((a,)).softmax(0)
        if a != codec.end and first[a] * second[codec.end] > best:
            best, best_sequence = float(first[a] * second[codec.end]), [a, codec.end]
        for b in range(size):
            if codec.end in (a, b) or first[a] * second[b] <= best:
                continue
            third = network.logits((a, b)).softmax(0)
            if first[a] * second[b] * third[codec.end] > best:
                best = float(first[a] * second[b] * third[codec.end])
                best_sequence = [a, b, codec.end]
    assert written[: len(best_sequence)] == best_sequence


@given(taxonomies(max_labels=5), SEEDS)
@settings(max_examples=8)
def test_samples_come_as_often_as_they_are_likely(tree, seed):
    codec = TokenCodec(tree)
    grammar = grammar_of(tree, room=2 * len(tree))
    network = TableNetwork(len(codec.symbols), codec.symbols.start, seed)
    random = torch.Generator().manual_seed(seed)
    n_samples = 600
    written = sample(writing(network, grammar, 2), n_samples, 2 * len(tree), codec.end, random)
    assert written.shape == (2, n_samples, 2 * len(tree))
    parsed = [codec.decode(one) for one in written.flatten(0, 1).tolist()]
    assert all(one.is_valid and one.labels for one in parsed)
    often = LabelSets.from_lists([one.labels for one in parsed]).counts(len(tree)) / (2 * n_samples)
    np.testing.assert_allclose(often, marginals(network, grammar, tree), atol=0.08)


@given(taxonomies(max_labels=4), SEEDS)
def test_beams_in_text_units_write_label_sets(tree, seed):
    codec = TextCodec(tree, character_tokenizer())
    rules = spelling_of(codec, 128, room=400)
    network = TableNetwork(128, 0, seed)
    written = beam_search(writing(network, rules, 2), 3, 400, codec.end)
    for row in written.tolist():
        assert codec.decode(row).is_valid
    drawn = sample(writing(network, rules, 1), 3, 400, codec.end, torch.Generator().manual_seed(seed))
    for row in drawn[0].tolist():
        assert codec.decode(row).is_valid
