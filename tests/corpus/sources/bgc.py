"""The Blurb Genre Collection in small: its three files, in the framing that looks like XML and is none."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.corpus.sources.prose import about

PATHS = (
    ("Fiction", "Fantasy", "Epic Fantasy"),
    ("Fiction", "Mystery & Suspense", "Crime Mysteries"),
    ("Fiction", "Women’s Fiction"),
    ("Nonfiction", "Crafts, Home & Garden", "Home & Garden"),
    ("Nonfiction", "History", "Military History", "World War II Military History"),
    ("Nonfiction", "Cooking"),
    ("Children’s Books", "Step Into Reading"),
    ("Poetry",),
)
FILES = ("train", "dev", "test")
SHARES = (0.64, 0.16, 0.2)


@dataclass(frozen=True)
class Book:
    """A book as it should come out."""

    isbn: str
    title: str
    body: str
    paths: tuple[tuple[str, ...], ...]

    @property
    def genres(self) -> list[tuple[int, str]]:
        """Return every genre once with its depth, the deepest last."""
        pairs = {(depth, genre): None for path in self.paths for depth, genre in enumerate(path)}
        return sorted(pairs, key=lambda one: one[0])

    def text(self) -> str:
        """Return the book as the collection frames it."""
        topics = "".join(f"<d{depth}>{genre}</d{depth}>" for depth, genre in self.genres)
        return (
            f'<book date="2018-08-18" xml:lang="en"> \n<title>{self.title}</title>\n<body>{self.body}</body>\n'
            "<copyright>(c) Nobody</copyright>\n<metadata>\n<topics>\n"
            f"{topics}\n</topics>\n<author>A. Writer</author>\n<published>Jan 01, 2001 </published>\n"
            f"<page_num> 100 Pages</page_num>\n<isbn>{self.isbn}</isbn>\n"
            f"<url>https://books.example/{self.isbn}/</url>\n</metadata>\n</book>\n"
        )


def books(documents: int = 100, seed: int = 0) -> list[Book]:
    """Return so many books; every third has two paths."""
    chance = random.Random(seed)
    found = []
    for number in range(documents):
        paths = [PATHS[number % len(PATHS)]]
        if number % 3 == 0:
            paths.append(PATHS[(number + 3) % len(PATHS)])
        body = f"{about([path[-1] for path in paths], chance)} Book {number} & more."
        found.append(Book(f"978{number:010}", f"Title {number}", body, tuple(paths)))
    return found


def write_bgc(folder: Path, documents: int = 100, seed: int = 0) -> Path:
    """Write the collection and return its folder."""
    every = books(documents, seed)
    train, dev = (round(sum(SHARES[: at + 1]) * documents) for at in (0, 1))
    parts = (every[:train], every[train:dev], every[dev:])
    return write_parts(folder, dict(zip(FILES, parts, strict=True)))


def write_parts(folder: Path, parts: dict[str, Iterable[Book]]) -> Path:
    """Write the files that are named."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, some in parts.items():
        path = folder / f"BlurbGenreCollection_EN_{name}.txt"
        path.write_text("".join(one.text() for one in some), encoding="utf-8")
    (folder / "hierarchy.txt").write_text("Fiction\tFantasy\nPoetry\n")
    (folder / "README.txt").write_text("a collection of blurbs\n")
    return folder
