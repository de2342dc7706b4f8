"""hmcn: one path through the levels predicts everything at its end and each level on its way.

After Wehrmann, Cerri and Barros, "Hierarchical multi-label classification networks" (ICML 2018), the
feed-forward form. The text comes in as the features of convolutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from branchwise.rivals.neural.network import Batch
from branchwise.rivals.neural.system import NeuralSystem
from branchwise.rivals.neural.textcnn import TextCnnNetwork, TextCnnSettings
from branchwise.taxonomy import Taxonomy


@dataclass(frozen=True, kw_only=True)
class HmcnSettings(TextCnnSettings):
    """Those of textcnn, whose features are read, and how levels work together."""

    hidden: int = 384
    """Size of the layers of every level."""
    beta: float = 0.5
    """Weight of the local outputs in the final one; the global output has the rest."""
    penalty: float = 0.1
    """Weight of the loss for every label more likely than its parent."""
    dropout: float = 0.4
    """Share of a layer's values left out in training."""


class HmcnNetwork(TextCnnNetwork):
    """Each level's layer sees the one above and the text; beside it a local output tells the level's labels."""

    settings: HmcnSettings

    def __init__(self, tree: Taxonomy, settings: HmcnSettings, vectors: Tensor, shares: Tensor) -> None:
        super().__init__(tree, settings, vectors, shares)
        text, hidden = self.convolutions.size, settings.hidden
        self.levels = [slice(int(start), int(stop)) for start, stop in pairwise(tree.level_start)]
        above = [text] + [text + hidden] * (tree.depth - 1)
        self.path = nn.ModuleList(_layer(size, hidden, settings.dropout) for size in above)
        self.turn = nn.ModuleList(_layer(hidden, hidden, settings.dropout) for _ in self.levels)
        self.local = nn.ModuleList(self.classifier(hidden, level) for level in self.levels)
        self.output = self.classifier(hidden)
        self.parent: Tensor
        self.register_buffer("parent", torch.from_numpy(tree.parent).long(), persistent=False)

    def outputs(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Return the margins of the local outputs, side by side, and of the global one, each [B, K]."""
        text = self.features(batch)  # [B, F]
        state, local = text, []
        for at, (path, turn, output) in enumerate(zip(self.path, self.turn, self.local, strict=True)):
            state = path(torch.cat([state, text], 1) if at else text)  # [B, H]
            local.append(output(turn(state)))
        return torch.cat(local, 1), self.output(state)

    def mixed(self, local: Tensor, overall: Tensor) -> Tensor:
        """Return the final chances, [B, K], from both margins."""
        return self.settings.beta * local.sigmoid() + (1 - self.settings.beta) * overall.sigmoid()

    def violation(self, chances: Tensor) -> Tensor:
        """Return by how much labels are more likely than their parents, squared and averaged."""
        below = self.parent >= 0
        excess = functional.relu(chances[:, below] - chances[:, self.parent[below]])
        return excess.square().sum() / chances.numel()

    def forward(self, batch: Batch) -> Tensor:
        """Return the margins, [B, K]."""
        return self.mixed(*self.outputs(batch)).logit(eps=1e-6)

    def loss(self, batch: Batch, truth: Tensor) -> Tensor:
        """Return the losses of the local outputs, the global output and the violations."""
        local, overall = self.outputs(batch)
        wrong = sum(functional.binary_cross_entropy_with_logits(one, truth) for one in (local, overall))
        return wrong + self.settings.penalty * self.violation(self.mixed(local, overall))


def _layer(width: int, hidden: int, dropout: float) -> nn.Sequential:
    return nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.LayerNorm(hidden), nn.Dropout(dropout))


class Hmcn(NeuralSystem):
    """Local and global outputs, mixed, with a penalty on labels that are more likely than their parents."""

    name = "hmcn"
    Settings = HmcnSettings
    Network = HmcnNetwork
    settings: HmcnSettings
