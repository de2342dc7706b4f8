"""han: sentences are made of their telling words, and a document of its telling sentences.

After Yang et al., "Hierarchical attention networks for document classification" (NAACL 2016).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from branchwise.rivals.neural.encoders import Attention, Recurrent
from branchwise.rivals.neural.network import Batch, Network, up_to
from branchwise.rivals.neural.settings import NeuralSettings
from branchwise.rivals.neural.system import NeuralSystem
from branchwise.rivals.neural.vocabulary import PADDING, STOP
from branchwise.taxonomy import Taxonomy


@dataclass(frozen=True, kw_only=True)
class HanSettings(NeuralSettings):
    """Those of all neural rivals, and the size of what is read."""

    hidden: int = 50
    """Size of a recurrent layer's state in each direction."""
    dropout: float = 0.2
    """Share of the word vectors' and of the document vector's values left out in training."""


@dataclass(frozen=True, eq=False)
class Sentences:
    """The S sentences of a batch, document after document."""

    words: Tensor  # [S, L] int64
    lengths: Tensor  # [S]
    counts: Tensor  # [B], sentences of each document

    @classmethod
    def of(cls, batch: Batch) -> Sentences:
        """Divide documents after every full stop."""
        stops = ((batch.words == STOP) & batch.real).long()  # [B, T]
        number = stops.cumsum(1) - stops  # of a word's sentence in its document
        counts = number.masked_fill(~batch.real, 0).amax(1) + 1
        first = counts.cumsum(0) - counts  # of a document's sentences among all
        sentence = (first[:, None] + number)[batch.real]  # [W], one entry a word
        words = batch.words[batch.real]
        lengths = torch.bincount(sentence, minlength=int(counts.sum()))
        place = torch.arange(len(words), device=words.device) - (lengths.cumsum(0) - lengths)[sentence]
        lines = words.new_full((len(lengths), int(lengths.max())), PADDING)
        lines[sentence, place] = words
        return cls(lines, lengths, counts)

    @property
    def place(self) -> tuple[Tensor, Tensor]:
        """The document of every sentence, and its place in it, each [S]."""
        document = torch.arange(len(self.counts), device=self.counts.device).repeat_interleave(self.counts)
        first = (self.counts.cumsum(0) - self.counts)[document]
        return document, torch.arange(len(document), device=document.device) - first


class HanNetwork(Network):
    """Two floors of the same make: a recurrent layer reads both ways, and attention weighs what it read."""

    def __init__(self, tree: Taxonomy, settings: HanSettings, vectors: Tensor, shares: Tensor) -> None:
        super().__init__(tree, settings, vectors, shares)
        self.word_reader = Recurrent(nn.GRU, vectors.shape[1], settings.hidden)
        self.word_attention = Attention(self.word_reader.size)
        self.sentence_reader = Recurrent(nn.GRU, self.word_reader.size, settings.hidden)
        self.sentence_attention = Attention(self.sentence_reader.size)
        self.output = self.classifier(self.sentence_reader.size)

    def read(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor, Sentences]:
        """Return document vectors [B, D], the weights of sentences [B, C] and of words [S, L], and the sentences."""
        sentences = Sentences.of(batch)
        real = up_to(sentences.lengths, sentences.words.shape[1])
        words = self.word_reader(self.dropout(self.words(sentences.words)), sentences.lengths)  # [S, L, D]
        vectors, word_weights = self.word_attention(words, real)  # [S, D], [S, L]
        document, place = sentences.place
        most = int(sentences.counts.max())
        lines = vectors.new_zeros(len(sentences.counts), most, vectors.shape[1]).index_put(
            (document, place), vectors
        )
        read = self.sentence_reader(lines, sentences.counts)  # [B, C, D]
        documents, sentence_weights = self.sentence_attention(read, up_to(sentences.counts, most))
        return documents, sentence_weights, word_weights, sentences

    def forward(self, batch: Batch) -> Tensor:
        """Return the margins, [B, K]."""
        return self.output(self.dropout(self.read(batch)[0]))


class Han(NeuralSystem):
    """The hierarchical attention network with a sigmoid for every label of the tree, blind to their hierarchy."""

    name = "han"
    Settings = HanSettings
    Network = HanNetwork
    settings: HanSettings
