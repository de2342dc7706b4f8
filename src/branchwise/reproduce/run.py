"""The chain: documents from raw files, training and measuring of every system, and the tables of papers beside ours."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_type_hints

from branchwise.compare import compare, read_entries
from branchwise.compare.analysis import Analysis, analyse
from branchwise.compare.folder import write_data
from branchwise.compare.output import write_files
from branchwise.compare.page import write_page as write_comparison
from branchwise.compare.settings import assign, parse
from branchwise.compare.systems import Entry
from branchwise.corpus.sources import benchmark
from branchwise.errors import BranchwiseError
from branchwise.reproduce.plan import Plan
from branchwise.reproduce.scale import Scale
from branchwise.reproduce.source import Documents, is_ready, open_documents
from branchwise.training.settings import Settings
from branchwise.training.settings import preset as preset_settings

DATA, COMPARISON, TEST, SCALE = "data", "comparison", "test.jsonl.zst", "scale.json"
Tell = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Reproduction:
    """What came of a benchmark."""

    name: str
    scale: Scale
    documents: Documents
    analysis: Analysis
    folder: Path


def reproduce(
    name: str,
    source: str | Path,
    output: str | Path,
    scale: Scale,
    *,
    settings: Sequence[str] = (),
    options: Sequence[str] = (),
    predictions: Sequence[str] = (),
    device: str = "auto",
    keep_models: bool = False,
    resamples: int = 1000,
    tell: Tell | None = None,
) -> Reproduction:
    """Build a benchmark, train and measure systems on it; what ``output`` holds of that is not made again.

    Parameters
    ----------
    name
        Which benchmark: ``rcv1``, ``nyt``, ``wos``, ``arxiv`` or ``bgc``.
    source
        Its raw files, or a folder with train, validation, test and taxonomy in our own format.
    output
        The reproduction's own folder.
    scale
        How much is used, and which systems, seeds, preset and backbone.
    settings
        Settings of systems, as ``branchwise compare --set`` takes them.
    options
        Those of the benchmark, as ``merge_areas=no``.
    predictions
        Other systems' predictions for the test documents, as ``name=file``; where a scale takes a part of these, they
        are in ``test.jsonl.zst``.
    device
        ``auto``, ``cpu``, ``cuda``, ….
    keep_models
        Keep the trained systems.
    resamples
        Of the paired bootstrap.
    tell
        Called with a sentence for every thing worth knowing on the way.
    """
    say = tell or (lambda _: None)
    folder, source = Path(output), Path(source)
    entries = read_entries(scale.systems.split(","), predictions)
    entries = assign(entries, [*_usable(scale, entries), *settings])
    trained = _settings(scale, entries)
    chosen = _options(name, options)
    title = benchmark(name, **chosen).title
    _remember_scale(folder, scale)
    if source.resolve() in (folder / DATA).resolve().parents:
        raise BranchwiseError(
            f"{folder} is among the raw files of {source}: choose a folder outside for --output."
        )
    expected = None if is_ready(source) else Plan.of_paper(title)
    if expected is not None:
        used = {part: min(size, scale.documents.get(part, size)) for part, size in expected.documents.items()}
        for sentence in replace(expected, documents=used).sentences(entries, trained, scale.seeds, folder):
            say(sentence)
    documents = open_documents(name, source, folder / DATA, say, **chosen)
    if sentence := scale.sentence(documents.sizes):
        say(sentence)
    parts = {part: scale.cut(part, corpus) for part, corpus in documents.parts.items()}
    if len(parts["test"]) < len(documents.parts["test"]):
        parts["test"].write(folder / TEST)
    if expected is None:
        sizes = {part: len(one) for part, one in parts.items()}
        here = Plan(sizes, len(documents.tree), documents.measured.labels_per_document)
        for sentence in here.sentences(entries, trained, scale.seeds, folder):
            say(sentence)
    results = compare(
        documents.tree,
        parts["train"],
        parts["validation"],
        parts["test"],
        entries,
        output=folder / COMPARISON,
        seeds=scale.seeds,
        preset=scale.preset,
        backbone=scale.backbone,
        device=device,
        keep_models=keep_models,
        tell=say,
    )
    analysis = analyse(results, resamples=resamples)
    write_files(analysis, folder / COMPARISON)
    write_comparison(analysis, folder / COMPARISON, say)
    return Reproduction(name, scale, documents, analysis, folder)


def _options(name: str, given: Sequence[str]) -> dict[str, Any]:
    """Return a benchmark's options in their types."""
    usual = benchmark(name)
    types = get_type_hints(type(usual))
    kinds = {one: types[one] for one in vars(usual)}
    found = {}
    for one in given:
        option, equals, value = (part.strip() for part in one.partition("="))
        if not equals or option not in kinds:
            raise BranchwiseError(
                f"--option {one} is none of {name}: write NAME=VALUE with one of {', '.join(kinds) or 'none'}."
            )
        found[option] = parse(value, kinds[option], option)
    return found


def _remember_scale(folder: Path, scale: Scale) -> None:
    """Raise where the folder was begun at another scale, which has other documents."""
    try:
        before = json.loads((folder / SCALE).read_text(encoding="utf-8"))["scale"]
    except (OSError, ValueError, KeyError):
        write_data(folder / SCALE, {"scale": scale.name})
        return
    if before != scale.name:
        raise BranchwiseError(
            f"{folder} was begun at scale {before}: give --scale {before} to go on, or choose another folder for "
            "--output."
        )


def _usable(scale: Scale, entries: Sequence[Entry]) -> list[str]:
    """Return those of the scale's own settings that one of the systems has."""
    found = []
    for one in scale.settings:
        try:
            assign(entries, [one])
        except BranchwiseError:
            continue
        found.append(one)
    return found


def _settings(scale: Scale, entries: Sequence[Entry]) -> Settings:
    """Return the settings that our own model is trained with, the first variant's where they differ."""
    given: dict[str, Any] = next((one.settings for one in entries if one.kind == "ours"), {})
    backbone = {} if scale.backbone is None else {"backbone": scale.backbone}
    return preset_settings(scale.preset, **backbone | given)
