"""Bytes in and out: plain, gzip or zstd, files or standard input and output, line by line with numbers."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from branchwise.errors import CorpusError

STANDARD = "-"  # stands for standard input or output where a file is asked for
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_FIRST_BYTES = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}  # neither can begin a text
CHUNK = 1 << 20


class Source:
    """One input: a file or standard input, read once from front to back.

    Attributes
    ----------
    name
        What errors call it.
    size
        Bytes on disk, None where nobody knows; ``position`` says how many of them are read.
    """

    def __init__(self, path: str | Path, encoding: str = "utf-8") -> None:
        self.path = str(path)
        self.name = "standard input" if self.path == STANDARD else self.path
        self.encoding = encoding
        try:
            self._splits_at_byte = "\n".encode(encoding) == b"\n"
        except LookupError as error:
            raise CorpusError(
                f"There is no text encoding named {encoding!r}: try utf-8, cp1252 or utf-16."
            ) from error
        self.size: int | None = None if self.path == STANDARD else _checked_size(Path(path))
        self._raw: Any = None

    @property
    def position(self) -> int:
        """Bytes of the file read so far, before decompression."""
        return self._raw.tell() if self.size is not None and self._raw and not self._raw.closed else 0

    @contextmanager
    def open(self) -> Iterator[Any]:
        """Open the decompressed bytes for reading."""
        with ExitStack() as stack:
            if self.path == STANDARD:
                self._raw = sys.stdin.buffer
            else:
                try:
                    self._raw = stack.enter_context(Path(self.path).open("rb"))
                except OSError as error:
                    raise CorpusError(
                        f"{self.name} cannot be opened ({error.strerror}): check that you may read it."
                    ) from error
            compression = COMPRESSIONS.get(Path(self.path).suffix.lower()) or _recognised(self._raw)
            if compression is None:
                yield self._raw
            else:
                yield stack.enter_context(pa.CompressedInputStream(self._raw, compression))

    def lines(self) -> Iterator[tuple[int, str, str]]:
        """Yield every line with its number, from 1, and what is wrong with its bytes, mostly nothing.

        Lines end at line feeds only, which are taken off: JSON and CSV may hold other separators in a value.
        """
        number = 0
        try:
            with self.open() as stream:
                for number, line in enumerate(_split_lines(self._in_ascii_superset(stream)), 1):
                    text, fault = self._decode(line)
                    yield number, text.removeprefix("\ufeff") if number == 1 else text, fault
        except UnicodeError as error:
            raise CorpusError(
                f"{self.name} is not {self.encoding} after line {number} ({error}): name its true encoding."
            ) from error
        except OSError as error:
            raise CorpusError(
                f"{self.name} cannot be read after line {number} ({error}): the file is damaged or cut "
                "short, fetch it again or check its suffix."
            ) from error

    def _in_ascii_superset(self, stream: Any) -> Iterator[bytes]:
        """Yield the bytes in an encoding where the byte 0x0a is always a line feed, which UTF-16 is not."""
        read = getattr(stream, "read1", stream.read)  # a pipe is not waited for until a chunk is full
        chunks = iter(lambda: read(CHUNK), b"")
        if self._splits_at_byte:
            return chunks
        return codecs.iterencode(codecs.iterdecode(chunks, self.encoding), "utf-8")

    def _decode(self, line: bytes) -> tuple[str, str]:
        encoding = self.encoding if self._splits_at_byte else "utf-8"
        try:
            return line.decode(encoding), ""
        except UnicodeDecodeError as error:
            fault = f"byte {error.start + 1} (0x{line[error.start]:02x}) is not {encoding}"
            return line.decode(encoding, "replace"), fault


def _recognised(raw: Any) -> str | None:
    """Return the compression that the first bytes tell of, for pipes and files without its suffix."""
    head = raw.peek(4) if hasattr(raw, "peek") else b""
    return next((kind for mark, kind in _FIRST_BYTES.items() if head.startswith(mark)), None)


def _split_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    pieces: list[bytes] = []  # of a line that goes on; joined once, however many chunks it spans
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        pieces.append(first)
        if others:
            yield b"".join(pieces)
            pieces = [others.pop()]
            yield from others
    if last := b"".join(pieces):
        yield last


def _checked_size(path: Path) -> int | None:
    if not path.exists():
        raise CorpusError(f"There is no file {path}: check the path.")
    if path.is_dir():
        raise CorpusError(
            f"{path} is a folder, not a file: name the files in it, for example {path}/*.jsonl."
        )
    return path.stat().st_size if path.is_file() else None


@contextmanager
def open_output(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes, compressed as its suffix says; it appears only when it is complete."""
    if str(path) == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(path).resolve()  # what a link points to is replaced, not the link
    if not path.parent.is_dir():
        raise CorpusError(f"The folder {path.parent} of {path} does not exist: make it first.")
    if path.is_dir():
        raise CorpusError(f"{path} is a folder: name a file in it.")
    special = path.exists() and not path.is_file()  # a pipe or a device is written to, never replaced
    part = path if special else path.with_name(f".{path.name}.part")
    try:
        with pa.output_stream(str(part), compression=COMPRESSIONS.get(path.suffix.lower())) as stream:
            yield stream
        if not special:
            part.replace(path)
    except OSError as error:
        raise CorpusError(
            f"{path} cannot be written ({error}): free space or choose another place."
        ) from error
    finally:
        if not special:
            with suppress(OSError):  # a disk that cannot be written to has just been told of
                part.unlink(missing_ok=True)


def data_suffix(path: str | Path) -> str:
    """Return the suffix that names the format, below any compression: ``.jsonl`` of ``a.jsonl.zst``."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
