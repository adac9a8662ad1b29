"""Devices' YAML read as the dataclasses that describe them: a key for every field, read as the field is annotated."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

import yaml

from tunepass.diagnostics import Source
from tunepass.hwmodels.base import ModelError
from tunepass.yaml_nodes import Composer, NodeReader

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

R = TypeVar("R", bound="DataclassInstance")
POSITIVE = math.ulp(0.0)
SIZE_LIMIT, DEPTH_LIMIT = 1 << 16, 8  # characters; levels


def shipped_names(package: str) -> tuple[str, ...]:
    """The devices that ship in a package's folder `devices`, in the order of their names."""
    folder = resources.files(package).joinpath("devices")
    return tuple(sorted(path.name.removesuffix(".yaml") for path in folder.iterdir() if path.name.endswith(".yaml")))


def shipped_text(package: str, path: str) -> str:
    return resources.files(package).joinpath(path).read_text(encoding="utf-8")


def plain_record(kind: type[R], section: Mapping[str, Any], **given: object) -> R:
    """A `kind` of plain, checked data: numbers and texts by the fields' annotations, the other fields `given`."""
    build: Callable[..., R] = kind
    types = get_type_hints(kind)
    names = [field.name for field in fields(kind) if field.name not in given]
    return build(**{name: types[name](section[name]) for name in names}, **given)


class DeviceReader(NodeReader[ModelError]):
    """`decoded` reads a mapping as a dataclass. Numbers are positive, unless a field's metadata has its `least`."""

    most = 1e18  # numbers are below

    def __init__(self, source: Source, hint: str):
        super().__init__(source, ModelError, hint)

    def top(self, subject: str) -> yaml.Node:
        return Composer(subject, ModelError, SIZE_LIMIT, DEPTH_LIMIT, self.hint).filled(self.source)

    def decoded(
        self,
        kind: type[R],
        node: yaml.Node,
        subject: str,
        readers: Mapping[str, Callable[[yaml.Node], object]] | None = None,
        given: Mapping[str, object] | None = None,
    ) -> R:
        """The mapping as a `kind`. `readers` are those of fields that are neither text, number, flag nor dataclass of
        such; `given` has the fields that are no keys."""
        build: Callable[..., R] = kind
        described = [field for field in fields(kind) if field.name not in (given or {})]
        needed = [field.name for field in described if field.default is field.default_factory is MISSING]
        entries = self.record(node, subject, [field.name for field in described], needed)
        types, values = get_type_hints(kind), dict(given or {})
        for field in described:
            if field.name in entries:
                reader = (readers or {}).get(field.name) or self._reader(field, types[field.name])
                values[field.name] = reader(entries[field.name])
        return build(**values)

    def _reader(self, field: Field[object], type_: type) -> Callable[[yaml.Node], object]:
        least = float(field.metadata.get("least", POSITIVE))
        by_type: dict[type, Callable[[yaml.Node], object]] = {
            str: self.text,
            bool: lambda node: self.text(node) == "true",
            int: lambda node: self.integer(node, least),
            float: lambda node: self.number(node, least),
        }
        return by_type.get(type_) or (lambda node: self.decoded(type_, node, field.name))

    def text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail("this is one text", node)
        return str(node.value)

    def integer(self, node: yaml.Node, least: float = POSITIVE) -> int:
        return int(self.number(node, least))

    def number(self, node: yaml.Node, least: float = POSITIVE) -> float:
        try:
            value = float(self.text(node))
        except ValueError:
            value = -1.0
        if not least <= value < self.most:
            raise self.fail("this is a positive number", node)
        return value
