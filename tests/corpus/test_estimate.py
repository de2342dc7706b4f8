"""The estimate of training: sizes of real backbones, DESIGN.md's operations, and costs that grow as they should."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from branchwise.corpus import Corpus
from branchwise.corpus.estimate import SHARE_REACHED, Estimate, duration, estimate_training
from branchwise.corpus.machine import Machine
from branchwise.corpus.t5_sizes import t5_sizes
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy

LAPTOP = Machine("a laptop", 1e11, 16 << 30)
CONFIG = {
    "d_model": 512,
    "d_ff": 1024,
    "num_heads": 6,
    "d_kv": 64,
    "num_layers": 8,
    "num_decoder_layers": 8,
    "vocab_size": 32128,
    "feed_forward_proj": "gated-gelu",
    "tie_word_embeddings": False,
}


def corpus(n_documents: int = 20, words: int = 100) -> Corpus:
    tree = Taxonomy.from_nodes(["a", "b"], [None, "a"], ["Some name", "Another longer name"])
    return Corpus.from_texts(["word " * words] * n_documents, [["b"]] * n_documents, tree)


def estimate(one: Corpus | None = None, backbone: str = "t5-base", **options: int | str) -> Estimate:
    return estimate_training(one or corpus(), backbone, machine=LAPTOP, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("backbone", "millions"),
    [
        ("t5-small", 60.506624),
        ("google-t5/t5-base", 222.903552),
        ("t5-large", 737.668096),
        ("google/flan-t5-small", 76.961152),
        ("flan-t5-base", 247.577856),
        ("google/t5-v1_1-large", 783.150080),
        ("google/mt5-small", 300.176768),
        ("starter", 76.961152),
    ],
)
def test_parameter_counts_are_those_of_the_published_models(backbone: str, millions: float) -> None:
    assert t5_sizes(backbone).parameters == round(millions * 1e6)


def test_operations_of_t5_base_are_those_of_the_design() -> None:
    base = t5_sizes("t5-base")
    assert base.encoder_flops(np.array(300)) / 1e9 == pytest.approx(54, rel=0.02)
    assert base.cross_flops(np.array(300)) / 1e9 == pytest.approx(8.5, rel=0.02)
    assert base.decoder_flops(np.array(0), np.array(1), 32_128) / 1e9 == pytest.approx(0.25, rel=0.02)


def test_time_follows_from_its_ingredients() -> None:
    found = estimate(passes=2)
    assert found.pieces_per_text == 136  # 100 words of 1.35 pieces and the end symbol
    assert found.symbols_per_target == 4  # a / b and the end symbol
    assert found.total_flops == pytest.approx(found.training_flops_per_document * 20 * 2)
    assert found.seconds == pytest.approx(found.total_flops / (1e11 * SHARE_REACHED))
    base, pieces, symbols = t5_sizes("t5-base"), np.array(136), np.array(4)
    forward = (
        base.encoder_flops(pieces) + base.cross_flops(pieces) + base.decoder_flops(pieces, symbols, 2 + 4)
    )
    assert found.training_flops_per_document == pytest.approx(3 * float(forward))


def test_memory_is_sixteen_bytes_a_weight_and_the_activations() -> None:
    found = estimate(units="text")
    assert found.parameters == 222_903_552
    assert found.weight_bytes == 222_903_552 * 16
    assert found.memory_bytes == found.weight_bytes + found.activation_bytes
    token = estimate(
        backbone="flan-t5-small"
    )  # without its large output layer, with two rows a symbol and a bias
    assert token.parameters == 76_961_152 - 32_128 * 512 + 2 * 6 * 512 + 6
    assert found.fits is True
    small = Machine("a watch", 1e9, 1 << 30)
    assert estimate_training(corpus(), "t5-base", machine=small).fits is False
    silent = Machine("Windows", 1e9, None)
    assert estimate_training(corpus(), "t5-base", machine=silent).fits is None


def test_costs_grow_with_what_they_depend_on() -> None:
    usual = estimate()
    for more in (
        estimate(corpus(40)),
        estimate(corpus(words=150)),
        estimate(passes=4),
        estimate(units="text"),
    ):
        assert more.seconds > usual.seconds
    assert estimate(backbone="t5-small").seconds < usual.seconds < estimate(backbone="t5-large").seconds
    assert estimate(batch=8).memory_bytes < usual.memory_bytes < estimate(batch=20).memory_bytes
    assert estimate(batch=8).seconds == usual.seconds
    assert estimate(corpus(words=400), input_limit=200).seconds < estimate(corpus(words=400)).seconds
    assert estimate(corpus(words=1000)).seconds == estimate(corpus(words=400)).seconds  # both are cut at 300
    assert estimate(units="text", target_limit=3).seconds < estimate(units="text").seconds


def test_it_says_that_it_is_an_estimate() -> None:
    found = estimate()
    assert "this is an estimate, good to a factor of two" in found.sentence
    assert "a laptop, 100 billion operations a second" in found.sentence
    assert json.loads(json.dumps(found.to_dict()))["sentence"] == found.sentence


def test_this_machine_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    from branchwise.corpus import machine

    monkeypatch.setattr(machine, "find_spec", lambda _: None)  # as where torch is not installed
    machine.measure_machine.cache_clear()
    try:
        found = estimate_training(corpus(), "t5-small")
    finally:
        machine.measure_machine.cache_clear()
    assert "numpy" in found.device
    assert 1e8 < found.machine_flops < 1e16
    assert found.seconds > 0


def test_a_folder_with_a_configuration_is_as_good_as_a_name(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    assert t5_sizes(tmp_path).parameters == t5_sizes("flan-t5-small").parameters
    old = {
        key: value for key, value in CONFIG.items() if key not in ("feed_forward_proj", "tie_word_embeddings")
    }
    (tmp_path / "config.json").write_text(json.dumps(old | {"num_decoder_layers": None}))
    assert (t5_sizes(tmp_path).gated, t5_sizes(tmp_path).tied, t5_sizes(tmp_path).decoder_layers) == (
        False,
        True,
        8,
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no .*config.json"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        (json.dumps({"hidden_size": 768}), "has no 'd_model': it is not the configuration of a T5"),
        (json.dumps(CONFIG | {"d_ff": "many"}), "cannot be read"),
    ],
)
def test_a_folder_without_a_t5_is_an_error(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / "config.json").write_text(content)
    with pytest.raises(CorpusError, match=words):
        t5_sizes(tmp_path)


def test_errors_say_what_is_wrong() -> None:
    with pytest.raises(CorpusError, match=r"'bert-base' are not known: name one of .*t5-base.*config.json"):
        estimate(backbone="bert-base")
    with pytest.raises(CorpusError, match="batch=0 makes no sense"):
        estimate(batch=0)
    with pytest.raises(CorpusError, match="no label units 'word'"):
        estimate(units="word")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "a second"),
        (45, "45 seconds"),
        (100, "1.7 minutes"),
        (3600 * 5, "5.0 hours"),
        (86400 * 12, "12 days"),
    ],
)
def test_durations_are_said_as_people_do(seconds: float, words: str) -> None:
    assert duration(seconds) == words
