"""Grammars as decoding makes them, prefixes put to them, and networks that say anything at all."""

from __future__ import annotations

import itertools

import numpy as np
import torch

from branchwise.decoding.grammar import Grammar
from branchwise.decoding.spelled import Spelling
from branchwise.decoding.writing import Writing
from branchwise.sequence import TextCodec, TokenCodec
from branchwise.taxonomy import LabelSets, Taxonomy

CPU = torch.device("cpu")


def grammar_of(tree: Taxonomy, variant: str = "hia", *, room: int = 10_000, **options) -> Grammar:
    """Return the grammar of token units."""
    return Grammar.of(tree, variant, CPU, costs=np.full(len(tree), 2), room=room, **options)


def spelling_of(codec: TextCodec, n_pieces: int, *, room: int = 10_000, **options) -> Spelling:
    """Return the rules of text units."""
    costs = np.array([len(one) + 1 for one in codec.spelling])
    grammar = Grammar.of(codec.tree, codec.variant, CPU, costs=costs, room=room, **options)
    return Spelling.of(codec, grammar, n_pieces)


def admissible(rules: Grammar | Spelling, prefix: list[int]) -> set[int]:
    """Return what may follow a prefix of symbols or pieces."""
    written = rules.start(1)
    for symbol in prefix:
        rules.add(written, torch.tensor([symbol]))
    return set(rules.admissible(written)[0].nonzero().flatten().tolist())


def closed_sets(tree: Taxonomy) -> LabelSets:
    """Return every closed label set of a small tree."""
    subsets = [s for size in range(len(tree) + 1) for s in itertools.combinations(range(len(tree)), size)]
    sets = LabelSets.from_lists(subsets)
    return sets.take(np.flatnonzero(sets.is_closed(tree)))


def sequences(codec: TokenCodec | TextCodec, sets: LabelSets) -> list[list[int]]:
    """Write label sets, each as long as it is."""
    encoded = codec.encode(sets)
    return [row[:size].tolist() for row, size in zip(encoded.targets, encoded.lengths, strict=True)]


def check_every_prefix(rules: Grammar | Spelling, written: list[list[int]]) -> None:
    """Assert that after every prefix of some sequences, exactly what they go on with is admissible."""
    follows: dict[tuple[int, ...], set[int]] = {}
    for sequence in written:
        for place, symbol in enumerate(sequence):
            follows.setdefault(tuple(sequence[:place]), set()).add(symbol)
    for prefix, expected in follows.items():
        assert admissible(rules, list(prefix)) == expected, prefix


class RandomNetwork:
    """Stands in for a network: writes anything at all."""

    def __init__(self, n_symbols: int, start: int, seed: int) -> None:
        self.n_symbols, self.start = n_symbols, start
        self.random = torch.Generator().manual_seed(seed)

    def new_cache(self):
        return self

    def batch_select_indices(self, rows):
        pass

    def decode(self, symbols, encoded, attention_mask, cache):
        assert cache is self
        assert len(symbols) == len(encoded) == len(attention_mask)
        logits = torch.randn(len(symbols), 1, self.n_symbols, generator=self.random)
        logits[:, :, -1] -= 1.0  # sequences should not all end at once
        return logits


class TableNetwork:
    """Stands in for a network whose next symbol depends on the symbols before, by a table drawn once."""

    def __init__(self, n_symbols: int, start: int, seed: int, spread: float = 1.5) -> None:
        self.n_symbols, self.start, self.seed, self.spread = n_symbols, start, seed, spread

    def logits(self, prefix: tuple[int, ...]) -> torch.Tensor:
        """Return the logits after a prefix."""
        random = np.random.default_rng([self.seed, len(prefix), *prefix])
        return torch.from_numpy(random.normal(size=self.n_symbols) * self.spread).float()

    def new_cache(self):
        return Prefixes()

    def decode(self, symbols, encoded, attention_mask, cache):
        assert len(symbols) == len(encoded) == len(attention_mask)
        cache.add(symbols[:, 0].tolist())
        return torch.stack([self.logits(tuple(one[1:])) for one in cache.rows])[:, None]


class Prefixes:
    """What a cache would hold: the symbols read so far in every row."""

    def __init__(self) -> None:
        self.rows: list[list[int]] = []

    def add(self, symbols: list[int]) -> None:
        self.rows = [
            [*row, one] for row, one in zip(self.rows or [[] for _ in symbols], symbols, strict=True)
        ]

    def batch_select_indices(self, rows):
        self.rows = [list(self.rows[row]) for row in rows.tolist()]


def writing(network, rules, n_rows: int = 1) -> Writing:
    """Return rows to be written by a stand-in."""
    return Writing(network, torch.zeros(n_rows, 1, 1), torch.ones(n_rows, 1, dtype=torch.long), rules)


def probability(network: TableNetwork, rules: Grammar | Spelling, sequence: list[int]) -> float:
    """Return how likely a sequence is that keeps to the rules."""
    written = rules.start(1)
    total = 1.0
    for place, symbol in enumerate(sequence):
        may = rules.admissible(written)[0]
        logits = network.logits(tuple(sequence[:place])).masked_fill(~may, -torch.inf)
        total *= float(logits.double().softmax(-1)[symbol])
        rules.add(written, torch.tensor([symbol]))
    return total


def marginals(network: TableNetwork, rules: Grammar, tree: Taxonomy) -> np.ndarray:
    """Return the probability of every label, summed over all label sets of a small tree, [K]."""
    sets = closed_sets(tree)
    sets = sets.take(np.flatnonzero(sets.sizes > 0))
    likely = np.array([probability(network, rules, one) for one in sequences(TokenCodec(tree), sets)])
    np.testing.assert_allclose(likely.sum(), 1)
    return sets.to_csr(len(tree)).T @ likely
