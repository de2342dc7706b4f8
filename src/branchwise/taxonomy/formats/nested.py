"""JSON, .json: objects with children, a flat list of objects with parents, or plain nested mappings of ids.

Objects are ``{"id": "cs.AI", "name": …, "synonyms": […], "children": […]}``, alone or in a list, or have a
"parent" in place of being nested; ``{"taxonomy": […]}`` and ``{"children": […]}`` may wrap them. A mapping is
``{"cs": {"cs.AI": {}}, "math": ["math.AG"]}``: its keys are ids. Ids are taken exactly as they are written.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from branchwise.errors import TaxonomyError
from branchwise.taxonomy.formats.nodes import Nodes, parent_ids
from branchwise.taxonomy.formats.source import Source, write_text
from branchwise.taxonomy.tree import Taxonomy

KEYS = ("id", "parent", "name", "synonyms", "children")
USE_OBJECTS = (
    'ids must differ, so give labels that share a name objects such as {"id": "cs.LG", "name": "Learning"}'
)


class _RepeatedKeyError(Exception):
    """A key that one object has twice; json alone would silently keep the second."""


def read(path: Path) -> Taxonomy:
    """Read any of the three shapes; which one it is shows in the file."""
    source = Source.read(path)
    document = _parse(source)
    nodes = Nodes(source)
    items = _unwrap(document)
    if isinstance(items, list):
        _read_objects(nodes, items)
    elif isinstance(items, dict):
        _read_mapping(nodes, items)
    else:
        raise TaxonomyError(
            f"{path} holds neither an object nor a list: write objects with ids and children."
        )
    if items is not document and isinstance(document.get("copies"), dict):
        nodes.copies = {
            label: _texts(nodes, label, "copies", one) for label, one in document["copies"].items()
        }
    return nodes.build(lambda row: _place(source, nodes.ids[row], nodes.ids[:row].count(nodes.ids[row])))


def write(tree: Taxonomy, path: Path) -> None:
    """Write the flat list, one label a line in canonical order, wrapped with the copies if there are any."""
    lines = []
    for label, parent, name, synonyms in zip(
        tree.ids, parent_ids(tree), tree.names, tree.synonyms, strict=True
    ):
        entry: dict[str, Any] = {"id": label, "parent": parent, "name": name}
        if synonyms:
            entry["synonyms"] = synonyms
        lines.append(json.dumps(entry, ensure_ascii=False))
    text = "[\n" + ",\n".join(lines) + "\n]"
    if tree.copies:
        text = f'{{"copies": {json.dumps(dict(tree.copies), ensure_ascii=False)},\n"taxonomy": {text}}}'
    write_text(path, text + "\n")


def _parse(source: Source) -> Any:
    def keep_all(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise _RepeatedKeyError(Counter(key for key, _ in pairs).most_common(1)[0][0])
        return found

    try:
        return json.loads(source.text, object_pairs_hook=keep_all, parse_int=str)  # ids may be numbers
    except json.JSONDecodeError as error:
        raise TaxonomyError(
            f"{source.at(error.lineno)}, column {error.colno}, is not valid JSON ({error.msg}): "
            "correct it there."
        ) from error
    except _RepeatedKeyError as error:
        key, quoted = str(error), _quoted(str(error)) + r"\s*:"
        twice = source.find(quoted + "[^{}]*?" + quoted)
        place = twice if twice != str(source.path) else source.find(quoted, nth=1)
        advice = "keep one of the two" if key in KEYS else USE_OBJECTS
        raise TaxonomyError(f"The key {key!r} is repeated in one object ({place}): {advice}.") from None
    except RecursionError:
        raise TaxonomyError(
            f"{source.path} is nested too deeply for JSON: write a flat list of objects with id and "
            "parent instead."
        ) from None


def _unwrap(document: Any) -> Any:
    """Return a list of objects, or the plain mapping, or whatever else the document is."""
    if not isinstance(document, dict):
        return document
    if isinstance(document.get("id"), str):
        return [document]
    for key in ("taxonomy", "children"):
        inner = document.get(key)
        # A plain mapping may have a label of that name, whose children are strings.
        if isinstance(inner, list) and any(isinstance(one, dict) for one in inner):
            return inner
    return document


def _read_objects(nodes: Nodes, items: list[Any]) -> None:
    stack: list[tuple[Any, str | None]] = [(item, None) for item in reversed(items)]
    while stack:
        item, above = stack.pop()
        if not isinstance(item, dict):
            item = {"id": item}
        label = _text(nodes, f"an object under {above!r}" if above else "an object", "id", item.get("id"))
        parent = _text(nodes, repr(label), "parent", item.get("parent"))
        if not label:
            known = {key: value for key, value in item.items() if isinstance(value, str)}
            place = nodes.source.find(*map(_quoted, known.values()))
            shown = json.dumps(known, ensure_ascii=False)[:60]
            raise TaxonomyError(f"An object has no id ({place}): give {shown} an id.")
        if above is not None and parent not in ("", above):
            raise TaxonomyError(
                f"The label {label!r} stands among the children of {above!r} but names the parent {parent!r} "
                f"({_place(nodes.source, label)}): keep one of the two."
            )
        name = _text(nodes, repr(label), "name", item.get("name"))
        nodes.add(label, above or parent, name, _texts(nodes, label, "synonyms", item.get("synonyms")))
        children = item.get("children")
        if not isinstance(children, list | None):
            raise _unexpected(nodes, repr(label), "children", "a list")
        stack.extend((child, label) for child in reversed(children or []))


def _read_mapping(nodes: Nodes, mapping: dict[str, Any]) -> None:
    stack: list[tuple[str, Any, str | None]] = [(key, mapping[key], None) for key in reversed(mapping)]
    seen: set[str] = set()
    while stack:
        label, below, above = stack.pop()
        if label in seen:
            places = " and ".join(_place(nodes.source, label, nth) for nth in (0, 1))
            raise TaxonomyError(f"The key {label!r} is repeated ({places}): {USE_OBJECTS}.")
        seen.add(label)
        nodes.add(label, above)
        pairs: list[tuple[str, Any]] = []
        if not isinstance(below, dict | list | None):
            raise _unexpected(nodes, repr(label), "value", "an object or list of the ids below it")
        for part in [below] if isinstance(below, dict) else below or []:
            if isinstance(part, dict):
                pairs.extend(part.items())
            else:
                pairs.append((_text(nodes, f"the list under {label!r}", "entry", part), None))
        stack.extend((key, value, label) for key, value in reversed(pairs))


def _text(nodes: Nodes, owner: str, key: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    raise _unexpected(nodes, owner, key, "a string")


def _texts(nodes: Nodes, label: str, key: str, value: Any) -> Sequence[str]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _unexpected(nodes, repr(label), key, "a list of strings")
    return value


def _unexpected(nodes: Nodes, owner: str, key: str, wanted: str) -> TaxonomyError:
    last = _place(nodes.source, nodes.ids[-1]) if nodes.ids else str(nodes.source.path)
    return TaxonomyError(f"The {key} of {owner} is not {wanted} (at or after {last}): make it {wanted}.")


def _place(source: Source, label: str, nth: int = 0) -> str:
    """Find the line on which an id stands for the nth time as an id."""
    quoted = _quoted(label)
    return source.find(rf'"id"\s*:\s*(?:{quoted}|{re.escape(label)}\b)', quoted, nth=nth)


def _quoted(text: str) -> str:
    """Return a pattern for a JSON string, its special characters escaped or not."""
    forms = (re.escape(json.dumps(text, ensure_ascii=ascii_only)) for ascii_only in (True, False))
    return f"(?:{'|'.join(forms)})"
