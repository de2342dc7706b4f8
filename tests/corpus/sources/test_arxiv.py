"""arXiv comes out of its metadata snapshot, whole or as a sample that any machine draws alike."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from branchwise.corpus.sources import Built, benchmark, build
from branchwise.corpus.sources.arxiv import _WITHDRAWN, Arxiv, Paper, _smallest
from branchwise.corpus.sources.arxiv_categories import SUCCESSORS, current
from branchwise.corpus.sources.benchmark import Watch
from branchwise.errors import CorpusError
from branchwise.progress import Progress
from tests.corpus.sources.arxiv import SNAPSHOT, paper, papers, write_arxiv
from tests.corpus.sources.packing import FORMS, packed

TREE = Arxiv().taxonomy()


def built_from(source: Path, output: Path, **options: Any) -> Built:
    return build(benchmark("arxiv", **options), source, output)


def records(built: Built) -> dict[str, dict]:
    """Every document by its id, with the part it is in and its labels as they were written."""
    import pyarrow as pa

    found = {}
    for name, part in built.manifest["parts"].items():
        with pa.input_stream(str(built.folder / part["file"]), compression="zstd") as stream:
            for line in stream.read().decode().splitlines():
                one = json.loads(line)
                found[one["id"]] = {**one, "part": name}
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("arxiv")
    return built_from(write_arxiv(folder / "raw"), folder / "out")


def test_every_paper_comes_out_unwrapped_with_its_categories(built: Built) -> None:
    found = records(built)
    assert len(found) == 200
    for one in papers():
        text = f"{one['title']}. {one['abstract']}"
        assert found[one["id"]]["text"] == " ".join(text.split())
    assert found["0704.0001"]["labels"] == ["math.AG"]
    assert found["0704.0006"]["labels"] == ["econ.GN"]  # q-fin.EC is its second name
    assert found["0704.0008"]["labels"] == ["cs.LG", "stat.ML"]
    assert not built.manifest["dropped"]
    assert not built.manifest["notes"]


def test_the_tree() -> None:
    assert (len(TREE), TREE.depth) == (161, 3)
    assert TREE.names.count("Machine Learning") == 2
    assert all(one in TREE.index and old not in TREE.index for old, one in SUCCESSORS.items())


def test_the_shares_are_near_and_those_of_a_sample_exact(tmp_path: Path) -> None:
    raw = write_arxiv(tmp_path / "raw", 3000)
    whole = built_from(raw, tmp_path / "whole").manifest["parts"]
    assert abs(whole["train"]["documents"] / 3000 - 0.8) < 0.03
    assert abs(whole["test"]["documents"] / 3000 - 0.1) < 0.03
    sample = built_from(raw, tmp_path / "sample", sample=500)
    assert {name: part["documents"] for name, part in sample.manifest["parts"].items()} == {
        "train": 400,
        "validation": 50,
        "test": 50,
    }
    assert sample.manifest["options"] == {"sample": 500}


def test_order_in_the_file_does_not_matter_to_a_sample(tmp_path: Path) -> None:
    rows = papers(200)
    first = built_from(write_arxiv(tmp_path / "raw", rows=rows), tmp_path / "first", sample=50)
    turned = built_from(write_arxiv(tmp_path / "turned", rows=rows[::-1]), tmp_path / "second", sample=50)
    assert first.manifest["parts"] == turned.manifest["parts"]
    assert first.manifest["parts"]["train"]["documents"] == 40


def test_a_smaller_sample_is_part_of_a_larger_one(tmp_path: Path) -> None:
    raw = write_arxiv(tmp_path / "raw")
    small, large = (records(built_from(raw, tmp_path / str(size), sample=size)) for size in (40, 90))
    assert set(small) < set(large)


def test_a_paper_keeps_its_part_when_others_come(tmp_path: Path, built: Built) -> None:
    later = records(built_from(write_arxiv(tmp_path / "raw", 260), tmp_path / "out"))
    assert {label: one["part"] for label, one in records(built).items()}.items() <= {
        label: one["part"] for label, one in later.items()
    }.items()


@pytest.mark.parametrize("form", FORMS)
def test_folder_and_archives_give_the_same(tmp_path: Path, built: Built, form: str) -> None:
    other = built_from(packed(write_arxiv(tmp_path / "raw"), form), tmp_path / "out")
    assert other.manifest["parts"] == built.manifest["parts"]


def test_the_file_alone_under_any_name_plain_or_compressed(tmp_path: Path, built: Built) -> None:
    data = (write_arxiv(tmp_path / "raw") / SNAPSHOT).read_bytes()
    (tmp_path / "mine.json").write_bytes(data)
    (tmp_path / "mine.jsonl.gz").write_bytes(gzip.compress(data))
    for name in ("mine.json", "mine.jsonl.gz"):
        other = built_from(tmp_path / name, tmp_path / f"out-{name}")
        assert other.manifest["parts"] == built.manifest["parts"]


def test_other_json_beside_it_is_passed_over(tmp_path: Path, built: Built) -> None:
    folder = write_arxiv(tmp_path / "raw")
    (folder / "internal-citations.json").write_text('{"0704.0001": []}')
    assert built_from(folder, tmp_path / "out").manifest["parts"] == built.manifest["parts"]


def test_what_is_left_out_and_why(tmp_path: Path) -> None:
    rows = [
        paper("1", "Kept", "It has been withdrawn money that\nwe study.", "cs.LG cs.LG test"),
        paper("2", "Old", "An archive of the nineties.", "chao-dyn nlin.CD adap-org"),
        paper("3", "Gone", "This paper has been withdrawn by the author due to an error.", "cs.LG"),
        paper("4", "Gone too", "Withdrawn.", "cs.LG"),
        paper("5", "Silent", "  ", "cs.LG"),
        paper("6", "Strange", "Of no tree.", "test bad-arch.XX"),
        paper("7", "Bare", "The archive itself.", "cond-mat"),
        paper("1", "Again", "The same id.", "cs.LG"),
        {**paper("8", "Listed", "Categories in a list.", ""), "categories": ["cs.LG", "math.IT cs.IT"]},
    ]
    built = built_from(write_arxiv(tmp_path / "raw", rows=rows), tmp_path / "out")
    assert {label: one["labels"] for label, one in records(built).items()} == {
        "1": ["cs.LG"],
        "2": ["nlin.CD", "nlin.AO"],
        "7": ["cond-mat"],
        "8": ["cs.LG", "cs.IT"],
    }
    assert {reason: one["examples"] for reason, one in built.manifest["dropped"].items()} == {
        "withdrawn": ["3", "4"],
        "no abstract": ["5"],
        "no category of the tree": ["6"],
        "the same id again": ["1"],
    }
    assert built.manifest["notes"] == [
        "2 categories that the tree does not have were left off: test (2), bad-arch.XX (1)."
    ]


def test_a_sample_larger_than_what_there_is(tmp_path: Path) -> None:
    rows = papers(20)
    built = built_from(write_arxiv(tmp_path / "raw", rows=[*rows, rows[0]]), tmp_path / "out", sample=30)
    assert "There are 20 papers that can be used, fewer than the 30 asked for." in built.manifest["notes"]
    assert built.manifest["dropped"]["the same id again"]["documents"] == 1
    assert len(records(built)) == 20


@pytest.mark.parametrize(
    "abstract",
    [
        "This paper has been withdrawn by the author.",
        "This article has been temporarily withdrawn due to a mistake",
        "The paper is withdrawn, see another.",
        "(This submission was withdrawn)",
        "Paper withdrawn.",
        "withdrawn by the authors",
    ],
)
def test_notices_of_withdrawal(abstract: str) -> None:
    assert _WITHDRAWN.match(abstract)


@pytest.mark.parametrize(
    "abstract",
    ["We study banks from which money has been withdrawn.", "Withdrawal of a drug is hard.", "This is fine."],
)
def test_no_notices_of_withdrawal(abstract: str) -> None:
    assert not _WITHDRAWN.match(abstract)


def message(source: Path, tmp_path: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        built_from(source, tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()
    return str(caught.value)


def test_what_is_no_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"id": "1", "tit')
    assert "mine.json, line 1 is not JSON" in message(path, tmp_path)
    path.write_text("[1, 2]\n")
    assert "line 1 is not a paper but '[1, 2]'" in message(path, tmp_path)
    (tmp_path / "empty").mkdir()
    assert "holds no document of arXiv" in message(tmp_path / "empty", tmp_path)


@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 20))
def test_the_heap_keeps_the_smallest_of_different_ids(orders: list[int], wished: int) -> None:
    some = [Paper(str(one), "", (), one, 0.0) for one in orders]
    kept = _smallest(iter(some), wished, Watch(Progress("")))
    assert [one.order for one in kept] == sorted(set(orders))[:wished]


@given(st.lists(st.sampled_from([*SUCCESSORS, "cs.LG", "math.AG", "test"]), max_size=6))
def test_categories_become_labels_of_the_tree_once_each(categories: list[str]) -> None:
    labels, unknown = current(" ".join(categories), TREE.index)
    assert len(set(labels)) == len(labels)
    assert all(label in TREE.index for label in labels)
    assert Counter(unknown) == Counter(one for one in categories if one == "test")
