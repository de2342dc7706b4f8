"""One article in the News Industry Text Format of the New York Times corpus: its paragraphs and its classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from html.entities import name2codepoint
from xml.etree import ElementTree

TAXONOMIC = "taxonomic_classifier"
_NAMED = {name: chr(code) for name, code in name2codepoint.items()}


def _windows_characters() -> dict[int, str]:
    """Map bytes that are no UTF-8, and the controls of Latin-1, to what they are in windows-1252."""
    table: dict[int, str] = {}
    for byte in range(0x80, 0x100):
        meant = bytes([byte]).decode("windows-1252", "replace")
        table[0xDC00 + byte] = meant  # where surrogateescape puts it
        if byte < 0xA0:
            table[byte] = meant
    return table


_WINDOWS = _windows_characters()


@dataclass(frozen=True, slots=True)
class Article:
    """What classification needs of an article."""

    paragraphs: tuple[str, ...]
    """Every ``<p>`` of the document in its order: abstract, lead paragraph, full text, corrections."""
    classifiers: tuple[str, ...]
    """The paths of its taxonomic classifiers, such as ``Top/News/World``."""


def read_article(data: bytes) -> Article | None:
    """Return an article, or None where the XML is broken.

    The DTD that every file names is not fetched; the entities it would bring are known.
    """
    parser = ElementTree.XMLParser()  # expat fetches nothing
    parser.entity.update(_NAMED)
    try:
        parser.feed(data.decode("utf-8-sig", "surrogateescape").translate(_WINDOWS))
        root = parser.close()
    except ElementTree.ParseError:
        return None
    return Article(
        paragraphs=tuple(_text(one) for one in root.iter("p")),
        classifiers=tuple(_text(one) for one in root.iter("classifier") if one.get("type") == TAXONOMIC),
    )


def _text(element: ElementTree.Element) -> str:
    """Return an element's words with single spaces, what stands in inner elements included."""
    return " ".join("".join(element.itertext()).translate(_WINDOWS).split())
