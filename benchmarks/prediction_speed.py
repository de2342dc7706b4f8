"""Prediction speed: documents a second beside transformers' own ``generate``, on the same documents in one run.

The reference is a trained text-units model put back into a stock T5 and decoded as the released code does:
greedily, in fp32, in batches of ten padded to 300 pieces. Ours is a trained token-units model as ``predict`` runs
it. All ways take turns, so that a busy machine is unfair to none. What the constraint costs is measured against
a loop that writes the very same symbols without rules; what scores cost, against the same pass without them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from benchmarks.machine import write_result
from branchwise import Corpus, HierarchicalClassifier
from branchwise.decoding import documents as decoding
from branchwise.decoding.greedy import greedy
from branchwise.decoding.options import DecodingOptions
from branchwise.decoding.writing import Writing
from branchwise.model.backbones import load_backbone
from branchwise.model.bundle import Model
from branchwise.model.pieces import PieceStore, tokenise
from branchwise.training.devices import choose_precision
from branchwise.training.settings import preset

CPU = torch.device("cpu")
RELEASED_BATCH, RELEASED_INPUT = 10, 300


def main() -> None:
    """Train what is not there yet, measure all ways in turns and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="folder for the two trained models")
    parser.add_argument(
        "--documents", type=int, default=200, help="bundled training documents that are predicted"
    )
    parser.add_argument("--training-documents", type=int, default=1600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/prediction_speed.json"))
    arguments = parser.parse_args()
    token, text = (
        _trained(arguments.models / units, units, arguments.training_documents) for units in ("token", "text")
    )
    corpus = Corpus.bundled("train")
    corpus = corpus.take(np.arange(len(corpus) - arguments.documents, len(corpus)))  # not trained on
    texts = list(corpus.texts())
    stock = _stock(text)
    limited = tokenise(texts, len(texts), text.model.tokenizer, RELEASED_INPUT)
    parts = _Parts(
        token.model, tokenise(texts, len(texts), token.model.tokenizer, token.model.config.input_limit)
    )
    ways: dict[str, Callable[[], Any]] = {
        "predict": lambda: token.predict(texts, decision="set"),
        "predict, text units": lambda: text.predict(texts, decision="set"),
        "generate": lambda: _generate(stock, limited, text.model.config.output_limit),
        "constrained": parts.constrained,
        "same symbols without rules": parts.replayed,
        "constrained with scores": parts.scored,
        "encoder": parts.encoded,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(arguments.rounds + 1):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            if number:  # the first round warms up
                times[name].append(time.perf_counter() - start)
        sys.stderr.write(f"{number}: {' '.join(f'{n} {t[-1]:.2f} s' for n, t in times.items() if t)}\n")
    rates = {name: round(len(texts) / median(taken), 2) for name, taken in times.items()}
    shares = {
        name: round(median(np.divide(times[a], times[b])), 4)
        for name, a, b in (
            ("times_faster_than_generate", "generate", "predict"),
            ("text_units_times_faster_than_generate", "generate", "predict, text units"),
            ("time_with_constraint", "constrained", "same symbols without rules"),
            ("time_with_scores", "constrained with scores", "constrained"),
            ("share_in_encoder", "encoder", "constrained"),
        )
    }
    shares["share_outside_encoder"] = round(1 - shares["share_in_encoder"], 4)
    figures: dict[str, Any] = {
        "backbone": token.model.backbone,
        "documents": f"the last {len(texts)} of the bundled training documents, not trained on",
        "mean_input_pieces": round(float(limited.lengths.mean()), 1),
        "mean_labels": round(float(corpus.labels.sizes.mean()), 2),
        "precision": {"predict": choose_precision("auto", CPU), "generate": "fp32"},
        "rounds": arguments.rounds,
        "documents_a_second": rates,
        **shares,
    }
    command = f"python -m benchmarks.prediction_speed --models MODELS --rounds {arguments.rounds}"
    write_result(arguments.output, command, figures)
    sys.stderr.write(f"{figures}\n")


def _trained(folder: Path, units: str, n_documents: int) -> HierarchicalClassifier:
    """Open a trained model, or train it: one pass is enough to write sequences of the usual lengths."""
    if (folder / "config.json").exists():
        return HierarchicalClassifier.load(folder)
    corpus = Corpus.bundled("train").take(np.arange(n_documents))
    settings: dict[str, Any] = {
        "units": units,
        "input_limit": 300,
        "output_limit": 90,
        "on_long": "drop",
        "passes": 1,
        "batch": 8,
        "backbone": "starter",
    }
    classifier = HierarchicalClassifier(corpus.taxonomy, preset="fast", **settings)
    classifier.fit(corpus, Corpus.bundled("validation"), tell=_say)
    classifier.save(folder)
    return classifier


def _say(sentence: str) -> None:
    sys.stderr.write(f"{sentence}\n")


def _stock(classifier: HierarchicalClassifier) -> Any:
    """Put a text-units model's weights back into transformers' own T5."""
    t5: Any = load_backbone(preset("fast", backbone="starter").backbone).t5
    network = classifier.model.network
    state = {f"encoder.{name}": one for name, one in network.encoder.state_dict().items()}
    state |= {f"decoder.{name}": one for name, one in network.decoder.state_dict().items()}
    state |= {"shared.weight": network.encoder.embed_tokens.weight, "lm_head.weight": network.head.weight}
    missing, unexpected = t5.load_state_dict(state, strict=False)
    if missing or unexpected:
        raise SystemExit(f"The weights do not fit a stock T5: {missing} are missing, {unexpected} too many.")
    t5.set_attn_implementation("eager")
    return t5.float().eval()


@torch.inference_mode()
def _generate(stock: Any, pieces: PieceStore, limit: int) -> None:
    for start in range(0, len(pieces), RELEASED_BATCH):
        rows = np.arange(start, min(start + RELEASED_BATCH, len(pieces)))
        input_ids, real = map(torch.from_numpy, pieces.padded(rows, RELEASED_INPUT))
        stock.generate(
            input_ids=input_ids,
            attention_mask=real,
            max_new_tokens=limit,
            num_beams=1,
            do_sample=False,
            decoder_start_token_id=0,
            eos_token_id=1,
            pad_token_id=0,
        )


class _Parts:
    """The parts of a prediction, on batches as ``predict`` makes them."""

    def __init__(self, model: Model, pieces: PieceStore) -> None:
        self.model = model
        options = DecodingOptions(precision=choose_precision("auto", CPU))  # type: ignore[arg-type]
        self.decoder = decoding._Decoder(model, options, scores=False)
        self.scorer = decoding._Decoder(model, replace(options), scores=True)
        self.precision = options.precision
        batches = decoding._batches(pieces.lengths, self.decoder.rows_a_batch)
        self.batches = [tuple(map(torch.from_numpy, pieces.padded(rows))) for rows in batches]
        self.symbols: list[torch.Tensor] = []
        self.constrained()

    def _each(self, work: Callable[[int, torch.Tensor, torch.Tensor], Any]) -> None:
        with decoding.autocast(CPU, self.precision), torch.inference_mode():
            for number, (input_ids, real) in enumerate(self.batches):
                work(number, self.model.network.encode(input_ids, real), real)

    def _greedy(self, encoded: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        writing = Writing(self.model.network, encoded, real, self.decoder.rules)
        return greedy(writing, self.model.config.output_limit, self.model.codec.end)

    def constrained(self) -> None:
        found: list[torch.Tensor] = []
        self._each(lambda _, encoded, real: found.append(self._greedy(encoded, real)))
        self.symbols = found

    def replayed(self) -> None:
        """Write the symbols of the constrained pass, without rules: the network does the same work."""

        def replay(number: int, encoded: torch.Tensor, real: torch.Tensor) -> None:
            writing, known = Writing(self.model.network, encoded, real, None), self.symbols[number]
            end, alive = self.model.codec.end, torch.arange(len(encoded))
            for step in range(known.shape[1]):
                writing.next().argmax(-1)
                chosen = known[alive, step]
                alive = alive[writing.write(chosen, end)]
                if not len(alive):
                    break

        self._each(replay)

    def scored(self) -> None:
        self._each(
            lambda _, encoded, real: self.scorer._scored(
                Writing(self.model.network, encoded, real, self.scorer.rules)
            )
        )

    def encoded(self) -> None:
        self._each(lambda *_: None)


if __name__ == "__main__":
    main()
