"""Every setting of training as an option, made from the settings themselves: name, type and help stand once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, get_type_hints

import typer

from branchwise.cli.options import spread
from branchwise.training.settings import PRESETS, Settings

PANEL = "Settings (the preset's where not given)"


def takes_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command with a parameter ``changes: dict`` one option for every setting."""
    types = get_type_hints(Settings)
    options = [_option(one.name, types[one.name], one.metadata["help"]) for one in fields(Settings)]
    return spread(command, "changes", options, _given)


def _option(name: str, kind: Any, help_text: str) -> inspect.Parameter:
    fast = PRESETS["fast"].get(name, getattr(Settings(), name))
    shown = ("yes" if fast else "no") if isinstance(fast, bool) else fast
    option = typer.Option(
        help=f"{help_text.removesuffix('.')} (fast: {shown}).", rich_help_panel=PANEL, show_default=False
    )
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option]
    )


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
