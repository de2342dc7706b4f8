"""From raw files to the papers' tables: the whole chain at scale smoke, on small files in each raw format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from branchwise.corpus.sources.published import published
from branchwise.rivals import rival
from tests.corpus.sources import nyt, rcv1, wos

SMOKE = ("--scale", "smoke", "--systems", "svm,pamm", "--set", "passes=1", "--set", "precision=fp32")


def raw_rcv1(folder: Path) -> Path:
    cds = rcv1.Cds(rcv1.stories(300), rcv1.odd_stories())
    rcv1.write_topics(cds.write_zips(folder), cds.kept)
    return folder


def raw_nyt(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return nyt.write_archive(folder / "nyt_corpus.tgz", nyt.articles(90))


def raw_wos(folder: Path) -> Path:
    return wos.write_wos(folder, 200)


RAW: dict[str, Callable[[Path], Path]] = {"rcv1": raw_rcv1, "nyt": raw_nyt, "wos": raw_wos}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write every benchmark's raw files."""
    return {name: write(tmp_path_factory.mktemp(name) / "raw") for name, write in RAW.items()}


@pytest.fixture(scope="module")
def made(
    sources: dict[str, Path], backbone: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Reproduce every benchmark once for all tests that only look, and return the folders."""
    from branchwise.cli.main import _exit_code

    folders = {}
    for name, source in sources.items():
        folders[name] = tmp_path_factory.mktemp(f"{name}-made") / "out"
        given = ["reproduce", name, "--source", str(source), "--output", str(folders[name])]
        assert _exit_code([*given, *SMOKE, "--backbone", str(backbone)]) == 0
    return folders


@pytest.mark.parametrize("name", RAW)
def test_published_figures_stand_beside_ours_with_the_gap(name: str, made: dict[str, Path]) -> None:
    found = json.loads((made[name] / "reproduction.json").read_text())
    systems = {one["name"]: one for one in found["systems"]}
    paper = {one["name"]: one for one in published()[name]["rows"]}
    assert paper.keys() <= systems.keys()
    for title, row in paper.items():
        assert systems[title]["published"]["micro"] == row["micro"]
        assert systems[title]["published"]["macro"] == row["macro"]
        assert systems[title]["published"]["source"].startswith("Huang et al.")
    ours = systems["PAMM-HiA-T5"]
    measured = json.loads((made[name] / "comparison" / "comparison.json").read_text())["systems"]["pamm"]
    assert ours["ours"]["micro_f1"]["mean"] == measured["free"]["micro_f1"]["mean"]
    assert ours["constrained"]["micro_f1"]["mean"] == measured["own"]["micro_f1"]["mean"]
    gap = 100 * measured["free"]["macro_f1_all"]["mean"] - paper["PAMM-HiA-T5"]["macro"]
    assert ours["gap"]["macro_f1_all"] == pytest.approx(gap)
    if "SVM" in systems:
        assert systems["SVM"]["ours"]["micro_f1"]["mean"] > 0.1
    assert not [one for one in found["systems"] if one["ours"] is None and one["gap"]["micro_f1"] is not None]


@pytest.mark.parametrize("name", RAW)
def test_the_page_and_the_tables_are_there_and_say_that_a_part_was_used(
    name: str, made: dict[str, Path]
) -> None:
    page = (made[name] / "index.html").read_text()
    assert "PAMM-HiA-T5 reaches" in page
    assert "published" in page
    assert "<svg" in page or "data:image/svg" in page
    assert r"\toprule" in (made[name] / "tables.tex").read_text()
    assert (made[name] / "comparison" / "index.html").exists()
    assert (made[name] / "published.svg").exists()


@pytest.mark.parametrize("name", RAW)
def test_the_same_command_goes_on_where_it_was(
    name: str,
    sources: dict[str, Path],
    made: dict[str, Path],
    backbone: Path,
    branchwise: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(rival("svm"), "fit", fail)
    answer = branchwise(
        "reproduce",
        name,
        "--source",
        sources[name],
        "--output",
        made[name],
        *SMOKE,
        "--backbone",
        backbone,
        "--json",
    )
    assert answer.code == 0
    assert "already, built from" in answer.err
    assert "svm, seed 0 is finished already." in answer.err
    assert answer.json == json.loads((made[name] / "reproduction.json").read_text())


def test_a_failed_system_is_named_and_tried_again(
    tmp_path: Path,
    branchwise: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = raw_nyt(tmp_path / "raw")
    given = ("reproduce", "nyt", "--source", raw, "--output", tmp_path / "out")
    given += ("--scale", "smoke", "--systems", "svm,td-svm")
    with monkeypatch.context() as patched:
        patched.setattr(rival("td-svm"), "fit", lambda *_, **__: 1 / 0)
        answer = branchwise(*given)
    assert answer.code == 1
    assert "Failed: td-svm (seed 0)" in answer.err
    answer = branchwise(*given)
    assert answer.code == 0
    assert "svm, seed 0 is finished already." in answer.err


def test_interrupted_while_building_nothing_half_made_is_taken_for_whole(
    tmp_path: Path,
    branchwise: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from branchwise.corpus.sources.nyt import Nyt

    raw = raw_nyt(tmp_path / "raw")
    given = ("reproduce", "nyt", "--source", raw, "--output", tmp_path / "out", "--scale", "smoke")
    given += ("--systems", "svm")
    whole = Nyt.documents

    def press(self: Nyt, *arguments: Any) -> Any:
        for number, one in enumerate(whole(self, *arguments)):
            if number == 20:
                raise KeyboardInterrupt
            yield one

    with monkeypatch.context() as patched:
        patched.setattr(Nyt, "documents", press)
        assert branchwise(*given).code == 130
    assert not list((tmp_path / "out" / "data").glob("*.jsonl.zst"))
    assert branchwise(*given).code == 0
    first = json.loads((tmp_path / "out" / "data" / "manifest.json").read_text())
    assert sum(one["documents"] for one in first["parts"].values()) >= 90


def test_parts_in_our_own_format_need_no_building(tmp_path: Path, branchwise: Callable[..., Any]) -> None:
    from branchwise import Corpus

    source = tmp_path / "arxiv"
    source.mkdir()
    for part, file in (("train", "train.jsonl"), ("validation", "dev.csv"), ("test", "test.jsonl.gz")):
        corpus = Corpus.bundled(part)
        corpus.take(range(150)).write(source / file)
    corpus.taxonomy.write(source / "taxonomy.tsv")
    answer = branchwise(
        "reproduce",
        "arxiv",
        "--source",
        source,
        "--output",
        tmp_path / "out",
        "--scale",
        "smoke",
        "--systems",
        "svm",
    )
    assert answer.code == 0
    assert "120 of 150 train, 60 of 150 validation, 120 of 150 test documents" in answer.err
    assert not (tmp_path / "out" / "data").exists()
    assert "only ours" in answer.out


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["imdb", "--source", "raw"], ["imdb", "rcv1"]),
        (["wos", "--source", "nowhere"], ["nowhere does not exist", "WOS"]),
        (["wos", "--source", "empty"], ["empty holds neither Data.xlsx"]),
        (["wos", "--source", "empty", "--systems", "bert"], ["'bert'", "svm"]),
        (["wos", "--source", "empty", "--set", "colour=red"], ["'colour'"]),
    ],
)
def test_mistakes_leave_2_with_one_sentence(
    arguments: list[str],
    parts: list[str],
    tmp_path: Path,
    branchwise: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    answer = branchwise("reproduce", *arguments, "--output", "out")
    assert answer.code == 2
    (error,) = [one for one in answer.err.splitlines() if one.startswith("Error: ")]
    for part in parts:
        assert part in error


SVM = ("--scale", "smoke", "--systems", "svm")


@pytest.fixture
def built(tmp_path: Path, branchwise: Callable[..., Any]) -> tuple[Path, Path]:
    """Reproduce WOS with one SVM; return raw files and output."""
    source, output = raw_wos(tmp_path / "raw"), tmp_path / "out"
    assert branchwise("reproduce", "wos", "--source", source, "--output", output, *SVM).code == 0
    return source, output


def test_what_was_built_from_other_files_or_in_another_way_is_not_taken(
    built: tuple[Path, Path], tmp_path: Path, branchwise: Callable[..., Any]
) -> None:
    source, output = built
    given = ("reproduce", "wos", "--source", source, "--output", output)

    def refused(*arguments: object) -> str:
        answer = branchwise(*arguments)
        assert answer.code == 2
        return str(answer.err.splitlines()[-1])

    assert "was begun at scale smoke" in refused(*given, "--scale", "small", "--systems", "svm")
    assert "as it was built with {'merge_areas': True}" in refused(*given, *SVM, "--option", "merge_areas=no")
    assert "NAME=VALUE with one of merge_areas" in refused(*given, *SVM, "--option", "colour=red")
    other = ("reproduce", "rcv1", "--source", output / "data", "--output", tmp_path / "other", *SVM)
    assert "holds wos, not rcv1" in refused(*other)
    within = ("reproduce", "wos", "--source", source, "--output", source / "out", *SVM)
    assert "is among the raw files" in refused(*within)
    (source / "notes.txt").write_text("mine")
    assert "has changed since" in refused(*given, *SVM)


def test_once_built_the_raw_files_may_go_and_a_lost_part_is_built_again(
    built: tuple[Path, Path], branchwise: Callable[..., Any]
) -> None:
    source, output = built
    given = ("reproduce", "wos", "--source", source, "--output", output, *SVM)
    (output / "data" / "test.jsonl.zst").unlink()
    assert branchwise(*given).code == 0
    assert (output / "data" / "test.jsonl.zst").exists()
    source.rename(source.with_name("elsewhere"))
    answer = branchwise(*given)
    assert answer.code == 0
    assert "already, built from raw." in answer.err


def test_rows_of_ones_own(built: tuple[Path, Path], tmp_path: Path, branchwise: Callable[..., Any]) -> None:
    from branchwise import Corpus, Taxonomy

    source, output = built
    tree = Taxonomy.read(output / "data" / "taxonomy.tsv")
    test = Corpus.read(output / "data" / "test.jsonl.zst", tree)
    lines = [
        json.dumps({"id": one, "labels": labels})
        for one, labels in zip(test.ids, test.labels.to_ids(tree), strict=True)
    ]
    (tmp_path / "mine.jsonl").write_text("\n".join(lines) + "\n")
    given = ("reproduce", "wos", "--source", source, "--output", output, "--scale", "smoke", "--json")
    answer = branchwise(
        *given, "--systems", "svm,hiagm=svm", "--predictions", f"mine={tmp_path / 'mine.jsonl'}"
    )
    assert answer.code == 0
    systems = {one["name"]: one for one in answer.json["systems"]}
    assert systems["mine"]["ours"]["micro_f1"]["mean"] == 1
    assert systems["hiagm"]["published"] is None
    assert systems["HiAGM"]["ours"] is None  # published, and what is called so here is another system
