"""What to type next: commands that work at once on what the demo left, and those for one's own files."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from branchwise.cli.demo.abstracts import ABSTRACTS
from branchwise.cli.demo.model import FOLDER

OWN = "With your own documents and tree"
OWN_LINES = (
    "data tree taxonomy.tsv --counts documents.csv --figure tree.png",
    "data check documents.csv --taxonomy taxonomy.tsv",
    "data split documents.csv --taxonomy taxonomy.tsv --output-dir parts",
    "train --train parts/train.jsonl.zst --validation parts/validation.jsonl.zst --taxonomy taxonomy.tsv "
    "--output model",
    "# where no model hub is in reach, add --backbone starter to the line above",
    "predict model parts/test.jsonl.zst --output predictions.jsonl",
    "evaluate parts/test.jsonl.zst predictions.jsonl --taxonomy taxonomy.tsv",
)


def next_steps(folder: Path, has_model: bool) -> list[tuple[str, list[str]]]:
    """Return lines to type, under what they are for.

    Parameters
    ----------
    folder
        Where the demo's files are, as the lines are to name it.
    has_model
        Whether a model is among them.
    """
    at, command = shlex.quote(folder.as_posix()), _command()
    model = f"{at}/{FOLDER}"
    measured = f"{command} evaluate {at}/test.jsonl {at}/svm.jsonl --taxonomy {at}/taxonomy.tsv"
    own = [one if one.startswith("#") else f"{command} {one}" for one in OWN_LINES]
    if not has_model:
        return [("With what is there now", [measured]), (OWN, own)]
    here = [
        f"{command} predict {model} {at}/new.jsonl",
        f'{command} explain {model} --text "{ABSTRACTS[1][0]}" --figure why.png',
        f"{measured.replace('svm.jsonl', 'predictions.jsonl')} --compare {at}/svm.jsonl",
        f"{command} predict {model} your.csv --output predictions.jsonl",
    ]
    return [("With what is there now", here), (OWN, own)]


def _command() -> str:
    """Return what starts Branchwise: its name, or the path it was started by where the name is not found."""
    started = Path(sys.argv[0])
    is_found = shutil.which("branchwise") is not None
    return "branchwise" if is_found or started.is_absolute() or not started.exists() else started.as_posix()
