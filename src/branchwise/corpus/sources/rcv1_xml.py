"""One news item of the Reuters CDs: what of its XML is text, which topics it has, and what makes it unusable."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree

TOPICS, REGIONS = "bip:topics:", "bip:countries:"
_FILE = re.compile(r"(?:^|/)\d+[^/]*\.xml$", re.IGNORECASE)
_DAY = re.compile(r"(?:^|/)199[67]\d{4}\.zip$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NewsItem:
    """What a file says, uncorrected."""

    number: int
    text: str
    topics: tuple[str, ...]
    has_region: bool


class UnusableError(Exception):
    """A file that gives no news item; its message is the reason in a few words."""


def is_newsitem(name: str) -> bool:
    """Say whether a file is a news item by its name, such as ``2286newsML.xml``."""
    return _FILE.search(name) is not None


def is_day(name: str) -> bool:
    """Say whether an archive holds the news items of one day by its name, such as ``19960820.zip``."""
    return _DAY.search(name) is not None


def read_newsitem(data: bytes) -> NewsItem:
    """Read a file; raises UnusableError with the reason where it gives no news item."""
    if b"<newsitem" not in data:
        raise UnusableError("no news item in the file")
    if b"<!ENTITY" in data:  # the corpus has none; a few lines of them can fill any memory
        raise UnusableError("XML with entities of its own")
    try:
        root = ElementTree.XML(data)
    except (ElementTree.ParseError, LookupError, ValueError) as error:
        raise UnusableError("broken XML") from error
    language = root.get("{http://www.w3.org/XML/1998/namespace}lang", "en")
    if not language.startswith("en"):
        raise UnusableError("not in English, so not of RCV1")
    number = root.get("itemid", "")
    if not (number.isascii() and number.isdigit()):
        raise UnusableError("no item id")
    return NewsItem(int(number), _text(root), _codes(root, TOPICS), bool(_codes(root, REGIONS)))


def _text(root: ElementTree.Element) -> str:
    """Return headline and paragraphs, one a line; the title is the headline behind the name of a country."""
    headline = root.findtext("headline") or root.findtext("title") or ""
    body = root.find("text")
    paragraphs = [] if body is None else ["".join(one.itertext()) for one in body.iter("p")]
    if body is not None and not paragraphs:
        paragraphs = ["".join(body.itertext())]
    lines = (" ".join(one.split()) for one in (headline, *paragraphs))
    return "\n".join(line for line in lines if line)


def _codes(root: ElementTree.Element, kind: str) -> tuple[str, ...]:
    found = (
        code.get("code", "").strip()
        for codes in root.iter("codes")
        if codes.get("class", "").startswith(kind)
        for code in codes.iter("code")
    )
    return tuple(dict.fromkeys(code for code in found if code))
