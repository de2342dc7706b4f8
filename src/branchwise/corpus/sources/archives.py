"""Files in folders, zips and tars, however nested, read in place and one after another: nothing is unpacked to disk.

A zip within an archive is held in memory while it is read, as it can only be read from its end; a tar is not.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

import pyarrow as pa

from branchwise.errors import CorpusError
from branchwise.progress import Progress

TARS = {
    ".tar": "",
    ".tar.gz": "gzip",
    ".tgz": "gzip",
    ".tar.bz2": "bz2",
    ".tbz2": "bz2",
    ".tar.xz": "xz",
    ".txz": "xz",
    ".tar.zst": "zstd",
}
PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
JUNK = ("__MACOSX/", ".DS_Store", "/._", "Thumbs.db")
CHUNK = 1 << 20
TAR_BUFFER = 1 << 16  # bytes; what is left of it is copied at every read
ENCRYPTED = 1  # a flag of a file in a zip
_ARCHIVES = (".zip", *TARS)
_FAULTS = (
    OSError,
    EOFError,
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    RuntimeError,
    NotImplementedError,
)

Wanted = Callable[[str], bool]


@dataclass(frozen=True)
class Member:
    """One file, readable until the next one is asked for."""

    name: str
    """Its path below the source, archives counting as folders; without the suffix of its own compression."""
    stream: IO[bytes]

    def read(self) -> bytes:
        """Return all of its bytes."""
        try:
            return self.stream.read()
        except _FAULTS as error:
            raise damaged(self.name, error) from error

    def lines(self, encoding: str = "utf-8", errors: str = "strict") -> Iterator[str]:
        """Yield its lines without their ends, which are line feeds, with or without a carriage return."""
        try:
            for number, line in enumerate(_buffered(self.stream)):
                text = line.decode(encoding, errors)
                yield (text.removeprefix("\ufeff") if not number else text).rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise CorpusError(
                f"{self.name} is not {encoding} ({error}): fetch the file again, or convert it to {encoding}."
            ) from error
        except _FAULTS as error:
            raise damaged(self.name, error) from error


def members(
    source: Path, wanted: Wanted, progress: Progress | None = None, descend: Wanted = lambda _: True
) -> Iterator[Member]:
    """Yield the files whose names are wanted: of folders and zips in the order of names, of tars in their own.

    Parameters
    ----------
    source
        A folder, an archive, or one file.
    wanted
        Called with the name of every file, which is its path below the source with ``/``.
    progress
        Advanced by the bytes of the files on disk.
    descend
        Called with the name of every archive within; those refused are passed over unread.
    """
    if not source.exists():
        raise CorpusError(
            f"{source} does not exist: give the folder or the archive that holds the raw files."
        )
    own = source.is_file()
    meter = _Meter(progress)
    for name, path in files_of(source):
        if not _is_junk(name) and (own or _matters(name, wanted, descend)):
            try:
                with path.open("rb") as stream:
                    for one in _open(name, stream, wanted, descend, own):
                        yield one
                        meter.reach(stream)
            except OSError as error:
                raise damaged(name, error) from error
        meter.finish(path)
    meter.tell(0)


def size_of(source: Path) -> int:
    """Return the bytes on disk of a file, or of all files in a folder."""
    return sum(path.stat().st_size for _, path in files_of(source))


def damaged(name: str, error: Exception) -> CorpusError:
    """Return the error for a file that cannot be read to its end."""
    return CorpusError(
        f"{name} cannot be read ({error}): it is damaged or of another kind than its name says, so fetch it again."
    )


class _Meter:
    """Tells a progress bar how far the reading is, not at every one of many small files."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.finished = self.told = 0  # bytes

    def reach(self, stream: IO[bytes]) -> None:
        if self.progress is not None and not stream.closed:
            self.tell(CHUNK, stream.tell())

    def finish(self, path: Path) -> None:
        if self.progress is not None:
            self.finished += path.stat().st_size
            self.tell(CHUNK)

    def tell(self, least: int, position: int = 0) -> None:
        news = self.finished + position - self.told
        if self.progress is not None and news > 0 and news >= least:
            self.progress.advance(news)
            self.told += news


def files_of(source: Path) -> list[tuple[str, Path]]:
    """Return a file, or those below a folder, with their names, numbers in which count as numbers."""
    if source.is_file():
        return [(source.name, source)]
    paths = [Path(inside, name) for inside, _, names in os.walk(source) for name in names]
    named = [(path.relative_to(source).as_posix(), path) for path in paths if path.is_file()]
    return sorted(named, key=lambda one: _natural(one[0]))


def _natural(name: str) -> list[str | int]:
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def _open(name: str, stream: Any, wanted: Wanted, descend: Wanted, own: bool = False) -> Iterator[Member]:
    """Yield a file, or what it holds where it is an archive; the name of the source itself is no folder."""
    lower = name.lower()
    inside = "" if own else name + "/"
    packing = PACKED.get(PurePosixPath(lower).suffix)
    try:
        if lower.endswith(_ARCHIVES):
            if own or descend(name):
                read = _zip if lower.endswith(".zip") else _tar
                yield from read(inside, lower, stream, wanted, descend)
        elif packing is not None:
            bare = name[: -len(PurePosixPath(lower).suffix)]
            if wanted(bare):
                yield Member(bare, _unpacked(stream, packing))
        elif wanted(name):
            yield Member(name, stream)
    except _FAULTS as error:
        raise damaged(name, error) from error


def _zip(inside: str, _: str, stream: Any, wanted: Wanted, descend: Wanted) -> Iterator[Member]:
    with zipfile.ZipFile(stream) as archive:
        for one in sorted(archive.infolist(), key=lambda one: _natural(one.filename)):
            name = inside + one.filename
            if not one.is_dir() and _matters(name, wanted, descend):
                if one.flag_bits & ENCRYPTED:
                    raise CorpusError(f"{name} is protected by a password: unpack it and give the folder.")
                with archive.open(one) as part:
                    yield from _open(name, _seekable(name, part), wanted, descend)


def _tar(inside: str, lower: str, stream: Any, wanted: Wanted, descend: Wanted) -> Iterator[Member]:
    plain = _unpacked(stream, next(packing for end, packing in TARS.items() if lower.endswith(end)))
    with tarfile.open(fileobj=plain, mode="r|", bufsize=TAR_BUFFER) as archive:
        for one in archive:
            name = inside + one.name.removeprefix("./")
            if one.isfile() and _matters(name, wanted, descend):
                part = archive.extractfile(one)
                yield from _open(name, _seekable(name, part), wanted, descend)
            archive.members = []  # type: ignore[attr-defined]  # it would remember every file
    while plain.read(CHUNK):
        pass  # that a compressed file is cut short shows at its end only


def _matters(name: str, wanted: Wanted, descend: Wanted) -> bool:
    """Say whether a file is worth opening, so that others are not even decompressed."""
    lower = name.lower()
    if _is_junk(name):
        return False
    if lower.endswith(_ARCHIVES):
        return descend(name)
    suffix = PurePosixPath(lower).suffix
    return wanted(name[: -len(suffix)] if suffix in PACKED else name)


def _seekable(name: str, part: Any) -> Any:
    """Return a file that can be read from its end where that is needed."""
    return io.BytesIO(part.read()) if name.lower().endswith(".zip") else part


def _unpacked(stream: Any, packing: str) -> Any:
    if packing == "zstd":
        return pa.CompressedInputStream(stream, packing)
    kinds: dict[str, Callable[[Any], Any]] = {
        "gzip": lambda one: gzip.GzipFile(fileobj=one),
        "bz2": bz2.BZ2File,
        "xz": lzma.LZMAFile,
        "": lambda one: one,
    }
    return kinds[packing](stream)


def _buffered(stream: Any) -> Any:
    """Return a stream that has lines, which those of Arrow have not."""
    return io.BufferedReader(stream) if isinstance(stream, pa.NativeFile) else stream


def _is_junk(name: str) -> bool:
    return any(one in f"/{name}" for one in JUNK)
