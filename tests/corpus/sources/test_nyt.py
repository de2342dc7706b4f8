"""The New York Times corpus is built from every form in which people have it, with HiAGM's texts, labels and parts."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

import pytest

from branchwise.corpus.sources import benchmark, build
from branchwise.corpus.sources.build import Built
from branchwise.corpus.sources.nitf import read_article
from branchwise.corpus.sources.nyt import lists
from branchwise.errors import CorpusError

from . import nyt

LISTED = [number for number in lists()["test"] if Counter(lists()["test"])[number] == 1][:40]
REPEATED = "1671581"  # ten times in training, once in validation, twice for testing
NEWS = ["Top/News", "Top/News/World"]
WRITERS = {
    "dvd": lambda folder, files: nyt.write_dvd(folder / "nyt_corpus", files),
    "archive": lambda folder, files: nyt.write_archive(folder / "nyt_corpus_LDC2008T19.tgz", files),
    "unpacked": lambda folder, files: nyt.write_unpacked(folder / "nyt_corpus", files),
    "hiagm": lambda folder, files: nyt.write_hiagm(folder / "hiagm", files),
}


def built(folder: Path, files: nyt.Articles, form: str = "hiagm", **options: Any) -> Built:
    source = WRITERS[form](folder, files)
    return build(benchmark("nyt", **options), source, folder / f"built-{form}")


def one(folder: Path, data: bytes) -> dict[str, Any]:
    """Return what becomes of one file."""
    corpus = built(folder, {LISTED[0]: data}).part("test")
    ids = next(iter(corpus.labels.to_ids(corpus.taxonomy)))
    return {"text": next(iter(corpus.texts())), "labels": list(ids)}


def test_parts_labels_and_manifest(tmp_path: Path) -> None:
    files = nyt.articles(60)
    result = built(tmp_path, files, "dvd")
    parts = result.manifest["parts"]
    times = Counter(number for numbers in lists().values() for number in numbers)
    for name, numbers in lists().items():
        assert parts[name]["documents"] == sum(number in files for number in numbers)
        corpus = result.part(name)
        assert [one.partition("-")[0] for one in corpus.ids] == [one for one in numbers if one in files]
        assert corpus.fingerprint == parts[name]["fingerprint"]
    assert result.manifest["taxonomy"]["labels"] == len(result.tree) == 166
    assert result.tree.depth == 8
    assert result.manifest["statistics"]["most_labels"] >= 8
    dropped = result.manifest["dropped"]
    assert list(dropped) == ["not in the source"]
    missing = sum(count for number, count in times.items() if number not in files)
    assert dropped["not in the source"]["documents"] == missing
    assert missing + sum(part["documents"] for part in parts.values()) == 36_471


def test_every_layout_gives_the_same_documents(tmp_path: Path) -> None:
    files = nyt.articles(40)
    backwards = dict(reversed(files.items()))
    manifests = [
        built(tmp_path, backwards if form == "archive" else files, form).manifest["parts"] for form in WRITERS
    ]
    assert all(one == manifests[0] for one in manifests)
    assert manifests[0]["train"]["fingerprint"] is not None


def test_nothing_is_unpacked(tmp_path: Path) -> None:
    source = nyt.write_archive(tmp_path / "nyt_corpus.tgz", nyt.articles(20))
    before = hashlib.sha256(source.read_bytes()).hexdigest()
    build(benchmark("nyt"), source, tmp_path / "built")
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()} == {
        "nyt_corpus.tgz",
        "built/manifest.json",
        "built/taxonomy.tsv",
        *(f"built/{part}.jsonl.zst" for part in ("train", "validation", "test")),
    }
    assert hashlib.sha256(source.read_bytes()).hexdigest() == before


@pytest.mark.parametrize("form", WRITERS)
def test_files_that_are_not_listed_are_not_parsed(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(nyt.UNLISTED not in numbers for numbers in lists().values())
    parsed: list[bytes] = []
    monkeypatch.setattr(
        "branchwise.corpus.sources.nyt.read_article", lambda data: parsed.append(data) or read_article(data)
    )
    files = {LISTED[0]: nyt.article(LISTED[0], NEWS, ["First.", "Second."]), nyt.UNLISTED: b"<nitf>"}
    result = built(tmp_path, files, form)
    assert parsed == [files[LISTED[0]]]
    assert result.manifest["parts"]["test"]["documents"] == 1
    assert list(result.manifest["dropped"]) == ["not in the source"]


def test_missing_documents_are_noted(tmp_path: Path) -> None:
    files = nyt.articles(30)
    said: list[str] = []
    build(benchmark("nyt"), nyt.write_hiagm(tmp_path / "raw", files), tmp_path / "built", tell=said.append)
    note = next(one for one in said if "not in the source" in one)
    assert note.startswith(f"{36_355 - len(files):,} of the 36,355 listed documents are not in the source")
    example = re.search(r"for example (\d{7}),", note)
    assert example is not None
    assert example[1] not in files
    assert any("NYT has" in one and "23,345 in the paper" in one for one in said)


def test_a_source_without_the_corpus_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "README").write_text("Nothing here.")
    with pytest.raises(CorpusError, match=r"holds no document of NYT.*not in the source"):
        build(benchmark("nyt"), tmp_path / "raw", tmp_path / "built")


class TestText:
    """All paragraphs but the document's first, without headline."""

    def test_an_abstract_is_left_out_and_the_lead_stays(self, tmp_path: Path) -> None:
        data = nyt.article(
            LISTED[0], NEWS, ["It began.", "It ended."], abstract="A summary (S)", lead=["It began."]
        )
        assert one(tmp_path, data)["text"] == "It began.\nIt began.\nIt ended."

    def test_without_an_abstract_the_lead_is_left_out(self, tmp_path: Path) -> None:
        data = nyt.article(LISTED[0], NEWS, ["LEAD: It began.", "It ended."], lead=["LEAD: It began."])
        assert one(tmp_path, data)["text"] == "LEAD: It began.\nIt ended."

    def test_a_document_without_full_text(self, tmp_path: Path) -> None:
        data = nyt.article(LISTED[0], NEWS, [], abstract="A summary", lead=["It began."], full_text=False)
        assert one(tmp_path, data)["text"] == "It began."

    def test_entities_quotes_and_spaces(self, tmp_path: Path) -> None:
        data = nyt.article(
            LISTED[0], NEWS, ["First.", "Bell &amp; Howell\tsaid &#147;no&#148;, caf&eacute;,\n  &lt;b&gt; Q"]
        )
        data = data.replace(b" Q<", b" \x93Q\x94 \xe2\x80\x94 <em>R</em><")
        assert one(tmp_path, data)["text"] == "Bell & Howell said “no”, café, <b> “Q” — R"


class TestLabels:
    """Labels are whole paths in the tree of 166."""

    @staticmethod
    def labels(folder: Path, *classifiers: str) -> list[str]:
        return one(folder, nyt.article(LISTED[0], classifiers, ["First.", "Second."]))["labels"]

    def test_ancestors_are_added(self, tmp_path: Path) -> None:
        got = self.labels(tmp_path, f"{nyt.NEW_YORK}/New York City")
        assert len(got) == 8
        assert got[0] == "Top/Features"
        assert got[-1].endswith("New York/New York City")

    def test_a_path_beyond_the_tree_is_cut(self, tmp_path: Path) -> None:
        got = self.labels(
            tmp_path, "Top/News/World/Countries and Territories/Niger/Niamey", "Top/Reference/X"
        )
        assert got == ["Top/News", "Top/News/World", "Top/News/World/Countries and Territories"]

    def test_a_root_alone_counts_for_nothing(self, tmp_path: Path) -> None:
        assert self.labels(tmp_path, "Top/Opinion", "Top/News/World") == NEWS

    def test_names_that_repeat_stay_apart(self, tmp_path: Path) -> None:
        got = self.labels(tmp_path, "Top/Features/Travel/Guides/Destinations/Africa", "Top/News/World/Africa")
        assert sum(label.endswith("/Africa") for label in got) == 2

    def test_other_classifiers_and_other_spellings_give_none(self, tmp_path: Path) -> None:
        assert self.labels(tmp_path, "TOP/NEWS/SPORTS", "Top/News/World") == NEWS


def test_what_cannot_be_used_is_dropped_with_a_reason(tmp_path: Path) -> None:
    empty, broken, bare, short, good = LISTED[:5]
    files = {
        empty: b"",
        broken: nyt.article(broken, NEWS, ["First.", "Second."])[:-40],
        bare: nyt.article(bare, [], ["First.", "Second."]),
        short: nyt.article(short, NEWS, ["First."]),
        good: nyt.article(good, NEWS, ["First.", "Second."]),
    }
    manifest = built(tmp_path, files, "dvd").manifest
    reasons = {"empty file": empty, "broken XML": broken, "no label": bare, "no text": short}
    for reason, number in reasons.items():
        assert manifest["dropped"][reason] == {"documents": 1, "examples": [number]}
    assert manifest["parts"]["test"]["documents"] == 1


def test_repetitions_are_kept_or_not(tmp_path: Path) -> None:
    files = {REPEATED: nyt.article(REPEATED, NEWS, ["First.", "Second."])}
    kept = built(tmp_path, files, "dvd")
    assert kept.part("train").ids[:2] == [REPEATED, f"{REPEATED}-2"]
    assert kept.part("test").ids == [f"{REPEATED}-12", f"{REPEATED}-13"]
    assert any(
        "documents more than once, 20 of them for training and for testing" in n
        for n in kept.manifest["notes"]
    )
    once = built(tmp_path, files, "hiagm", repeats=False)
    assert [once.manifest["parts"][name]["documents"] for name in lists()] == [1, 0, 0]
    assert once.manifest["options"] == {"repeats": False}
    assert not any("more than once" in note for note in once.manifest["notes"])


def test_the_lists_are_those_that_the_note_tells_of() -> None:
    note = package_files("branchwise.corpus.sources").joinpath("files/ORIGIN.md").read_text(encoding="utf-8")
    for part, numbers in lists().items():
        digest = hashlib.sha256("".join(f"{number}\n" for number in numbers).encode()).hexdigest()
        assert f"| {part} | {len(numbers):,} | {len(set(numbers)):,} | `{digest}` |" in note
    assert [len(numbers) for numbers in lists().values()] == [23_345, 5_834, 7_292]
