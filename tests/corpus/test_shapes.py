"""Whatever the shape of a record, its text and labels are found: fields, cells, paths, other tools' ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from branchwise import Corpus, Taxonomy
from branchwise.errors import CorpusError
from tests.corpus.files import TREE, Rows, write_rows

NAMED = "Root\tCS\tMedical\nCS\tMachine learning\tGraphics\nMedical\tSkin, care\n"
HIAGM: Rows = [
    {"token": ["deep", "nets", "learn"], "label": ["CS", "Machine learning"], "topic": ["a"]},
    {"token": ["rash"], "label": ["Skin, care", "Medical", "CS"]},
]
NEURAL: Rows = [
    {"doc_token": ["deep", "nets"], "doc_label": ["CS--Machine learning", "Medical"], "doc_keyword": []},
    {"doc_token": ["rash"], "doc_label": ["Medical--Skin, care"]},
]


@pytest.fixture
def named_tree(tmp_path: Path) -> Taxonomy:
    path = tmp_path / "names.taxonomy"
    path.write_text(NAMED)
    return Taxonomy.read(path)


def read(
    tmp_path: Path, rows: Rows, tree: Taxonomy | None = TREE, suffix: str = ".jsonl", **options: Any
) -> Corpus:
    return Corpus.read(write_rows(tmp_path / f"docs{suffix}", rows), tree, **options)


def sets_of(corpus: Corpus) -> list[tuple[str, ...]]:
    return corpus.labels.to_ids(corpus.taxonomy)


def refused(
    tmp_path: Path, rows: Rows, tree: Taxonomy | None = TREE, suffix: str = ".jsonl", **options: Any
) -> str:
    with pytest.raises(CorpusError) as caught:
        read(tmp_path, rows, tree, suffix, **options)
    return str(caught.value)


class TestOtherTools:
    """HiAGM's and NeuralClassifier's records are known by their field names."""

    def test_hiagm(self, tmp_path: Path, named_tree: Taxonomy) -> None:
        corpus = read(tmp_path, HIAGM, named_tree)
        assert list(corpus.texts()) == ["deep nets learn", "rash"]
        assert sets_of(corpus) == [("CS", "Machine learning"), ("CS", "Medical", "Skin, care")]

    def test_labels_alone(self, tmp_path: Path, named_tree: Taxonomy) -> None:
        for rows in (HIAGM, NEURAL, [{"labels": ["Machine learning"]}]):
            corpus = read(tmp_path, rows, named_tree, text_field=None)
            assert "Machine learning" in sets_of(corpus)[0]
            assert set(corpus.texts()) == {""}
            assert not corpus.report.problems

    def test_hiagm_names_no_parents_so_it_needs_the_taxonomy(self, tmp_path: Path) -> None:
        told = refused(tmp_path, HIAGM, None)
        assert told.startswith(
            "None of the labels is a path (one is 'CS'), so they make no tree: give the taxonomy"
        )

    def test_neural_classifier(self, tmp_path: Path, named_tree: Taxonomy) -> None:
        corpus = read(tmp_path, NEURAL, named_tree)
        assert list(corpus.texts()) == ["deep nets", "rash"]
        assert sets_of(corpus) == [("CS", "Medical", "Machine learning"), ("Medical", "Skin, care")]

    def test_neural_classifier_brings_its_own_tree(self, tmp_path: Path) -> None:
        corpus = read(tmp_path, NEURAL, None)
        assert corpus.taxonomy.ids == ("CS", "Medical", "CS > Machine learning", "Medical > Skin, care")
        assert corpus.taxonomy.names == ("CS", "Medical", "Machine learning", "Skin, care")
        assert sets_of(corpus)[0] == ("CS", "Medical", "CS > Machine learning")

    @pytest.mark.parametrize("rows", [HIAGM, NEURAL])
    def test_without_labels(self, tmp_path: Path, rows: Rows, named_tree: Taxonomy) -> None:
        bare = [{name: value for name, value in row.items() if "label" not in name} for row in rows]
        corpus = read(tmp_path, bare, named_tree, label_field=None)
        assert list(corpus.texts())[1] == "rash"
        assert sets_of(corpus) == [(), ()]

    def test_fields_that_are_named_are_taken_as_they_are(self, tmp_path: Path, named_tree: Taxonomy) -> None:
        rows = [{"text": "mine", **HIAGM[0]}]
        assert "has no field 'labels'; it has text, token, label" in refused(tmp_path, rows, named_tree)
        corpus = read(tmp_path, rows, named_tree, label_field="label")
        assert list(corpus.texts()) == ["mine"]


class TestFields:
    """Text, labels and ids stand where the user says."""

    def test_several_text_fields_are_joined_by_a_line_feed(self, tmp_path: Path) -> None:
        rows: Rows = [
            {"title": "One", "body": "more", "labels": ["cs"]},
            {"title": "Two", "body": None, "labels": ["cs"]},
            {"title": "  ", "body": "only", "labels": ["cs"]},
        ]
        corpus = read(tmp_path, rows, text_field=["title", "body"])
        assert list(corpus.texts()) == ["One\nmore", "Two", "only"]

    def test_a_bad_part_of_the_text_does_not_lose_the_good_ones(self, tmp_path: Path) -> None:
        rows = [{"title": "One", "body": 7, "labels": ["cs"]}]
        fields = ["title", "body"]
        assert "line 1: the field 'body' is a number (7), not a text; make it a string" in refused(
            tmp_path, rows, text_field=fields
        )
        assert list(read(tmp_path, rows, text_field=fields, bad_text="keep").texts()) == ["One\n7"]

    @pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ".xlsx"])
    def test_id_and_kept_fields(self, tmp_path: Path, suffix: str) -> None:
        rows = [{"key": 10, "text": "One", "labels": "cs", "site": "x", "year": 2001.0, "none": None}] * 1
        rows.append({"key": 11, "text": "Two", "labels": "cs", "site": "ÿ", "year": 2002.5, "none": None})
        corpus = read(tmp_path, rows, suffix=suffix, id_field="key", keep_fields=["site", "year", "none"])
        assert corpus.ids == ["10", "11"]
        assert corpus.documents.column_names == ["id", "text", "site", "year", "none"]
        assert corpus.documents["site"].to_pylist() == ["x", "ÿ"]
        assert [float(one) for one in corpus.documents["year"].to_pylist()] == [2001, 2002.5]
        assert corpus.documents["none"].to_pylist() == ["", ""]

    def test_a_field_kept_twice(self, tmp_path: Path) -> None:
        rows = [{"id": "1", "text": "One", "labels": "cs", "site": "x"}]
        for names in (["id"], ["text"], ["labels"], ["site", "site"]):
            assert "cannot be carried along" in refused(tmp_path, rows, keep_fields=names)

    def test_ids_of_every_kind_become_strings(self, tmp_path: Path) -> None:
        ids: list[Any] = [7, "07", 7.5, 8.0, 2**70, True, ["a", 1], "ü"]
        rows: Rows = [{"id": one, "text": "t", "labels": []} for one in ids]
        expected = ["7", "07", "7.5", "8", str(2**70), "True", '["a", 1]', "ü"]
        assert read(tmp_path, rows).ids == expected

    def test_a_missing_id_is_a_number_unless_its_field_was_named(self, tmp_path: Path) -> None:
        rows: Rows = [{"id": "a", "text": "t", "labels": []}, {"id": None, "text": "t", "labels": []}]
        assert read(tmp_path, rows).ids == ["a", "2"]
        told = refused(tmp_path, rows, id_field="id")
        assert (
            "line 2: the field 'id' that holds the ids is empty; give every row an id, or choose --bad-row"
            in told
        )
        for choice in ("skip", "keep"):
            corpus = read(tmp_path, rows, id_field="id", bad_row=choice)
            assert (corpus.ids, corpus.report.skipped) == (["a"], 1)

    def test_missing_values_as_pandas_writes_them(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.jsonl"
        path.write_text(
            '{"id": NaN, "text": "One", "labels": NaN}\n{"id": 2.0, "text": NaN, "labels": 5.0}\n'
        )
        corpus = Corpus.read(path, TREE, missing_text="keep")
        assert corpus.ids == ["1", "2"]
        assert list(corpus.texts()) == ["One", ""]
        assert sets_of(corpus) == [(), ("5",)]


class TestCells:
    """Labels in a list, or several in one cell of text, or numbers."""

    @pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv", ".parquet", ".xlsx"])
    def test_separators(self, tmp_path: Path, suffix: str) -> None:
        rows = [{"text": "t", "labels": " cs.AI ; stat.ML;;"}, {"text": "u", "labels": "cs"}]
        assert sets_of(read(tmp_path, rows, suffix=suffix))[0] == ("cs", "stat", "cs.AI", "stat.ML")
        rows = [{"text": "t", "labels": "cs.AI || stat.ML"}]
        corpus = read(tmp_path, rows, suffix=suffix, label_separator="||")
        assert sets_of(corpus) == [("cs", "stat", "cs.AI", "stat.ML")]

    def test_no_separator_means_one_label_a_cell(self, tmp_path: Path) -> None:
        assert "the label 'cs;stat' is not in" in refused(
            tmp_path, [{"text": "t", "labels": "cs;stat"}], label_separator=""
        )

    def test_an_id_that_holds_the_separators_is_not_taken_apart(self, tmp_path: Path) -> None:
        tree = Taxonomy.from_nodes(["a;b", "a > b", "a"], [None, None, None])
        rows: Rows = [
            {"text": "t", "labels": "a;b"},
            {"text": "u", "labels": "a > b;a"},
            {"text": "v", "labels": ["a > b"]},
        ]
        assert sets_of(read(tmp_path, rows, tree)) == [("a;b",), ("a > b", "a"), ("a > b",)]

    @pytest.mark.parametrize("suffix", [".jsonl", ".parquet", ".xlsx"])
    def test_numbers_are_ids_too(self, tmp_path: Path, suffix: str) -> None:
        assert sets_of(read(tmp_path, [{"text": "t", "labels": 5}], suffix=suffix)) == [("5",)]
        assert sets_of(read(tmp_path, [{"text": "t", "labels": 5.0}], suffix=suffix)) == [("5",)]
        assert "the label '5.5' is not in" in refused(tmp_path, [{"text": "t", "labels": 5.5}], suffix=suffix)

    def test_numbers_in_lists(self, tmp_path: Path) -> None:
        assert sets_of(read(tmp_path, [{"text": "t", "labels": [5, "cs", None, ""]}])) == [("cs", "5")]
        assert "the label '1000" in refused(tmp_path, [{"text": "t", "labels": [10**400]}])

    @pytest.mark.parametrize(
        ("cell", "kind"), [(True, "a truth value"), ({"id": "cs"}, "an object"), ([["cs"]], "a list")]
    )
    def test_what_is_no_label(self, tmp_path: Path, cell: Any, kind: str) -> None:
        told = refused(tmp_path, [{"text": "t", "labels": cell}])
        assert f"line 1: a label is {kind} (" in told
        assert "not a string; correct it, or choose --unknown-label" in told

    def test_tokens_are_joined_and_no_tokens_are_no_text(self, tmp_path: Path) -> None:
        rows: Rows = [
            {"text": ["a", "b"], "labels": []},
            {"text": [], "labels": []},
            {"text": [" "], "labels": []},
        ]
        assert list(read(tmp_path, rows, missing_text="keep").texts()) == ["a b", "", ""]

    def test_duplicated_concepts_bring_all_their_copies(self, tmp_path: Path) -> None:
        tree = Taxonomy.from_nodes(
            ["a", "b", "a/x", "b/x"], [None, None, "a", "b"], copies={"x;": ["a/x", "b/x"]}
        )
        assert sets_of(read(tmp_path, [{"text": "t", "labels": "x;"}], tree)) == [("a", "b", "a/x", "b/x")]

    def test_a_label_given_with_its_ancestors_or_twice_is_the_same_set(self, tmp_path: Path) -> None:
        rows: Rows = [
            {"text": "t", "labels": ["stat.ML", "stat.ML"]},
            {"text": "t", "labels": ["stat", "stat.ML"]},
        ]
        assert sets_of(read(tmp_path, rows)) == [("stat", "stat.ML")] * 2


PATHS: Rows = [
    {"id": "1", "text": "One", "Category": "Sport", "Subcategory": "Ball games", "Detail": "Golf"},
    {"id": "2", "text": "Two", "Category": "Sport", "Subcategory": "", "Detail": ""},
    {"id": "3", "text": "Three", "Category": "News", "Subcategory": "World", "Detail": ""},
    {"id": "4", "text": "Four", "Category": "Arts", "Subcategory": "World", "Detail": ""},
    {"id": "5", "text": "Five", "Category": "", "Subcategory": "", "Detail": ""},
]
COLUMNS = ["Category", "Subcategory", "Detail"]
GROWN = (
    "Arts",
    "News",
    "Sport",
    "Arts > World",
    "News > World",
    "Sport > Ball games",
    "Sport > Ball games > Golf",
)


class TestPaths:
    """Labels that carry their paths need no taxonomy: they make one, whose ids are whole paths."""

    @pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ".xlsx"])
    def test_columns_become_a_tree_and_read_the_same_against_it(self, tmp_path: Path, suffix: str) -> None:
        corpus = read(tmp_path, PATHS, None, suffix, label_field=COLUMNS)
        assert corpus.taxonomy.ids == GROWN
        assert corpus.taxonomy.names[3:5] == ("World", "World")
        assert sets_of(corpus)[0] == ("Sport", "Sport > Ball games", "Sport > Ball games > Golf")
        assert sets_of(corpus)[1] == ("Sport",)
        assert corpus.report.problems == {"empty_labels": 1}
        corpus.taxonomy.write(tmp_path / "tree.tsv")
        again = read(tmp_path, PATHS, Taxonomy.read(tmp_path / "tree.tsv"), suffix, label_field=COLUMNS)
        assert again.taxonomy == corpus.taxonomy
        assert again.given == corpus.given
        assert again.fingerprint == corpus.fingerprint

    @pytest.mark.parametrize("joint", [" > ", ">", "  >"])
    @pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".xlsx"])
    def test_cells_become_the_same_tree(self, tmp_path: Path, suffix: str, joint: str) -> None:
        rows = [
            {
                "id": row["id"],
                "text": row["text"],
                "labels": joint.join(row[one] for one in COLUMNS if row[one]),
            }
            for row in PATHS
        ]
        corpus = read(tmp_path, rows, None, suffix)
        assert corpus.taxonomy.ids == GROWN
        assert corpus.fingerprint == read(tmp_path, PATHS, None, label_field=COLUMNS).fingerprint
        corpus.taxonomy.write(tmp_path / "tree.csv")
        again = read(tmp_path, rows, Taxonomy.read(tmp_path / "tree.csv"), suffix)
        assert again.fingerprint == corpus.fingerprint

    def test_several_paths_in_one_cell(self, tmp_path: Path) -> None:
        rows: Rows = [{"text": "t", "labels": "A > B; C"}, {"text": "u", "labels": ["C > D", "A"]}]
        assert sets_of(read(tmp_path, rows, None)) == [("A", "C", "A > B"), ("A", "C", "C > D")]

    def test_another_path_separator(self, tmp_path: Path) -> None:
        rows = [{"text": "t", "labels": "A/B > C"}]
        assert read(tmp_path, rows, None, path_separator="/").taxonomy.ids == ("A", "A > B > C")

    def test_paths_of_ids_or_of_names_against_a_taxonomy(self, tmp_path: Path) -> None:
        rows = [
            {"text": "t", "labels": "cs > cs.LG"},
            {"text": "u", "labels": "Statistics > Machine Learning"},
        ]
        assert sets_of(read(tmp_path, rows)) == [("cs", "cs.LG"), ("stat", "stat.ML")]
        told = refused(tmp_path, [{"text": "t", "labels": "cs > Statistics"}])
        assert "line 1: the path 'cs > Statistics' is not in the taxonomy; correct it" in told

    def test_a_path_of_names_that_two_labels_share_is_not_guessed(self, tmp_path: Path) -> None:
        tree = Taxonomy.from_nodes(["a", "b", "c"], [None, "a", "a"], ["A", "Same", "Same"])
        told = refused(tmp_path, [{"text": "t", "labels": "A > Same"}], tree)
        assert (
            "the path 'A > Same' is the names of several labels, so that only their ids tell them apart"
            in told
        )

    @pytest.mark.parametrize("cell", ["A > > C", "> A", "A >"])
    def test_an_empty_part(self, tmp_path: Path, cell: str) -> None:
        told = refused(tmp_path, [{"text": "t", "labels": cell}], None)
        assert "has an empty part; correct it" in told

    def test_a_gap_between_columns(self, tmp_path: Path) -> None:
        row = PATHS[0] | {"Subcategory": " "}
        told = refused(tmp_path, [row], None, ".csv", label_field=COLUMNS)
        assert (
            "docs.csv, line 2: the column 'Subcategory' is empty though a deeper one is not; correct it"
            in told
        )

    def test_labels_of_one_level_are_a_taxonomy_forgotten_unless_said_otherwise(self, tmp_path: Path) -> None:
        rows = [{"text": "t", "labels": "A"}, {"text": "u", "labels": "B"}]
        assert "say with --path-separator" in refused(tmp_path, rows, None)
        assert read(tmp_path, rows, None, path_separator=">").taxonomy.ids == ("A", "B")

    def test_two_paths_that_would_be_written_alike(self, tmp_path: Path) -> None:
        rows = [{"text": "t", "a": "A > B", "b": "C"}, {"text": "u", "a": "A", "b": "B > C"}]
        told = refused(tmp_path, rows, None, label_field=["a", "b"])
        assert "Two different label paths are both written 'A > B > C'" in told

    def test_documents_without_any_label(self, tmp_path: Path) -> None:
        corpus = read(tmp_path, [{"text": "t"}], None, label_field=None)
        assert (len(corpus), len(corpus.taxonomy)) == (1, 0)


def test_unknown_labels_are_told_with_near_ones(tmp_path: Path) -> None:
    told = refused(tmp_path, [{"text": "t", "labels": ["cs.Al"]}])
    assert "line 1: the label 'cs.Al' is not in the taxonomy, did you mean cs.AI" in told
    assert told.endswith("; correct it, or choose --unknown-label skip or keep.")
