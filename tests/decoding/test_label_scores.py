"""Scores of every label: within the tree's bounds for any network, and exact where the chain's assumption holds."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from branchwise.decoding.documents import decode_documents, label_shares
from branchwise.decoding.greedy import greedy
from branchwise.decoding.label_scores import FlatScores, LevelScores
from branchwise.decoding.options import DecodingOptions
from branchwise.decoding.watching import PieceWatch, SymbolWatch
from branchwise.model.pieces import tokenise
from branchwise.sequence import TextCodec, TokenCodec
from branchwise.taxonomy import Taxonomy
from tests.decoding.toys import TableNetwork, grammar_of, marginals, spelling_of, writing
from tests.model.tiny import model_of
from tests.sequence.spelling import character_tokenizer
from tests.strategies import taxonomies

SEEDS = st.integers(0, 1 << 20)


class EvenNetwork(TableNetwork):
    """Says the same whatever stood before, so that the chain over the labels is exact."""

    def logits(self, prefix):  # noqa: ARG002
        return super().logits(())


def token_scores(tree, network, share=None, variant="hia", **options):
    grammar = grammar_of(tree, variant, room=2 * len(tree), **options)
    share = torch.full((len(tree),), 0.5) if share is None else share
    gather = (FlatScores if variant == "t5" else LevelScores)(grammar, share, 3)
    written = greedy(
        writing(network, grammar, 3), 2 * len(tree), grammar.symbols.end, SymbolWatch(grammar.symbols, gather)
    )
    scores = gather.finish()
    assert torch.equal(scores[0], scores[1])
    return scores[0].numpy(), written[0].tolist()


def check_bounds(tree, scores):
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()
    assert (scores <= 1).all()
    inner = tree.parent >= 0
    assert (scores[inner] <= scores[tree.parent[inner]]).all()


@given(taxonomies(max_labels=14), SEEDS, st.sampled_from(["hia", "t5"]), st.floats(0.1, 40), st.booleans())
def test_any_network_scores_between_0_and_1_and_no_child_above_its_parent(
    tree, seed, variant, spread, may_be_empty
):
    codec = TokenCodec(tree, variant)
    network = TableNetwork(len(codec.symbols), codec.symbols.start, seed, spread)
    check_bounds(tree, token_scores(tree, network, variant=variant, may_be_empty=may_be_empty)[0])


@given(taxonomies(max_labels=6), SEEDS, st.floats(0.1, 30))
def test_text_units_keep_the_bounds_too(tree, seed, spread):
    codec = TextCodec(tree, character_tokenizer())
    rules = spelling_of(codec, 128, room=300)
    begun = writing(TableNetwork(128, 0, seed, spread), rules, 2)
    gather = LevelScores(rules.grammar, torch.full((len(tree),), 0.5), 2)
    greedy(begun, 300, codec.end, PieceWatch(rules, gather, begun, torch.ones(len(tree))))
    check_bounds(tree, gather.finish()[0].numpy())


@given(st.integers(1, 6), SEEDS)
def test_on_one_level_scores_are_exact_where_places_do_not_depend_on_what_stood_before(n, seed):
    tree = Taxonomy.from_nodes([str(one) for one in range(n)], [""] * n)
    network = EvenNetwork(n + 4, n + 2, seed)
    scores, written = token_scores(tree, network)
    exact = marginals(network, grammar_of(tree), tree)
    assert (scores <= exact * (1 + 1e-4)).all()
    n_written = sum(one < n for one in written)
    # Behind the last label of a level the pass cannot say how likely one more was; and it looks one place on only.
    if n - 1 not in written and n_written + 1 >= n:
        np.testing.assert_allclose(scores, exact, rtol=1e-4)


@given(st.integers(1, 5), SEEDS)
def test_so_they_are_below_a_single_root(n, seed):
    tree = Taxonomy.from_nodes(["root", *map(str, range(n))], ["", *["root"] * n])
    network = EvenNetwork(n + 5, n + 3, seed)
    expected = marginals(network, grammar_of(tree), tree)
    share = torch.full((n + 1,), 1 / n)
    scores, written = token_scores(tree, network, share)
    if written[1] == n + 2:  # `/` was written
        if n not in written and sum(one <= n for one in written) >= n:
            np.testing.assert_allclose(scores, expected, rtol=1e-4)
        assert (scores <= expected * (1 + 1e-4)).all()
    else:
        below = float(1 - expected_end(network, n))
        np.testing.assert_allclose(scores, [1.0, *[below / n] * n], rtol=1e-4)


def expected_end(network, n):
    """Return how likely the end is behind the only root."""
    logits = network.logits(())[[n + 2, n + 4]]
    return logits.softmax(0)[1]


def test_a_parent_that_was_not_written_hands_its_score_on_by_the_shares_of_training():
    tree = Taxonomy.from_nodes(["a", "b", "c", "d", "e"], ["", "", "a", "b", "b"])
    share = torch.tensor([0.5, 0.5, 0.9, 0.3, 0.2])
    for seed in range(20):
        network = TableNetwork(9, 7, seed)
        scores, written = token_scores(tree, network, share)
        if 1 not in written:
            np.testing.assert_allclose(scores[3:], scores[1] * share[3:].numpy(), rtol=1e-5)
            assert scores[1] > 0
            return
    pytest.fail("no seed leaves b out")


@pytest.mark.parametrize("units", ["token", "text"])
@pytest.mark.parametrize("variant", ["hia", "t5"])
def test_a_model_scores_documents_in_order_and_what_it_writes_scores_high(backbones, units, variant):
    model = model_of(backbones["flan"], units=units, variant=variant, output_limit=60)
    model.record = {"train": {"documents": 9, "label_documents": {"a": 9, "c": 6, "e": 1}}}
    texts = ["b" * size for size in (3, 40, 1, 12)]
    pieces = tokenise(texts, 4, model.tokenizer, 300)
    decoded = decode_documents(model, pieces, scores=True)
    assert decoded.scores.shape == (4, 7)
    for row in range(4):
        check_bounds(model.tree, decoded.scores[row])
        alone = decode_documents(model, tokenise(texts[row : row + 1], 1, model.tokenizer, 300), scores=True)
        np.testing.assert_allclose(decoded.scores[row], alone.scores[0], atol=2e-3)
        assert alone.sets[0].tolist() == decoded.sets[row].tolist()
    beams = decode_documents(model, pieces, DecodingOptions(beams=3), scores=True)
    np.testing.assert_allclose(beams.scores, decoded.scores, atol=1e-5)
    sampled = decode_documents(model, pieces, DecodingOptions(samples=40), scores=True)
    for row in range(4):
        check_bounds(model.tree, sampled.scores[row])
    again = decode_documents(model, pieces, DecodingOptions(samples=40), scores=True)
    np.testing.assert_array_equal(sampled.scores, again.scores)
    other = decode_documents(model, pieces, DecodingOptions(samples=40, seed=1), scores=True)
    assert (other.scores != sampled.scores).any()


def test_many_scores_are_kept_sparse(backbones, monkeypatch):
    model = model_of(backbones["flan"])
    pieces = tokenise(["a", "bb", "ccc"], 3, model.tokenizer, 300)
    dense = decode_documents(model, pieces, scores=True).scores
    monkeypatch.setattr("branchwise.decoding.documents.DENSE", 20)
    monkeypatch.setattr("branchwise.decoding.documents.PIECES_A_BATCH", 3)
    sparse = decode_documents(model, pieces, scores=True).scores
    np.testing.assert_allclose(sparse.toarray(), np.where(dense < 1e-4, 0, dense), atol=1e-4)


def test_shares_without_counts_are_even_among_siblings(backbones):
    model = model_of(backbones["flan"])
    share, common = label_shares(model)
    np.testing.assert_allclose(share, [1 / 3, 1 / 3, 1 / 3, 1 / 2, 1 / 2, 1, 1])
    assert (common > 0).all()
