"""Constraints that a pragma with listed loops implies: orders of loops over tiles that make sense, and few copies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tunepass.diagnostics import SourceError, Span, nearest
from tunepass.expr.nodes import OrderType
from tunepass.frontends.c.pragmas.nest import Directive, Named, NestPragma
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter

COPIES_LIMIT = 256  # of the body: beyond it only the compiler's patience is measured
UNROLLING = ("unroll", "unroll_and_jam", "jam")


def copies_constraints(pragma: NestPragma, parameters: Mapping[str, Parameter]) -> Iterator[Constraint]:
    """Where the unroll factors together could copy the body more than COPIES_LIMIT times: that they do not."""
    factors = [d for d in pragma.directives if d.word in UNROLLING]
    if math.prod(max(1, _largest(d, parameters)) for d in factors) > COPIES_LIMIT:
        named = {d.setting: parameters[d.setting] for d in factors if isinstance(d.setting, str)}
        text = f"{' * '.join(f'max(1, {d.setting})' for d in factors)} <= {COPIES_LIMIT}"
        yield Constraint(Constraint.parse(text, tuple(named.values())).expression, text, factors[0].place, derived=True)


def _largest(directive: Directive, parameters: Mapping[str, Parameter]) -> int:
    setting = directive.setting
    return int(parameters[setting].ends()[1]) if isinstance(setting, str) else int(setting)


def order_constraints(pragma: NestPragma, parameters: Mapping[str, Parameter]) -> Iterator[Constraint]:
    """Loops over tiles stand outside those over their points, where the order is of both."""
    if not pragma.order:
        return
    tiled = [d.first.name for d in pragma.directives if d.word == "tile"]
    first, loops = pragma.order[0], [named.name for named in pragma.listed]
    parameter = parameters.get(first.name) if len(pragma.order) == 1 and first.name not in loops else None
    if parameter is None:
        items = [named.name for named in pragma.order]
        _check_items(items, loops, tiled, pragma.order)
        _check_fixed(items, tiled, pragma.order)
        return
    assert isinstance(parameter.type, OrderType)
    if _check_items([str(item) for item in parameter.type.items], loops, tiled, pragma.order):
        for loop in tiled:
            text = f"pos({parameter.name}, {loop}_tile) < pos({parameter.name}, {loop})"
            yield _implied(text, parameter, first.span)


def _implied(text: str, parameter: Parameter, span: Span) -> Constraint:
    return Constraint(Constraint.parse(text, (parameter,)).expression, text, span, derived=True)


def _check_items(items: Sequence[str], loops: Sequence[str], tiled: Sequence[str], names: Sequence[Named]) -> bool:
    """The loops alone (False), or the loops and all their tile loops (True); anything else is an error."""
    both = [*loops, *(f"{loop}_tile" for loop in tiled)]
    if sorted(items) == sorted(loops):
        return False
    if sorted(items) == sorted(both):
        return True
    for named in names if len(names) > 1 else ():
        if named.name not in both:
            close = nearest(named.name, both)
            hint = f"did you mean `{close}`?" if close else f"the loops are {', '.join(both)}"
            raise SourceError(f"`{named.name}` is not one of the loops", named.span, hint)
    expected = f"{', '.join(loops)}" + (f", or {', '.join(both)}" if both != loops else "")
    raise SourceError(f"the order is of {', '.join(items)}; the loops are {expected}", names[0].span)


def _check_fixed(items: Sequence[str], tiled: Sequence[str], names: Sequence[Named]) -> None:
    for loop in tiled:
        tile = f"{loop}_tile"
        if tile in items and items.index(tile) > items.index(loop):
            reason = f"the loop over the tiles of `{loop}` stands inside `{loop}`"
            raise SourceError(reason, names[items.index(tile)].span, f"put `{tile}` before `{loop}`")
