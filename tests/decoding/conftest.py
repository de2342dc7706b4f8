"""The tiny checkpoints of the model's tests."""

from tests.model.conftest import backbones

__all__ = ["backbones"]
