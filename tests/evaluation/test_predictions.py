"""Prediction files: every format, every mistake, and matching by id."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.evaluation.cases import small_tree

from branchwise.errors import BranchwiseError, EvaluationError
from branchwise.evaluation import evaluate, match, read_predictions
from branchwise.taxonomy import LabelSets, Taxonomy

TREE = small_tree()
GOOD = '{"id": "1", "labels": ["c", "a"], "paths": [["a", "c"]], "scores": {"c": 0.5, "a": 1}}\n'


def write(folder: Path, text: str | bytes, name: str = "p.jsonl") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_reads_labels_scores_and_ids(tmp_path: Path) -> None:
    found = read_predictions(write(tmp_path, GOOD + '\n{"id": 2, "labels": [], "scores": {}}\n'), TREE)
    assert len(found) == 2
    assert found.ids == ("1", "2")
    assert found.sets == LabelSets.from_lists([[0, 2], []])
    assert found.scores.toarray().tolist() == [[1, 0, 0.5, 0, 0, 0], [0] * 6]
    assert found.scores.indices.tolist() == [0, 2]  # in order, though the file is not
    assert found.invalid is None


def test_sets_are_read_as_they_are(tmp_path: Path) -> None:
    found = read_predictions(write(tmp_path, '{"id": "1", "labels": ["f", "f"]}'), TREE)
    assert found.sets == LabelSets.from_lists([[5]])  # not closed: inconsistency is to be counted
    assert found.scores is None


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_compressed_files(tmp_path: Path, suffix: str) -> None:
    codec = {"": bytes, ".gz": gzip.compress, ".zst": lambda data: pa.compress(data, "zstd", asbytes=True)}[
        suffix
    ]
    path = write(tmp_path, codec(GOOD.encode()), f"p.jsonl{suffix}")
    assert read_predictions(path, TREE).ids == ("1",)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert read_predictions("-", TREE).ids == ("1",)


@pytest.mark.parametrize(
    ("name", "separator", "text"),
    [
        ("p.csv", ";", "id,labels,invalid\n1,a;c,\n2,,yes\n"),
        ("p.csv", "|", 'labels,id,invalid\n"a | c",1,false\n"",2,true\n'),
        ("p.tsv", ",", "id\tlabels\tinvalid\n1\tc,a\t0\n2\t\tcut off\n"),
    ],
)
def test_tables(tmp_path: Path, name: str, separator: str, text: str) -> None:
    found = read_predictions(write(tmp_path, text, name), TREE, label_separator=separator)
    assert found.ids == ("1", "2")
    assert found.sets == LabelSets.from_lists([[0, 2], []])
    assert found.invalid.tolist() == [False, True]
    assert found.scores is None


def test_invalid_output_is_a_flag_or_words(tmp_path: Path) -> None:
    values = [True, False, None, "label twice", "", "false"]
    lines = [json.dumps({"id": str(i), "labels": ["a"], "invalid": one}) for i, one in enumerate(values)]
    found = read_predictions(write(tmp_path, "\n".join([*lines, '{"id": "9", "labels": []}'])), TREE)
    assert found.invalid.tolist() == [True, False, False, True, False, False, False]
    assert evaluate(TREE, [["a"]] * 7, found.sets, invalid=found.invalid).invalid_output == 2 / 7


def test_an_id_that_stands_for_copies_brings_them_all(tmp_path: Path) -> None:
    tree = Taxonomy.from_nodes(["a", "b", "x@a", "x@b"], ["", "", "a", "b"], copies={"x": ["x@a", "x@b"]})
    found = read_predictions(write(tmp_path, '{"id": "1", "labels": ["x"], "scores": {"x": 0.5}}'), tree)
    assert found.sets == LabelSets.from_lists([[2, 3]])
    assert found.scores.toarray().tolist() == [[0, 0, 0.5, 0.5]]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "2", "labels": ["a"]', "not JSON"),
        ('["a"]', "object"),
        ('{"labels": ["a"], "scores": {}}', "'id' is missing"),
        ('{"id": "", "labels": ["a"], "scores": {}}', "'id' is missing"),
        ('{"id": true, "labels": ["a"], "scores": {}}', "True is neither a string nor a whole number"),
        ('{"id": "2", "scores": {}}', "'labels' is missing"),
        ('{"id": "2", "labels": "a", "scores": {}}', "'a', not a list"),
        ('{"id": "2", "labels": [7], "scores": {}}', "label 7 is not a string"),
        ('{"id": "2", "labels": [["a"]], "scores": {}}', "is not a string"),
        ('{"id": "2", "labels": ["zz"], "scores": {}}', "'zz' is not in the taxonomy"),
        ('{"id": "2", "labels": ["a"], "scores": {"zz": 0.5}}', "'zz' is not in the taxonomy"),
        (
            '{"id": "2", "labels": ["a"], "scores": {"a": 1.5}}',
            "score of 'a' is 1.5: give a number between 0 and 1",
        ),
        ('{"id": "2", "labels": ["a"], "scores": {"a": -0.1}}', "score of 'a' is -0.1"),
        ('{"id": "2", "labels": ["a"], "scores": {"a": NaN}}', "score of 'a' is nan"),
        ('{"id": "2", "labels": ["a"], "scores": {"a": "0.5"}}', "score of 'a' is '0.5'"),
        ('{"id": "2", "labels": ["a"], "scores": {"a": true}}', "score of 'a' is True"),
        ('{"id": "2", "labels": ["a"], "scores": [0.5]}', "'scores' is"),
        ('{"id": "2", "labels": ["a"]}', "Some documents have the field 'scores'"),
        ('{"id": "2", "labels": ["a"], "scores": {}, "invalid": 0.5}', "'invalid' is 0.5"),
        (b'{"id": "2", "labels": ["\xff"]}', "utf-8"),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path: Path, line: str | bytes, message: str) -> None:
    line = line if isinstance(line, bytes) else line.encode()
    path = write(tmp_path, GOOD.encode() + b"\n" + line + b"\n")  # the empty line counts
    with pytest.raises(BranchwiseError) as caught:
        read_predictions(path, TREE)
    assert f"{path}, line 3" in str(caught.value)
    assert message in str(caught.value)


def test_mistakes_in_tables_are_named_with_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path, "id,labels\n1,a\n2,zz\n", "p.csv")
    with pytest.raises(EvaluationError, match=r"p\.csv, line 3: The label 'zz'"):
        read_predictions(path, TREE)
    with pytest.raises(EvaluationError, match=r"line 2: The field 'labels' is missing"):
        read_predictions(write(tmp_path, "id,label\n1,a\n", "q.csv"), TREE)


def test_files_that_cannot_be_predictions(tmp_path: Path) -> None:
    with pytest.raises(BranchwiseError, match=r"no file .*absent\.jsonl"):
        read_predictions(tmp_path / "absent.jsonl", TREE)
    with pytest.raises(EvaluationError, match=r"holds no predictions"):
        read_predictions(write(tmp_path, "\n"), TREE)
    with pytest.raises(
        EvaluationError, match=r"xlsx file: predictions are read from jsonl, csv, tsv, parquet"
    ):
        read_predictions(write(tmp_path, "", "p.xlsx"), TREE)


def test_match_follows_ids_and_not_order(tmp_path: Path) -> None:
    text = "".join(
        json.dumps({"id": i, "labels": [i], "scores": {i: 0.5}, "invalid": i == "c"}) + "\n" for i in "cab"
    )
    found = read_predictions(write(tmp_path, text), TREE)
    matched = found.take(match(["a", "b", "c"], found.ids))
    assert matched.ids == ("a", "b", "c")
    assert matched.sets == LabelSets.from_lists([[0], [1], [2]])
    assert (matched.scores.toarray()[:, :3] == np.eye(3) / 2).all()
    assert matched.invalid.tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("truth", "predicted", "message"),
    [
        ("abcde", "a", r"4 ids \('b', 'c', 'd', …\) are not among the predictions, out of 5"),
        ("ab", "a", r"1 id \('b'\) is not among the predictions"),
        ("ab", "abb", r"1 id \('b'\) is more than once among the predictions"),
        ("aab", "ab", r"1 id \('a'\) is more than once among the true documents"),
        ("ab", "abcd", r"2 ids \('c', 'd'\) are predicted but not among the 2 true documents"),
    ],
)
def test_ids_that_do_not_match_are_named(truth: str, predicted: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        match(list(truth), list(predicted))
