"""Tables, page and files say what was measured, and where systems err."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from branchwise import Corpus, evaluate
from branchwise.compare.analysis import analyse
from branchwise.compare.errors import sibling_confusions, worst_documents
from branchwise.compare.frequency import buckets, f1_of
from branchwise.compare.making import OWN
from branchwise.compare.output import latex, tables, write_files
from branchwise.compare.page import write_page
from branchwise.compare.results import spread
from branchwise.compare.significance import all_pairs, holm
from branchwise.compare.tables import comparison_table
from branchwise.evaluation import paired_bootstrap
from branchwise.report.latex import escape
from branchwise.report.table import Table
from branchwise.taxonomy import LabelSets
from tests.compare.corpora import parts, run, write_predictions
from tests.rivals.corpora import TREE


@pytest.fixture(scope="module")
def analysis(three):
    return analyse(three, resamples=50)


def test_mean_and_standard_deviation(tmp_path: Path) -> None:
    test = parts()[2]
    truth = test.labels.to_ids(TREE)
    values, files = [], []
    for seed, wrong in enumerate((3, 7, 12)):
        labels = [["moss"] if row < wrong else own for row, own in enumerate(truth)]
        files.append(f"x={write_predictions(tmp_path / f'{seed}.jsonl', test.ids, labels)}")
        values.append(100 * evaluate(TREE, test.labels, labels).micro_f1)
    results = run(tmp_path / "out", "", predictions=files)
    expected = f"{np.mean(values):.2f} ± {np.std(values, ddof=1):.2f}"
    [row] = comparison_table(results).rows
    assert row[:4] == ("others", "x", 3, expected)
    assert spread([None]) is None
    assert spread([0.5, None]).sd is None


def test_the_comparison_table_has_the_numbers_of_evaluate(three) -> None:
    table = comparison_table(three)
    assert [row[:3] for row in table.rows] == [
        ("flat", "svm", 1),
        ("", "leaf-svm", 1),
        ("local", "td-svm", 1),
    ]
    for row in table.rows:
        measured = three[row[1]].runs[0].ways[OWN]
        assert row[3] == f"{100 * measured['micro_f1']:.2f}"
        assert row[4] == f"{100 * measured['macro_f1_all']:.2f}"
    assert 'class="number"' in table.html()


def test_pairs_are_those_of_the_paired_bootstrap() -> None:
    test = parts()[2]
    truth = test.labels
    first = truth.take(np.roll(np.arange(len(truth)), 3))
    second = LabelSets.from_lists([[0]] * len(truth))
    [one] = all_pairs(TREE, truth, {"a": first, "b": second}, resamples=40)
    assert one.bootstrap == paired_bootstrap(TREE, truth, first, second, resamples=40)
    assert one.adjusted["micro_f1"] == one.bootstrap["micro_f1"].p_value
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_planted_sibling_confusions_are_found() -> None:
    test = parts()[2]
    swapped = [["dog" if one == "cat" else one for one in own] for own in test.labels.to_ids(TREE)]
    predicted = TREE.label_sets(swapped)
    cat, dog = TREE.position("cat"), TREE.position("dog")
    [one] = sibling_confusions(TREE, test.labels, predicted)
    both = [own for own in test.labels.to_ids(TREE) if "cat" in own and "dog" not in own]
    assert (one.true, one.predicted, one.documents) == (cat, dog, len(both))
    assert one.support == sum("cat" in own for own in test.labels.to_ids(TREE))


def test_the_worst_documents_come_first() -> None:
    truth = TREE.label_sets([["cat"], ["cat", "moss"], ["dog"]])
    predicted = TREE.label_sets([["cat"], [], ["moss"]])
    worst = worst_documents(truth, predicted)
    assert [one.row for one in worst] == [1, 2]
    assert len(worst[0].missed) == 4
    assert worst[1].f1 == 0


def test_planted_wrong_labels_are_found(tmp_path: Path) -> None:
    train, validation, test = parts()
    planted = {4: ["moss"], 11: ["dog"], 23: ["tree"]}
    given = test.given.to_ids(TREE)
    planted = {row: own for row, own in planted.items() if not set(own) & set(given[row])}
    labels = [planted.get(row, own) for row, own in enumerate(given)]
    spoiled = Corpus.from_texts(list(test.texts()), labels, TREE, test.ids)
    results = run(tmp_path, "svm,td-svm,leaf-svm", corpora=(train, validation, spoiled))
    found = analyse(results, resamples=10)
    suspects = {one.row: one for one in found.suspects}
    assert len(planted) >= 2
    assert planted.keys() <= suspects.keys()
    assert {one.row for one in found.suspects[: len(planted)]} == planted.keys()
    for row in planted:
        assert suspects[row].confidence > suspects[row].confidence_in_label
        assert tuple(TREE.ids[one] for one in suspects[row].labels) == test.labels.to_ids(TREE)[row]


def test_label_frequency(three) -> None:
    training = np.array([5, 0, 12, 60, 9, 2000])
    found = buckets(training, np.array([1, 1, 1, 0, 1, 1]))
    assert [(one.name, one.positions) for one in found] == [
        ("0", (1,)),
        ("1 to 9", (0, 4)),
        ("10 to 49", (2,)),
        ("1,000 or more", (5,)),
    ]
    measured = three["svm"].runs[0].ways[OWN]
    whole = f1_of(measured, range(len(three.tree)))
    assert whole["micro_f1"] == pytest.approx(measured["micro_f1"])
    assert whole["macro_f1"] == pytest.approx(measured["macro_f1_all"])


def test_the_page_is_one_file_and_holds_all_tables(analysis, tmp_path: Path) -> None:
    page = write_page(analysis, tmp_path, lambda _: None).read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=[\"']?(https?:)?//|url\(|@import", page)
    assert str(tmp_path) not in page
    for table in tables(analysis):
        assert table.html() in page
    for sentence in analysis.verdicts:
        assert sentence in page
    for title in (
        "Label inconsistency",
        "By level",
        "By label frequency",
        "Siblings taken",
        "probably wrong",
    ):
        assert title in page
    assert page.count("<img ") == 4
    assert "\u201ctuned\u201d give every system the same help" in page


def test_without_matplotlib_the_page_says_so(
    analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said: list[str] = []
    page = write_page(analysis, tmp_path, said.append).read_text(encoding="utf-8")
    assert "branchwise[figures]" in said[0]
    assert "<img" not in page
    assert "There are no pictures" in page


def test_csv_and_json(analysis, three, tmp_path: Path) -> None:
    write_files(analysis, tmp_path)
    with (tmp_path / "comparison.csv").open(newline="") as file:
        rows = {(one["system"], one["decision"], one["metric"]): one for one in csv.DictReader(file)}
    measured = three["td-svm"].runs[0].ways[OWN]
    assert float(rows["td-svm", "own", "micro_f1"]["value"]) == measured["micro_f1"]
    assert (
        float(rows["td-svm", "own", "level_2.macro_f1_all"]["value"]) == measured["levels"][1]["macro_f1_all"]
    )
    assert ("svm", "", "training_seconds") in rows
    data = json.loads((tmp_path / "comparison.json").read_text())
    assert data["systems"]["svm"]["own"]["micro_f1"]["runs"] == 1
    assert data["verdict"] == analysis.verdicts
    assert len(data["differences"]["own"]) == 3
    assert data["likely_label_errors"]["systems_asked"]


def test_latex_is_balanced_and_escaped(analysis) -> None:
    odd = Table("a & b_c % of {d} $e$ #f ~g ^h \\i", ("x_1", "y"))
    odd.add("[1]", "2 ± 1")
    for text in (latex(analysis), odd.latex()):
        body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
        plain = re.sub(r"\\[{}]", "", body)
        depth = 0
        for one in plain:
            depth += {"{": 1, "}": -1}.get(one, 0)
            assert depth >= 0
        assert depth == 0
        begun, ended = re.findall(r"\\begin\{(\w+)\}", body), re.findall(r"\\end\{(\w+)\}", body)
        assert sorted(begun) == sorted(ended)
        assert len(re.findall(r"(?<!\\)\$", body)) % 2 == 0
        assert not re.search(r"(?<!\\)[%#_]", body)
        for spec, rows in re.findall(r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", body, re.DOTALL):
            for row in (line for line in rows.splitlines() if line.endswith(r"\\")):
                assert len(re.findall(r"(?<!\\)&", row)) == len(spec) - 1
    assert escape("100 % & 1_a \\ ±") == r"100 \% \& 1\_a \textbackslash{} $\pm$"
