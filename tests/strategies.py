"""Random taxonomies and label sets for hypothesis, with ids and names as odd as users' own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from branchwise.taxonomy import LabelSets, Taxonomy

ODD = (
    "_",
    "/",
    "a_b",
    "C17",
    "C171",
    "|",
    "\\",
    "a|b\\",
    '"',
    "'",
    '"x" y',
    "a,b;c",
    "<s>",
    "</s>",
    "a b",
    "é",
    "ﬁ",
)
ODD += (
    "名",
    "🌳",
    "a\u0301",
    "id",
    "Root",
    "null",
    "0",
    "-1",
    "http://e/x#y",
    "urn:x-branchwise:label:a",
    "a&b",
    "%20",
)
ODD_INSIDE = ("a\tb", "a\nb", "a\r\nb", "a\rb", "a\x00b", "a\u2028b", "a\x85b")


def texts(inside: bool = True) -> st.SearchStrategy[str]:
    """Draw a text that is not blank; ``inside`` lets it hold tabs, line ends and control characters."""
    characters = st.characters(exclude_categories=["Cs"] if inside else ["Cs", "Cc", "Zl", "Zp"])
    odd = st.sampled_from(ODD + ODD_INSIDE if inside else ODD)
    return st.one_of(odd, st.text(characters, min_size=1, max_size=6)).filter(lambda one: bool(one.strip()))


def ids(inside: bool = True) -> st.SearchStrategy[str]:
    """Draw an id without white space around it."""
    return texts(inside).map(str.strip)


@st.composite
def taxonomies(
    draw: Callable[..., Any],
    max_labels: int = 12,
    min_labels: int = 1,
    label_ids: st.SearchStrategy[str] | None = None,
    copies: bool = False,
) -> Taxonomy:
    """Draw a taxonomy whose nodes stood in a file in any order; by ``copies`` some ids stand for several."""
    labels = draw(
        st.lists(
            ids() if label_ids is None else label_ids, min_size=min_labels, max_size=max_labels, unique=True
        )
    )
    rank = draw(st.permutations(range(len(labels))))  # a parent ranks before its children
    above = [draw(st.integers(-1, own - 1)) for own in rank]
    by_rank = dict(zip(rank, labels, strict=True))
    tree = Taxonomy.from_nodes(
        labels,
        [by_rank.get(one) for one in above],
        [draw(st.one_of(st.just(""), texts())) for _ in labels],
        synonyms=[draw(st.lists(texts(), max_size=3)) if draw(st.booleans()) else () for _ in labels],
    )
    if not copies:
        return tree
    chosen = draw(st.lists(st.sampled_from(labels), max_size=2, unique=True)) if labels else []
    several = st.lists(st.sampled_from(labels), min_size=1, max_size=3, unique=True) if labels else None
    stands_for = {label: tuple(draw(several)) for label in chosen}
    return Taxonomy(tree.ids, tree.names, tree.parent, tree.level, tree.synonyms, stands_for)


@st.composite
def label_sets(
    draw: Callable[..., Any], tree: Taxonomy, closed: bool = True, max_documents: int = 6
) -> LabelSets:
    """Draw the label sets of a few documents, some of them empty; closed upwards or not."""
    one = st.lists(st.integers(0, len(tree) - 1), max_size=len(tree)) if len(tree) else st.just([])
    sets = LabelSets.from_lists(draw(st.lists(one, max_size=max_documents)))
    return sets.closed(tree) if closed else sets
