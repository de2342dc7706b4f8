"""Invented articles in the form of the New York Times corpus, and that corpus's layouts on disk; no text is theirs.

Words follow the labels, so that a small classifier can learn from them; numbers are those of the real lists.
"""

from __future__ import annotations

import io
import random
import tarfile
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from xml.sax.saxutils import escape

from branchwise.corpus.sources.benchmark import Part
from branchwise.corpus.sources.nyt import lists

Articles = Mapping[str, bytes]
"""Number of a document to its file."""

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!DOCTYPE nitf SYSTEM "http://www.nitf.org/IPTC/NITF/3.3/specification/dtd/nitf-3-3.dtd">\n'
)
SHARES: dict[Part, float] = {"train": 0.64, "validation": 0.16, "test": 0.2}
UNLISTED = "0000001"

# numbers rise with the date: the first listed one of each year from 1987
YEARS = [19, 106124, 210654, 313488, 412319, 497416, 580154, 659670, 734239, 819706, 898714, 984362]
YEARS += [1073746, 1165097, 1259537, 1355811, 1453099, 1547386, 1638709, 1728675, 1815722, 1920000]

NEW_YORK = "Top/Features/Travel/Guides/Destinations/North America/United States/New York"
TOPICS = {
    "Top/News/World/Africa": "savanna delta nairobi lagos harvest drought railway",
    "Top/News/World/Europe": "paris berlin rhine parliament vineyard treaty",
    "Top/News/Sports/Hockey/National Hockey League": "puck goalie rink overtime penalty skates",
    "Top/News/Sports/Baseball/Major League/New York Mets": "inning pitcher shortstop bullpen shea dugout",
    "Top/News/Business/Markets": "shares bonds index brokers yields futures",
    "Top/News/Science/Environment": "wetland emissions species forest glacier river",
    "Top/News/Health/Diseases, Conditions, and Health Topics/Medicine and Health": "clinic vaccine patients dose",
    "Top/Features/Arts/Music/Reviews": "cello sonata orchestra encore tenor tempo",
    "Top/Features/Books/Book Reviews": "novel chapters narrator prose publisher memoir",
    f"{NEW_YORK}/New York City": "subway skyline hotel borough ferry museum",
    "Top/Opinion/Opinion/Letters": "editor writer column disagree readers reply",
    "Top/Classifieds/Paid Death Notices": "beloved survived memorial contributions funeral cherished",
}
PLAIN = "people said yesterday that many things would change after two weeks of talks about money and time"


def articles(documents: int = 60, seed: int = 0) -> dict[str, bytes]:
    """Return articles with listed numbers, spread over the three parts as the lists are."""
    chance = random.Random(seed)
    numbers = [
        number
        for part, share in SHARES.items()
        for number in list(dict.fromkeys(lists()[part]))[: max(2, round(share * documents))]
    ]
    return {number: _invented(number, chance) for number in dict.fromkeys(numbers)}


def article(
    number: str,
    classifiers: Sequence[str],
    paragraphs: Sequence[str],
    *,
    abstract: str | None = None,
    lead: Sequence[str] | None = None,
    full_text: bool = True,
) -> bytes:
    """Return one file; texts go in as they are, so they may hold entities."""
    published = date_of(number)
    tags = "".join(
        f'        <classifier class="online_producer" type="taxonomic_classifier">{escape(one)}</classifier>\n'
        for one in classifiers
    )
    short = "" if abstract is None else f"      <abstract>\n{_paragraphs([abstract])}      </abstract>\n"
    body = (
        "" if lead is None else f'      <block class="lead_paragraph">\n{_paragraphs(lead)}      </block>\n'
    )
    body += f'      <block class="full_text">\n{_paragraphs(paragraphs)}      </block>\n' if full_text else ""
    return (
        f"{HEAD}"
        '<nitf change.date="June 10, 2005" change.time="19:30" version="-//IPTC//DTD NITF 3.3//EN">\n'
        f"  <head>\n    <title>Headline of {number}</title>\n"
        f'    <meta content="{published.day}" name="publication_day_of_month"/>\n'
        f'    <docdata>\n      <doc-id id-string="{int(number)}"/>\n'
        f'      <doc.copyright holder="The New York Times" year="{published.year}"/>\n'
        "      <identified-content>\n"
        '        <classifier class="indexing_service" type="descriptor">TRAVEL AND VACATIONS</classifier>\n'
        '        <classifier class="online_producer" type="types_of_material">Top/News/Sports/Hockey</classifier>\n'
        f"{tags}"
        '        <classifier class="online_producer" type="general_descriptor">Weather</classifier>\n'
        "      </identified-content>\n    </docdata>\n  </head>\n"
        f"  <body>\n    <body.head>\n      <hedline>\n        <hl1>Headline of {number}</hl1>\n      </hedline>\n"
        f'      <byline class="print_byline">By A WRITER</byline>\n{short}    </body.head>\n'
        f"    <body.content>\n{body}    </body.content>\n  </body>\n</nitf>\n"
    ).encode()


def write_dvd(folder: Path, files: Articles) -> Path:
    """Write the folder that the DVD has: a tgz for every month under its year, and what else lies there."""
    for (year, month), days in _months(files).items():
        path = folder / "data" / year / f"{month}.tgz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(packed({f"{month}/{day}": data for day, data in days.items()}))
    (folder / "dtd").mkdir(parents=True, exist_ok=True)
    (folder / "dtd" / "nitf-3-3.dtd").write_text("<!ELEMENT nitf ANY>\n")
    (folder / "README").write_text("An invented corpus.\n")
    return folder


def write_archive(path: Path, files: Articles) -> Path:
    """Write the one archive that holds the months' archives."""
    months = {
        f"nyt_corpus/data/{year}/{month}.tgz": packed({f"{month}/{day}": data for day, data in days.items()})
        for (year, month), days in _months(files).items()
    }
    path.write_bytes(packed({"nyt_corpus/README": b"An invented corpus.\n", **months}))
    return path


def write_unpacked(folder: Path, files: Articles) -> Path:
    """Write the DVD's folder with the months unpacked in their places."""
    for (year, month), days in _months(files).items():
        for day, data in days.items():
            path = folder / "data" / year / month / day
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return folder


def write_hiagm(folder: Path, files: Articles) -> Path:
    """Write HiAGM's layout, which has years alone."""
    for number, data in files.items():
        path = folder / "Nytimes" / str(date_of(number).year) / f"{number}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def packed(files: Mapping[str, bytes]) -> bytes:
    """Return a tgz, with the folders that tar puts in."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as archive:
        for folder in sorted({name.rpartition("/")[0] for name in files}):
            entry = tarfile.TarInfo(folder)
            entry.type = tarfile.DIRTYPE
            archive.addfile(entry)
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def date_of(number: str) -> date:
    """Return a day on which a document of this number can have been printed."""
    year = max(bisect_right(YEARS, int(number)) - 1, 0)
    share = (int(number) - YEARS[year]) / (YEARS[year + 1] - YEARS[year])
    return date(1987 + year, 1, 1) + timedelta(days=max(int(365 * share), 0))


def _invented(number: str, chance: random.Random) -> bytes:
    """Return an article about one to three topics, in one of the shapes that the corpus has."""
    topics = chance.sample(list(TOPICS), chance.choice((1, 1, 2, 3)))
    words = [word for topic in topics for word in TOPICS[topic].split()]
    plain = PLAIN.split()
    paragraphs = [
        " ".join(chance.choice(words if chance.random() < 0.5 else plain) for _ in range(18)).capitalize()
        + "."
        for _ in range(4)
    ]
    if date_of(number).year < 1990:
        paragraphs[0] = f"LEAD: {paragraphs[0]}"
    classifiers = list(dict.fromkeys(head for topic in topics for head in _with_heads(topic)))
    abstract = f"Writer says {words[0]} matters (M)" if chance.random() < 0.5 else None
    return article(number, classifiers, paragraphs, abstract=abstract, lead=paragraphs[:1])


def _with_heads(path: str) -> list[str]:
    """Return a path and those above it, as the producers tag a document."""
    names = path.split("/")
    return ["/".join(names[:n]) for n in range(2, len(names) + 1)]


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"        <p>{one}</p>\n" for one in texts)


def _months(files: Articles) -> dict[tuple[str, str], dict[str, bytes]]:
    """Sort files by year and month, each named by its day and number."""
    months: dict[tuple[str, str], dict[str, bytes]] = {}
    for number, data in files.items():
        day = date_of(number)
        months.setdefault((str(day.year), f"{day.month:02}"), {})[f"{day.day:02}/{number}.xml"] = data
    return months
