"""One HTML page that carries all it shows: style, tables and pictures stand in it, and nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from pathlib import Path

from branchwise.report.embedding import embed
from branchwise.report.table import Table

STYLE = Path(__file__).with_name("page.css")
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
"""What a browser may load for the page: only what stands in it."""


class Page:
    """A page that grows from top to bottom; every text is shown as it stands.

    Parameters
    ----------
    title
        What the page is about.
    lead
        What a reader should know first.
    """

    def __init__(self, title: str, lead: str = "") -> None:
        self.title, self.lead = title, lead
        self._top: list[str] = []
        self._parts: list[str] = []
        self._sections: dict[str, str] = {}  # by the name a link knows it by

    def verdict(self, text: str) -> None:
        """Put a sentence above the contents, where nobody overlooks it."""
        self._top.append(f'<p class="verdict">{_text(text)}</p>')

    def section(self, title: str) -> None:
        """Begin a section, which the contents list."""
        plain = re.sub(r"\W+", "-", title.lower()).strip("-") or "section"
        name, twin = plain, 2
        while name in self._sections:
            name, twin = f"{plain}-{twin}", twin + 1
        self._sections[name] = title
        self._parts.append(f'<h2 id="{escape(name)}">{_text(title)}</h2>')

    def heading(self, title: str) -> None:
        """Put a heading within a section."""
        self._parts.append(f"<h3>{_text(title)}</h3>")

    def paragraph(self, *texts: str) -> None:
        """Add paragraphs of plain text."""
        self._parts += [f"<p>{_text(one)}</p>" for one in texts]

    def quote(self, text: str) -> None:
        """Add what somebody else has written."""
        self._parts.append(f"<blockquote>{_text(text)}</blockquote>")

    def items(self, texts: Iterable[str]) -> None:
        """Add a list."""
        self._parts.append("<ul>" + "".join(f"<li>{_text(one)}</li>" for one in texts) + "</ul>")

    def code(self, lines: Iterable[str]) -> None:
        """Add lines to be typed."""
        self._parts.append(f'<pre tabindex="0"><code>{escape(chr(10).join(lines))}</code></pre>')

    def table(self, table: Table) -> None:
        """Add a table, which scrolls by itself where it is wider than the page."""
        self._parts.append(_wide(table.html(), table.title))

    def figure(self, path: str | Path, alt: str, caption: str) -> None:
        """Add a picture.

        Parameters
        ----------
        path
            An .svg or .png file, whose bytes become part of the page.
        alt
            What the picture says, for those who cannot see it.
        caption
            What stands below.
        """
        source, width, height = embed(path)
        image = (
            f'<img src="{source}" alt="{escape(alt)}" width="{width}" height="{height}" '
            f'style="--width:{width}px">'
        )
        self._parts.append(f"<figure>{_wide(image, alt)}<figcaption>{_text(caption)}</figcaption></figure>")

    def html(self) -> str:
        """Return the whole page."""
        links = "".join(
            f'<li><a href="#{escape(name)}">{_text(title)}</a></li>' for name, title in self._sections.items()
        )
        contents = f'<nav aria-label="Contents"><ol>{links}</ol></nav>' if links else ""
        lead = f"<p>{_text(self.lead)}</p>" if self.lead else ""
        body = "\n".join([f"<h1>{_text(self.title)}</h1>", lead, *self._top, contents, *self._parts])
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<link rel="icon" href="data:,">\n'
            f"<title>{_text(self.title)}</title>\n"
            f"<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n"
            f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
        )

    def write(self, path: str | Path) -> None:
        """Write the page as a file."""
        Path(path).write_text(self.html(), encoding="utf-8")


def _text(text: str) -> str:
    return escape(" ".join(text.split()))


def _wide(inside: str, label: str) -> str:
    return f'<div class="wide" role="region" tabindex="0" aria-label="{escape(label)}">{inside}</div>'
