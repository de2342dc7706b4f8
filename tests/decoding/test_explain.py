"""Explanations: equal to slow computations from the stock model's own attention, and honest about odd documents."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
import torch
from torch.nn import functional

from branchwise.decoding.explain import explain_labels
from branchwise.decoding.explanation import top_words
from branchwise.errors import ModelError
from branchwise.sequence import path_mask
from branchwise.taxonomy import LabelSets
from tests.model.tiny import SHAPE, model_of, stock

TEXT = "A quick brown  fox,\tjumps"
PIECES_OF_WORDS = [2, 6, 6, 6, 6]  # the tiny tokenizer's: one a letter, one a space (a tab is unknown to it)
LABELS = ["e", "d"]
SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])


def explain(model, labels=LABELS, text=TEXT, **options):
    return explain_labels(model, text, model.tree.label_sets([labels]), SCORES, **options)


def stock_attention(model, folder):
    """Return self-attention [L, H, T, T] and cross-attention [L, H, T, S] of transformers' eager attention."""
    network = model.network
    pieces = torch.tensor([[*model.tokenizer.encode(TEXT, add_special_tokens=False).ids, 1]])
    encoded = model.codec.encode(model.tree.label_sets([LABELS]))
    symbols = network.decoder_input(torch.from_numpy(encoded.targets).long())
    with torch.no_grad():
        if model.config.units == "text":
            output = stock(folder)(input_ids=pieces, decoder_input_ids=symbols, output_attentions=True)
            own, cross = output.decoder_attentions, output.cross_attentions
        else:  # the decoder over our own symbols, with the stock attention put back
            decoder = copy.deepcopy(network.decoder)
            decoder.set_attn_implementation("eager")
            output = decoder(
                input_ids=symbols,
                encoder_hidden_states=stock(folder).encoder(input_ids=pieces).last_hidden_state,
                output_attentions=True,
                use_cache=False,
            )
            own, cross = output.attentions, output.cross_attentions
    return [torch.stack(one)[:, 0].double().numpy() for one in (own, cross)], encoded


def slowly(own, cross, encoded, mask):
    """Add pieces up into symbols and words, one number at a time."""
    symbol = encoded.symbol.reshape(-1).tolist()
    n_targets, n_symbols = len(symbol), max(symbol) + 1
    rows = [[t for t in range(n_targets) if symbol[t] == i] for i in range(n_symbols)]
    attention = np.zeros((n_symbols, n_symbols))
    for i, targets in enumerate(rows):
        for t in targets:
            for j in range(t + 1):
                column = 0 if j == 0 else symbol[j - 1] + 1
                attention[i, column] += own[t, j] / len(targets)
    labels = [i for i in range(n_symbols) if i % 2 == 0]
    on_path = [np.mean([(own[t] * mask[t]).sum() for t in rows[i]]) for i in labels]
    even = [np.mean([mask[t, : t + 1].mean() for t in rows[i]]) for i in labels]
    words = []
    for i in labels:
        begin, weights = 0, []
        for size in PIECES_OF_WORDS:
            weights.append(sum(cross[t, begin : begin + size].sum() for t in rows[i]))
            begin += size
        words.append(np.array(weights) / sum(weights))
    return attention, on_path, even, words


@pytest.mark.parametrize("units", ["token", "text"])
@pytest.mark.parametrize("style", ["t5", "flan", "mt5"])
def test_it_equals_a_slow_computation_from_the_stock_models_attention(backbones, style, units):
    model = model_of(backbones[style], units=units, variant="pamm", mask="paper")
    (own, cross), encoded = stock_attention(model, backbones[style])
    mask = path_mask(encoded, model.tree, "paper")[0]
    choices = [(None, None), (3, None), (None, 2), (1, 1)]
    for layer, head in choices if style == "t5" else choices[:1]:
        chosen = [
            one[slice(None) if layer is None else [layer - 1]][
                :, slice(None) if head is None else [head - 1]
            ].mean((0, 1))
            for one in (own, cross)
        ]
        attention, on_path, even, words = slowly(*chosen, encoded, mask)
        explanation = explain(model, layer=layer, head=head)
        assert explanation.words == ("A", "quick", "brown", "fox,", "jumps")
        assert explanation.symbols == ("a", "_", "b", "/", "c", "_", "d", "/", "e", "EOS")
        np.testing.assert_allclose(explanation.attention, attention, atol=5e-5)
        for k, one in enumerate(explanation.explained):
            assert one.path_share == pytest.approx(on_path[k], abs=5e-5)
            assert one.even_share == pytest.approx(even[k], abs=1e-9)
            np.testing.assert_allclose(one.by_attention, words[k], atol=1e-4)
            assert one.end_share == pytest.approx(
                chosen[1][encoded.symbol.reshape(-1) == 2 * k, -1].mean(), abs=5e-5
            )


@pytest.mark.parametrize("units", ["token", "text"])
def test_rows_sum_to_one_and_look_only_back(backbones, units):
    explanation = explain(model_of(backbones["flan"], units=units))
    np.testing.assert_allclose(explanation.attention.sum(1), 1, atol=1e-5)
    ahead = np.triu(explanation.attention, 1)
    if units == "text":  # a label's row sees the pieces of the label that are written already
        own = ahead[explanation.rows, np.array(explanation.rows) + 1]
        assert (own > 0).all()
        ahead[explanation.rows, np.array(explanation.rows) + 1] = 0
    assert not ahead.any()
    seen = (explanation.attention > 0) | ~explanation.on_path
    assert seen.all(), "what the path shows a row, the row can look at"


def test_the_path_in_the_picture_is_the_mask(backbones):
    model = model_of(backbones["flan"], mask="released")
    sets = model.tree.label_sets([LABELS])
    mask = path_mask(model.codec.encode(sets), model.tree, "released")[0]
    for units in ("token", "text"):
        explanation = explain(model_of(backbones["flan"], units=units))
        assert (np.tril(explanation.on_path) == mask).all(), units
        assert explanation.path_share == np.mean([one.path_share for one in explanation.explained])


@pytest.mark.parametrize("units", ["token", "text"])
@pytest.mark.parametrize("style", ["t5", "flan"])
def test_gradients_equal_finite_differences(backbones, style, units):
    model = model_of(backbones[style], units=units)
    model.network.double()
    explanation = explain(model, text="ab c")
    network = model.network
    pieces = torch.tensor([[*model.tokenizer.encode("ab c", add_special_tokens=False).ids, 1]])
    encoded = model.codec.encode(model.tree.label_sets([LABELS]))
    targets = torch.from_numpy(encoded.targets).long()
    with torch.no_grad():
        vectors = network.encoder.embed_tokens(pieces)
        n_pieces, width = vectors.shape[1:]
        steps = 1e-5 * torch.eye(n_pieces * width, dtype=torch.float64).view(-1, n_pieces, width)
        values = []
        for moved in (vectors, vectors + steps, vectors - steps):
            real = torch.ones(moved.shape[:2], dtype=torch.long)
            document = network.encoder(inputs_embeds=moved, attention_mask=real).last_hidden_state
            every = targets.expand(len(moved), -1)
            logits = network.decode(network.decoder_input(every), document, real)
            values.append(functional.log_softmax(logits, -1).gather(2, every[..., None])[..., 0])
    here, up, down = (one.numpy() for one in values)
    for k, one in enumerate(explanation.explained):
        of_label = encoded.symbol.reshape(-1) == 2 * k
        slope = ((up - down)[:, of_label].sum(1) / 2e-5).reshape(n_pieces, width)
        lengths = np.sqrt((slope**2).sum(1))
        assert one.probability == pytest.approx(np.exp(here[0, of_label].sum()), rel=1e-6)
        expected = np.array([lengths[:3].sum(), lengths[3:5].sum()]) / lengths[:5].sum()
        np.testing.assert_allclose(one.by_gradient, expected, rtol=1e-5)


@pytest.mark.parametrize(("distance", "share"), [(15, 1.0), (0, 1.0), (1, 0.0)])
def test_attention_to_one_place_is_on_the_path_or_off_it(backbones, distance, share):
    """Every row of this model looks at the start, at its own input, or at the label before its own."""
    model = model_of(backbones["t5"])
    with torch.no_grad():
        for block in model.network.decoder.block:
            block.layer[0].SelfAttention.q.weight.zero_()
        bias = model.network.decoder.block[0].layer[0].SelfAttention.relative_attention_bias
        places = torch.arange(len(bias.weight))  # one a distance, below 16
        bias.weight.copy_(-100.0 * (places - distance).abs()[:, None].expand_as(bias.weight))
    explanation = explain(model, ["a", "b", "f"])
    of_first, *others = explanation.explained
    assert of_first.path_share == pytest.approx(1.0), "the first row has only the start to look at"
    for one in others:
        assert one.path_share == pytest.approx(share, abs=1e-6)
        assert one.even_share < 1


def test_siblings_are_all_there_and_the_label_itself_is_not(backbones):
    explanation = explain(model_of(backbones["flan"]), ["c"])
    root, child = explanation.explained
    assert [(one.label, one.score, one.passed_over) for one in root.siblings] == [
        ("b", 0.8, True),
        ("f", pytest.approx(SCORES[2]), True),
    ]
    assert [(one.label, one.name, one.passed_over) for one in child.siblings] == [("g", "Games", True)]
    assert (child.score, child.best_passed_over.label) == (SCORES[3], "g")
    both = explain(model_of(backbones["flan"]), ["c", "g", "b", "f"]).explained
    assert [one.best_passed_over for one in both] == [None] * 5
    assert not any(other.passed_over for one in both for other in one.siblings)


def test_siblings_stand_best_first(backbones):
    model = model_of(backbones["flan"])
    scores = np.array([0.1, 0.2, 0.3, 0, 0, 0, 0])
    explanation = explain_labels(model, TEXT, model.tree.label_sets([["a"]]), scores)
    assert [one.label for one in explanation.explained[0].siblings] == ["f", "b"]


def test_ancestors_are_explained_with_their_labels(backbones):
    model = model_of(backbones["flan"])
    alone = LabelSets.from_lists([[model.tree.position("e")]])
    assert explain_labels(model, TEXT, alone, SCORES).labels == ("a", "c", "e")


@pytest.mark.parametrize("units", ["token", "text"])
def test_the_flat_variant_has_no_path(backbones, units):
    explanation = explain(model_of(backbones["flan"], variant="t5", units=units))
    assert set(explanation.labels) == set("abcde")
    assert set(explanation.symbols[1:-1:2]) == {"_"}
    assert explanation.on_path is None
    assert explanation.path_share is None
    assert {(one.path_share, one.even_share) for one in explanation.explained} == {(None, None)}
    np.testing.assert_allclose(explanation.attention.sum(1), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", "  \t\n"])
def test_a_text_without_words(backbones, text):
    explanation = explain(model_of(backbones["flan"]), text=text)
    assert explanation.words == ()
    assert explanation.unread == 0
    for one in explanation.explained:
        assert one.by_attention.shape == one.by_gradient.shape == (0,)
        assert 0 < one.end_share <= 1
    json.dumps(explanation.to_dict(), allow_nan=False)


def test_a_text_beyond_the_limit(backbones):
    model = model_of(backbones["flan"], input_limit=16)
    text = "abc def ghi jkl mno pqr"  # four pieces a word, and the end piece is the sixteenth
    explanation = explain(model, text=text * 1000)
    assert explanation.words == ("abc", "def", "ghi", "jkl")
    assert explanation.unread == 6 + 999 * 5 - 4
    one = explanation.explained[0]
    assert one.by_attention.sum() == pytest.approx(1)
    same = explain(model_of(backbones["flan"], input_limit=300), text="abc def ghi jk")
    np.testing.assert_allclose(one.by_gradient, same.explained[0].by_gradient, rtol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layer": 4}, "There is no layer 4: the decoder's layers are numbered 1 to 3"),
        ({"layer": 0}, "There is no layer 0"),
        ({"head": 3}, "There is no head 3: the decoder's heads are numbered 1 to 2"),
        ({"labels": []}, "There is nothing to explain"),
        ({"text": "half a pair \udce9"}, "convert it to UTF-8"),
    ],
)
def test_wishes_that_cannot_be_met(backbones, options, message):
    with pytest.raises(ModelError, match=message):
        explain(model_of(backbones["flan"]), **options)


def test_inputs_that_do_not_belong_together(backbones):
    model = model_of(backbones["flan"])
    with pytest.raises(ModelError, match="2 are given"):
        explain_labels(model, TEXT, model.tree.label_sets([["a"], ["b"]]), SCORES)
    with pytest.raises(ModelError, match=r"shape \(6,\), but the tree has 7 labels"):
        explain_labels(model, TEXT, model.tree.label_sets([["a"]]), SCORES[1:])


def test_the_callers_state_of_torch_does_not_matter(backbones):
    model = model_of(backbones["flan"], dropout=0.5)
    expected = explain(model).to_dict()
    model.network.train()
    with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
        assert explain(model).to_dict() == expected
    with torch.no_grad():
        assert explain(model).to_dict() == expected
    assert all(one.grad is None for one in model.network.parameters())


def test_cross_attention_laid_open_computes_the_same(backbones, monkeypatch):
    model = model_of(backbones["t5"])
    pieces, real = torch.tensor([[5, 9, 7, 1], [8, 1, 0, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])
    symbols = torch.tensor([[9, 0, 7], [9, 1, 8]])
    cross: list[torch.Tensor] = []
    with torch.no_grad():
        encoded = model.network.encode(pieces, real)
        expected = model.network.decode(symbols, encoded, real)
        monkeypatch.setattr(functional, "scaled_dot_product_attention", None)
        logits = model.network.decode(symbols, encoded, real, cross_probabilities=cross)
    torch.testing.assert_close(logits, expected, rtol=1e-5, atol=2e-5)
    assert len(cross) == SHAPE["num_decoder_layers"]
    for shares in cross:
        assert shares.shape == (2, 2, 3, 4)
        torch.testing.assert_close(shares.sum(-1), torch.ones(2, 2, 3))
        assert not shares[1, :, :, 2:].any(), "padding is not looked at"


def test_json_is_plain_and_complete(backbones):
    explanation = explain(model_of(backbones["flan"]), layer=2, head=1)
    data = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
    assert data["labels"] == list("abcde")
    assert (data["layer"], data["head"], data["unread_words"]) == (2, 1, 0)
    assert data["inputs"] == ["START", *data["symbols"][:-1]]
    assert [TEXT[one["start"] : one["end"]] for one in data["words"]] == [
        one["word"] for one in data["words"]
    ]
    np.testing.assert_allclose(np.sum(data["attention"], 1), 1, atol=1e-5)
    assert np.shape(data["on_path"]) == np.shape(data["attention"]) == (10, 10)
    for one in data["explained"]:
        assert len(one["by_attention"]) == len(one["by_gradient"]) == len(data["words"])
        assert sum(one["by_gradient"]) == pytest.approx(1, abs=1e-4)


def test_top_words_add_up_every_spelling(backbones):
    explanation = explain(model_of(backbones["flan"]), text="fox (fox), ... dog")
    assert top_words(explanation, np.array([0.2, 0.3, 0.1, 0.4]), 2) == [("fox", 0.5), ("dog", 0.4)]
    assert top_words(explanation, np.array([0.0, 0.0, 1.0, 0.0]), 3) == [("...", 1.0)]
