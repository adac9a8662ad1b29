"""What is left, as a formula over the parameters: a diagram node by node, or boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunepass.expr.nodes import BoolType
from tunepass.expr.smt.text import FALSE, TRUE, conjunction, disjunction, integer
from tunepass.expr.smt.writer import SmtWriter
from tunepass.pruning.box_union import Box, BoxGroup
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.feasible.layer import Nodes
from tunepass.space.parameter import Parameter


def place_values(p: Parameter) -> list[int | float]:
    """The values of a scalar parameter as formulas have them, ascending: strings by their codes."""
    return sorted(p.at(np.arange(p.size or 0)).tolist())


def box_formula(parameters: Sequence[Parameter], writer: SmtWriter, box: Box) -> list[str]:
    """That scalar parameters lie within a box of places of their ascending values; their domains are asserted."""
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


def diagram_lines(group: DiagramGroup, writer: SmtWriter) -> tuple[list[str], str]:
    """Definitions of the diagram's nodes, the last first, and the root's formula."""
    lines: list[str] = []
    behind = [TRUE]  # the formula of each node of the layer behind
    for number in reversed(range(len(group.layers))):
        layer = group.diagram.layers[number]
        texts = _value_formulas(group, number, writer)
        here: list[str] = []
        for node in range(len(layer.start) - 1):
            arcs = slice(int(layer.start[node]), int(layer.start[node + 1]))
            formula = _node(layer.value[arcs], layer.child[arcs], texts, behind)
            if formula.startswith("(") and number:
                lines.append(f"(define-fun n.{number}.{node} () Bool {formula})")
                formula = f"n.{number}.{node}"
            here.append(formula)
        behind = here
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
