"""Memory of training: the starter backbone at batch 16, and a corpus far larger than what is held of it.

Each case runs in a process of its own. What counts is anonymous memory: pages of memory-mapped files, which the
system takes back when it needs them, are told apart.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from benchmarks.machine import write_result

SECONDS = 0.05  # between two looks


def main() -> None:
    """Run the cases and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=500_000)
    parser.add_argument("--steps", type=int, default=40, help="of batch 16 with the starter backbone")
    parser.add_argument("--case", choices=["batch-16", "few-documents", "many-documents"])
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/training_memory.json"))
    arguments = parser.parse_args()
    if arguments.case:
        sys.stdout.write(json.dumps(_case(arguments.case, arguments)) + "\n")
        return
    figures: dict[str, Any] = {}
    for case in ("batch-16", "few-documents", "many-documents"):
        command = [sys.executable, "-m", "benchmarks.training_memory", "--case", case]
        command += ["--documents", str(arguments.documents), "--steps", str(arguments.steps)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
        figures[case] = json.loads(done.stdout.splitlines()[-1])
        sys.stderr.write(f"{case}: {figures[case]}\n")
    grown = figures["many-documents"]["peak_anonymous_mib"] - figures["few-documents"]["peak_anonymous_mib"]
    figures["mib_for_more_documents"] = round(grown, 1)
    figures["bytes_a_document"] = round(grown * 2**20 / arguments.documents, 1)
    write_result(
        arguments.output, f"python -m benchmarks.training_memory --documents {arguments.documents}", figures
    )


def _case(case: str, arguments: argparse.Namespace) -> dict[str, Any]:
    from branchwise import Corpus, HierarchicalClassifier

    peaks = _watch()
    if case == "batch-16":
        corpus = Corpus.bundled("train").take(range(16 * arguments.steps))
        validation = Corpus.bundled("validation").take(range(100))
        settings: dict[str, Any] = {"backbone": "starter", "batch": 16, "passes": 1, "input_limit": 300}
        HierarchicalClassifier(corpus.taxonomy, preset="fast", **settings).fit(corpus, validation)
        return {"steps": arguments.steps, "input_limit": 300, **peaks()}
    n_documents = arguments.documents if case == "many-documents" else 4000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "train.jsonl"
        _write(path, n_documents)
        size = path.stat().st_size
        tree = Corpus.bundled("train").taxonomy
        corpus = Corpus.read(path, tree)
        validation = Corpus.bundled("validation").take(range(20))
        backbone = _tiny(Path(folder) / "t5")
        settings = {"backbone": str(backbone), "batch": 16, "passes": 160 / n_documents, "input_limit": 300}
        HierarchicalClassifier(tree, preset="fast", **settings).fit(corpus, validation)
        return {"documents": n_documents, "file_mib": round(size / 2**20, 1), "steps": 10, **peaks()}


def _write(path: Path, n_documents: int) -> None:
    """Write the bundled documents again and again under new ids."""
    from branchwise import Corpus

    corpus = Corpus.bundled("train")
    sets = corpus.given.to_ids(corpus.taxonomy)
    known = [{"text": text, "labels": labels} for text, labels in zip(corpus.texts(), sets, strict=True)]
    with path.open("w", encoding="utf-8") as file:
        for number in range(n_documents):
            file.write(json.dumps({"id": str(number), **known[number % len(known)]}) + "\n")


def _tiny(folder: Path) -> Path:
    """Write the configuration of a T5 of two narrow layers, with the starter's tokenizer."""
    from branchwise.model.backbones import load_backbone

    folder.mkdir()
    starter = load_backbone("starter")
    narrow = {"d_model": 32, "d_ff": 32, "d_kv": 8, "num_heads": 2, "num_layers": 1, "num_decoder_layers": 1}
    (folder / "config.json").write_text(json.dumps(starter.t5.config.to_dict() | narrow, default=str))
    (folder / "tokenizer.json").write_text(starter.tokenizer.to_str())
    about = {"tokenizer_class": "T5TokenizerFast", "eos_token": "</s>", "pad_token": "<pad>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    return folder


def _watch() -> Any:
    """Start looking at this process; what is returned tells the peaks so far in MiB."""
    peak = {"anonymous": 0, "file": 0}

    def look() -> None:
        wait = threading.Event()
        while not wait.wait(SECONDS):
            for line in Path(f"/proc/{os.getpid()}/status").read_text().splitlines():
                if line.startswith(("RssAnon", "RssFile")):
                    name = "anonymous" if line.startswith("RssAnon") else "file"
                    peak[name] = max(peak[name], int(line.split()[1]))

    threading.Thread(target=look, daemon=True).start()
    return lambda: {f"peak_{name}_mib": round(value / 1024, 1) for name, value in peak.items()}


if __name__ == "__main__":
    main()
