"""The text of tunepass.lock: YAML read with spans for diagnostics, written one line a mapping so that it diffs well.

Only what a lock needs is accepted: no tags, no anchors or aliases, little depth, little size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import yaml

from tunepass.diagnostics import Source, StudyError
from tunepass.space.configuration import Value
from tunepass.yaml_nodes import Composer, NodeReader

SIZE_LIMIT = 8 << 20  # bytes; thousands of kernels
DEPTH_LIMIT = 8
FlowValue = Value | list["FlowValue"]

_PLAIN = re.compile(r"[A-Za-z_./+=-][^\x00-\x1f\x7f-\x9f\[\]{},#\"'&*!|>%@`]*\Z")


def parse(source: Source, *, laid_out: bool = False) -> yaml.MappingNode:
    """The document as nodes that know where they stand. What is `laid_out` as a lock is written is read by LibYAML,
    where PyYAML has it: ten times as fast, but it reads some other texts otherwise."""
    fast = getattr(yaml, "CSafeLoader", None) if laid_out else None
    try:
        node = _COMPOSER.compose(source, loader=fast or yaml.SafeLoader)
    except StudyError:
        if fast is None:
            raise
        return parse(source)  # which knows better where it is wrong
    if not isinstance(node, yaml.MappingNode):
        raise StudyError(f"{source.name} is not a lock: it has no `version`", hint=_RESTORE)
    return node


_RESTORE = "restore it from version control, or delete it and build again"
_COMPOSER = Composer("a lock", StudyError, SIZE_LIMIT, DEPTH_LIMIT, _RESTORE)


class LockReader(NodeReader[StudyError]):
    """Typed access to nodes; what does not fit is a diagnostic where it stands."""

    def __init__(self, source: Source):
        super().__init__(source, StudyError, _RESTORE)

    def text(self, node: yaml.Node, subject: str) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail(f"{subject} is a text", node)
        return str(node.value)

    def number(self, node: yaml.Node, subject: str) -> float:
        value = self.value(node, subject)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.fail(f"{subject} is a number", node)
        return value

    def whole(self, node: yaml.Node, subject: str) -> int:
        value = self.value(node, subject)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fail(f"{subject} is a whole number", node)
        return value

    def value(self, node: yaml.Node, subject: str) -> Value:
        """A Boolean, number or text, or a list of whole numbers and texts."""
        if isinstance(node, yaml.SequenceNode):
            items = tuple(self.value(item, subject) for item in node.value)
            if all(isinstance(item, (int, str)) and not isinstance(item, bool) for item in items):
                return items  # type: ignore[return-value]
            raise self.fail(f"{subject} lists whole numbers or texts", node)
        try:
            value = yaml.SafeLoader("").construct_object(node) if isinstance(node, yaml.ScalarNode) else None
        except (yaml.YAMLError, ValueError) as error:
            raise self.fail(f"{subject} cannot be read", node) from error
        if isinstance(value, (bool, int, float, str)):
            return value
        raise self.fail(f"{subject} is a Boolean, a number, a text or a list", node)


def flow(items: Iterable[tuple[str, FlowValue]]) -> str:
    """`{name: value, ...}` on one line."""
    return "{" + ", ".join(f"{scalar(name)}: {_flow_value(value)}" for name, value in items) + "}"


def _flow_value(value: FlowValue) -> str:
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow_value(item) for item in value) + "]"
    return scalar(value)


def scalar(value: bool | int | float | str) -> str:
    """The shortest YAML that reads back as the same value, plain where it can be."""
    if not isinstance(value, str):
        return str(yaml.safe_dump(value, width=1 << 20)).split("\n")[0]
    if _PLAIN.match(value) and not re.search(r":(\s|\Z)|\s\Z|^-( |-|$)|^\.\.\.", value):
        node = yaml.compose(value, Loader=yaml.SafeLoader)
        if isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:str" and node.value == value:
            return value
    return str(yaml.safe_dump(value, default_style='"', width=1 << 20, allow_unicode=True)).rstrip("\n")
