"""Documents come in from every format, compression and place, and are the same documents each time."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from branchwise import Corpus, Taxonomy, progress
from branchwise.corpus import text_rows
from branchwise.errors import CorpusError
from tests.corpus.files import FORMATS, ROWS, SUFFIXES, TREE, json_lines, packed, write_rows

CLOSED = [("cs", "stat", "cs.AI", "stat.ML"), ("stat",), ()]


def label_sets(corpus: Corpus) -> list[tuple[str, ...]]:
    return corpus.labels.to_ids(corpus.taxonomy)


def message(path: Path, tree: Taxonomy | None = TREE, **options: object) -> str:
    with pytest.raises(CorpusError) as caught:
        Corpus.read(path, tree, **options)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_reads_alike(tmp_path: Path, suffix: str) -> None:
    corpus = Corpus.read(write_rows(tmp_path / f"docs{suffix}", ROWS), TREE)
    assert corpus.ids == ["a", "b", "c"]
    assert list(corpus.texts()) == [row["text"] for row in ROWS]
    assert label_sets(corpus) == CLOSED
    assert len(corpus) == corpus.report.read == 3
    assert corpus.report.problems == {"empty_labels": 1}


def test_suffixes_may_be_upper_case_and_a_format_may_be_named(tmp_path: Path) -> None:
    assert len(Corpus.read(write_rows(tmp_path / "docs.csv", ROWS).rename(tmp_path / "DOCS.CSV"), TREE)) == 3
    assert (
        len(Corpus.read(write_rows(tmp_path / "d.csv", ROWS).rename(tmp_path / "d.txt"), TREE, format="csv"))
        == 3
    )


def test_files_follow_one_another_in_order(tmp_path: Path) -> None:
    second = [row | {"id": row["id"] * 2} for row in ROWS]
    paths = [write_rows(tmp_path / "one.xlsx", ROWS), write_rows(tmp_path / "two.jsonl.gz", second)]
    corpus = Corpus.read(paths, TREE)
    assert corpus.ids == ["a", "b", "c", "aa", "bb", "cc"]
    assert label_sets(corpus) == CLOSED * 2


def test_an_id_that_two_files_share_is_told_with_its_place(tmp_path: Path) -> None:
    paths = [write_rows(tmp_path / "one.csv", ROWS), write_rows(tmp_path / "two.jsonl", ROWS)]
    with pytest.raises(CorpusError, match=r"two\.jsonl, line 1: the id 'a' stood before; .*--duplicate-id"):
        Corpus.read(paths, TREE)


def test_documents_without_ids_are_numbered_across_files(tmp_path: Path) -> None:
    rows = [{"text": row["text"], "labels": row["labels"]} for row in ROWS]
    paths = [write_rows(tmp_path / "one.csv", rows), write_rows(tmp_path / "two.tsv", rows)]
    assert Corpus.read(paths, TREE).ids == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize("packing", ["docs", "docs.gz", "docs.zst"])
def test_standard_input_plain_or_compressed(packing: str) -> None:
    program = (
        "import sys; from branchwise import Corpus, Taxonomy;"
        "tree = Taxonomy.from_nodes(['cs', 'cs.AI', 'stat', 'stat.ML'], [None, 'cs', None, 'stat']);"
        "corpus = Corpus.read('-', tree);"
        "sys.stdout.write(' '.join(corpus.ids))"
    )
    data = packed(json_lines(ROWS), Path(packing))
    run = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, check=False)
    assert (run.stdout.decode(), run.stderr.decode()) == ("a b c", "")


def test_standard_input_as_csv_and_its_name_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    give(b"text,labels\nOne,cs\nTwo,stat;cs\n")
    assert label_sets(Corpus.read("-", TREE, format="csv")) == [("cs",), ("cs", "stat")]
    give(b"text,labels\nOne,cs\nTwo,biology\n")
    with pytest.raises(CorpusError, match=r"^standard input, line 3: the label 'biology' is not"):
        Corpus.read("-", TREE, format="csv")
    with pytest.raises(CorpusError, match="xlsx cannot come from standard input"):
        Corpus.read("-", TREE, format="xlsx")


def test_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(json_lines(ROWS)),))
    writer.start()
    assert Corpus.read(pipe, TREE).ids == ["a", "b", "c"]
    writer.join()


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_several_members_in_one_compressed_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"docs.jsonl{suffix}"
    path.write_bytes(b"".join(packed(json_lines([row]), path) for row in ROWS))
    assert Corpus.read(path, TREE).ids == ["a", "b", "c"]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_compressed_file_cut_short_is_never_taken_for_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"docs.jsonl{suffix}"
    rows = [{"id": str(i), "text": os.urandom(40).hex(), "labels": ["cs"]} for i in range(500)]
    whole = packed(json_lines(rows), path)
    for size in (10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert "docs.jsonl" + suffix + " cannot be read after line" in message(path)
    path.write_bytes(whole + b"rubbish")
    assert "damaged or cut short, fetch it again" in message(path)
    path.write_bytes(json_lines(rows))
    assert "check its suffix" in message(path)


@pytest.mark.parametrize("suffix", [".parquet", ".xlsx"])
def test_a_damaged_table_says_so(tmp_path: Path, suffix: str) -> None:
    path = write_rows(tmp_path / f"docs{suffix}", ROWS)
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"", b"rubbish", whole[:200] + b"\0" * 400 + whole[600:]):
        path.write_bytes(damaged)
        assert f"docs{suffix} cannot be read as" in message(path)


def test_invalid_utf8_is_told_with_its_line_and_byte(tmp_path: Path) -> None:
    for suffix, data, line in (
        (".jsonl", '{"text": "ok"}\n\n{"text": "naïve"}\n', 3),
        (".csv", 'text\nok\n"two\nlines"\n"more\nnaïve"\n', 5),
    ):
        path = tmp_path / f"docs{suffix}"
        path.write_bytes(data.encode("cp1252"))
        told = message(path, label_field=None)
        assert f"docs{suffix}, line {line}: byte " in told
        assert "(0xef) is not utf-8; save the file as UTF-8, or name its encoding" in told
        corpus = Corpus.read(path, TREE, label_field=None, encoding="cp1252")
        assert list(corpus.texts())[-1].endswith("naïve")


def test_a_header_that_is_not_utf8_is_an_error_even_where_bad_rows_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "docs.csv"
    path.write_bytes("text;naïve\na;b\n".encode("cp1252"))
    assert "line 1: byte 8 (0xef) is not utf-8" in message(path, bad_row="skip")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis"])
def test_other_encodings(tmp_path: Path, encoding: str) -> None:
    texts = ["Ω ਁ 🎲 ĊĊ\u0a0a", "two"] if encoding.startswith("utf") else ["plain", "two"]
    path = tmp_path / "docs.jsonl"
    path.write_bytes(
        "".join(json.dumps({"text": one}, ensure_ascii=False) + "\n" for one in texts).encode(encoding)
    )
    assert list(Corpus.read(path, TREE, label_field=None, encoding=encoding).texts()) == texts


def test_a_wrong_encoding_is_told(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "docs.csv", ROWS)
    assert message(path, encoding="klingon") == (
        "There is no text encoding named 'klingon': try utf-8, cp1252 or utf-16."
    )
    path.write_bytes(path.read_bytes() + b"x")
    assert "is not utf-16" in message(path, encoding="utf-16")
    path.write_bytes("text,labels\na,cs\n".encode("utf-16-le"))
    assert "line 1: the header holds NUL bytes, as UTF-16 does" in message(path)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_byte_order_mark_and_crlf_line_ends(tmp_path: Path, suffix: str) -> None:
    path = write_rows(tmp_path / f"docs{suffix}", ROWS)
    data = path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + data)
    corpus = Corpus.read(path, TREE)
    assert list(corpus.texts()) == [row["text"] for row in ROWS]
    assert label_sets(corpus) == CLOSED


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_blank_lines_are_no_rows_but_count_as_lines(tmp_path: Path, suffix: str) -> None:
    path = write_rows(tmp_path / f"docs{suffix}", ROWS)
    path.write_bytes(b"\n  \n" + path.read_bytes().replace(b"\r", b"").replace(b"\n", b"\n\n") + b"\r\n")
    corpus = Corpus.read(path, TREE)
    assert (corpus.report.read, corpus.report.skipped) == (3, 0)
    bad = path.with_name(f"bad{suffix}")
    bad.write_bytes(path.read_bytes().replace(b"stat\n", b"nope\n").replace(b'"stat"]', b'"nope"]'))
    assert f"line {5 if suffix == '.jsonl' else 7}: the label" in message(bad)


def test_the_last_line_needs_no_line_feed(tmp_path: Path) -> None:
    for suffix in (".jsonl", ".csv"):
        path = write_rows(tmp_path / f"docs{suffix}", ROWS)
        path.write_bytes(path.read_bytes().rstrip(b"\r\n"))
        assert len(Corpus.read(path, TREE)) == 3


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_seen_in_the_header(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "docs.csv"
    header = delimiter.join(["id", '"text, and; more|\tthings;;;"', "labels"])
    path.write_text(f"{header}\n{delimiter.join(['1', 'One', chr(34) + 'cs;stat' + chr(34)])}\n")
    corpus = Corpus.read(path, TREE, text_field="text, and; more|\tthings;;;")
    assert list(corpus.texts()) == ["One"]
    assert label_sets(corpus) == [("cs", "stat")]


def test_a_line_longer_than_many_chunks(tmp_path: Path) -> None:
    huge = "ab " * 7_000_000 + "end"
    path = write_rows(tmp_path / "docs.jsonl", [{"id": "1", "text": huge, "labels": []}, *ROWS])
    corpus = Corpus.read(path, TREE)
    assert len(corpus) == 4
    assert next(corpus.texts()) == huge
    csv_path = write_rows(tmp_path / "docs.csv", [{"id": "1", "text": huge[:2_000_000], "labels": []}])
    assert next(Corpus.read(csv_path, TREE).texts()) == huge[:2_000_000]


def test_progress_counts_the_bytes_of_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [write_rows(tmp_path / name, ROWS) for name in ("one.jsonl.gz", "two.parquet", "three.csv")]
    second = [row | {"id": row["id"] * 2} for row in ROWS]
    third = [row | {"id": row["id"] * 3} for row in ROWS]
    paths[1:] = [write_rows(paths[1], second), write_rows(paths[2], third)]
    positions: list[float] = []
    bars: list[progress.Progress] = []

    def advance(self: progress.Progress, items: int = 1, position: float | None = None) -> None:
        assert items == 1
        assert position is not None
        positions.append(position)
        bars.append(self)

    monkeypatch.setattr(progress.Progress, "advance", advance)
    Corpus.read(paths, TREE)
    sizes = [path.stat().st_size for path in paths]
    assert len(positions) == 9
    assert positions[2] == sizes[0]
    assert sizes[0] < positions[3] <= sum(sizes[:2]) < positions[8] == sum(sizes)
    assert bars[0].total == sum(sizes)


class TestErrors:
    """Each names the file and the line or row, and says what to do."""

    def test_wrong_paths(self, tmp_path: Path) -> None:
        assert message(tmp_path / "no.csv") == f"There is no file {tmp_path / 'no.csv'}: check the path."
        assert "is a folder, not a file: name the files in it" in message(tmp_path)
        odd = tmp_path / "docs.pdf"
        odd.write_text("x")
        assert "docs.pdf has the suffix .pdf, which names no document format: use one of .jsonl" in message(
            odd
        )
        bare = tmp_path / "docs"
        bare.write_text("x")
        assert "has the suffix (none)" in message(bare)
        assert "There is no document format 'pdf': choose one of jsonl" in message(odd, format="pdf")
        with pytest.raises(CorpusError, match="No document file is named"):
            Corpus.read([], TREE)

    @pytest.mark.parametrize("name", ["d.jsonl.gz.zst", "d.jsonl.gz.gz", "d.parquet.gz", "d.xlsx.zst"])
    def test_double_compression(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        path.write_bytes(packed(b"x", path))
        assert "is compressed twice: take the last suffix away" in message(path)

    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_an_empty_file_and_a_header_alone(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"docs{suffix}"
        if suffix in (".parquet", ".xlsx"):
            write_rows(path, ROWS)
            if suffix == ".parquet":
                import pyarrow.parquet as pq

                pq.write_table(pq.read_table(path).slice(0, 0), path)
            else:
                import openpyxl

                book = openpyxl.Workbook()
                book.active.append(["id", "text", "labels"])
                book.save(path)
            assert message(path) == f"{path} holds no documents: check that it is the right file."
            return
        for content in (b"", b"\n", b"" if "json" in suffix else b"id,text,labels\n"):
            path.write_bytes(packed(content, path))
            assert message(path) == f"{path} holds no documents: check that it is the right file."

    @pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ".xlsx"])
    def test_a_wrong_field_lists_the_fields_there_are(self, tmp_path: Path, suffix: str) -> None:
        path = write_rows(tmp_path / f"docs{suffix}", ROWS)
        told = message(path, text_field="body")
        assert told.endswith(
            "has no field 'body'; it has id, text, labels: name the right one with --text-field."
        )
        assert str(path) in told
        assert "--label-field" in message(path, label_field=["labels", "sub"])
        assert "--id-field" in message(path, id_field="number")
        assert "has no field 'group' to carry along; it has id, text" in message(path, keep_fields=["group"])

    @pytest.mark.parametrize(
        ("line", "fault"),
        [
            (
                '{"id": "d", "text": "x",',
                "this is not JSON (Expecting property name enclosed in double quotes at",
            ),
            ("5", "this is a number, not a JSON object; write one object a line, for example {"),
            ('"text"', "this is a string, not"),
            ("null", "this is null, not"),
            ("true", "this is a truth value, not"),
            ('[{"text": "x"}]', "this is a list, not"),
            ("[" * 100_000, "this is not JSON (nested too deeply)"),
            (f'{{"id": {"1" * 5000}}}', "this is not JSON (a number is too long)"),
            ('{"text": "\\ud83d alone"}', "this holds half of a surrogate pair"),
        ],
    )
    def test_lines_that_are_no_json_objects(self, tmp_path: Path, line: str, fault: str) -> None:
        path = tmp_path / "docs.jsonl"
        path.write_bytes(json_lines(ROWS) + line.encode() + b"\n" + json_lines([ROWS[0] | {"id": "z"}]))
        told = message(path)
        assert f"docs.jsonl, line 4: {fault}" in told
        assert "write" in told.split(";")[-1]
        assert "or choose --bad-row skip." in told
        corpus = Corpus.read(path, TREE, bad_row="skip")
        assert (corpus.ids, corpus.report.skipped) == (["a", "b", "c", "z"], 1)

    def test_a_bracket_further_down_is_a_bad_line_like_any_other(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.jsonl"
        path.write_bytes(json_lines(ROWS[:1]) + b"[\n" + json_lines(ROWS[1:]))
        assert "line 2: this is not JSON (" in message(path)
        assert Corpus.read(path, TREE, bad_row="skip").ids == ["a", "b", "c"]

    @pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
    def test_a_row_that_is_not_utf8_is_left_out_alone(self, tmp_path: Path, suffix: str) -> None:
        path = write_rows(tmp_path / f"docs{suffix}", ROWS)
        path.write_bytes(path.read_bytes().replace(b"One", b"On\xe9"))
        corpus = Corpus.read(path, TREE, bad_row="skip")
        assert (corpus.ids, corpus.report.skipped) == (["b", "c"], 1)

    def test_whole_surrogate_pairs_are_characters(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.jsonl"
        path.write_text('{"text": "\\ud83d\\ude00", "labels": ["cs"]}\n')
        assert list(Corpus.read(path, TREE).texts()) == ["😀"]

    @pytest.mark.parametrize("indent", [1, 4])
    def test_a_json_document_over_several_lines(self, tmp_path: Path, indent: int) -> None:
        path = tmp_path / "docs.json"
        for content in (ROWS, ROWS[0]):
            path.write_text("\n" + json.dumps(content, indent=indent))
            told = message(path, bad_row="skip")
            assert (
                "docs.json, line 2 begins a JSON document of several lines: write one object a line" in told
            )

    @pytest.mark.parametrize(
        ("row", "fault"),
        [
            ("d,two,cs,more", "there are 4 cells where the header has 3; put quotes around"),
            ("d", "there are 1 cells where the header has 3"),
            ('d,"two" words,cs', "this is not valid CSV (',' expected after '\"'); close every quoted cell"),
            ("d,one\rtwo,cs", "this is not valid CSV (new-line character seen"),
        ],
    )
    def test_rows_that_do_not_fit_the_header(self, tmp_path: Path, row: str, fault: str) -> None:
        path = tmp_path / "docs.csv"
        path.write_bytes(f'id,text,labels\na,"one\ntwo",cs\n{row}\nz,last,stat\n'.encode())
        assert f"docs.csv, line 4: {fault}" in message(path)
        corpus = Corpus.read(path, TREE, bad_row="skip")
        assert (corpus.ids, corpus.report.skipped) == (["a", "z"], 1)

    def test_a_quote_never_closed_and_old_line_ends(self, tmp_path: Path) -> None:
        path = tmp_path / "docs.csv"
        path.write_text('id,text,labels\na,"one,cs\nb,two,cs\n')
        assert "docs.csv, line 2: this is not valid CSV (unexpected end of data)" in message(path)
        path.write_bytes(b"id,text,labels\ra,one,cs\r")
        assert "docs.csv, line 1: this is not valid CSV" in message(path)
        assert "end every line with a line feed" in message(path)

    @pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".xlsx"])
    def test_a_doubled_column(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"docs{suffix}"
        if suffix == ".parquet":
            import pyarrow.parquet as pq

            pq.write_table(pa.table([["a"], ["b"]], names=["text", "text"]), path)
        elif suffix == ".xlsx":
            import openpyxl

            book = openpyxl.Workbook()
            book.active.append(["text", "text "])
            book.active.append(["a", "b"])
            book.save(path)
        else:
            path.write_text("\n\ntext,text\na,b\n".replace(",", "\t" if suffix == ".tsv" else ","))
        told = message(path)
        assert "names the column 'text' twice: give every column its own name." in told
        assert ("line 3" in told) is (suffix in (".csv", ".tsv"))

    def test_cells_beyond_an_excel_header(self, tmp_path: Path) -> None:
        import openpyxl

        path = tmp_path / "docs.xlsx"
        book = openpyxl.Workbook()
        for row in (["text", "labels"], [], ["one", "cs"], ["two", "cs", None, "lost"], ["three"]):
            book.active.append(row)
        book.save(path)
        assert "docs.xlsx, row 4: there are cells to the right of the header's 2 columns" in message(path)
        corpus = Corpus.read(path, TREE, bad_row="skip")
        assert list(corpus.texts()) == ["one", "three"]
        assert corpus.report.skipped == 1

    def test_a_folder_of_bytes_that_may_not_be_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write_rows(tmp_path / "docs.csv", ROWS)

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "open", refuse)
        assert message(path) == f"{path} cannot be opened (Permission denied): check that you may read it."


def test_guessing_a_delimiter_of_a_single_column() -> None:
    assert text_rows.guess_delimiter("text") == ","


class Terminal(io.StringIO):
    """Standard error as a terminal would be."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("suffix", [f".{form}" for form in FORMATS])
def test_progress_is_shown_on_a_terminal_only_and_only_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = write_rows(tmp_path / f"docs{suffix}", ROWS)

    def shown(patience: float, stream: io.StringIO) -> str:
        monkeypatch.setattr(progress, "PATIENCE", patience)
        monkeypatch.setattr(sys, "stderr", stream)
        Corpus.read(path, TREE)
        return stream.getvalue()

    assert "documents, " in shown(-1, Terminal())
    assert shown(-1, io.StringIO()) == ""
    assert shown(60, Terminal()) == ""
