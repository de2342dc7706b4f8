"""The words of RDF that the SKOS reader and writer share, and those that are ours."""

from __future__ import annotations

NAMESPACES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "branchwise": "urn:x-branchwise:",
}

OWN_ID = "branchwise:id"
"""The datatype of a notation that holds a label's id; SKOS tells notation systems apart by datatype."""

COPY = "branchwise:copy"
"""The property that names, in order, the ids a duplicated concept stands for."""


def iri(term: str) -> str:
    """Spell out a term such as ``skos:broader``."""
    prefix, _, local = term.partition(":")
    return NAMESPACES[prefix] + local
