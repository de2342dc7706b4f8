"""A network's weights in a safetensors file, each once: tied weights are one tensor under two names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.errors import ModelError

if TYPE_CHECKING:
    from branchwise.model.network import HiAT5


def save_weights(network: HiAT5, path: Path) -> None:
    """Write a network's weights; a disk that is full raises OSError."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    state = {name: one.contiguous() for name, one in network.state_dict().items()}
    for name in network.tied_names():
        del state[name]
    try:
        save_file(state, path, metadata={"format": "pt"})
    except SafetensorError as error:
        raise OSError(str(error)) from error


def load_weights(network: HiAT5, path: Path) -> None:
    """Read weights into a network: into the tensors that it has, or as its own where it has none yet."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    empty = next(network.parameters()).is_meta
    try:
        missing, unexpected = network.load_state_dict(load_file(path), strict=False, assign=empty)
    except (OSError, SafetensorError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0].rstrip(".:")
        raise ModelError(
            f"The weights {path} cannot be read into this model ({reason}): fetch or train it again."
        ) from error
    odd = sorted({*missing} - {*network.tied_names()} | {*unexpected})
    if odd:
        raise ModelError(
            f"The weights {path} do not belong to this model ({', '.join(odd[:3])}): fetch or train it again."
        )
    network.tie()
