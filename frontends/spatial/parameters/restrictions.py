"""The eight restrictions of Spatial's design space exploration, as constraints (spatial-lang, dse/HeuristicAnalyzer).

1-2  counter (0, parameter e, 1) par p:      p <= e and p divides e
3-4  counter with a bounded end, step s:     q = ceildiv(end - start, s); p < q and p divides q
5    counter bounded in all but its par:     p divides the trip count
6-7  counter (0, parameter e, parameter s):  s <= e and s divides e
8    a parameter step s over a bounded range l: s <= l and s divides l
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr, Name, free_names
from tunepass.expr.numpy_eval import satisfied
from tunepass.expr.printer import to_text
from tunepass.frontends.spatial.parameters.declared import DOMAIN_LIMIT
from tunepass.ir.hardware import Counter, Program
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter


def restrictions(program: Program, assumed: Callable[[Expr], bool]) -> tuple[Constraint, ...]:
    """The constraints, each once, in the order of the counters. What depends on a size that is assumed has none."""
    by_text: dict[str, Constraint] = {}
    for counter in _counters(program):
        if any(e is not None and assumed(e) for e in (counter.start, counter.stop, counter.step, counter.par)):
            continue
        for expression in _of_counter(counter):
            text = to_text(expression)
            by_text.setdefault(text, Constraint(expression, text, counter.span, derived=True))
    return tuple(by_text.values())


def impossible(constraints: Sequence[Constraint], made: Sequence[Parameter]) -> tuple[Constraint, ...]:
    """The constraints of one parameter that none of its values keeps: no restriction of a program that can be built."""
    by_name = {parameter.name: parameter for parameter in made}
    return tuple(c for c in constraints if (names := free_names(c.expression)) and _none_keeps(c, names, by_name))


def _none_keeps(constraint: Constraint, names: frozenset[str], by_name: Mapping[str, Parameter]) -> bool:
    parameter = by_name.get(next(iter(names))) if len(names) == 1 else None
    if parameter is None or not 0 < (parameter.size or 0) <= DOMAIN_LIMIT:
        return False
    columns = {parameter.name: parameter.column(parameter.domain)}
    return not satisfied(constraint.expression, columns, len(parameter.domain)).any()


def _counters(program: Program) -> Iterator[Counter]:
    """The counters of loops and of block reductions; a transfer's are not restricted, as in Spatial."""
    for controller in program.accel.walk():
        yield from controller.counters
        yield from controller.reduce_counters


def _of_counter(counter: Counter) -> Iterator[Expr]:
    if counter.stop is None:
        return
    start, stop, step, par = counter.start, counter.stop, counter.step, counter.par
    from_zero, bounded = algebra.number(start) == 0, algebra.number(stop) is not None
    if isinstance(par, Name):
        if from_zero and isinstance(stop, Name) and algebra.number(step) == 1:  # 1-2
            yield algebra.compare(par, "<=", stop)
            yield _divides(par, stop)
        elif bounded and algebra.number(start) is not None and isinstance(step, Name):  # 3-4
            trips = algebra.ceildiv(algebra.sub(stop, start), step)
            yield algebra.compare(par, "<", trips)
            yield _divides(par, trips)
        elif bounded and algebra.number(start) is not None and algebra.number(step) is not None:  # 5
            yield _divides(par, algebra.ceildiv(algebra.sub(stop, start), step))
    if isinstance(step, Name):
        if from_zero and isinstance(stop, Name):  # 6-7
            yield algebra.compare(step, "<=", stop)
            yield _divides(step, stop)
        elif bounded and algebra.number(start) is not None:  # 8
            extent = algebra.sub(stop, start)
            yield algebra.compare(step, "<=", extent)
            yield _divides(step, extent)


def _divides(part: Expr, whole: Expr) -> Expr:
    return algebra.compare(algebra.mod(whole, part), "==", 0)
