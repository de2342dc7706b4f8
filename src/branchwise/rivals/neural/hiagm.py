"""hiagm: a text's features travel along the tree of labels before they decide.

After Zhou et al., "Hierarchy-aware global model for hierarchical text classification" (ACL 2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from branchwise.rivals.neural.encoders import Convolutions, Recurrent
from branchwise.rivals.neural.label_graph import GraphConvolution, TreeLstm
from branchwise.rivals.neural.network import Batch, Network
from branchwise.rivals.neural.settings import NeuralSettings
from branchwise.rivals.neural.system import NeuralSystem
from branchwise.taxonomy import ROOT, Taxonomy


@dataclass(frozen=True, kw_only=True)
class HiagmSettings(NeuralSettings):
    """Those of all neural rivals, and how text and tree meet."""

    fusion: Literal["tp", "la"] = "tp"
    """Whether text features are propagated along the tree, or labels attend to the text."""
    structure: Literal["gcn", "tree-lstm", "none"] = "gcn"
    """What encodes the tree; with "none" the text alone decides."""
    hidden: int = 64
    """Size of the recurrent layer's state in each direction."""
    filters: int = 100
    """Filters of each of the widths 2, 3 and 4."""
    features: int = 64
    """Size of a label's features under tp; under la it is that of the text's, filters."""
    penalty: float = 1e-6
    """Weight of the distance between a label's classifier and its parent's."""


class HiagmNetwork(Network):
    """A recurrent layer and convolutions read, a label graph relates, one layer over all labels' features decides.

    That last layer, as in the paper, has weights by the square of the number of labels: some hundreds of labels
    are well, many thousands are not.
    """

    settings: HiagmSettings

    def __init__(self, tree: Taxonomy, settings: HiagmSettings, vectors: Tensor, shares: Tensor) -> None:
        super().__init__(tree, settings, vectors, shares)
        self.reader = Recurrent(nn.GRU, vectors.shape[1], settings.hidden)
        self.convolutions = Convolutions(self.reader.size, settings.filters, range(2, 5))
        below = torch.nonzero(torch.from_numpy(tree.parent) != ROOT)[:, 0]
        self.edges = below, torch.from_numpy(tree.parent).long()[below]  # child and parent, each [E]
        if settings.structure == "none":
            self.output = self.classifier(self.convolutions.size)
            return
        graph = GraphConvolution if settings.structure == "gcn" else TreeLstm
        width = settings.features if settings.fusion == "tp" else settings.filters
        self.graph = graph(tree, shares, width)
        if settings.fusion == "tp":
            self.spread = nn.Linear(self.convolutions.size, len(tree) * width)
        else:
            self.labels = nn.Parameter(torch.randn(1, len(tree), width) * width**-0.5)
        self.output = self.classifier(len(tree) * width)

    def forward(self, batch: Batch) -> Tensor:
        """Return the margins, [B, K]."""
        read = self.reader(self.dropout(self.words(batch.words)), batch.lengths)  # [B, T, 2H]
        if self.settings.structure == "none":
            features = self.convolutions(read, batch.lengths)
        elif self.settings.fusion == "tp":
            text = self.dropout(self.convolutions(read, batch.lengths))  # [B, 3F]
            features = self.graph(self.spread(text).unflatten(1, (len(self.tree), -1))).flatten(1)
        else:
            features = self._attended(*self.convolutions.places(read, batch.lengths)).flatten(1)
        return self.output(self.dropout(features))

    def _attended(self, found: Tensor, real: Tensor) -> Tensor:
        """Return what each label sees in the text's places [B, P, F], [B, K, F]."""
        labels = self.graph(self.labels)[0]  # [K, F]
        fit = labels @ found.transpose(1, 2)  # [B, K, P]
        return fit.masked_fill(~real[:, None], -torch.inf).softmax(2) @ found

    def loss(self, batch: Batch, truth: Tensor) -> Tensor:
        """Return the loss of the margins, and what the classifiers' distance from their parents' costs."""
        return super().loss(batch, truth) + self.settings.penalty * self.distance()

    def distance(self) -> Tensor:
        """Return half the squared distance between labels' classifiers and their parents', over all edges."""
        weights = self.output.weight
        child, parent = (one.to(weights.device) for one in self.edges)
        return (weights[child] - weights[parent]).square().sum() / 2


class Hiagm(NeuralSystem):
    """HiAGM-TP or HiAGM-LA with either structure encoder."""

    name = "hiagm"
    Settings = HiagmSettings
    Network = HiagmNetwork
    settings: HiagmSettings
