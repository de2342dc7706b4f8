"""Text units: no two labels are spelled alike, whatever their names, and any pieces can be read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models

from branchwise.errors import SequenceError
from branchwise.sequence import VARIANTS, TextCodec
from branchwise.taxonomy import Taxonomy
from tests.sequence.spelling import character_tokenizer
from tests.strategies import label_sets, taxonomies


@st.composite
def trees_with_sets(draw):
    tree = draw(taxonomies())
    return tree, draw(label_sets(tree))


def read(pieces) -> str:
    tokenizer = character_tokenizer()
    return "".join(tokenizer.id_to_token(int(one)) for one in pieces)


@given(trees_with_sets(), st.sampled_from(VARIANTS))
def test_every_closed_set_comes_back_whatever_its_names(case, variant):
    tree, sets = case
    codec = TextCodec(tree, character_tokenizer(), variant)
    encoded = codec.encode(sets)
    for row, labels in enumerate(sets):
        parsed = codec.decode(encoded.targets[row])
        assert parsed.labels == tuple(labels.tolist())
        assert parsed.is_valid


def test_labels_are_spelled_by_name_between_reserved_pieces():
    tree = Taxonomy.from_nodes(["x", "y", "z"], ["", "", "x"], ["Arts", "_ / Law", "Jazz"])
    codec = TextCodec(tree, character_tokenizer())
    encoded = codec.encode(tree.label_sets([["y", "z"]]))
    assert read(encoded.targets[0]) == "▁Arts<extra_id_0>▁_▁/▁Law<extra_id_1>▁Jazz</s>"


def test_equal_names_are_told_apart_by_their_ids():
    tree = Taxonomy.from_nodes(
        ["cs", "stat", "cs.LG", "stat.ML"],
        ["", "", "cs", "stat"],
        ["Computing", "Statistics", "Learning", "Learning"],
    )
    spelled = [read(one) for one in TextCodec(tree, character_tokenizer()).spelling]
    assert spelled[2:] == ["▁Learning▁(cs.LG)", "▁Learning▁(stat.ML)"]


def test_names_the_tokenizer_cannot_tell_apart_still_differ():
    tree = Taxonomy.from_nodes(["名", "字", "母"], ["", "", ""])
    assert len(set(TextCodec(tree, character_tokenizer()).spelling)) == 3


def test_a_name_may_hold_a_reserved_piece():
    tree = Taxonomy.from_nodes(["a", "b"], ["", ""], ["x<extra_id_0>y", "</s>"])
    codec = TextCodec(tree, character_tokenizer())
    sets = tree.label_sets([["a", "b"], ["b"]])
    assert [codec.decode(row).labels for row in codec.encode(sets).targets] == [(0, 1), (1,)]


@given(st.lists(st.integers(0, 104), max_size=12))
def test_any_pieces_can_be_read(pieces):
    tree = Taxonomy.from_nodes(["a", "b", "ab"], ["", "a", ""])
    parsed = TextCodec(tree, character_tokenizer()).decode(pieces)
    assert set(parsed.labels) <= {0, 1, 2}


def test_pieces_that_spell_no_label_are_an_unknown_symbol():
    tree = Taxonomy.from_nodes(["a", "b"], ["", ""])
    codec = TextCodec(tree, character_tokenizer())
    pieces = [*codec.spelling[0], *codec.spelling[1], codec.end]
    (problem,) = codec.decode(pieces).problems
    assert (problem.kind, problem.detail) == (
        "unknown symbol",
        "what stands here is neither a label nor a separator",
    )


def test_limits_count_pieces():
    tree = Taxonomy.from_nodes(["a", "b"], ["", "a"], ["four", "longer name"])
    codec = TextCodec(tree, character_tokenizer())
    sets = tree.label_sets([["b"]])
    exact = int(codec.encode(sets).lengths[0])
    assert codec.fit(sets, exact)[0] == sets
    with pytest.raises(SequenceError, match=f"more than the {exact - 1} output symbols"):
        codec.fit(sets, exact - 1)
    assert codec.fit(sets, exact - 1, "drop")[0].to_ids(tree) == [("a",)]


def test_a_tokenizer_without_t5s_pieces_is_a_clear_error():
    bare = Tokenizer(models.Unigram([("<unk>", 0.0)], unk_id=0))
    with pytest.raises(SequenceError, match="no piece '<extra_id_0>'"):
        TextCodec(Taxonomy.from_nodes(["a"], [""]), bare)
