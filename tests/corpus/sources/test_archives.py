"""Raw files are read where they lie, however they are packed, and a damaged one is never taken for whole."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from branchwise.corpus.sources import archives
from branchwise.corpus.sources.archives import members, size_of
from branchwise.errors import CorpusError
from branchwise.progress import Progress
from tests.corpus.sources.rcv1 import add, zipped

TEXT = b"one\r\ntwo\n\nfour"
LINES = ["one", "two", "", "four"]
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


def tarred(files: dict[str, bytes]) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        for name, data in files.items():
            add(archive, name, data)
    return whole.getvalue()


def noise(n_files: int) -> dict[str, bytes]:
    """Make files that no packing makes smaller, so that a cut falls into one of them."""
    return {f"{i}.txt": os.urandom(3_000) for i in range(n_files)}


def content(source: Path, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, bytes]:
    return {one.name: one.read() for one in members(source, wanted)}


def fault(source: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        content(source)
    return str(caught.value)


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("packing", PACKINGS)
def test_a_file_alone_in_a_folder_and_in_archives(tmp_path: Path, packing: str) -> None:
    data = PACKINGS[packing](TEXT)
    name = f"a.txt{packing}"
    assert content(write(tmp_path / "alone" / name, data)) == {"a.txt": TEXT}
    assert content(write(tmp_path / "folder" / "in" / name, data).parent.parent) == {"in/a.txt": TEXT}
    assert content(write(tmp_path / "a.zip", zipped({f"in/{name}": data}))) == {"in/a.txt": TEXT}
    assert content(write(tmp_path / "a.tar", tarred({f"./in/{name}": data}))) == {"in/a.txt": TEXT}


@pytest.mark.parametrize("packing", PACKINGS)
def test_lines_of_every_packing(tmp_path: Path, packing: str) -> None:
    for source in (
        write(tmp_path / f"a.txt{packing}", PACKINGS[packing](b"\xef\xbb\xbf" + TEXT)),
        write(tmp_path / "a.zip", zipped({f"a.txt{packing}": PACKINGS[packing](TEXT)})),
        write(tmp_path / "a.tar", tarred({f"a.txt{packing}": PACKINGS[packing](TEXT)})),
    ):
        assert [list(one.lines()) for one in members(source, lambda _: True)] == [LINES]


@pytest.mark.parametrize("suffix", [*(f".tar{one}" for one in PACKINGS), ".tgz", ".tbz2", ".txz"])
def test_tars_in_tars_and_zips_in_either(tmp_path: Path, suffix: str) -> None:
    short = {"gz": ".gz", "bz2": ".bz2", "xz": ".xz"}
    packing = (
        short[suffix[2:]] if suffix.startswith(".t") and suffix[2:] in short else suffix.removeprefix(".tar")
    )
    pack = PACKINGS[packing]
    inner = {
        "b.zip": zipped({"deep.zip": zipped({"a.txt": TEXT})}),
        f"c{suffix}": pack(tarred({"d.txt": b"d"})),
    }
    found = {"in/b.zip/deep.zip/a.txt": TEXT, f"in/c{suffix}/d.txt": b"d"}
    nested = {f"in/{name}": data for name, data in inner.items()}
    assert content(write(tmp_path / f"outer{suffix}", pack(tarred(nested)))) == found
    assert content(write(tmp_path / "OUTER.ZIP", zipped(nested))) == found
    folder = tmp_path / "folder"
    for name, data in nested.items():
        write(folder / name, data)
    assert content(folder) == found


def test_numbers_in_names_count_as_numbers(tmp_path: Path) -> None:
    names = ["day2/10.txt", "day2/9.txt", "day10/1.txt", "day2/٣.txt", "day2/x²"]
    files = dict.fromkeys(names, b"")
    ordered = ["day2/٣.txt", "day2/9.txt", "day2/10.txt", "day2/x²", "day10/1.txt"]
    for name in files:
        write(tmp_path / "folder" / name, b"")
    assert list(content(tmp_path / "folder")) == ordered
    assert list(content(write(tmp_path / "a.zip", zipped(files)))) == ordered


def test_names_in_any_script(tmp_path: Path) -> None:
    name = "données/名 é.txt"
    assert content(write(tmp_path / "ordner ü" / name, TEXT).parent.parent) == {name: TEXT}
    assert content(write(tmp_path / "ü.zip", zipped({name: TEXT}))) == {name: TEXT}
    assert content(write(tmp_path / "ü.tar.gz", gzip.compress(tarred({name: TEXT})))) == {name: TEXT}


def test_junk_is_passed_over(tmp_path: Path) -> None:
    junk = {
        "__MACOSX/a.txt": b"",
        "b/.DS_Store": b"",
        "b/._a.txt": b"",
        "Thumbs.db": b"",
        "__MACOSX/x.zip": b"no zip",
    }
    files = {**junk, "b/a.txt": TEXT}
    for name, data in files.items():
        write(tmp_path / "folder" / name, data)
    assert content(tmp_path / "folder") == {"b/a.txt": TEXT}
    assert content(write(tmp_path / "a.zip", zipped(files))) == {"b/a.txt": TEXT}
    assert content(write(tmp_path / "a.tar", tarred(files))) == {"b/a.txt": TEXT}


def test_what_is_not_wanted_is_not_even_opened(tmp_path: Path) -> None:
    files = {"bad.zip": b"no zip", "bad.txt.gz": b"no gzip", "good.txt": TEXT, "bad.tar.xz": b"no tar"}
    asked: list[str] = []

    def descend(name: str) -> bool:
        asked.append(name)
        return False

    for name, data in files.items():
        write(tmp_path / "folder" / name, data)
    for source in (tmp_path / "folder", write(tmp_path / "a.zip", zipped(files))):
        asked.clear()
        found = list(members(source, lambda name: name == "good.txt", descend=descend))
        assert [one.name for one in found] == ["good.txt"]
        assert sorted(asked) == ["bad.tar.xz", "bad.zip"]


def test_nothing_is_written_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.chdir(temporary)
    outer = write(
        tmp_path / "raw" / "a.tar.gz", gzip.compress(tarred({"../b.zip": zipped({"/etc/x": TEXT})}))
    )
    outer.chmod(0o444)
    for one in members(outer.parent, lambda _: True):
        assert one.read() == TEXT
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == [outer]


@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"])
def test_a_tar_cut_short_is_never_taken_for_whole(tmp_path: Path, suffix: str) -> None:
    whole = PACKINGS[suffix.removeprefix(".tar")](tarred(noise(20)))
    assert len(content(write(tmp_path / f"whole{suffix}", whole))) == 20
    for size in (10, len(whole) // 2, len(whole) - 1000, len(whole) - 20, len(whole) - 3):
        path = write(tmp_path / "raw" / f"cut{suffix}", whole[:size])
        assert f"cut{suffix}" in fault(path.parent)


@pytest.mark.parametrize("packing", [".gz", ".bz2", ".xz", ".zst"])
def test_a_file_cut_short_is_never_taken_for_whole(tmp_path: Path, packing: str) -> None:
    whole = PACKINGS[packing](os.urandom(5_000).hex().encode())
    for size in (1, len(whole) // 2, len(whole) - 2):
        path = write(tmp_path / f"cut.txt{packing}", whole[:size])
        assert fault(path).startswith("cut.txt cannot be read (")
        with pytest.raises(CorpusError, match=r"^cut\.txt cannot be read \(.*fetch it again\.$"):
            list(next(iter([list(one.lines()) for one in members(path, lambda _: True)])))


def test_a_damaged_zip_is_told_by_its_own_name(tmp_path: Path) -> None:
    good, bad = zipped(noise(3)), zipped(noise(5))
    inner = {"good.zip": good, "bad.zip": bad[: len(bad) // 2]}
    assert fault(write(tmp_path / "a.tar", tarred(inner))).startswith(
        "bad.zip cannot be read (File is not a zip"
    )
    path = write(tmp_path / "flipped.zip", bad[:2000] + bytes([bad[2000] ^ 255]) + bad[2001:])
    assert fault(path).startswith("0.txt cannot be read (")


def test_an_encrypted_zip_is_told(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": TEXT}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1  # the flag that says so
    source = write(tmp_path / "in" / "a.zip", bytes(data)).parent
    assert fault(source) == "a.zip/a.txt is protected by a password: unpack it and give the folder."
    assert content(source, lambda name: name.endswith(".csv")) == {}


def test_what_is_no_archive_is_told(tmp_path: Path) -> None:
    for name in ("a.zip", "a.tar", "a.tar.gz", "a.tar.xz", "a.tar.zst", "a.txt.gz"):
        assert "cannot be read (" in fault(write(tmp_path / name, b"<html>Not found</html>" * 50))


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    source = write(tmp_path / "a.txt", b"caf\xe9\n")
    with pytest.raises(CorpusError, match=r"^a\.txt is not utf-8 \("):
        [list(one.lines()) for one in members(source, lambda _: True)]
    assert [list(one.lines("latin-1")) for one in members(source, lambda _: True)] == [["café"]]


def test_a_source_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="nowhere does not exist: give the folder"):
        content(tmp_path / "nowhere")


def test_links_and_special_files_are_passed_over(tmp_path: Path) -> None:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        add(archive, "a.txt", TEXT)
        for name, kind in (("link.txt", tarfile.SYMTYPE), ("pipe.txt", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "a.txt"
            archive.addfile(info)
    write(tmp_path / "folder" / "a.tar", whole.getvalue())
    os.mkfifo(tmp_path / "folder" / "pipe.txt")
    (tmp_path / "folder" / "dangling.txt").symlink_to(tmp_path / "nowhere")
    assert content(tmp_path / "folder") == {"a.tar/a.txt": TEXT}
    assert size_of(tmp_path / "folder") == len(whole.getvalue())


@pytest.mark.parametrize("form", ["folder", "zip", "tar"])
def test_progress_ends_at_the_bytes_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(archives, "CHUNK", 5_000)
    monkeypatch.setattr(archives, "TAR_BUFFER", 5_000)
    files = noise(20)
    if form == "folder":
        for name, data in files.items():
            write(tmp_path / "raw" / name, data)
    else:
        write(tmp_path / "raw" / f"a.{form}", zipped(files) if form == "zip" else tarred(files))
    told: list[int] = []
    with Progress("Reading") as progress:
        monkeypatch.setattr(progress, "advance", told.append)
        for one in members(tmp_path / "raw", lambda _: True, progress):
            one.read()
    assert sum(told) == size_of(tmp_path / "raw")
    assert 3 < len(told) < 20
    assert min(told) > 0


def test_a_zip_may_be_read_by_part(tmp_path: Path) -> None:
    """What is not read of a file is passed over, and stopping early closes everything."""
    source = write(tmp_path / "a.tar.gz", gzip.compress(tarred(noise(5) | {"z.zip": zipped(noise(3))})))
    names = []
    for one in members(source, lambda _: True):
        names.append(one.name)
        assert len(one.stream.read(10)) == 10
        if one.name == "z.zip/1.txt":
            break
    assert names == [f"{i}.txt" for i in range(5)] + ["z.zip/0.txt", "z.zip/1.txt"]


def test_the_comment_of_a_zip_and_folders_in_it_do_no_harm(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.mkdir("folder.zip")
        archive.writestr("folder.zip/a.txt", TEXT)
        archive.comment = b"disc 1"
    assert content(tmp_path / "a.zip") == {"folder.zip/a.txt": TEXT}
