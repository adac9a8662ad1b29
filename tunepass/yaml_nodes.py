"""YAML nodes that know where they stand, read as mappings, records and lists; misfits are diagnostics there.

Nothing is constructed from tags, anchors and aliases do not multiply, and depth and size have limits: what breaks them
is refused while the text is read, before anything is made of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import yaml

from tunepass.diagnostics import Source, Span, TunepassError, spelling_hint

E = TypeVar("E", bound=TunepassError)


@dataclass(frozen=True, slots=True)
class Composer(Generic[E]):
    """Makes nodes of a text. `what` it is (`a lock`), its limits, and the error for what is none, with its `hint`."""

    what: str
    error: type[E]
    size: int  # characters
    depth: int
    hint: str | None = None

    def compose(self, source: Source, *, loader: Any = yaml.SafeLoader) -> yaml.Node | None:
        """The one document's node; None of an empty text."""
        if len(source.text) > self.size:
            raise self.error(f"{source.name} is larger than {self.what} can be ({self.size >> 10} KiB)")
        try:
            self._refuse_hostile(source, loader)
            node: yaml.Node | None = yaml.compose(source.text, Loader=loader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            span = Span(source, mark.index, mark.index + 1) if mark else None
            problem = f"this is not YAML: {error.problem or error.context}"
            raise self.error(problem, span, _quoting(error) or self.hint) from None
        except yaml.YAMLError as error:
            position = getattr(error, "position", None)
            span = Span(source, position, position + 1) if isinstance(position, int) else None
            raise self.error(f"this is not YAML: {str(error).splitlines()[0]}", span, self.hint) from None
        return node

    def filled(self, source: Source) -> yaml.Node:
        """The one document's node; a text without one is an error."""
        node = self.compose(source)
        if node is None:
            raise self.error(f"{source.name} is empty", hint=self.hint)
        return node

    def _refuse_hostile(self, source: Source, loader: Any) -> None:
        depth = 0
        for event in yaml.parse(source.text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            start = event.start_mark.index if event.start_mark else 0
            span = Span(source, start, start + 1)
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                problem = f"{self.what} has no anchors or aliases"
                raise self.error(problem, span, "write the value out, or quote it")
            if getattr(event, "tag", None):
                raise self.error(f"{self.what} has no tags", span, "remove it, or quote the value")
            if depth > self.depth:
                raise self.error(f"{self.what} is not nested this deeply", span)


def _quoting(error: yaml.MarkedYAMLError) -> str | None:
    """A word that begins with a placeholder, or holds one inside a list, has to be quoted."""
    braces = error.context is not None and "flow" in error.context
    return 'put a word that holds {…}, or a text with `: `, in quotes: "{FLAGS}"' if braces else None


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

    def mapping(self, node: yaml.Node, subject: str) -> dict[str, yaml.Node]:
        """The values by key, in the order written."""
        if not isinstance(node, yaml.MappingNode):
            raise self.fail(f"{subject} is a mapping, `name: value` in lines", node)
        entries: dict[str, yaml.Node] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self.fail(f"a key of {subject} is a name", key)
            if key.value in entries:
                raise self.fail(f"{subject} has `{key.value}` twice", key)
            entries[key.value] = value
        return entries

    def record(
        self, node: yaml.Node, subject: str, known: Iterable[str], needed: Iterable[str] = ()
    ) -> dict[str, yaml.Node]:
        """A mapping with keys from `known` only, `needed` among them."""
        entries, known = self.mapping(node, subject), list(known)
        assert isinstance(node, yaml.MappingNode)
        for key, _ in node.value:
            if key.value not in known:
                hint = spelling_hint(key.value, known, f"known: {', '.join(known)}")
                raise self.fail(f"{subject} has no `{key.value}`", key, hint)
        for name in needed:
            if name not in entries:
                raise self.fail(f"{subject} lacks `{name}`", node)
        return entries

    def items(self, node: yaml.Node, subject: str) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode):
            raise self.fail(f"{subject} is a list", node, "write `[a, b]`, or lines that begin with `- `")
        return list(node.value)
