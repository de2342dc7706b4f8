"""``data mask``: DESIGN.md's table of rows is what both masks must print, in every form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

T = ("--labels", "e,d", "--taxonomy", "tree.tsv")
SYMBOLS = ["a", "_", "b", "/", "c", "_", "d", "/", "e", "EOS"]
INPUTS = ["START", "a", "_", "b", "/", "c", "_", "d", "/", "e"]
ROWS = {
    "paper": ["0", "0 1", "0 1 2", "0 3", "0 3 4", "0 1 2 5", "0 1 2 5 6", "0 3 4 7", "0 3 4 7 8", "0 1 2 5 6 9"],
    "released": [
        "0", "0 1", "0 2", "0 2 3", "0 1 4", "0 1 4 5", "0 2 3 6", "0 2 3 6 7", "0 1 4 5 8", "0 1 2 3 4 5 6 7 8 9",
    ],
}  # fmt: skip
EXPECTED = {kind: [[int(one) for one in row.split()] for row in rows] for kind, rows in ROWS.items()}


def matrix(rows: list[list[int]]) -> list[list[int]]:
    return [[int(j in row) for j in range(len(rows))] for row in rows]


@pytest.mark.parametrize("kind", ["paper", "released"])
def test_golden_json(kind: str, folder: Path, branchwise: Callable) -> None:  # noqa: ARG001
    answer = branchwise("data", "mask", *T, "--mask", kind, "--json")
    assert answer.json == {
        "labels": ["a", "b", "c", "d", "e"],
        "variant": "pamm",
        "units": "token",
        "symbols": SYMBOLS,
        "inputs": INPUTS,
        "kind": kind,
        "mask": matrix(EXPECTED[kind]),
        "rows": {str(i): row for i, row in enumerate(EXPECTED[kind])},
    }
    assert answer.err == ""


@pytest.mark.usefixtures("folder")
def test_json_of_both_has_each_under_its_name(branchwise: Callable) -> None:
    data = branchwise("data", "mask", *T, "--mask", "both", "--json").json
    assert data["symbols"] == SYMBOLS
    for kind, rows in EXPECTED.items():
        assert data[kind]["mask"] == matrix(rows)
        assert data[kind]["rows"] == {str(i): row for i, row in enumerate(rows)}


@pytest.mark.usefixtures("folder")
def test_print_has_the_table_and_the_grids(branchwise: Callable) -> None:
    out = branchwise("data", "mask", *T, "--mask", "both").out
    assert "Sequence: a _ b / c _ d / e EOS" in out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for i in range(10):
        assert f"{i} {INPUTS[i]} {SYMBOLS[i]} {ROWS['paper'][i]} {ROWS['released'][i]}" in lines
    assert "6 _ → d ◇ ▲ + · · ■ +" in lines  # paper: it sees what c's row sees
    assert "6 _ → d ◇ · + ▲ · · +" in lines  # released: it sees d's branch
    assert "9 e → EOS ◇ ▲ + □ + ▲ + □ + ■" in lines


@pytest.mark.usefixtures("folder")
def test_flat_variant_has_a_sequence_and_no_mask(branchwise: Callable) -> None:
    data = branchwise("data", "mask", *T, "--variant", "t5", "--json").json
    assert sorted(data["symbols"]) == sorted([*"abcde", *"____", "EOS"])
    assert "mask" not in data


def test_text_units(folder: Path, branchwise: Callable) -> None:
    words = ["<unk>", "Alpha", "Beta", "Gamma", "Delta", "Epsilon", "<extra_id_0>", "<extra_id_1>", "</s>"]
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    data = branchwise(
        "data", "mask", *T, "--units", "text", "--tokenizer", "tokenizer.json", "--mask", "paper", "--json"
    ).json
    assert data["symbols"] == ["Alpha", "_", "Beta", "/", "Gamma", "_", "Delta", "/", "Epsilon", "EOS"]
    assert data["mask"] == matrix(EXPECTED["paper"])


def test_ids_with_commas_and_markup(folder: Path, branchwise: Callable) -> None:
    (folder / "odd.tsv").write_text("id\tparent\tname\nx, y\t\tBoth\n[/red]\tx, y\tMarkup\n")
    assert branchwise("data", "mask", "--taxonomy", "odd.tsv", "--labels", "x, y", "--json").json[
        "labels"
    ] == ["x, y"]
    answer = branchwise("data", "mask", "--taxonomy", "odd.tsv", "--labels", "[/red]")
    assert "Sequence: x, y / [/red] EOS" in answer.out
