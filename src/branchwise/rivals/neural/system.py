"""What the neural rivals share: from texts to word numbers, the training, and how a network lies on disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch

from branchwise.corpus import Corpus
from branchwise.errors import ModelError
from branchwise.model.folder import damaged
from branchwise.rivals.base import Rival, Tell
from branchwise.rivals.neural.network import Network
from branchwise.rivals.neural.settings import NeuralSettings
from branchwise.rivals.neural.training import Trainer, answers
from branchwise.rivals.neural.vectors import draw_vectors, read_vectors
from branchwise.rivals.neural.vocabulary import Vocabulary
from branchwise.rivals.platt import LogisticMaps
from branchwise.rivals.storage import VOCABULARY, read_words, write_words
from branchwise.taxonomy import Taxonomy
from branchwise.training.devices import choose_device

WEIGHTS = "model.safetensors"


class NeuralSystem(Rival):
    """A network over words, trained from scratch; the rivals add the network."""

    Settings: ClassVar[type[NeuralSettings]] = NeuralSettings
    Network: ClassVar[type[Network]]
    settings: NeuralSettings

    def _learn(self, train: Corpus, held_out: Corpus, tell: Tell) -> tuple[TrainedNetwork, dict[str, Any]]:
        settings = self.settings
        device = choose_device(settings.device)
        vocabulary = Vocabulary.learn(train.texts(), len(train), settings.words, settings.fewest)
        facts: dict[str, Any] = {"words": len(vocabulary.words)}
        if settings.vectors is None:
            vectors = draw_vectors(vocabulary, settings.width, settings.seed)
        else:
            vectors, facts["words_with_given_vectors"] = read_vectors(
                settings.vectors, vocabulary, settings.seed
            )
            tell(
                f"{facts['words_with_given_vectors']:,} of {len(vocabulary.words):,} words have a given vector of "
                f"{vectors.shape[1]} values."
            )
        shares = train.labels.counts(len(self.taxonomy)) / len(train)
        documents, others = (vocabulary.encode(one.texts(), settings.longest) for one in (train, held_out))
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            torch.manual_seed(settings.seed)
            parts = (torch.from_numpy(vectors), torch.from_numpy(shares).float())
            network = self.Network(self.taxonomy, settings, *parts).to(device)
            n_weights = sum(one.numel() for one in network.parameters())
            tell(
                f"{self.name} has {n_weights:,} weights, {len(vocabulary.words):,} words and the device {device}."
            )
            trainer = Trainer(self.name, settings, device)
            history = trainer.train(network, documents, train.labels, (others, held_out), tell)
        usual = LogisticMaps.usual(len(self.taxonomy))
        return TrainedNetwork(vocabulary, network, usual), facts | {"weights": n_weights, "epochs": history}

    def _answers(self, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        trained: TrainedNetwork = self.trained
        documents = trained.vocabulary.encode(texts, self.settings.longest)
        device = trained.network.words.weight.device
        return answers(trained.network, documents, self.settings.batch, device)

    @classmethod
    def _read(cls, folder: Path, tree: Taxonomy, settings: NeuralSettings) -> TrainedNetwork:
        return TrainedNetwork.read(folder, cls.Network, tree, settings)


@dataclass(frozen=True, eq=False)
class TrainedNetwork:
    """A network, the words it reads and the logistic maps of its margins."""

    vocabulary: Vocabulary
    network: Network
    maps: LogisticMaps

    def write(self, folder: Path) -> None:
        """Write words and weights."""
        from safetensors import SafetensorError
        from safetensors.torch import save_file

        write_words(folder / VOCABULARY, self.vocabulary.words)
        state = {f"network.{name}": one.contiguous() for name, one in self.network.state_dict().items()}
        maps = {"maps.slope": self.maps.slope, "maps.offset": self.maps.offset}
        try:
            save_file(state | {name: torch.from_numpy(one) for name, one in maps.items()}, folder / WEIGHTS)
        except SafetensorError as error:
            raise OSError(str(error)) from error

    @classmethod
    def read(
        cls, folder: Path, kind: type[Network], tree: Taxonomy, settings: NeuralSettings
    ) -> TrainedNetwork:
        """Read what :meth:`write` wrote, checked for fitting together."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        vocabulary = Vocabulary(read_words(folder / VOCABULARY))
        try:
            stored = load_file(folder / WEIGHTS)
            slope, offset = (stored.pop(f"maps.{name}").numpy() for name in ("slope", "offset"))
            state = {name.removeprefix("network."): one for name, one in stored.items()}
            vectors, shares = state["words.weight"], state["shares"]
            if len(vectors) != len(vocabulary) or not len(slope) == len(offset) == len(shares) == len(tree):
                raise ValueError("it does not belong to the vocabulary or the taxonomy")
            if not all(
                bool(torch.isfinite(one).all())
                for one in [*state.values(), *map(torch.from_numpy, (slope, offset))]
            ):
                raise ValueError("a weight is not a finite number")
            with torch.random.fork_rng([]):  # what is drawn here is overwritten at once
                network = kind(tree, settings, torch.zeros_like(vectors), shares)
            network.load_state_dict(state)
        except (OSError, SafetensorError, KeyError, ValueError, RuntimeError, TypeError, IndexError) as error:
            raise damaged(folder / WEIGHTS, error) from error
        return cls(vocabulary, network.to(_device(settings.device)).eval(), LogisticMaps(slope, offset))


def _device(wanted: str) -> torch.device:
    """Return the device of the settings, or the best there is where another machine has not got it."""
    try:
        return choose_device(wanted)
    except ModelError:
        return choose_device("auto")
