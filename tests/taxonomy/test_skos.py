"""SKOS: languages, ids, concepts with several parents, order, round trips, and bad files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from branchwise.errors import MissingExtraError, TaxonomyError
from branchwise.taxonomy import ROOT, Taxonomy
from branchwise.taxonomy.formats import write_taxonomy
from tests.strategies import taxonomies

PREFIXES = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix e: <http://e/> .\n"


def turtle(folder: Path, body: str, prefixes: str = PREFIXES) -> Path:
    path = folder / "tree.ttl"
    path.write_text(prefixes + body, encoding="utf-8")
    return path


def edges(tree: Taxonomy) -> dict[str, str | None]:
    return {tree.ids[i]: None if p == ROOT else tree.ids[p] for i, p in enumerate(tree.parent.tolist())}


# Two parents for ml, which has a child; the second parent comes first in the file.
DIAMOND = """
e:stat a skos:Concept ; skos:prefLabel "Statistics" .
e:cs a skos:Concept ; skos:prefLabel "Computer Science" ; skos:narrower e:ml .
e:ml a skos:Concept ; skos:prefLabel "Machine Learning" ; skos:broader e:cs , e:stat .
e:deep a skos:Concept ; skos:prefLabel "Deep Learning" ; skos:broader e:ml .
"""


@pytest.mark.parametrize("suffix", [".ttl", ".nt"])
@settings(max_examples=20)
@given(tree=taxonomies(copies=True, max_labels=8))
def test_every_taxonomy_comes_back_equal(tmp_path: Path, suffix: str, tree: Taxonomy) -> None:
    path = tmp_path / f"tree{suffix}"
    tree.write(path)
    assert Taxonomy.read(path) == tree


@pytest.mark.parametrize("suffix", [".rdf", ".xml"])
@settings(max_examples=20)
@given(tree=taxonomies(copies=True, max_labels=8))
def test_what_xml_can_hold_comes_back_equal(tmp_path: Path, suffix: str, tree: Taxonomy) -> None:
    path = tmp_path / f"tree{suffix}"
    try:
        tree.write(path)
    except TaxonomyError:  # a control character, see test_formats
        assume(False)
    assert Taxonomy.read(path) == tree


@pytest.mark.parametrize("suffix", [".ttl", ".rdf"])
def test_names_can_be_written_in_a_language(tmp_path: Path, suffix: str) -> None:
    tree = Taxonomy.from_nodes(["a"], [None], ["Wald"], synonyms=[["Forst", "Gehölz"]])
    path = tmp_path / f"tree{suffix}"
    write_taxonomy(tree, path, language="de-AT")
    assert Taxonomy.read(path) == tree
    assert "de-AT" in path.read_text()
    with pytest.raises(TaxonomyError, match="'not a tag' is not a language tag"):
        write_taxonomy(tree, path, language="not a tag")


def test_iris_survive_a_rewrite(tmp_path: Path) -> None:
    tree = Taxonomy.read(turtle(tmp_path, "e:a a skos:Concept . e:b skos:broader e:a ."))
    assert edges(tree) == {"http://e/a": None, "http://e/b": "http://e/a"}
    tree.write(tmp_path / "again.ttl")
    assert "\n<http://e/b> a skos:Concept" in (tmp_path / "again.ttl").read_text()
    assert Taxonomy.read(tmp_path / "again.ttl", ids="iri") == tree


@pytest.mark.parametrize(
    "statements",
    [
        "e:b skos:broader e:a . e:c skos:broader e:a .",
        "e:a skos:narrower e:c , e:b .",
        "e:a skos:narrower e:b . e:b skos:broader e:a . e:c skos:broader e:a .",
        "e:s skos:hasTopConcept e:a . e:a skos:topConceptOf e:s ; skos:narrower e:b , e:c .",
        "e:b skos:broader e:a . e:c skos:broader e:a ; skos:broaderTransitive e:b , e:z .",
    ],
)
def test_either_direction_makes_the_tree(tmp_path: Path, statements: str) -> None:
    typed = "e:s a skos:ConceptScheme . e:a a skos:Concept . e:b a skos:Concept . e:c a skos:Concept .\n"
    tree = Taxonomy.read(turtle(tmp_path, typed + statements), ids="local")
    assert edges(tree) == {"a": None, "b": "a", "c": "a"}
    assert tree.ids == ("a", "b", "c")


@pytest.mark.parametrize("suffix", [".ttl", ".rdf"])
def test_siblings_keep_the_order_of_the_file(tmp_path: Path, suffix: str) -> None:
    labels = [f"http://e/{one}" for one in "qjzbxakwmc"]
    if suffix == ".ttl":
        path = turtle(tmp_path, "".join(f"<{one}> a skos:Concept .\n" for one in labels))
    else:
        path = tmp_path / "tree.rdf"
        path.write_text(
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
            'xmlns:s="http://www.w3.org/2004/02/skos/core#">\n'
            + "".join(f'<s:Concept rdf:about="{one}"/>\n' for one in labels)
            + "</rdf:RDF>"
        )
    assert list(Taxonomy.read(path).ids) == labels


# Names


@pytest.mark.parametrize(
    ("names", "language", "chosen"),
    [
        ('"Colour"@en-GB, "Color"@en, "Farbe"@de', "en", "Color"),
        ('"Color"@en, "Colour"@EN-gb, "Farbe"@de', "en-GB", "Colour"),
        ('"Farbe"@de, "plain", "Colour"@en-GB', "en", "Colour"),
        ('"Farbe"@de, "plain"', "en", "plain"),
        ('"Farbe"@de, "Couleur"@fr, "Barva"@cs', "en", "Barva"),
        ('"Farbe"@de, "plain"', None, "plain"),
        ('" "@en, "Farbe"@de', "en", "Farbe"),
    ],
)
def test_the_name_in_the_language_asked_for_or_near_it(
    tmp_path: Path, names: str, language: str | None, chosen: str
) -> None:
    path = turtle(tmp_path, f"e:a a skos:Concept ; skos:prefLabel {names} .")
    assert Taxonomy.read(path, language=language).names == (chosen,)


def test_synonyms_in_the_chosen_language(tmp_path: Path) -> None:
    alternatives = '"Woody"@en-US, "Baum"@de, "T", "Wood"@en'
    body = f'e:a a skos:Concept ; skos:prefLabel "Tree"@en ; skos:altLabel {alternatives} .'
    assert Taxonomy.read(turtle(tmp_path, body)).synonyms == (("Woody", "T", "Wood"),)
    assert Taxonomy.read(turtle(tmp_path, body), language="de").synonyms == (("Woody", "Baum", "T", "Wood"),)


def test_without_prefLabel_the_label_or_the_id_is_the_name(tmp_path: Path) -> None:  # noqa: N802
    body = "e:a a skos:Concept ; <http://www.w3.org/2000/01/rdf-schema#label> 'A' . e:b a skos:Concept ."
    assert Taxonomy.read(turtle(tmp_path, body)).names == ("A", "http://e/b")


# Ids


def test_ids_by_notation_or_local_name(tmp_path: Path) -> None:
    body = """
    <http://e/x#one> a skos:Concept ; skos:notation "1" .
    <urn:e:two> a skos:Concept ; skos:notation "1.2" ; skos:broader <http://e/x#one> .
    """
    path = turtle(tmp_path, body)
    assert Taxonomy.read(path, ids="notation").ids == ("1", "1.2")
    assert Taxonomy.read(path, ids="local").ids == ("one", "two")
    assert Taxonomy.read(path).ids == Taxonomy.read(path, ids="iri").ids == ("http://e/x#one", "urn:e:two")


@pytest.mark.parametrize(
    ("body", "ids", "told"),
    [
        ("e:a a skos:Concept .", "notation", r"http://e/a \(\S*, line 3\) has no notations.*ids='iri'"),
        ('e:a a skos:Concept ; skos:notation "1", "2" .', "notation", r"has 2 notations where one is needed"),
        (
            'e:a a skos:Concept ; skos:notation "1" .\ne:b a skos:Concept ; skos:notation "1" .',
            "notation",
            r"http://e/a \(\S*, line 3\) and http://e/b \(\S*, line 4\) share the id '1'",
        ),
        ("e:a a skos:Concept .\n<http://f/a> a skos:Concept .", "local", r"\(\S*, line 4\) share the id 'a'"),
        ("[] a skos:Concept .", "iri", "a concept without an IRI"),
        ("e:a a skos:Concept .", "id", "ids cannot be 'id': it is one of auto, iri, notation, local"),
    ],
)
def test_ids_that_cannot_be_had(tmp_path: Path, body: str, ids: str, told: str) -> None:
    with pytest.raises(TaxonomyError, match=told):
        Taxonomy.read(turtle(tmp_path, body), ids=ids)


# Several parents


def test_several_parents_are_refused_by_default(tmp_path: Path) -> None:
    told = r"'ml' has several parents, 'cs' and 'stat' \(\S*tree\.ttl, line 6\).*'first' or .*'duplicate'"
    with pytest.raises(TaxonomyError, match=told):
        Taxonomy.read(turtle(tmp_path, DIAMOND), ids="local")


def test_the_first_parent_can_be_kept(tmp_path: Path) -> None:
    tree = Taxonomy.read(turtle(tmp_path, DIAMOND), ids="local", several_parents="first")
    assert edges(tree) == {"stat": None, "cs": None, "ml": "cs", "deep": "ml"}
    assert not tree.copies


def test_a_concept_and_its_subtree_can_be_duplicated(tmp_path: Path) -> None:
    tree = Taxonomy.read(turtle(tmp_path, DIAMOND), ids="local", several_parents="duplicate")
    assert edges(tree) == {
        "stat": None,
        "cs": None,
        "ml@stat": "stat",
        "ml": "cs",
        "deep@ml@stat": "ml@stat",
        "deep": "ml",
    }
    assert {key: sorted(value) for key, value in tree.copies.items()} == {
        "ml": ["ml", "ml@stat"],
        "deep": ["deep", "deep@ml@stat"],
    }
    assert tree.names[tree.position("deep@ml@stat")] == "Deep Learning"
    assert tree.label_sets([["deep"]]).sizes.tolist() == [6]
    for suffix in (".tsv", ".csv", ".json", ".ttl", ".rdf"):
        tree.write(tmp_path / f"again{suffix}")
        assert Taxonomy.read(tmp_path / f"again{suffix}") == tree


def test_ids_of_copies_do_not_meet_other_ids(tmp_path: Path) -> None:
    body = """
    <urn:a> a skos:Concept . <urn:b> a skos:Concept . <urn:x@urn:b> a skos:Concept .
    <urn:x> skos:broader <urn:a> , <urn:b> .
    """
    tree = Taxonomy.read(turtle(tmp_path, body), several_parents="duplicate")
    assert tree.copies == {"urn:x": ("urn:x", "urn:x@urn:b'")}


def test_duplicating_diamonds_upon_diamonds_stops_in_time(tmp_path: Path) -> None:
    rungs = "".join(
        f"e:l{i} skos:broader e:l{i - 1} , e:r{i - 1} . e:r{i} skos:broader e:l{i - 1} , e:r{i - 1} .\n"
        for i in range(1, 60)
    )
    path = turtle(tmp_path, "e:l0 a skos:Concept . e:r0 a skos:Concept .\n" + rungs)
    with pytest.raises(TaxonomyError, match=r"would make .* labels out of 120.*several_parents='first'"):
        Taxonomy.read(path, several_parents="duplicate")
    assert len(Taxonomy.read(path, several_parents="first")) == 120


@pytest.mark.parametrize("several_parents", ["error", "first", "duplicate"])
@pytest.mark.parametrize(
    ("body", "told"),
    [
        # Keeping only first parents would hide this cycle.
        (
            "e:r a skos:Concept .\ne:a skos:broader e:r , e:b .\ne:b skos:broader e:a .",
            r"cycle \(\S*, line 4\).*: a → b → a",
        ),
        ("e:a skos:narrower e:b .\ne:b skos:narrower e:a .", r"cycle \(\S*tree\.ttl, line 3\).*: a → b → a"),
        ("e:a a skos:Concept .\ne:b skos:broader e:b .", r"cycle \(\S*, line 4\).*: b → b"),
        (
            "e:x skos:broader e:a .\ne:a skos:broader e:b .\ne:b skos:broader e:a .",
            r"cycle \(\S*, line 4\).*: a → b → a",
        ),
    ],
)
def test_a_cycle_is_shown_whatever_the_mode(
    tmp_path: Path, body: str, told: str, several_parents: str
) -> None:
    with pytest.raises(TaxonomyError, match=told):
        Taxonomy.read(turtle(tmp_path, body), ids="local", several_parents=several_parents)


# Bad files


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "e:a skos:broader e:z .",
            r"http://e/a \(\S*tree\.ttl, line 3\) names the parent http://e/z, which is not a",
        ),
        (
            "e:a skos:narrower e:z .",
            r"http://e/a \(\S*tree\.ttl, line 3\) names the child http://e/z, which is not a",
        ),
        ("\n\ne:a skos:broader [ .", r"tree\.ttl, line 5, is not valid Turtle"),
        ("f:a skos:broader f:b .", r'tree\.ttl, line \d, is not valid Turtle \(Prefix "f:" not bound\)'),
        ("", r"tree\.ttl holds no label"),
    ],
)
def test_a_bad_file_is_one_sentence(tmp_path: Path, body: str, told: str) -> None:
    with pytest.raises(TaxonomyError, match=told) as caught:
        Taxonomy.read(turtle(tmp_path, body))
    assert "\n" not in str(caught.value)


def test_bad_xml_and_bad_bytes(tmp_path: Path) -> None:
    path = tmp_path / "tree.rdf"
    path.write_text("<a>\n<b></a>")
    with pytest.raises(TaxonomyError, match=r"tree\.rdf, line 2, is not valid RDF/XML \(mismatched tag\)"):
        Taxonomy.read(path)
    path.write_bytes(b"<a>\n\xe9</a>")
    with pytest.raises(TaxonomyError, match=r"tree\.rdf, line 2, holds the byte 0xe9"):
        Taxonomy.read(path)


def test_errors_in_xml_find_the_concept(tmp_path: Path) -> None:
    tree = Taxonomy.from_nodes(["a&b", "c"], [None, "a&b"])
    tree.write(tmp_path / "tree.rdf")
    text = (tmp_path / "tree.rdf").read_text()
    (tmp_path / "tree.rdf").write_text(text.replace("broader", "narrower"))  # c is now above a&b
    assert edges(Taxonomy.read(tmp_path / "tree.rdf")) == {"c": None, "a&b": "c"}
    (tmp_path / "tree.rdf").write_text(
        text.replace('broader rdf:resource="', 'broader rdf:resource="urn:none')
    )
    line = 1 + text[: text.index('about="urn:x-branchwise:label:c"')].count("\n")
    with pytest.raises(TaxonomyError, match=rf"label:c \(\S*, line {line}\) names the parent urn:none"):
        Taxonomy.read(tmp_path / "tree.rdf")


def test_an_unknown_policy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        TaxonomyError, match="several_parents cannot be 'last': it is one of error, first, duplicate"
    ):
        Taxonomy.read(turtle(tmp_path, DIAMOND), several_parents="last")


def test_without_rdflib_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rdflib", None)
    with pytest.raises(MissingExtraError, match=r"Reading SKOS needs the package rdflib.*branchwise\[skos\]"):
        Taxonomy.read(turtle(tmp_path, DIAMOND))
    Taxonomy.from_nodes(["a"], [None]).write(tmp_path / "out.ttl")  # writing needs no library
