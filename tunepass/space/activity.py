"""Active parameters: those without a condition, and those whose condition holds.

In columns an inactive parameter holds its default, so that each program is one row; in a Configuration it is absent. A
comparison that reads an inactive parameter is false, whether a `not` stands before it or not: a child of an inactive
parent is inactive.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

import numpy as np

from tunepass.diagnostics import SpaceError, TunepassError
from tunepass.expr import nodes, typing
from tunepass.expr.numpy_eval import evaluate_all, satisfied
from tunepass.expr.parser import parse
from tunepass.space.columns import Column, Columns, Mask, length
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter, Permutation


class Activity:
    """The conditions of some parameters; false if none has one.

    `conditions`: as they are written, by parameter. `whole`: with those of the parameters that they read. `fillers`:
    constraints that give an inactive parameter its default.

    Raises:
        SpaceError: a condition does not parse, has an unknown name, is not true or false, or reads its own parameter.
    """

    def __init__(self, parameters: Sequence[Parameter]):
        self.parameters = tuple(parameters)
        types = {p.name: p.type for p in self.parameters}
        self.conditions = {p.name: _parsed(p, types) for p in self.parameters if p.when is not None}
        self.whole: dict[str, nodes.Expr] = {}
        for name in self._parents_first():
            self.whole[name] = _whole(self.conditions[name].expression, self.whole)
        number = {e: i for i, e in enumerate(dict.fromkeys(self.whole.values()))}
        self._expressions, self._number = list(number), {name: number[e] for name, e in self.whole.items()}
        conditional = [p for p in self.parameters if p.name in self.whole]
        self._defaults: dict[str, Column] = {p.name: p.column([p.default]) for p in conditional}
        self.fillers = tuple(self._filler(p) for p in conditional)

    def __bool__(self) -> bool:
        return bool(self.whole)

    def masks(self, columns: Columns) -> dict[str, Mask]:
        """For each parameter with a condition, in which rows (n,) it is active."""
        if not self.whole:
            return {}
        evaluated = evaluate_all(self._expressions, columns, length(columns))
        met = [e.values.astype(bool) & e.defined for e in evaluated]
        return {name: met[number] for name, number in self._number.items()}

    def canonical(self, columns: Columns) -> Columns:
        """The rows with the default in place of every inactive value."""
        if not self.whole or not length(columns):
            return columns
        rows = dict(columns)
        for name, active in self.masks(columns).items():
            if not active.all():
                rows[name] = rows[name].copy()
                rows[name][~active] = self._defaults[name][0]
        return rows

    def is_canonical(self, columns: Columns) -> Mask:
        """In which rows (n,) every inactive value is the default."""
        canonical = np.ones(length(columns), dtype=bool)
        for name, active in self.masks(columns).items() if len(canonical) else ():
            same = np.equal(columns[name], self._defaults[name][0]).reshape(len(active), -1).all(axis=1)
            canonical &= active | same
        return canonical

    def of(self, names: Collection[str]) -> Activity:
        """The conditions of some of the parameters, which read no others."""
        return Activity([p for p in self.parameters if p.name in names])

    def _parents_first(self) -> list[str]:
        """The parameters with conditions, each after those that its condition reads."""
        parents = {
            name: [node.name for node in condition.names if node.name in self.conditions]
            for name, condition in self.conditions.items()
        }
        try:
            return list(TopologicalSorter(parents).static_order())
        except CycleError as error:
            circle = [str(name) for name in reversed(error.args[1])]
            first = min(circle, key=list(parents).index)
            turned = circle[circle.index(first) : -1] + circle[: circle.index(first)] + [first]
            message = f"conditions go in a circle: {' -> '.join(turned)}"
            raise SpaceError(message, self.conditions[first].span, "remove one of these conditions") from None

    @property
    def tree(self) -> list[str]:
        """All parameters, each followed by those that its condition completes: their other parents stand before."""
        waiting = {name: {n.name for n in condition.names} for name, condition in self.conditions.items()}
        children: dict[str, list[str]] = {p.name: [] for p in self.parameters}
        for name, parents in waiting.items():
            for parent in parents:
                children[parent].append(name)
        ordered: list[str] = []
        stack = [p.name for p in reversed(self.parameters) if not waiting.get(p.name)]
        while stack:
            name = stack.pop()
            ordered.append(name)
            for child in children[name]:
                waiting[child].discard(name)
            stack += [child for child in reversed(children[name]) if not waiting[child]]
        return ordered

    def _filler(self, p: Parameter) -> Constraint:
        written = self.conditions[p.name]
        needed = {name: e for name, e in self.whole.items() if name != p.name}
        condition = _whole(written.expression, needed, defaults=self._defaults)
        expression = typing.logical("or", [_is_default(p), condition])
        return Constraint(expression, f"{p.name} only when {written}", written.span)


def canonical_constraints(parameters: Sequence[Parameter], constraints: Sequence[Constraint]) -> list[Constraint]:
    """The constraints, and for each parameter with a condition that it has its default while it is inactive."""
    return [*constraints, *Activity(parameters).fillers]


def _parsed(p: Parameter, types: Mapping[str, nodes.Type]) -> Constraint:
    assert p.when is not None
    when = p.when
    try:
        expression = parse(when.text, types, source=when.source, offset=when.offset)
    except TunepassError as error:
        first = error.diagnostics[0]
        raise SpaceError(f"{p.name}: {first.message}", first.span, first.hint) from None
    if not isinstance(expression.type, nodes.BoolType):
        text = f"{p.name}: a condition is true or false, got a value of type {expression.type}: {when}"
        raise SpaceError(text, when.span or expression.span, "compare it with something")
    return Constraint(expression, when.text, when.span)


def _whole(
    e: nodes.Expr, known: Mapping[str, nodes.Expr], *, negated: bool = False, defaults: Columns | None = None
) -> nodes.Expr:
    """The condition where comparisons that read inactive parameters are false; `known`: when each is active.

    With `defaults` (1,) the condition is for rows in which inactive parameters have them: a comparison that is false at
    the default needs no condition of its parameter.
    """
    if not any(name in known for name in nodes.free_names(e)):
        return typing.unary("not", e) if negated else e
    if isinstance(e, nodes.Unary) and e.op == "not":
        return _whole(e.operand, known, negated=not negated, defaults=defaults)
    if isinstance(e, nodes.Logical):
        op = e.op if not negated else "or" if e.op == "and" else "and"
        return _joined(op, [_whole(operand, known, negated=negated, defaults=defaults) for operand in e.operands])
    names, condition = sorted(nodes.free_names(e)), typing.unary("not", e) if negated else e
    if defaults is not None and len(names) == 1 and not satisfied(condition, defaults, 1)[0]:
        return condition
    return _joined("and", [*(known[name] for name in names if name in known), condition])


def _joined(op: str, operands: Sequence[nodes.Expr]) -> nodes.Expr:
    """A conjunction or disjunction of distinct operands, without nesting of the same kind."""
    flat = dict.fromkeys(
        part
        for operand in operands
        for part in (operand.operands if isinstance(operand, nodes.Logical) and operand.op == op else (operand,))
    )
    return next(iter(flat)) if len(flat) == 1 else typing.logical(op, list(flat))


def _is_default(p: Parameter) -> nodes.Expr:
    name = nodes.Name(p.name, p.type)
    if isinstance(p, Permutation):
        at = [
            typing.compare((typing.index(name, typing.constant(i)), typing.constant(v)), ("==",))
            for i, v in enumerate(p.default)
        ]
        return at[0] if len(at) == 1 else typing.logical("and", at)
    if isinstance(p.type, nodes.BoolType):
        return name if p.default else typing.unary("not", name)
    default = str(p.default) if isinstance(p.type, nodes.CategoryType) else p.default
    assert not isinstance(default, tuple)
    return typing.compare((name, typing.constant(default)), ("==",))
