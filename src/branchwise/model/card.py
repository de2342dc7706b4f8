"""The model card: what a saved model is, how it came about and how good it was found to be."""

from __future__ import annotations

from typing import Any

from branchwise.model.config import ModelConfig


def model_card(
    config: ModelConfig, record: dict[str, Any], decisions: dict[str, Any], backbone: str, labels: str
) -> str:
    """Write a model's README.md from its settings, its training record and what validation taught."""
    lines = [
        "---",
        "library_name: branchwise",
        "pipeline_tag: text-classification",
        "tags: [hierarchical-text-classification, multi-label, t5]",
        "---",
        "",
        f"# {VARIANT_NAMES[config.variant]} for {labels}",
        "",
        f"Backbone: {backbone}. Label units: {config.units}.",
        "",
        "```python",
        "from branchwise import HierarchicalClassifier",
        "",
        'model = HierarchicalClassifier.load("path/to/this/folder")',
        'model.predict(["A document to classify."])',
        "```",
        "",
        *_training(record),
        *_decisions(decisions),
        "## Settings",
        "",
        "| setting | value |",
        "|---|---|",
        *(f"| {name} | {value} |" for name, value in vars(config).items()),
        "",
        "## Limits",
        "",
        f"Documents are read up to {config.input_limit} word pieces. The model knows the labels of its own "
        "taxonomy and no others; a label that training never showed is never predicted with confidence.",
        "",
    ]
    return "\n".join(lines)


VARIANT_NAMES = {"t5": "T5 over a flat label set", "hia": "HiA-T5", "pamm": "PAMM-HiA-T5"}


def _training(record: dict[str, Any]) -> list[str]:
    if "train" not in record:
        return ["This model has not been trained.", ""]
    lines = ["## Training", "", f"Trained on {record['train']['documents']:,} documents"]
    if validation := record.get("validation"):
        lines[-1] += f", chosen on {validation['documents']:,} validation documents"
    lines[-1] += "."
    if best := record.get("best"):
        lines += [
            "",
            f"Best validation result, decoded as `predict` does, step {best['step']:,}: micro-F1 "
            f"{best['micro_f1']:.4f}, macro-F1 {best['macro_f1']:.4f} over all labels. Test results are for you to "
            "measure with `branchwise evaluate`.",
        ]
    if change := record.get("carried_over"):
        lines += [
            "",
            f"Since then it was carried over from a taxonomy of {change['before']:,} labels to this one, which shares "
            f"{change['kept']:,} of its {change['labels']:,} labels with it; the others have not been trained.",
        ]
    return [*lines, ""]


def _decisions(decisions: dict[str, Any]) -> list[str]:
    evidence = decisions.get("evidence")
    if not evidence:
        return []
    lines = [
        "## Decisions",
        "",
        f"`predict` decides by `{decisions['rule']}`, scores are calibrated by `{decisions['calibration']['method']}`. "
        f"Measured on {evidence['documents']:,} validation documents, each half judged by what the other half taught:",
        "",
        "| decision | micro F1 | macro F1 |",
        "|---|---:|---:|",
    ]
    lines += [
        f"| {name} | {one['micro_f1']:.4f} | {one['macro_f1']:.4f} |"
        for name, one in evidence["rules"].items()
    ]
    lines += ["", "| calibration | ECE | Brier |", "|---|---:|---:|"]
    lines += [
        f"| {name} | {one['ece']:.4f} | {one['brier']:.4f} |" for name, one in evidence["calibration"].items()
    ]
    return [*lines, ""]
