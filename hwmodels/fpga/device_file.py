"""A device's YAML as a user has it: read with limits, and held against the devices that ship.

What the devices that ship have is what a file may have: their keys, and at each of them a text, a number, a list or a
mapping. So a key of theirs that is new needs no line here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import yaml

from tunepass.diagnostics import Source, spelling_hint
from tunepass.files import read_utf8, shown
from tunepass.hwmodels.base import ModelError
from tunepass.yaml_nodes import Composer, NodeReader

SUFFIXES = (".yaml", ".yml")
SIZE_LIMIT, DEPTH_LIMIT = 1 << 18, 10  # characters; levels
HINT = "`tunepass characterize -o FILE` writes a whole one; `like: DEVICE` takes what a file does not state"
EXAMPLES = "the devices that ship are examples: hwmodels/devices/*.yaml"
AMOUNTS = ("latency", "area", "structures", "templates")  # every amount in these may be written as any other is
ASCENDING = ("points", "steps", "ways", "words_of_width")  # lists of rows, by the first number of each
POSITIVE = (
    "clock_hz",
    "lut_inputs",
    "port_bit",
    "words_of_width",
    "shapes",
    "body_stretch",
    "byte_per_s",
    "burst_byte",
)
NOT_NEGATIVE = ("capacity", "startup_cycles")


def is_file(device: str) -> bool:
    """Is the device named by a file that describes it?"""
    return device.lower().endswith(SUFFIXES)


def text_of_file(path: str) -> str:
    """Raises ModelError for what cannot be read."""
    return read_utf8(path, SIZE_LIMIT, ModelError)


@dataclass
class Shape:
    """Shape of the data at one place in the shipped devices."""

    kinds: set[str] = field(default_factory=set)  # text, number, nothing, list, mapping
    keys: dict[str, Shape] = field(default_factory=dict)
    item: Shape | None = None
    lengths: set[int] = field(default_factory=set)  # of lists

    def add(self, value: object) -> None:
        self.kinds.add(_kind(value))
        if isinstance(value, Mapping):
            for key, inner in value.items():
                self.keys.setdefault(str(key), Shape()).add(inner)
        elif isinstance(value, list):
            self.item = self.item or Shape()
            self.lengths.add(len(value))
            for inner in value:
                self.item.add(inner)


@lru_cache(maxsize=2)
def shape_of(texts: tuple[str, ...]) -> Shape:
    """Shape of the devices with these texts."""
    whole, entry, amount = Shape(), Shape(), Shape()
    for text in texts:
        device = yaml.safe_load(text)
        whole.add(device)
        for section in AMOUNTS:
            for value in (device.get(section) or {}).values():
                entry.add(value)
                for inner in value.values() if isinstance(value, Mapping) else ():
                    amount.add(inner)
    entry.keys = dict.fromkeys(entry.keys, amount)
    for section in AMOUNTS:
        known = whole.keys.get(section, Shape())
        known.keys = {key: entry if key != "source" else shape for key, shape in known.keys.items()}
    return whole


def check(source: Source, shipped: Mapping[str, str]) -> None:
    """Raises ModelError, with the place, for what no device that ships has; `shipped`: their texts by name."""
    node = Composer("a device", ModelError, SIZE_LIMIT, DEPTH_LIMIT, HINT).compose(source)
    if node is None:
        raise ModelError(f"{shown(source.name)} is empty", hint=HINT)
    checker = _Checker(source, ModelError, EXAMPLES)
    checker.check(node, shape_of(tuple(shipped.values())), "a device")
    like = checker.mapping(node, "a device").get("like")
    if like is not None and like.value not in shipped:
        hint = spelling_hint(like.value, shipped, f"devices: {', '.join(shipped)}")
        raise checker.fail("no device that ships is called so", like, hint)


class _Checker(NodeReader[ModelError]):
    def check(self, node: yaml.Node, shape: Shape, subject: str, sign: str = "") -> None:
        """`sign`: whether numbers below are to be positive, or at least not negative."""
        kind = _node_kind(node)
        if kind == "number" and "number" not in shape.kinds and "text" in shape.kinds:
            kind = "text"
        if kind not in shape.kinds:
            expected = " or ".join(f"a {k}" if k != "nothing" else "null" for k in sorted(shape.kinds))
            raise self.fail(f"{subject} is {expected}", node)
        if kind == "number":
            self._number(node, subject, sign)
        elif isinstance(node, yaml.MappingNode):
            for key, inner in self.record(node, subject, shape.keys).items():
                below = "positive" if key in POSITIVE else "negative" if key in NOT_NEGATIVE else sign
                self.check(inner, shape.keys[key], f"`{key}`", below)
                if key in ASCENDING:
                    self._ascending(inner, key)
        elif isinstance(node, yaml.SequenceNode) and shape.item is not None:
            for inner in node.value:
                if isinstance(inner, yaml.SequenceNode) and len(inner.value) not in shape.item.lengths:
                    lengths = " or ".join(map(str, sorted(shape.item.lengths)))
                    raise self.fail(f"a row of {subject} has {lengths} numbers", inner)
                self.check(inner, shape.item, f"a row of {subject}", sign)

    def _number(self, node: yaml.Node, subject: str, sign: str) -> None:
        value = float(node.value)
        if not math.isfinite(value):
            raise self.fail(f"{subject} is a finite number", node)
        if (sign and value < 0) or (sign == "positive" and value == 0):
            raise self.fail(f"{subject} is {'positive' if sign == 'positive' else 'not negative'}", node)

    def _ascending(self, node: yaml.Node, subject: str) -> None:
        rows = self.items(node, f"`{subject}`")
        if not rows:
            raise self.fail(f"`{subject}` has a row at least", node)
        firsts = [float(self.items(row, "a row")[0].value) for row in rows]
        for row, before, after in zip(rows[1:], firsts, firsts[1:]):
            if after <= before:
                raise self.fail(f"the rows of `{subject}` ascend by their first number, {before:g} then {after:g}", row)


def _kind(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case Mapping():
            return "mapping"
        case list():
            return "list"
        case int() | float():
            return "number"
        case _:
            return "text"


def _node_kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "mapping"
    if isinstance(node, yaml.SequenceNode):
        return "list"
    if node.tag.endswith(":null"):
        return "nothing"
    try:
        float(node.value)
    except ValueError:
        return "text"
    return "number"
