"""How a model chooses the labels of a document: the options that every command which predicts has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from branchwise.choices import Decoding, Repair, Rule
from branchwise.cli.options import spread_fields

HOW = "How labels are chosen"


@dataclass(frozen=True)
class Choosing:
    """How labels are chosen; every field is an option of the command line."""

    decoding: Annotated[
        Decoding | None,
        typer.Option(
            help="Write valid label sets only, or freely; the model's usual where not given.",
            rich_help_panel=HOW,
        ),
    ] = None
    repair: Annotated[
        Repair | None,
        typer.Option(help="Labels without their parent: drop them, or add it.", rich_help_panel=HOW),
    ] = None
    beams: Annotated[
        int | None,
        typer.Option("--beam", min=1, metavar="N", help="Sequences followed at once.", rich_help_panel=HOW),
    ] = None
    leaves_only: Annotated[
        bool, typer.Option("--leaves-only", help="End every path at a leaf.", rich_help_panel=HOW)
    ] = False
    at_most: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="The most labels of a document.", rich_help_panel=HOW),
    ] = None
    decision: Annotated[
        Rule | None,
        typer.Option(
            help="Labels are the set that is written, those that score above --threshold, or those of the "
            "highest expected F1; what served best on validation where not given.",
            rich_help_panel=HOW,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=1, metavar="X", help="For --decision threshold.", rich_help_panel=HOW),
    ] = None
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="The best N labels, whatever their scores.", rich_help_panel=HOW
        ),
    ] = None
    abstain_below: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            metavar="X",
            help="Mark documents of less confidence, to be left to people.",
            rich_help_panel=HOW,
        ),
    ] = None
    samples: Annotated[
        int | None,
        typer.Option(min=1, metavar="S", help="Score labels by S sampled label sets.", rich_help_panel=HOW),
    ] = None
    calibrated: Annotated[
        bool,
        typer.Option(" /--uncalibrated", help="Scores as the model gives them.", rich_help_panel=HOW),
    ] = True

    def given(self) -> dict[str, Any]:
        """Return what the user chose by name; the model has its own mind about the rest."""
        values = {one.name: (getattr(self, one.name), one.default) for one in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}


def chooses_labels(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command with a parameter ``choosing: Choosing`` one option for every field of it."""
    return spread_fields(command, "choosing", Choosing)
