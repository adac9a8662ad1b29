"""Loop directives against the parameters they name: kinds, ranges, and the orders that make sense."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tunepass.diagnostics import SourceError, Span, nearest
from tunepass.expr.nodes import BoolType, IntegerType, OrderType
from tunepass.frontends.c.pragmas.loop import FactorText, LoopPragma, Named
from tunepass.ir.loops import Nest
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

FACTOR_LIMIT = 1 << 20
COPIES_LIMIT = 256  # of the body: beyond it only the compiler's patience is measured


def check_directives(
    pragma: LoopPragma, nest: Nest, parameters: Mapping[str, Parameter], flags: frozenset[str]
) -> tuple[Constraint, ...]:
    """Raises SourceError for a clause that its parameter does not fit; returns the order constraints it implies."""
    for factors in pragma.factors.values():
        for factor in factors:
            if isinstance(factor.setting, str):
                parameter = _parameter(factor.setting, factor.span, parameters, flags)
                _check_factor(factor, parameter)
            elif factor.setting > FACTOR_LIMIT:
                raise SourceError(f"a factor is 0 to {FACTOR_LIMIT}, got {factor.setting}", factor.span)
    return (*_few_copies(pragma, parameters), *_check_order(pragma, nest, parameters, flags))


def _few_copies(pragma: LoopPragma, parameters: Mapping[str, Parameter]) -> tuple[Constraint, ...]:
    """Where the unroll factors together could copy the body more than COPIES_LIMIT times: that they do not."""
    factors = [*pragma.factors.get("unroll", ()), *pragma.factors.get("unroll_and_jam", ())]
    most = math.prod(max(1, _largest(f, parameters)) for f in factors)
    if most <= COPIES_LIMIT:
        return ()
    named = {str(f.setting): parameters[f.setting] for f in factors if isinstance(f.setting, str)}
    text = f"{' * '.join(f'max(1, {f.setting})' for f in factors)} <= {COPIES_LIMIT}"
    return (Constraint(Constraint.parse(text, tuple(named.values())).expression, text, factors[0].span),)


def _largest(factor: FactorText, parameters: Mapping[str, Parameter]) -> int:
    if not isinstance(factor.setting, str):
        return int(factor.setting)
    return int(parameters[factor.setting].ends()[1])


def _check_order(
    pragma: LoopPragma, nest: Nest, parameters: Mapping[str, Parameter], flags: frozenset[str]
) -> tuple[Constraint, ...]:
    if not pragma.order:
        return ()
    order = nest.directives.order
    if isinstance(order, tuple):
        _check_items(order, nest, pragma.order, pragma.order[0].span)
        _check_fixed(order, nest, pragma.order)
        return ()
    named = pragma.order[0]
    parameter = _parameter(order, named.span, parameters, flags)
    if not isinstance(parameter.type, OrderType):
        raise SourceError(f"`order` needs a permutation; `{order}` is {parameter}", named.span)
    items = tuple(str(item) for item in parameter.type.items)
    if not _check_items(items, nest, pragma.order, named.span):
        return ()
    texts = [f"pos({order}, {f.index}_tile) < pos({order}, {f.index})" for f in nest.directives.tile]
    return tuple(_implied(text, parameter, named.span) for text in texts)


def _implied(text: str, parameter: Parameter, span: Span) -> Constraint:
    parsed = Constraint.parse(text, (parameter,))
    return Constraint(parsed.expression, text, span)


def _parameter(name: str, span: Span, parameters: Mapping[str, Parameter], flags: frozenset[str]) -> Parameter:
    parameter = parameters.get(name)
    if parameter is None:
        close = nearest(name, parameters)
        hint = f"did you mean `{close}`?" if close else "a clause names a parameter of the same kernel, or a number"
        raise SourceError(f"unknown parameter `{name}`", span, hint)
    if name in flags:
        raise SourceError(f"`{name}` is a compiler flag, not a number for a loop", span)
    return parameter


def _check_factor(factor: FactorText, parameter: Parameter) -> None:
    if not isinstance(parameter.type, (IntegerType, BoolType)):
        raise SourceError(f"a factor is a whole number; `{parameter.name}` is {parameter}", factor.span)
    least, largest = parameter.ends()
    if not 0 <= least <= largest <= FACTOR_LIMIT:
        raise SourceError(f"a factor is 0 to {FACTOR_LIMIT}; `{parameter.name}` is {parameter}", factor.span)


def _check_items(items: tuple[str, ...], nest: Nest, names: tuple[Named, ...], span: Span) -> bool:
    """The loops alone (False), or the loops and all their tile loops (True); anything else is an error."""
    loops = [loop.index for loop in nest.loops]
    both = loops + [f"{f.index}_tile" for f in nest.directives.tile]
    if sorted(items) == sorted(loops):
        return False
    if sorted(items) == sorted(both):
        return True
    for named in names:
        close = nearest(named.name, both)
        if len(names) > 1 and named.name not in both:
            hint = f"did you mean `{close}`?" if close else f"the loops are {', '.join(both)}"
            raise SourceError(f"`{named.name}` is not one of the loops", named.span, hint)
    expected = f"{', '.join(loops)}" + (f", or {', '.join(both)}" if both != loops else "")
    raise SourceError(f"the order is of {', '.join(items)}; the loops are {expected}", span)


def _check_fixed(order: tuple[str, ...], nest: Nest, names: tuple[Named, ...]) -> None:
    for factor in nest.directives.tile:
        tile = f"{factor.index}_tile"
        if tile in order and order.index(tile) > order.index(factor.index):
            raise SourceError(
                f"the loop over the tiles of `{factor.index}` stands inside `{factor.index}`",
                names[order.index(tile)].span,
                f"put `{tile}` before `{factor.index}`",
            )


def check_apart(pragmas: Sequence[LoopPragma], nests: Sequence[Nest]) -> None:
    """Two nests that are rewritten do not overlap."""
    for pragma, nest in zip(pragmas, nests):
        for other in nests:
            if other is not nest and other.span.start <= nest.span.start < other.span.end:
                raise SourceError(
                    "this nest is part of another that is rewritten", pragma.span, f"the other is at {other.span}"
                )
