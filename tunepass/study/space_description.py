"""A space as stable text: what a study's trials depend on. Search hints (priors, log scales) are not part of it."""

from __future__ import annotations

import hashlib
from typing import TypedDict

from tunepass.expr.printer import to_text
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space
from tunepass.study.storage import checked, json_text
from tunepass.study.storage.json_text import dump


class SpaceDescription(TypedDict):
    """`parameters`: a line of text by name; `constraints`: canonical text, sorted; `rows`: hash of a table's rows."""

    parameters: dict[str, str]
    constraints: list[str]
    rows: str


def describe_space(space: Space) -> str:
    """The description as JSON text."""
    description: SpaceDescription = {
        "parameters": {p.name: _parameter(p) for p in space.parameters},
        "constraints": sorted(to_text(c.expression) for c in space.constraints),
        "rows": _rows(space),
    }
    return dump(description)


def space_hash(space: Space) -> str:
    """The hash of a space, for an Identity.

    Args:
        space: the space.

    Returns:
        `sha256:` and the hexadecimal digest of its description.

    Example:
        >>> extension.space_hash(space)[:7]
        'sha256:'
    """
    return "sha256:" + hashlib.sha256(describe_space(space).encode()).hexdigest()


def space_differences(old: str, new: str) -> list[str]:
    """Differences between two descriptions, a line each."""
    before, after = _read(old), _read(new)
    lines = [
        f"parameter {name}: {before['parameters'].get(name, '(none)')} -> {after['parameters'].get(name, '(none)')}"
        for name in {**before["parameters"], **after["parameters"]}
        if before["parameters"].get(name) != after["parameters"].get(name)
    ]
    lines += [f"constraint removed: {text}" for text in before["constraints"] if text not in after["constraints"]]
    lines += [f"constraint added: {text}" for text in after["constraints"] if text not in before["constraints"]]
    if before["rows"] != after["rows"]:
        lines.append(f"rows: {before['rows'] or '(no table)'} -> {after['rows'] or '(no table)'}")
    if not lines and list(before["parameters"]) != list(after["parameters"]):
        lines.append(f"order of parameters: {', '.join(before['parameters'])} -> {', '.join(after['parameters'])}")
    return lines


def _parameter(parameter: Parameter) -> str:
    when = {} if parameter.when is None else {"when": parameter.when.text}
    return f"{parameter.kind} {dump({**parameter.definition(), 'default': parameter.default, **when})}"


def _rows(space: Space) -> str:
    """The hash of the rows where they are the space: where no constraint explains why some are missing."""
    explained = bool(space.canonical_constraints) and not space.is_table
    if explained or not (space.finite and space.complete) or space.size == space.dense:
        return ""
    digest = hashlib.sha256()
    for columns in space.enumerate_columns():
        for parameter in space.parameters:
            digest.update(columns[parameter.name].tobytes())
    return f"{space.size} rows sha256:{digest.hexdigest()[:16]}"


def _read(text: str) -> SpaceDescription:
    data = checked.mapping(json_text.load(text, "space"), "space")
    return {
        "parameters": checked.texts(data.get("parameters", {}), "parameters"),
        "constraints": [
            checked.text(c, "a constraint") for c in checked.items(data.get("constraints", []), "constraints")
        ],
        "rows": checked.text(data.get("rows", ""), "rows"),
    }
