"""WOS comes out of HDLTex's files with HiAGM's labels and HiAGM's split."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import train_test_split

from branchwise.corpus.sources import Built, benchmark, build
from branchwise.corpus.sources.wos import Wos, merged_areas, published_split, split_hashes
from branchwise.corpus.sources.wos_rows import Row
from branchwise.errors import CorpusError
from tests.corpus.sources.packing import FORMS, packed
from tests.corpus.sources.wos import Paper, papers, write_wos

PUBLISHED = {
    "train": "dc027876af0e896f3bf0c8f257c6afffdf16c38ed8c6742f054428926182afa4",
    "validation": "c588d30dac3c7fadecf55e8b973f384c8276a39aee3033c6d194a7917f910251",
    "test": "568fa14d33a3fad38dd84870653d07f56cee5c82864b02e64842de1c6ffc3517",
}


def built_from(source: Path, output: Path, **options: bool) -> Built:
    return build(benchmark("wos", **options), source, output)


def records(built: Built) -> dict[str, dict]:
    """Every document by its id, with the part it is in and the labels closed upwards."""
    tree, found = built.tree, {}
    for name, part in built.manifest["parts"].items():
        if part["documents"]:
            corpus = built.part(name, tree)
            for label, text, labels in zip(
                corpus.ids, corpus.texts(), corpus.labels.to_ids(tree), strict=True
            ):
                found[label] = {"text": text, "labels": labels, "part": name}
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("wos")
    return built_from(write_wos(folder / "raw"), folder / "out")


def test_every_row_comes_out_with_its_text_and_both_labels(built: Built) -> None:
    found = records(built)
    assert set(found) == {str(number) for number in range(120)}
    for number, paper in enumerate(papers()):
        assert found[str(number)]["text"] == paper.text
        assert found[str(number)]["labels"][0] == paper.domain
        assert len(found[str(number)]["labels"]) == 2
    assert not built.manifest["dropped"]


def test_an_area_gives_way_to_a_more_frequent_one_that_stood_before_it(built: Built) -> None:
    found = records(built)
    assert found["2"]["labels"] == found["3"]["labels"] == ("ECE", "Electrical generator")
    renamed = {
        number: found[str(number)]["labels"][1]
        for number, paper in enumerate(papers())
        if paper.area != found[str(number)]["labels"][1]
    }
    assert renamed == {
        10: "Analog signal processing",
        40: "Atrial Fibrillation",
        70: "Water Pollution",
        100: "Analog signal processing",
    }
    assert any(note.startswith("4 documents got the name of a more frequent area") for note in notes(built))


def notes(built: Built) -> list[str]:
    return built.manifest["notes"]


def test_all_areas_can_be_kept(tmp_path: Path) -> None:
    built = built_from(write_wos(tmp_path / "raw"), tmp_path / "out", merge_areas=False)
    assert built.manifest["taxonomy"]["labels"] == 152
    assert built.manifest["options"] == {"merge_areas": False}
    found = records(built)
    assert found["40"]["labels"] == ("Medical", "Depression (Medical)")
    assert found["70"]["labels"] == ("Civil", "Underwater Windmill")
    assert found["5"]["labels"] == ("Psychology", "Depression")
    assert built.tree.names.count("Depression") == built.tree.names.count("Schizophrenia") == 2


def test_both_trees_agree() -> None:
    merged, kept = Wos().taxonomy(), Wos(merge_areas=False).taxonomy()
    assert len(merged) == 141
    assert [merged.ids[at] for at in merged.children(-1)] == [kept.ids[at] for at in kept.children(-1)]
    for label in merged.ids:
        assert merged.path_names(merged.position(label)) == kept.path_names(kept.position(label))


def test_the_manifest_tells_of_sizes_and_of_the_split(built: Built) -> None:
    sizes = {name: part["documents"] for name, part in built.manifest["parts"].items()}
    assert sizes == {"train": 76, "validation": 20, "test": 24}
    hashes = split_hashes(published_split(120))
    assert any(all(digest in note for digest in hashes.values()) for note in notes(built))
    assert any("120 rows in place of 46,985" in note for note in notes(built))
    assert "WOS has 76 training documents here, 30,070 in the paper." in built.manifest["differences"]


@pytest.mark.parametrize("form", FORMS)
def test_folder_and_archives_give_the_same(tmp_path: Path, built: Built, form: str) -> None:
    other = built_from(packed(write_wos(tmp_path / "raw"), form), tmp_path / "out")
    assert other.manifest["parts"] == built.manifest["parts"]
    assert other.manifest["taxonomy"] == built.manifest["taxonomy"]


def test_a_text_file_saved_from_excel_gives_the_same(tmp_path: Path, built: Built) -> None:
    other = built_from(write_wos(tmp_path / "raw", form="txt"), tmp_path / "out")
    assert other.manifest["parts"] == built.manifest["parts"]


def test_the_workbook_alone_is_enough(tmp_path: Path, built: Built) -> None:
    other = built_from(write_wos(tmp_path / "raw") / "Meta-data" / "Data.xlsx", tmp_path / "out")
    assert other.manifest["parts"] == built.manifest["parts"]


def test_oddities_of_saved_text(tmp_path: Path) -> None:
    meta = write_wos(tmp_path / "raw", form="txt") / "Meta-data" / "Data.txt"
    lines = meta.read_text(encoding="utf-8").splitlines()
    odd = [
        '0\t5\t5\tCS \t Machine learning  \tk\tTabs\twithin\tit',
        '0\t5\t5\tCS \t Machine learning  \t"a, b"\t"Excel puts ""quotes"" around, as there is a comma"',
        '5\t0\t9\tMedical \t Alzheimer’s  Disease\u00a0\tk\t"Quoted" as it is, not by Excel, "really"',
        '0\t5\t5\tCS \t Machine learning  \tk\tAn abstract that',
        'goes on in the next line',
        '0\t5\t5\tCS \t Machine learning  \tk\t   ',
        '0\t5\t5\tCS \t\tk\tAn area is missing.',
        '0\t99\t5\tCS \tAlchemy\tk\tNobody knows this area.',
        '0\t5\t5',
    ]  # fmt: skip
    meta.write_bytes("\r\n".join([lines[0], *odd, ""]).encode("cp1252"))
    built = built_from(meta, tmp_path / "out")
    found = records(built)
    assert found["0"]["text"] == "Tabs within it"
    assert found["1"]["text"] == 'Excel puts "quotes" around, as there is a comma'
    assert found["2"]["text"] == '"Quoted" as it is, not by Excel, "really"'
    assert found["2"]["labels"] == ("Medical", "Alzheimer's Disease")
    assert found["3"]["text"] == "An abstract that goes on in the next line"
    assert set(found) == {"0", "1", "2", "3"}
    assert {reason: one["examples"] for reason, one in built.manifest["dropped"].items()} == {
        "no text": ["4"],
        "no label": ["5"],
        "label 'CS/Alchemy' is not in the taxonomy": ["6"],
    }
    assert any("read as Windows-1252" in note for note in notes(built))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_encodings_with_a_mark(tmp_path: Path, encoding: str) -> None:
    rows = [Paper((0, 5), "CS", "Machine learning", f"Zürich, paper {number}") for number in range(5)]
    path = write_wos(tmp_path / "raw", form="txt", rows=rows) / "Meta-data" / "Data.txt"
    path.write_bytes(path.read_text(encoding="utf-8").encode(encoding))
    assert records(built_from(path, tmp_path / "out"))["3"]["text"] == "Zürich, paper 3"


def test_a_workbook_with_numbers_blanks_and_escapes(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Y1", "Y2", "Y ", "Domain", "area ", "keywords", "Abstract"])
    for cell in ("one", "two_x000D_", 3):
        sheet.append([0.0, 5, 5, "CS ", " Machine learning  ", 2017, cell])
    sheet.append([None] * 7)
    book.save(tmp_path / "Data.xlsx")
    found = records(built_from(tmp_path / "Data.xlsx", tmp_path / "out"))
    assert {label: one["text"] for label, one in found.items()} == {"0": "one", "1": "two", "2": "3"}


def message(source: Path, tmp_path: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        built_from(source, tmp_path / "out")
    return str(caught.value)


def test_numbers_without_names_are_not_enough(tmp_path: Path) -> None:
    folder = write_wos(tmp_path / "raw")
    (folder / "Meta-data" / "Data.xlsx").unlink()
    assert "add Meta-data/Data.xlsx" in message(folder, tmp_path)


def test_what_is_no_wos(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    assert "neither Data.xlsx nor Data.txt" in message(tmp_path / "raw", tmp_path)
    data = tmp_path / "raw" / "Data.txt"
    data.write_text("Y1\tY2\tdomain\n")
    assert "no column area and no column Abstract" in message(data, tmp_path)
    data.write_text("Y1\tY2\tY\tDomain\tarea\tkeywords\tAbstract\n")
    assert "0 rows" in message(data, tmp_path)
    (tmp_path / "Data.xlsx").write_bytes(b"not a workbook")
    assert "cannot be read as .xlsx" in message(tmp_path / "Data.xlsx", tmp_path)
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_the_published_split_is_pinned() -> None:
    parts = published_split(46_985)
    assert Counter(parts) == {"train": 30_070, "validation": 7_518, "test": 9_397}
    assert split_hashes(parts) == PUBLISHED


@pytest.mark.parametrize("rows", [3, 120, 46_985])
def test_the_split_is_the_recipe_word_by_word(rows: int) -> None:
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(7)  # noqa: NPY002
    order = list(range(rows))
    np.random.shuffle(order)  # noqa: NPY002
    np.random.set_state(before)  # noqa: NPY002
    train, test = train_test_split(np.array(order), test_size=0.2, random_state=0)
    train, validation = train_test_split(train, test_size=0.2, random_state=0)
    parts = published_split(rows)
    for name, some in (("train", train), ("validation", validation), ("test", test)):
        assert sorted(some.tolist()) == [row for row, part in enumerate(parts) if part == name]


def test_building_leaves_the_random_numbers_of_others_alone() -> None:
    np.random.seed(1)  # noqa: NPY002
    wanted = np.random.random()  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    published_split(10)
    assert np.random.random() == wanted  # noqa: NPY002


@given(st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("abc")), max_size=30))
def test_merging_takes_an_area_of_the_same_code_that_is_no_rarer(pairs: list[tuple[str, str]]) -> None:
    rows = [Row(("1", code), "CS", area, "") for code, area in pairs]
    often = Counter(area for _, area in pairs)
    for number, (row, area) in enumerate(zip(rows, merged_areas(rows), strict=True)):
        before = {one.area for one in rows[: number + 1] if one.code == row.code}
        assert area in before
        assert area == row.area or often[area] > often[row.area]
        if area == row.area:
            assert all(often[one] <= often[area] for one in before)


def test_the_written_lines_are_ours(built: Built) -> None:
    import pyarrow as pa

    with pa.input_stream(str(built.folder / "test.jsonl.zst"), compression="zstd") as stream:
        first = json.loads(stream.read().decode().splitlines()[0])
    assert list(first) == ["id", "text", "labels"]
