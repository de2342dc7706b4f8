"""``branchwise train``: from documents and a taxonomy to a trained system in a folder, our own model or a rival."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from branchwise.cli.console import say, show_json
from branchwise.cli.options import Json, NeededTaxonomyFile, Reading, reads_documents
from branchwise.cli.settings import takes_settings
from branchwise.cli.taxonomies import read_tree
from branchwise.errors import BranchwiseError

if TYPE_CHECKING:
    from branchwise.compare.systems import Entry
    from branchwise.corpus import Corpus
    from branchwise.taxonomy import Taxonomy

PresetName = Literal["fast", "paper", "released"]


@takes_settings
@reads_documents
def train(
    reading: Reading,
    changes: dict[str, Any],
    train: Annotated[
        list[str], typer.Option("--train", metavar="FILE", help="Training documents; repeatable.")
    ],
    taxonomy: NeededTaxonomyFile,
    output: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the model goes.")],
    validation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE", help="Documents to choose the model by; a tenth of --train where not given."
        ),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="pamm, hia or t5, our model (the preset's variant where not given), or a rival: svm, hmcn, …",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the system; repeatable."),
    ] = None,
    preset: Annotated[PresetName, typer.Option(help="Settings that belong together.")] = "fast",
    device: Annotated[str, typer.Option(metavar="NAME", help="auto, cpu, cuda, ….")] = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that --output holds.")] = False,
    json: Json = False,
) -> None:
    """Train a model that sorts documents into the tree.

    Ctrl-C saves a checkpoint; the same command with --resume goes on from there.
    """
    entry = _entry(system, changes, settings or [])
    tree = read_tree(taxonomy)
    if entry.kind == "rival":
        _check_rival(entry, changes, resume)
    else:
        from branchwise.classifier import HierarchicalClassifier

        classifier = HierarchicalClassifier(tree, preset=preset, **changes | entry.settings)
    corpus = reading.read(train, tree, what="Training documents", part="train")
    held_out = reading.read(validation, tree, what="Validation", part="validation") if validation else None
    if entry.kind == "rival":
        _train_rival(entry, changes, tree, corpus, held_out, output, device, json)
        return
    try:
        classifier.fit(corpus, held_out, output=output, device=device, resume=resume, tell=say)
    except KeyboardInterrupt as stopped:
        if stopped.args:
            say(str(stopped))
        raise
    record = classifier.model.record
    best = record["best"]
    if json:
        show_json({"model": str(output), **{name: record[name] for name in ("steps", "seconds", "best")}})
    say(
        f"The model is in {output}: micro F1 {best['micro_f1']:.4f}, macro F1 {best['macro_f1']:.4f} on validation "
        f"at step {best['step']:,} of {record['steps']:,}."
    )


def _entry(system: str | None, changes: dict[str, Any], given: list[str]) -> Entry:
    """Return the system to train; a variant of our model that is named goes into its settings."""
    from branchwise.choices import VARIANTS
    from branchwise.compare.settings import assign
    from branchwise.compare.systems import Entry, read_entries

    if system is None:
        [entry] = assign([Entry("model", VARIANTS[-1])], given)
        return entry
    [entry] = assign(read_entries([system]), given)
    if entry.kind == "ours" and changes.setdefault("variant", entry.system) != entry.system:
        raise BranchwiseError(
            f"--system {system} and --variant {changes['variant']} name two systems: leave one of them out."
        )
    return entry


def _check_rival(entry: Entry, changes: dict[str, Any], resume: bool) -> None:
    """Raise where something was given that only our own model has."""
    ours = next((name for name in changes if name != "seed"), None)
    if ours is not None:
        raise BranchwiseError(
            f"--{ours.replace('_', '-')} is a setting of t5, hia and pamm, not of {entry.system}: leave it out, or "
            "give the setting of that name, if there is one, with --set."
        )
    if resume:
        raise BranchwiseError(f"The training of {entry.system} leaves no checkpoints: leave --resume out.")


def _train_rival(
    entry: Entry,
    changes: dict[str, Any],
    tree: Taxonomy,
    corpus: Corpus,
    validation: Corpus | None,
    output: Path,
    device: str,
    json: bool,
) -> None:
    from branchwise import evaluate
    from branchwise.rivals import new_rival

    system = new_rival(entry.system, tree, seed=changes.get("seed", 0), device=device, **entry.settings)
    system.fit(corpus, validation, tell=say)
    system.save(output)
    reached = ""
    found: dict[str, Any] = {
        "model": str(output),
        "system": entry.system,
        "seconds": system.record["seconds"],
    }
    if validation is not None:
        measured = evaluate(tree, validation.labels, system.decide(list(validation.texts())))
        found["validation"] = {"micro_f1": measured.micro_f1, "macro_f1": measured.macro_f1_all}
        reached = f": micro F1 {measured.micro_f1:.4f}, macro F1 {measured.macro_f1_all:.4f} on validation"
    if json:
        show_json(found)
    say(f"The {entry.system} is in {output}{reached}, after {system.record['seconds']:,} seconds.")
