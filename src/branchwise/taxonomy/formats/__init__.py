"""The file formats of taxonomies: one module each, found by the file's suffix and imported when it is needed.

A format's module has ``read(path, **options)`` and ``write(tree, path, **options)``; its keyword-only
arguments are the options it knows. Reading what was written gives an equal taxonomy, except that
``.taxonomy`` holds ids alone.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.errors import TaxonomyError

if TYPE_CHECKING:
    from branchwise.taxonomy.tree import Taxonomy

FORMATS = {
    ".tsv": "tables",
    ".csv": "tables",
    ".json": "nested",
    ".taxonomy": "hiagm",
    ".ttl": "skos",
    ".rdf": "skos",
    ".xml": "skos",
    ".nt": "skos",
}
"""The module of every suffix."""


def read_taxonomy(path: str | Path, **options: Any) -> Taxonomy:
    """Read a taxonomy file in the format that its suffix names.

    Parameters
    ----------
    path
        A .tsv, .csv, .json, .taxonomy, .ttl, .rdf, .xml or .nt file in UTF-8.
    options
        Those of the format. Only SKOS (.ttl, .rdf, .xml, .nt) has any: ``language``, ``ids`` and
        ``several_parents``; see :func:`branchwise.taxonomy.formats.skos.read`.
    """
    path = Path(path)
    read: Callable[..., Taxonomy] = _function("read", path, options)
    return read(path, **options)


def write_taxonomy(tree: Taxonomy, path: str | Path, **options: Any) -> None:
    """Write a taxonomy in the format that the file's suffix names.

    Parameters
    ----------
    tree
        The taxonomy.
    path
        The file to write; one that is there is replaced.
    options
        Those of the format. Only SKOS has one: ``language``, the language tag of the names.
    """
    path = Path(path)
    write: Callable[..., None] = _function("write", path, options)
    write(tree, path, **options)


def _function(name: str, path: Path, options: dict[str, Any]) -> Callable[..., Any]:
    """Return a format's ``read`` or ``write`` after checking that it knows the options."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        shown = f"the suffix {suffix!r}" if suffix else "no suffix"
        raise TaxonomyError(
            f"{path} has {shown}, so its format is unknown: a taxonomy file ends in {', '.join(FORMATS)}."
        )
    function: Callable[..., Any] = getattr(importlib.import_module(f"{__name__}.{FORMATS[suffix]}"), name)
    parameters = inspect.signature(function).parameters.values()
    known = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            hint = f"it knows {', '.join(known)}" if known else "it has no options"
            raise TaxonomyError(f"To {name} {suffix} ({path}), there is no option {option!r}: {hint}.")
    return function
