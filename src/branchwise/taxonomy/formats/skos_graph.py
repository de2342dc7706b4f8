"""What a SKOS file says, through rdflib: its concepts in file order, their ids, parents and names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from xml.sax.saxutils import escape

from rdflib import BNode, Graph, Literal, URIRef

from branchwise.errors import TaxonomyError
from branchwise.taxonomy.formats.skos_terms import COPY, OWN_ID, iri
from branchwise.taxonomy.formats.source import Places, Source


@dataclass(frozen=True)
class SkosGraph:
    """A parsed file; lists have one entry a concept."""

    source: Source
    graph: Graph

    @classmethod
    def parse(cls, source: Source) -> SkosGraph:
        """Parse Turtle or RDF/XML, by the file's suffix."""
        xml = source.path.suffix.lower() in (".rdf", ".xml")
        try:
            return cls(source, Graph().parse(data=source.text, format="xml" if xml else "turtle"))
        except Exception as error:  # rdflib's parsers raise a dozen unrelated kinds
            told = str(error)
            line = re.search(r"^at line (\d+)|^\S*:(\d+):\d+: ", told)
            place = source.at(int(line[1] or line[2])) if line else str(source.path)
            reason = re.search(r"Bad syntax \((.*?)\) at \^", told, re.DOTALL) or re.search(r"([^:]*)$", told)
            why = " ".join(reason[1].split()) if reason else type(error).__name__
            raise TaxonomyError(
                f"{place}, is not valid {'RDF/XML' if xml else 'Turtle'} ({why}): correct it there."
            ) from error

    @cached_property
    def concepts(self) -> list[Any]:
        """What is typed a concept, or stands where SKOS lets only concepts stand.

        In file order: rdflib's indices are dictionaries, so triples of one pattern come as they were parsed.
        """
        found = dict.fromkeys(self.graph.subjects(_term("rdf:type"), _term("skos:Concept")))
        for relation in ("skos:broader", "skos:narrower", "skos:topConceptOf"):
            found.update(dict.fromkeys(self.graph.subjects(_term(relation))))
        return list(found)

    @cached_property
    def places(self) -> Places:
        """Where each concept stands in the file, as far as a search for its IRI can tell."""
        return Places(len(self.concepts), lambda row: self._find(self.concepts[row]))

    def ids(self, choice: str) -> list[str]:
        """Return the ids of the concepts, unique, by one of the choices of the reader."""
        first: dict[str, int] = {}
        for row, concept in enumerate(self.concepts):
            label = self._id(concept, choice, row)
            if label in first:
                other = first[label]
                raise TaxonomyError(
                    f"The concepts {self.concepts[other]} ({self.places[other]}) and {concept} "
                    f"({self.places[row]}) share the id {label!r}: give them ids of their own, or read the "
                    "file with ids='iri'."
                )
            first[label] = row
        return list(first)

    def _id(self, concept: Any, choice: str, row: int) -> str:
        notations: list[Any] = list(self.graph.objects(concept, _term("skos:notation")))
        if choice == "notation":
            if len(notations) != 1:
                raise TaxonomyError(
                    f"The concept {concept} ({self.places[row]}) has {len(notations) or 'no'} notations "
                    "where one is needed: correct that, or read the file with ids='iri'."
                )
            return str(notations[0])
        if isinstance(concept, BNode):
            raise TaxonomyError(f"{self.source.path} has a concept without an IRI: give every concept one.")
        if choice == "local":
            return re.split(r"[#/:]", concept.rstrip("#/:"))[-1]
        written = [one for one in notations if one.datatype == _term(OWN_ID)] if choice == "auto" else []
        return str(written[0] if written else concept)

    def parents(self) -> list[list[int]]:
        """Return the rows of each concept's parents: its own statements first, then those of its parents."""
        row_of = {concept: row for row, concept in enumerate(self.concepts)}
        parents: list[dict[int, None]] = [{} for _ in self.concepts]
        for relation, role in (("skos:broader", "parent"), ("skos:narrower", "child")):
            for row, concept in enumerate(self.concepts):
                for other in self.graph.objects(concept, _term(relation)):
                    if other not in row_of:
                        raise TaxonomyError(
                            f"The concept {concept} ({self.places[row]}) names the {role} {other}, which is "
                            f"not a concept in the file: add it, or take the {relation} statement away."
                        )
                    child, parent = (row, row_of[other]) if role == "parent" else (row_of[other], row)
                    parents[child][parent] = None
        return [list(one) for one in parents]

    def names(self, language: str | None) -> list[tuple[str, list[str]]]:
        """Return the name, empty if there is none, and the synonyms of each concept."""
        return [self._names_of(concept, (language or "").lower()) for concept in self.concepts]

    def _names_of(self, concept: Any, wanted: str) -> tuple[str, list[str]]:
        def distance(label: Literal) -> tuple[int, str]:
            tag = _tag(label)
            if tag == wanted:
                return 0, tag
            if tag and _base(tag) == _base(wanted):
                return 1, tag
            return (3, tag) if tag else (2, tag)

        names = self._texts(concept, "skos:prefLabel") or self._texts(concept, "rdfs:label")
        best = min(names, key=distance, default=Literal(""))
        bases = {"", _base(wanted), _base(_tag(best))}
        others = self._texts(concept, "skos:altLabel")
        return str(best), [str(one) for one in others if _base(_tag(one)) in bases]

    def _texts(self, concept: Any, relation: str) -> list[Literal]:
        found: Iterable[Any] = self.graph.objects(concept, _term(relation))
        return [one for one in found if isinstance(one, Literal) and one.strip()]

    def written_copies(self, labels: list[str]) -> dict[str, list[str]]:
        """Return the copies that Branchwise wrote into the file, by id."""
        found = {
            label: [str(one) for one in self.graph.objects(concept, _term(COPY))]
            for label, concept in zip(labels, self.concepts, strict=True)
        }
        return {label: copies for label, copies in found.items() if copies}

    def _find(self, concept: Any) -> str:
        whole, local = re.escape(str(concept)), re.escape(re.split(r"[#/:]", concept)[-1])
        return self.source.find(
            rf"^\s*<{whole}>",
            rf'\b(?:about|ID)="{re.escape(escape(concept))}"',
            rf"^[ \t]*[\w.-]*:{local}(?![\w-])",
            rf'\b(?:about|ID)="[^"]*{local}"',
            whole,
        )


def _term(term: str) -> URIRef:
    return URIRef(iri(term))


def _tag(label: Literal) -> str:
    return (label.language or "").lower()


def _base(tag: str) -> str:
    return tag.partition("-")[0]
