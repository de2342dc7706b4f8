"""The open attention: the same logits as the stock model, the encoder untouched, honest probabilities."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.nn import functional

from branchwise.model.attention import OPEN, SHARED
from branchwise.model.network import set_dropout
from tests.model.tiny import SHAPE, documents, model_of, stock

DECODER_INPUT = torch.tensor(
    [[0, 5, 9, 41, 7, 8], [0, 77, 3, 3, 0, 0], [0, 12, 1, 0, 0, 0], [0, 9, 9, 9, 9, 1]]
)


@pytest.fixture
def count_sdpa(monkeypatch):
    """Count the calls to torch's scaled_dot_product_attention."""
    calls = []
    original = functional.scaled_dot_product_attention

    def counted(*args, **kwargs):
        calls.append(args[0].shape)
        return original(*args, **kwargs)

    monkeypatch.setattr(functional, "scaled_dot_product_attention", counted)
    return calls


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_logits_equal_the_stock_models(backbone, attention):
    network = model_of(backbone, units="text").network
    pieces, real = documents()
    with torch.no_grad():
        expected = stock(backbone, attention)(
            input_ids=pieces, attention_mask=real, decoder_input_ids=DECODER_INPUT
        ).logits
        logits = network.decode(DECODER_INPUT, network.encode(pieces, real), real)
    scale = expected.std()  # float precision is relative to the size of the logits
    assert scale > 0.5, "a model whose logits are all alike would prove nothing"
    torch.testing.assert_close(logits / scale, expected / scale, rtol=1e-5, atol=1e-5)


def test_the_t5_styles_differ_in_ties_and_output_scale(backbones):
    networks = {style: model_of(folder, units="text").network for style, folder in backbones.items()}
    assert {style: (one.tied_head, one.output_scale) for style, one in networks.items()} == {
        "t5": (True, 0.25),
        "flan": (False, 1.0),
        "mt5": (False, 1.0),
    }


@pytest.mark.parametrize("units", ["token", "text"])
def test_symbol_by_symbol_with_a_cache_equals_all_at_once(backbone, units):
    network = model_of(backbone, units=units).network
    pieces, real = documents()
    symbols = DECODER_INPUT % network.head.out_features
    with torch.no_grad():
        encoded = network.encode(pieces, real)
        expected = network.decode(symbols, encoded, real)
        cache = network.new_cache()
        steps = [network.decode(symbols[:, [i]], encoded, real, cache=cache) for i in range(symbols.shape[1])]
    torch.testing.assert_close(torch.cat(steps, 1), expected, rtol=1e-5, atol=2e-5)


def test_token_units_are_t5s_own_decoder_over_the_symbols(backbone):
    network = model_of(backbone).network
    pieces, real = documents()
    symbols = DECODER_INPUT % network.head.out_features
    plain = copy.deepcopy(network.decoder)
    plain.set_attn_implementation("eager")
    with torch.no_grad():
        encoded = network.encode(pieces, real)
        hidden = plain(
            input_ids=symbols, encoder_hidden_states=encoded, encoder_attention_mask=real, use_cache=False
        ).last_hidden_state
        expected = hidden @ network.head.weight.T + network.head.bias
        logits = network.decode(symbols, encoded, real)
    assert logits.shape[-1] == 7 + 4
    torch.testing.assert_close(logits, expected, rtol=1e-5, atol=2e-5)


def test_the_encoder_and_cross_attention_run_sdpa(backbone, count_sdpa):
    network = model_of(backbone).network
    assert network.encoder.config._attn_implementation == SHARED
    assert network.decoder.config._attn_implementation == OPEN
    pieces, real = documents()
    encoded = network.encode(pieces, real)
    assert len(count_sdpa) == SHAPE["num_layers"]
    network.decode(DECODER_INPUT % 11, encoded, real)
    cross = count_sdpa[SHAPE["num_layers"] :]
    assert len(cross) == SHAPE["num_decoder_layers"], "cross-attention only: self-attention is opened"


def test_a_second_model_keeps_the_stock_attention(backbone):
    model_of(backbone)
    assert stock(backbone, "sdpa").decoder.config._attn_implementation == "sdpa"


def test_probabilities_are_those_of_the_stock_model(backbone):
    network = model_of(backbone, units="text").network
    pieces, real = documents()
    probabilities: list[torch.Tensor] = []
    with torch.no_grad():
        stock_output = stock(backbone)(
            input_ids=pieces, attention_mask=real, decoder_input_ids=DECODER_INPUT, output_attentions=True
        )
        network.decode(DECODER_INPUT, network.encode(pieces, real), real, probabilities=probabilities)
    assert len(probabilities) == SHAPE["num_decoder_layers"]
    for ours, theirs in zip(probabilities, stock_output.decoder_attentions, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=3e-5)


def test_probabilities_are_taken_before_dropout(backbone):
    network = model_of(backbone, dropout=0.5).network.train()
    pieces, real = documents()
    outputs = []
    for seed in range(2):
        torch.manual_seed(seed)
        probabilities: list[torch.Tensor] = []
        outputs.append(
            network.decode(
                DECODER_INPUT % 11, network.encode(pieces, real), real, probabilities=probabilities
            )
        )
        for shares in probabilities:
            assert (shares.triu(1) == 0).all(), "nothing looks ahead"
            torch.testing.assert_close(shares.sum(-1), torch.ones(4, 2, 6), rtol=0, atol=1e-6)
            assert (shares.tril() > 0).sum() == 4 * 2 * 21, "dropout would have put zeros among them"
    assert (outputs[0] - outputs[1]).abs().max() > 0.1, "what is attended to is dropped out"


def test_attention_itself_drops_out(backbone):
    """With every other dropout off, the self-attention's own still makes two passes differ."""
    network = model_of(backbone).network.train()
    attention = network.decoder.block[0].layer[0].SelfAttention
    attention.dropout = 0.5
    pieces, real = documents()
    encoded = network.encode(pieces, real).detach()
    passes = [network.decode(DECODER_INPUT % 11, encoded, real) for _ in range(2)]
    assert (passes[0] - passes[1]).abs().max() > 0.01
    attention.dropout = 0.0
    passes = [network.decode(DECODER_INPUT % 11, encoded, real) for _ in range(2)]
    assert torch.equal(*passes)


def test_probabilities_are_fp32_under_bf16_autocast(backbone):
    network = model_of(backbone).network
    pieces, real = documents()
    probabilities: list[torch.Tensor] = []
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        logits = network.decode(
            DECODER_INPUT % 11, network.encode(pieces, real), real, probabilities=probabilities
        )
    assert logits.dtype == torch.bfloat16
    for shares in probabilities:
        assert shares.dtype == torch.float32
        torch.testing.assert_close(shares.sum(-1), torch.ones(4, 2, 6), rtol=0, atol=1e-6)


def test_every_dropout_of_a_network_is_set_even_where_it_is_a_whole_number(backbones):
    network = model_of(backbones["t5"]).network
    for module in network.modules():
        if hasattr(module, "q"):  # an attention; a config may say "dropout_rate": 0
            module.dropout = 0
    set_dropout(network, 0.3)
    rates = {module.dropout for module in network.modules() if hasattr(module, "q")}
    rates |= {module.p for module in network.modules() if isinstance(module, torch.nn.Dropout)}
    assert rates == {0.3}
