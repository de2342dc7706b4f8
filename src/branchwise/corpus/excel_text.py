"""The escapes by which .xlsx holds characters that XML cannot: a carriage return is ``_x000D_``."""

from __future__ import annotations

import re

_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_NEEDS_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def escaped(text: str) -> str:
    """Return a text as a cell holds it."""
    return _NEEDS_ESCAPE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)


def unescaped(text: str) -> str:
    """Return the text of a cell; half a surrogate pair is no character and stays as it is written."""
    return _ESCAPE.sub(_character, text) if "_x" in text else text


def _character(found: re.Match[str]) -> str:
    code = int(found[1], 16)
    return found[0] if 0xD800 <= code < 0xE000 else chr(code)
