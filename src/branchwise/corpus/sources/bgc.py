"""The English Blurb Genre Collection (Aly et al. 2019): blurbs of books with their genres, in its own three parts."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar

from branchwise.corpus.sources.archives import members
from branchwise.corpus.sources.benchmark import Found, Part, Watch, bundled_tree
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy

SIZES: dict[Part, int] = {"train": 58_715, "validation": 14_785, "test": 18_394}
_FILE = re.compile(r"blurbgenrecollection_en_(train|dev|test)\.txt")
_PARTS: dict[str, Part] = {"train": "train", "dev": "validation", "test": "test"}
_TOPIC = re.compile(r"<d(\d+)>(.*?)</d\1>", re.DOTALL)
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z]\w*);")  # a bare & is no entity here
END = "</book>"


@dataclass(frozen=True)
class Bgc:
    """The Blurb Genre Collection; the text of a document is the blurb alone, as in the paper that brought it."""

    name: ClassVar[str] = "bgc"
    title: ClassVar[str] = "BGC"

    def taxonomy(self) -> Taxonomy:
        """Return the 146 genres."""
        return bundled_tree("bgc.taxonomy")

    def documents(self, source: Path, watch: Watch) -> Iterator[Found]:
        """Yield every book of the three files."""
        genres = {_folded(label): label for label in self.taxonomy().ids}
        unknown: Counter[str] = Counter()
        read: Counter[Part] = Counter()
        numbering = Counter[str]()
        for member in members(source, lambda name: _part(name) is not None, watch.progress):
            part = _part(member.name)
            if part is None or read[part]:
                watch.note(f"{member.name} was passed over, as another file of that part was read before it.")
                continue
            for book in _books(member.name, member.lines()):
                read[part] += 1
                body, topics, isbn = (_field(book, name) for name in ("body", "topics", "isbn"))
                given = [_clean(label) for _, label in _TOPIC.findall(topics)]
                labels = tuple(dict.fromkeys(genres[key] for one in given if (key := _folded(one)) in genres))
                unknown.update(one for one in given if _folded(one) not in genres)
                isbn = _clean(isbn) or f"{part}-{read[part]}"
                numbering[isbn] += 1
                label = isbn if numbering[isbn] == 1 else f"{isbn}-{numbering[isbn]}"
                if given and not labels:
                    watch.drop("no genre of the tree", label)
                else:
                    yield Found(label, _clean(body), labels, part)
        _check(source, read)
        _tell(watch, read, unknown, sum(numbering.values()) - len(numbering))


def _part(name: str) -> Part | None:
    found = _FILE.fullmatch(PurePosixPath(name).name.lower())
    return _PARTS[found[1]] if found else None


def _books(where: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield what stands between the books' tags; it is no XML, as & and < stand in it as they are."""
    pieces: list[str] = []
    for line in lines:
        *ended, rest = line.split(END)
        for last in ended:
            yield "\n".join([*pieces, last])
            pieces.clear()
        pieces.append(rest)
    if "<book" in "".join(pieces):
        raise CorpusError(f"{where} ends in the middle of a book: it is cut short, so fetch it again.")


def _field(book: str, name: str) -> str:
    """Return what stands between a tag and its end; metadata come after the blurb, which may mention any tag."""
    begin = book.rfind("<metadata>") if name in ("topics", "isbn") else 0
    begin = book.find(f"<{name}>", max(begin, 0))
    end = book.find(f"</{name}>", begin)
    return book[begin + len(name) + 2 : end] if 0 <= begin < end else ""


def _clean(text: str) -> str:
    return " ".join(_ENTITY.sub(lambda found: html.unescape(found[0]), text).split())


def _folded(label: str) -> str:
    return " ".join(label.replace("’", "'").casefold().split())


def _check(source: Path, read: Counter[Part]) -> None:
    missing = [name for name, part in _PARTS.items() if not read[part]]
    if missing:
        raise CorpusError(
            f"{source} lacks books of BlurbGenreCollection_EN_{{{','.join(missing)}}}.txt: give the folder or zip with "
            "all three files."
        )


def _tell(watch: Watch, read: Counter[Part], unknown: Counter[str], repeated: int) -> None:
    if dict(read) != SIZES:
        ours = " / ".join(f"{read[part]:,}" for part in SIZES)
        theirs = " / ".join(f"{size:,}" for size in SIZES.values())
        watch.note(f"There are {ours} books here, {theirs} in the collection as it was published.")
    if unknown:
        named = ", ".join(f"{label} ({count:,})" for label, count in unknown.most_common(5))
        watch.note(f"{len(unknown)} genres that the tree does not have were left off: {named}.")
    if repeated:
        watch.note(f"{repeated:,} books carry an ISBN that stood before, so their ids got a number.")
