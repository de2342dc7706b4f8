"""RCV1-V2: news items of the Reuters CDs, or the token files of LYRL2004, with LYRL2004's topics and split."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from branchwise.corpus.sources.archives import members
from branchwise.corpus.sources.benchmark import Found, Watch, bundled_tree
from branchwise.corpus.sources.rcv1_split import PAPER_TRAINING, PAPER_VALIDATION, is_training, validation_of
from branchwise.corpus.sources.rcv1_tokens import is_tokens, read_tokens
from branchwise.corpus.sources.rcv1_topics import CorrectedTopics, is_topics
from branchwise.corpus.sources.rcv1_xml import NewsItem, UnusableError, is_day, is_newsitem, read_newsitem
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy

TOPICS_FILE = "rcv1-v2.topics.qrels.gz"
BOTH = "The source has news items and token files: the news items are read, the token files are not."
SPLIT = (
    f"Which {PAPER_VALIDATION:,} of the {PAPER_TRAINING:,} training documents the paper validates on was never "
    "published: validation is our own choice by item id, the same for everyone."
)
UNCORRECTED = (
    f"{TOPICS_FILE} is not in the source: documents without a topic or a region code are left out and ancestors are "
    "added, which is how LYRL2004 describes its corrections; put the file beside the others to have them exactly."
)
STEMS = (
    "The token files hold stems without stop words in scrambled order, so a pretrained T5 meets no sentences and many "
    "words that it never saw: figures from them are not comparable with the paper's, which come from the news items."
)

Text = tuple[int, str, tuple[str, ...]]  # item id, text, topics


@dataclass
class Contents:
    """What a source holds, by the names of its files."""

    topics: CorrectedTopics
    news: bool = False
    tokens: bool = False

    @property
    def is_settled(self) -> bool:
        """Nothing that may still be found would change how the source is read."""
        return self.news and len(self.topics) > 0


@dataclass(frozen=True)
class Rcv1:
    """Reuters Corpus Volume 1 as corrected and split by Lewis, Yang, Rose and Li (2004)."""

    name: ClassVar[str] = "rcv1"
    title: ClassVar[str] = "RCV1-V2"

    def taxonomy(self) -> Taxonomy:
        """Return the tree of the 103 topics that occur, out of 126 that Reuters defined."""
        return bundled_tree("rcv1.tsv")

    def documents(self, source: Path, watch: Watch) -> Iterator[Found]:
        """Yield test documents as they are read, then the training documents in the order of item ids."""
        tree = self.taxonomy()
        contents = look(source, tree)
        topics = contents.topics
        if contents.tokens and not contents.news and not topics:
            raise CorpusError(
                f"{source} has LYRL2004's token files but no {TOPICS_FILE}, which holds their topics: fetch it from "
                "appendix 8 of LYRL2004 and give the folder that holds both."
            )
        if contents.tokens:
            watch.note(BOTH if contents.news else STEMS)
        texts = _from_tokens if contents.tokens and not contents.news else _from_news
        training: dict[int, Text] = {}
        seen: set[int] = set()
        for one in texts(source, topics, watch):
            number, text, labels = one
            if number in seen:
                watch.drop("the same id again", str(number))
            elif not text:
                watch.drop("no text", str(number))
            elif not labels:
                watch.drop("no topic code of the taxonomy", str(number))
            elif is_training(number):
                training[number] = one
            else:
                yield Found(str(number), text, labels, "test")
            seen.add(number)
        validation = validation_of(training)
        for number in sorted(training):
            _, text, labels = training[number]
            yield Found(str(number), text, labels, "validation" if number in validation else "train")
        if seen:
            _remark(watch, topics, seen)


def look(source: Path, tree: Taxonomy) -> Contents:
    """Find out what a source holds and read its topics, which may come after the documents.

    Archives are only looked into where files beside them do not settle it; those of a day, known by name, never.
    """
    contents = Contents(CorrectedTopics(tree))
    closed: list[str] = []

    def wanted(name: str) -> bool:
        contents.tokens |= is_tokens(name)
        return is_topics(name) or (not contents.news and is_newsitem(name))

    def is_open(name: str, deep: bool) -> bool:
        contents.news |= is_day(name)
        if not is_day(name):
            closed.append(name)
        return deep and not is_day(name) and not contents.is_settled

    for deep in (False, True) if source.is_dir() else (True,):
        if deep and source.is_dir() and (contents.is_settled or not closed):
            break
        for member in members(source, wanted, descend=partial(is_open, deep=deep)):
            if is_topics(member.name):
                contents.topics.read(member)
            else:
                contents.news = True
            if deep and contents.is_settled:
                break
    return contents


def _from_news(source: Path, topics: CorrectedTopics, watch: Watch) -> Iterator[Text]:
    """Yield the news items that belong to RCV1-V2."""
    for member in members(source, is_newsitem, watch.progress):
        try:
            item = read_newsitem(member.read())
        except UnusableError as reason:
            watch.drop(str(reason), member.name)
            continue
        if topics:
            labels = topics.of(item.number)
            if labels is None:
                watch.drop(f"not in {TOPICS_FILE}", str(item.number))
                continue
        elif fault := _uncoded(item):
            watch.drop(fault, str(item.number))
            continue
        else:
            labels = topics.known(item.topics)
        yield item.number, item.text, labels


def _uncoded(item: NewsItem) -> str:
    """Say which code is missing that every document of RCV1-V2 has."""
    return "no topic code" if not item.topics else "" if item.has_region else "no region code"


def _from_tokens(source: Path, topics: CorrectedTopics, watch: Watch) -> Iterator[Text]:
    """Yield the documents of the token files."""
    for member in members(source, is_tokens, watch.progress):
        for number, text in read_tokens(member):
            labels = topics.of(number)
            if labels is None:
                watch.drop(f"not in {TOPICS_FILE}", str(number))
            else:
                yield number, text, labels


def _remark(watch: Watch, topics: CorrectedTopics, seen: set[int]) -> None:
    """Note what a reader of the result has to know."""
    watch.note(SPLIT)
    if not topics:
        watch.note(UNCORRECTED)
    elif len(topics) > len(seen):
        watch.note(
            f"{len(topics) - len(seen):,} of the {len(topics):,} documents in {TOPICS_FILE} are not in the source."
        )
    if topics.unknown:
        codes = ", ".join(f"{code} ({times:,} times)" for code, times in sorted(topics.unknown.items()))
        watch.note(
            f"Topic codes that are not among the {len(topics.tree)} were left off their documents: {codes}."
        )
