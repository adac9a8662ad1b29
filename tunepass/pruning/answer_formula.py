"""The remaining configurations as a formula over the parameters: a diagram node by node, or boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.expr.nodes import BoolType
from tunepass.expr.smt.text import FALSE, TRUE, conjunction, disjunction, integer
from tunepass.expr.smt.writer import SmtWriter
from tunepass.pruning.base import Remaining, hold_without_names
from tunepass.pruning.box_union import Box, BoxGroup, BoxUnion
from tunepass.pruning.diagram import DiagramRemaining
from tunepass.space.constraint import Constraint
from tunepass.space.feasible.components import components
from tunepass.space.feasible.diagram.layer import Nodes
from tunepass.space.feasible.group import DiagramGroup, ParameterGroup
from tunepass.space.parameter import Parameter

Group = BoxGroup | ParameterGroup


@dataclass(frozen=True, slots=True)
class Answer:
    """Parameters that conditions or an answer's groups tie together, those conditions and those groups."""

    parameters: tuple[Parameter, ...]
    constraints: tuple[Constraint, ...]
    groups: tuple[Group, ...]
    possible: bool = True  # False: that nothing is left is not for these parameters to say

    @property
    def is_free(self) -> bool:
        return not any(isinstance(g, BoxGroup | DiagramGroup) for g in self.groups)

    @property
    def is_empty(self) -> bool:
        return any(not (g.count.high if isinstance(g, BoxGroup) else g.size) for g in self.groups)

    def formula(self, writer: SmtWriter) -> tuple[list[str], str]:
        """Definitions, and what is left of the parameters; those in no group are free."""
        if not self.possible:
            return [], FALSE
        lines: list[str] = []
        formulas: list[str] = []
        for number, group in enumerate(self.groups):
            if isinstance(group, DiagramGroup):
                group_lines, formula = diagram_lines(group, writer, f"g{number}.")
                lines += group_lines
            else:
                formula = union_formula(group, writer) if isinstance(group, BoxGroup) else TRUE
            formulas.append(formula)
        return lines, conjunction(*formulas)


def answer_parts(
    parameters: Sequence[Parameter], constraints: Sequence[Constraint], remaining: Remaining
) -> list[Answer]:
    """What can be proved part by part. Where nothing is left it is enough that nothing is left of one part, or of what
    depends on nothing. TypeError for an answer that is no diagram and no boxes."""
    if not isinstance(remaining, DiagramRemaining | BoxUnion):
        raise TypeError(f"an answer of {type(remaining).__name__} has no formula")
    possible = hold_without_names(constraints)
    if not possible and not remaining.count.high:
        return []
    tied = _tied(parameters, constraints, remaining.groups)
    if not possible:
        return [Answer(tuple(parameters), tuple(constraints), tuple(remaining.groups))]
    if remaining.count.high:
        return [answer for answer in tied if answer.constraints or not answer.is_free]
    empty = [answer for answer in tied if answer.is_empty]
    return empty[:1] or [Answer(tuple(parameters), tuple(constraints), (), possible=False)]


def _tied(parameters: Sequence[Parameter], constraints: Sequence[Constraint], groups: Sequence[Group]) -> list[Answer]:
    """Parts of which no condition and no group has parameters of two."""
    parts = [(set(names), set(numbers)) for names, numbers in components(parameters, constraints)]
    for group in groups:
        members = {p.name for p in group.parameters}
        met = [part for part in parts if part[0] & members]
        merged = set().union(*(names for names, _ in met)), set().union(*(numbers for _, numbers in met))
        parts = [part for part in parts if not part[0] & members] + [merged]
    return [
        Answer(
            tuple(p for p in parameters if p.name in names),
            tuple(constraints[i] for i in sorted(numbers)),
            tuple(g for g in groups if names & {p.name for p in g.parameters}),
        )
        for names, numbers in parts
    ]


def place_values(p: Parameter) -> list[int | float]:
    """The values of a scalar parameter as formulas have them, ascending: strings by their codes."""
    return sorted(p.at(np.arange(p.size or 0)).tolist())


def box_formula(parameters: Sequence[Parameter], writer: SmtWriter, box: Box) -> list[str]:
    """Formula: scalar parameters lie within a box of places of their ascending values; their domains are asserted."""
    formulas = []
    for p, (lo, hi) in zip(parameters, box):
        if (lo, hi) == (0, (p.size or 0) - 1) and lo < hi:
            continue
        values, symbol = place_values(p), writer.symbols[p.name]
        if isinstance(p.type, BoolType):
            formulas.append(symbol if values[lo] else f"(not {symbol})")
        else:
            first, last = (writer.literal(p.name, values[at]) for at in (lo, hi))
            formulas.append(f"(= {symbol} {first})" if lo == hi else f"(<= {first} {symbol} {last})")
    return formulas


def union_formula(group: BoxGroup, writer: SmtWriter) -> str:
    boxes = (conjunction(*box_formula(group.parameters, writer, box)) for box in group.inside)
    return disjunction(*boxes)


def diagram_lines(group: DiagramGroup, writer: SmtWriter, prefix: str = "") -> tuple[list[str], str]:
    """Definitions of the diagram's nodes, whose names begin with `prefix`, the last first, and the root's formula."""
    lines: list[str] = []
    behind = [TRUE]  # the formula of each node of the layer behind
    for number in reversed(range(len(group.layers))):
        layer = group.diagram.layers[number]
        texts = _value_formulas(group, number, writer)
        terms: list[str] = []
        for node in range(len(layer.start) - 1):
            arcs = slice(int(layer.start[node]), int(layer.start[node + 1]))
            formula = _node(layer.value[arcs], layer.child[arcs], texts, behind)
            if formula.startswith("(") and number:
                name = f"{prefix}n.{number}.{node}"
                lines.append(f"(define-fun {name} () Bool {formula})")
                formula = name
            terms.append(formula)
        behind = terms
    return lines, behind[0] if behind else FALSE


def _node(values: Nodes, children: Nodes, texts: Sequence[str], behind: Sequence[str]) -> str:
    """The values that lead to each node behind, and that node."""
    parts = []
    for child in np.unique(children).tolist():
        chosen = values[children == child].tolist()
        some = TRUE if len(chosen) == len(texts) else disjunction(*(texts[v] for v in chosen))
        parts.append(conjunction(some, behind[child]))
    return disjunction(*parts)


def _value_formulas(group: DiagramGroup, number: int, writer: SmtWriter) -> list[str]:
    """By its code, that the variable of a layer has a value."""
    name, position = group.layers[number]
    if position >= 0:
        symbol = writer.positions(name)[position]
        return [f"(= {symbol} {integer(code)})" for code in range(len(writer.positions(name)))]
    p = next(p for p in group.parameters if p.name == name)
    values, symbol = p.at(np.arange(p.size or 0)).tolist(), writer.symbols[name]
    if isinstance(p.type, BoolType):
        return [symbol if value else f"(not {symbol})" for value in values]
    return [f"(= {symbol} {writer.literal(name, value)})" for value in values]
