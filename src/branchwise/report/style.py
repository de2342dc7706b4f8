"""How every picture looks: one palette, light ground, quiet lines, and text that is drawn as it stands."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from branchwise.errors import BranchwiseError
from branchwise.extras import require

INK, MUTED, FAINT, PAPER = "#1f2d3a", "#6b7a88", "#d5dce2", "#ffffff"
EMPTY = "#f1f4f6"
"""Ground of a place where something could stand."""
SERIES = ("#2f6690", "#e08e45", "#3a9188", "#a8577e", "#8a9a3b", "#6c63a5", "#b8a03a", "#5c7080")
"""Colours of levels, parts and systems, in this order."""
PALE = "#dbe6ee"
"""Bars behind text."""

SUFFIXES = (".png", ".svg", ".pdf")
DPI = 160
SETTINGS: Any = {"svg.hashsalt": "branchwise", "pdf.fonttype": 42, "text.hinting": "none"}
"""Without hinting, text is as wide in pixels as on paper, and as wide as it was measured."""
WIDE_FONTS = (
    "Noto Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "WenQuanYi Zen Hei",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Arial Unicode MS",
)
"""Asked for characters that matplotlib's own font has not, where they are installed."""


def check_picture(path: str | Path) -> None:
    """Raise where matplotlib is missing, or where the suffix is not one of a picture."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise BranchwiseError(f"{path} is to be a picture: its suffix must be one of {', '.join(SUFFIXES)}.")
    require("matplotlib", "figures", "Drawing")


def new_figure(width: float, height: float) -> Any:
    """Return an empty figure of a size in inches, without touching any global state."""
    require("matplotlib", "figures", "Drawing")
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), facecolor=PAPER)


def save(figure: Any, path: str | Path) -> None:
    """Write a figure in the format of the suffix."""
    check_picture(path)
    from matplotlib import rc_context

    with rc_context(SETTINGS):
        figure.savefig(path, dpi=DPI, facecolor=PAPER, metadata=_metadata(Path(path)))


def write(axes: Any, x: Any, y: Any, text: str, **options: Any) -> Any:
    """Write text as it stands: no mathematics between dollar signs, no characters that no font has."""
    settings = {"color": INK, "fontsize": 9, "va": "center", "family": families(), "parse_math": False}
    return axes.text(x, y, drawable(text), **settings | options)


def quiet(axes: Any, grid: str | None = None) -> None:
    """Take the frame of a chart away, and set its ticks in small grey letters."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.tick_params(length=0, colors=MUTED, labelsize=9)
    axes.set_facecolor(PAPER)
    if grid is not None:
        axes.grid(axis=grid, color=FAINT, linewidth=0.7)
        axes.set_axisbelow(True)


def heading(axes: Any, title: str, subtitle: str = "") -> None:
    """Put a title, and a line that explains it, above a chart and flush with its left edge."""
    axes.set_title(
        drawable(title),
        loc="left",
        fontsize=12,
        fontweight="bold",
        color=INK,
        pad=26 if subtitle else 10,
        family=families(),
        parse_math=False,
    )
    if subtitle:
        axes.annotate(
            drawable(subtitle),
            (0, 1),
            (0, 10),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=9,
            color=MUTED,
            va="bottom",
            family=families(),
            parse_math=False,
        )


@cache
def text_width(text: str, fontsize: float, bold: bool = False) -> float:
    """Return how wide a text is drawn, in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=families(), size=fontsize, weight="bold" if bold else "normal")
    return text_to_path.get_text_width_height_descent(drawable(text), font, ismath=False)[0] / 72


def fitted(text: str, width: float, fontsize: float, bold: bool = False) -> str:
    """Return a text that is at most so many inches wide, with … at its end where something is missing."""
    if text_width(text, fontsize, bold) <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(text[:middle].rstrip() + "…", fontsize, bold) <= width:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + "…"


def families() -> list[str]:
    """Return the fonts to draw with, matplotlib's own first."""
    return [name for name, _ in _fonts()]


def drawable(text: str) -> str:
    """Replace what no font here can draw by an empty box, and line ends by spaces."""
    plain = " ".join(text.split())
    return "".join(one if any(ord(one) in known for _, known in _fonts()) else "□" for one in plain)


@cache
def _fonts() -> tuple[tuple[str, frozenset[int]], ...]:
    """Return the fonts there are, each with the characters it can draw."""
    from matplotlib.font_manager import fontManager, get_font

    regular = (400, "normal", "regular", "book")
    paths = {one.name: one.fname for one in reversed(fontManager.ttflist) if one.weight in regular}
    wanted = [name for name in ("DejaVu Sans", *WIDE_FONTS) if name in paths]
    return tuple((name, frozenset(get_font(paths[name]).get_charmap())) for name in wanted)


def _metadata(path: Path) -> dict[str, Any]:
    """Leave the date out, so that the same picture is the same file."""
    return {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix.lower(), {})
