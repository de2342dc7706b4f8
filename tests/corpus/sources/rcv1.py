"""RCV1 as people receive it, in small and invented: day zips of news items, corrected topics, token files."""

from __future__ import annotations

import datetime
import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from branchwise.corpus.sources.benchmark import bundled_tree

TREE = bundled_tree("rcv1.tsv")
WORDS = {
    "C1511": "yearly profit turnover dividend accounts earnings",
    "C171": "flotation subscription placement equity capital rights",
    "C17": "financing lenders funds raise treasury facility",
    "C181": "merger takeover bid stake acquire suitor",
    "C42": "strike union wages walkout workers picket",
    "E121": "liquidity aggregate deposits broad circulation banknotes",
    "E212": "auction tender bills coupon borrowing redemption",
    "E512": "exports imports cargo customs deficit shipments",
    "G154": "convergence maastricht single currency union criteria",
    "GPOL": "parliament coalition cabinet minister opposition ballot",
    "GSPO": "match goal league striker coach trophy",
    "GWEA": "storm rainfall flood gale forecast frost",
    "M11": "bourse index brokers rally equities bargain",
    "M132": "dollar yen mark dealers intervention sterling",
    "M141": "wheat maize harvest bushels soybeans silo",
    "M143": "crude barrel refinery pipeline drilling tanker",
}
NEUTRAL = "officials said on while after another report around expected later figures region continued"
REGIONS = {"USA": "USA", "UK": "UK", "FRA": "FRANCE", "JAP": "JAPAN"}
FIRST_DAY = datetime.date(1996, 8, 20)
PER_DAY = 10
TOPICS_FILE = "rcv1-v2.topics.qrels.gz"


@dataclass(frozen=True)
class Story:
    """One news item."""

    number: int
    day: str
    headline: str | None
    paragraphs: tuple[str, ...]
    topics: tuple[str, ...]  # as coded, so an ancestor may be missing
    region: str | None = "USA"
    title: str | None = None
    language: str = "en"

    @property
    def corrected(self) -> tuple[str, ...]:
        """All topics with their ancestors, as the corrected file has them."""
        return TREE.label_sets([self.topics]).to_ids(TREE)[0]

    @property
    def text(self) -> str:
        """What should become of it."""
        head = self.headline if self.headline is not None else self.title
        return "\n".join(one for one in (head, *self.paragraphs) if one)

    @property
    def file(self) -> str:
        """Its name in the zip of its day."""
        return f"{self.number}{'newsML.xml' if self.language == 'en' else 'NEWS.XML'}"


def stories(documents: int = 60, seed: int = 0, training: float = 0.6) -> list[Story]:
    """Invent plain news items whose words tell their topics; the first share has the item ids of training."""
    rng = random.Random(seed)
    first = round(documents * training)
    steps = 23_864 // max(first, 1), 7
    numbers = [2286 + i * steps[0] for i in range(first)]
    numbers += [26_151 + i * steps[1] for i in range(documents - first)]
    return [_story(i, number, rng) for i, number in enumerate(numbers)]


def _story(place: int, number: int, rng: random.Random) -> Story:
    leaves = list(WORDS)
    chosen = [leaves[place % len(leaves)], *rng.sample(leaves, rng.choice([0, 0, 1, 2]))]
    coded = TREE.label_sets([chosen]).to_ids(TREE)[0]
    if place % 4 == 3:  # as editors did it at times, and the corrected file does not
        coded = tuple(dict.fromkeys(chosen))
    region = rng.choice(list(REGIONS))
    headline = _sentence(chosen, 5, rng).capitalize()
    return Story(
        number,
        f"{FIRST_DAY + datetime.timedelta(place // PER_DAY):%Y%m%d}",
        headline,
        tuple(_sentence(chosen, 14, rng).capitalize() + "." for _ in range(rng.randint(2, 4))),
        coded,
        region,
        f"{REGIONS[region]}: {headline}",
    )


def _sentence(topics: Sequence[str], length: int, rng: random.Random) -> str:
    own = " ".join(WORDS[topic] for topic in topics).split()
    other = NEUTRAL.split()
    return " ".join(rng.choice(own if rng.random() < 0.6 else other) for _ in range(length))


def odd_stories() -> dict[str, Story]:
    """Return the oddities of the real data by what is odd; those that stay are in ``KEPT_ODD``."""
    day = f"{FIRST_DAY:%Y%m%d}"
    body = ("The match was lost.", "The coach said nothing.")
    return {
        "signs": Story(30_001, day, 'Smith & Co "up" <5%', ('Caf\xe9 "Z\xfcrich" & sons.',), ("C15", "CCAT")),
        "no body": Story(30_002, day, "Dollar firm at noon.", (), ("M132", "M13", "MCAT")),
        "no headline": Story(30_003, day, None, body, ("GSPO", "GCAT"), title="UK: A match was lost."),
        "twice the same": Story(30_004, day, "Rain", ("It rained.", "It rained."), ("GWEA",)),
        "prefix": Story(30_005, day, "Funds raised", ("Lenders gave funds.",), ("C17", "CCAT")),
        "no topic": Story(30_006, day, "Untitled", body, ()),
        "no region": Story(30_007, day, "Nowhere", body, ("GSPO", "GCAT"), None),
        "no text": Story(30_008, day, "", (), ("GSPO", "GCAT")),
        "German": Story(2286, day, "Spiel verloren", body, ("GSPO", "GCAT"), language="de"),
    }


KEPT_ODD = ("signs", "no body", "no headline", "twice the same", "prefix")
BROKEN = {
    "30009newsML.xml": b'<?xml version="1.0" encoding="iso-8859-1" ?>\r\n<newsitem itemid="30009"><title>'
}


def xml(story: Story) -> bytes:
    """Return the file of a news item."""
    date = f"{story.day[:4]}-{story.day[4:6]}-{story.day[6:]}"
    lines = [
        '<?xml version="1.0" encoding="iso-8859-1" ?>',
        f'<newsitem itemid="{story.number}" id="root" date="{date}" xml:lang="{story.language}">',
        f"<title>{_marked(story.title or '')}</title>",
    ]
    if story.headline is not None:
        lines.append(f"<headline>{_marked(story.headline)}</headline>")
    lines += [f"<dateline>LONDON {date}</dateline>", "<text>"]
    lines += [f"<p>{_marked(one)}</p>" for one in story.paragraphs]
    lines += ["</text>", f"<copyright>(c) Invented Limited {date[:4]}</copyright>", "<metadata>"]
    lines += _codes("countries", [story.region] if story.region else [], date)
    lines += _codes("industries", ["I00000"] if "CCAT" in story.topics else [], date)
    lines += _codes("topics", story.topics, date)
    lines += [f'<dc element="dc.date.created" value="{date}"/>', "</metadata>", "</newsitem>", ""]
    return "\r\n".join(lines).encode("iso-8859-1")


def _codes(kind: str, codes: Sequence[str], date: str) -> list[str]:
    if not codes:
        return []
    found = [f'<codes class="bip:{kind}:1.0">']
    for code in codes:
        detail = f'<editdetail attribution="Coding Group" action="confirmed" date="{date}"/>'
        found += [f'  <code code="{code}">', f"    {detail}", "  </code>"]
    return [*found, "</codes>"]


def _marked(text: str) -> str:
    return escape(text, {'"': "&quot;"})


Days = dict[str, dict[str, bytes]]  # by day: the files of its zip


@dataclass
class Cds:
    """What is on the Reuters CDs, to be written in any of the ways in which people keep it."""

    plain: list[Story]
    odd: dict[str, Story] = field(default_factory=odd_stories)
    broken: dict[str, bytes] = field(default_factory=lambda: dict(BROKEN))

    @property
    def days(self) -> Days:
        """The files of every day."""
        days: Days = {}
        for story in (*self.plain, *self.odd.values()):
            days.setdefault(story.day, {})[story.file] = xml(story)
        days.setdefault(f"{FIRST_DAY:%Y%m%d}", {}).update(self.broken, **{"newsml.dtd": b"<!ELEMENT p ANY>"})
        return days

    @property
    def kept(self) -> list[Story]:
        """The stories of RCV1-V2."""
        return self.plain + [story for what, story in self.odd.items() if what in KEPT_ODD]

    def write_zips(self, folder: Path) -> Path:
        """Write the zips of days in a folder as on the CDs, with what else lies there."""
        disc = folder / "cd1"
        disc.mkdir(parents=True, exist_ok=True)
        for day, files in self.days.items():
            (disc / f"{day}.zip").write_bytes(zipped(files))
        (folder / "codes.zip").write_bytes(zipped({"topic_codes.txt": b"C11\tSTRATEGY/PLANS\n"}))
        (folder / "readme.txt").write_text("Invented.", encoding="utf-8")
        return folder

    def write_files(self, folder: Path) -> Path:
        """Write the news items unpacked, one folder a day."""
        for day, files in self.days.items():
            (folder / day).mkdir(parents=True)
            for name, data in files.items():
                (folder / day / name).write_bytes(data)
        return folder

    def write_zip_of_zips(self, path: Path) -> Path:
        """Write the zips of days in one zip."""
        path.write_bytes(zipped({f"rcv1/{day}.zip": zipped(files) for day, files in self.days.items()}))
        return path

    def write_tar(self, path: Path, unpacked: bool = False) -> Path:
        """Write one tar, compressed as its suffix says, that holds the zips of days or their files."""
        mode = {".gz": "w:gz", ".xz": "w:xz", ".bz2": "w:bz2"}.get(path.suffix, "w")
        with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
            for day, files in sorted(self.days.items()):
                if not unpacked:
                    add(archive, f"rcv1/{day}.zip", zipped(files))
                    continue
                for name in sorted(files, key=lambda one: (len(one), one)):
                    add(archive, f"rcv1/{day}/{name}", files[name])
        return path


def write_topics(folder: Path, found: Sequence[Story], extra: str = "") -> Path:
    """Write the corrected topics, one line a topic."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (f"{topic} {story.number} 1\n" for story in found for topic in story.corrected)
    (folder / TOPICS_FILE).write_bytes(gzip.compress(("".join(lines) + extra).encode("ascii")))
    return folder


def write_tokens(folder: Path, found: Sequence[Story], packed: bool = True) -> Path:
    """Write the five token files: stems of the longer words, scrambled, and one file outside RCV1-V2."""
    folder.mkdir(parents=True, exist_ok=True)
    train = [story for story in found if story.number <= 26_150]
    test = [story for story in found if story.number > 26_150]
    parts = {"tokens_train": train} | {f"tokens_test_pt{i}": test[i::4] for i in range(4)}
    named = {f"lyrl2004_{name}.dat": part for name, part in parts.items()}
    named["lyrl2004-non-v2_tokens_test_pt0.dat"] = [odd_stories()["no topic"]]
    for name, part in named.items():
        data = "".join(tokens(story.number, stems(story)) for story in part).encode("ascii", "replace")
        path = folder / (f"{name}.gz" if packed else name)
        path.write_bytes(gzip.compress(data) if packed else data)
    return folder


def tokens(number: int, words: Sequence[str]) -> str:
    """Return one document of a token file."""
    lines = (" ".join(words[i : i + 8]) for i in range(0, len(words), 8))
    return "\n".join([f".I {number}", ".W", *lines, "", ""])


def stems(story: Story) -> list[str]:
    """Cut the longer words of a story and scramble them."""
    words = [
        one.lower().removesuffix("s")[:6] for one in story.text.split() if len(one) > 4 and one.isalpha()
    ]
    random.Random(story.number).shuffle(words)
    return words


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a zip."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return whole.getvalue()


def add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    """Add a file to a tar."""
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
