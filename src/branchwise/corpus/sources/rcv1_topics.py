"""Topics by item id, out of the corrected file of LYRL2004's appendix 8: ``E11 2286 1`` a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from branchwise.corpus.sources.archives import Member
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy

_FILE = re.compile(r"(?:^|/)rcv1-v2\.topics\.qrels(?:\.txt)?$", re.IGNORECASE)


def is_topics(name: str) -> bool:
    """Say whether a file is the corrected topics by its name, ``rcv1-v2.topics.qrels``."""
    return _FILE.search(name) is not None


class CorrectedTopics:
    """The label set of every document of RCV1-V2, each a bit field, as there are 804,414."""

    def __init__(self, tree: Taxonomy) -> None:
        self.tree = tree
        self.unknown: Counter[str] = Counter()
        self._sets: dict[int, int] = {}
        self._labels: dict[int, tuple[str, ...]] = {}  # by bit field; few differ

    def __len__(self) -> int:
        return len(self._sets)

    def read(self, member: Member) -> None:
        """Take a file in; reading a copy of it changes nothing."""
        bits = {label: 1 << position for position, label in enumerate(self.tree.ids)}
        unknown: Counter[str] = Counter()
        for line_number, line in enumerate(member.lines("ascii"), 1):
            fields = line.split()
            if not fields:
                continue
            try:
                topic, number, relevance = fields
                item, relevant = int(number), int(relevance) > 0
            except ValueError:
                raise CorpusError(
                    f"{member.name}, line {line_number}: {line[:60]!r} is not a topic, an item id and a 1: "
                    "fetch the file again from LYRL2004's appendix 8."
                ) from None
            if relevant:
                bit = bits.get(topic, 0)
                unknown[topic] += not bit
                self._sets[item] = self._sets.get(item, 0) | bit
        if not self._sets:
            raise CorpusError(f"{member.name} is empty: fetch it again from LYRL2004's appendix 8.")
        self.unknown |= +unknown

    def of(self, number: int) -> tuple[str, ...] | None:
        """Return a document's topics, or None for one that does not belong to RCV1-V2."""
        field = self._sets.get(number)
        if field is None:
            return None
        if field not in self._labels:
            self._labels[field] = tuple(
                label for position, label in enumerate(self.tree.ids) if field >> position & 1
            )
        return self._labels[field]

    def known(self, topics: Iterable[str]) -> tuple[str, ...]:
        """Return the topics that the tree has, and count the others."""
        given = list(topics)
        self.unknown.update(one for one in given if one not in self.tree.index)
        return tuple(one for one in given if one in self.tree.index)
