"""Documents in, predictions out: every input format, every policy, order, counts and memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from branchwise.corpus.policies import Policies
from branchwise.corpus.reader import Document, Input
from branchwise.corpus.shapes import Fields
from branchwise.errors import BranchwiseError, CorpusError
from branchwise.predicted import Predicted
from branchwise.streaming.files import open_file
from branchwise.streaming.forms import form_of
from branchwise.streaming.job import predict_stream
from branchwise.streaming.run import Job
from tests.corpus.files import SUFFIXES, write_rows
from tests.streaming.letters import Letters, job, rows, run


def answers(path: Path) -> list[tuple[str, list[str]]]:
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(one["id"], one["labels"]) for one in read]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_input_format_gives_the_same(tmp_path: Path, suffix: str) -> None:
    run(write_rows(tmp_path / "in.jsonl", rows(10)), tmp_path / "expected.jsonl")
    run(write_rows(tmp_path / f"in{suffix}", rows(10)), tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "expected.jsonl").read_bytes()


def test_rows_without_ids_are_numbered_across_files(tmp_path: Path) -> None:
    bare = [{"text": one["text"], "labels": ["unheard of"]} for one in rows(5)]
    first = write_rows(tmp_path / "1.jsonl", bare)
    empty = write_rows(tmp_path / "2.jsonl", [])
    last = write_rows(tmp_path / "3.csv", bare)
    Job(Input([first, empty, last]), str(tmp_path / "out.jsonl"), chunk=4).run(Letters())
    assert [name for name, _ in answers(tmp_path / "out.jsonl")] == [str(i) for i in range(1, 11)]


def test_label_fields_are_not_read(tmp_path: Path) -> None:
    source = write_rows(
        tmp_path / "in.jsonl", [{"text": "a", "labels": {"odd": 1}}, {"text": "b", "labels": 7}]
    )
    assert run(source, tmp_path / "out.jsonl").done.documents == 2


def test_other_shapes(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", [{"token": ["c", "is", "here"], "label": ["x"]}])
    run(source, tmp_path / "out.jsonl")
    assert answers(tmp_path / "out.jsonl") == [("1", ["letter", "b", "c"])]
    fields = Fields(text=("title", "body"), id="key")
    source = write_rows(tmp_path / "in.csv", [{"key": "k", "title": "a", "body": "b"}])
    Job(Input([source], fields), str(tmp_path / "out.jsonl")).run(Letters())
    assert answers(tmp_path / "out.jsonl") == [("k", ["letter", "a"])]


BAD = [
    ("bad_row", "no JSON", "is not JSON"),
    ("missing_text", '{"id": "x", "text": " "}', "missing or empty"),
    ("bad_text", '{"id": "x", "text": 7}', "not a text"),
    ("duplicate_id", '{"id": "d0", "text": "a"}', "stood before"),
]


@pytest.mark.parametrize(("policy", "line", "match"), BAD)
def test_bad_rows_by_policy(tmp_path: Path, policy: str, line: str, match: str) -> None:
    source, output = write_rows(tmp_path / "in.jsonl", rows(4)), tmp_path / "out.jsonl"
    with source.open("a") as file:
        file.write(line + "\n" + json.dumps({"id": "last", "text": "a"}) + "\n")
    with pytest.raises(CorpusError, match=match):
        run(source, output, policies=Policies())
    rejects = tmp_path / "rejects.jsonl"
    skip = Policies(**{policy: "skip"})
    outcome = run(source, output, policies=skip, rejects=rejects, resume=True)
    assert [name for name, _ in answers(output)] == ["d0", "d1", "d2", "d3", "last"]
    assert (outcome.before, outcome.done.documents, outcome.report.skipped) == (4, 5, 1)
    [rejected] = map(json.loads, rejects.read_text().splitlines())
    assert match in rejected["reason"]
    if policy != "bad_row":
        outcome = run(source, output, policies=Policies(**{policy: "keep"}))
        assert (outcome.done.documents, outcome.report.skipped) == (6, 0)


def test_what_a_run_says(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", [*rows(7), {"id": "d0", "text": "again"}])
    outcome = run(source, tmp_path / "out.jsonl")
    assert outcome.sentence().startswith(
        "7 documents predicted, 1 left out, 1 with invalid output, 2 abstained, "
    )
    told = outcome.to_dict()
    assert {name: told[name] for name in ("documents", "predicted_before", "left_out", "invalid", "abstained")} == {
        "documents": 7, "predicted_before": 0, "left_out": 1, "invalid": 1, "abstained": 2,
    }  # fmt: skip
    assert told["reading"]["problems"] == {"duplicate_id": 1}
    json.dumps(told)


def test_documents_come_in_chunks_and_in_order(tmp_path: Path) -> None:
    chunks: list[Sequence[str]] = []
    source = write_rows(tmp_path / "in.jsonl", rows(8))
    job(source, tmp_path / "out.jsonl").run(Letters(chunks.append))
    assert [len(chunk) for chunk in chunks] == [3, 3, 2]
    assert [text for chunk in chunks for text in chunk] == [one["text"] for one in rows(8)]


def test_an_older_output_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("old")
    source = write_rows(tmp_path / "in.jsonl", rows(8))
    seen = []
    job(source, output).run(Letters(lambda _: seen.append(output.read_text())))
    assert set(seen) == {"old"}
    assert len(answers(output)) == 8


@pytest.mark.parametrize(
    ("choices", "match"),
    [
        ({"line_by_line": True}, "appears only when it is complete"),
        ({"output": "-", "resume": True}, "Only a file can be gone on with"),
        ({"output": "-", "format": "parquet"}, "Parquet cannot be written to a pipe"),
        ({"output": "out.xlsx"}, "not written as xlsx"),
        ({"output": "out.txt"}, "names no document format"),
        ({"given": Input(["nowhere.jsonl"])}, "There is no file nowhere.jsonl"),
    ],
)
def test_what_cannot_be_is_said_before_a_model_is_loaded(tmp_path: Path, choices: dict, match: str) -> None:
    source = write_rows(tmp_path / "in.jsonl", rows(1))
    with pytest.raises(BranchwiseError, match=match):
        Job(**({"given": Input([source]), "output": str(tmp_path / "out.jsonl")} | choices)).check()


def test_a_predictor_that_loses_a_document_is_a_bug(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", rows(4))
    with pytest.raises(RuntimeError, match="3 texts were predicted as 2"):
        job(source, tmp_path / "out.jsonl").run(_Losing())


class _Losing(Letters):
    def __call__(self, texts: Sequence[str]) -> list[Predicted]:
        return super().__call__(texts)[:-1]


@pytest.mark.parametrize("suffix", ["jsonl.zst", "parquet"])
def test_memory_does_not_grow_with_the_documents(tmp_path: Path, suffix: str) -> None:
    def documents(count: int) -> Iterator[Document]:
        return (Document(f"d{i}", f"b{i:05}" + "x" * 1000, (), ()) for i in range(count))

    def peak(count: int) -> int:
        output = tmp_path / f"{count}.{suffix}"
        with open_file(output, form_of(str(output)), {}) as writer:
            tracemalloc.start()
            predict_stream(documents(count), lambda texts: [Predicted(("b",))] * len(texts), writer, chunk=64)
            used = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        return used

    peak(256)
    assert peak(4096) < peak(512) + 100_000  # of 3.6 million bytes more


def test_ids_are_not_remembered_where_twins_are_kept(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    with source.open("w") as file:
        file.writelines(f'{{"id": "{i:0200}", "text": "b"}}\n' for i in range(6000))

    def peak(policies: Policies) -> int:
        tracemalloc.start()
        run(source, tmp_path / "out.jsonl", policies=policies, chunk=64)
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(Policies())  # what is imported late is there by then
    assert peak(Policies(duplicate_id="keep")) < peak(Policies()) - 6000 * 200
