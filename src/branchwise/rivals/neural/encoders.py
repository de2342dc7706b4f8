"""Parts that several networks read with: convolutions, recurrent layers and attention, all blind to padding."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from branchwise.rivals.neural.network import up_to


class Convolutions(nn.Module):
    """Convolutions of several widths side by side, each with the same number of filters."""

    def __init__(self, width: int, filters: int, spans: range) -> None:
        super().__init__()
        self.spans, self.size = spans, filters * len(spans)
        self.layers = nn.ModuleList(nn.Conv1d(width, filters, span) for span in spans)

    def places(self, values: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """Return what every filter finds at every place, [B, P, F], and which places are real, [B, P].

        ``values`` [B, T, D] are zero where padded. A document shorter than a filter is filled up with zeros.
        """
        values = functional.pad(
            values.transpose(1, 2), (0, max(self.spans[-1] - values.shape[1], 0))
        )  # [B, D, T]
        found, real = [], []
        for span, layer in zip(self.spans, self.layers, strict=True):
            one = functional.relu(layer(values)).transpose(1, 2)  # [B, T - span + 1, F]
            found.append(one)
            real.append(up_to((lengths - span + 1).clamp(min=1), one.shape[1]))
        return torch.cat(found, 1), torch.cat(real, 1)

    def forward(self, values: Tensor, lengths: Tensor) -> Tensor:
        """Return the most that every filter finds anywhere, [B, size]."""
        found, real = self.places(values, lengths)
        found = found * real[..., None]  # nothing found is less than zero
        steps = [max(values.shape[1], self.spans[-1]) - span + 1 for span in self.spans]
        return torch.cat([one.amax(1) for one in found.split(steps, 1)], 1)


class Recurrent(nn.Module):
    """A recurrent layer that reads forwards and backwards."""

    def __init__(self, kind: type[nn.GRU] | type[nn.LSTM], width: int, hidden: int) -> None:
        super().__init__()
        self.size = 2 * hidden
        self.layer = kind(width, hidden, batch_first=True, bidirectional=True)

    def forward(self, values: Tensor, lengths: Tensor) -> Tensor:
        """Return what was read at every place, [B, T, size], zero where padded."""
        packed = pack_padded_sequence(values, lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.layer(packed)[0], batch_first=True, total_length=values.shape[1])
        return out


class Attention(nn.Module):
    """Weighs places by how well they answer one question, which is learned."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.view = nn.Linear(width, width)
        self.question = nn.Linear(width, 1, bias=False)

    def forward(self, values: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """Return the weighed sum of values [B, T, D] over their real places, [B, D], and the weights, [B, T]."""
        fit = self.question(torch.tanh(self.view(values)))[..., 0]  # [B, T]
        weights = fit.masked_fill(~real, -torch.inf).softmax(1)
        return (weights[:, None] @ values)[:, 0], weights
