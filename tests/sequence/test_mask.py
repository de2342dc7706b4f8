"""The path-adaptive mask: the design's table, a slow reference, and what every mask must hold to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.errors import SequenceError
from branchwise.sequence import MASKS, TextCodec, TokenCodec, loss_rows, path_mask
from branchwise.taxonomy import LabelSets, Taxonomy
from tests.sequence.spelling import character_tokenizer
from tests.strategies import label_sets, taxonomies

GOLDEN = {  # a _ b / c _ d / e EOS: the inputs that each row sees
    "paper": "0|0 1|0 1 2|0 3|0 3 4|0 1 2 5|0 1 2 5 6|0 3 4 7|0 3 4 7 8|0 1 2 5 6 9",
    "released": "0|0 1|0 2|0 2 3|0 1 4|0 1 4 5|0 2 3 6|0 2 3 6 7|0 1 4 5 8|0 1 2 3 4 5 6 7 8 9",
}


@st.composite
def trees_with_sets(draw):
    tree = draw(taxonomies())
    return tree, draw(label_sets(tree))


def slow_mask(tree: Taxonomy, labels: list[int], kind: str) -> np.ndarray:
    """Follow the definition word by word; input 2k + 1 is label k, input 2k + 2 the separator after it."""
    size = max(2 * len(labels), 1)
    mask = np.zeros((size, size), bool)
    mask[:, 0] = True

    def own_branch(k: int) -> list[int]:
        branch = {*tree.ancestors(labels[k]), labels[k]}
        return [u for u, label in enumerate(labels) if label in branch]

    for k in range(len(labels)):
        if kind == "paper":
            for u in own_branch(k):
                if u != k:
                    mask[2 * k + 1, [2 * u + 1, 2 * u + 2]] = True
            mask[2 * k + 1, 2 * k + 1] = True
            if k + 1 < len(labels):
                mask[2 * k + 2] = mask[2 * k + 1]
                mask[2 * k + 2, 2 * k + 2] = True
        else:
            for row in (2 * k, 2 * k + 1):
                for u in own_branch(k):
                    mask[row, [2 * u, 2 * u + 1]] = True
                mask[row, row + 1 :] = False
    if kind == "released":
        mask[-1] = True
    return mask


@pytest.mark.parametrize("kind", MASKS)
def test_the_design_documents_table(kind):
    tree = Taxonomy.from_nodes(["a", "b", "c", "d", "e"], ["", "", "a", "b", "c"])
    mask = path_mask(TokenCodec(tree).encode(tree.label_sets([["e", "d"]])), tree, kind)
    assert "|".join(" ".join(map(str, np.flatnonzero(row))) for row in mask[0]) == GOLDEN[kind]


@given(trees_with_sets(), st.sampled_from(MASKS))
def test_the_batch_equals_the_slow_reference(case, kind):
    tree, sets = case
    encoded = TokenCodec(tree).encode(sets)
    masks = path_mask(encoded, tree, kind)
    for row, labels in enumerate(sets):
        length = encoded.lengths[row]
        expected = np.zeros_like(masks[row])
        expected[:length, :length] = slow_mask(tree, labels.tolist(), kind)
        assert np.array_equal(masks[row], expected)


@given(trees_with_sets(), st.sampled_from(MASKS))
def test_rows_see_themselves_the_start_and_no_label_of_another_branch(case, kind):
    tree, sets = case
    encoded = TokenCodec(tree).encode(sets)
    masks = path_mask(encoded, tree, kind)
    for mask, length, labels in zip(masks, encoded.lengths.tolist(), sets, strict=True):
        assert mask[:length].diagonal().all()
        assert mask[:length, 0].all()
        assert not np.triu(mask, 1).any(), "nothing looks ahead"
        last = length - 1
        for k, label in enumerate(labels.tolist()):
            if kind == "released" and 2 * k + 1 == last:
                continue  # the row that ends sees all
            seen = {int(labels[j // 2]) for j in np.flatnonzero(mask[2 * k + 1]) if j % 2}
            assert seen == {*tree.ancestors(label), label}


def test_all_rows_but_the_last_and_padding_carry_loss():
    tree = Taxonomy.from_nodes(["a", "b"], ["", ""])
    encoded = TokenCodec(tree).encode(tree.label_sets([["a", "b"], ["a"], []]))
    assert loss_rows(encoded).astype(int).tolist() == [[1, 1, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


@given(trees_with_sets(), st.sampled_from(MASKS))
def test_text_units_spread_the_same_mask_over_pieces(case, kind):
    tree, sets = case
    tokens, text = TokenCodec(tree), TextCodec(tree, character_tokenizer())
    of_symbols = path_mask(tokens.encode(sets), tree, kind)
    encoded = text.encode(sets)
    of_pieces = path_mask(encoded, tree, kind)
    for row, length in enumerate(encoded.lengths.tolist()):
        shown = [0, *(encoded.symbol[row, : length - 1] + 1)]  # which symbol each input shows
        for i in range(length - 1):
            for j in range(i + 1):
                same = shown[i] == shown[j]
                expected = True if same else of_symbols[row][shown[i], shown[j]]
                if kind == "released" and shown[i] == len(sets[row]) * 2 - 1 and not same:
                    branch = {int(sets[row][-1]), *tree.ancestors(int(sets[row][-1]))}
                    unit = shown[j] // 2
                    expected = shown[j] == 0 or int(sets[row][unit]) in branch
                assert of_pieces[row, i, j] == expected
        if kind == "released":
            assert of_pieces[row, length - 1, :length].all()
        assert not of_pieces[row, length:].any()


def test_the_mask_does_not_depend_on_the_batch():
    tree = Taxonomy.from_nodes(["a", "b", "c", "d", "e"], ["", "", "a", "b", "c"])
    sets = tree.label_sets([["a"], ["e", "d"], ["c", "b"]])
    codec = TokenCodec(tree)
    for kind in MASKS:
        together = path_mask(codec.encode(sets), tree, kind)
        for row in range(3):
            alone = path_mask(codec.encode(sets.take([row])), tree, kind)[0]
            size = len(alone)
            assert np.array_equal(together[row, :size, :size], alone)


def test_empty_batches_and_empty_trees_have_masks_too():
    tree = Taxonomy.from_nodes(["a"], [""])
    assert path_mask(TokenCodec(tree).encode(LabelSets.empty(0)), tree).shape[0] == 0
    assert path_mask(TokenCodec(tree).encode(LabelSets.empty(2)), tree).tolist() == [[[True]]] * 2


def test_an_unknown_mask_is_a_clear_error():
    tree = Taxonomy.from_nodes(["a"], [""])
    with pytest.raises(SequenceError, match="no mask 'both': choose one of paper, released"):
        path_mask(TokenCodec(tree).encode(LabelSets.empty(1)), tree, "both")  # type: ignore[arg-type]
