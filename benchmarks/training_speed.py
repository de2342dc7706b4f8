"""Training speed: documents a second of the ``fast`` preset beside the released way of working, in one run.

The reference trains the same backbone in text units, in fp32, with eager attention, and pads every batch to
300 input and 90 output pieces. Both take their batches from the bundled documents, in turns, so that a busy
machine is unfair to neither. The share of the machine's bf16 matrix-multiply rate counts the products that
real pieces need, not those spent on padding.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from benchmarks.machine import write_result
from branchwise import Corpus
from branchwise.decoding.documents import autocast
from branchwise.model.bundle import Model
from branchwise.model.loss import Counts, count, total_loss
from branchwise.model.pieces import tokenise
from branchwise.training.batches import Collator, LengthBatches
from branchwise.training.run import freeze
from branchwise.training.settings import Settings, preset

CPU = torch.device("cpu")


@dataclass
class Lane:
    """One way of training: a model, its batches and its optimiser."""

    name: str
    settings: Settings
    model: Model
    batches: list[dict[str, torch.Tensor]]
    optimiser: torch.optim.Optimizer
    precision: str
    times: list[float]

    @classmethod
    def open(cls, name: str, settings: Settings, precision: str, corpus: Corpus, rounds: int) -> Lane:
        """Load the backbone and prepare batches."""
        model = Model.from_backbone(settings.model_config(), corpus.taxonomy)
        freeze(model, settings)
        pieces = tokenise(corpus.texts(), len(corpus), model.tokenizer, settings.input_limit)
        sets, _ = model.codec.fit(corpus.labels, settings.output_limit, "drop")
        collate = Collator(pieces, sets, model.codec, settings)
        order = list(LengthBatches(pieces.lengths, settings.batch, 0))
        batches = [collate(order[i * settings.batch : (i + 1) * settings.batch]) for i in range(rounds + 1)]
        model.network.train()
        trained = [one for one in model.network.parameters() if one.requires_grad]
        optimiser = torch.optim.AdamW(trained, lr=1e-4, fused=True)
        return cls(name, settings, model, batches, optimiser, precision, [])

    def step(self, number: int) -> None:
        """Train on one batch and note how long a document took."""
        batch = dict(self.batches[number])
        documents = len(batch.pop("documents"))
        start = time.perf_counter()
        with autocast(CPU, self.precision):
            sums = self.model.network(**batch)
        counts = Counts(*count(batch["targets"]).tolist())
        total_loss(sums.cross_entropy, sums.mask_loss, self.settings, counts).backward()
        torch.nn.utils.clip_grad_norm_(self.model.network.parameters(), 1.0)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        if number:  # the first batch warms up
            self.times.append((time.perf_counter() - start) / documents)

    @property
    def rate(self) -> float:
        """Documents a second, by the median batch."""
        return 1 / median(self.times)

    def flop(self) -> float:
        """Return the floating-point operations that a document's real pieces need, forward and backward."""
        total, documents = 0.0, 0
        for batch in self.batches[1:]:
            inputs = batch["attention_mask"].sum(1).numpy().astype(float)
            outputs = (batch["targets"] >= 0).sum(1).numpy().astype(float)
            total += float(np.sum(_forward(self.model, inputs, outputs)))
            documents += len(inputs)
        return 3 * total / documents


def _forward(model: Model, inputs: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    network, t5 = model.network, model.t5_config
    inner = t5["num_heads"] * t5["d_kv"]
    encoder = sum(
        one.numel() for name, one in network.encoder.named_parameters() if one.dim() == 2 and "block" in name
    )
    decoder = {
        name: one.numel()
        for name, one in network.decoder.named_parameters()
        if one.dim() == 2 and "block" in name
    }
    cross = sum(
        size for name, size in decoder.items() if "EncDecAttention.k" in name or "EncDecAttention.v" in name
    )
    rest = sum(decoder.values()) - cross + network.head.weight.numel()
    attention = 2 * inner * t5["num_layers"] * inputs**2 + 2 * inner * t5["num_decoder_layers"] * outputs * (
        inputs + outputs
    )
    return 2 * ((encoder + cross) * inputs + rest * outputs + attention)


def multiply_rate() -> float:
    """Measure the machine's bf16 matrix-multiply rate, in floating-point operations a second."""
    size = 4096
    left, right = (torch.randn(size, size, dtype=torch.bfloat16) for _ in range(2))
    best = float("inf")
    for _ in range(8):
        start = time.perf_counter()
        left @ right
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best


def profile_of(lane: Lane) -> dict[str, float]:
    """Return the share of a step's time that each kind of operation takes."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        lane.step(1)
    times: Counter[str] = Counter()
    for one in profile.key_averages():
        times[one.key] += one.self_cpu_time_total
    whole = sum(times.values())
    return {name: round(value / whole, 3) for name, value in times.most_common(12)}


def main() -> None:
    """Measure both lanes in turns and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12, help="batches of each lane")
    parser.add_argument("--backbone", default="starter")
    parser.add_argument("--batch", type=int, default=16, help="documents a batch of ours")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/training_speed.json"))
    arguments = parser.parse_args()
    corpus = Corpus.bundled("train")
    fast = preset(
        "fast", backbone=arguments.backbone, input_limit=300, batch=arguments.batch
    )  # the same texts
    ours = Lane.open("fast", fast, "bf16", corpus, arguments.rounds)
    released = preset("released", backbone=arguments.backbone)
    theirs = Lane.open("released way", released, "fp32", corpus, arguments.rounds)
    theirs.model.network.encoder.set_attn_implementation("eager")
    rates: list[float] = []
    for number in range(arguments.rounds + 1):
        for lane in (ours, theirs):
            lane.step(number)
        rates.append(multiply_rate())
        sys.stderr.write(
            f"{number}: {' '.join(f'{one.name} {1 / one.times[-1]:.2f}' for one in (ours, theirs) if one.times)}\n"
        )
    figures: dict[str, Any] = {
        "backbone": ours.model.backbone,
        "documents": "bundled arXiv slice",
        "input_pieces_a_document": round(
            float(np.mean([b["attention_mask"].sum(1).float().mean() for b in ours.batches])), 1
        ),
        "rounds": arguments.rounds,
        "batch": arguments.batch,
        "documents_a_second": {one.name: round(one.rate, 2) for one in (ours, theirs)},
        "times_faster": round(ours.rate / theirs.rate, 2),
        "gigaflop_a_document": round(ours.flop() / 1e9, 1),
        "bf16_multiply_gigaflops_a_second": round(max(rates) / 1e9),
        "share_of_multiply_rate": round(ours.flop() * ours.rate / max(rates), 3),
        "profile_of_a_step": profile_of(ours),
    }
    write_result(
        arguments.output, f"python -m benchmarks.training_speed --rounds {arguments.rounds}", figures
    )
    sys.stderr.write(f"{figures}\n")


if __name__ == "__main__":
    main()
