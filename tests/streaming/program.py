"""The command line with a model that needs no training, to be run as a process.

The environment can name two pipes: when a text with "barrier" in it comes to be predicted, the process says so
on one of them and waits on the other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import typer

import branchwise.streaming.predictor as predictors
from branchwise.cli import main
from branchwise.cli.predict import predict
from tests.streaming.letters import Letters


def command_line() -> typer.Typer:
    """Return a command line whose only command is predict."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.callback()(lambda: None)
    app.command("predict")(predict)
    return app


def letters(*_: Any, **__: Any) -> Letters:
    """Open no folder."""
    return Letters(_wait_at_the_barrier)


def _wait_at_the_barrier(texts: Sequence[str]) -> None:
    if "SAY" in os.environ and any("barrier" in text for text in texts):
        os.write(int(os.environ["SAY"]), b"!")
        os.read(int(os.environ["WAIT"]), 1)


if __name__ == "__main__":
    main.app = command_line()
    predictors.open_predictor = letters
    main.run()
