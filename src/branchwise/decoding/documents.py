"""Decoding many documents: sorted by length, a batch at a time, and put back in order."""

from __future__ import annotations

import contextlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array, vstack

from branchwise.decoding.beam import beam_search
from branchwise.decoding.grammar import Grammar
from branchwise.decoding.greedy import Watch, greedy
from branchwise.decoding.label_scores import FlatScores, LevelScores
from branchwise.decoding.options import DecodingOptions
from branchwise.decoding.repair import repair
from branchwise.decoding.sampling import sample
from branchwise.decoding.spelled import Spelling
from branchwise.decoding.watching import PieceWatch, SymbolWatch
from branchwise.decoding.writing import Writing
from branchwise.model.bundle import Model
from branchwise.model.pieces import PieceStore
from branchwise.progress import Progress
from branchwise.sequence import Parsed, TextCodec
from branchwise.taxonomy import LabelSets

PIECES_A_BATCH = 8192  # documents times the longest of them; a batch that fits any laptop
LOGITS_A_BATCH = 1 << 24  # documents times the size of the output layer
DENSE = 1 << 26  # scores that are kept as they are; of more, those below FAINT become 0
FAINT = 1e-6


@dataclass(frozen=True, eq=False)
class Decoded:
    """The label sets written for N documents, as they stand there, and what was wrong with the sequences."""

    sets: LabelSets
    wrong: tuple[tuple[str, ...], ...]  # of each document, the kinds of what is wrong with its sequence
    repaired: np.ndarray  # [N] bool, documents whose set was changed to be closed
    scores: np.ndarray | csr_array | None  # [N, K] between 0 and 1, of a child never above its parent's

    @property
    def invalid(self) -> np.ndarray:
        """Which documents' sequences are not the canonical ones of their sets, [N] bool."""
        return np.array([bool(one) for one in self.wrong], bool)

    @property
    def problems(self) -> Counter[str]:
        """How often each kind of problem occurred."""
        return Counter(kind for one in self.wrong for kind in one)


def decode_documents(
    model: Model,
    pieces: PieceStore,
    options: DecodingOptions | None = None,
    *,
    scores: bool = False,
    quiet: bool = False,
) -> Decoded:
    """Write the label sets of all documents of a store, and score every label where that is asked.

    Parameters
    ----------
    model
        The model; its device is used, and it is left in evaluation mode.
    pieces
        The documents.
    options
        How sets are written.
    scores
        Whether to score, from a constrained greedy pass or from samples as the options say.
    quiet
        Show no progress of its own.
    """
    decoder = _Decoder(model, options or DecodingOptions(), scores)
    sequences: dict[int, Parsed] = {}
    found: list[Any] = []
    order: list[np.ndarray] = []
    sparse = len(pieces) * len(model.tree) > DENSE
    with contextlib.ExitStack() as stack:
        progress = None if quiet else stack.enter_context(Progress("Decoding", len(pieces)))
        for rows in _batches(pieces.lengths, decoder.rows_a_batch, decoder.copies):
            parsed, scored = decoder.decode(pieces, rows)
            sequences.update(zip(rows.tolist(), parsed, strict=True))
            order.append(rows)
            if scored is not None:
                found.append(csr_array(np.where(scored < FAINT, 0, scored)) if sparse else scored)
            if progress is not None:
                progress.advance(len(rows))
    in_order = [sequences[row] for row in range(len(pieces))]
    sets = LabelSets.from_lists([one.labels for one in in_order])
    repaired = np.zeros(len(sets), bool)
    if decoder.options.repair is not None:
        sets, repaired = repair(sets, model.tree, decoder.options.repair)
    return Decoded(
        sets,
        tuple(tuple(problem.kind for problem in one.problems) for one in in_order),
        repaired,
        _in_order(found, order, len(model.tree), sparse) if scores else None,
    )


class _Decoder:
    """Decodes a batch as the options say."""

    def __init__(self, model: Model, options: DecodingOptions, scores: bool) -> None:
        self.model, self.options, self.scores = model, options, scores
        self.network = model.network.eval()
        self.device = next(self.network.parameters()).device
        self.copies = max(options.beams, options.samples if scores else 1)
        self.rows_a_batch = LOGITS_A_BATCH // (self.network.head.out_features * self.copies)
        self.is_constrained = options.decoding == "constrained"
        self.rules = _rules(model, options, self.device) if self.is_constrained else None
        if scores:  # of every label, so under no limit
            plain = DecodingOptions(may_be_empty=options.may_be_empty)
            self.scoring_rules = (
                self.rules if self.rules and options.is_plain else _rules(model, plain, self.device)
            )
            self.share, self.common = (
                torch.from_numpy(one).to(self.device, torch.float32) for one in label_shares(model)
            )
        self.random = torch.Generator(self.device).manual_seed(options.seed)

    def decode(self, pieces: PieceStore, rows: np.ndarray) -> tuple[list[Parsed], np.ndarray | None]:
        """Return the sequences of some documents, read, and their scores."""
        input_ids, real = (torch.from_numpy(one).to(self.device) for one in pieces.padded(rows))
        limit, end = self.model.config.output_limit, self.model.codec.end
        is_watched = self.scores and not self.options.samples
        scores = None
        with autocast(self.device, self.options.precision), torch.inference_mode():
            encoded = self.network.encode(input_ids, real)
            if is_watched:
                written, scores = self._scored(Writing(self.network, encoded, real, self.scoring_rules))
            elif self.scores:
                scores = self._sampled(Writing(self.network, encoded, real, self.scoring_rules))
            if not (is_watched and self.options.is_plain):
                writing = Writing(self.network, encoded, real, self.rules)
                if self.options.beams > 1:
                    written = beam_search(writing, self.options.beams, limit, end)
                else:
                    written = greedy(writing, limit, end)
        parsed = [self.model.codec.decode(one) for one in written.tolist()]
        return parsed, scores

    def _scored(self, writing: Writing) -> tuple[torch.Tensor, np.ndarray]:
        rules = self.scoring_rules
        grammar = rules.grammar if isinstance(rules, Spelling) else rules
        gather = (FlatScores if grammar.flat else LevelScores)(grammar, self.share, len(writing))
        watch: Watch = SymbolWatch(grammar.symbols, gather)
        if isinstance(rules, Spelling):
            watch = PieceWatch(rules, gather, writing, self.common)
        written = greedy(writing, self.model.config.output_limit, self.model.codec.end, watch)
        return written, gather.finish().cpu().numpy()

    def _sampled(self, writing: Writing) -> np.ndarray:
        n_rows, n_samples = len(writing), self.options.samples
        written = sample(
            writing, n_samples, self.model.config.output_limit, self.model.codec.end, self.random
        )
        parsed = [self.model.codec.decode(one).labels for one in written.flatten(0, 1).tolist()]
        sets = LabelSets.from_lists(parsed).closed(self.model.tree)
        counts = np.zeros((n_rows, len(self.model.tree)), np.float32)
        np.add.at(counts, (sets.rows // n_samples, sets.labels), 1)
        return counts / n_samples


def label_shares(model: Model) -> tuple[np.ndarray, np.ndarray]:
    """Return what training knows of every label: its share among its parent's documents, and how common it is.

    Both are [K] float64 and positive; without counts all children of a label are alike.
    """
    tree = model.tree
    counts = model.record.get("train", {}).get("label_documents", {})
    seen = np.array([counts.get(one, 0) for one in tree.ids], np.float64) + 0.5
    documents = float(model.record.get("train", {}).get("documents", 0)) + 1.0
    children = np.append(np.diff(tree.child_start), int(tree.level_start[1]))
    if not counts:
        return 1.0 / children[tree.parent], np.ones(len(tree))
    above = np.append(seen, documents)[tree.parent]
    return np.minimum(seen / (above + 0.5), 1.0), seen


def autocast(device: torch.device, precision: str) -> contextlib.AbstractContextManager[object]:
    """Return the context in which a network computes in the given precision, fp32 or bf16."""
    if precision == "fp32":
        return contextlib.nullcontext()
    return torch.autocast(device.type, torch.bfloat16)


def _rules(model: Model, options: DecodingOptions, device: torch.device) -> Grammar | Spelling:
    """Return the rules of what the model's network writes."""
    codec = model.codec
    costs = np.full(len(model.tree), 2)  # a label and what follows it
    if isinstance(codec, TextCodec):
        costs = np.array([len(one) + 1 for one in codec.spelling])
    grammar = Grammar.of(
        model.tree,
        model.config.variant,
        device,
        costs=costs,
        room=model.config.output_limit,
        may_be_empty=options.may_be_empty,
        leaves_only=options.leaves_only,
        at_most=options.at_most,
    )
    if isinstance(codec, TextCodec):
        return Spelling.of(codec, grammar, model.network.head.out_features)
    return grammar


def _batches(lengths: np.ndarray, most: int, copies: int = 1) -> list[np.ndarray]:
    """Group documents of similar length, the longest first, so that what does not fit fails at once."""
    order = np.argsort(-lengths, kind="stable")
    room = PIECES_A_BATCH * 2 // (copies + 1)
    batches = []
    start = 0
    while start < len(order):
        size = max(min(room // int(lengths[order[start]]), most), 1)
        batches.append(order[start : start + size])
        start += size
    return batches


def _in_order(found: list[Any], order: list[np.ndarray], n_labels: int, sparse: bool) -> Any:
    if not found:
        return np.zeros((0, n_labels), np.float32)
    place = np.argsort(np.concatenate(order))
    return csr_array(vstack(found, format="csr")[place]) if sparse else np.concatenate(found)[place]
