"""Writing SKOS in canonical order, so that the file alone gives the taxonomy back; needs no library.

A label becomes a concept whose IRI is its id, where that is an http(s) or urn IRI, and otherwise made from
it. Its notation holds the id, its prefLabel the name, its altLabels the synonyms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from branchwise.errors import TaxonomyError
from branchwise.taxonomy.formats.nodes import check_copies
from branchwise.taxonomy.formats.skos_terms import COPY, NAMESPACES, OWN_ID, iri
from branchwise.taxonomy.formats.source import write_text
from branchwise.taxonomy.tree import ROOT, Taxonomy

SCHEME = iri("branchwise:taxonomy")
LABEL = iri("branchwise:label:")
ESCAPES = {'"': r"\"", "\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"}


@dataclass(frozen=True)
class Text:
    """A literal: plain, in a language, or of a datatype."""

    text: str
    language: str | None = None
    datatype: str | None = None


@dataclass(frozen=True)
class Resource:
    """A subject with its type and what is said of it, in order; a string as value is an IRI."""

    iri: str
    type: str
    properties: list[tuple[str, str | Text]]


def write(tree: Taxonomy, path: Path, *, language: str | None = None) -> None:
    """Write a taxonomy as SKOS.

    Parameters
    ----------
    tree
        The taxonomy.
    path
        Where to: .ttl is Turtle, .nt N-Triples, .rdf and .xml RDF/XML.
    language
        The language tag of names and synonyms; none if absent.
    """
    check_copies(tree, path)
    if language is not None and not re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", language):
        raise TaxonomyError(
            f"To write {path}, {language!r} is not a language tag: use one such as 'en' or 'pt-BR'."
        )
    render = {".ttl": _turtle, ".nt": _ntriples}.get(path.suffix.lower(), _xml)
    write_text(path, "".join(render(_resources(tree, language))))


def _resources(tree: Taxonomy, language: str | None) -> Iterator[Resource]:
    yield Resource(SCHEME, "skos:ConceptScheme", [])
    iris = [_label_iri(label) for label in tree.ids]
    for position, label in enumerate(tree.ids):
        above = int(tree.parent[position])
        properties: list[tuple[str, str | Text]] = [
            ("skos:inScheme", SCHEME),
            ("skos:topConceptOf", SCHEME) if above == ROOT else ("skos:broader", iris[above]),
            ("skos:notation", Text(label, datatype=OWN_ID)),
            ("skos:prefLabel", Text(tree.names[position], language)),
        ]
        properties += [("skos:altLabel", Text(other, language)) for other in tree.synonyms[position]]
        properties += [(COPY, Text(copy)) for copy in tree.copies.get(label, ())]
        yield Resource(iris[position], "skos:Concept", properties)


def _label_iri(label: str) -> str:
    own = label.startswith(NAMESPACES["branchwise"])  # would collide with the IRI made from another id
    if not own and re.fullmatch(r'(https?://|urn:)[^\x00-\x20\x7f<>"{}|^`\\]+', label):
        return label
    return LABEL + quote(label, safe="")


def _turtle(resources: Iterator[Resource]) -> Iterator[str]:
    for prefix in ("skos", "branchwise"):
        yield f"@prefix {prefix}: <{NAMESPACES[prefix]}> .\n"
    for one in resources:
        said = [f"a {one.type}"]
        for predicate, value in one.properties:
            said.append(f"{predicate} {f'<{value}>' if isinstance(value, str) else _literal(value)}")
        yield f"\n<{one.iri}> " + " ;\n    ".join(said) + " .\n"


def _ntriples(resources: Iterator[Resource]) -> Iterator[str]:
    for one in resources:
        for predicate, value in [("rdf:type", iri(one.type)), *one.properties]:
            shown = f"<{value}>" if isinstance(value, str) else _literal(value, spelled_out=True)
            yield f"<{one.iri}> <{iri(predicate)}> {shown} .\n"


def _literal(value: Text, spelled_out: bool = False) -> str:
    text = re.sub(r'[\x00-\x1f\x7f"\\]', lambda found: _escape(found[0]), value.text)
    if value.language:
        return f'"{text}"@{value.language}'
    if value.datatype:
        return f'"{text}"^^' + (f"<{iri(value.datatype)}>" if spelled_out else value.datatype)
    return f'"{text}"'


def _escape(character: str) -> str:
    return ESCAPES.get(character) or f"\\u{ord(character):04X}"


def _xml(resources: Iterator[Resource]) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF'
    for prefix in ("rdf", "skos", "branchwise"):
        yield f'\n    xmlns:{prefix}="{NAMESPACES[prefix]}"'
    yield ">\n"
    for one in resources:
        yield f"  <{one.type} rdf:about={quoteattr(one.iri)}>\n"
        for predicate, value in one.properties:
            if isinstance(value, str):
                yield f"    <{predicate} rdf:resource={quoteattr(value)}/>\n"
            else:
                yield f"    <{predicate}{_attribute(value)}>{_xml_text(value.text)}</{predicate}>\n"
        yield f"  </{one.type}>\n"
    yield "</rdf:RDF>\n"


def _attribute(value: Text) -> str:
    if value.language:
        return f' xml:lang="{value.language}"'
    return f' rdf:datatype="{iri(value.datatype)}"' if value.datatype else ""


def _xml_text(text: str) -> str:
    if bad := re.search(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text):
        raise TaxonomyError(
            f"XML cannot hold the character {bad[0]!r} in {text!r}: write a .ttl file instead."
        )
    return escape(text, {"\r": "&#13;"})  # a bare carriage return would be read back as a line feed
