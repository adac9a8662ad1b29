"""The table of operators: what each makes of its inputs, and what it costs, as formulas read from YAML.

A row of `operators/*.yaml`, or of a user's file, is

    NAME:
      inputs: [x, y?, zs...]       one, one that may be left out (it is the input before it), all that are left
      attributes: {NAME: KIND, NAME: KIND = DEFAULT}
      where: {NAME: FORMULA}       in this order, each may use those before
      requires: {FORMULA: what has to hold, in words}
      output: FORMULA              a shape, or a list of formulas for several outputs
      view: True                   the output is the input's own memory
      empty: True                  the output may have no elements
      keeps: [x, out]              what training keeps for the way back
      RESOURCE: FORMULA            those of `RESOURCES`, and what `resources` of the file adds

Formulas (formula.py) see inputs as shapes, attributes, what `where` defines, `out` (the first output's shape), `n` (its
elements) and `element_byte` (bytes of an element).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

import yaml

from tunepass.diagnostics import Source, spelling_hint
from tunepass.graphs.formula import Formula, formula
from tunepass.graphs.values import GraphError
from tunepass.yaml_nodes import Composer, NodeReader

Kind = Literal["size", "integer", "integers", "flag", "real", "reals", "word", "axes", "frames", "padding", "shape"]
"""`integer`: no parameter's choice. `axes`: one number, or one for each axis of an image; `frames`: of its frames."""

RESOURCES: Mapping[str, str] = {
    "weights": "numbers that training learns",
    "state": "numbers kept beside the weights",
    "macs": "multiply-adds of one inference",
    "flops": "floating-point operations of one inference",
    "kept_byte": "bytes kept for the way back besides inputs and outputs",
    "workspace": "elements of scratch memory while it runs",
}
ROW = ("inputs", "attributes", "where", "requires", "output", "view", "empty", "keeps")
SIZE_LIMIT, DEPTH_LIMIT = 1 << 20, 8
OUT = "out"
FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # of what ships: the same language, and 15 times as fast


@dataclass(frozen=True, slots=True)
class AttributeRule:
    """`default` None: it has to be given."""

    kind: Kind
    default: Formula | None = None


@dataclass(frozen=True, slots=True)
class InputRule:
    name: str
    optional: bool = False
    several: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """A row of the table."""

    name: str
    inputs: tuple[InputRule, ...]
    attributes: Mapping[str, AttributeRule]
    where: Mapping[str, Formula]
    requires: tuple[tuple[Formula, str], ...]
    outputs: tuple[Formula, ...]
    resources: Mapping[str, Formula]
    keeps: tuple[str, ...] = ()
    view: bool = False
    empty: bool = False


@dataclass(frozen=True, slots=True)
class OperatorTable:
    """Operators by name, and what each resource of the table is."""

    operators: Mapping[str, Operator]
    resources: Mapping[str, str] = field(default_factory=lambda: dict(RESOURCES))
    own: frozenset[str] = frozenset()  # the names of the user's operators

    def operator(self, name: str) -> Operator:
        """GraphError, with a near name, for one that is not there."""
        if name not in self.operators:
            raise GraphError(f"there is no operator {name!r}", hint=spelling_hint(name, self.operators, quote=repr))
        return self.operators[name]


@cache
def shipped() -> OperatorTable:
    """The table that tunepass comes with."""
    rows: dict[str, Operator] = {}
    folder = resources.files("tunepass.graphs").joinpath("operators")
    for file in sorted(folder.iterdir(), key=lambda f: f.name):
        if file.name.endswith(".yaml"):
            rows |= read(Source(f"operators/{file.name}", file.read_text(encoding="utf-8")), FAST).operators
    return OperatorTable(rows)


def extended(source: Source) -> OperatorTable:
    """The shipped table with a user's operators, which replace those of the same name, and resources."""
    user_table, table = read(source), shipped()
    both = {**table.operators, **user_table.operators}, {**table.resources, **user_table.resources}
    return OperatorTable(*both, frozenset(user_table.operators))


def table_of(source: Source | None) -> OperatorTable:
    """The shipped table, extended by a user's file where there is one."""
    return shipped() if source is None else extended(source)


def read(source: Source, loader: Any = yaml.SafeLoader) -> OperatorTable:
    """The operators of a file. GraphError, at the place in the file, for what is no row."""
    node = Composer("a table of operators", GraphError, SIZE_LIMIT, DEPTH_LIMIT).compose(source, loader=loader)
    return _Reader(source, GraphError).table(node) if node else OperatorTable({})


class _Reader(NodeReader[GraphError]):
    def table(self, node: yaml.Node) -> OperatorTable:
        rows = self.mapping(node, "a table of operators")
        known = dict(RESOURCES)
        if "resources" in rows:
            known |= {name: self.word(text) for name, text in self.mapping(rows.pop("resources"), "resources").items()}
        return OperatorTable({name: self.operator(name, row, known) for name, row in rows.items()}, known)

    def operator(self, name: str, node: yaml.Node, known: Mapping[str, str]) -> Operator:
        row = self.record(node, f"the operator {name}", (*ROW, *known), ("inputs", "output"))
        output = row["output"]
        outputs = self.items(output, "outputs") if isinstance(output, yaml.SequenceNode) else [output]
        where = self.mapping(row["where"], "`where`") if "where" in row else {}
        return Operator(
            name=name,
            inputs=tuple(self.input(item) for item in self.items(row["inputs"], "inputs")),
            attributes=self.attributes(row.get("attributes")),
            where={name: self.formula(text) for name, text in where.items()},
            requires=self.requires(row.get("requires")),
            outputs=tuple(self.formula(item) for item in outputs),
            resources={name: self.formula(row[name]) for name in known if name in row},
            keeps=tuple(self.word(item) for item in self.items(row["keeps"], "keeps")) if "keeps" in row else (),
            view="view" in row and self.word(row["view"]) == "True",
            empty="empty" in row and self.word(row["empty"]) == "True",
        )

    def word(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail("a word is needed here", node)
        return str(node.value)

    def formula(self, node: yaml.Node) -> Formula:
        try:
            return formula(self.word(node))
        except GraphError as error:
            raise self.fail(error.diagnostics[0].message, node, error.diagnostics[0].hint) from None

    def input(self, node: yaml.Node) -> InputRule:
        text = self.word(node)
        name = text.removesuffix("...").removesuffix("?")
        if not name.isidentifier() or name == OUT:
            raise self.fail(f"{text!r} names no input", node)
        return InputRule(name, optional=text.endswith("?"), several=text.endswith("..."))

    def attributes(self, node: yaml.Node | None) -> dict[str, AttributeRule]:
        rules = {}
        for name, rule in self.mapping(node, "attributes").items() if node else ():
            kind, equals, default = (part.strip() for part in self.word(rule).partition("="))
            if kind not in get_args(Kind):
                raise self.fail(f"{kind!r} is no kind of attribute", rule, f"known: {', '.join(get_args(Kind))}")
            rules[name] = AttributeRule(kind, _default(kind, default) if equals else None)  # type: ignore[arg-type]
        return rules

    def requires(self, node: yaml.Node | None) -> tuple[tuple[Formula, str], ...]:
        if node is None:
            return ()
        assert isinstance(node, yaml.MappingNode)
        rules = self.mapping(node, "`requires`")
        return tuple((self.formula(key), self.word(rules[key.value])) for key, _ in node.value)


def _default(kind: str, text: str) -> Formula:
    """A word stands without quotes in the table."""
    return formula(repr(text)) if kind in ("word", "padding") and text.isidentifier() else formula(text)
