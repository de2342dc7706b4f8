"""What is written: read back by the evaluation, by pandas' and Spark's own kind of readers, and by people."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise import Taxonomy
from branchwise.errors import BranchwiseError
from branchwise.evaluation import read_predictions
from branchwise.predicted import Predicted, paths_of
from branchwise.streaming.files import open_file
from branchwise.streaming.forms import form_of
from branchwise.streaming.journal import Done
from branchwise.streaming.parquet import ArrowMessages, to_parquet
from tests.corpus.files import write_rows
from tests.strategies import label_sets, taxonomies, texts
from tests.streaming.letters import TREE, rows, run

Cases = tuple[Taxonomy, list[tuple[str, Predicted]]]


@st.composite
def predictions(draw: Callable[..., Any]) -> Cases:
    """Draw a taxonomy, and predictions over it for documents with odd ids."""
    tree = draw(taxonomies())
    sets = draw(label_sets(tree).filter(len))
    names = draw(st.lists(texts(), min_size=len(sets), max_size=len(sets), unique=True))
    scores = st.dictionaries(st.sampled_from(tree.ids), st.floats(0, 1))
    answers = [
        Predicted(
            labels,
            draw(scores),
            paths,
            draw(st.booleans()),
            draw(st.none() | st.floats(0, 1)),
            draw(st.booleans()),
        )
        for labels, paths in zip(sets.to_ids(tree), paths_of(sets, tree), strict=True)
    ]
    return tree, list(zip(names, answers, strict=True))


def write(path: Path, chunk: list[tuple[str, Predicted]], **choices: Any) -> Path:
    """Write one chunk."""
    with open_file(path, form_of(str(path), **choices), {}) as writer:
        writer.write(chunk, Done(len(chunk)))
        writer.finish()
    return path


@given(case=predictions(), suffix=st.sampled_from(["jsonl", "jsonl.gz", "jsonl.zst"]))
def test_json_lines_are_read_back(tmp_path: Path, case: Cases, suffix: str) -> None:
    tree, chunk = case
    read = read_predictions(write(tmp_path / f"out.{suffix}", chunk), tree)
    assert read.ids == tuple(name for name, _ in chunk)
    assert read.sets == tree.label_sets([one.labels for _, one in chunk])
    assert read.invalid is not None
    assert read.invalid.tolist() == [one.invalid for _, one in chunk]
    expected = np.zeros((len(chunk), len(tree)))
    for row, (_, one) in enumerate(chunk):
        for label, score in one.scores.items():
            expected[row, tree.index[label]] = score
    assert read.scores is not None
    assert np.array_equal(read.scores.toarray(), expected)


@given(
    case=predictions(),
    suffix=st.sampled_from(["csv", "tsv", "csv.gz", "tsv.zst"]),
    separator=st.sampled_from([";", "|", ";;", " ", ", ", "a"]),
)
def test_tables_are_read_back_or_refused(tmp_path: Path, case: Cases, suffix: str, separator: str) -> None:
    tree, chunk = case
    path = tmp_path / f"out.{suffix}"
    path.unlink(missing_ok=True)
    labels = [label for _, one in chunk for label in one.labels]
    is_odd = any(label != label.strip() or separator[:1] in label for label in labels)
    with suppress(BranchwiseError) if is_odd else nullcontext():
        write(path, chunk, separator=separator)
    if not path.exists():
        return
    read = read_predictions(path, tree, label_separator=separator)
    assert read.ids == tuple(name for name, _ in chunk)
    assert read.sets == tree.label_sets([one.labels for _, one in chunk])
    assert read.invalid is not None
    assert read.invalid.tolist() == [one.invalid for _, one in chunk]


@given(case=predictions())
def test_scores_in_a_cell_are_a_json_object(tmp_path: Path, case: Cases) -> None:
    _, chunk = case
    path = write(tmp_path / "out.csv", [(name, Predicted((), one.scores)) for name, one in chunk])
    with path.open(encoding="utf-8", newline="") as file:
        assert [json.loads(row["scores"]) for row in csv.DictReader(file)] == [one.scores for _, one in chunk]


@given(case=predictions())
def test_parquet_holds_what_was_predicted(tmp_path: Path, case: Cases) -> None:
    _, chunk = case
    table = pq.read_table(write(tmp_path / "out.parquet", chunk)).to_pylist()
    for (name, one), row in zip(chunk, table, strict=True):
        assert (row["id"], tuple(row["labels"])) == (name, one.labels)
        assert tuple(map(tuple, row["paths"])) == one.paths
        assert dict(row["scores"]) == one.scores
        assert (row["invalid"], row["confidence"], row["abstained"]) == (
            one.invalid,
            one.confidence,
            one.abstained,
        )


@given(case=predictions())
def test_paths_lead_to_the_deepest_labels(case: Cases) -> None:
    tree, chunk = case
    for _, one in chunk:
        positions = {tree.index[label] for label in one.labels}
        above = {int(tree.parent[label]) for label in positions}
        deepest = sorted(positions - above)
        assert [path[-1] for path in one.paths] == [tree.names[label] for label in deepest]
        assert [len(path) for path in one.paths] == [tree.level[label] for label in deepest]


def test_a_record_line_by_line(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", [{"id": "1", "text": "c!"}, {"id": "2", "text": "?"}])
    output = tmp_path / "out.jsonl"
    run(source, output)
    first, second = map(json.loads, output.read_text().splitlines())
    assert first == {
        "id": "1",
        "labels": ["letter", "b", "c"],
        "paths": [["Letter", "B", "C"]],
        "scores": dict.fromkeys(["letter", "b", "c"], 0.25),
        "invalid": True,
    }
    assert second == {
        "id": "2", "labels": [], "paths": [], "scores": {}, "invalid": False, "confidence": 0.25, "abstained": True,
    }  # fmt: skip


def test_a_table(tmp_path: Path) -> None:
    chunk = [
        (
            "a,b",
            Predicted(
                ("letter", "a", "b", "digit"), {"a": 0.5}, (("Letter", "A"), ("Letter", "B"), ("Digit",))
            ),
        )
    ]
    header = "id,labels,paths,scores,invalid,confidence,abstained"
    line = '"a,b",letter|a|b|digit,Letter > A; Letter > B; Digit,"{""a"": 0.5}",false,,false'
    assert write(tmp_path / "out.csv", chunk, separator="|").read_text() == f"{header}\n{line}\n"


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv.gz", "jsonl.zst", "parquet"])
def test_nothing_predicted_is_a_valid_file(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / "in.jsonl"
    source.touch()
    output = tmp_path / f"out.{suffix}"
    outcome = run(source, output)
    assert outcome.done.documents == 0
    if suffix == "parquet":
        assert pq.read_table(output).num_rows == 0
    else:
        with pytest.raises(BranchwiseError, match="holds no predictions"):
            read_predictions(output, TREE)


def test_many_chunks_become_few_row_groups(tmp_path: Path) -> None:
    output = tmp_path / "out.parquet"
    run(write_rows(tmp_path / "in.jsonl", rows(40)), output)
    assert pq.ParquetFile(output).num_row_groups == 1


def test_row_groups_end_somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("branchwise.streaming.parquet.GROUP_ROWS", 4)
    form, data = ArrowMessages(), tmp_path / "data"
    chunks = [[(str(3 * i + j), Predicted(())) for j in range(3)] for i in range(5)]
    data.write_bytes(b"".join(form.encode(chunk, i == 0) for i, chunk in enumerate(chunks)))
    to_parquet(data, tmp_path / "out.parquet")
    file = pq.ParquetFile(tmp_path / "out.parquet")
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [6, 6, 3]
    assert file.read(["id"]).to_pydict() == {"id": [str(i) for i in range(15)]}


def test_formats_that_are_none() -> None:
    with pytest.raises(BranchwiseError, match="not written as xlsx"):
        form_of("out.xlsx")
    with pytest.raises(BranchwiseError, match="separator is empty"):
        form_of("out.csv", separator="")


@pytest.mark.parametrize(("labels", "odd"), [(("a;b", "c"), "a;b"), (("a", " b"), " b"), (("a", ";"), ";")])
def test_labels_that_a_cell_cannot_hold_are_refused(labels: tuple[str, ...], odd: str) -> None:
    with pytest.raises(BranchwiseError, match=f"The label '{odd}' of document 'x' .* --label-separator"):
        form_of("out.csv").encode([("x", Predicted(labels))], first=True)
