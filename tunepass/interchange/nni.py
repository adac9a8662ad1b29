"""NNI's search_space.json, and DnnSAT's constraint file, as the comments that tunepass reads in a model's source.

NNI: `{"name": {"_type": "choice", "_value": [...]}}` (docs/source/hpo/search_space.rst). DnnSAT (Gao et al., ICSE 2021,
section IV-D): `{"constraint": "weight_size", "max": 10485760, "min": 0}`, one or a list of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import yaml

from tunepass.diagnostics import Source, SourceError, SpaceError, spelling_hint
from tunepass.expr.printer import literal
from tunepass.interchange.conditions import Json
from tunepass.interchange.json_nodes import JsonReader
from tunepass.interchange.nni_ranges import HINT, RANGES, known_kind, parameter_of_range
from tunepass.space.parameter import Integer, Ordinal, Real
from tunepass.space.plain_values import is_finite

SIZE_LIMIT, DEPTH_LIMIT = 1 << 20, 32
RESOURCES = {"weight_size": "weight_byte", "flops": "flops", "inference_time": "time", "memory": "memory"}
Scalar = bool | int | float | str


@dataclass(frozen=True, slots=True)
class ForeignLimit:
    """`least` 0 or less: none."""

    resource: str
    most: int | float
    least: int | float


def is_nni(source: Source) -> bool:
    """Does a JSON file look like a search space of NNI?"""
    try:
        top = json.loads(source.text)
    except (ValueError, RecursionError):
        return False
    return isinstance(top, dict) and any(isinstance(v, dict) and "_type" in v for v in top.values())


def read_search_space(source: Source) -> tuple[str, ...]:
    """A `param` comment's text for each parameter. SourceError, with the place, for what has no finite form."""
    reader = _Reader(source, SourceError, HINT)
    top = reader.composed("a search space", SIZE_LIMIT, DEPTH_LIMIT)
    reader.read_all(reader.mapping(top, "a search space"), "")
    if not reader.params:
        raise SourceError(f"{source.name} has no parameters", hint=HINT)
    return tuple(map(str, reader.params.values()))


def read_limits(source: Source) -> tuple[ForeignLimit, ...]:
    """The limits of DnnSAT's constraint file."""
    hint = 'a constraint is {"constraint": "weight_size", "max": 10485760, "min": 0}'
    reader = _Reader(source, SourceError, hint)
    node = reader.composed("a constraint file", SIZE_LIMIT, DEPTH_LIMIT)
    items = reader.items(node, "the file") if isinstance(node, yaml.SequenceNode) else [node]
    return tuple(reader.limit(item) for item in items)


@dataclass(frozen=True, slots=True)
class ForeignParam:
    """A `param` comment's text; it is active where one of `conditions` holds, always if there is none."""

    text: str
    conditions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.text} when({' or '.join(self.conditions)})" if self.conditions else self.text


class _Reader(JsonReader):
    params: dict[str, ForeignParam]

    def read_all(self, nodes: Mapping[str, yaml.Node], condition: str) -> None:
        """The parameters of an object, those of nested choices after them. One that stands in several choices is one
        parameter."""
        self.params = {} if not condition else self.params
        for name, node in nodes.items():
            param = ForeignParam(self.param(name, node), (condition,) if condition else ())
            if (known := self.params.get(name)) is not None:
                if known.text != param.text or not (known.conditions and condition):
                    raise self.fail(f"there are two parameters `{name}`", node, "rename one of them")
                param = ForeignParam(param.text, (*known.conditions, condition))
            self.params[name] = param
            self.read_nested(name, node)

    def read_nested(self, name: str, node: yaml.Node) -> None:
        for item in self.items(self.mapping(node, "a parameter")["_value"], "`_value`"):
            if isinstance(item, yaml.MappingNode):
                fields = dict(self.mapping(item, "a choice"))
                chosen = self.value(fields.pop("_name"))
                self.read_all(fields, f"{name} == {literal(str(chosen))}")

    def param(self, name: str, node: yaml.Node) -> str:
        if not name.isidentifier():
            raise self.fail(f"{name!r} is no name of a parameter", node, "rename it: letters, digits and _")
        fields = self.record(node, "a parameter", ("_type", "_value"), ("_type", "_value"))
        kind, given = self.value(fields["_type"]), self.items(fields["_value"], "`_value`")
        if kind == "choice":
            return f"{name}: {self.choice(given, fields['_value'])}"
        try:
            parameter = parameter_of_range(name, known_kind(kind), [self.number(item) for item in given])
        except SpaceError as error:
            (diagnostic,) = error.diagnostics
            node = fields["_value" if kind in RANGES else "_type"]
            raise self.fail(diagnostic.message, node, diagnostic.hint) from None
        return f"{name}: {_text(parameter)}"

    def choice(self, items: Sequence[yaml.Node], node: yaml.Node) -> str:
        values = [self.named(item) if isinstance(item, yaml.MappingNode) else self.value(item) for item in items]
        if any(isinstance(item, yaml.MappingNode) for item in items):  # then each choice has a name
            values = [str(value) for value in values]
        for value, item in zip(values, items):
            if not isinstance(value, Scalar):
                raise self.fail("a choice is a number, a text, a truth value or an object with a `_name`", item)
        scalars = list(dict.fromkeys(cast(list[Scalar], values)))
        if not scalars:
            raise self.fail("a choice has at least one value", node)
        numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in scalars)
        listed = ", ".join(str(v).lower() if isinstance(v, bool) else literal(v) for v in scalars)
        return f"{'ordinal' if numeric else 'categorical'}({listed})"

    def named(self, node: yaml.Node) -> Json:
        fields = self.mapping(node, "a choice")
        if "_name" not in fields:
            raise self.fail("a choice that is an object has a `_name`", node, 'write {"_name": "conv", ...}')
        return self.value(fields["_name"])

    def number(self, node: yaml.Node) -> int | float:
        value = self.value(node)
        if not isinstance(value, int | float) or isinstance(value, bool) or not is_finite(value):
            raise self.fail("this is a number", node)
        return value

    def limit(self, node: yaml.Node) -> ForeignLimit:
        fields = self.record(node, "a constraint", ("constraint", "max", "min"), ("constraint", "max"))
        word = str(self.value(fields["constraint"]))
        name = word.lower().replace(" ", "_")
        if name not in RESOURCES:
            hint = spelling_hint(name, RESOURCES, f"there are {', '.join(RESOURCES)}")
            raise self.fail(f"no resource `{word}`", fields["constraint"], hint)
        least = self.number(fields["min"]) if "min" in fields else 0
        return ForeignLimit(RESOURCES[name], self.number(fields["max"]), least)


def _text(parameter: Integer | Ordinal | Real) -> str:
    """A parameter's domain as a comment has it."""
    match parameter:
        case Integer():
            return f"integer({parameter.lo}..{parameter.hi})"
        case Ordinal():
            domain = f"ordinal({', '.join(map(repr, parameter.domain))})"
        case Real():
            domain = f"real({parameter.lo!r}..{parameter.hi!r})"
    return f"{domain} log" if parameter.log else domain
