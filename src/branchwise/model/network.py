"""HiA-T5 as a network: T5's encoder as it comes, T5's decoder over symbols, and its attention laid open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel
from transformers.cache_utils import DynamicCache, EncoderDecoderCache

from branchwise.model.attention import open_decoder, share_bias
from branchwise.model.backbones import output_scale
from branchwise.model.config import ModelConfig
from branchwise.model.lean import make_lean
from branchwise.model.loss import IGNORED, cross_entropy_sum, mask_loss_sum


@dataclass
class LossSums:
    """The two parts of the loss of one batch, not yet averaged."""

    cross_entropy: torch.Tensor
    mask_loss: torch.Tensor


class HiAT5(nn.Module):
    """Writes a document's labels: encoder, decoder, the vectors of its symbols, and the output layer.

    Parameters
    ----------
    config
        The model's settings.
    t5
        A ``T5ForConditionalGeneration`` (or mT5), whose stacks become this model's.
    n_symbols
        Size of the decoder's vocabulary in token units; None keeps T5's own, for text units.
    start
        The symbol that the decoder is given first.
    """

    def __init__(self, config: ModelConfig, t5: PreTrainedModel, n_symbols: int | None, start: int) -> None:
        super().__init__()
        self.settings = config
        self.start = start
        stacks: Any = t5
        self.encoder: Any = stacks.encoder
        self.decoder: Any = stacks.decoder
        width = stacks.config.d_model
        self.reads_pieces = n_symbols is None  # the decoder reads and writes word pieces
        self.tied_head = self.reads_pieces and stacks.lm_head.weight is stacks.get_input_embeddings().weight
        if n_symbols is None:
            self.head = stacks.lm_head
            self.output_scale = output_scale(t5.config)
        else:
            self.decoder.set_input_embeddings(nn.Embedding(n_symbols, width))
            self.head = nn.Linear(width, n_symbols)
            self.output_scale = 1.0
        open_decoder(self.decoder)
        share_bias(self.encoder)
        make_lean(self.encoder)
        make_lean(self.decoder)
        set_dropout(self, config.dropout)

    @property
    def symbols(self) -> nn.Embedding:
        """The vectors of what the decoder reads."""
        return self.decoder.embed_tokens

    def tied_names(self) -> list[str]:
        """Return the weights that are another's under a second name; a checkpoint holds them once."""
        names = []
        if self.reads_pieces:
            names.append("decoder.embed_tokens.weight")
        if self.tied_head:
            names.append("head.weight")
        return names

    def tie(self) -> None:
        """Make weights one again that loading has set apart."""
        if self.reads_pieces:
            self.decoder.set_input_embeddings(self.encoder.embed_tokens)
        if self.tied_head:
            self.head.weight = self.encoder.embed_tokens.weight

    def encode(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Read documents: [B, S] word pieces to [B, S, D]."""
        return self.encoder(input_ids=input_ids, attention_mask=attention_mask, shared={}).last_hidden_state

    def decode(
        self,
        decoder_input: torch.Tensor,  # [B, T]
        encoded: torch.Tensor,  # [B, S, D]
        attention_mask: torch.Tensor,  # [B, S]
        *,
        cache: EncoderDecoderCache | None = None,
        probabilities: list[torch.Tensor] | None = None,
        cross_probabilities: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Return what may come after each decoder input, as logits [B, T, V].

        To the lists every layer appends its self-attention, [B, H, T, T], and its cross-attention, [B, H, T, S].
        """
        hidden = self.decoder(
            input_ids=decoder_input,
            encoder_hidden_states=encoded,
            encoder_attention_mask=attention_mask,
            past_key_values=cache,
            use_cache=cache is not None,
            probabilities=probabilities,
            cross_probabilities=cross_probabilities,
        ).last_hidden_state
        return self.head(hidden * self.output_scale)

    def new_cache(self) -> EncoderDecoderCache:
        """Return an empty cache for decoding symbol by symbol."""
        return EncoderDecoderCache(DynamicCache(), DynamicCache())

    def decoder_input(self, targets: torch.Tensor) -> torch.Tensor:
        """Shift targets by one behind the start symbol; padding becomes a symbol that nothing looks at."""
        shifted = targets.new_full(targets.shape, self.start)
        shifted[:, 1:] = targets[:, :-1].masked_fill(targets[:, :-1] == IGNORED, self.start)
        return shifted

    def forward(
        self,
        input_ids: torch.Tensor,  # [B, S]
        attention_mask: torch.Tensor,  # [B, S]
        targets: torch.Tensor,  # [B, T], IGNORED where padding
        path_mask: torch.Tensor | None = None,  # [B, T, T]; None for the t5 variant
    ) -> LossSums:
        """Return the sums of both losses over a batch."""
        encoded = self.encode(input_ids, attention_mask)
        probabilities: list[torch.Tensor] = []
        logits = self.decode(
            self.decoder_input(targets), encoded, attention_mask, probabilities=probabilities
        )
        mask_loss = logits.new_zeros(())
        if path_mask is not None:
            mask_loss = mask_loss_sum(probabilities, path_mask, targets)
        return LossSums(cross_entropy_sum(logits, targets), mask_loss)


def set_dropout(model: nn.Module, rate: float) -> None:
    """Set every dropout of a network, that of its attention included."""
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate
        elif isinstance(getattr(module, "dropout", None), int | float):
            module.dropout = rate  # type: ignore[assignment]
