"""The demo, run small: a tiny random backbone and a few documents."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from branchwise.cli.main import run
from tests.cli.conftest import Answer
from tests.model.tiny import write_backbone

SMALL = ("--documents", "48", "--passes", "1")


def run_demo(folder: Path, *options: str) -> Answer:
    """Run the demo into a folder; its backbone stands beside the folder."""
    backbone = folder.parent / "t5"
    if not backbone.exists():
        write_backbone(backbone, "flan")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as left:
        run(["demo", "--output", str(folder), "--backbone", str(backbone), *SMALL, *options])
    return Answer(int(left.value.code or 0), out.getvalue(), err.getvalue())
