"""BGC comes out of framing that is nearly XML, with its own parts, and with every genre a book has."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.corpus.sources import Built, benchmark, build
from branchwise.corpus.sources.bgc import _books, _clean, _field
from branchwise.errors import CorpusError
from tests.corpus.sources.bgc import Book, books, write_bgc, write_parts
from tests.corpus.sources.packing import FORMS, packed

POETRY = (("Poetry",),)


def built_from(source: Path, output: Path) -> Built:
    return build(benchmark("bgc"), source, output)


def records(built: Built) -> dict[str, dict]:
    """Every document by its id, with the part it is in and the labels closed upwards."""
    tree, found = built.tree, {}
    for name, part in built.manifest["parts"].items():
        if part["documents"]:
            corpus = built.part(name, tree)
            for label, text, labels in zip(
                corpus.ids, corpus.texts(), corpus.labels.to_ids(tree), strict=True
            ):
                found[label] = {"text": text, "labels": set(labels), "part": name}
    return found


def small(folder: Path, some: list[Book]) -> Path:
    """Write a collection of some books for training and one for each other part."""
    others = {name: [Book(name, name, name, POETRY)] for name in ("dev", "test")}
    return write_parts(folder, {"train": some, **others})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("bgc")
    return built_from(write_bgc(folder / "raw"), folder / "out")


def test_every_book_comes_out_with_its_blurb_and_all_genres(built: Built) -> None:
    found = records(built)
    assert len(found) == 100
    for book in books():
        assert found[book.isbn]["text"] == book.body
        assert found[book.isbn]["labels"] == {genre for _, genre in book.genres}
    assert not built.manifest["dropped"]


def test_the_parts_are_those_of_the_files(built: Built) -> None:
    sizes = {name: part["documents"] for name, part in built.manifest["parts"].items()}
    assert sizes == {"train": 64, "validation": 16, "test": 20}
    assert [records(built)[one.isbn]["part"] for one in books()] == (
        ["train"] * 64 + ["validation"] * 16 + ["test"] * 20
    )
    notes = built.manifest["notes"]
    assert notes == [
        "There are 64 / 16 / 20 books here, 58,715 / 14,785 / 18,394 in the collection as it was published."
    ]
    assert built.manifest["differences"] == []


def test_the_tree() -> None:
    tree = benchmark("bgc").taxonomy()
    assert (len(tree), tree.depth, len(tree.children(-1))) == (146, 4, 7)


@pytest.mark.parametrize("form", FORMS)
def test_folder_and_archives_give_the_same(tmp_path: Path, built: Built, form: str) -> None:
    other = built_from(packed(write_bgc(tmp_path / "raw"), form), tmp_path / "out")
    assert other.manifest["parts"] == built.manifest["parts"]


def test_a_folder_that_also_has_the_archive_counts_books_once(tmp_path: Path, built: Built) -> None:
    folder = write_bgc(tmp_path / "raw" / "collection")
    packed(folder, "zip")
    other = built_from(tmp_path / "raw", tmp_path / "out")
    assert other.manifest["parts"] == built.manifest["parts"]
    assert sum("was passed over" in note for note in other.manifest["notes"]) == 3


def test_oddities_of_the_framing(tmp_path: Path) -> None:
    some = [
        Book("1", "A", "Tom & Jerry &amp; AT&T, 1 < 2 &#8217;&copy 2001", POETRY),
        Book("2", "B", "A <em>tag</em>, and of <topics><d0>Humor</d0></topics> too", POETRY),
        Book("3", "C", "Two\nlines,   and\tmore", (("Children's Books", "Step into Reading"),)),
        Book("4", "D", "Entities in a genre", (("Fiction", "Mystery &amp; Suspense"),)),
        Book("5", "E", "Half known", (("Fiction",), ("Audiobooks", "Spoken"))),
        Book("6", "F", "Not known at all", (("Audiobooks",),)),
        Book("7", "G", "  ", POETRY),
        Book("8", "H", "No genre", ()),
        Book("9", "I", "An edition", POETRY),
        Book("9", "I", "Another edition", POETRY),
        Book("", "J", "No number", POETRY),
    ]
    built = built_from(small(tmp_path / "raw", some), tmp_path / "out")
    found = {label: one for label, one in records(built).items() if one["part"] == "train"}
    assert {label: one["text"] for label, one in found.items()} == {
        "1": "Tom & Jerry & AT&T, 1 < 2 ’&copy 2001",
        "2": "A <em>tag</em>, and of <topics><d0>Humor</d0></topics> too",
        "3": "Two lines, and more",
        "4": "Entities in a genre",
        "5": "Half known",
        "9": "An edition",
        "9-2": "Another edition",
        "train-11": "No number",
    }
    assert found["2"]["labels"] == {"Poetry"}
    assert found["3"]["labels"] == {"Children’s Books", "Step Into Reading"}
    assert found["4"]["labels"] == {"Fiction", "Mystery & Suspense"}
    assert found["5"]["labels"] == {"Fiction"}
    assert {reason: one["examples"] for reason, one in built.manifest["dropped"].items()} == {
        "no genre of the tree": ["6"],
        "no text": ["7"],
        "no label": ["8"],
    }
    notes = built.manifest["notes"]
    assert "2 genres that the tree does not have were left off: Audiobooks (2), Spoken (1)." in notes
    assert "1 books carry an ISBN that stood before, so their ids got a number." in notes


def message(source: Path, tmp_path: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        built_from(source, tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()
    return str(caught.value)


def test_a_file_is_missing_or_cut_short(tmp_path: Path) -> None:
    folder = small(tmp_path / "raw", books(3))
    path = folder / "BlurbGenreCollection_EN_train.txt"
    path.write_text(path.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    assert "train.txt ends in the middle of a book" in message(folder, tmp_path)
    path.unlink()
    assert "lacks books of BlurbGenreCollection_EN_{train}.txt" in message(folder, tmp_path)
    (tmp_path / "empty").mkdir()
    assert "{train,dev,test}" in message(tmp_path / "empty", tmp_path)
    path.write_bytes("<book><body>Zürich</body></book>".encode("latin-1"))
    assert "train.txt is not utf-8" in message(folder, tmp_path)


@given(st.lists(st.text(st.characters(blacklist_categories=("Cs",)), max_size=30), max_size=5), st.booleans())
def test_any_blurb_survives_its_framing(bodies: list[str], joined: bool) -> None:
    some = [Book(str(at), "T", body, POETRY) for at, body in enumerate(bodies)]
    text = "".join(one.text() for one in some)
    lines = [text] if joined else text.split("\n")
    found = [_field(one, "body") for one in _books("a file", lines)]
    assert found == bodies or any("</b" in body or "<bo" in body for body in bodies)


@given(st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="&")))
def test_text_without_entities_only_loses_white_space(text: str) -> None:
    assert _clean(text) == " ".join(text.split())
