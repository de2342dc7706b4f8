"""What every build promises: nothing half made, nothing of others written over, and a manifest that is true."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from branchwise import Corpus, Taxonomy
from branchwise.corpus.sources import benchmark, build, read_built
from branchwise.errors import CorpusError
from tests.corpus.sources.bgc import write_bgc


def test_a_build_that_finds_nothing_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    with pytest.raises(CorpusError, match="holds no document of arXiv"):
        build(benchmark("arxiv"), tmp_path / "raw", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert read_built(tmp_path / "out") is None


def test_documents_of_others_are_not_written_over(tmp_path: Path) -> None:
    source, output = write_bgc(tmp_path / "raw"), tmp_path / "out"
    output.mkdir()
    (output / "train.jsonl.zst").write_bytes(b"mine")
    with pytest.raises(CorpusError, match=r"holds a train\.jsonl\.zst that is no build of bgc"):
        build(benchmark("bgc"), source, output)
    assert (output / "train.jsonl.zst").read_bytes() == b"mine"
    with pytest.raises(CorpusError, match="is among the raw files"):
        build(benchmark("bgc"), source, source)
    (output / "train.jsonl.zst").unlink()
    (output / "manifest.json").write_text('{"name": "an app of mine"}')
    with pytest.raises(CorpusError, match=r"holds a manifest\.json that is no build of bgc"):
        build(benchmark("bgc"), source, output)


def test_an_interruption_at_the_end_is_no_finished_build_and_can_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, output = write_bgc(tmp_path / "raw"), tmp_path / "out"

    def press(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(import_module("branchwise.corpus.sources.build"), "_manifest", press)
        with pytest.raises(KeyboardInterrupt):
            build(benchmark("bgc"), source, output)
    assert read_built(output) is None
    build(benchmark("bgc"), source, output)
    assert read_built(output) is not None


def test_the_manifest_tells_what_is_in_the_files(tmp_path: Path) -> None:
    said: list[str] = []
    built = build(benchmark("bgc"), write_bgc(tmp_path / "raw", 60), tmp_path / "out", tell=said.append)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest == json.loads(json.dumps(built.manifest))
    tree = Taxonomy.read(tmp_path / "out" / "taxonomy.tsv")
    assert (manifest["taxonomy"]["labels"], manifest["taxonomy"]["fingerprint"]) == (
        len(tree),
        tree.fingerprint,
    )
    for name, part in manifest["parts"].items():
        corpus = Corpus.read(tmp_path / "out" / part["file"], tree)
        assert (part["documents"], part["fingerprint"]) == (len(corpus), corpus.fingerprint)
        assert len(built.part(name)) == len(corpus)
    assert said == manifest["notes"] + manifest["differences"]
