"""The New York Times Annotated Corpus (LDC2008T19) on HiAGM's document lists, its texts and labels taken as HiAGM does.

The lists name a document by year and number, without month and day, so the number alone finds its file.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from branchwise.corpus.sources.archives import members
from branchwise.corpus.sources.benchmark import EXAMPLES, Found, Part, Watch, bundled_bytes, bundled_tree
from branchwise.corpus.sources.nitf import Article, read_article
from branchwise.taxonomy import Taxonomy

SUFFIX, DIGITS = ".xml", 7
NOT_THERE = "not in the source"


@dataclass(frozen=True, slots=True)
class _Kept:
    """An article until all are read."""

    packed: bytes  # its text, compressed: all listed articles are in memory at once
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Nyt:
    """The corpus as LDC sends it, or in the layout that HiAGM unpacks it to."""

    name: ClassVar[str] = "nyt"
    title: ClassVar[str] = "NYT"

    repeats: bool = True
    """Keep documents as often as the lists name them, as the paper's sizes do; otherwise once, in the first list."""

    def taxonomy(self) -> Taxonomy:
        """Return the 166 labels, each known by its whole path."""
        return bundled_tree("nyt.taxonomy")

    def documents(self, source: Path, watch: Watch) -> Iterator[Found]:
        """Yield the listed documents in the order of the lists, so that no layout of the files changes a hash."""
        lines = self._lines(watch)
        times = Counter(number for _, number in lines)
        found = _read(source, times, self.taxonomy(), watch)
        missing = sorted(times.keys() - found.keys())
        if missing:
            watch.note(
                f"{len(missing):,} of the {len(times):,} listed documents are not in the source, "
                f"for example {', '.join(missing[:EXAMPLES])}."
            )
        named: Counter[str] = Counter()
        for part, number in lines:
            named[number] += 1
            which = number if named[number] == 1 else f"{number}-{named[number]}"
            one = found.get(number, NOT_THERE)
            if isinstance(one, str):
                watch.drop(one, which)
            else:
                yield Found(which, zlib.decompress(one.packed).decode(), one.labels, part)

    def _lines(self, watch: Watch) -> list[tuple[Part, str]]:
        """Return what the lists say, line by line: a part and a document's number."""
        lines = [(part, number) for part, numbers in lists().items() for number in numbers]
        if not self.repeats:
            first: dict[str, Part] = {}
            for part, number in lines:
                first.setdefault(number, part)
            return [(part, number) for number, part in first.items()]
        times = Counter(number for _, number in lines)
        both = len(set(lists()["train"]) & set(lists()["test"]))
        watch.note(
            f"HiAGM's lists name {sum(n > 1 for n in times.values())} documents more than once, {both} of them for "
            "training and for testing: they are kept so, as the paper's sizes are, with ids that end in -2, -3, …"
        )
        return lines


@cache
def lists() -> dict[Part, tuple[str, ...]]:
    """Return HiAGM's lists: the numbers of each part's documents, in their order and with their repetitions."""
    known = json.loads(gzip.decompress(bundled_bytes("nyt-split.json.gz")))
    return {part: tuple(numbers) for part, numbers in known.items()}


def text_of(article: Article) -> str:
    """Return every paragraph but the first, one a line, which are the words that HiAGM and its successors train on.

    The first is the abstract where there is one, and otherwise the lead paragraph, which the full text repeats.
    """
    return "\n".join(one for one in article.paragraphs[1:] if one)


def labels_of(article: Article, tree: Taxonomy) -> tuple[str, ...]:
    """Return every label on the way to a classifier, as far down as the tree goes.

    A path that ends at level 1, such as ``Top/News``, counts for nothing, because it does not in HiAGM either.
    """
    positions: set[int] = set()
    for path in article.classifiers:
        names = path.split("/")
        if len(names) > 2:
            heads = ("/".join(names[:n]) for n in range(2, len(names) + 1))
            positions.update(tree.index[head] for head in heads if head in tree.index)
    return tuple(tree.ids[position] for position in sorted(positions))


def _read(source: Path, wanted: Container[str], tree: Taxonomy, watch: Watch) -> dict[str, _Kept | str]:
    """Return the articles with wanted numbers, or why one cannot be used, in a few words."""
    found: dict[str, _Kept | str] = {}
    for member in members(source, lambda name: _number(name) in wanted, watch.progress):
        number = _number(member.name)
        if not isinstance(found.get(number), _Kept):
            found[number] = _kept(member.read(), tree)
    return found


def _number(name: str) -> str:
    """Return the number that a file is named by, or nothing."""
    file = name.rpartition("/")[2]
    stem = file.removesuffix(SUFFIX)
    return stem if len(stem) == DIGITS and len(file) == DIGITS + len(SUFFIX) else ""


def _kept(data: bytes, tree: Taxonomy) -> _Kept | str:
    if not data.strip():
        return "empty file"
    article = read_article(data)
    if article is None:
        return "broken XML"
    return _Kept(zlib.compress(text_of(article).encode(), 1), labels_of(article, tree))
