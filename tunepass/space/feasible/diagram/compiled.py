"""The constraints of one group of parameters, made ready for a diagram over those whose values can be listed."""

from __future__ import annotations

from collections.abc import Sequence, Set

import numpy as np

from tunepass.expr import nodes
from tunepass.space.feasible.diagram import order
from tunepass.space.feasible.diagram.compile import DiagramBuilder, TooLarge
from tunepass.space.feasible.diagram.evaluate import Known, TermEvaluator
from tunepass.space.feasible.diagram.rows import Choices
from tunepass.space.feasible.diagram.terms import Term, Terms, conjuncts
from tunepass.space.feasible.group import DiagramGroup
from tunepass.space.parameter import Parameter


class CompiledConstraints:
    """Terms of a group's constraints; those about one parameter alone have already thinned its domain.

    `listed` are the parameters whose values are listed; the others, reals and long integers, have no domain here: those
    that are `long`, else all that have ranges.
    """

    def __init__(
        self, parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr], long: Set[str] | None = None
    ):
        self.parameters = tuple(parameters)
        self.variables = [v for p in parameters for v in p.variables()]
        self.terms = Terms(self.variables)
        constraints = dict.fromkeys(self.terms.build(part) for e in expressions for part in conjuncts(e))
        ranged = {p.name for p in parameters if p.axis() is not None} if long is None else long
        self.listed = [p for p in parameters if p.name not in ranged]
        finite = {p.name: Choices.of(p.variable_values()) for p in self.listed}
        self.domains = {i: finite[v.parameter] for i, v in enumerate(self.variables) if v.parameter in finite}
        self.joint: list[Term] = []
        for t in constraints:
            number = t.mask.bit_length() - 1
            if not t.mask and self.domains:
                self._thin(min(self.domains), t)
            elif t.mask and t.mask == 1 << number and number in self.domains and self.variables[number].position < 0:
                self._thin(number, t)
            else:
                self.joint.append(t)

    def _thin(self, number: int, t: Term) -> None:
        domain = self.domains[number]
        known: Known = {self.terms.variable(number): (domain.column, None)}
        everywhere = np.ones(len(domain.index), dtype=bool)
        met = TermEvaluator(self.terms, known, 0, 1 << number).satisfied(t, everywhere) & everywhere
        self.domains[number] = domain.take(met)

    def order(self) -> list[int]:
        """The variables in the order in which a diagram best binds them."""
        units = []
        for i, v in enumerate(self.variables):
            if i in self.domains and v.position <= 0:
                units.append(tuple(self.terms.positions[v.parameter]) if v.position == 0 else (i,))
        sizes = {i: len(self.domains[i].index) if i in self.domains else 2 for i in range(len(self.variables))}
        return order.choose(self.terms, self.joint, units, sizes)


def build_group(parameters: Sequence[Parameter], expressions: Sequence[nodes.Expr], node_limit: int) -> DiagramGroup:
    """The diagram of finite `parameters` under `expressions` over them. Raises TooLarge."""
    compiled = CompiledConstraints(parameters, expressions)
    if len(compiled.listed) < len(parameters):
        raise TooLarge
    return listed_group(compiled, node_limit)


def listed_group(compiled: CompiledConstraints, node_limit: int, order: Sequence[int] | None = None) -> DiagramGroup:
    """The diagram of the listed parameters; constraints over others only prune it. Raises TooLarge."""
    order = compiled.order() if order is None else order
    builder = DiagramBuilder(compiled.terms, compiled.joint, order, compiled.domains, node_limit)
    layers = [(v.parameter, v.position) for v in (compiled.variables[i] for i in builder.order)]
    return DiagramGroup(compiled.listed, layers, builder.build())
