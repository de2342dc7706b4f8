"""``data tree``: printed, cut, counted, grown from documents, converted, drawn, and given to programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from branchwise import Taxonomy

NAUGHTY = ("[red]x[/red]", "[/]", "[bold", "$x^2$", ":smile:", "\\[a]")


@pytest.mark.usefixtures("folder")
def test_tree_prints_names_ids_and_numbers(branchwise: Callable) -> None:
    answer = branchwise("data", "tree", "tree.tsv", "--counts", "documents.jsonl")
    lines = answer.out.splitlines()
    assert lines[0] == "tree.tsv: 5 labels on 3 levels (2 + 2 + 1)"
    assert [line.split() for line in lines[2:]] == [
        ["Alpha", "a", "2", "4"],
        ["└──", "Gamma", "c", "1", "3"],
        ["└──", "Epsilon", "e", "2"],
        ["Beta", "b", "1", "4"],
        ["└──", "Delta", "d", "2"],
    ]
    assert answer.err == ""


@pytest.mark.usefixtures("folder")
def test_tree_json_is_whole_and_in_canonical_order(branchwise: Callable) -> None:
    data = branchwise("data", "tree", "tree.tsv", "--counts", "documents.jsonl", "--json").json
    assert (data["labels"], data["depth"], data["labels_per_level"]) == (5, 3, [2, 2, 1])
    assert [node["id"] for node in data["tree"]] == ["a", "b", "c", "d", "e"]
    assert data["tree"][0] == {
        "id": "a", "parent": None, "name": "Alpha", "level": 1, "labels_below": 2, "documents": 4,
    }  # fmt: skip
    assert data["fingerprint"] == Taxonomy.read("tree.tsv").fingerprint


@pytest.mark.usefixtures("folder")
def test_tree_json_to_a_depth(branchwise: Callable) -> None:
    nodes = branchwise("data", "tree", "tree.tsv", "--depth", "1", "--json").json["tree"]
    assert [node["id"] for node in nodes] == ["a", "b"]


@pytest.mark.usefixtures("folder")
def test_depth_cuts_the_print(branchwise: Callable) -> None:
    out = branchwise("data", "tree", "tree.tsv", "--depth", "2").out
    assert "Gamma" in out
    assert "Epsilon" not in out


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_tree_converts_between_formats(suffix: str, folder: Path, branchwise: Callable) -> None:
    branchwise("data", "tree", "tree.tsv", "--output", f"copy{suffix}")
    assert Taxonomy.read(folder / f"copy{suffix}") == Taxonomy.read(folder / "tree.tsv")
    assert not list(folder.glob(".*")), "nothing half-written may stay"


def test_tree_through_pipes(folder: Path, branchwise: Callable) -> None:
    written = branchwise("data", "tree", "tree.tsv", "--output", "-").out
    (folder / "copy.tsv").write_text(written)
    assert Taxonomy.read(folder / "copy.tsv") == Taxonomy.read(folder / "tree.tsv")
    assert branchwise("data", "tree", "-", "--json", stdin=written.encode()).json["labels"] == 5


@pytest.mark.parametrize("suffix", [".json", ".taxonomy", ".tsv"])
def test_standard_input_is_recognised(suffix: str, folder: Path, branchwise: Callable) -> None:
    branchwise("data", "tree", "tree.tsv", "--output", f"copy{suffix}")
    answer = branchwise("data", "tree", "-", "--json", stdin=(folder / f"copy{suffix}").read_bytes())
    assert answer.json["labels"] == 5


def test_tree_grows_from_documents(folder: Path, branchwise: Callable) -> None:
    answer = branchwise("data", "tree", "--from", "paths.csv", "--output", "grown.tsv")
    assert [line.split()[:2] for line in answer.out.splitlines()[2:]] == [
        ["A", "3"],
        ["├──", "B"],
        ["│", "└──"],
        ["└──", "D"],
        ["E", "1"],
    ]
    assert Taxonomy.read(folder / "grown.tsv").ids == ("A", "E", "A > B", "A > D", "A > B > C")


def test_big_tree_says_what_it_hides(tmp_path: Path, branchwise: Callable) -> None:
    rows = ["id\tparent\tname", "a\t\tAll", *(f"L{i}\ta\tLabel {i}" for i in range(1000))]
    (tmp_path / "big.tsv").write_text("\n".join(rows))
    lines = branchwise("data", "tree", tmp_path / "big.tsv").out.splitlines()
    assert len(lines) < 210
    assert lines[-2] == "└── … 900 more"
    assert "--all" in lines[-1]
    assert len(branchwise("data", "tree", tmp_path / "big.tsv", "--all").out.splitlines()) == 1003


def test_markup_in_names_is_printed_as_it_stands(folder: Path, branchwise: Callable) -> None:
    rows = [f"{name}\t\t{name}" for name in NAUGHTY]
    (folder / "naughty.tsv").write_text("id\tparent\tname\n" + "\n".join(rows) + "\n")
    out = branchwise("data", "tree", "naughty.tsv").out
    for name in Taxonomy.read(folder / "naughty.tsv").names:
        assert name in out


def test_skipped_rows_are_told_on_standard_error(folder: Path, branchwise: Callable) -> None:
    (folder / "odd.jsonl").write_text(
        '{"id": "1", "text": "one", "labels": ["a"]}\n{"id": "2", "text": "two", "labels": ["[/red]"]}\n'
    )
    answer = branchwise(
        "data",
        "tree",
        "tree.tsv",
        "--counts",
        "odd.jsonl",
        "--unknown-label",
        "skip",
        "--rejects",
        "out.jsonl",
        "--json",
    )
    assert answer.json["tree"][0]["documents"] == 1
    assert "1 document read, 1 row left out" in answer.err
    assert "unknown label: 1 (odd.jsonl, line 2" in answer.err
    assert "[/red]" in answer.err
    assert "[/red]" in (folder / "out.jsonl").read_text()


def test_counting_and_growing_need_no_texts(folder: Path, branchwise: Callable) -> None:
    (folder / "shop.csv").write_text("Title,Category,Subcategory\nOne,Hats,Caps\nTwo,Hats,\n")
    fields = ("--label-field", "Category", "--label-field", "Subcategory")
    grown = branchwise("data", "tree", "--from", "shop.csv", *fields, "--output", "shop.tsv", "--json").json
    assert [(node["id"], node["documents"]) for node in grown["tree"]] == [("Hats", 2), ("Hats > Caps", 1)]
    counted = branchwise("data", "tree", "shop.tsv", "--counts", "shop.csv", *fields, "--json").json
    assert counted["tree"] == grown["tree"]


@pytest.mark.usefixtures("folder")
def test_names_that_a_format_cannot_hold_are_mentioned(branchwise: Callable) -> None:
    assert "names and synonyms" in branchwise("data", "tree", "tree.tsv", "--output", "o.taxonomy").err
    assert branchwise("data", "tree", "o.taxonomy", "--output", "again.taxonomy").err == ""
    assert branchwise("data", "tree", "tree.tsv", "--output", "o.json").err == ""
