"""The greedy loop with a real network: the same as a loop without cache and without rows leaving."""

from __future__ import annotations

import pytest
import torch

from branchwise.decoding.greedy import greedy
from branchwise.decoding.writing import Writing
from tests.decoding.toys import admissible, grammar_of, spelling_of
from tests.model.tiny import documents, model_of

SIZES = (9, 4, 7, 1, 12, 3, 3, 8)


def slowly(model, pieces, real, limit, grammar):
    """Decode one document at a time, reading everything again for every symbol."""
    end = model.codec.end
    rows = []
    for row in range(len(pieces)):
        n_pieces = int(real[row].sum())
        written: list[int] = []
        while len(written) < limit and end not in written:
            with torch.no_grad():
                encoded = model.network.encode(pieces[[row], :n_pieces], real[[row], :n_pieces])
                symbols = torch.tensor([[model.network.start, *written]])
                logits = model.network.decode(symbols, encoded, real[[row], :n_pieces])[0, -1]
            choices = range(len(logits))
            if grammar is not None:
                choices = admissible(grammar, written)
            written.append(max(choices, key=lambda one: logits[one].item()))
        rows.append(written + [end] * (limit - len(written)))
    return rows


def rules(model, limit):
    """Return the rules of a model's label units."""
    if model.config.units == "token":
        return grammar_of(model.tree, model.config.variant, room=limit)
    return spelling_of(model.codec, model.network.head.out_features, room=limit)


def begin(model, pieces, real, grammar):
    """Read the documents."""
    with torch.inference_mode():
        return Writing(model.network, model.network.encode(pieces, real), real, grammar)


@pytest.mark.parametrize("style", ["t5", "flan", "mt5"])
@pytest.mark.parametrize(
    ("units", "variant", "constrained"),
    [
        ("token", "hia", True),
        ("token", "t5", True),
        ("token", "hia", False),
        ("text", "hia", False),
        ("text", "hia", True),
        ("text", "t5", True),
    ],
)
def test_greedy_equals_the_slow_loop(backbones, style, units, variant, constrained):
    model = model_of(backbones[style], units=units, variant=variant)
    torch.manual_seed(1)
    with torch.no_grad():
        if units == "token":
            model.network.head.bias += 2 * torch.randn(11)
    pieces, real = documents(sizes=SIZES)
    for limit in (2, 5, 14) if units == "token" else (8, 30):
        grammar = rules(model, limit) if constrained else None
        written = greedy(begin(model, pieces, real, grammar), limit, model.codec.end)
        assert written.tolist() == slowly(model, pieces, real, limit, grammar)


def test_finished_rows_leave_the_batch(backbones, monkeypatch):
    model = model_of(backbones["flan"])
    with torch.no_grad():
        model.network.head.weight *= 3  # documents should differ in what is written
    pieces, real = documents(sizes=SIZES)
    seen = []
    decode = type(model.network).decode

    def counted(self, symbols, encoded, attention_mask, **others):
        seen.append((len(symbols), len(encoded), len(attention_mask)))
        return decode(self, symbols, encoded, attention_mask, **others)

    monkeypatch.setattr(type(model.network), "decode", counted)
    end = model.codec.end
    written = greedy(begin(model, pieces, real, grammar_of(model.tree, room=14)), 14, end)
    lengths = (written != end).sum(1) + 1
    assert len(set(lengths.tolist())) > 2
    expected = [int((lengths > step).sum()) for step in range(int(lengths.max()))]
    assert seen == [(one, one, one) for one in expected]
