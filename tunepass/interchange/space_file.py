"""A space as JSON, and back: parameters with their defaults, priors and scales, and constraints as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import yaml

from tunepass.diagnostics import Source, SourceError, SpaceError, TunepassError
from tunepass.expr.nodes import Expr, walk
from tunepass.expr.printer import to_text
from tunepass.interchange.conditions import Json
from tunepass.interchange.json_nodes import JsonReader
from tunepass.space.configuration import Value
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation, Real
from tunepass.space.parameters.condition import Condition
from tunepass.space.prior import Beta
from tunepass.space.space import Space

VERSION = 1
SIZE_LIMIT, DEPTH_LIMIT = 16 << 20, 8  # characters; levels
LONGEST = 100_000  # parts of an expression as text, what is used twice written twice
FIELDS = {
    "real": ("lo", "hi"),
    "integer": ("lo", "hi", "step"),
    "ordinal": ("values",),
    "categorical": ("values",),
    "permutation": ("items",),
}
OPTIONAL = {"real": ("step",)}
HINT = "`tunepass prune MODEL -o NAME.space.json` writes such a file"
Prior = float | tuple[float, ...] | tuple[tuple[float, ...], ...]


def space_json(parameters: Sequence[Parameter], constraints: Sequence[Constraint]) -> Json:
    """The space as `read_space` reads it. SpaceError for a constraint whose text would be too long."""
    return {
        "tunepass": VERSION,
        "parameters": [_parameter(p) for p in parameters],
        "constraints": [_text(c) for c in constraints],
    }


def _parameter(p: Parameter) -> Json:
    default = list(p.default) if isinstance(p.default, tuple) else p.default
    fields: dict[str, Json] = {"name": p.name, "kind": p.kind, **p.definition(), "default": default}
    if p.on_log_scale:
        fields["log"] = True
    if p.when is not None:
        fields["when"] = p.when.text
    if p.prior is not None:
        fields["prior"] = [p.prior.a, p.prior.b] if isinstance(p.prior, Beta) else cast(Json, p.prior)
    return fields


def _text(c: Constraint) -> str:
    if _length(c.expression) > LONGEST:
        raise SpaceError(
            f"`{c.text}` is too long to be written out as a constraint",
            c.span,
            "write .smt2, which names common parts, or the configurations as .csv or .parquet",
        )
    return to_text(c.expression)


def _length(e: Expr) -> int:
    """How many parts its text has."""
    lengths: dict[int, int] = {}
    for node in walk(e):
        lengths[id(node)] = 1 + sum(lengths[id(child)] for child in node.children)
    return lengths[id(e)]


def read_space(source: Source) -> Space:
    """SourceError, with the place, for what is no such file."""
    return _Reader(source, SourceError, HINT).space()


class _Reader(JsonReader):
    def space(self) -> Space:
        node = self.composed("a space", SIZE_LIMIT, DEPTH_LIMIT)
        top = self.record(node, "a space", ("tunepass", "parameters", "constraints"), ("tunepass", "parameters"))
        if self.value(top["tunepass"]) != VERSION:
            raise self.fail(f"this version of tunepass reads spaces of version {VERSION}", top["tunepass"])
        parameters = [self.parameter(item) for item in self.items(top["parameters"], "`parameters`")]
        nodes = self.items(top["constraints"], "`constraints`") if "constraints" in top else []
        constraints = [self.constraint(item, parameters) for item in nodes]
        try:
            return Space(parameters, constraints)
        except SpaceError as error:
            raise self.placed(error, node) from None

    def constraint(self, node: yaml.Node, parameters: Sequence[Parameter]) -> Constraint:
        text = self.value(node)
        if not isinstance(text, str):
            raise self.fail("a constraint is a text", node)
        constraint = Constraint.parse(text, parameters, self.source, node.start_mark.index + 1)
        return replace(constraint, derived=True)  # as limits do, it reads the default of an inactive parameter

    def parameter(self, node: yaml.Node) -> Parameter:
        fields = self.mapping(node, "a parameter")
        kind = self.value(fields["kind"]) if "kind" in fields else None
        if not isinstance(kind, str) or kind not in FIELDS:
            raise self.fail(f"the kind of a parameter is one of {', '.join(FIELDS)}", fields.get("kind", node))
        allowed = FIELDS[kind]
        self.record(
            node,
            f"a parameter of kind {kind}",
            ("name", "kind", "default", "log", "prior", "when", *allowed, *OPTIONAL.get(kind, ())),
        )
        self.record(node, f"a parameter of kind {kind}", fields, ("name", *allowed))
        try:
            values = {name: self.value(field) for name, field in fields.items() if name != "when"}
            return _parameter_of(kind, values, self.condition(fields.get("when")))
        except (TunepassError, TypeError, ValueError) as error:
            raise self.placed(error, node) from None

    def condition(self, node: yaml.Node | None) -> Condition | None:
        """The condition as it stands in the file, where its text has no escapes."""
        text = None if node is None else self.value(node)
        if node is None or text is None:
            return None
        if not isinstance(text, str):
            raise self.fail("`when` is the text of a condition", node)
        start, end = node.start_mark.index + 1, node.end_mark.index - 1
        return Condition(text, self.source, start) if self.source.text[start:end] == text else Condition(text)

    def placed(self, error: Exception, node: yaml.Node) -> SourceError:
        """The error where it says a place in this file, else at the node."""
        first = error.diagnostics[0] if isinstance(error, TunepassError) else None
        if first is not None and first.span is not None and first.span.source == self.source:
            return SourceError(first.message, first.span, first.hint)
        return self.fail(str(error) if first is None else first.message, node)


def _parameter_of(kind: str, f: Mapping[str, Json], when: Condition | None) -> Parameter:
    """The classes check what they are given."""
    name, log = cast(str, f["name"]), bool(f.get("log", False))
    default = f.get("default")
    values = cast(Sequence[str], f.get("values", ()))
    beta = cast(tuple[float, float], tuple(cast(Sequence[float], f["prior"]))) if f.get("prior") else None
    match kind:
        case "real":
            lo, hi = (float(cast(float, f[end])) for end in ("lo", "hi"))
            step = cast("float | None", f.get("step"))
            return Real(name, lo, hi, step=step, log=log, default=cast(float, default), prior=beta, when=when)
        case "integer":
            lo, hi, step = (cast(int, f[end]) for end in ("lo", "hi", "step"))
            return Integer(name, lo, hi, step=step, log=log, default=cast(int, default), prior=beta, when=when)
        case "ordinal":
            return Ordinal(
                name, cast(Sequence[int], values), log=log, default=cast(int, default), prior=beta, when=when
            )
        case "categorical":
            weights = cast(Sequence[float] | None, f.get("prior"))
            return Categorical(name, values, default=cast(Value, default), prior=weights, when=when)
    items, order = cast(Sequence[int | str], f["items"]), cast(Sequence[int | str] | None, default)
    given = len(items) if items and all(isinstance(item, int) for item in items) else cast(Sequence[str], items)
    return Permutation(
        name, given, default=order, prior=cast(Sequence[Sequence[float]] | None, f.get("prior")), when=when
    )
