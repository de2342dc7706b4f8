"""Files that grow: a kill at any step, then --resume, leaves what one run in a piece leaves."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.corpus.policies import Policies
from branchwise.corpus.reader import Input
from branchwise.corpus.shapes import Fields
from branchwise.errors import BranchwiseError, CorpusError
from branchwise.streaming.files import unfinished
from branchwise.streaming.journal import locked
from branchwise.streaming.run import Job
from tests.corpus.files import json_lines, packed, write_rows
from tests.streaming.letters import FORMS, Letters, job, killed, rows, run

BAD = b'{"id": "d2", "text": "a twin"}\nno JSON\n{"id": "x"}\n'
LATER = 14  # a step that comes after the first chunks are safe


def content(path: Path) -> object:
    return pq.read_table(path).to_pydict() if path.suffix == ".parquet" else path.read_bytes()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Seventeen documents with bad rows among them."""
    whole = json_lines(rows(17)).splitlines(keepends=True)
    path = tmp_path / "in.jsonl.gz"
    path.write_bytes(packed(b"".join(whole[:7]) + BAD + b"".join(whole[7:]), path))
    return path


@given(steps=st.lists(st.integers(1, 70), max_size=6), form=st.sampled_from(FORMS))
def test_killed_anywhere_any_number_of_times(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], form: str
) -> None:
    folder = tmp_path_factory.mktemp("killed")
    whole = json_lines(rows(17)).splitlines(keepends=True)
    source = folder / "in.jsonl.zst"
    source.write_bytes(packed(b"".join(whole[:7]) + BAD + b"".join(whole[7:]), source))
    run(source, folder / f"once.{form}", rejects=folder / "once.rejects")
    output = folder / f"out.{form}"
    for step in steps:
        killed(job(source, output, resume=True, rejects=folder / "rejects"), step)
        assert not output.exists() or content(output) == content(folder / f"once.{form}")
    outcome = run(source, output, resume=True, rejects=folder / "rejects")
    assert outcome.done.documents == 17
    assert (outcome.done.invalid, outcome.done.abstained) == (3, 4)
    assert content(output) == content(folder / f"once.{form}")
    assert (folder / "rejects").read_bytes() == (folder / "once.rejects").read_bytes()
    assert not unfinished(output).exists()


def test_every_step_of_one_run(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.csv", rows(5))
    run(source, tmp_path / "once.csv")
    output = tmp_path / "out.csv"
    step = 1
    while killed(job(source, output, resume=True), step):
        run(source, output, resume=True)
        assert output.read_bytes() == (tmp_path / "once.csv").read_bytes()
        output.unlink()
        step += 1
    assert step > 20


def test_bytes_behind_the_journal_are_cut_off(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    assert killed(job(source, output), LATER)
    with (unfinished(output) / "data").open("ab") as file:
        file.write(b'{"id": "half' * 1000)  # more than all that comes later
    outcome = run(source, output, resume=True)
    assert outcome.before > 0
    assert [json.loads(line)["id"] for line in output.read_text().splitlines()] == [
        f"d{i}" for i in range(17)
    ]


def test_lost_bytes_are_said(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    assert killed(job(source, output), LATER)
    os.truncate(unfinished(output) / "data", 10)
    with pytest.raises(BranchwiseError, match="lost bytes"):
        run(source, output, resume=True)


def test_nobody_asked_to_go_on(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    assert killed(job(source, output), LATER)
    with pytest.raises(
        BranchwiseError, match=r"out\.jsonl\.partial holds an unfinished run, \d documents .*--resume"
    ):
        run(source, output)


def test_nothing_is_kept_of_a_run_that_wrote_nothing(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    assert killed(job(source, output), 1)
    assert run(source, output).before == 0


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"separator": "|"}, r"begun with label separator ;, not \|"),
        ({"scores": False}, "begun with writes scores true, not false"),
        ({"chunk": 4}, "begun with documents a chunk 3, not 4"),
    ],
)
def test_another_run_is_refused(source: Path, tmp_path: Path, change: dict, match: str) -> None:
    output = tmp_path / "out.csv"
    assert killed(job(source, output), LATER)
    with pytest.raises(BranchwiseError, match=match):
        run(source, output, resume=True, **change)


def test_another_model_and_other_options_are_refused(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    assert killed(job(source, output), LATER)
    other = Letters()
    other.fingerprint = "f" * 64
    with pytest.raises(BranchwiseError, match="begun with another model"):
        job(source, output, resume=True).run(other)
    with pytest.raises(BranchwiseError, match="begun with beam null, not 4"):
        job(source, output, resume=True).run(Letters(), {"beam": 4})
    with pytest.raises(BranchwiseError, match="begun with scores null, not all"):
        job(source, output, resume=True).run(Letters(), {"scores": "all"})


def test_other_documents_are_refused(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    assert killed(job(source, output), LATER)
    with pytest.raises(BranchwiseError, match=r"begun with files \[\"in.jsonl.gz\"\], not"):
        run(write_rows(tmp_path / "other.jsonl", rows(17)), output, resume=True)
    changed = rows(17)
    changed[1]["text"] = "b changed"
    write_rows(source, changed)
    with pytest.raises(BranchwiseError, match="are not those that are predicted already"):
        run(source, output, resume=True)
    write_rows(source, rows(2))
    with pytest.raises(BranchwiseError, match="ends after 2 documents"):
        run(source, output, resume=True)
    write_rows(source, rows(17))  # what comes later may change: a bad row that was corrected
    assert run(source, output, resume=True).done.documents == 17


def test_a_bad_row_stops_and_is_skipped_later(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    stopped = job(source, output, policies=Policies())
    with pytest.raises(CorpusError, match="d2"):
        stopped.run(Letters())
    assert "--resume" in stopped.kept
    assert not output.exists()
    outcome = run(source, output, resume=True)
    assert (outcome.before, outcome.done.documents) == (7, 17)
    run(source, tmp_path / "once.jsonl")
    assert output.read_bytes() == (tmp_path / "once.jsonl").read_bytes()


def test_two_processes_do_not_write_one_file(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    unfinished(output).mkdir()
    with locked(unfinished(output)), pytest.raises(BranchwiseError, match="Another process is writing"):
        run(source, output)


def test_an_unreadable_journal_is_said(source: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    unfinished(output).mkdir()
    (unfinished(output) / "journal.json").write_text("{")
    with pytest.raises(BranchwiseError, match=r"journal in .* cannot be read"):
        run(source, output, resume=True)


def test_a_full_disk_is_a_sentence(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    output = tmp_path / "out.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(BranchwiseError, match="No space left on device"):
            run(source, output)
    assert not unfinished(output).exists()


def test_a_link_stays_and_its_target_is_replaced(source: Path, tmp_path: Path) -> None:
    (tmp_path / "target.jsonl").write_text("old")
    link = tmp_path / "link.jsonl"
    link.symlink_to(tmp_path / "target.jsonl")
    run(source, link)
    assert link.is_symlink()
    assert len((tmp_path / "target.jsonl").read_text().splitlines()) == 17


def test_other_fields_are_other_documents(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "in.jsonl", [one | {"title": "a"} for one in rows(9)])
    output = tmp_path / "out.jsonl"
    assert killed(job(source, output), LATER)
    titles = Job(Input([source], Fields(text=("title",))), str(output), chunk=3, resume=True)
    with pytest.raises(BranchwiseError, match="files and fields"):
        titles.run(Letters())
