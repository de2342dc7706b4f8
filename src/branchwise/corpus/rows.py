"""What a row of a document file is, whatever the format: fields by name, a number, or bad."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from branchwise.errors import CorpusError

Record = dict[str, Any]
Numbered = Iterator[tuple[int, Record]]  # line number, or row number where a format has no lines
BadRow = Callable[[int, str, str, Any], None]
"""Is told of a row that cannot be read: its number, what is wrong, what to do, and what stands there."""


def checked_header(names: Sequence[str], where: str) -> list[str]:
    """Return the column names without white space around them; no two may be the same."""
    header = [name.strip() for name in names]
    doubled = next((name for i, name in enumerate(header) if name in header[:i]), None)
    if doubled is not None:
        raise CorpusError(f"{where} names the column {doubled!r} twice: give every column its own name.")
    return header


def kind_of(value: Any) -> str:
    """Say in words what kind of thing a value is."""
    kinds = {str: "a string", bool: "a truth value", int: "a number", float: "a number", list: "a list"}
    return (kinds | {dict: "an object", type(None): "null"}).get(type(value), f"a {type(value).__name__}")
