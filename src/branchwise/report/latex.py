"""Tables as LaTeX: rules by booktabs, and every text escaped so that it is set as it stands."""

from __future__ import annotations

from collections.abc import Sequence

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "›": r"$\rightarrow$",
}


def escape(text: str) -> str:
    """Return a text that LaTeX sets as it stands, on one line."""
    return "".join(SPECIAL.get(one, one) for one in " ".join(text.split()))


def table(title: str, columns: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return one table.

    Parameters
    ----------
    title
        Becomes the caption.
    columns
        A letter a column: ``l`` to the left, ``r`` to the right.
    headings, rows
        Texts, which are escaped here.
    """
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape(title)}}}",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        _line(headings),
        r"    \midrule",
        *map(_line, rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str]) -> str:
    """Return one row; a bracket at its start would be taken for a part of the row before it."""
    texts = ["{" + escape(one) + "}" if one.startswith(("[", "*")) else escape(one) for one in cells]
    return "    " + " & ".join(texts) + r" \\"
