"""Rows that are not as they should be: stop, leave out or keep, and an account of each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from branchwise import Corpus, Taxonomy
from branchwise.corpus import Policies
from branchwise.errors import CorpusError
from tests.corpus.files import TREE, Rows, json_lines, write_rows

GOOD: Rows = [
    {"id": "first", "text": "Good.", "labels": ["cs"]},
    {"id": "last", "text": "Good too.", "labels": ["stat.ML"]},
]
BAD: dict[str, dict[str, Any]] = {
    "unknown_label": {"id": "x", "text": "Text.", "labels": ["cs.AI", "biology"]},
    "missing_text": {"id": "x", "text": " \n\u2003", "labels": ["cs.AI"]},
    "bad_text": {"id": "x", "text": {"de": "naïf"}, "labels": ["cs.AI"]},
    "duplicate_id": {"id": "first", "text": "Text.", "labels": ["cs.AI"]},
    "empty_labels": {"id": "x", "text": "Text.", "labels": []},
}
DETAIL = {
    "unknown_label": "the label 'biology' is not in the taxonomy",
    "missing_text": "the text in 'text' is missing or empty",
    "bad_text": 'the field \'text\' is an object ({"de": "naïf"}), not a text',
    "duplicate_id": "the id 'first' stood before",
    "empty_labels": "the document has no labels",
}
KEPT = {
    "unknown_label": ("x", "Text.", ("cs", "cs.AI")),
    "missing_text": ("x", "", ("cs", "cs.AI")),
    "bad_text": ("x", '{"de": "naïf"}', ("cs", "cs.AI")),
    "duplicate_id": ("first", "Text.", ("cs", "cs.AI")),
    "empty_labels": ("x", "Text.", ()),
}
PROBLEMS = sorted(BAD)


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    problem = request.getfixturevalue("problem")
    return write_rows(tmp_path / "docs.jsonl", [GOOD[0], BAD[problem], GOOD[1]])


@pytest.mark.parametrize("problem", PROBLEMS)
class TestChoices:
    """Each problem by itself, with each choice."""

    def test_error(self, path: Path, problem: str) -> None:
        with pytest.raises(CorpusError) as caught:
            Corpus.read(path, TREE, policies=Policies.all("error"))
        told = str(caught.value)
        assert told.startswith(f"{path}, line 2: {DETAIL[problem]}")
        assert told.endswith(f", or choose --{problem.replace('_', '-')} skip or keep.")

    def test_skip(self, path: Path, problem: str) -> None:
        rejects = path.with_name("rejects.jsonl")
        corpus = Corpus.read(path, TREE, rejects=rejects, **{problem: "skip"})  # type: ignore[arg-type]
        assert corpus.ids == ["first", "last"]
        assert corpus.report.to_dict() | {"examples": None} == {
            "read": 2,
            "skipped": 1,
            "problems": {problem: 1},
            "examples": None,
        }
        assert corpus.report.examples[problem][0].startswith(f"{path}, line 2: {DETAIL[problem]}")
        [row] = [json.loads(line) for line in rejects.read_text(encoding="utf-8").splitlines()]
        assert row["where"] == f"{path}, line 2"
        assert row["reason"].startswith(DETAIL[problem])
        assert row["record"] == BAD[problem]

    def test_keep(self, path: Path, problem: str) -> None:
        rejects = path.with_name("rejects.jsonl")
        corpus = Corpus.read(path, TREE, rejects=rejects, **{problem: "keep"})  # type: ignore[arg-type]
        one = corpus.take([1])
        assert (one.ids[0], next(one.texts()), one.labels.to_ids(TREE)[0]) == KEPT[problem]
        assert (corpus.report.read, corpus.report.skipped) == (3, 0)
        assert corpus.report.problems == {problem: 1}
        assert rejects.read_text() == ""


def test_defaults_stop_at_everything_but_documents_without_labels(tmp_path: Path) -> None:
    for problem, row in BAD.items():
        path = write_rows(tmp_path / "docs.jsonl", [*GOOD, row])
        if problem == "empty_labels":
            assert len(Corpus.read(path, TREE)) == 3
        else:
            with pytest.raises(CorpusError, match="line 3"):
                Corpus.read(path, TREE)


@pytest.mark.parametrize("choice", ["skip", "keep"])
def test_nothing_vanishes(tmp_path: Path, choice: Any) -> None:
    rows = [GOOD[0], *BAD.values(), *BAD.values(), GOOD[1]]
    path = tmp_path / "docs.jsonl"
    path.write_bytes(json_lines(rows) + b"not json\n\n[1]\n\xff\xfe\n")
    rejects = tmp_path / "rejects.jsonl"
    corpus = Corpus.read(path, TREE, policies=Policies.all(choice), rejects=rejects)
    report = corpus.report
    assert report.read + report.skipped == len(rows) + 3
    assert report.read == len(corpus) == (2 if choice == "skip" else len(rows))
    lines = [json.loads(line) for line in rejects.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == report.skipped
    assert [line["record"] for line in lines][-3:] == ["not json", "[1]", "\ufffd\ufffd"]
    assert report.problems["bad_row"] == 3
    assert report.problems["unknown_label"] == 2


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet"])
def test_nothing_vanishes_in_tables(tmp_path: Path, suffix: str) -> None:
    rows: Rows = [
        {"id": f"{i}", "text": "t" if i % 3 else None, "labels": "cs" if i % 4 else "?"} for i in range(60)
    ]
    corpus = Corpus.read(write_rows(tmp_path / f"d{suffix}", rows), TREE, policies=Policies.all("skip"))
    assert corpus.ids == [str(i) for i in range(60) if i % 3 and i % 4]
    assert corpus.report.read + corpus.report.skipped == 60
    assert corpus.report.problems == {"missing_text": 20, "unknown_label": 10}


def test_an_id_of_a_row_left_out_may_come_again(tmp_path: Path) -> None:
    rows: Rows = [{"id": "a", "text": None, "labels": []}, {"id": "a", "text": "t", "labels": []}]
    assert Corpus.read(write_rows(tmp_path / "d.jsonl", rows), TREE, missing_text="skip").ids == ["a"]


def test_a_document_is_empty_once_its_unknown_labels_are_gone(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "d.jsonl", [GOOD[0], {"id": "b", "text": "t", "labels": ["?", "!"]}])
    corpus = Corpus.read(path, TREE, unknown_label="keep", empty_labels="skip")
    assert corpus.ids == ["first"]
    assert corpus.report.problems == {"unknown_label": 2, "empty_labels": 1}


def test_every_problem_is_counted_and_three_are_shown(tmp_path: Path) -> None:
    rows: Rows = [{"id": str(i), "text": None, "labels": []} for i in range(1234)] + [GOOD[0]]
    corpus = Corpus.read(write_rows(tmp_path / "d.jsonl", rows), TREE, missing_text="skip")
    assert len(corpus.report.examples["missing_text"]) == 3
    [line] = corpus.report.lines()
    assert line.startswith("missing text: 1,234 (")
    assert "d.jsonl, line 3: the text in 'text'" in line


def test_all_rows_left_out(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "d.jsonl", [BAD["missing_text"]])
    with pytest.raises(CorpusError, match=r"Every row of .*d\.jsonl was left out: missing text: 1 \("):
        Corpus.read(path, TREE, missing_text="skip")
    bad = tmp_path / "bad.jsonl"
    bad.write_text("nonsense\n")
    with pytest.raises(CorpusError, match="was left out: bad row: 1"):
        Corpus.read(bad, TREE, bad_row="skip")


def test_choices_that_do_not_exist() -> None:
    with pytest.raises(CorpusError, match="policy missing_text is 'ignore': choose one of error, skip, keep"):
        Policies(missing_text="ignore")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="missing_txt"):
        Corpus.read("docs.jsonl", TREE, missing_txt="skip")


class TestRejects:
    """The file of rows left out."""

    def test_an_older_one_is_replaced_even_by_nothing(self, tmp_path: Path) -> None:
        rejects = tmp_path / "rejects.jsonl"
        rejects.write_text("of yesterday\n")
        Corpus.read(write_rows(tmp_path / "d.jsonl", GOOD), TREE, rejects=rejects)
        assert rejects.read_text() == ""

    def test_it_never_overwrites_the_input(self, tmp_path: Path) -> None:
        path = write_rows(tmp_path / "d.jsonl", GOOD)
        before = path.read_bytes()
        with pytest.raises(CorpusError, match="would overwrite the input"):
            Corpus.read([path], TREE, rejects=tmp_path / "x" / ".." / "d.jsonl")
        assert path.read_bytes() == before

    def test_a_place_that_cannot_be_written(self, tmp_path: Path) -> None:
        path = write_rows(tmp_path / "d.jsonl", GOOD)
        with pytest.raises(CorpusError, match=r"cannot be written .*: name another"):
            Corpus.read(path, TREE, rejects=tmp_path / "no" / "rejects.jsonl")

    def test_rows_that_are_no_unicode_are_written_too(self, tmp_path: Path) -> None:
        path = tmp_path / "d.jsonl"
        path.write_text('{"text": "\\ud800"}\n' + json.dumps(GOOD[0]) + "\n")
        rejects = tmp_path / "rejects.jsonl"
        assert len(Corpus.read(path, TREE, bad_row="skip", rejects=rejects)) == 1
        assert json.loads(rejects.read_text(encoding="utf-8"))["record"] == '{"text": "\\ud800"}'

    def test_ragged_rows_are_written_as_their_cells(self, tmp_path: Path) -> None:
        path = tmp_path / "d.csv"
        path.write_text("text,labels\nGood,cs\nOne,cs,more\n")
        rejects = tmp_path / "rejects.jsonl"
        Corpus.read(path, TREE, bad_row="skip", rejects=rejects)
        assert json.loads(rejects.read_text())["record"] == ["One", "cs", "more"]


def test_near_ids_are_looked_for_a_few_times_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    known = Taxonomy.unknown_label
    monkeypatch.setattr(Taxonomy, "unknown_label", lambda tree, one: asked.append(one) or known(tree, one))
    rows = [{"id": str(i), "text": "x", "labels": [f"cs.A{i}"]} for i in range(50)]
    rejects = tmp_path / "rejects.jsonl"
    with pytest.raises(CorpusError, match=r"unknown label: 50 .*did you mean cs\.AI"):
        Corpus.read(write_rows(tmp_path / "d.jsonl", rows), TREE, unknown_label="skip", rejects=rejects)
    assert len(asked) == 3
    assert "'cs.A49' is not in the taxonomy" in rejects.read_text()
