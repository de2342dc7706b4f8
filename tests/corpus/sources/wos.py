"""A download of HDLTex's Web of Science in small: Meta-data/Data.xlsx, and the numbered files beside it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import openpyxl

from tests.corpus.sources.prose import about

HEADER = ("Y1", "Y2", "Y", "Domain", "area", "keywords", "Abstract")
PLACES = {
    # Area, unless its domain has to be told, with domain and the codes of both.
    "Machine learning": ("CS", 0, 5),
    "Cryptography": ("CS", 0, 16),
    "Alzheimer's Disease": ("Medical", 5, 0),
    "Hydraulics": ("MAE", 3, 1),
    "Genetics": ("biochemistry", 6, 4),
    "Depression": ("Psychology", 2, 13),
    "Atrial Fibrillation": ("Medical", 5, 7),
    "Water Pollution": ("Civil", 4, 4),
    "Analog signal processing": ("ECE", 1, 9),
}
SHARING = {
    # Areas that share a code with a more frequent one above.
    "Electrical generator": ("ECE", 1, 9),
    "Depression": ("Medical", 5, 7),
    "Underwater Windmill": ("Civil", 4, 4),
}
BEGINNING = ("Atrial Fibrillation", "Water Pollution", "Electrical generator", "Electrical generator")
EVERY = 30  # papers between two of an area that shares a code


@dataclass(frozen=True)
class Paper:
    """A row of Data.xlsx as it should come out."""

    code: tuple[int, int]
    domain: str
    area: str
    text: str


def papers(documents: int = 120, seed: int = 0) -> list[Paper]:
    """Return so many papers; two of Electrical generator stand before any with the frequent area of its code."""
    chance = random.Random(seed)
    found = []
    for number in range(documents):
        if number < len(BEGINNING):
            area = BEGINNING[number]
            domain, *code = PLACES.get(area) or SHARING[area]
        elif number % EVERY == 10:
            area = list(SHARING)[number // EVERY % len(SHARING)]
            domain, *code = SHARING[area]
        else:
            area = list(PLACES)[number % len(PLACES)]
            domain, *code = PLACES[area]
        text = f"{about([area, domain], chance)} Paper {number}."
        found.append(Paper((code[0], code[1]), domain, area, text))
    return found


def write_wos(
    folder: Path,
    documents: int = 120,
    seed: int = 0,
    form: Literal["xlsx", "txt"] = "xlsx",
    rows: list[Paper] | None = None,
) -> Path:
    """Write a download and return its folder; names have the spaces that the true file has around them."""
    rows = papers(documents, seed) if rows is None else rows
    meta = folder / "Meta-data"
    meta.mkdir(parents=True)
    cells = [
        (*one.code, number % 134, f"{one.domain} ", f" {one.area}  ", " words; more words", one.text)
        for number, one in enumerate(rows)
    ]
    if form == "xlsx":
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()
        sheet.append(HEADER)
        for row in cells:
            sheet.append(row)
        book.save(meta / "Data.xlsx")
    else:
        lines = ["\t".join(f"{name} " for name in HEADER), *("\t".join(map(str, row)) for row in cells)]
        (meta / "Data.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "ReadMe.txt").write_text("Web of Science Dataset\n")
    for name, few in (("WOS46985", rows), ("WOS11967", rows[::4]), ("WOS5736", rows[::8])):
        (folder / name).mkdir()
        (folder / name / "X.txt").write_text("".join(f"{one.text}\n" for one in few), encoding="utf-8")
        for level in (0, 1):
            numbers = "".join(f"{one.code[level]}\n" for one in few)
            (folder / name / f"YL{level + 1}.txt").write_text(numbers)
        (folder / name / "Y.txt").write_text("0\n" * len(few))
    return folder
