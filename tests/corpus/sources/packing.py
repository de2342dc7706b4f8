"""The same raw files as people hold them: a folder, an archive, an archive in an archive."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

FORMS = ("folder", "zip", "tar.gz", "zip in tar.gz")


def packed(folder: Path, form: str) -> Path:
    """Return a folder's files in one of the forms, which stands beside the folder."""
    if form == "folder":
        return folder
    if form == "zip":
        return _zipped(folder)
    if form == "tar.gz":
        return _tarred(folder, folder, folder.name)
    inner = _zipped(folder)
    return _tarred(folder, inner, f"download/{inner.name}")


def _zipped(folder: Path) -> Path:
    path = folder.with_name(f"{folder.name}.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(folder.rglob("*")):
            archive.write(one, Path(folder.name) / one.relative_to(folder))
    return path


def _tarred(folder: Path, what: Path, name: str) -> Path:
    path = folder.with_name(f"{folder.name}.tar.gz")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(what, name)
    return path
