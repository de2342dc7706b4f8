"""The file formats: round trips of odd taxonomies, shapes people write, one sentence for every bad file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from branchwise.errors import TaxonomyError
from branchwise.taxonomy import ROOT, Taxonomy
from branchwise.taxonomy.formats import read_taxonomy, write_taxonomy
from branchwise.taxonomy.formats.source import read_text
from tests.strategies import ids, taxonomies

RCV1 = (
    "id\tparent\tname\nC11\tCCAT\tStrategy\nC15\tCCAT\tPerformance\nC151\tC15\tAccounts\nCCAT\t\tCorporate\n"
    "ECAT\t\tEconomics\n"
)
BGC = "Root\tChildren’s Books\tFiction\nFiction\tFantasy\tGothic & Horror\n\nFantasy\tEpic Fantasy\n"


def save(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def edges(tree: Taxonomy) -> list[tuple[str, str | None]]:
    """Return every id with its parent's, in canonical order."""
    return [(tree.ids[i], None if p == ROOT else tree.ids[p]) for i, p in enumerate(tree.parent.tolist())]


# Round trips


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".json"])
@given(tree=taxonomies(copies=True))
def test_every_taxonomy_comes_back_equal(tmp_path: Path, suffix: str, tree: Taxonomy) -> None:
    path = tmp_path / f"tree{suffix}"
    tree.write(path)
    assert Taxonomy.read(path) == tree


@given(tree=taxonomies(label_ids=ids(inside=False).filter(lambda one: one != "Root")))
def test_hiagm_keeps_ids_and_order(tmp_path: Path, tree: Taxonomy) -> None:
    path = tmp_path / "tree.taxonomy"
    tree.write(path)
    again = Taxonomy.read(path)
    assert edges(again) == edges(tree)
    assert again.names == again.ids


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".json", ".taxonomy"])
def test_a_chain_of_5000_and_its_file(tmp_path: Path, suffix: str) -> None:
    labels = [f"n{i}" for i in range(5000)]
    tree = Taxonomy.from_nodes(labels, [None, *labels[:-1]])
    tree.write(tmp_path / f"chain{suffix}")
    assert Taxonomy.read(tmp_path / f"chain{suffix}") == tree


def test_tables_have_further_columns_only_where_they_are_needed(tmp_path: Path) -> None:
    tree = Taxonomy.read(save(tmp_path, "rcv1.tsv", RCV1))
    tree.write(tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_text() == (
        "id\tparent\tname\nCCAT\t\tCorporate\nECAT\t\tEconomics\nC11\tCCAT\tStrategy\n"
        "C15\tCCAT\tPerformance\nC151\tC15\tAccounts\n"
    )


@pytest.mark.parametrize(
    ("suffix", "label", "told"),
    [
        (".tsv", " a", r"id ' a' begins or ends with white space.*\.json"),
        (".taxonomy", "a\tb", r"'a\\tb' cannot be written.*\.tsv or \.json"),
        (".taxonomy", "Root", r"'Root' cannot be written"),
        (".rdf", "a\x01", r"XML cannot hold the character '\\x01'.*\.ttl"),
        (".json", "\ud800", r"cannot hold '\\ud800'"),
    ],
)
def test_what_a_format_cannot_hold_is_refused(tmp_path: Path, suffix: str, label: str, told: str) -> None:
    with pytest.raises(TaxonomyError, match=told):
        Taxonomy.from_nodes([label], [None]).write(tmp_path / f"tree{suffix}")


@pytest.mark.parametrize("suffix", [".tsv", ".ttl"])
def test_copies_of_what_is_no_label_need_json(tmp_path: Path, suffix: str) -> None:
    tree = Taxonomy.from_nodes(["a"], [None], copies={"both": ["a"]})
    with pytest.raises(TaxonomyError, match=r"copies of 'both'.*\.json"):
        tree.write(tmp_path / f"tree{suffix}")
    tree.write(tmp_path / "tree.json")
    assert Taxonomy.read(tmp_path / "tree.json") == tree


# Tables


def test_a_table_is_read_in_its_own_order(tmp_path: Path) -> None:
    tree = Taxonomy.read(save(tmp_path, "rcv1.tsv", RCV1))
    assert tree.ids == ("CCAT", "ECAT", "C11", "C15", "C151")
    assert tree.names[-1] == "Accounts"


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfid,parent,name\r\na,,Top\r\nb,a,Below\r\n",
        "ID;Parent;Name\na;;Top\nb;a;Below",
        "Parent\tnote\tId\tNAME\n\t\ta\tTop\na\t\tb\tBelow\n",
        '\n"id", "parent", "name"\n a , , Top\n,,\n"b", a, "Below"\n\n',
        "id,parent,name\ra,,Top\rb,a,Below\r",
    ],
)
@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
def test_tables_as_people_write_them(tmp_path: Path, content: str | bytes, suffix: str) -> None:
    tree = Taxonomy.read(save(tmp_path, f"tree{suffix}", content))
    assert edges(tree) == [("a", None), ("b", "a")]
    assert tree.names == ("Top", "Below")


def test_without_a_name_column_ids_are_names(tmp_path: Path) -> None:
    assert Taxonomy.read(save(tmp_path, "tree.tsv", "id\tparent\na\t\n")).names == ("a",)


def test_synonyms_as_people_write_them(tmp_path: Path) -> None:
    content = "id\tparent\tsynonyms\na\t\tx | y|| z\nb\t\tC:\\new\\|old\\\\|last\n"
    assert Taxonomy.read(save(tmp_path, "tree.tsv", content)).synonyms == (
        ("x", "y", "z"),
        ("C:\\new|old\\", "last"),
    )


# JSON

CS = {"id": "cs", "children": [{"id": "cs.AI", "name": "AI"}, {"id": "cs.LG"}]}
FLAT = [
    {"id": "cs.AI", "parent": "cs", "name": "AI"},
    {"id": "cs", "parent": None},
    {"id": "cs.LG", "parent": "cs"},
]
SHAPES: list[Any] = [
    [CS, {"id": "math"}],
    [{"id": "cs", "children": [{"id": "cs.AI", "name": "AI"}, "cs.LG"]}, {"id": "math", "children": None}],
    {"taxonomy": [CS, "math"]},
    {"name": "root", "children": [CS, {"id": "math"}]},
    [*FLAT, {"id": "math", "parent": ""}],
    {"taxonomy": [*FLAT, {"id": "math"}]},
]


@pytest.mark.parametrize("document", SHAPES)
@pytest.mark.parametrize("indent", [None, 2])
def test_objects_nested_wrapped_and_flat(tmp_path: Path, document: Any, indent: int | None) -> None:
    tree = Taxonomy.read(save(tmp_path, "tree.json", json.dumps(document, indent=indent)))
    assert edges(tree) == [("cs", None), ("math", None), ("cs.AI", "cs"), ("cs.LG", "cs")]
    assert tree.names == ("cs", "math", "AI", "cs.LG")


@pytest.mark.parametrize(
    "document",
    [
        {"cs": {"cs.AI": {}, "cs.LG": None}, "math": ["math.AG"]},
        {"cs": ["cs.AI", "cs.LG"], "math": [{"math.AG": []}]},
    ],
)
def test_plain_mappings_of_ids(tmp_path: Path, document: Any) -> None:
    tree = Taxonomy.read(save(tmp_path, "tree.json", json.dumps(document)))
    assert edges(tree) == [
        ("cs", None),
        ("math", None),
        ("cs.AI", "cs"),
        ("cs.LG", "cs"),
        ("math.AG", "math"),
    ]


def test_one_object_is_one_label_of_the_first_level(tmp_path: Path) -> None:
    document = {"id": 7, "name": "Seven", "synonyms": ["VII"], "children": [{"id": "8", "parent": 7}]}
    tree = Taxonomy.read(save(tmp_path, "tree.json", json.dumps(document)))
    assert edges(tree) == [("7", None), ("8", "7")]
    assert tree.synonyms == (("VII",), ())


def test_mapping_labels_may_be_called_children_or_taxonomy(tmp_path: Path) -> None:
    tree = Taxonomy.read(save(tmp_path, "tree.json", '{"children": ["books"], "taxonomy": {"animals": {}}}'))
    assert tree.ids == ("children", "taxonomy", "books", "animals")


def test_json_keeps_ids_as_they_are_written(tmp_path: Path) -> None:
    tree = Taxonomy.from_nodes([" a", "a", "a "], [None, " a", "a"])
    tree.write(tmp_path / "tree.json")
    assert Taxonomy.read(tmp_path / "tree.json") == tree


def test_json_nested_beyond_what_json_can_parse_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"nested too deeply.*flat list"):
        Taxonomy.read(save(tmp_path, "tree.json", '{"a": ' * 100_000 + "{}" + "}" * 100_000))


def test_json_as_deep_as_json_can_parse_is_read(tmp_path: Path) -> None:
    content = "{" + "".join(f'"n{i}": {{' for i in range(400)) + "}" * 401
    assert Taxonomy.read(save(tmp_path, "tree.json", content)).depth == 400


# HiAGM


def test_hiagm_lines_in_any_order(tmp_path: Path) -> None:
    tree = Taxonomy.read(save(tmp_path, "bgc.taxonomy", BGC))
    backwards = "\r\n".join(reversed(BGC.splitlines())) + "\t"
    assert tree == Taxonomy.read(save(tmp_path, "back.taxonomy", backwards))
    assert tree.ids == ("Children’s Books", "Fiction", "Fantasy", "Gothic & Horror", "Epic Fantasy")
    assert tree.names == tree.ids


def test_hiagm_paths_as_ids(tmp_path: Path) -> None:
    nyt = "Root\tTop/News\tTop/Features\nTop/News\tTop/News/Sports\nTop/News/Sports\tTop/News/Sports/Hockey\n"
    assert Taxonomy.read(save(tmp_path, "nyt.taxonomy", nyt)).ancestors(3) == [0, 2]


# Bad files: what, where, what to do

BAD = {
    ".tsv": {
        "C11\tCCAT\tStrategy\nCCAT\t\tCorporate\n": (
            r"tree\.tsv has no header.*columns id and parent.*'C11\\tCCAT"
        ),
        "id\tname\na\tA\n": r"has no header.*columns id and parent",
        "id\tparent\tID\na\t\ta\n": r"header \(\S*tree\.tsv, line 1\) has the column 'id' twice",
        "id\tparent\na\t\n\nb\n": r"tree\.tsv, line 4, has 1 cells where the header has 2",
        "id\tparent\na\t\tx\n": r"tree\.tsv, line 2, has 3 cells",
        "id\tparent\nb\ta\na\tb\n": r"cycle \(\S*tree\.tsv, line 2\).*b → a → b",
        "id\tparent\na\t\nb\tx\n": r"'b' names the parent 'x' \(\S*tree\.tsv, line 3\)",
        "id\tparent\na\t\nb\t\nc\ta\nc\tb\n": r"two parents, 'a' \(\S*, line 4\) and 'b' \(\S*, line 5\)",
        "id\tparent\na\t\na \t\n": r"'a' is repeated \(\S*, line 3\), first seen \(\S*, line 2\)",
        "id\tparent\na\t\n\ta\n": r"empty id \(\S*tree\.tsv, line 3\)",
        "id\tparent\n": r"tree\.tsv holds no label",
        "id\tparent\tcopies\na\t\ta|b\n": r"copies of 'a' in \S*tree\.tsv include 'b'",
        'id\tparent\na\t\n"Weird Al" Yankovic\t\n': (
            r"begins in \S*tree\.tsv, line 3, cannot be read.*double the quotes"
        ),
        'id\tparent\na\t\n"b\t\nc\t\n': r"begins in \S*tree\.tsv, line 3, cannot be read",
        " \n\n": r"tree\.tsv is empty",
        b"id\tparent\na\t\n\nb\xff\t\n": r"tree\.tsv, line 4, holds the byte 0xff, which is not UTF-8",
        b"\xef\xbb\xbfid\r\xe9": r"tree\.tsv, line 2, holds the byte 0xe9",
    },
    ".csv": {
        'id,parent,name\na,,"one\ntwo\r\nthree"\nb,x,\n': (
            r"'b' names the parent 'x' \(\S*tree\.csv, line 5\)"
        ),
        'id,parent,name\na,,"one\ntwo"\nb,a\n': r"tree\.csv, line 4, has 2 cells where the header has 3",
        "a,b\n": r"tree\.csv has no header",
    },
    ".json": {
        '[\n{"id": "a"},\n{"id": "b" "c"}]': r"tree\.json, line 3, column 12, is not valid JSON",
        '[\n{"id": "a", "parent": "b"},\n{"id": "b", "parent": "a"}]': (
            r"cycle \(\S*json, line 2\).*a → b → a"
        ),
        '[{"id": "a"},\n{"id": "b", "parent": "x"}]': r"'b' names the parent 'x' \(\S*tree\.json, line 2\)",
        '[{"id": "a", "children": [\n{"id": "c"}]},\n{"id": "b", "children": [\n"c",{"id": "c"}]}]': (
            r"two parents, 'a' \(\S*, line 2\) and 'b' \(\S*, line 4\)"
        ),
        '[{"id": "a"},\n{"id": "b"},\n{"id": "a"}]': (
            r"'a' is repeated \(\S*, line 3\), first seen \(\S*, line 1\)"
        ),
        '[{"id": "a"},\n{"id": 5},\n{"id": 5}]': (
            r"'5' is repeated \(\S*, line 3\), first seen \(\S*, line 2\)"
        ),
        '[{"id": "é"},\n{"id": "\\u00e9"}]': r"'é' is repeated \(\S*, line 2\), first seen \(\S*, line 1\)",
        '{"children": [{"id": "a"},\n{"name": "AI"}]}': (
            r'object has no id \(\S*tree\.json, line 2\): give {"name": "AI"}'
        ),
        '[{"id": "a"}, {"id": ""}]': r"An object has no id",
        '[{"id": "a", "id": "b"}]': r"key 'id' is repeated in one object \(\S*, line 1\)",
        '[{"id": "a"},\n{"id": "b"},\n{"id": "c", "name": "C", "id": "d"}]': r"repeated.*line 3\): keep one",
        '{"a": {"x": {}},\n"b": {},\n"a": {}}': (
            r"key 'a' is repeated in one object \(\S*, line 3\).*objects such as"
        ),
        '{"cs": {"ML": {}},\n"stat": ["ML"]}': (
            r"'ML' is repeated \(\S*, line 1 and \S*, line 2\).*objects such as"
        ),
        '{"a": {}, "": {}}': r"empty id \(\S*tree\.json, line 1\)",
        '{"a": {},\n"b": "B"}': r"value of 'b' is not an object or list .*line 2",
        '{"a": [["b"]]}': r"entry of the list under 'a' is not a string",
        '[{"id": "a", "name": ["A"]}]': r"name of 'a' is not a string",
        '[{"id": true}]': r"id of an object is not a string",
        '[{"id": "a", "synonyms": "x"}]': r"synonyms of 'a' is not a list of strings",
        '[{"id": "a", "children": {}}]': r"children of 'a' is not a list",
        '[{"id": "a", "children": [{"id": "b", "parent": "c"}]}]': (
            r"'b' stands among the children of 'a' but names the parent 'c' \(\S*, line 1\)"
        ),
        '{"taxonomy": [{"id": "a"}], "copies": {"a": ["b"]}}': r"copies of 'a' in \S*tree\.json include 'b'",
        '[{"id": "\\ud800"}]': r"'\\ud800' \(\S*, line 1\) has half of a character pair",
        '"a"': r"tree\.json holds neither an object nor a list",
        "[]": r"tree\.json holds no label",
        "": r"tree\.json is empty",
        b'["\n\xff"]': r"tree\.json, line 2, holds the byte 0xff",
    },
    ".taxonomy": {
        "Root\ta\tb\na\tc\n\nb\tc\n": r"two parents, 'a' \(\S*, line 2\) and 'b' \(\S*, line 4\)",
        "Root\ta\nb\tc\n": r"parent 'b' \(\S*tree\.taxonomy, line 2\) is unknown",
        "root\ta\n": r"parent 'root' \(\S*tree\.taxonomy, line 1\) is unknown.*begins with Root",
        "Root\ta\nz\n": r"parent 'z' \(\S*tree\.taxonomy, line 2\) is unknown",
        "Root\ta\ta\n": r"'a' is repeated \(\S*, line 1\)",
        "Root\ta\t\tb\n": r"empty id \(\S*tree\.taxonomy, line 1\)",
        "Root\ta\nb\tc\nc\tb\n": r"cycle \(\S*tree\.taxonomy, line 2\).*: c → b → c:",
        "Root\ta\na\tRoot\n": r"'Root' is a child of 'a' \(\S*tree\.taxonomy, line 2\)",
        "Root\n": r"tree\.taxonomy holds no label",
        b"Root\ta\n\xff": r"tree\.taxonomy, line 2, holds the byte 0xff",
    },
}
BAD_FILES = [(suffix, content, told) for suffix, files in BAD.items() for content, told in files.items()]


@pytest.mark.parametrize(("suffix", "content", "told"), BAD_FILES)
def test_a_bad_file_is_one_sentence(tmp_path: Path, suffix: str, content: str | bytes, told: str) -> None:
    path = save(tmp_path, f"tree{suffix}", content)
    with pytest.raises(TaxonomyError, match=told) as caught:
        Taxonomy.read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", '"}.', "id."))


def test_missing_files_folders_and_suffixes(tmp_path: Path) -> None:
    with pytest.raises(TaxonomyError, match=r"no taxonomy file \S*none\.tsv"):
        Taxonomy.read(tmp_path / "none.tsv")
    (tmp_path / "folder.tsv").mkdir()
    with pytest.raises(TaxonomyError, match=r"folder\.tsv is a folder"):
        Taxonomy.read(tmp_path / "folder.tsv")
    with pytest.raises(
        TaxonomyError, match=r"suffix '\.docx'.*\.tsv, \.csv, \.json, \.taxonomy, \.ttl, \.rdf"
    ):
        Taxonomy.read(tmp_path / "tree.docx")
    with pytest.raises(TaxonomyError, match="has no suffix"):
        Taxonomy.read(tmp_path / "tree")
    with pytest.raises(TaxonomyError, match="cannot be written"):
        Taxonomy.from_nodes(["a"], [None]).write(tmp_path / "none" / "tree.tsv")


def test_suffixes_in_capitals_are_known(tmp_path: Path) -> None:
    assert len(Taxonomy.read(str(save(tmp_path, "RCV1.TSV", RCV1)))) == 5


def test_options_that_a_format_does_not_know(tmp_path: Path) -> None:
    path = save(tmp_path, "rcv1.tsv", RCV1)
    with pytest.raises(TaxonomyError, match=r"To read \.tsv .*no option 'language': it has no options"):
        read_taxonomy(path, language="en")
    with pytest.raises(TaxonomyError, match=r"no option 'lang': it knows language, ids, several_parents"):
        read_taxonomy(tmp_path / "tree.ttl", lang="en")
    with pytest.raises(TaxonomyError, match=r"To write \.json .*no option 'indent'"):
        write_taxonomy(read_taxonomy(path), tmp_path / "tree.json", indent=2)


def test_line_ends_are_left_alone(tmp_path: Path) -> None:
    assert read_text(save(tmp_path, "any.txt", "a\r\nb\rc\n")) == "a\r\nb\rc\n"


def test_errors_name_the_path_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(tmp_path, "tree.tsv", "id\tparent\nb\ta\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TaxonomyError, match=re.escape("(tree.tsv, line 2)")):
        Taxonomy.read("tree.tsv")
