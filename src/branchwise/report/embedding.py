"""Pictures as part of a page: their bytes as a data address, and the size they are to be shown at."""

from __future__ import annotations

import re
import struct
from base64 import b64encode
from pathlib import Path

from branchwise.errors import BranchwiseError

PNG = b"\x89PNG\r\n\x1a\n"
CSS_DPI = 96  # pixels of a page to the inch
POINTS = 72  # of an SVG file to the inch


def embed(path: str | Path) -> tuple[str, int, int]:
    """Return a picture as a data address, with its width and height in pixels of a page.

    Parameters
    ----------
    path
        An .svg or .png file as the figures here write them.
    """
    data = Path(path).read_bytes()
    if data.startswith(PNG):
        return _address("image/png", data), *_png_size(data)
    size = _svg_size(data)
    if size is None:
        raise BranchwiseError(
            f"{path} is neither a PNG picture nor an SVG one with a size in points: draw it as one of them."
        )
    return _address("image/svg+xml", data), *size


def _address(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{b64encode(data).decode('ascii')}"


def _svg_size(data: bytes) -> tuple[int, int] | None:
    opening = re.search(rb"<svg\b[^>]*>", data)
    if opening is None:
        return None
    sizes = [re.search(rb'\s%s="([\d.]+)pt"' % name, opening[0]) for name in (b"width", b"height")]
    width, height = (round(float(one[1]) * CSS_DPI / POINTS) if one else 0 for one in sizes)
    return (width, height) if width and height else None


def _png_size(data: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", data[16:24])
    at = data.find(b"pHYs", 0, data.find(b"IDAT"))
    a_metre = struct.unpack(">I", data[at + 4 : at + 8])[0] if at >= 0 else 0
    scale = CSS_DPI / (a_metre * 0.0254) if a_metre else 1.0
    return round(width * scale), round(height * scale)
