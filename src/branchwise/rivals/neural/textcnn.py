"""textcnn: short runs of words are recognised wherever they stand.

After Kim, "Convolutional neural networks for sentence classification" (EMNLP 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from branchwise.rivals.neural.encoders import Convolutions
from branchwise.rivals.neural.network import Batch, Network
from branchwise.rivals.neural.settings import NeuralSettings
from branchwise.rivals.neural.system import NeuralSystem
from branchwise.taxonomy import Taxonomy


@dataclass(frozen=True, kw_only=True)
class TextCnnSettings(NeuralSettings):
    """Those of all neural rivals, and which convolutions there are."""

    narrowest: int = 3
    """Words that the narrowest filters see."""
    widest: int = 5
    """Words that the widest filters see; there are filters of every width between."""
    filters: int = 100
    """Filters of each width."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.widest < self.narrowest:
            raise self._wrong("widest", f"{self.narrowest} or more, as narrowest is")

    @property
    def spans(self) -> range:
        """The widths of the filters."""
        return range(self.narrowest, self.widest + 1)


class TextCnnNetwork(Network):
    """Parallel convolutions of several widths, the maximum of each filter over the text, and one layer to labels."""

    def __init__(self, tree: Taxonomy, settings: TextCnnSettings, vectors: Tensor, shares: Tensor) -> None:
        super().__init__(tree, settings, vectors, shares)
        self.convolutions = Convolutions(vectors.shape[1], settings.filters, settings.spans)
        self.output = self.classifier(self.convolutions.size)

    def features(self, batch: Batch) -> Tensor:
        """Return what was found in each document, [B, F]."""
        return self.dropout(self.convolutions(self.words(batch.words), batch.lengths))

    def forward(self, batch: Batch) -> Tensor:
        """Return the margins, [B, K]."""
        margins: Any = self.output(self.features(batch))
        return margins


class TextCnn(NeuralSystem):
    """Kim's convolutional network with a sigmoid for every label of the tree, blind to the hierarchy."""

    name = "textcnn"
    Settings = TextCnnSettings
    Network = TextCnnNetwork
    settings: TextCnnSettings
