"""The middle of the demo's page: the numbers, the learning curves, and what is said of new documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from branchwise.cli.demo.abstracts import ABSTRACTS, Said
from branchwise.cli.demo.measure import OURS, PLAIN, SVM, Results, tables
from branchwise.cli.demo.svm import F1, judged
from branchwise.report.page import Page
from branchwise.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from branchwise.cli.demo.stage import Stage
    from branchwise.report.figures import Curve

METRICS = ("micro F1", "macro F1 over all labels")

RULES = {
    "set": "what the decoder wrote",
    "threshold": "every label whose score passes the threshold of its level",
    "expected-f1": "as many of the best labels as promise the highest F1",
}


@dataclass(frozen=True)
class Report:
    """A page in the making, and what goes into it."""

    page: Page
    stage: Stage
    results: Results
    record: dict[str, Any] | None
    """Of the model's training; None without a model."""
    rule: str
    evidence: dict[str, Any]
    """What validation taught about the model's rule."""
    said: Said

    def picture(self, name: str, alt: str, caption: str) -> None:
        """Show a picture that was drawn."""
        if name in self.stage.pictures:
            self.page.figure(self.stage.pictures[name], alt, caption)


def show_results(report: Report) -> None:
    """Show the systems side by side, and the ways to a label set."""
    page = report.page
    page.section("Results")
    systems, *ways = tables(report.results)
    page.table(systems)
    page.paragraph(
        "“SVM as it is” gives a document every label whose margin is above zero. “SVM, tuned” may choose its rule "
        "and its thresholds on the validation documents, just as Branchwise does, and the verdict is about this "
        "stronger one. Label inconsistency is the share of documents with a label whose parent is missing."
    )
    page.paragraph(*report.results.sentences())
    for table in ways:
        page.table(table)
        page.paragraph(
            "Free: the decoder writes what it likes. Constrained: only label sets that the tree allows. Decided: "
            f"by the rule that served best on validation, which was {report.rule}."
        )


def show_curves(report: Report) -> None:
    """Draw how both get better with documents, and give the SVM's numbers."""
    from branchwise.report.figures import draw_curves

    page, stage = report.page, report.stage
    page.section("Learning curves")
    size, train = len(stage.corpora["validation"]), len(stage.corpora["train"])
    stage.draw(
        "curves",
        "learning curves",
        lambda place: draw_curves(
            _curves(report),
            place,
            title=f"Learning curves, on the {size:,} validation documents",
            note=f"{OURS}: one run, and the documents read so far, repeats counted. SVM: trained anew on so many.",
            marks={train: f"all {train:,} documents"},
        ),
    )
    report.picture(
        "curves",
        "Micro and macro F1 of both systems with ever more documents.",
        "What is tuned is measured on the half of the validation documents that the tuning did not see, and the other "
        "way round. Dotted lines carry a last value on.",
    )
    headings = [f"{part} {name}" for part in ("micro F1", "macro F1") for name in ("as it is", "tuned")]
    table = Table(
        f"The SVM on the {len(stage.corpora['test']):,} test documents, in %", ("trained on", *headings)
    )
    for one in report.results.points:
        table.add(
            one.documents, *(100 * f1[at] for at in range(len(METRICS)) for f1 in (one.test, one.tuned_test))
        )
    page.table(table)


def _curves(report: Report) -> list[Curve]:
    from branchwise.report.figures import Curve

    def curve(name: str, points: Sequence[tuple[float, F1]], system: str) -> Curve:
        scores = {metric: [f1[at] for _, f1 in points] for at, metric in enumerate(METRICS)}
        return Curve(name, [documents for documents, _ in points], scores, system)

    points = report.results.points
    curves = [
        curve(PLAIN, [(one.documents, one.plain) for one in points], SVM),
        curve(SVM, [(one.documents, one.tuned) for one in points if one.tuned], SVM),
    ]
    if report.record is not None:
        a_step = report.record["settings"]["batch"] * report.record["settings"]["accumulate"]
        history = [one for one in report.record["history"] if "eval_micro_f1" in one]
        written = [(one["step"] * a_step, (one["eval_micro_f1"], one["eval_macro_f1"])) for one in history]
        decided = judged(report.evidence)
        best = report.record["best"]
        ends = [(best["step"] * a_step, decided)] if decided and best else []
        curves = [curve(f"{OURS}, as written", written, OURS), curve(f"{OURS}, decided", ends, OURS), *curves]
    return [one for one in curves if one.documents]


def show_documents(report: Report) -> None:
    """Show the new abstracts with their paths, and one of them in pictures."""
    page, said = report.page, report.said
    page.section("New documents")
    page.paragraph(
        f"Four abstracts that we made up, and what {said.by} says of them. Nobody has labelled them."
    )
    for row, (title, abstract) in enumerate(ABSTRACTS):
        page.heading(title)
        page.quote(abstract)
        sure = said.predicted[row].confidence
        confidence = "" if sure is None else f", with a confidence of {sure:.2f}"
        table = Table(f"Predicted{confidence}", ("path", "score"))
        for path in said.paths(row, report.stage):
            above = "".join(f"{name} ({score:.2f}) › " for name, score in path[:-1])
            table.add(above + path[-1][0], path[-1][1])
        page.table(table)
    report.picture(
        "scores",
        f"The tree with the score of every label for “{ABSTRACTS[0][0]}”.",
        f"All scores of “{ABSTRACTS[0][0]}”; the predicted labels are bold. No label scores above its parent.",
    )
    report.picture(
        "why",
        f"Heat map of self-attention, and the words that each label of “{ABSTRACTS[0][0]}” leaned on.",
        "What the model looks at when it writes the labels of the same abstract: the symbols written so far, and the "
        "words of the text.",
    )
