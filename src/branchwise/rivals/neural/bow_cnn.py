"""bow-cnn: regions of a text count as bags of words, and the text as what its parts hold, in their order.

After Johnson and Zhang, "Effective use of word order for text categorization with convolutional neural
networks" (NAACL 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from branchwise.rivals.neural.network import Batch, Network, up_to
from branchwise.rivals.neural.settings import NeuralSettings
from branchwise.rivals.neural.system import NeuralSystem
from branchwise.taxonomy import Taxonomy


@dataclass(frozen=True, kw_only=True)
class BowCnnSettings(NeuralSettings):
    """Those of all neural rivals, and how regions are made and pooled."""

    width: int = 400
    """Size of a region's vector, and of a word's share in it."""
    region: int = 20
    """Words of a region."""
    parts: int = 10
    """Into how many parts a text is pooled."""
    pooling: Literal["average", "maximum"] = "average"
    """What a part keeps of its regions."""


class BowCnnNetwork(Network):
    """Every region's vector is the rectified sum of its words'; each part of a text pools its own regions.

    Regions overlap, beginning with the first word alone and ending with the last alone. A region's sum is the
    difference of two running sums, so that its cost does not grow with its size.
    """

    def __init__(self, tree: Taxonomy, settings: BowCnnSettings, vectors: Tensor, shares: Tensor) -> None:
        super().__init__(tree, settings, vectors, shares)
        self.bias = nn.Parameter(torch.zeros(vectors.shape[1]))
        self.output = self.classifier(settings.parts * vectors.shape[1])

    def regions(self, batch: Batch) -> Tensor:
        """Return the vector of every region, [B, T + R - 1, D]; those beyond a text's end are not real."""
        size = self.settings.region
        sums = functional.pad(self.words(batch.words), (0, 0, size, size - 1)).cumsum(1)  # [B, T + 2R - 1, D]
        return functional.relu(sums[:, size:] - sums[:, :-size] + self.bias)

    def pooled(self, batch: Batch) -> Tensor:
        """Return what every part keeps, [B, parts, D]; a part without a region keeps zeros."""
        regions = self.regions(batch)
        n_regions = batch.lengths + self.settings.region - 1  # [B]
        place = torch.arange(regions.shape[1], device=regions.device)  # [P]
        part = place * self.settings.parts // n_regions[:, None]  # [B, P]
        part = part.masked_fill(~up_to(n_regions, len(place)), self.settings.parts)
        if self.settings.pooling == "maximum":
            most = regions.new_zeros(len(regions), self.settings.parts + 1, regions.shape[2])
            most = most.scatter_reduce(1, part[..., None].expand_as(regions), regions, "amax")
            return most[:, :-1]  # the last collects what is beyond the end
        member = (
            part[:, None] == torch.arange(self.settings.parts, device=part.device)[:, None]
        )  # [B, parts, P]
        share = member / member.sum(2, keepdim=True).clamp(min=1)
        return share @ regions

    def forward(self, batch: Batch) -> Tensor:
        """Return the margins, [B, K]."""
        return self.output(self.dropout(self.pooled(batch).flatten(1)))


class BowCnn(NeuralSystem):
    """A convolution over bags of words with several pooling parts, blind to the hierarchy."""

    name = "bow-cnn"
    Settings = BowCnnSettings
    Network = BowCnnNetwork
    settings: BowCnnSettings
