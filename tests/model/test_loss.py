"""CE + ρ · PAMM against loops written from the design's formulas, its gradient, and how its parts add up."""

from __future__ import annotations

import copy
import itertools
import types

import pytest
import torch

from branchwise.model.config import ModelConfig
from branchwise.model.loss import IGNORED, Counts, count, mask_divisor, mask_loss_sum, total_loss
from branchwise.sequence import TokenCodec
from tests.model.tiny import batch_of, model_of

SETS = [["e", "d", "g"], [], ["f"], ["e", "b"], ["a", "b", "f"]]


def may_look(tree, symbols, kind):
    """Return which symbols each symbol, once read, lets the next row look at; START is always among them.

    Written from the words of the design; a row is called by the symbol that is its input.
    """
    known = len(tree)
    rows = []
    for place, symbol in enumerate(symbols):
        if kind == "paper":
            if symbol < known:  # its ancestors and the separator that directly follows each
                sees = set()
                for other in range(place):
                    if symbols[other] in tree.ancestors(symbol):
                        sees |= {other, other + 1}
            else:  # what the row of the label before it sees, and that label
                sees = rows[place - 1] | {place - 1}
        else:  # a separator and the label after it are one unit; the first label is one alone
            label = symbol if symbol < known else symbols[place + 1]
            sees = {place - 1} if symbol < known and place else set()
            for other in range(place):
                if symbols[other] in tree.ancestors(label):
                    sees |= {other - 1, other} if other else {other}
        rows.append(sees | {place})  # and the row's own input
    return rows


def slow_parts(model, batch, sets):
    """Return each document's cross-entropies by row, and what its rows look at outside the mask."""
    network = copy.deepcopy(model.network)
    network.decoder.set_attn_implementation("eager")  # the stock attention; nothing is dropped out
    cross_entropies, outside = [], []
    for document, labels in enumerate(sets):
        label_set = model.tree.label_sets([labels])
        targets = model.codec.encode(label_set).targets[0].tolist()
        symbols = TokenCodec(model.tree).encode(label_set).targets[0].tolist()
        symbols = symbols if labels else symbols[:1]
        owners = [-1]  # which symbol each input shows, or is a piece of; the start is -1
        for place, symbol in enumerate(symbols):
            owners += [place] * (len(model.codec.spelling[symbol]) if is_spelled(model, symbol) else 1)
        assert len(owners) == len(targets) + 1
        sees = may_look(model.tree, symbols[:-1], model.config.mask)
        n_pieces = int(batch["attention_mask"][document].sum())
        with torch.no_grad():
            encoded = network.encode(
                batch["input_ids"][[document], :n_pieces], batch["attention_mask"][[document], :n_pieces]
            )
            output = network.decoder(
                input_ids=torch.tensor([[network.start, *targets[:-1]]]),
                encoder_hidden_states=encoded,
                output_attentions=True,
                use_cache=False,
            )
            logits = network.head(output.last_hidden_state * network.output_scale)[0]
        assert len(output.attentions) == 3
        cross_entropies.append(
            [-torch.log_softmax(logits[i], 0)[target].item() for i, target in enumerate(targets)]
        )
        rows = []
        for i in range(len(targets) - 1):  # the last row produces the end symbol
            lost = 0.0
            for layer in output.attentions:
                for head in layer[0]:
                    inside = 0.0
                    for j in range(i + 1):
                        if j == 0 or owners[j] in sees[owners[i]]:
                            inside += head[i, j].item()
                    lost += (1 - inside) / len(layer[0])
            rows.append(lost)
        outside.append(rows)
    return cross_entropies, outside


def is_spelled(model, symbol):
    return model.config.units == "text" and symbol < len(model.tree)


@pytest.mark.parametrize("units", ["token", "text"])
@pytest.mark.parametrize("kind", ["paper", "released"])
def test_the_loss_equals_the_formulas(backbones, units, kind):
    model = model_of(backbones["flan"], units=units, mask=kind)
    batch = batch_of(model, SETS, spare=2)
    cross_entropies, outside = slow_parts(model, batch, SETS)
    with torch.no_grad():
        sums = model.network(**batch)
    counts = Counts(*count(batch["targets"]).tolist())
    n_rows = sum(map(len, outside))
    n_targets = sum(map(len, cross_entropies))
    assert counts == Counts(n_targets, n_rows, len(SETS))
    assert n_targets == n_rows + len(SETS)
    cross_entropy = sum(map(sum, cross_entropies)) / n_targets
    by_document = [sum(rows) for rows in outside]
    assert sum(by_document) > 1, "the random model must look outside the mask"
    expected = {
        "sum": sum(by_document) / len(SETS),
        "mean": sum(by_document) / n_rows,
        "padded": sum(one / 90 for one in by_document) / len(SETS),
    }
    for reduction, pamm in expected.items():
        config = ModelConfig(rho=3.0, reduction=reduction, output_limit=90)
        loss = total_loss(sums.cross_entropy, sums.mask_loss, config, counts)
        assert loss.item() == pytest.approx(cross_entropy + 3.0 * pamm, rel=1e-5), reduction


def test_rho_means_what_the_design_says_of_the_reductions():
    counts = Counts(targets=60, rows=50, documents=10)
    divisors = {
        one: mask_divisor(ModelConfig(reduction=one, output_limit=90), counts)
        for one in ("sum", "mean", "padded")
    }
    assert 100 / divisors["padded"] == pytest.approx(1.111 / divisors["sum"], rel=1e-3)
    assert 100 / divisors["padded"] == pytest.approx(100 * (50 / 10) / 90 / divisors["mean"])


def test_a_batch_of_empty_sets_has_no_mask_loss(backbones):
    model = model_of(backbones["flan"])
    batch = batch_of(model, [[], []])
    sums = model.network(**batch)
    counts = Counts(*count(batch["targets"]).tolist())
    for reduction in ("sum", "mean", "padded"):
        loss = total_loss(sums.cross_entropy, sums.mask_loss, ModelConfig(reduction=reduction), counts)
        assert loss.item() == pytest.approx(sums.cross_entropy.item() / 2)


def test_extra_padding_changes_nothing(backbones):
    model = model_of(backbones["t5"])
    with torch.no_grad():
        short, long = (model.network(**batch_of(model, SETS, spare)) for spare in (0, 7))
    torch.testing.assert_close(short.cross_entropy, long.cross_entropy)
    torch.testing.assert_close(short.mask_loss, long.mask_loss)


def losses(model, batch, **settings):
    """Return the loss of a batch, and the gradients of all weights."""
    model.network.zero_grad()
    sums = model.network(**batch)
    config = ModelConfig(**settings)
    loss = total_loss(sums.cross_entropy, sums.mask_loss, config, Counts(*count(batch["targets"]).tolist()))
    loss.backward()
    return loss.detach(), {name: one.grad.clone() for name, one in model.network.named_parameters()}


def test_rho_zero_is_hia_exactly(backbone):
    model = model_of(backbone)
    batch = batch_of(model, SETS)
    hia = losses(model, batch, variant="hia", rho=7.0)
    nothing = losses(model, batch, variant="pamm", rho=0.0)
    some = losses(model, batch, variant="pamm", rho=7.0)
    assert torch.equal(hia[0], nothing[0])
    assert all(torch.equal(one, nothing[1][name]) for name, one in hia[1].items())
    assert some[0] > hia[0]
    name = "decoder.block.2.layer.0.SelfAttention.q.weight"
    assert not torch.allclose(some[1][name], hia[1][name])


@pytest.mark.parametrize("reduction", ["sum", "mean", "padded"])
def test_micro_batches_with_global_counts_add_up_to_one_batch(backbones, reduction):
    model = model_of(backbones["flan"])
    settings = {"variant": "pamm", "rho": 2.0, "reduction": reduction}
    whole = batch_of(model, SETS)
    loss, gradients = losses(model, whole, **settings)
    counts = Counts(*count(whole["targets"]).tolist())
    model.network.zero_grad()
    total = torch.zeros(())
    for part in (slice(0, 2), slice(2, 3), slice(3, 5)):
        sums = model.network(**{name: one[part] for name, one in whole.items()})
        share = total_loss(sums.cross_entropy, sums.mask_loss, ModelConfig(**settings), counts)
        share.backward()
        total += share.detach()
    torch.testing.assert_close(total, loss)
    for name, one in model.network.named_parameters():
        torch.testing.assert_close(one.grad, gradients[name], rtol=1e-4, atol=1e-6)


def double_precision(network):
    """Turn a network into float64; T5's layer norm insists on float32 for its variance."""

    def forward(self, hidden):
        return (
            self.weight * hidden * torch.rsqrt(hidden.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        )

    network.double()
    for module in network.modules():
        if hasattr(module, "variance_epsilon"):
            module.forward = types.MethodType(forward, module)
    return network


@pytest.mark.parametrize("kind", ["paper", "released"])
def test_the_networks_gradient_against_finite_differences(backbones, kind):
    model = model_of(backbones["flan"], mask=kind)
    double_precision(model.network)
    batch = batch_of(model, SETS)
    settings = {"variant": "pamm", "rho": 2.0}
    _, gradients = losses(model, batch, **settings)
    random = torch.Generator().manual_seed(1)
    step = 1e-6
    for name, one in model.network.named_parameters():
        direction = torch.randn(one.shape, generator=random, dtype=torch.float64)
        direction /= direction.norm()
        ends = []
        for sign in (1, -1):
            with torch.no_grad():
                one += sign * step * direction
                sums = model.network(**batch)
                counts = Counts(*count(batch["targets"]).tolist())
                ends.append(
                    total_loss(sums.cross_entropy, sums.mask_loss, ModelConfig(**settings), counts).item()
                )
                one -= sign * step * direction
        slope = (ends[0] - ends[1]) / (2 * step)
        assert slope == pytest.approx((gradients[name] * direction).sum().item(), rel=1e-4, abs=1e-7), name


def test_the_mask_losses_gradient_with_gradcheck():
    random = torch.Generator().manual_seed(2)
    scores = torch.randn(2, 3, 2, 4, 4, generator=random, dtype=torch.float64, requires_grad=True)
    mask = torch.rand(3, 4, 4, generator=random) < 0.5
    targets = torch.tensor([[1, 2, 3, 4], [1, 2, IGNORED, IGNORED], [1, IGNORED, IGNORED, IGNORED]])

    def loss(scores):
        return mask_loss_sum([layer.softmax(-1) for layer in scores], mask, targets)

    assert torch.autograd.gradcheck(loss, (scores,))


def test_the_two_masks_lead_to_different_losses(backbones):
    found = [
        model_of(backbones["flan"], mask=kind).network(
            **batch_of(model_of(backbones["flan"], mask=kind), SETS)
        )
        for kind in ("paper", "released")
    ]
    assert all(
        abs((one.mask_loss - other.mask_loss).item()) > 0.01
        for one, other in itertools.combinations(found, 2)
    )
