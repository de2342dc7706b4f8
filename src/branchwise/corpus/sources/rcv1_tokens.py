"""The token files of LYRL2004's appendix 12: documents as bags of stems, for those without the Reuters CDs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from branchwise.corpus.sources.archives import Member
from branchwise.errors import CorpusError

_FILE = re.compile(r"(?:^|/)lyrl2004_tokens_(?:train|test_pt\d)(?:\.dat)?(?:\.txt)?$", re.IGNORECASE)


def is_tokens(name: str) -> bool:
    """Say whether a file is one of the five by its name; those of documents outside RCV1-V2 are not."""
    return _FILE.search(name) is not None


def read_tokens(member: Member) -> Iterator[tuple[int, str]]:
    """Yield item id and tokens of every document: ``.I 2286``, ``.W``, lines of tokens, an empty line."""
    number: int | None = None
    lines: list[str] = []
    inside = False  # past the .W
    for line_number, line in enumerate(member.lines("latin-1"), 1):
        if line.startswith(".I "):
            if number is not None:
                yield number, " ".join(lines)
            number, lines, inside = _item(member, line_number, line), [], False
        elif line == ".W" and number is not None and not inside:
            inside = True
        elif inside:
            lines += line.split()
        elif line.strip():
            raise _unexpected(member, line_number, line)
    if number is not None:
        yield number, " ".join(lines)


def _item(member: Member, line_number: int, line: str) -> int:
    given = line[3:].strip()
    if not (given.isascii() and given.isdigit()):
        raise _unexpected(member, line_number, line)
    return int(given)


def _unexpected(member: Member, line_number: int, line: str) -> CorpusError:
    return CorpusError(
        f"{member.name}, line {line_number}: {line[:60]!r} is neither '.I' with an item id nor the '.W' that follows "
        "it: fetch this token file of LYRL2004's appendix 12 again."
    )
