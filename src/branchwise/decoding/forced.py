"""The network made to write a given sequence: what it looks at, how likely it finds it, and what that hangs on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from branchwise.errors import ModelError
from branchwise.model.bundle import Model
from branchwise.progress import Progress
from branchwise.sequence import Encoded


@dataclass(frozen=True, eq=False)
class Forced:
    """What one pass over a document and a given sequence shows of the sequence's m labels."""

    own: np.ndarray  # [T, T] self-attention
    cross: np.ndarray  # [T, S] cross-attention
    log_probability: np.ndarray  # [m] of each label, all its pieces together
    gradient: np.ndarray  # [m, S] the length of its gradient at the vector of every piece of the document


def write_forced(
    model: Model,
    pieces: np.ndarray,
    encoded: Encoded,
    by_row: np.ndarray,
    layer: int | None,
    head: int | None,
) -> Forced:
    """Write a sequence for a document: its word pieces and one encoded label set.

    Parameters
    ----------
    model
        The model; it is left in evaluation mode.
    pieces
        The document, [S].
    encoded
        The sequence, of T targets.
    by_row
        Which targets belong to which symbol, [2m, T]; every second symbol is a label.
    layer, head
        The layer and head whose attention is kept, counted from 1; the mean over all where absent.
    """
    network = model.network.eval()
    device = next(network.parameters()).device
    own: list[torch.Tensor] = []
    cross: list[torch.Tensor] = []
    with torch.inference_mode(False), torch.enable_grad(), torch.autocast(device.type, enabled=False):
        input_ids = torch.from_numpy(pieces).to(device)[None]  # [1, S]
        targets = torch.from_numpy(encoded.targets).to(device, torch.int64)  # [1, T]
        real = torch.ones_like(input_ids)
        vectors = network.encoder.embed_tokens(input_ids).detach().requires_grad_()  # [1, S, D]
        document = network.encoder(inputs_embeds=vectors, attention_mask=real, shared={}).last_hidden_state
        logits = network.decode(
            network.decoder_input(targets), document, real, probabilities=own, cross_probabilities=cross
        )
        seen = _mean(own, layer, head), _mean(cross, layer, head)
        of_target = logits[0].log_softmax(-1).gather(1, targets[0][:, None])[:, 0]  # [T]
        values, lengths = [], []
        with Progress("Explaining", len(encoded.sets.labels), "labels") as progress:
            for row in by_row[::2]:
                value = of_target[torch.from_numpy(row > 0).to(device)].sum()
                (gradient,) = torch.autograd.grad(value, vectors, retain_graph=True)
                values.append(value.item())
                lengths.append(gradient[0].norm(dim=-1).cpu().double().numpy())
                progress.advance()
    return Forced(*seen, np.array(values), np.array(lengths))


def _mean(layers: list[torch.Tensor], layer: int | None, head: int | None) -> np.ndarray:
    """Return the mean of attention over layers and heads, or over the chosen one's, [T, ...]."""
    shares = torch.stack([one[0].detach() for one in layers])  # [L, H, T, ...]
    for what, chosen, size in (("layer", layer, shares.shape[0]), ("head", head, shares.shape[1])):
        if chosen is not None and not 1 <= chosen <= size:
            raise ModelError(
                f"There is no {what} {chosen}: the decoder's {what}s are numbered 1 to {size}, so choose one of "
                "them, or none for the mean of all."
            )
    if layer is not None:
        shares = shares[layer - 1 : layer]
    if head is not None:
        shares = shares[:, head - 1 : head]
    return shares.cpu().double().mean((0, 1)).numpy()
