"""One trained model and how good it is: the unit that every table about training is made of.

Trains on the first documents of a folder's train file, chooses by its validation file, and measures free and
constrained decoding on one of its parts. Settings are chosen on ``validation``; ``test`` is for reporting. A
result that is there already is not made again, so a list of commands can be run until all are done.
"""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import numpy as np

from benchmarks.machine import write_result
from branchwise import Corpus, HierarchicalClassifier, Taxonomy, evaluate
from branchwise.choices import Decoding, Rule
from branchwise.decoding.decision import Decisions
from branchwise.decoding.documents import Decoded, decode_documents
from branchwise.decoding.options import DecodingOptions
from branchwise.evaluation import Evaluation
from branchwise.model.pieces import tokenise
from branchwise.score_arrays import dense

PARTS = {"validation": "val", "test": "test"}


def main() -> None:
    """Train, measure and write the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with train, val, test and taxonomy.tsv"
    )
    parser.add_argument("--name", required=True, help="of the result")
    parser.add_argument("--documents", type=int, required=True, help="training documents, the first ones")
    parser.add_argument("--on", choices=["validation", "test"], default="validation")
    parser.add_argument("--measured", type=int, default=2000, help="documents measured, the first ones")
    parser.add_argument("--preset", default="fast")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting; repeatable"
    )
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results/training"))
    parser.add_argument(
        "--models", type=Path, help="folder that keeps the trained model under the result's name"
    )
    arguments = parser.parse_args()
    path = arguments.results / f"{arguments.name}.json"
    if path.exists():
        sys.stderr.write(f"{path} is there already.\n")
        return
    changes = dict(_setting(one) for one in arguments.set)
    tree = Taxonomy.read(arguments.data / "taxonomy.tsv")
    train = _part(arguments.data, "train", tree, arguments.documents)
    validation = _part(arguments.data, "val", tree, changes.get("validation_documents", 1000))
    measured = _part(arguments.data, PARTS[arguments.on], tree, arguments.measured)
    classifier = HierarchicalClassifier(tree, preset=arguments.preset, **changes)
    start, busy = time.perf_counter(), time.process_time()
    classifier.fit(train, validation, tell=lambda sentence: _say(f"{arguments.name}: {sentence}"))
    model, record = classifier.model, classifier.model.record
    seconds, processor = time.perf_counter() - start, time.process_time() - busy
    if arguments.models:
        classifier.save(arguments.models / arguments.name)
    pieces = tokenise(measured.texts(), len(measured), model.tokenizer, model.config.input_limit)
    figures: dict[str, Any] = {
        "backbone": model.backbone,
        "changed_settings": changes,
        "settings": record["settings"],
        "train": record["train"],
        "validation": record["validation"],
        "measured_on": {
            "part": arguments.on,
            "documents": len(measured),
            "fingerprint": measured.fingerprint,
        },
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),  # what other work on the machine does not change
        "documents_a_second": round(record["steps"] * model_step(record["settings"]) / record["seconds"], 2),
        "best": record["best"],
    }
    options = DecodingOptions(precision=record["precision"])
    for decoding in get_args(Decoding):
        decoded = decode_documents(
            model, pieces, replace(options, decoding=decoding), scores=decoding == "constrained"
        )
        figures[decoding] = _short(evaluate(tree, measured.labels, decoded.sets, invalid=decoded.invalid))
        figures[decoding]["problems"] = dict(decoded.problems)
    figures["decisions"] = _rules(tree, measured, decoded, Decisions.from_dict(model.decisions, tree))
    if arguments.on == "test":
        _write_predictions(path.with_suffix(".predictions.jsonl.gz"), measured, decoded)
    figures["peak_memory_mib"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    figures["curve"] = [
        {
            name: round(value, 5)
            for name, value in one.items()
            if name in ("step", "cross_entropy", "mask_loss")
        }
        for one in record["history"]
        if "cross_entropy" in one
    ]
    command = f"python -m benchmarks.experiment {' '.join(sys.argv[1:])}"
    for folder, name in (
        (arguments.data, "ARXIV"),
        (arguments.models, "MODELS"),
        (arguments.results, "RESULTS"),
    ):
        command = command.replace(str(folder), name)
    write_result(path, command, figures)
    _say(
        f"{arguments.name}: {json.dumps({name: figures[name] for name in ('free', 'constrained') if name in figures})}"
    )


def model_step(settings: dict[str, Any]) -> int:
    """Return the documents of one step."""
    return int(settings["batch"] * settings["accumulate"])


def _part(folder: Path, name: str, tree: Taxonomy, most: int) -> Corpus:
    corpus = Corpus.read(folder / f"{name}.jsonl.zst", tree)
    return corpus if len(corpus) <= most else corpus.take(np.arange(most))


def _setting(text: str) -> tuple[str, Any]:
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def _rules(tree: Taxonomy, measured: Corpus, decoded: Decoded, learned: Decisions) -> dict[str, Any]:
    """Measure every way of deciding, each as validation documents tuned it, before and after calibration."""
    raw = dense(decoded.scores)
    scores = learned.calibration.apply(raw, tree)
    written = decoded.sets.closed(tree)
    sets = {rule: replace(learned, rule=rule).decide(scores, written, tree) for rule in get_args(Rule)}
    found: dict[str, Any] = {"validation": learned.to_dict()["evidence"], "chosen": learned.rule}
    for name, one in sets.items():
        result = evaluate(tree, measured.labels, one)
        found[name] = {"micro_f1": round(result.micro_f1, 4), "macro_f1_all": round(result.macro_f1_all, 4)}
    for name, values in (("greedy scores", raw), (f"calibrated, {learned.calibration.method}", scores)):
        result = evaluate(tree, measured.labels, decoded.sets, scores=values)
        assert result.calibration is not None
        assert result.ranking is not None
        found[name] = {
            "ece": round(result.calibration.expected_calibration_error, 5),
            "brier": round(result.calibration.brier, 5),
            "r_precision": round(result.ranking.r_precision, 4),
        }
    return found


def _write_predictions(path: Path, measured: Corpus, decoded: Decoded) -> None:
    """Keep the constrained label sets, so that systems can be compared document by document."""
    sets = decoded.sets.to_ids(measured.taxonomy)
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        for one, labels in zip(measured.ids, sets, strict=True):
            file.write((json.dumps({"id": one, "labels": labels}) + "\n").encode())


def _short(result: Evaluation) -> dict[str, Any]:
    return {
        "micro_f1": round(result.micro_f1, 4),
        "macro_f1_all": round(result.macro_f1_all, 4),
        "macro_f1_supported": round(result.macro_f1_supported, 4),
        "supported_labels": result.supported_labels,
        "levels": [
            {"micro_f1": round(one.micro_f1, 4), "macro_f1": round(one.macro_f1_all, 4)}
            for one in result.levels
        ],
        "exact_match": round(result.exact_match, 4),
        "label_inconsistency": round(result.label_inconsistency, 4),
        "invalid_output": round(result.invalid_output or 0.0, 4),
    }


def _say(sentence: str) -> None:
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
