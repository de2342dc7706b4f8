"""``branchwise explain``: one document from an option, a file or a pipe; a table, JSON and pictures come out."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from branchwise import Taxonomy
from branchwise.cli.explain import explain
from branchwise.errors import BranchwiseError
from tests.report.explained import explanation_of

TREE = Taxonomy.from_nodes(list("abcde"), ["", "", "a", "b", "c"])


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Put a classifier that knows one answer in the place of a model, and remember what it is asked."""
    from branchwise.classifier import HierarchicalClassifier

    asked: list[dict[str, Any]] = []

    def answer(text: str, **options: Any) -> Any:
        asked.append({"text": text, **options})
        return explanation_of(TREE, list(options["labels"] or ["c"]), text)

    network = SimpleNamespace(to=lambda device: asked.append({"device": str(device)}))
    stand_in = SimpleNamespace(taxonomy=TREE, model=SimpleNamespace(network=network), explain=answer)
    monkeypatch.setattr(HierarchicalClassifier, "load", lambda _: stand_in)
    return asked


def run(*arguments: object, stdin: bytes = b"") -> Any:
    app = typer.Typer()
    app.command()(explain)
    result = CliRunner().invoke(app, ["model", *map(str, arguments)], input=stdin)
    if isinstance(result.exception, BranchwiseError):
        raise result.exception
    return result


def test_the_document_is_an_option_a_file_or_a_pipe(asked: list[dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "document.txt"
    file.write_bytes("\ufeffone file\n".encode())
    for arguments, stdin in (
        (["--text", "a text"], b""),
        (["--file", file], b""),
        (["--file", "-"], b"a pipe"),
    ):
        assert run("--device", "cpu", *arguments, stdin=stdin).exit_code == 0
    assert [one["text"] for one in asked if "text" in one] == ["a text", "one file\n", "a pipe"]
    assert asked[0] == {"device": "cpu"}


@pytest.mark.usefixtures("asked")
def test_it_prints_a_table() -> None:
    output = run("--text", "some words").output
    assert "Sequence: a / c EOS" in output
    assert "best sibling passed over" in output


def test_json_and_pictures(asked: list[dict[str, Any]], tmp_path: Path) -> None:
    import json

    pictures = [tmp_path / "one.png", tmp_path / "one.svg"]
    options = [part for one in pictures for part in ("--figure", one)]
    result = run("--text", "some words", "--labels", "e, d", "--layer", 2, "--head", 1, "--json", *options)
    data = json.loads(result.output)
    assert data["labels"] == list("abcde")
    assert asked[-1] == {"text": "some words", "labels": tuple("abcde"), "layer": 2, "head": 1}
    assert [one.read_bytes()[:4] for one in pictures] == [b"\x89PNG", b"<?xm"]


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "One document is explained at a time"),
        (["--text", "a", "--file", "-"], "One document is explained at a time"),
        (["--file", "missing.txt"], r"missing\.txt cannot be read"),
        (["--text", "a", "--figure", "one.gif"], r"one\.gif"),
        (["--text", "a", "--figure", "one.png", "--figure", "one.png"], "named for two outputs"),
        (["--text", "a", "--labels", "zz"], "'zz' is not in the taxonomy"),
        (["--text", "a", "--labels", ","], "names no label"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], message: str) -> None:
    with pytest.raises(BranchwiseError, match=message):
        run(*arguments)


@pytest.mark.usefixtures("asked")
def test_a_file_that_is_no_text() -> None:
    with pytest.raises(BranchwiseError, match=r"Standard input is not UTF-8 text \(byte 4"):
        run("--file", "-", stdin=b"abc\xff")
