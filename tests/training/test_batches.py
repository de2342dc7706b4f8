"""Batches: every document once a pass, of similar length, and the tensors that they become."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.errors import ModelError
from branchwise.model.loss import IGNORED
from branchwise.model.pieces import tokenise
from branchwise.sequence import TokenCodec, path_mask
from branchwise.training.batches import Collator, LengthBatches
from branchwise.training.settings import PRESETS, preset
from tests.sequence.spelling import character_tokenizer
from tests.training.toys import toy_corpus


@given(st.lists(st.integers(1, 300), min_size=1, max_size=300), st.integers(1, 9), st.integers(0, 3))
def test_a_pass_holds_every_document_once(lengths, batch, seed):
    order = list(LengthBatches(np.array(lengths), batch, seed))
    assert sorted(order) == list(range(len(lengths)))


def test_the_order_is_fixed_by_seed_and_pass():
    lengths = np.arange(100)
    batches = LengthBatches(lengths, 8, seed=1)
    first = list(batches)
    assert list(batches) == first
    assert list(LengthBatches(lengths, 8, seed=2)) != first
    batches.set_epoch(1)
    assert list(batches) != first


def test_documents_of_a_batch_are_of_similar_length():
    lengths = np.random.default_rng(0).integers(1, 300, 4000)
    order = np.array(list(LengthBatches(lengths, 16, 0)))
    padded = sum(lengths[run].max() * 16 for run in order.reshape(-1, 16))
    assert padded < 1.06 * lengths.sum()
    firsts = lengths[order.reshape(-1, 16)[:, 0]]
    assert abs(np.corrcoef(firsts, np.arange(len(firsts)))[0, 1]) < 0.2, "short and long batches take turns"


def collator(**changes):
    corpus = toy_corpus(6)
    settings = preset("fast", backbone="-", **changes)
    pieces = tokenise(corpus.texts(), 6, character_tokenizer(), settings.input_limit)
    codec = TokenCodec(corpus.taxonomy, settings.variant, settings.seed)
    return corpus, Collator(pieces, corpus.labels, codec, settings)


def test_a_batch_is_padded_to_its_longest_document():
    corpus, collate = collator(mask="paper")
    batch = collate([4, 1])
    sets = corpus.labels.take([4, 1])
    encoded = TokenCodec(corpus.taxonomy).encode(sets)
    assert batch["documents"].tolist() == [4, 1]
    assert batch["attention_mask"].sum(1).tolist() == collate.tokens.lengths[[4, 1]].tolist()
    assert batch["input_ids"].shape[1] == collate.tokens.lengths[[4, 1]].max()
    real = batch["targets"] != IGNORED
    assert batch["targets"][real].tolist() == encoded.targets[encoded.real].tolist()
    assert np.array_equal(batch["path_mask"].numpy(), path_mask(encoded, corpus.taxonomy, "paper"))


def test_a_batch_may_be_padded_to_the_limits():
    _, collate = collator(pad_to_limit=True, input_limit=40, output_limit=30)
    batch = collate([0, 1, 2])
    assert batch["input_ids"].shape == (3, 40)
    assert batch["targets"].shape == (3, 30)
    assert batch["path_mask"].shape == (3, 30, 30)
    assert not batch["path_mask"][:, -1].any()


def test_the_flat_variant_has_no_mask_and_new_orders_if_asked():
    _, collate = collator(variant="t5")
    rows = list(range(6))
    first = collate(rows)
    assert "path_mask" not in first
    assert (collate(rows)["targets"] == first["targets"]).all()
    collate.epoch = 1
    assert (collate(rows)["targets"] != first["targets"]).any()


def test_every_preset_is_whole_and_every_setting_has_help():
    from dataclasses import fields

    from branchwise.training.settings import Settings

    for name in PRESETS:
        assert preset(name).model_config().units in ("token", "text")
    assert all(one.metadata["help"].endswith(".") for one in fields(Settings))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "slow"}, "no preset 'slow': choose one of"),
        ({"colour": 1}, "no setting 'colour': choose from"),
        ({"variant": "bart"}, "variant is 'bart': choose one of t5, hia, pamm"),
        ({"rho": -1.0}, "rho must not be negative"),
        ({"batch": 0}, "all must be positive"),
        ({"learning_rate": 0.0}, "the first must be positive"),
    ],
)
def test_impossible_settings_are_clear_errors(changes, message):
    with pytest.raises(ModelError, match=message):
        preset(changes.pop("name", "fast"), **changes)
