"""arXiv from its public metadata (CC0): titles and abstracts with their categories, whole or a sample of any size."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappush, heapreplace
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, NamedTuple

from branchwise.corpus.sources.archives import Member, members
from branchwise.corpus.sources.arxiv_categories import current
from branchwise.corpus.sources.benchmark import Found, Part, Watch, bundled_tree
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy

TRAIN, VALIDATION = 0.8, 0.1  # the rest is test
_WITHDRAWN = re.compile(
    r"\W*(?:(?:this|the)\b.{0,60}?\b(?:has|have|had|is|was|been|being)\b.{0,30}?\bwithdrawn\b|"
    r"(?:paper |article |submission )?withdrawn\b)",
    re.IGNORECASE | re.DOTALL,
)
_WITHIN = 150  # characters of an abstract in which a notice of withdrawal begins


class Paper(NamedTuple):
    """One paper, and where its id's SHA-256 puts it: ``order`` decides on samples, ``share`` on parts."""

    id: str
    text: str
    labels: tuple[str, ...]
    order: int
    share: float


@dataclass(frozen=True)
class Arxiv:
    """arXiv; nothing but the SHA-256 of a paper's id decides on its part.

    Parameters
    ----------
    sample
        Take the papers with the smallest SHA-256, so many of them; all where it is None.
    """

    sample: int | None = None
    name: ClassVar[str] = "arxiv"
    title: ClassVar[str] = "arXiv"

    def taxonomy(self) -> Taxonomy:
        """Return arXiv's categories, the physics archives under a parent of their own."""
        return bundled_tree("arxiv.tsv")

    def documents(self, source: Path, watch: Watch) -> Iterator[Found]:
        """Yield the papers: all as the file has them, or a sample in the order of its SHA-256."""
        papers = _papers(source, watch, self.taxonomy().index)
        if self.sample is None:
            for one in papers:
                yield Found(one.id, one.text, one.labels, _part(one.share))
        else:
            kept = _smallest(papers, self.sample, watch)
            by_share = sorted(range(len(kept)), key=lambda at: kept[at].share)
            rank = {kept[at].id: place for place, at in enumerate(by_share)}
            for one in kept:
                yield Found(one.id, one.text, one.labels, _part((rank[one.id] + 0.5) / len(kept)))


def _part(share: float) -> Part:
    if share < TRAIN:
        return "train"
    return "validation" if share < TRAIN + VALIDATION else "test"


def _smallest(papers: Iterator[Paper], wished: int, watch: Watch) -> list[Paper]:
    """Return the papers of the smallest SHA-256, ascending; no more than these are ever held."""
    heap: list[tuple[int, Paper]] = []
    held: set[str] = set()
    for one in papers:
        if len(heap) == wished and -one.order <= heap[0][0]:
            continue
        if one.id in held:
            watch.drop("the same id again", one.id)
        elif len(heap) < wished:
            heappush(heap, (-one.order, one))
            held.add(one.id)
        else:
            held.remove(heapreplace(heap, (-one.order, one))[1].id)
            held.add(one.id)
    if len(heap) < wished:
        watch.note(f"There are {len(heap):,} papers that can be used, fewer than the {wished:,} asked for.")
    return [one for _, one in sorted(heap, reverse=True)]


def _papers(source: Path, watch: Watch, known: dict[str, int]) -> Iterator[Paper]:
    """Yield every paper that has a label and an abstract that says something."""
    unknown: Counter[str] = Counter()
    for member in members(source, lambda name: _is_snapshot(name, source), watch.progress):
        for record in _records(member):
            label = str(record.get("id", ""))
            labels, others = current(_categories(record.get("categories")), known)
            unknown.update(others)
            abstract = " ".join(str(record.get("abstract") or "").split())
            if not labels:
                watch.drop("no category of the tree", label)
            elif "withdrawn" in abstract[: 2 * _WITHIN].lower() and _WITHDRAWN.match(abstract):
                watch.drop("withdrawn", label)
            elif not abstract:
                watch.drop("no abstract", label)
            else:
                digest = hashlib.sha256(label.encode()).digest()
                title = " ".join(str(record.get("title") or "").split())
                yield Paper(
                    label,
                    f"{title}. {abstract}" if title else abstract,
                    labels,
                    int.from_bytes(digest[:16]),
                    int.from_bytes(digest[16:22]) / 2**48,
                )
    if unknown:
        named = ", ".join(f"{one} ({count:,})" for one, count in unknown.most_common(5))
        watch.note(f"{len(unknown)} categories that the tree does not have were left off: {named}.")


def _is_snapshot(name: str, source: Path) -> bool:
    """Say whether a file holds papers: older downloads hold other JSON beside them."""
    base = PurePosixPath(name).name.lower()
    if not base.endswith((".json", ".jsonl")):
        return False
    return (
        base.startswith("arxiv-metadata")
        or base == source.name.lower()
        or f"{base}{PurePosixPath(source.name).suffix.lower()}" == source.name.lower()
    )


def _records(member: Member) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(member.lines(), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise CorpusError(
                f"{member.name}, line {number} is not JSON ({error}): the file is cut short or not arXiv's, "
                "so fetch it again."
            ) from error
        if not isinstance(record, dict):
            raise CorpusError(
                f"{member.name}, line {number} is not a paper but {line[:40]!r}: give arXiv's metadata snapshot."
            )
        yield record


def _categories(value: Any) -> str:
    """Return the categories as arXiv has them; some copies hold them in a list."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")
