"""YAML nodes that know where they stand, read as mappings, records and lists; misfits are diagnostics there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

import yaml

from tunepass.diagnostics import Source, Span, TunepassError, nearest

E = TypeVar("E", bound=TunepassError)


class NodeReader(Generic[E]):
    """`error` is raised for what does not fit, with `hint` where nothing better is known."""

    def __init__(self, source: Source, error: type[E], hint: str | None = None):
        self.source, self.error, self.hint = source, error, hint

    def span(self, node: yaml.Node) -> Span:
        """The node, or its first line's beginning when it has several."""
        start, end = node.start_mark, node.end_mark
        return Span(self.source, start.index, end.index if end.line == start.line else start.index + 1)

    def fail(self, problem: str, node: yaml.Node, hint: str | None = None) -> E:
        return self.error(problem, self.span(node), hint or self.hint)

    def mapping(self, node: yaml.Node, what: str) -> dict[str, yaml.Node]:
        """The values by key, in the order written."""
        if not isinstance(node, yaml.MappingNode):
            raise self.fail(f"{what} is a mapping, `name: value` in lines", node)
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.fail(f"a key of {what} is a name", key)
            if key.value in found:
                raise self.fail(f"{what} has `{key.value}` twice", key)
            found[key.value] = value
        return found

    def record(
        self, node: yaml.Node, what: str, known: Iterable[str], needed: Iterable[str] = ()
    ) -> dict[str, yaml.Node]:
        """A mapping with keys from `known` only, `needed` among them."""
        found, known = self.mapping(node, what), list(known)
        assert isinstance(node, yaml.MappingNode)
        for key, _ in node.value:
            if key.value not in known:
                close = nearest(key.value, known)
                hint = f"did you mean `{close}`?" if close else f"known: {', '.join(known)}"
                raise self.fail(f"{what} has no `{key.value}`", key, hint)
        for name in needed:
            if name not in found:
                raise self.fail(f"{what} lacks `{name}`", node)
        return found

    def items(self, node: yaml.Node, what: str) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode):
            raise self.fail(f"{what} is a list", node, "write `[a, b]`, or lines that begin with `- `")
        return list(node.value)
