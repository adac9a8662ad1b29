"""What is made of a graph once its operators are applied: whose the weights are, and what has to hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from tunepass.expr import algebra
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import Expr, free_names
from tunepass.expr.numpy_eval import satisfied
from tunepass.graphs.inference import ModelCondition
from tunepass.ir.graph import GraphNode
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Real

FEW = 2000  # configurations that are tried one by one


def owning(nodes: Sequence[GraphNode], inputs: Sequence[str] = ()) -> tuple[GraphNode, ...]:
    """Weights that are used again belong to a node that is there: to the first that uses them, where the outputs do not
    need the one that they were first used by. Inputs may be weights too: those belong to nobody."""
    owners = {name: name for name in (*(node.name for node in nodes), *inputs)}
    kept = []
    for node in nodes:
        if node.weights_of is not None:
            owner = owners.setdefault(node.weights_of, node.name)
            if owner == node.name:
                node = replace(node, weights_of=None, unless=None)
            elif owner != node.weights_of:
                node = replace(node, weights_of=owner, unless=None)
        kept.append(node)
    return tuple(kept)


def open_conditions(conditions: Sequence[ModelCondition], parameters: Sequence[Parameter]) -> list[ModelCondition]:
    """Those that do not hold whatever the parameters are, as far as their ranges tell, or the few values that one is
    about."""
    unique = list({id(condition.holds): condition for condition in conditions}.values())
    if not unique:
        return []
    ranges = {p.name: ends(p) for p in parameters}
    lo, hi = ({name: np.array([end[k]]) for name, end in ranges.items()} for k in (0, 1))
    bounds = IntervalExtension([condition.holds for condition in unique]).bounds(lo, hi, 1)
    unproven = (condition for condition, bound in zip(unique, bounds) if not bool(bound.always[0]))
    return [condition for condition in unproven if not _always(condition.holds, parameters)]


def _always(holds: Expr, parameters: Sequence[Parameter]) -> bool:
    names = free_names(holds)
    about = [p for p in parameters if p.name in names and not isinstance(p, Real)]
    if len(about) < len(names) or math.prod(p.size or 0 for p in about) > FEW:
        return False
    rows = list(product(*(p.domain for p in about)))
    columns = {p.name: p.column([row[k] for row in rows]) for k, p in enumerate(about)}
    return bool(satisfied(holds, columns, len(rows)).all())


def words(parameter: Parameter) -> tuple[str, ...]:
    """Its values, if they are words."""
    if not isinstance(parameter, (Categorical, Ordinal)):  # others may have more values than can be listed
        return ()
    return tuple(value for value in parameter.domain if isinstance(value, str))


def ends(parameter: Parameter) -> tuple[float, float]:
    """The least and the largest value; of words their places."""
    if isinstance(parameter, (Real, Integer)):
        return parameter.lo, parameter.hi
    if isinstance(parameter, (Categorical, Ordinal)):
        numbers = [value for value in parameter.domain if isinstance(value, (int, float))]
        if len(numbers) == parameter.size:
            return min(numbers), max(numbers)
    return 0, (parameter.size or 1) - 1


def whole_number(value: float) -> Expr:
    return algebra.lift(int(value) if value == int(value) else value)
