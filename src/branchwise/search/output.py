"""What a search leaves in its folder for people and programs: every trial, a table and a picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from branchwise.choices import Average
from branchwise.errors import BranchwiseError, MissingExtraError
from branchwise.model.folder import write_json
from branchwise.report.table import Cell, Table
from branchwise.search.result import SearchResult, Trial
from branchwise.search.space import Range

TRIALS, JSON, TEXT, PICTURE = "trials", "search.json", "search.md", "search.png"


def table(result: SearchResult) -> Table:
    """Return one row a trial, the best first."""
    documents = f"{result.documents['validation']:,} validation documents"
    title = (
        f"{len(result.trials):,} of {result.planned:,} trials by {result.objective} F1 on {documents}, in %"
    )
    remarks = any(map(_remark, result.trials))
    headings = (*result.space, "micro F1", "macro F1", "best step", "steps", "seconds", "trial")
    rows = Table(title, (*headings, "remark") if remarks else headings)
    for one in result.ranked():
        best = one.best or {}
        scores = [100 * best[name] if best else None for name in ("micro_f1", "macro_f1")]
        seconds = round(one.seconds) if one.seconds is not None else None
        tried = (spoken(one.changes[name]) for name in result.space)
        remark = (_remark(one),) if remarks else ()
        rows.add(*tried, *scores, _whole(best.get("step")), one.steps, seconds, one.number, *remark)
    return rows


def spoken(value: Any) -> str:
    """Return a setting's value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def spoken_changes(trial: Trial) -> str:
    """Return a trial's settings in words."""
    return ", ".join(f"{name} = {spoken(value)}" for name, value in trial.changes.items())


def as_options(trial: Trial) -> str:
    """Return a trial's settings as options of ``branchwise train``."""
    options = []
    for name, value in trial.changes.items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            options.append(f"--{option}" if value else f"--no-{option}")
        else:
            options.append(f"--{option} {value}")
    return " ".join(options)


def write(result: SearchResult, folder: Path, tell: Callable[[str], None]) -> None:
    """Write trials, table and picture; without matplotlib, say so and leave the picture out."""
    try:
        (folder / TRIALS).mkdir(parents=True, exist_ok=True)
        for one in result.trials:
            write_json(folder / TRIALS / f"{one.number:04}.json", one.to_dict())
        write_json(folder / JSON, result.to_dict())
        (folder / TEXT).write_text("\n".join(_text(result)), encoding="utf-8")
    except OSError as error:
        raise BranchwiseError(
            f"The search cannot be written to {folder} ({error.strerror or error}): make room and call it again."
        ) from error
    if result.best_or_none is not None:
        try:
            draw(result, folder / PICTURE)
        except MissingExtraError as error:
            tell(str(error))


def draw(result: SearchResult, path: Path) -> None:
    """Draw the scores against every searched setting."""
    from branchwise.report.figures.search import draw_search

    averages: tuple[Average, ...] = ("micro", "macro") if result.objective == "micro" else ("macro", "micro")
    scores = {f"{one} F1": [trial.score(one) for trial in result.trials] for one in averages}
    tried = {name: [one.changes[name] for one in result.trials] for name in result.space}
    ranges = [name for name, values in result.space.items() if isinstance(values, Range)]
    draw_search(tried, scores, path, ranges=ranges)


def _text(result: SearchResult) -> list[str]:
    lines = ["# A search for settings", "", table(result).markdown()]
    fixed = ", ".join(
        f"{name} {spoken(value)}" for name, value in vars(result.settings).items() if name not in result.space
    )
    if best := result.best_or_none:
        lines += [f"Best: trial {best.number}. To train with it: `branchwise train … {as_options(best)}`", ""]
        lines += [f"![What was tried]({PICTURE})", ""]
    return [*lines, f"The same for all: {fixed}.", ""]


def _remark(trial: Trial) -> Cell:
    if trial.same_as is not None:
        return f"the same as trial {trial.same_as}"
    return f"failed: {trial.error}" if trial.error else None


def _whole(number: float | None) -> int | None:
    return int(number) if number is not None else None
