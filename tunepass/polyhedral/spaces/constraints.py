"""What directives may ask for, as constraints of their parameters: an order, a tile or copies that break a dependence
are never suggested. The rules are those of chains.py; what depends on parameters of fuse, distribute, reverse and skew
is left to `is_legal`, which every candidate has to pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tunepass.diagnostics import SourceError, Span
from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import ANY, SHAPES, Factor, Pair, ScopDirectives
from tunepass.polyhedral.schedules.apply import is_legal
from tunepass.polyhedral.schedules.plan import Plan, plan_of
from tunepass.polyhedral.spaces.chains import Chain, chains_under
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Parameter
from tunepass.space.parameters.permutation import Permutation

HINT = "leave this to the search with a parameter, or say `assume(independent)` where accesses cannot be seen through"


def known_constraints(
    scop: Scop, directives: ScopDirectives, parameters: Mapping[str, Parameter], span: Span
) -> tuple[Constraint, ...]:
    """The constraints; SourceError at `span` where what the directives fix is illegal whatever the parameters are."""
    fixed = _fixed(directives)
    if not is_legal(scop, plan_of(fixed, {}), independent=directives.independent):
        raise SourceError("these directives would change what the nest computes", span, HINT)
    structure = [
        *(factor.setting for factor in (*directives.distribute, *directives.reverse)),
        *(pair.setting for pair in (*directives.fuse, *directives.skew)),
    ]
    if directives.shape not in SHAPES or any(isinstance(setting, str) for setting in structure):
        return ()
    start = replace(plan_of(fixed, {}), order=(), tile=(), unroll=(), jam=(), vectorize=(), parallel=())
    texts = dict.fromkeys(_conditions(scop, start, directives, parameters))
    return tuple(
        Constraint(Constraint.parse(t, tuple(parameters.values())).expression, t, span, derived=True) for t in texts
    )


def _fixed(directives: ScopDirectives) -> ScopDirectives:
    """What stays of them where every parameter leaves its loop as it is."""
    return replace(
        directives,
        shape=directives.shape if directives.shape in SHAPES else "source",
        order=(),
        distribute=_numbers(directives.distribute),
        fuse=_pairs(directives.fuse),
        reverse=_numbers(directives.reverse),
        skew=_pairs(directives.skew),
        tile=_numbers(directives.tile),
        unroll=_numbers(directives.unroll),
        unroll_and_jam=_numbers(directives.unroll_and_jam),
        peel=_numbers(directives.peel),
        vectorize=_numbers(directives.vectorize),
        parallel=_numbers(directives.parallel),
        pack=(),  # what fits depends on tiles
        prefetch=_numbers(directives.prefetch),
    )


def _numbers(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
    return tuple(factor for factor in factors if not isinstance(factor.setting, str))


def _pairs(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    return tuple(pair for pair in pairs if not isinstance(pair.setting, str))


def _conditions(
    scop: Scop, start: Plan, directives: ScopDirectives, parameters: Mapping[str, Parameter]
) -> Iterator[str]:
    for chain in chains_under(scop, start, independent=directives.independent):
        yield from _of_order(chain, directives, parameters)
        tiled = [f for f in directives.tile if f.index in chain.loops and chain.crosses_back(f.index)]
        jammed = [f for f in directives.unroll_and_jam if f.index in chain.loops and f.index not in chain.jams]
        yield from (f"{f.setting} <= 1" for f in (*tiled, *jammed) if isinstance(f.setting, str))
        yield from _apart(chain, directives.unroll_and_jam)
    if directives.order:
        return  # which loops may run at once depends on it
    for factor in directives.parallel:
        marked = replace(start, parallel=(factor.index,))
        legal = is_legal(scop, marked, independent=directives.independent)
        if factor.index != ANY and isinstance(factor.setting, str) and not legal:
            yield f"not {factor.setting}" if _is_flag(parameters[factor.setting]) else f"{factor.setting} == 0"


def _apart(chain: Chain, jams: tuple[Factor, ...]) -> Iterator[str]:
    """Of loops that may not be copied together, one is not."""
    settings = {factor.index: factor.setting for factor in jams if factor.setting not in (0, 1)}
    for loops in chain.apart:
        named = [settings[loop] for loop in sorted(loops) if loop in settings]
        if len(named) == len(loops):
            yield " or ".join(f"{setting} <= 1" for setting in named if isinstance(setting, str))


def _is_flag(parameter: Parameter) -> bool:
    return isinstance(parameter.default, bool)


def _of_order(chain: Chain, directives: ScopDirectives, parameters: Mapping[str, Parameter]) -> Iterator[str]:
    """Before each loop that a dependence goes back in stands one in which it goes forward."""
    named = next((p for name in directives.order if _orders(p := parameters.get(name), chain)), None)
    if named is None:
        return
    for signs in sorted(chain.signs):
        ahead = [loop for loop, sign in zip(chain.loops, signs) if sign > 0]
        for loop in (loop for loop, sign in zip(chain.loops, signs) if sign < 0):
            yield " or ".join(f"pos({named.name}, {a}) < pos({named.name}, {loop})" for a in ahead)


def _orders(parameter: Parameter | None, chain: Chain) -> bool:
    return isinstance(parameter, Permutation) and set(chain.loops) <= {str(item) for item in parameter.items}
