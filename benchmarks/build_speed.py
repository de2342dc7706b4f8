"""How fast raw benchmark files become documents, beside merely decompressing them in the same run.

The files are invented ones in the true formats (those of the tests), as the true ones are licensed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.corpus.sources import arxiv, nyt, rcv1, wos

from benchmarks.machine import write_result
from branchwise.corpus.sources import benchmark, build
from branchwise.corpus.sources.archives import members, size_of


def _rcv1(folder: Path) -> Path:
    cds = rcv1.Cds(rcv1.stories(20_000))
    rcv1.write_topics(cds.write_zips(folder), cds.kept)
    return folder


def _nyt(folder: Path) -> Path:
    folder.mkdir()
    return nyt.write_archive(folder / "nyt_corpus.tgz", nyt.articles(10_000))


RAW: dict[str, Callable[[Path], Path]] = {
    "rcv1": _rcv1,
    "nyt": _nyt,
    "wos": lambda folder: wos.write_wos(folder, 46_985),
    "arxiv": lambda folder: arxiv.write_arxiv(folder, 50_000),
}


def main() -> None:
    """Write the files, decompress them, build them, and write what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--result", type=Path, default=Path("benchmarks/results/build_speed.json"))
    arguments = parser.parse_args()
    figures: dict[str, Any] = {}
    for name, write in RAW.items():
        with tempfile.TemporaryDirectory() as folder:
            source = write(Path(folder) / "raw")
            started = time.process_time()
            read = sum(len(one.read()) for one in members(source, lambda _: True))
            reading = time.process_time() - started
            started = time.process_time()
            built = build(benchmark(name), source, Path(folder) / "built")
            building = time.process_time() - started
            documents = sum(one["documents"] for one in built.manifest["parts"].values())
            figures[name] = {
                "documents": documents,
                "bytes_on_disk": size_of(source),
                "bytes_read": read,
                "documents_a_second": round(documents / building),
                "processor_seconds": round(building, 2),
                "times_reading_the_bytes": round(building / reading, 2),
            }
            sys.stderr.write(f"{name}: {figures[name]}\n")
    write_result(arguments.result, "python -m benchmarks.build_speed", figures)


if __name__ == "__main__":
    main()
