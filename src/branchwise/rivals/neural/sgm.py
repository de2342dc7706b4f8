"""sgm: a document's labels are written one after another, the most frequent first, each knowing those before.

After Yang et al., "SGM: sequence generation model for multi-label classification" (COLING 2018).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from branchwise.rivals.neural.encoders import Recurrent
from branchwise.rivals.neural.network import Batch, Network
from branchwise.rivals.neural.settings import NeuralSettings
from branchwise.rivals.neural.system import NeuralSystem
from branchwise.taxonomy import Taxonomy

State = tuple[Tensor, Tensor, Tensor]  # the writer's two, and what it saw in the text, each [B, D]


@dataclass(frozen=True, kw_only=True)
class SgmSettings(NeuralSettings):
    """Those of all neural rivals, and how labels are written."""

    hidden: int = 128
    """Size of the reader's state in each direction; the writer's is twice that."""
    beam: int = 5
    """How many sequences are followed at once; 1 is greedy."""
    most: int = 40
    """At most how many labels a document is given."""
    dropout: float = 0.3
    """Share of a layer's values left out in training."""


class SgmNetwork(Network):
    """The symbols are the K labels by position, the end K and the start K + 1."""

    settings: SgmSettings

    def __init__(self, tree: Taxonomy, settings: SgmSettings, vectors: Tensor, shares: Tensor) -> None:
        super().__init__(tree, settings, vectors, shares)
        width, self.end = vectors.shape[1], len(tree)
        self.reader = Recurrent(nn.LSTM, width, settings.hidden)
        size = self.reader.size
        self.symbols = nn.Embedding(len(tree) + 2, width)
        self.gate = nn.Linear(2 * width, width)
        self.writer = nn.LSTMCell(width + size, size)
        self.look, self.seen = nn.Linear(size, size, bias=False), nn.Linear(size, size)
        self.fit = nn.Linear(size, 1, bias=False)
        self.join = nn.Linear(2 * size, size)
        self.output = nn.Linear(size, len(tree) + 1)
        order = torch.sort(shares, descending=True, stable=True).indices
        self.order: Tensor
        self.register_buffer("order", order, persistent=False)  # [K], the most frequent label first

    def target(self, truth: Tensor) -> Tensor:
        """Return the sequences to write, [B, n + 1]: labels by frequency, then only the end."""
        rank = torch.where(truth[:, self.order] > 0, torch.arange(self.end, device=truth.device), self.end)
        rank = functional.pad(rank, (0, 1), value=self.end).sort(1).values[:, : int(truth.sum(1).max()) + 1]
        return functional.pad(self.order, (0, 1), value=self.end)[rank]

    def read(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return what was read at every place, [B, T, D], how it looks to the attention, and what is real."""
        memory = self.reader(self.dropout(self.words(batch.words)), batch.lengths)
        return memory, self.seen(memory), batch.real

    def begin(self, read: tuple[Tensor, Tensor, Tensor]) -> tuple[State, Tensor]:
        """Return the writer's state before the first label, and the vector of the start symbol, [B, E]."""
        nothing = read[0].new_zeros(len(read[0]), read[0].shape[2])
        state = nothing, nothing, self._attend(*read, nothing)
        return state, self.symbols.weight[-1].expand(len(nothing), -1)

    def step(self, read: tuple[Tensor, Tensor, Tensor], state: State, given: Tensor) -> tuple[Tensor, State]:
        """Return the margins of the next symbol, [B, K + 1], and the state; ``given`` stands for the last one."""
        hidden, cell = self.writer(torch.cat([given, state[2]], 1), state[:2])
        context = self._attend(*read, hidden)
        both = torch.tanh(self.join(torch.cat([hidden, context], 1)))
        return self.output(self.dropout(both)), (hidden, cell, context)

    def _attend(self, memory: Tensor, seen: Tensor, real: Tensor, hidden: Tensor) -> Tensor:
        fit = self.fit(torch.tanh(seen + self.look(hidden)[:, None]))[..., 0]  # [B, T]
        return (fit.masked_fill(~real, -torch.inf).softmax(1)[:, None] @ memory)[:, 0]

    def blend(self, symbol: Tensor, chances: Tensor) -> Tensor:
        """Return the global embedding, [B, E]: the last symbol's vector, and that of all that might have been."""
        one, everything = self.symbols(symbol), chances @ self.symbols.weight[:-1]
        gate = self.gate(torch.cat([one, everything], 1)).sigmoid()
        return (1 - gate) * one + gate * everything

    def loss(self, batch: Batch, truth: Tensor) -> Tensor:
        """Return the mean cross-entropy of the symbols to write, where those already written are ruled out."""
        target = self.target(truth)  # [B, n + 1]
        read = self.read(batch)
        state, given = self.begin(read)
        written = torch.zeros(len(truth), self.end + 1, dtype=torch.bool, device=truth.device)
        total, last = truth.new_zeros(()), torch.ones_like(target[:, 0], dtype=torch.bool)
        for symbol in target.unbind(1):
            margins, state = self.step(read, state, given)
            log_chances = margins.masked_fill(written, -torch.inf).log_softmax(1)  # [B, K + 1]
            total = total - log_chances.gather(1, symbol[:, None])[:, 0][last].sum()
            last = symbol != self.end
            written = written | (functional.one_hot(symbol, self.end + 1).bool() & last[:, None])
            given = self.blend(symbol, log_chances.exp())
        return total / (truth.sum() + len(truth))

    def answer(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the margins, [B, K], and the labels of the likeliest sequence, [B, K] bool.

        A label's chance is that of being chosen at one of the sequence's steps.
        """
        labels, missed = self.write(batch)
        return (1 - missed).logit(eps=1e-6), labels

    def write(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the labels written, [B, K] bool, and how likely each was passed over at every step, [B, K]."""
        beam, n_symbols = min(self.settings.beam, self.end + 1), self.end + 1
        memory, seen, real = (one.repeat_interleave(beam, 0) for one in self.read(batch))
        read = memory, seen, real
        state, given = self.begin(read)
        device = given.device
        total = torch.full((len(batch.words), beam), -torch.inf, device=device)  # [B, W] log chances
        total[:, 0] = 0
        written = torch.zeros(
            *total.shape, n_symbols, dtype=torch.bool, device=device
        )  # the end too, once it is
        missed = torch.ones(*total.shape, self.end, device=device)
        first = torch.arange(len(total), device=device)[:, None] * beam
        stay = torch.full((n_symbols,), -torch.inf, device=device)
        stay[-1] = 0
        for left in range(min(self.settings.most, self.end), -1, -1):
            margins, state = self.step(read, state, given)
            done = written[..., -1:]  # [B, W, 1]
            log_chances = margins.view_as(written).masked_fill(written & ~done, -torch.inf).log_softmax(2)
            chances = log_chances.exp()
            missed = torch.where(done, missed, missed * (1 - chances[..., :-1]))
            log_chances = torch.where(done | (left == 0), stay, log_chances)
            total, chosen = (total[..., None] + log_chances).flatten(1).topk(beam)  # [B, W]
            origin = (first + chosen // n_symbols).flatten()  # [B · W]
            symbol = chosen.flatten() % n_symbols
            state = state[0][origin], state[1][origin], state[2][origin]
            written = (written.flatten(0, 1)[origin] | functional.one_hot(symbol, n_symbols).bool()).view_as(
                written
            )
            missed = missed.flatten(0, 1)[origin].view_as(missed)
            if written[:, 0, -1].all():  # no other sequence can become likelier
                break
            given = self.blend(symbol, chances.flatten(0, 1)[origin])
        return written[:, 0, :-1], missed[:, 0]


class Sgm(NeuralSystem):
    """Labels as a sequence, which may hold a label without its parent, and never one twice."""

    name = "sgm"
    Settings = SgmSettings
    Network = SgmNetwork
    settings: SgmSettings
