"""RCV1-V2 comes out the same from every form in which people have it, with what was left out and why."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.corpus.sources import Built, benchmark, build, rcv1_split
from branchwise.corpus.sources.archives import Member
from branchwise.corpus.sources.benchmark import Watch
from branchwise.corpus.sources.rcv1_tokens import read_tokens
from branchwise.corpus.sources.rcv1_topics import CorrectedTopics
from branchwise.corpus.sources.rcv1_xml import UnusableError, read_newsitem
from branchwise.errors import CorpusError
from branchwise.progress import Progress
from tests.corpus.sources import rcv1 as made
from tests.corpus.sources.rcv1 import Cds, Story, stories

PARTS = ("train", "validation", "test")
FORMS: dict[str, Callable[[Cds, Path], Path]] = {
    "folder of zips": lambda cds, to: cds.write_zips(to / "cds"),
    "folder of files": lambda cds, to: cds.write_files(to / "files"),
    "zip of zips": lambda cds, to: cds.write_zip_of_zips(to / "rcv1.zip"),
    "tar.gz of zips": lambda cds, to: cds.write_tar(to / "rcv1.tar.gz"),
    "tar.xz of files": lambda cds, to: cds.write_tar(to / "rcv1.tar.xz", unpacked=True),
}


@pytest.fixture
def cds() -> Cds:
    return Cds(stories(50))


def built(source: Path, to: Path | None = None, said: list[str] | None = None) -> Built:
    tell = None if said is None else said.append
    return build(benchmark("rcv1"), source, to or source.parent / f"{source.name}-built", tell=tell)


def member(name: str, data: str) -> Member:
    return Member(name, io.BytesIO(data.encode("ascii")))


def documents(one: Built) -> dict[str, dict[str, tuple[str, tuple[str, ...]]]]:
    """Return text and labels by part and id."""
    found: dict[str, Any] = {}
    for name in PARTS:
        part = one.part(name)  # type: ignore[arg-type]
        labels = part.labels.to_ids(part.taxonomy)
        found[name] = dict(zip(part.ids, zip(part.texts(), labels, strict=True), strict=True))
    return found


def hashes(one: Built) -> dict[str, str]:
    return {name: part["fingerprint"] for name, part in one.manifest["parts"].items()}


def dropped(one: Built) -> dict[str, int]:
    return {reason: what["documents"] for reason, what in one.manifest["dropped"].items()}


def expected(found: list[Story]) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {str(story.number): (story.text, story.corrected) for story in found}


def test_news_items_become_documents(cds: Cds, tmp_path: Path) -> None:
    said: list[str] = []
    one = built(cds.write_zips(tmp_path / "cds"), said=said)
    parts = documents(one)
    assert {name: len(part) for name, part in parts.items()} == {"train": 26, "validation": 4, "test": 25}
    assert {id_: what for part in parts.values() for id_, what in part.items()} == expected(cds.kept)
    assert all(int(id_) > 26_150 for id_ in parts["test"])
    assert all(int(id_) <= 26_150 for name in PARTS[:2] for id_ in parts[name])
    assert parts["test"]["30001"][0] == 'Smith & Co "up" <5%\nCaf\xe9 "Z\xfcrich" & sons.'
    assert parts["test"]["30005"][1] == ("CCAT", "C17")  # and not C171, C172, …
    assert dropped(one) == {
        "broken XML": 1,
        "no region code": 1,
        "no text": 1,
        "no topic code": 1,
        "not in English, so not of RCV1": 1,
    }
    assert one.manifest["dropped"]["broken XML"]["examples"] == ["cd1/19960820.zip/30009newsML.xml"]
    assert [
        sum(word in sentence for sentence in said) for word in ("our own choice", "appendix", "qrels")
    ] == [
        1,
        0,
        1,
    ]
    assert one.manifest["taxonomy"]["labels"] == 103
    assert one.manifest["statistics"]["depth"] == 4


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same(cds: Cds, tmp_path: Path, form: str) -> None:
    reference = built(FORMS["folder of zips"](cds, tmp_path / "reference"))
    source = FORMS[form](cds, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    one = built(source, tmp_path / "out")
    assert hashes(one) == hashes(reference)
    assert dropped(one) == dropped(reference)
    assert [path for path in sorted(tmp_path.rglob("*")) if "out" not in path.parts] == before
    assert hashes(built(source, tmp_path / "out")) == hashes(reference)  # again, into the same folder


def test_the_corrected_topics_decide_wherever_they_lie(cds: Cds, tmp_path: Path) -> None:
    """They give labels that the news items have not, and say which documents belong."""
    listed = [story for story in cds.kept if story.number != 30_002]
    odd = cds.odd["no region"]
    extra = f"GWEA {listed[0].number} 1\nGCAT {listed[0].number} 1\nGSPO {odd.number} 1\n\nGSPO 30002 0\n"
    source = made.write_topics(cds.write_zips(tmp_path / "cds") / "zz", listed, extra).parent
    first = built(source)
    parts = documents(first)
    flat = {id_: what for part in parts.values() for id_, what in part.items()}
    assert set(flat) == {str(story.number) for story in [*listed, odd]}
    assert flat["30007"][1] == ("GCAT", "GSPO")
    assert {"GWEA", "GCAT"} <= set(flat[str(listed[0].number)][1])
    assert dropped(first)[f"not in {made.TOPICS_FILE}"] == 3  # no body, no topic, no text
    assert not any("left out and ancestors" in note for note in first.manifest["notes"])

    beside = made.write_topics(tmp_path / "beside", listed, extra)
    cds.write_tar(beside / "rcv1.tar.gz")
    assert hashes(built(beside)) == hashes(first)


def test_topics_within_an_archive_after_the_documents(cds: Cds, tmp_path: Path) -> None:
    topics = made.write_topics(tmp_path / "topics", cds.kept) / made.TOPICS_FILE
    files = {f"cd/{day}.zip": made.zipped(files) for day, files in cds.days.items()}
    plain = tmp_path / "all.zip"
    plain.write_bytes(
        made.zipped({**files, "zz/appendix.zip": made.zipped({topics.name: topics.read_bytes()})})
    )
    one = built(plain)
    assert dropped(one)[f"not in {made.TOPICS_FILE}"] == 3
    whole = tmp_path / "box"
    whole.mkdir()
    plain.rename(whole / plain.name)
    assert hashes(built(whole)) == hashes(one)


def test_documents_of_the_topics_file_that_are_missing_are_told(cds: Cds, tmp_path: Path) -> None:
    source = made.write_topics(
        cds.write_zips(tmp_path / "cds"), cds.kept, "GSPO 700000 1\nXXX 30001 1\nXXX 30002 1\n"
    )
    notes = " ".join(built(source).manifest["notes"])
    assert "1 of the 56 documents in rcv1-v2.topics.qrels.gz are not in the source." in notes
    assert "not among the 103 were left off their documents: XXX (2 times)." in notes


def test_a_topic_code_outside_the_103_is_left_off_and_told(tmp_path: Path) -> None:
    plain = stories(40)
    odd = {
        "a": Story(30_001, "19960820", "A", ("B.",), ("GSPO", "ZZZ")),
        "b": Story(30_002, "19960820", "A", (), ("ZZZ",)),
    }
    one = built(Cds(plain, odd, {}).write_zips(tmp_path / "cds"))
    assert documents(one)["test"]["30001"][1] == ("GCAT", "GSPO")
    assert dropped(one) == {"no topic code of the taxonomy": 1}
    assert any("ZZZ (2 times)" in note for note in one.manifest["notes"])


@pytest.mark.parametrize("packed", [True, False])
def test_token_files(tmp_path: Path, packed: bool) -> None:
    plain = stories(50)
    source = made.write_topics(made.write_tokens(tmp_path / "lyrl", plain, packed), plain)
    said: list[str] = []
    one = built(source, said=said)
    flat = {id_: what for part in documents(one).values() for id_, what in part.items()}
    assert flat == {str(story.number): (" ".join(made.stems(story)), story.corrected) for story in plain}
    assert {name: part["documents"] for name, part in one.manifest["parts"].items()} == {
        "train": 26,
        "validation": 4,
        "test": 20,
    }
    assert sum("not comparable with the paper's" in sentence for sentence in said) == 1
    assert dropped(one) == {}


def test_token_files_and_news_items_split_alike(cds: Cds, tmp_path: Path) -> None:
    tokens = made.write_topics(made.write_tokens(tmp_path / "lyrl", cds.plain), cds.plain)
    news = cds.write_zips(tmp_path / "cds")
    ids = [{name: set(part) for name, part in documents(built(one)).items()} for one in (tokens, news)]
    assert ids[0]["train"] == ids[1]["train"]
    assert ids[0]["validation"] == ids[1]["validation"]


def test_token_files_need_their_topics(tmp_path: Path) -> None:
    source = made.write_tokens(tmp_path / "lyrl", stories(20))
    with pytest.raises(
        CorpusError, match=r"lyrl has LYRL2004's token files but no rcv1-v2\.topics\.qrels\.gz.*fetch"
    ):
        built(source)


def test_news_items_are_preferred_to_token_files(cds: Cds, tmp_path: Path) -> None:
    source = made.write_topics(made.write_tokens(cds.write_zips(tmp_path / "both"), cds.plain), cds.kept)
    one = built(source)
    flat = {id_: what for part in documents(one).values() for id_, what in part.items()}
    assert flat == expected(cds.kept)
    assert sum("token files are not" in note for note in one.manifest["notes"]) == 1


def test_the_same_news_item_twice_counts_once(cds: Cds, tmp_path: Path) -> None:
    source = cds.write_files(cds.write_zips(tmp_path / "both") / "unpacked").parent
    once = built(cds.write_zips(tmp_path / "once"))
    twice = built(source)
    assert {name: part["documents"] for name, part in twice.manifest["parts"].items()} == {
        name: part["documents"] for name, part in once.manifest["parts"].items()
    }
    assert dropped(twice)["the same id again"] == len(cds.kept) + 1  # and the one without text


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"E11 2286 1\nE11 1\n", r"line 2: 'E11 1' is not a topic, an item id and a 1: fetch"),
        (b"E11 2286 1\nE11 abc 1\n", r"line 2"),
        (b"\n", r"is empty: fetch it again"),
    ],
)
def test_a_bad_topics_file_is_an_error(cds: Cds, tmp_path: Path, data: bytes, says: str) -> None:
    source = cds.write_zips(tmp_path / "cds")
    (source / made.TOPICS_FILE).write_bytes(gzip.compress(data))
    with pytest.raises(CorpusError, match=r"^rcv1-v2\.topics\.qrels.*" + says):
        built(source)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (".I 1\n.W\na b\n\n.I x\n", "line 5: '.I x' is neither"),
        ("a b\n", "line 1: 'a b' is neither"),
        (".W\na\n", "line 1"),
        (".I 1\na\n", "line 2: 'a'"),
    ],
)
def test_a_bad_token_file_is_an_error(data: str, says: str) -> None:
    with pytest.raises(CorpusError, match=rf"^tokens\.dat, {says}"):
        list(read_tokens(member("tokens.dat", data)))


def test_nothing_to_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cds").mkdir()
    (tmp_path / "cds" / "readme.txt").write_text("No news.", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"holds no document of RCV1-V2: check .* docs/benchmarks/rcv1\.md"):
        built(tmp_path / "cds")


def test_test_documents_come_before_the_archives_that_follow_are_read(tmp_path: Path) -> None:
    source = Cds(stories(50), {}, {}).write_zips(tmp_path / "cds")
    last = max((source / "cd1").iterdir())
    last.write_bytes(last.read_bytes()[:200])
    with Progress("Reading") as progress:
        found = benchmark("rcv1").documents(source, Watch(progress))
        assert next(found).part == "test"
        with pytest.raises(CorpusError, match=rf"^cd1/{last.name} cannot be read"):
            list(found)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no news item in the file"),
        (b"<other/>", "no news item in the file"),
        (b"<newsitem>&nbsp;</newsitem>", "broken XML"),
        (b'<?xml version="1.0" encoding="klingon"?><newsitem itemid="1"/>', "broken XML"),
        (
            b'<!DOCTYPE newsitem [<!ENTITY a "b">]><newsitem itemid="1">&a;</newsitem>',
            "XML with entities of its own",
        ),
        (b'<newsitem date="1996-08-20"/>', "no item id"),
        (b'<newsitem itemid="12a"/>', "no item id"),
    ],
)
def test_what_is_no_news_item(data: bytes, reason: str) -> None:
    with pytest.raises(UnusableError, match=f"^{reason}$"):
        read_newsitem(data)


def test_a_news_item_without_metadata_or_paragraph_elements() -> None:
    item = read_newsitem(
        b'<newsitem itemid="7"><headline>One</headline><text> two\r\n three </text></newsitem>'
    )
    assert (item.number, item.text, item.topics, item.has_region) == (7, "One\ntwo three", (), False)
    assert read_newsitem(b'<newsitem itemid="7"/>').text == ""


def test_codes_of_other_kinds_are_not_topics() -> None:
    data = made.xml(Story(5, "19960820", "A", ("B",), ("C15", "C15", "CCAT")))
    item = read_newsitem(data)
    assert item.topics == ("C15", "CCAT")
    assert item.has_region
    assert b"bip:industries" in data


def test_the_papers_sizes() -> None:
    numbers = random.Random(1).sample(rcv1_split.TRAINING, 23_149)
    assert len(rcv1_split.validation_of(numbers)) == 2316


@given(st.sets(st.integers(2286, 26_150), max_size=60), st.randoms())
def test_validation_does_not_depend_on_order_and_little_on_the_others(
    numbers: set[int], rng: random.Random
) -> None:
    shuffled = rng.sample(sorted(numbers), len(numbers))
    chosen = rcv1_split.validation_of(shuffled)
    assert chosen == rcv1_split.validation_of(numbers)
    assert len(chosen) == min(-(-len(numbers) * 2316 // 23_149), max(len(numbers) - 1, 0))
    if numbers:
        fewer = rcv1_split.validation_of(numbers - {shuffled[0]})
        assert len(fewer - chosen) + len(chosen - fewer - {shuffled[0]}) <= 2


def test_the_validation_documents_are_these_on_every_machine() -> None:
    assert sorted(rcv1_split.validation_of(range(2286, 2336))) == [2303, 2310, 2318, 2319, 2330, 2332]


WORD = st.from_regex(r"[a-z0-9]{1,9}", fullmatch=True)


@given(st.dictionaries(st.integers(0, 900_000), st.lists(WORD, max_size=20), max_size=6))
def test_token_files_round_trip(given_: dict[int, list[str]]) -> None:
    data = "".join(made.tokens(number, words) for number, words in given_.items())
    found = dict(read_tokens(member("tokens.dat", data)))
    assert found == {number: " ".join(words) for number, words in given_.items()}


@given(
    st.dictionaries(st.integers(0, 900_000), st.sets(st.sampled_from(made.TREE.ids), min_size=1), min_size=1),
    st.randoms(),
)
def test_topics_round_trip_in_any_order(sets: dict[int, set[str]], rng: random.Random) -> None:
    lines = [f"{topic} {number} 1\n" for number, topics in sets.items() for topic in sorted(topics)]
    rng.shuffle(lines)
    topics = CorrectedTopics(made.TREE)
    topics.read(member("topics", "".join(lines)))
    assert {number: set(topics.of(number) or ()) for number in sets} == sets
    assert len(topics) == len(sets)
    assert topics.of(900_001) is None
