"""A model as people hold it: network, settings, tree, tokenizer and training record, in one folder on disk."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

import branchwise
from branchwise.errors import BranchwiseError, ModelError, TaxonomyError
from branchwise.model import folder as files
from branchwise.model.backbones import load_backbone, quiet_transformers
from branchwise.model.build import empty_network, network_from, t5_settings
from branchwise.model.card import model_card
from branchwise.model.carry import carried_network, with_known_names
from branchwise.model.config import ModelConfig
from branchwise.model.network import HiAT5
from branchwise.model.weights import load_weights, save_weights
from branchwise.sequence import TextCodec, TokenCodec
from branchwise.taxonomy import Taxonomy

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass
class Model:
    """Everything that prediction needs."""

    config: ModelConfig
    tree: Taxonomy
    tokenizer: Tokenizer
    network: HiAT5
    t5_config: dict[str, Any]
    backbone: str  # what the backbone is, in words
    record: dict[str, Any] = field(default_factory=dict)
    decisions: dict[str, Any] = field(default_factory=dict)
    """How scores become label sets, learned on validation documents; see branchwise.decoding.decision."""

    @classmethod
    def from_backbone(cls, config: ModelConfig, tree: Taxonomy, seed: int = 0) -> Model:
        """Start a model from its backbone, before any training."""
        if not len(tree):
            raise ModelError("The taxonomy has no label, so there is nothing to learn: add labels to it.")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            backbone = load_backbone(config.backbone)
            network = network_from(backbone, config, tree)
        settings = t5_settings(network, backbone.t5.config)
        return cls(config, tree, backbone.tokenizer, network, settings, backbone.description)

    @cached_property
    def codec(self) -> TokenCodec | TextCodec:
        """The codec of the model's label units."""
        if self.config.units == "token":
            return TokenCodec(self.tree, self.config.variant)
        return TextCodec(self.tree, self.tokenizer, self.config.variant)

    def save(self, folder: str | Path) -> None:
        """Write the model; its files replace an older model's at the end, and other files stay."""
        with files.replacing(Path(folder)) as part:
            save_weights(self.network, part / files.WEIGHTS)
            about = {
                "format": files.FORMAT,
                "branchwise": branchwise.__version__,
                "taxonomy_fingerprint": self.tree.fingerprint,
                "backbone": self.backbone,
                "settings": dataclasses.asdict(self.config),
                "t5": self.t5_config,
            }
            files.write_json(part / files.CONFIG, about)
            files.write_json(part / files.RECORD, self.record)
            files.write_json(part / files.DECISIONS, self.decisions)
            (part / files.TOKENIZER).write_text(self.tokenizer.to_str(), encoding="utf-8")
            self.tree.write(part / files.TAXONOMY)
            (part / files.CARD).write_text(self.card(), encoding="utf-8")

    @classmethod
    def load(cls, source: str | Path, tree: Taxonomy | None = None, carry_over: bool = False) -> Model:
        """Load a model from a folder or a hub id; nothing is ever unpickled.

        Parameters
        ----------
        source
            The folder, or the id of a repository on the hub.
        tree
            The taxonomy that the labels are meant in; an error where it is not the model's own.
        carry_over
            Take the model over to a different ``tree``: labels whose ids survive keep what they learned, new
            ones start from their names. It should then be trained further.
        """
        folder, about = files.find_model(source)
        config, own, network = _empty(folder, about)
        load_weights(network, folder / files.WEIGHTS)
        tokenizer = _tokenizer(folder / files.TOKENIZER)
        record = files.read_json(folder / files.RECORD)
        decisions = files.read_json(folder / files.DECISIONS)
        model = cls(config, own, tokenizer, network.eval(), about["t5"], about["backbone"], record, decisions)
        if tree is None or tree.fingerprint == own.fingerprint:
            return model
        if not carry_over:
            kept = len(set(tree.ids) & set(own.ids))
            raise TaxonomyError(
                f"The model in {source} was trained with a different taxonomy ({len(own)} labels, of which yours has "
                f"{kept} among its {len(tree)}): use the model's own, or load it with carry_over and train it further."
            )
        return model.carried_over(tree)

    def carried_over(self, tree: Taxonomy) -> Model:
        """Return the model for another tree: surviving ids keep what they learned, new ones start from names.

        In text units a surviving label keeps the name that it was trained with, which is how it is spelled.
        """
        kept = len(set(tree.ids) & set(self.tree.ids))
        change = {"labels": len(tree), "kept": kept, "before": len(self.tree)}
        network = self.network
        if self.config.units == "text":
            tree = with_known_names(self.tree, tree)
        else:
            with quiet_transformers():
                network = carried_network(network, self.tree, tree, self.tokenizer, self.t5_config).eval()
        return dataclasses.replace(
            self, tree=tree, network=network, record=self.record | {"carried_over": change}, decisions={}
        )

    def card(self) -> str:
        """Return the model card."""
        return model_card(
            self.config,
            self.record,
            self.decisions,
            self.backbone,
            f"{len(self.tree)} labels on {self.tree.depth} levels",
        )


def _empty(folder: Path, about: dict[str, Any]) -> tuple[ModelConfig, Taxonomy, HiAT5]:
    """Return the settings, the tree and the network, still without weights, that a folder describes."""
    try:
        own = Taxonomy.read(folder / files.TAXONOMY)
    except (BranchwiseError, OSError) as error:
        raise files.damaged(folder / files.TAXONOMY, error) from error
    if own.fingerprint != about.get("taxonomy_fingerprint"):
        raise ModelError(
            f"The {files.TAXONOMY} in {folder} is not the taxonomy that the model was saved with: restore it, or fetch "
            "or train the model again."
        )
    try:
        config = ModelConfig(**about["settings"])
        with quiet_transformers():
            return config, own, empty_network(config, own, about["t5"])
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise files.damaged(folder / files.CONFIG, error) from error


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing more precise
        raise files.damaged(path, error) from error
