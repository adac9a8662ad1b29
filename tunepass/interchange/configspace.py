"""ConfigSpace's JSON (format 0.4) as the comments that tunepass reads in a model's source.

Its conditions become `when(...)`, its forbidden clauses constraints. A clause that names an inactive parameter forbids
nothing, so that the parameter's condition stands before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import yaml

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.printer import literal
from tunepass.interchange.conditions import Json
from tunepass.interchange.json_nodes import JsonReader

SIZE_LIMIT, DEPTH_LIMIT = 1 << 20, 64
HINT = 'a space is {"hyperparameters": [...], "conditions": [...], "forbiddens": [...]}'
COMPARISONS = {"EQ": "==", "NEQ": "!=", "LT": "<", "GT": ">"}
RELATIONS = {"RELATION_EQ": "==", "RELATION_LT": "<", "RELATION_GT": ">"}
FIELDS = {
    "uniform_float": ("lower", "upper"),
    "uniform_int": ("lower", "upper"),
    "categorical": ("choices",),
    "ordinal": ("sequence",),
    "constant": ("value",),
}


def is_configspace(source: Source) -> bool:
    """Does a JSON file look like a ConfigSpace?"""
    try:
        top = json.loads(source.text)
    except (ValueError, RecursionError):
        return False
    return isinstance(top, dict) and isinstance(top.get("hyperparameters"), list)


def read_configspace(source: Source) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts of `param` and of `constraint` comments. SourceError, with the place, for what has no such text."""
    reader = _Reader(source, HINT)
    top = reader.mapping(reader.composed("a space", SIZE_LIMIT, DEPTH_LIMIT), "a space")
    params = dict(map(reader.param, reader.items(top["hyperparameters"], "`hyperparameters`")))
    if not params:
        raise SourceError(f"{source.name} has no parameters", hint=HINT)
    reader.known = tuple(params)
    conditions: dict[str, str] = {}
    for node in reader.listed(top, "conditions"):
        child = reader.parameter_of(node, "child")
        known = conditions.get(child)
        conditions[child] = f"({known}) and ({reader.condition(node)})" if known else reader.condition(node)
    lines = [f"{text} when({conditions[name]})" if name in conditions else text for name, text in params.items()]
    constraints = [reader.forbidden(node, conditions) for node in reader.listed(top, "forbiddens")]
    return tuple(lines), tuple(constraints)


class _Reader(JsonReader):
    known: tuple[str, ...] = ()  # names of the hyperparameters, once those are read

    def __init__(self, source: Source, hint: str):
        super().__init__(source, SourceError, hint)
        self._sequences: dict[str, list[str]] = {}  # of ordinals whose order is not that of numbers

    def parameter_of(self, node: yaml.Node, field: str) -> str:
        """The name in that field, of a hyperparameter."""
        name = self.field(node, field)
        if name not in self.known:
            place = self.mapping(node, "an object")[field]
            raise self.fail(f"`{field}` is no hyperparameter: {name}", place, f"known names: {', '.join(self.known)}")
        return str(name)

    def listed(self, top: Mapping[str, yaml.Node], name: str) -> list[yaml.Node]:
        return list(self.items(top[name], f"`{name}`")) if name in top else []

    def field(self, node: yaml.Node, name: str) -> Json:
        fields = self.mapping(node, "an object")
        if name not in fields:
            raise self.fail(f"this has no `{name}`", node)
        return self.value(fields[name])

    def literal(self, node: yaml.Node, name: str) -> str:
        return self.written(self.field(node, name), node)

    def written(self, value: Json, node: yaml.Node) -> str:
        """A value as the language of constraints has it."""
        if not isinstance(value, bool | int | float | str):
            raise self.fail("a value is a number, a text or a truth value", node)
        return str(value).lower() if isinstance(value, bool) else literal(value)

    def values(self, node: yaml.Node, name: str) -> list[str]:
        values = self.field(node, name)
        if not isinstance(values, list) or not values:
            raise self.fail(f"`{name}` is a list of values", node)
        return [self.written(value, node) for value in values]

    def param(self, node: yaml.Node) -> tuple[str, str]:
        name, kind = str(self.field(node, "name")), str(self.field(node, "type"))
        if not name.isidentifier():
            raise self.fail(f"{name!r} is no name of a parameter", node, "rename it: letters, digits and _")
        if kind not in FIELDS:
            raise self.fail(f"hyperparameters of type `{kind}` are not read", node, f"those are: {', '.join(FIELDS)}")
        fields = self.mapping(node, "a hyperparameter")
        default = f" = {self.literal(node, 'default_value')}" if "default_value" in fields else ""
        if kind.startswith("uniform"):
            lower, upper = (self.literal(node, end) for end in FIELDS[kind])
            log = " log" if fields.get("log") is not None and self.field(node, "log") is True else ""
            return name, f"{name}: {'real' if kind == 'uniform_float' else 'integer'}({lower}..{upper}){default}{log}"
        values = self.values(node, FIELDS[kind][0]) if kind != "constant" else [self.literal(node, "value")]
        numeric = kind != "categorical" and not any(v[0] == '"' or v in ("true", "false") for v in values)
        if kind == "ordinal" and not (numeric and values == sorted(values, key=float)):
            self._sequences[name] = values
        return name, f"{name}: {'ordinal' if numeric else 'categorical'}({', '.join(values)}){default}"

    def condition(self, node: yaml.Node) -> str:
        kind = self.field(node, "type")
        if kind in ("AND", "OR"):
            parts = self.listed(self.mapping(node, "a condition"), "conditions")
            if not parts:
                raise self.fail(f"a condition of type `{kind}` has conditions", node)
            return f" {str(kind).lower()} ".join(f"({self.condition(part)})" for part in parts)
        parent = self.parameter_of(node, "parent")
        if kind == "IN":
            return f"{parent} in {{{', '.join(self.values(node, 'values'))}}}"
        if kind not in COMPARISONS:
            raise self.fail(f"there is no condition of type `{kind}`", node)
        if kind in ("LT", "GT") and parent in self._sequences:
            return self._sequence_condition(parent, str(kind), node)
        return f"{parent} {COMPARISONS[str(kind)]} {self.literal(node, 'value')}"

    def _sequence_condition(self, parent: str, kind: str, node: yaml.Node) -> str:
        """The condition on an ordinal of values before or after another one in its sequence."""
        sequence, value = self._sequences[parent], self.literal(node, "value")
        if value not in sequence:
            place = self.mapping(node, "an object")["value"]
            raise self.fail(f"{value} is no value of {parent}", place, f"those are: {', '.join(sequence)}")
        at = sequence.index(value)
        values = sequence[:at] if kind == "LT" else sequence[at + 1 :]
        if not values:  # as after the last one: it never holds
            return f"not ({parent} in {{{', '.join(sequence)}}})"
        return f"{parent} in {{{', '.join(values)}}}"

    def forbidden(self, node: yaml.Node, conditions: Mapping[str, str]) -> str:
        names, clauses = self.clauses(node)
        guards = dict.fromkeys(guard for name in sorted(names) for guard in self.guards(name, conditions, node))
        return f"not ({' and '.join([*guards, *clauses])})"

    def clauses(self, node: yaml.Node) -> tuple[set[str], list[str]]:
        """The names that a forbidden clause reads, and its conjuncts."""
        kind = str(self.field(node, "type"))
        if kind == "AND":
            parts = [self.clauses(part) for part in self.listed(self.mapping(node, "a clause"), "clauses")]
            if not parts:
                raise self.fail("a clause of type `AND` has clauses", node)
            return set[str]().union(*(names for names, _ in parts)), [text for _, texts in parts for text in texts]
        if kind in RELATIONS:
            left, right = (self.parameter_of(node, side) for side in ("left", "right"))
            return {left, right}, [f"{left} {RELATIONS[kind]} {right}"]
        name = self.parameter_of(node, "name")
        if kind == "IN":
            return {name}, [f"{name} in {{{', '.join(self.values(node, 'values'))}}}"]
        if kind != "EQUALS":
            raise self.fail(f"there is no forbidden clause of type `{kind}`", node)
        return {name}, [f"{name} == {self.literal(node, 'value')}"]

    def guards(
        self, name: str, conditions: Mapping[str, str], node: yaml.Node, path: tuple[str, ...] = ()
    ) -> list[str]:
        """Conditions that hold where the parameter is active, those of the parameters that they read first."""
        if name not in conditions:
            return []
        if name in path:
            raise self.fail(f"conditions go in a circle: {' -> '.join((*path, name))}", node)
        parents = sorted(words(conditions[name]) & conditions.keys())
        inherited = [guard for parent in parents for guard in self.guards(parent, conditions, node, (*path, name))]
        return [*inherited, f"({conditions[name]})"]


def words(text: str) -> set[str]:
    """The words of a condition's text, a parameter's name among them."""
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
