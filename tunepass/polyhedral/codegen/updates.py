"""The text of an update, `x += a;` or `x = x + a;`, taken apart."""

from __future__ import annotations

import re

SUMMED = ("+", "*")
"""Operators whose updates a loop can gather in a variable of its own."""

_UPDATE = re.compile(
    r"\s*(?P<target>\w[\w\s]*(?:\[[^\[\]=]*\]\s*|\([\w\s,+*-]*\)\s*)*)(?P<operator>[-+*]?)=(?!=)(?P<value>.*)\Z", re.S
)


def target_of(text: str) -> str | None:
    """Target of the update; None if the text does not show it."""
    update = _UPDATE.match(text)
    return update["target"].strip() if update and _with(update, "x") is not None else None


def gathered(text: str, name: str) -> str:
    """The update with the variable `name` in the place of its target."""
    update = _UPDATE.match(text)
    changed = _with(update, name) if update else None
    if changed is None:
        raise ValueError(text)
    return changed


def _with(update: re.Match[str], name: str) -> str | None:
    if update["operator"]:
        return f"{name} {update['operator']}={update['value']}"
    words = re.findall(r"\w+|[^\w\s]", update["target"])
    target = re.compile(r"(?<![\w.>])" + r"\s*".join(map(re.escape, words)) + r"(?![\w\[(])")
    value, count = target.subn(name, update["value"])
    return f"{name} ={value}" if count == 1 else None
