"""The training loop of the neural rivals: batches of similar length, Adam, and an end when nothing improves."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np
import torch
from torch.nn.utils import clip_grad_norm_

from branchwise.corpus import Corpus
from branchwise.errors import TrainingError
from branchwise.progress import Progress
from branchwise.rivals.base import Tell
from branchwise.rivals.neural.network import Batch, Network
from branchwise.rivals.neural.settings import NeuralSettings
from branchwise.rivals.neural.vocabulary import Documents
from branchwise.taxonomy import LabelSets
from branchwise.training.batches import LengthBatches

FEWEST_STEPS = 30  # in a pass; few documents are gone through several times for it
LONGEST_STEP = 5.0  # a gradient longer than this is shortened to it


def answers(
    network: Network, documents: Documents, size: int, device: torch.device
) -> tuple[np.ndarray, np.ndarray]:
    """Return the margins of documents, [N, K] float32, and the decisions, [N, K] bool."""
    margins = np.zeros((len(documents), len(network.tree)), np.float32)
    chosen = np.zeros(margins.shape, bool)
    order = np.argsort(documents.lengths, kind="stable")
    network.eval()
    with torch.inference_mode():
        for rows in _runs(order, size):
            margin, decided = network.answer(Batch.of(documents, rows, device))
            margins[rows], chosen[rows] = margin.float().cpu().numpy(), decided.cpu().numpy()
    return margins, chosen


class Trainer:
    """Trains one network on documents, and watches others.

    Parameters
    ----------
    name
        What the rival is called.
    settings
        Those of the rival.
    device
        Where the network is.
    """

    def __init__(self, name: str, settings: NeuralSettings, device: torch.device) -> None:
        self.name, self.settings, self.device = name, settings, device

    def train(
        self,
        network: Network,
        documents: Documents,
        truth: LabelSets,
        held_out: tuple[Documents, Corpus],
        tell: Tell,
    ) -> list[dict[str, float]]:
        """Train until F1 and loss on the documents held out stop improving; return what each pass measured.

        The network ends as it was after the best pass: that of the highest micro-F1 and, where several have
        it, the lowest loss on the documents held out.
        """
        settings = self.settings
        optimizer = torch.optim.Adam(network.parameters(), lr=settings.rate, fused=True)
        order = LengthBatches(documents.lengths, settings.batch, settings.seed)
        rounds = math.ceil(FEWEST_STEPS * settings.batch / max(len(documents), settings.batch))
        history: list[dict[str, float]] = []
        best, best_state = (-1.0, 0.0), {}
        least_loss, better_at = math.inf, 0
        total = settings.epochs * rounds * len(documents)
        with Progress(f"Training {self.name}", total, "documents") as progress:
            for epoch in range(1, settings.epochs + 1):
                started, losses = time.monotonic(), []
                for round_ in range(rounds):
                    order.set_epoch(epoch * rounds + round_)
                    for rows in _runs(np.fromiter(order, np.int64), settings.batch):
                        losses.append(self._step(network, optimizer, documents, truth, rows))
                        progress.advance(len(rows))
                seconds = time.monotonic() - started
                f1, loss = self._watch(network, *held_out)
                measured = {"loss": float(np.mean(losses)), "held_out_loss": loss, "micro_f1": f1}
                history.append(measured | {"seconds": round(seconds, 1)})
                tell(
                    f"Epoch {epoch} of at most {settings.epochs} took {seconds:,.0f} s: loss "
                    f"{measured['loss']:.4g}, micro-F1 {f1:.2%} on {len(held_out[1]):,} documents held out."
                )
                if loss < least_loss:  # while it falls F1 may still rise: at first all margins are below zero
                    least_loss, better_at = loss, epoch
                if (f1, -loss) > best:
                    best, better_at = (f1, -loss), epoch
                    best_state = {key: one.detach().clone() for key, one in network.state_dict().items()}
                if epoch - better_at >= settings.patience:
                    break
        network.load_state_dict(best_state)
        return history

    def _step(
        self,
        network: Network,
        optimizer: torch.optim.Optimizer,
        documents: Documents,
        truth: LabelSets,
        rows: np.ndarray,
    ) -> float:
        true = truth.take(rows).to_csr(len(network.tree)).toarray().astype(np.float32)
        network.train()
        optimizer.zero_grad()
        loss = network.loss(Batch.of(documents, rows, self.device), torch.from_numpy(true).to(self.device))
        loss.backward()
        clip_grad_norm_(network.parameters(), LONGEST_STEP)
        optimizer.step()
        value = float(loss.detach())
        if not math.isfinite(value):
            raise TrainingError(f"The loss of {self.name} has become {value}: lower its setting rate.")
        return value

    def _watch(self, network: Network, documents: Documents, corpus: Corpus) -> tuple[float, float]:
        """Return the micro-F1 and the loss of the margins on documents held out."""
        margins, chosen = answers(network, documents, self.settings.batch, self.device)
        rows, labels = np.nonzero(chosen)
        decided = LabelSets.from_pairs(rows, labels, len(corpus))
        true = corpus.labels.to_csr(margins.shape[1]).toarray().astype(bool)
        loss = float(np.logaddexp(0, np.where(true, -margins, margins)).mean())
        return corpus.labels.agreement(decided), loss


def _runs(order: np.ndarray, size: int) -> Iterator[np.ndarray]:
    """Yield an order in runs of a size."""
    for start in range(0, len(order), size):
        yield order[start : start + size]
