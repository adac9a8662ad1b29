"""The description of what may vary of an ONNX model: `tune.yaml`.

onnx: resnet50.onnx
parameters:
  batch: ordinal(1, 8, 32) = 8
  width: ordinal(32, 64) = 64
inputs: {data: [batch, 3, 224, 224]}
nodes:
  conv1: {filters: width}
shapes: {boxes: [100, 4]}
constraints: [width % 8 == 0]
limits: [weight_byte <= 10 MB, memory <= 16 GB]
precision: float16
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import yaml

from tunepass.diagnostics import Source, SourceError, Span
from tunepass.expr.nodes import Expr, Type
from tunepass.expr.parser import parse as parse_expression
from tunepass.frontends.dnn.comments import LimitText, read_limits
from tunepass.frontends.params.build import construct, default_value
from tunepass.frontends.params.param import ParamText, parse_param
from tunepass.frontends.params.tokens import Cursor
from tunepass.frontends.problems import CollectingReader
from tunepass.graphs.inference import ELEMENT_BYTE
from tunepass.ir.graph import Attribute, Shape
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.yaml_nodes import Composer

SECTIONS = ("onnx", "parameters", "inputs", "nodes", "shapes", "constraints", "limits", "precision", "operators")
SIZE_LIMIT, DEPTH_LIMIT = 1 << 18, 8
NAME = re.compile(r"[A-Za-z_]\w*")
_COMPOSER = Composer("a description", SourceError, SIZE_LIMIT, DEPTH_LIMIT)
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Varied:
    """What the description says of the nodes that a name, or a pattern with `*`, stands for."""

    pattern: str
    attributes: Mapping[str, Attribute]
    spans: Mapping[str, Span]
    span: Span


@dataclass(frozen=True, slots=True)
class OnnxDescription:
    """`inputs` and `shapes`: the sizes of values by their names, with the place where the name stands."""

    source: Source
    model: str = ""
    model_span: Span | None = None
    operators: tuple[str, Span] | None = None
    parameters: tuple[Parameter, ...] = ()
    texts: tuple[ParamText, ...] = ()
    inputs: Mapping[str, tuple[Shape, Span]] = field(default_factory=dict)
    shapes: Mapping[str, tuple[Shape, Span]] = field(default_factory=dict)
    nodes: tuple[Varied, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    limits: tuple[LimitText, ...] = ()
    precision: tuple[str, Span] | None = None


def read_description(source: Source) -> OnnxDescription:
    """SourceError with all that is wrong with it."""
    node = _COMPOSER.compose(source)
    if node is None:
        raise SourceError("a description of an ONNX model is a mapping with `onnx`", source.span(0, 1))
    return _Reader(source).description(node)


class _Reader(CollectingReader):
    types: Mapping[str, Type]

    def description(self, node: yaml.Node) -> OnnxDescription:
        top = self.record(node, "a description of an ONNX model", SECTIONS, ("onnx",))
        model = self.word(top["onnx"], "the model's file")
        texts = self.section(top, "parameters", self.parameters)
        parameters = tuple(p for p in (self.collect(lambda t=t: construct(t, default_value(t))) for t in texts) if p)  # type: ignore[misc]
        if self.problems:
            raise SourceError(self.problems)
        self.types = {p.name: p.type for p in parameters}
        found = OnnxDescription(
            source=self.source,
            model=model,
            model_span=self.span(top["onnx"]),
            operators=(self.word(top["operators"], "a file"), self.span(top["operators"]))
            if "operators" in top
            else None,
            parameters=parameters,
            texts=tuple(texts),
            inputs=dict(self.section(top, "inputs", self.shapes)),
            shapes=dict(self.section(top, "shapes", self.shapes)),
            nodes=tuple(self.section(top, "nodes", self.nodes)),
            constraints=tuple(self.section(top, "constraints", lambda n: self.constraints(n, parameters))),
            limits=tuple(self.section(top, "limits", self.limits)),
            precision=self.collect(lambda: self.precision(top["precision"])) if "precision" in top else None,
        )
        if self.problems:
            raise SourceError(self.problems)
        return found

    def section(self, top: Mapping[str, yaml.Node], name: str, step: Callable[[yaml.Node], list[R]]) -> list[R]:
        return (self.collect(lambda: step(top[name])) or []) if name in top else []

    def word(self, node: yaml.Node, what: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or not str(node.value).strip():
            raise self.fail(f"{what} is one word", node)
        return str(node.value)

    def parameters(self, node: yaml.Node) -> list[ParamText]:
        self.mapping(node, "`parameters`")
        assert isinstance(node, yaml.MappingNode)
        found = (self.collect(lambda k=k, v=v: self.parameter(k, v)) for k, v in node.value)  # type: ignore[misc]
        return [text for text in found if text is not None]

    def parameter(self, key: yaml.Node, value: yaml.Node) -> ParamText:
        """`NAME: KIND(VALUES) = DEFAULT`, as it stands in the source."""
        plain = isinstance(value, yaml.ScalarNode) and value.style is None
        if not plain or value.start_mark.line != key.start_mark.line:
            raise self.fail("a parameter is written in one line: `width: ordinal(32, 64) = 64`", value)
        start = key.start_mark.index
        return parse_param(Cursor(self.source, self.source.text[start : value.end_mark.index], start, unit="line"))

    def shapes(self, node: yaml.Node) -> list[tuple[str, tuple[Shape, Span]]]:
        self.mapping(node, "sizes by name")
        assert isinstance(node, yaml.MappingNode)
        found = []
        for key, value in node.value:
            sizes = tuple(self.number(item) for item in self.items(value, "sizes"))
            found.append((str(key.value), (sizes, self.span(key))))
        return found

    def number(self, node: yaml.Node) -> Expr:
        value = self.attribute(node)
        if isinstance(value, (str, tuple)):
            raise self.fail("a size is a number, or an expression of parameters", node)
        return value

    def attribute(self, node: yaml.Node) -> Attribute:
        """An expression over the parameters, a list of such, or any other word."""
        if isinstance(node, yaml.SequenceNode):
            return tuple(self.attribute(item) for item in node.value)
        text = self.word(node, "an attribute")
        names = set(NAME.findall(text))
        if _quoted(node) or (names and not names & set(self.types)):
            return text
        start = node.start_mark.index
        return parse_expression(text, self.types, source=self.source, offset=start)

    def nodes(self, node: yaml.Node) -> list[Varied]:
        self.mapping(node, "`nodes`")
        assert isinstance(node, yaml.MappingNode)
        found = []
        for key, value in node.value:
            given = self.mapping(value, f"what varies of {key.value}")
            assert isinstance(value, yaml.MappingNode)
            attributes = {name: self.attribute(item) for name, item in given.items()}
            spans = {str(name.value): self.span(name) for name, _ in value.value}
            found.append(Varied(str(key.value), attributes, spans, self.span(key)))
        return found

    def constraints(self, node: yaml.Node, parameters: Sequence[Parameter]) -> list[Constraint]:
        found = []
        for item in self.items(node, "constraints"):
            text, quoted = self.word(item, "a constraint"), _quoted(item)
            start = item.start_mark.index + int(quoted)
            found.append(Constraint.parse(text, parameters, source=self.source, offset=start))
        return found

    def limits(self, node: yaml.Node) -> list[LimitText]:
        found: list[LimitText] = []
        for item in self.items(node, "limits"):
            text, quoted = self.word(item, "a limit"), _quoted(item)
            found += read_limits(Cursor(self.source, text, item.start_mark.index + int(quoted), unit="line"))
        return found

    def precision(self, node: yaml.Node) -> tuple[str, Span]:
        word = self.word(node, "the precision")
        if word not in ELEMENT_BYTE and str(self.types.get(word, "")) != "string":
            known = ", ".join(ELEMENT_BYTE)
            raise self.fail(f"`{word}` is no type of elements, and no parameter of such", node, f"known: {known}")
        return word, self.span(node)


def _quoted(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style is not None
