"""A description's YAML as nodes that know where they stand.

Plain scalars follow YAML 1.2: `on` and `no` are texts, `1e-9` is a number, `12:30` is no number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import yaml

from tunepass.diagnostics import Source, SourceError, spelling_hint
from tunepass.frontends.problems import CollectingReader
from tunepass.yaml_nodes import Composer

SIZE_LIMIT = 1 << 18  # characters
DEPTH_LIMIT = 12
INTEGER = re.compile(r"[-+]?\d{1,30}\Z")
REAL = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d{1,4})?\Z")
BOOLEANS = {word: word.lower() == "true" for word in ("true", "True", "TRUE", "false", "False", "FALSE")}
NULLS = frozenset({"", "~", "null", "Null", "NULL"})
UNITS_S = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
UNITS_BYTE = {"KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}

Scalar = bool | int | float | str
_COMPOSER = Composer("a description", SourceError, SIZE_LIMIT, DEPTH_LIMIT)


def compose(source: Source) -> yaml.MappingNode:
    """The one document of the source, a mapping."""
    node = _COMPOSER.compose(source)
    if not isinstance(node, yaml.MappingNode):
        raise SourceError(
            "a description of an application is a mapping with `parameters` and `run`",
            source.span(0, 1),
            "docs/applications.md shows how to begin",
        )
    return node


class DocumentReader(CollectingReader):
    """Typed access to nodes."""

    def scalar(self, node: yaml.Node, what: str) -> Scalar:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail(f"{what} is one value", node)
        text = str(node.value)
        if node.style is not None:
            return text
        if text in NULLS:
            raise self.fail(f"{what} is missing its value", node)
        if text in BOOLEANS:
            return BOOLEANS[text]
        if INTEGER.match(text):
            return int(text)
        return float(text) if REAL.match(text) else text

    def text(self, node: yaml.Node, what: str) -> str:
        """A text as written: `12` stays `12`."""
        self.scalar(node, what)
        text = str(node.value)
        bad = next((c for c in text if c in "\0\n\r"), None)
        if bad is not None:
            raise self.fail(f"{what} is one line of text", node)
        return text

    def number(self, node: yaml.Node, what: str) -> int | float:
        value = self.scalar(node, what)
        if isinstance(value, (bool, str)):
            raise self.fail(f"{what} is a number, got `{node.value}`", node)
        return value

    def whole(self, node: yaml.Node, what: str, least: int) -> int:
        value = self.number(node, what)
        if not isinstance(value, int) or value < least:
            raise self.fail(f"{what} is a whole number of at least {least}, got `{node.value}`", node)
        return value

    def one_of(self, node: yaml.Node, what: str, known: tuple[str, ...]) -> str:
        text = self.text(node, what)
        if text not in known:
            hint = spelling_hint(text, known)
            raise self.fail(f"{what} is one of {', '.join(known)}, got `{text}`", node, hint)
        return text

    def boolean(self, node: yaml.Node, what: str) -> bool:
        value = self.scalar(node, what)
        if not isinstance(value, bool):
            raise self.fail(f"{what} is true or false, got `{node.value}`", node)
        return value

    def quantity(self, node: yaml.Node, what: str, units: Mapping[str, float], example: str) -> float:
        """A positive number with one of the units: nobody agrees on the unit of a bare number."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([A-Za-z]+)", self.text(node, what))
        if match is None or match[2] not in units or float(match[1]) <= 0:
            raise self.fail(f"{what} is written like {example}, got `{node.value}`", node)
        return float(match[1]) * units[match[2]]

    def offset_of(self, node: yaml.Node) -> int | None:
        """Where the scalar's text begins in the source; None where the source spells it otherwise (escapes, folds)."""
        start = node.start_mark.index + (1 if getattr(node, "style", None) in ("'", '"') else 0)
        written = self.source.text[start : start + len(node.value)]
        return start if written == node.value else None
