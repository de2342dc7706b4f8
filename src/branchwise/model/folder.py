"""A saved model's folder: which files it holds, how they get there all or none, and how they are found again."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import branchwise
from branchwise.errors import ModelError
from branchwise.model.hub import local_folder, reason

WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.json"
TAXONOMY, RECORD, DECISIONS, CARD = "taxonomy.json", "training.json", "decisions.json", "README.md"
NEEDED = (WEIGHTS, TOKENIZER, TAXONOMY, RECORD, DECISIONS)
FORMAT = 1
UNFINISHED = ".unfinished"


@contextlib.contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """Yield an empty folder to write a model into; at the end its files replace those of ``folder``.

    Until all is written, an older model stays as it is, and so does whatever else the folder holds.
    config.json goes first and comes last: without it a folder is no model, so that one cut short in between
    is never taken for a whole one.
    """
    part = folder / UNFINISHED
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        yield part
        (folder / CONFIG).unlink(missing_ok=True)
        for one in sorted(part.iterdir(), key=lambda one: (one.name == CONFIG, one.name)):
            one.replace(folder / one.name)
    except OSError as error:
        raise ModelError(
            f"The model cannot be written to {folder} ({reason(error)}): free space or choose another place."
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write one JSON object."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> dict[str, Any]:
    """Read one JSON object of a saved model."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise damaged(path, error) from error
    if not isinstance(value, dict):
        raise damaged(path, ValueError("it is not a JSON object"))
    return value


def damaged(path: Path, error: Exception) -> ModelError:
    """Return the error that says one file of a model cannot be read."""
    return ModelError(f"The model's {path} cannot be read ({reason(error)}): fetch or train the model again.")


def find_model(source: str | Path) -> tuple[Path, dict[str, Any]]:
    """Return the folder of a saved model, fetched from the hub if need be, and what its config.json says."""
    if str(source).startswith(("/", ".", "~")) and not Path(source).is_dir():
        raise ModelError(f"There is no folder {str(source)!r}: name a model's folder, or its id on the hub.")
    try:
        folder = local_folder(source, CONFIG, CARD, *NEEDED)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"There is no model {str(source)!r}, neither as a folder nor on the hub ({reason(error)}): check the name."
        ) from error
    about = read_json(folder / CONFIG) if (folder / CONFIG).exists() else {}
    if "branchwise" not in about:
        raise ModelError(
            f"{source} holds no Branchwise model (no {CONFIG} of one): name a folder that branchwise train wrote."
        )
    if about.get("format") != FORMAT:
        raise ModelError(
            f"{source} was written in model format {about.get('format')}, which Branchwise "
            f"{branchwise.__version__} does not read: use the version that wrote it, {about['branchwise']}."
        )
    missing = [one for one in NEEDED if not (folder / one).exists()]
    if missing:
        raise ModelError(f"The model in {source} has lost its {missing[0]}: fetch or train it again.")
    return folder, about
