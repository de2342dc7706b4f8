"""New abstracts that no system has seen, made up for the demo, and what is said of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.cli.console import show

if TYPE_CHECKING:
    from branchwise import HierarchicalClassifier
    from branchwise.cli.demo.stage import Stage
    from branchwise.cli.demo.svm import Svm
    from branchwise.predicted import Predicted

# Title and abstract; nobody has written these papers.
ABSTRACTS = (
    (
        "Who infects whom on the way to work",
        "We follow an influenza-like epidemic on the commuting network of a country with nine million inhabitants. "
        "A stochastic compartment model is coupled to daily train and road counts, and its parameters are estimated "
        "from weekly case reports by sequential Monte Carlo. Reducing travel between a few large towns delays the "
        "peak by two weeks but hardly changes how many people fall ill, because local contacts within "
        "neighbourhoods sustain transmission. We discuss what this means for vaccination when doses are scarce.",
    ),
    (
        "Translating with ten thousand sentences",
        "Neural machine translation needs parallel text that most of the world's languages do not have. We train a "
        "sequence-to-sequence network with attention on ten thousand sentence pairs and let it learn the rest from "
        "monolingual text and from the dictionaries of related languages. On six language pairs our system comes "
        "within two BLEU points of one trained on fifty times the data. Ablations show that sharing subword "
        "embeddings between relatives matters more than the size of the network.",
    ),
    (
        "How a stirred cloud of bosons comes to rest",
        "We prepare a Bose-Einstein condensate of rubidium atoms in a flat optical trap, stir it with a laser beam and "
        "watch the vortices decay. At low temperature their number falls by pairs that annihilate, while in warmer "
        "clouds single vortices drift to the edge and vanish. A point-vortex model with one friction coefficient "
        "reproduces both regimes, and the spectrum of the velocity field shows how turbulence in a superfluid "
        "carries energy towards larger scales.",
    ),
    (
        "Colouring sparse random graphs in nearly linear time",
        "We present a randomised algorithm that properly colours a sparse random graph on n vertices with a number of "
        "colours that is close to its chromatic number, in time n log n with high probability. The algorithm peels "
        "vertices of low degree and repairs what is left by local recolouring. Its analysis rests on a "
        "concentration inequality for the size of the core, and gives a new upper bound for the chromatic number of "
        "graphs of bounded average degree.",
    ),
)


@dataclass(frozen=True)
class Said:
    """What a system says of the new abstracts."""

    by: str
    predicted: list[Predicted]
    """With the scores of all labels."""

    def paths(self, row: int, stage: Stage) -> list[list[tuple[str, float]]]:
        """Return the paths of one abstract: every label's name and score, from the top down."""
        tree, one = stage.tree, self.predicted[row]
        [deepest] = tree.label_sets([one.labels]).most_specific(tree)
        return [
            [(tree.names[at], one.scores[tree.ids[at]]) for at in (*tree.ancestors(end), end)]
            for end in deepest.tolist()
        ]


def texts() -> list[str]:
    """Return the abstracts as documents."""
    return [f"{title}. {abstract}" for title, abstract in ABSTRACTS]


def show_new(stage: Stage, classifier: HierarchicalClassifier | None, svm: Svm) -> Said:
    """Predict the new abstracts with the model, or else with the SVM; print, write and draw what is said."""
    if classifier is not None:
        from branchwise.cli.demo.measure import OURS

        said = Said(OURS, classifier.predict_documents(texts(), scores="all"))
    else:
        said = Said("the linear SVM", _ask_svm(svm))
    stage.write("new.jsonl", "four made-up abstracts", _write_documents)
    for row, (title, _) in enumerate(ABSTRACTS):
        _print(said, row, title, stage)
    _draw_scores(stage, said)
    if classifier is not None:
        _draw_explanation(stage, classifier, said)
    return said


def _ask_svm(svm: Svm) -> list[Predicted]:
    from branchwise.decoding.decision import confidence
    from branchwise.predicted import Predicted, paths_of

    tree = svm.system.taxonomy
    decided, scores = svm.decide(texts())
    sets = decided.closed(tree)
    sure, paths = confidence(scores, sets).round(4).tolist(), paths_of(sets, tree)
    return [
        Predicted(
            labels,
            dict(zip(tree.ids, scores[row].round(4).tolist(), strict=True)),
            paths[row],
            confidence=sure[row],
        )
        for row, labels in enumerate(sets.to_ids(tree))
    ]


def _print(said: Said, row: int, title: str, stage: Stage) -> None:
    from rich.text import Text

    sure = said.predicted[row].confidence
    tail = "" if sure is None else f"  confidence {sure:.2f}"
    show("", Text.assemble((title, "bold"), (tail, "bright_black")))
    for path in said.paths(row, stage):
        joints = [(f"{name} {score:.2f}", " › ") for name, score in path]
        show("  " + "".join(part for joint in joints for part in joint).removesuffix(" › "))


def _write_documents(path: Path) -> None:
    rows = [{"id": f"new-{at}", "text": text} for at, text in enumerate(texts(), 1)]
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows), encoding="utf-8")


def _draw_scores(stage: Stage, said: Said) -> None:
    """Draw the tree with the scores of the first abstract."""
    import numpy as np

    from branchwise.report.figures import draw_tree

    one, tree = said.predicted[0], stage.tree
    scores = np.array([one.scores[label] for label in tree.ids])
    stage.draw(
        "scores",
        "the tree with one new abstract's scores",
        lambda place: draw_tree(tree, place, title=ABSTRACTS[0][0], scores=scores, predicted=one.labels),
    )


def _draw_explanation(stage: Stage, classifier: HierarchicalClassifier, said: Said) -> None:
    """Draw what the model looks at when it writes the labels of the first abstract."""
    from branchwise.report.figures import draw_explanation

    if stage.draws and said.predicted[0].labels:
        explanation = classifier.explain(texts()[0], labels=said.predicted[0].labels)
        stage.draw("why", "what the model looked at", lambda place: draw_explanation(explanation, place))
