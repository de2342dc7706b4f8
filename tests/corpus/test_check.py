"""The check: every finding appears where its case is planted, and a clean corpus has none."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from branchwise.corpus import Corpus, machine
from branchwise.corpus.check import CheckReport, Finding, check
from branchwise.corpus.machine import Machine
from branchwise.errors import CorpusError
from branchwise.taxonomy import Taxonomy

WORDS = [f"w{i}" for i in range(3000)]
TREE = Taxonomy.from_nodes(
    ["a", "b", "a1", "a2", "b1", "a1x", "a1y"], [None, None, "a", "a", "b", "a1", "a1"]
)
LEAVES = (["a1x"], ["a1y"], ["a2"], ["b1"], ["a1x", "b1"])

Row = tuple[str, str, Sequence[str]]  # id, text, labels


def text(seed: str, words: int = 40) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def clean() -> dict[str, list[Row]]:
    return {
        part: [(f"{part}{i}", text(f"{part}{i}"), LEAVES[i % 5]) for i in range(size)]
        for part, size in (("train", 60), ("validation", 10), ("test", 10))
    }


def corpora(rows: dict[str, list[Row]], tree: Taxonomy = TREE) -> dict[str, Corpus]:
    found = {}
    for name, part in rows.items():
        ids, texts, labels = zip(*part, strict=True)
        found[name] = Corpus.from_texts(texts, labels, tree, ids)
    return found


def report_on(rows: dict[str, list[Row]], tree: Taxonomy = TREE, **options: object) -> CheckReport:
    return check(corpora(rows, tree), **options)  # type: ignore[arg-type]


def only(report: CheckReport, kind: str) -> Finding:
    assert [finding.kind for finding in report.findings] == [kind]
    return report.findings[0]


def test_a_clean_corpus_has_no_findings() -> None:
    report = report_on(clean())
    assert report.findings == ()
    assert report.counts == {"error": 0, "warning": 0, "note": 0}
    assert not report.has_errors
    assert report.sizes == {"train": 60, "validation": 10, "test": 10}


def test_labels_without_any_document() -> None:
    tree = Taxonomy.from_nodes([*TREE.ids, "z"], [*("" if p < 0 else TREE.ids[p] for p in TREE.parent), "b"])
    found = only(report_on(clean(), tree), "labels_without_documents")
    assert (found.severity, found.count, found.examples) == ("warning", 1, ("z",))
    assert found.sentence.startswith("1 of 8 labels has no document at all (z)")


def test_labels_with_few_documents() -> None:
    rows = clean()
    rows["train"] = [row for row in rows["train"] if row[2] != ["a2"]]
    rows["train"] += [(f"few{i}", text(f"few{i}"), ["a2"]) for i in range(4)]
    found = only(report_on(rows), "labels_with_few_documents")
    assert (found.count, found.examples, found.details) == (1, ("a2",), {"below_5": 1, "below_10": 1})
    assert "a2: 4" in found.sentence
    rows["train"] += [(f"more{i}", text(f"more{i}"), ["a2"]) for i in range(5)]
    assert only(report_on(rows), "labels_with_few_documents").details == {"below_5": 0, "below_10": 1}
    rows["train"].append(("tenth", text("tenth"), ["a2"]))
    assert report_on(rows).findings == ()


def test_labels_that_are_evaluated_but_never_trained() -> None:
    rows = clean()
    rows["train"] = [row for row in rows["train"] if row[2] != ["a1y"]]
    found = only(report_on(rows), "labels_never_trained")
    assert (found.severity, found.count, found.examples) == ("warning", 1, ("a1y",))
    assert found.details == {"documents": 4}
    assert "1 label occurs in validation or test but never in train (a1y)" in found.sentence


def test_the_part_to_train_on_is_the_one_named_train_or_the_first() -> None:
    rows = clean()
    rows["train"] = [row for row in rows["train"] if row[2] != ["a1y"]]
    reordered = {name: rows[name] for name in ("test", "validation", "train")}
    assert report_on(reordered).of_kind("labels_never_trained") is not None
    renamed = {"past": rows["train"], "future": rows["test"]}
    found = report_on(renamed).of_kind("labels_never_trained")
    assert found is not None
    assert "in future but never in past" in found.sentence


def test_documents_without_labels() -> None:
    rows = clean()
    rows["validation"][3] = ("v3", text("v3"), [])
    found = only(report_on(rows), "unlabelled_documents")
    assert (found.count, found.examples) == (1, ("v3 (validation)",))


def test_very_skewed_labels() -> None:
    tree = Taxonomy.from_nodes(["a", "b", "c"], [None] * 3)
    rows: list[Row] = [(f"a{i}", text(f"a{i}", 12), ["a"]) for i in range(1200)]
    rows += [(f"{one}{i}", text(f"{one}{i}"), [one]) for one in "bc" for i in range(12)]
    found = only(report_on({"train": rows}, tree), "skewed_labels")
    assert found.details == {"levels": {"1": {"label": "a", "ratio": 100.0}}}
    assert "the label a has 1,200 documents, 100 times as many as the median label" in found.sentence
    assert report_on({"train": rows[1:]}, tree).findings == ()


def test_label_sets_that_skip_a_level() -> None:
    rows = clean()
    rows["train"][0] = ("skips", text("skips"), ["a", "a1x"])
    found = only(report_on(rows), "skipped_levels")
    assert (found.severity, found.count, found.examples) == ("note", 1, ("skips (train)",))
    assert "a1x and a are given but not the label between them" in found.sentence
    rows["train"][0] = ("whole", text("skips"), ["a", "a1", "a1x"])
    rows["train"][1] = ("deepest only", text("deepest"), ["a1x", "b", "b1"])
    rows["train"][2] = ("without the first", text("no first"), ["a1", "a1x"])
    assert report_on(rows).findings == ()


def test_label_sets_that_stop_at_an_inner_label() -> None:
    rows = clean()
    rows["test"][2] = ("t2", text("t2"), ["a1", "b1"])
    found = only(report_on(rows), "inner_stops")
    assert (found.severity, found.count, found.examples) == ("note", 1, ("t2 (test)",))
    assert found.details == {"share": 1 / 80}


def test_targets_that_are_too_long() -> None:
    assert report_on(clean(), target_limit=10).findings == ()  # the largest set is a b a1 b1 a1x: 10 symbols
    found = only(report_on(clean(), target_limit=9), "long_targets")
    assert found.count == 16
    assert found.details == {"limit": 9, "longest": 10}


def test_long_texts_by_estimate() -> None:
    rows = clean()
    rows["train"][7] = ("long", " ".join(["word"] * 300), ["a2"])
    found = only(report_on(rows), "long_texts")
    assert (found.severity, found.count, found.examples) == ("note", 1, ("long (train)",))
    assert found.details["estimated"] is True
    assert "an estimate" in found.sentence
    half = report_on(clean(), input_limit=20).of_kind("long_texts")
    assert half is not None
    assert (half.severity, half.count, half.details["share"]) == ("warning", 80, 1.0)
    assert f"an input limit of {half.details['p95_pieces']} keeps 95 %" in half.sentence


def test_long_texts_by_a_tokenizer(tmp_path: Path) -> None:
    tokenizer = Tokenizer(WordLevel({"?": 0}, unk_token="?"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.enable_truncation(8)  # as tokenizer files often have it: lengths must not be cut by it
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    rows = clean()
    rows["train"][7] = ("long", text("long", 51), ["a2"])
    for named in (tokenizer, tmp_path, str(tmp_path / "tokenizer.json")):
        found = only(report_on(rows, tokenizer=named, input_limit=50), "long_texts")
        assert (found.count, found.details["estimated"]) == (1, False)
    assert report_on(rows, tokenizer=tokenizer, input_limit=51).findings == ()
    assert tokenizer.truncation is not None  # the caller's own is left as it was
    with pytest.raises(CorpusError, match="There is no tokenizer"):
        report_on(rows, tokenizer=tmp_path / "other.json")
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(CorpusError, match="is not a tokenizer"):
        report_on(rows, tokenizer=tmp_path / "broken.json")


def test_empty_texts() -> None:
    rows = clean()
    rows["train"][4] = ("blank", " \n", ["a2"])
    rows["test"][4] = ("none", "", ["a2"])
    found = only(report_on(rows), "empty_texts")  # and not a leak from train to test
    assert (found.count, found.examples) == (2, ("blank (train)", "none (test)"))


def test_a_text_in_two_parts_is_an_error() -> None:
    rows = clean()
    one, same, labels = rows["train"][4]
    rows["test"][4] = ("copy", same.upper() + "!", labels)
    report = report_on(rows)
    found = only(report, "shared_texts")
    assert (found.severity, found.count, found.examples) == ("error", 1, (f"copy (test) = {one} (train)",))
    assert "1 document outside train (5.0 %) has a text that stands in another part" in found.sentence
    assert report.has_errors


def test_a_near_copy_in_two_parts() -> None:
    rows = clean()
    one, same, labels = rows["train"][4]
    rows["validation"][4] = ("near", same + " and one more", labels)
    found = only(report_on(rows), "shared_near_texts")
    assert (found.severity, found.examples) == ("warning", (f"near (validation) = {one} (train)",))


def test_an_id_in_two_parts() -> None:
    rows = clean()
    _, same, labels = rows["test"][5]
    rows["test"][5] = ("train5", same, labels)
    found = only(report_on(rows), "shared_ids")
    assert (found.severity, found.examples, found.details) == (
        "warning",
        ("train5 (test)",),
        {"same_text": 0},
    )
    rows["test"][5] = ("train5", rows["train"][5][1], labels)
    report = report_on(rows)
    assert {one.kind: one.severity for one in report.findings} == {
        "shared_texts": "error",
        "shared_ids": "error",
    }


def test_ids_that_number_the_rows_of_each_file_are_no_leak() -> None:
    rows = {
        name: [(str(i), one, labels) for i, (_, one, labels) in enumerate(part, 1)]
        for name, part in clean().items()
    }
    assert report_on(rows).findings == ()


def test_an_id_twice_in_a_part() -> None:
    rows = clean()
    rows["train"][5] = ("train0", *rows["train"][5][1:])
    found = only(report_on(rows), "repeated_ids")
    assert (found.severity, found.count, found.examples) == ("error", 1, ("train0 (train)",))


def test_repeats_within_a_part() -> None:
    rows = clean()
    _, same, labels = rows["train"][4]
    rows["train"][9] = ("again", same.title(), labels)
    found = only(report_on(rows), "repeated_texts")
    assert (found.severity, found.count, found.examples) == (
        "warning",
        1,
        ("again (train) = train4 (train)",),
    )
    rows["train"][14] = ("nearly", same + " and one more", labels)
    report = report_on(rows)
    assert [one.kind for one in report.findings] == ["repeated_texts", "near_repeats"]
    near = report.of_kind("near_repeats")
    assert near is not None
    assert (near.count, near.examples) == (1, ("nearly (train) = train4 (train)",))


def test_equal_texts_with_different_labels() -> None:
    rows = clean()
    rows["train"][9] = ("again", rows["train"][0][1], ["b1"])
    report = report_on(rows)
    found = report.of_kind("contradicting_labels")
    assert found is not None
    assert (found.severity, found.count, found.examples) == (
        "warning",
        1,
        ("again (train) = train0 (train)",),
    )
    rows["train"][9] = ("again", rows["train"][0][1], ["a", "a1", "a1x"])  # the same set, spelled out
    assert report_on(rows).of_kind("contradicting_labels") is None


def test_a_single_part_names_documents_by_id_alone() -> None:
    rows = clean()
    rows["train"][9] = ("again", rows["train"][4][1], rows["train"][4][2])
    assert only(report_on({"train": rows["train"]}), "repeated_texts").examples == ("again = train4",)


def test_findings_come_gravest_first_and_go_into_json() -> None:
    rows = clean()
    rows["test"][4] = ("copy", rows["train"][4][1], ["a1"])
    rows["train"][8] = ("blank", "", ["b1"])
    report = report_on(rows)
    severities = [finding.severity for finding in report.findings]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert set(severities) == {"error", "warning", "note"}
    found = json.loads(json.dumps(report.to_dict()))
    assert found["counts"] == report.counts
    assert found["findings"][0]["kind"] == "shared_texts"
    assert all(finding.sentence.endswith(".") for finding in report.findings)


def test_a_backbone_adds_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("branchwise.corpus.estimate.measure_machine", lambda: Machine("here", 1e11, None))
    report = report_on(clean(), backbone="t5-small")
    assert report.estimate is not None
    assert report.estimate.documents == 60
    assert report.to_dict()["estimate"]["backbone"] == "t5-small"
    assert report_on(clean()).estimate is None
    assert machine.measure_machine is not None
