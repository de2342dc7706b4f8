"""First vectors: means of name pieces, marks, names without pieces; and outputs guessed from names."""

from __future__ import annotations

import pytest
import torch
from tokenizers import Tokenizer, normalizers

from branchwise.model.vectors import MARKS, name_vectors, outputs_of_names
from branchwise.taxonomy import Taxonomy
from tests.model.tiny import model_of, small_tree, stock
from tests.sequence.spelling import character_tokenizer


@pytest.fixture
def tokenizer():
    return character_tokenizer()


def test_a_label_is_the_mean_of_its_names_pieces(tokenizer):
    pieces = torch.randn(128, 5)
    tree = small_tree()
    vectors = name_vectors(pieces, tree, tokenizer)
    assert vectors.shape == (11, 5)
    for label, name in enumerate(tree.names):
        ids = [tokenizer.token_to_id(one) for one in f"▁{name}"]
        torch.testing.assert_close(vectors[label], pieces[ids].mean(0))
    for row, mark in enumerate(MARKS):
        torch.testing.assert_close(vectors[7 + row], pieces[tokenizer.token_to_id(mark)])


def test_a_name_without_pieces_is_the_mean_of_all(tokenizer):
    pieces = torch.randn(128, 5)
    tree = Taxonomy.from_nodes(["x", "y"], ["", ""], ["Name", "\u200b"])
    tokenizer = Tokenizer.from_str(tokenizer.to_str())
    tokenizer.normalizer = normalizers.Replace(
        "\u200b", ""
    )  # as T5's own takes characters without width away
    assert tokenizer.encode("\u200b", add_special_tokens=False).ids == []
    vectors = name_vectors(pieces, tree, tokenizer)
    torch.testing.assert_close(vectors[1], pieces.mean(0))
    assert torch.isfinite(vectors).all()


def test_both_vectors_of_a_new_model_are_means_of_the_backbones(backbone):
    """So each label's first logit is the mean of the logits that the stock model gives its name's pieces."""
    model = model_of(backbone)
    t5 = stock(backbone)
    hidden = torch.randn(3, 16)
    with torch.no_grad():
        scale = 0.25 if t5.config.model_type == "t5" and model.network.head and tied(t5) else 1.0
        by_piece = t5.lm_head(hidden * scale)
        logits = model.network.head(hidden)
    ids = [model.tokenizer.token_to_id(one) for one in "▁Cinema"]
    torch.testing.assert_close(logits[:, 3 + 0], by_piece[:, ids].mean(1), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(
        model.network.symbols.weight[3], t5.get_input_embeddings().weight[ids].mean(0), rtol=1e-5, atol=1e-6
    )


def tied(t5) -> bool:
    return t5.lm_head.weight is t5.get_input_embeddings().weight


def test_outputs_of_names_follow_likeness_and_fall_back_to_the_mean():
    random = torch.Generator().manual_seed(0)
    names = torch.randn(40, 64, generator=random)
    outputs = torch.randn(40, 65, generator=random)
    guessed = outputs_of_names(names, outputs, torch.cat([names[7:8], names.mean(0, keepdim=True)]))
    likeness = torch.cosine_similarity(guessed[:1] - outputs.mean(0), outputs - outputs.mean(0))
    assert likeness.argmax() == 7
    assert likeness[7] > 0.9
    torch.testing.assert_close(guessed[1], outputs.mean(0), rtol=1e-4, atol=1e-4)


def test_outputs_of_names_with_a_single_label_is_that_labels():
    names, outputs = torch.randn(1, 8), torch.randn(1, 9)
    torch.testing.assert_close(outputs_of_names(names, outputs, torch.randn(3, 8)), outputs.expand(3, -1))
