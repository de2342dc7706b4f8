"""How much of a benchmark is used: all of it as the paper does, a part for an evening, or a few documents to see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from branchwise.corpus import Corpus

SEED = 0  # of the choice of documents


@dataclass(frozen=True)
class Scale:
    """What a size of reproduction uses where nobody says otherwise."""

    name: str
    documents: dict[str, int]
    """The most of every part; all where a part is not named."""
    systems: str
    seeds: int
    preset: str
    backbone: str | None = None
    """The preset's where None."""
    settings: tuple[str, ...] = ()

    def cut(self, part: str, corpus: Corpus) -> Corpus:
        """Return as many documents of a part as this scale uses, drawn at random, in their order."""
        most = self.documents.get(part, len(corpus))
        if len(corpus) <= most:
            return corpus
        drawn = np.argsort(np.random.PCG64(SEED).random_raw(len(corpus)), kind="stable")[:most]
        return corpus.take(np.sort(drawn))

    def sentence(self, sizes: dict[str, int]) -> str:
        """Say which share of the documents is used; nothing where that is all."""
        used = {name: min(self.documents.get(name, size), size) for name, size in sizes.items()}
        if used == sizes:
            return ""
        parts = ", ".join(f"{used[name]:,} of {size:,} {name}" for name, size in sizes.items())
        return f"Scale {self.name} uses {parts} documents, so its figures are no reproduction of the paper’s."


SCALES = {
    one.name: one
    for one in (
        Scale(
            "smoke",
            {"train": 120, "validation": 60, "test": 120},
            "svm,td-svm,t5,hia,pamm",
            seeds=1,
            preset="fast",
            backbone="starter",
            settings=("passes=1", "input_limit=64"),
        ),
        Scale(
            "small",
            {"train": 4000, "validation": 1000, "test": 2000},
            "svm,leaf-svm,td-svm,hr-svm,hmcn,hiagm,t5,hia,pamm",
            seeds=1,
            preset="fast",
        ),
        Scale(
            "full",
            {},
            "svm,leaf-svm,td-svm,hr-svm,textcnn,bow-cnn,han,hmcn,hiagm,sgm,t5,hia,pamm",
            seeds=3,
            preset="paper",
        ),
    )
}
