"""SKOS, .ttl, .nt, .rdf (also .xml): concepts with names in many languages, and often several parents.

A concept without a broader one stands under the root, whether or not it is declared a top concept;
``broader`` and ``narrower`` count in either direction, their transitive forms not at all. Siblings keep the
order of the file. Nothing is fetched from the network.
"""

from __future__ import annotations

from pathlib import Path

from branchwise.errors import TaxonomyError
from branchwise.extras import require
from branchwise.taxonomy.formats.nodes import Nodes
from branchwise.taxonomy.formats.polyhierarchy import POLICIES, place_concepts
from branchwise.taxonomy.formats.skos_write import write
from branchwise.taxonomy.formats.source import Source
from branchwise.taxonomy.tree import Taxonomy

__all__ = ["read", "write"]

ID_CHOICES = ("auto", "iri", "notation", "local")


def read(
    path: Path, *, language: str | None = "en", ids: str = "auto", several_parents: str = "error"
) -> Taxonomy:
    """Read the concepts of a SKOS file.

    Parameters
    ----------
    path
        The file: .ttl and .nt are Turtle, .rdf and .xml RDF/XML.
    language
        The language of the names: the prefLabel with exactly this tag, else with the same base language
        (en-GB for en), else without a tag, else the first by tag. altLabels of that base language, or without
        a tag, become synonyms. None prefers labels without a tag.
    ids
        What identifies a label: its ``iri``; its ``notation``, which every concept must then have once; the
        ``local`` part of its IRI, after the last #, / or colon. ``auto`` takes the id that Branchwise wrote
        where it wrote the concept, and the IRI otherwise.
    several_parents
        What to do with a concept under several others: ``error``; keep the ``first`` parent in the file; or
        ``duplicate`` the concept with its subtree under each further parent, with ids such as ``x@parent``.
    """
    for option, value, choices in (("ids", ids, ID_CHOICES), ("several_parents", several_parents, POLICIES)):
        if value not in choices:
            raise TaxonomyError(
                f"To read {path}, the option {option} cannot be {value!r}: it is one of {', '.join(choices)}."
            )
    require("rdflib", "skos", "Reading SKOS")
    from branchwise.taxonomy.formats.skos_graph import SkosGraph

    source = Source.read(path)
    graph = SkosGraph.parse(source)
    labels = graph.ids(ids)
    placements = place_concepts(labels, graph.parents(), several_parents, graph.places)
    nodes = Nodes(source)
    names = graph.names(language)
    copies: dict[str, list[str]] = {}
    for one in placements:
        nodes.add(one.label, one.parent, *names[one.concept])
        copies.setdefault(labels[one.concept], []).append(one.label)
    nodes.copies = {label: stands_for for label, stands_for in copies.items() if len(stands_for) > 1}
    if ids in ("auto", "notation"):
        nodes.copies.update(graph.written_copies(labels))
    return nodes.build(lambda row: graph.places[placements[row].concept])
