"""Batches of documents of similar length: which documents stand together, and the tensors they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.utils.data import Dataset, Sampler

from branchwise.model.loss import IGNORED
from branchwise.model.pieces import PieceStore
from branchwise.sequence import TextCodec, TokenCodec, path_mask
from branchwise.taxonomy import LabelSets
from branchwise.training.settings import Settings

NEIGHBOURS = 50  # batches that are sorted by length together


class RowNumbers(Dataset[int]):
    """The numbers of N documents; what belongs to a number is fetched a batch at a time."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, row: int) -> int:
        return row


class LengthBatches(Sampler[int]):
    """Document numbers in an order where each run of ``batch`` of them is of similar length.

    ``batch`` counts the documents of a whole step, so that these are the same however many devices and
    accumulated batches share them.

    Documents are shuffled, sorted by length within groups of some batches, and the batches shuffled again;
    the order depends on the seed and the pass alone.
    """

    def __init__(self, lengths: np.ndarray, batch: int, seed: int) -> None:
        self.lengths, self.batch, self.seed = lengths, batch, seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the pass."""
        self.epoch = epoch

    def __len__(self) -> int:
        return len(self.lengths)

    def __iter__(self) -> Iterator[int]:
        random = np.random.default_rng([self.seed, self.epoch])
        order = random.permutation(len(self.lengths))
        batches: list[np.ndarray] = []
        for start in range(0, len(order), self.batch * NEIGHBOURS):
            group = order[start : start + self.batch * NEIGHBOURS]
            group = group[np.argsort(-self.lengths[group], kind="stable")]
            batches += np.split(group, range(self.batch, len(group), self.batch))
        whole = [one for one in batches if len(one) == self.batch]
        rest = [one for one in batches if len(one) < self.batch]  # at most one, and it must come last
        for place in random.permutation(len(whole)).tolist():
            yield from whole[place].tolist()
        for one in rest:
            yield from one.tolist()


@dataclass
class Collator:
    """Turns document numbers into the tensors of one batch."""

    tokens: PieceStore
    sets: LabelSets
    codec: TokenCodec | TextCodec
    settings: Settings
    epoch: int = 0

    def __call__(self, rows: Sequence[int]) -> dict[str, torch.Tensor]:
        """Return pieces [B, S], targets [B, T], the path-adaptive mask [B, T, T] and the documents' numbers."""
        numbers = np.asarray(rows, np.int64)
        padded = self.settings.pad_to_limit
        input_ids, attention_mask = self.tokens.padded(numbers, self.settings.input_limit if padded else None)
        encoded = self.codec.encode(self.sets.take(numbers), numbers, self.epoch)
        targets = np.where(encoded.real, encoded.targets, IGNORED)
        batch = {
            "input_ids": torch.from_numpy(input_ids),
            "attention_mask": torch.from_numpy(attention_mask),
            "documents": torch.from_numpy(numbers),
        }
        spare = self.settings.output_limit - targets.shape[1] if padded else 0
        batch["targets"] = torch.from_numpy(
            np.pad(targets, ((0, 0), (0, spare)), constant_values=IGNORED)
        ).long()
        if self.settings.variant != "t5":
            mask = path_mask(encoded, self.codec.tree, self.settings.mask)
            batch["path_mask"] = torch.from_numpy(np.pad(mask, ((0, 0), (0, spare), (0, spare))))
        return batch
