"""A changed taxonomy: what survives keeps what it learned, what is new starts from its name."""

from __future__ import annotations

import pytest
import torch

from branchwise.model.bundle import Model
from branchwise.model.vectors import name_vectors
from branchwise.taxonomy import Taxonomy
from tests.model.test_bundle import logits_of, shaken
from tests.model.tiny import documents, model_of, small_tree


def grown_tree() -> Taxonomy:
    """Without d; with a new root n before all, a new child h under a, and g moved under b."""
    return Taxonomy.from_nodes(
        ["n", "a", "b", "c", "e", "f", "g", "h"],
        ["", "", "", "a", "c", "", "b", "a"],
        ["New", "Arts", "Books", "Cinema", "Epics", "Food", "Games", "Cinemas"],
    )


@pytest.fixture
def model(backbone) -> Model:
    return shaken(model_of(backbone))


def test_surviving_labels_keep_their_logits(model):
    old, new = model.tree, grown_tree()
    carried = model.carried_over(new)
    both = [one for one in old.ids if one in new.index]
    marks = range(4)

    def places(tree):
        return [tree.index[one] for one in both] + [len(tree) + mark for mark in marks]

    pieces, real = documents()
    logits = []
    for one in (model, carried):
        string = [
            one.network.start,
            one.tree.index["a"],
            len(one.tree),
            one.tree.index["b"],
            len(one.tree) + 1,
        ]
        with torch.no_grad():
            encoded = one.network.encode(pieces, real)
            found = one.network.decode(torch.tensor([string] * 4), encoded, real)
        logits.append(found[:, :, places(one.tree)])
    torch.testing.assert_close(logits[1], logits[0], rtol=1e-6, atol=1e-6)
    assert carried.network.head.out_features == len(new) + 4
    assert carried.tree == new
    assert carried.codec.end == len(new) + 3


def test_new_labels_start_from_their_names(model):
    new = grown_tree()
    carried = model.carried_over(new)
    pieces = model.network.encoder.embed_tokens.weight.detach()
    expected = name_vectors(pieces, new, model.tokenizer)
    for one in ("n", "h"):
        torch.testing.assert_close(carried.network.symbols.weight[new.index[one]], expected[new.index[one]])
    head = carried.network.head.weight.detach()
    centred = head - model.network.head.weight[: len(model.tree)].mean(0)
    likeness = torch.cosine_similarity(
        centred[new.index["h"]][None], centred[[new.index[one] for one in "abcefg"]]
    )
    assert "abcefg"[int(likeness.argmax())] == "c", "Cinemas writes out most like Cinema"
    assert torch.isfinite(head).all()
    assert torch.isfinite(carried.network.head.bias).all()


def test_the_model_itself_is_not_touched(model):
    before = logits_of(model)
    carried = model.carried_over(grown_tree())
    with torch.no_grad():
        for one in carried.network.parameters():
            one.zero_()
    assert torch.equal(logits_of(model), before)
    assert model.tree == small_tree()


def test_load_carries_over_on_request_and_the_result_saves_and_trains(model, tmp_path):
    model.record = {"train": {"documents": 9}}
    model.save(tmp_path / "m")
    carried = Model.load(tmp_path / "m", grown_tree(), carry_over=True)
    assert carried.record["carried_over"] == {"labels": 8, "kept": 6, "before": 7}
    assert all(one.requires_grad and one.is_leaf for one in carried.network.parameters())
    carried.save(tmp_path / "n")
    again = Model.load(tmp_path / "n", grown_tree())
    assert torch.equal(again.network.head.weight, carried.network.head.weight)
    assert "carried over from a taxonomy of 7 labels" in (tmp_path / "n" / "README.md").read_text()
    unchanged = Model.load(tmp_path / "m", small_tree(), carry_over=True)
    assert "carried_over" not in unchanged.record


def test_no_label_survives(model):
    carried = model.carried_over(Taxonomy.from_nodes(["x", "y"], ["", "x"], ["Xenon", "Yttrium"]))
    assert logits_of_first_step(carried).shape[-1] == 6
    assert torch.isfinite(logits_of_first_step(carried)).all()


def logits_of_first_step(model):
    pieces, real = documents()
    with torch.no_grad():
        start = torch.full((4, 1), model.network.start)
        return model.network.decode(start, model.network.encode(pieces, real), real)


def test_text_units_spell_surviving_labels_as_before(backbones, tmp_path):
    model = shaken(model_of(backbones["flan"], units="text"))
    model.save(tmp_path / "m")
    new = Taxonomy.from_nodes(
        ["n", "a", "b", "c", "e"], ["", "", "", "a", "c"], ["Arts", "Fine arts", "Books", "Cinema", "Epics"]
    )
    carried = Model.load(tmp_path / "m", new, carry_over=True)
    for one in ("a", "b", "c", "e"):
        assert (
            carried.codec.spelling[carried.tree.index[one]] == model.codec.spelling[model.tree.index[one]]
        ), one
    assert carried.tree.fingerprint == new.fingerprint
    assert torch.equal(logits_of(carried), logits_of(model))
    carried.save(tmp_path / "n")
    assert Model.load(tmp_path / "n", new).codec.spelling == carried.codec.spelling
