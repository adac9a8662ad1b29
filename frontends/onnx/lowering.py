"""From an ONNX model and what is said of it to the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePath

from tunepass.diagnostics import Diagnostic, Severity, Source, SourceError, Span, spelling_hint
from tunepass.expr import algebra
from tunepass.expr.nodes import Expr, Name
from tunepass.frontends.dnn.finishing import open_conditions, owning, whole_number
from tunepass.frontends.onnx.description import OnnxDescription
from tunepass.frontends.onnx.following import Following
from tunepass.frontends.onnx.model import OnnxModel, OnnxValue
from tunepass.graphs.table import table_of
from tunepass.ir.graph import Attribute, Graph, ResourceLimit, Shape
from tunepass.ir.kernel import Binding, Kernel
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Ordinal, Parameter

BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
LENGTHS = (16, 32, 64, 128, 256, 512, 1024)
IMAGES = (32, 64, 96, 128, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 1024)


@dataclass
class OnnxLowering:
    """`listing` is the model's text, `source` what the user named: that text, or a description."""

    model: OnnxModel
    listing: Source
    source: Source
    described: OnnxDescription
    own: Source | None = None
    words: tuple[str, ...] = ()
    warnings: list[Diagnostic] = field(default_factory=list)

    def kernel(self) -> Kernel:
        self.table = table_of(self.own)
        self.sizes = self._open_sizes()
        parameters = (*self.described.parameters, *self.sizes.values())
        names: dict[str, Expr] = {p.name: Name(p.name, p.type) for p in parameters}
        plain = self._inputs(names, {})
        given = self._stated_inputs()
        inputs = self._inputs(names, given)
        stated = {name: shape for name, (shape, _) in self.described.shapes.items()}
        varied = self._varied()
        first = None
        if varied or given:
            first = Following(self.model, self.table, plain, {}, stated)
            first.follow()
        following = Following(self.model, self.table, inputs, varied, stated, first)
        following.follow()
        self._check_asked(following)
        outputs = following.outputs()
        graph = self._graph(following, outputs, names)
        return Kernel(
            name=_identifier(PurePath(self.listing.name).stem),
            language="onnx",
            source=self.source,
            parameters=parameters,
            constraints=self._constraints(following, graph, parameters),
            bindings=tuple(Binding(p.name, "constant", span=p.span) for p in parameters),
            body=graph,
            span=self.described.model_span or graph.span,
        )

    # Sizes

    def _open_sizes(self) -> dict[str, Parameter]:
        """A parameter for each size of an input that has a name, or none, and that the description does not say."""
        stated = {p.name for p in self.described.parameters}
        found: dict[str, Parameter] = {}
        for value in self.model.inputs:
            if value.name in self.described.inputs:
                continue
            if value.dims is None:
                raise SourceError(f"the sizes of the input {value.name!r} are not known", value.span, _state(value))
            for axis, size in enumerate(value.dims):
                name = _size_name(value, axis)
                if not isinstance(size, int) and name not in stated | set(found):
                    found[name] = self._open_size(name, axis, len(value.dims), value.span)
        if found:
            self._tell(found)
        return found

    def _open_size(self, name: str, axis: int, rank: int, span: Span | None) -> Parameter:
        values, usual = (BATCHES, 1) if axis == 0 else (IMAGES, 224) if rank == 4 and axis > 1 else (LENGTHS, 128)
        return Ordinal(name, values, default=usual, log=True, span=span if self.source is self.listing else None)

    def _tell(self, found: Mapping[str, Parameter]) -> None:
        names = ", ".join(f"`{name}`" for name in found)
        one = next(iter(found.values()))
        hint = f"say so in a tune.yaml: `parameters: {{{one.name}: ordinal(1, 8, 64) = 8}}`"
        self.warnings.append(
            Diagnostic(f"the model leaves {names} open: usual sizes are taken", one.span, hint, Severity.WARNING)
        )

    def _inputs(self, names: Mapping[str, Expr], stated: Mapping[str, Shape]) -> dict[str, Shape]:
        """The shapes as the file has them, where not `stated`; a size that the file leaves open as the description has
        it."""
        found = {}
        for value in self.model.inputs:
            said = self.described.inputs[value.name][0] if value.name in self.described.inputs else ()
            if value.name in stated or value.dims is None:
                found[value.name] = said
                continue
            own = [_size_name(value, axis) for axis in range(len(value.dims))]
            found[value.name] = tuple(
                algebra.lift(size) if isinstance(size, int) else names[name] if name in names else said[axis]
                for axis, (size, name) in enumerate(zip(value.dims, own))
            )
        return found

    def _stated_inputs(self) -> dict[str, Shape]:
        by_name = {value.name: value for value in self.model.inputs}
        for name, (shape, span) in self.described.inputs.items():
            if name not in by_name:
                hint = spelling_hint(name, by_name, f"there are {', '.join(by_name)}")
                raise SourceError(f"the model has no input `{name}`", span, hint)
            dims = by_name[name].dims
            if dims is not None and len(dims) != len(shape):
                raise SourceError(f"the input `{name}` has {len(dims)} sizes, not {len(shape)}", span)
        return {name: shape for name, (shape, _) in self.described.inputs.items()}

    # Attributes

    def _varied(self) -> dict[int, dict[str, Attribute]]:
        found: dict[int, dict[str, Attribute]] = {}
        for rule in self.described.nodes:
            matched = [
                k
                for k, node in enumerate(self.model.nodes)
                if rule.pattern in (node.called, *node.outputs) or fnmatchcase(node.called, rule.pattern)
            ]
            if not matched:
                hint = spelling_hint(
                    rule.pattern,
                    [node.called for node in self.model.nodes],
                    "operators are named as the model's text has them",
                )
                raise SourceError(f"the model has no operator `{rule.pattern}`", rule.span, hint)
            for k in matched:
                found.setdefault(k, {}).update(rule.attributes)
        return found

    def _check_asked(self, following: Following) -> None:
        """An attribute that nothing reads would vary nothing."""
        for rule in self.described.nodes:
            for k, node in enumerate(self.model.nodes):
                if rule.pattern not in (node.called, *node.outputs) and not fnmatchcase(node.called, rule.pattern):
                    continue
                for name in rule.attributes:
                    known = following.asked.get(k, set())
                    if name not in known:
                        hint = spelling_hint(name, known, f"it has {', '.join(sorted(known)) or 'none'}")
                        problem = f"{node.called} ({node.operator}) has no attribute `{name}`"
                        raise SourceError(problem, rule.spans[name], hint)

    # What is made of it

    def _graph(self, following: Following, outputs: list[str], names: Mapping[str, Expr]) -> Graph:
        inputs = tuple(following.building.inputs)
        nodes = owning(following.building.between((), outputs), [value.name for value in inputs])
        precision: Expr | str = "float32"
        if self.described.precision is not None:
            word, _ = self.described.precision
            precision = names.get(word, word)
        batch = inputs[0].shape[0] if inputs and inputs[0].shape else algebra.lift(1)
        return Graph(
            inputs=inputs,
            nodes=nodes,
            outputs=tuple(outputs),
            batch=batch,
            precision=precision,
            limits=tuple(
                ResourceLimit(resource=limit.resource, most=whole_number(limit.most), text=limit.text, span=limit.span)
                for limit in self.described.limits
            ),
            operators=self.own,
            files=() if self.listing is self.source else (self.listing,),
            words=self.words,
            span=self.described.model_span or self.listing.span(0, 1),
        )

    def _constraints(
        self, following: Following, graph: Graph, parameters: tuple[Parameter, ...]
    ) -> tuple[Constraint, ...]:
        there = {node.name: node for node in graph.nodes}
        derived = []
        for condition in open_conditions(following.building.conditions, parameters):
            node = there.get(condition.node)
            span = node.span if node is not None and node.span is not None else self.listing.span(0, 1)
            derived.append(Constraint(condition.holds, f"{condition.node}: {condition.text}", span, derived=True))
        return (*self.described.constraints, *derived)


def _size_name(value: OnnxValue, axis: int) -> str:
    size = value.dims[axis] if value.dims is not None else None
    return _identifier(size) if isinstance(size, str) else _identifier(f"{value.name}_{axis}")


def _identifier(text: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in text)
    return plain if plain and not plain[0].isdigit() else f"n{plain}"


def _state(value: OnnxValue) -> str:
    return f"state them in a tune.yaml: `inputs: {{{value.name}: [1, 3, 224, 224]}}`"
