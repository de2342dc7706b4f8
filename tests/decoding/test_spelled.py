"""Text units under the grammar: exactly what some label set's spelling goes on with, and every set to be had."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from branchwise.decoding.greedy import greedy
from branchwise.sequence import TextCodec
from branchwise.taxonomy import Taxonomy
from tests.decoding.toys import (
    RandomNetwork,
    admissible,
    check_every_prefix,
    closed_sets,
    sequences,
    spelling_of,
    writing,
)
from tests.sequence.spelling import character_tokenizer
from tests.strategies import taxonomies

SMALL = st.integers(0, 1 << 20)


@given(taxonomies(max_labels=5), st.booleans())
def test_exactly_the_pieces_of_label_sets_are_admissible(tree, may_be_empty):
    codec = TextCodec(tree, character_tokenizer())
    sets = closed_sets(tree)
    kept = sets.take(np.flatnonzero((sets.sizes > 0) | may_be_empty))
    check_every_prefix(spelling_of(codec, 128, may_be_empty=may_be_empty), sequences(codec, kept))


@given(taxonomies(max_labels=6), st.integers(1, 30))
def test_only_what_there_is_room_for(tree, more):
    codec = TextCodec(tree, character_tokenizer())
    first = tree.level == 1
    costs = np.array([len(one) + 1 for one in codec.spelling])
    room = int(costs[first].min()) + more
    written = [one for one in sequences(codec, closed_sets(tree)) if 1 < len(one) <= room]
    check_every_prefix(spelling_of(codec, 128, room=room), written)


def test_a_name_that_another_begins_with():
    tree = Taxonomy.from_nodes(["1", "2", "3"], ["", "", "1"], ["ab", "abc", "ab d"])
    codec = TextCodec(tree, character_tokenizer())
    rules = spelling_of(codec, 128)
    short, long, under = codec.spelling
    assert long[: len(short)] == short
    assert admissible(rules, list(short)) == {long[len(short)], codec.between, codec.below, codec.end}
    assert admissible(rules, list(long)) == {codec.end}, "the last of its level, without children"
    assert admissible(rules, [*short, codec.between]) == {long[0]}
    assert admissible(rules, [*short, codec.below]) == {under[0]}


@given(taxonomies(max_labels=9), SMALL, st.integers(0, 60))
def test_whatever_the_network_says_a_label_set_is_spelled(tree, seed, more):
    codec = TextCodec(tree, character_tokenizer())
    limit = max(len(one) for one in codec.spelling) + 1 + more
    rules = spelling_of(codec, 128, room=limit)
    written = greedy(writing(RandomNetwork(128, 0, seed), rules, 8), limit, codec.end)
    for row in written.tolist():
        parsed = codec.decode(row)
        assert parsed.is_valid, parsed.problems
        assert parsed.labels
