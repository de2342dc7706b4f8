"""Decoding many documents: in order whatever their lengths, problems counted, and wishes refused clearly."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch

from branchwise.decoding import documents
from branchwise.decoding.documents import decode_documents
from branchwise.decoding.greedy import greedy
from branchwise.decoding.options import DecodingOptions
from branchwise.errors import ModelError
from branchwise.model.pieces import tokenise
from tests.decoding.test_greedy import begin
from tests.model.tiny import model_of

TEXTS = [
    letter * size for size, letter in zip((5, 1, 30, 12, 12, 2, 40, 7, 21, 3), "abcdefghij", strict=True)
]


@pytest.fixture
def model(backbones):
    """Return a model whose documents differ in what is written for them."""
    model = model_of(backbones["flan"], output_limit=14)
    torch.manual_seed(2)
    with torch.no_grad():
        model.network.head.weight *= 3
        model.network.head.bias += torch.randn(11)
    return model


def stored(model, texts=TEXTS):
    return tokenise(texts, len(texts), model.tokenizer, model.config.input_limit)


def test_documents_come_back_in_order(model, monkeypatch):
    alone = [decode_documents(model, stored(model, [one])).sets[0].tolist() for one in TEXTS]
    assert len({tuple(one) for one in alone}) > 3
    for pieces_a_batch in (1, 50, 8192):
        monkeypatch.setattr(documents, "PIECES_A_BATCH", pieces_a_batch)
        decoded = decode_documents(model, stored(model))
        assert [one.tolist() for one in decoded.sets] == alone
        assert not decoded.invalid.any()
        assert not decoded.problems
        assert decoded.sets.is_closed(model.tree).all()


def test_batches_are_bounded_by_pieces_and_by_symbols():
    lengths = np.array([3, 9, 5, 5, 2, 8])
    for most in (1, 2, 100):
        batches = documents._batches(lengths, most)
        assert sorted(np.concatenate(batches).tolist()) == list(range(6))
        assert max(map(len, batches)) <= most
        assert [int(lengths[one].max()) for one in batches] == sorted(
            (int(lengths[one].max()) for one in batches), reverse=True
        )
    assert [len(one) for one in documents._batches(np.full(10, 4096), 100)] == [2] * 5
    assert [len(one) for one in documents._batches(np.array([100_000, 1]), 0)] == [1, 1]


@pytest.mark.parametrize("units", ["token", "text"])
def test_free_decoding_counts_what_is_wrong(backbones, units):
    model = model_of(backbones["t5"], units=units, output_limit=9)
    pieces = stored(model)
    decoded = decode_documents(model, pieces, DecodingOptions(decoding="free"))
    written = [
        greedy(
            begin(model, *map(torch.from_numpy, pieces.padded(np.array([row]))), None), 9, model.codec.end
        )[0]
        for row in range(len(TEXTS))
    ]
    parsed = [model.codec.decode(one.tolist()) for one in written]
    assert decoded.problems == Counter(problem.kind for one in parsed for problem in one.problems)
    assert decoded.problems, "a random model does not write label sets"
    assert decoded.invalid.tolist() == [not one.is_valid for one in parsed]
    assert [tuple(one.tolist()) for one in decoded.sets] == [one.labels for one in parsed]


def test_the_empty_set_only_where_it_may_be(model):
    with torch.no_grad():
        model.network.head.bias[-1] += 1e4
    assert (decode_documents(model, stored(model)).sets.sizes == 1).all()
    decoded = decode_documents(model, stored(model), DecodingOptions(may_be_empty=True))
    assert (decoded.sets.sizes == 0).all()
    assert not decoded.invalid.any()


def test_bf16_writes_label_sets_too_and_the_model_is_left_ready_to_predict(model):
    model.network.train()
    decoded = decode_documents(model, stored(model), DecodingOptions(precision="bf16"))
    assert not decoded.invalid.any()
    assert not model.network.training
    exact = decode_documents(model, stored(model))
    same = [a.tolist() == b.tolist() for a, b in zip(decoded.sets, exact.sets, strict=True)]
    assert sum(same) >= len(TEXTS) // 2


def test_no_documents(model):
    decoded = decode_documents(model, stored(model, []))
    assert (len(decoded.sets), len(decoded.invalid), len(decoded.problems)) == (0, 0, 0)


def test_wishes_that_cannot_be_met():
    with pytest.raises(ModelError, match="precision is 'auto': choose one of fp32, bf16"):
        DecodingOptions(precision="auto")
    with pytest.raises(ModelError, match="decoding is 'beam'"):
        DecodingOptions(decoding="beam")
    with pytest.raises(ModelError, match="repair is 'fix': choose one of drop, close"):
        DecodingOptions(decoding="free", repair="fix")
    with pytest.raises(ModelError, match="0 beams"):
        DecodingOptions(beams=0)
    with pytest.raises(ModelError, match="leave leaves-only"):
        DecodingOptions(decoding="free", leaves_only=True)
