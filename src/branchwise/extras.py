"""Optional dependencies: imported only when used, and named in one sentence when they are absent."""

from __future__ import annotations

import importlib
from types import ModuleType

from branchwise.errors import MissingExtraError


def require(module: str, extra: str, purpose: str) -> ModuleType:
    """Import ``module``, or say which extra of branchwise brings it.

    Parameters
    ----------
    module
        The dotted name to import, for example ``rdflib``.
    extra
        The extra of branchwise that installs it, for example ``skos``.
    purpose
        What the user was about to do, as the start of the error: ``Reading SKOS``.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or module.split(".")[0] != error.name.split(".")[0]:
            raise
        raise MissingExtraError(
            f"{purpose} needs the package {error.name}, which is not installed: run pip install 'branchwise[{extra}]'."
        ) from error
