"""What a parameter does in the program, and what follows: `param(d)`'s domain, the prior when none is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from enum import Enum

from tunepass.expr.nodes import Expr, Name
from tunepass.frontends.spatial.parameters.declared import MAX_TILE, Declared, range_domain
from tunepass.frontends.spatial.parameters.toggles import Toggle
from tunepass.ir.hardware import Controller, Program, Schedule, Transfer
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter


class ParameterRole(str, Enum):
    TILE = "tile"  # a counter's step or a memory's size
    INNER_PAR = "inner par"
    OUTER_PAR = "outer par"
    OTHER = "other"


# HyperMapper 2.0, §IV-E: tile sizes decay. Parallelism follows the declarations of its authors' benchmarks.
PRIOR_OF = {
    ParameterRole.TILE: "decay",
    ParameterRole.INNER_PAR: "exponential",
    ParameterRole.OUTER_PAR: "decay",
    ParameterRole.OTHER: "uniform",
}
# spatial-lang, ParameterAnalyzer: the ranges of `param(d)`.
TILE_STEP, MAX_PAR, MAX_OUTER_PAR = 96, 192, 15


def roles(program: Program) -> dict[str, set[ParameterRole]]:
    """Every parameter's roles."""
    roles_of: dict[str, set[ParameterRole]] = defaultdict(set)

    def note(e: Expr | None, role: ParameterRole) -> None:
        if isinstance(e, Name):
            roles_of[e.name].add(role)

    for controller in program.accel.walk():
        inner = controller.schedule is Schedule.INNER
        for counter in controller.counters:
            note(counter.step, ParameterRole.TILE)
            note(counter.par, ParameterRole.INNER_PAR if inner else ParameterRole.OUTER_PAR)
        for counter in controller.reduce_counters:
            note(counter.par, ParameterRole.INNER_PAR)
    for transfer in program.accel.transfers():
        note(transfer.par, ParameterRole.INNER_PAR)
    for memory in program.all_memories():
        for dim in memory.dims:
            note(dim, ParameterRole.TILE)
    return roles_of


def parameters(declared: list[Declared], toggles: Sequence[Toggle], program: Program) -> tuple[Parameter, ...]:
    """The space's parameters: the declared ones in the source's order, then the toggles."""
    roles_played = roles(program)
    made = [_parameter(d, roles_played.get(d.name, {ParameterRole.OTHER}), program) for d in declared]
    return (*made, *(Categorical(t.name, (False, True), default=t.on, span=t.head) for t in toggles))


def _parameter(declared: Declared, roles_played: set[ParameterRole], program: Program) -> Parameter:
    role = next(
        (r for r in (ParameterRole.TILE, ParameterRole.OUTER_PAR, ParameterRole.INNER_PAR) if r in roles_played),
        ParameterRole.OTHER,
    )
    domain = declared.domain or _with(declared.default, _automatic(declared, role, program))
    prior = declared.prior or PRIOR_OF[role]
    default = _closest(domain, declared.default)
    if (steps := _as_range(domain)) is not None:
        lo, hi = steps[0], steps[-1]
        return Integer(declared.name, lo, hi, step=steps.step, default=default, prior=prior, span=declared.span)
    return Ordinal(declared.name, tuple(sorted(domain)), default=default, prior=prior, span=declared.span)


def _as_range(domain: Sequence[int]) -> range | None:
    """The range whose values these are, if they are one's."""
    if isinstance(domain, range):
        return domain
    step = max(1, domain[1] - domain[0]) if len(domain) > 1 else 1
    even = all(value == domain[0] + i * step for i, value in enumerate(domain))
    return range(domain[0], domain[-1] + 1, step) if even else None


def _with(value: int, domain: Sequence[int]) -> Sequence[int]:
    """`domain`, and the value that the source has."""
    return domain if value in domain else sorted((*domain, value))


def _closest(domain: Sequence[int], wanted: int) -> int:
    """The value closest to `wanted`, the lesser of two; of a range without looking at all."""
    if isinstance(domain, range):
        place = min(max((wanted - domain.start) // domain.step, 0), len(domain) - 1)
        domain = domain[place : place + 2]
    return min(domain, key=lambda value: (abs(value - wanted), value))


def _automatic(declared: Declared, role: ParameterRole, program: Program) -> Sequence[int]:
    """The domain of `param(d)`."""
    name = declared.name
    if role is ParameterRole.TILE:
        last = any(m.kind == "sram" and m.dims and _is(m.dims[-1], name) for m in program.all_memories())
        return range_domain(1, TILE_STEP if last else 1, MAX_TILE, declared.span)
    if role is ParameterRole.OUTER_PAR:
        if any(_moves_data(c) for c in program.accel.walk() for k in c.counters if _is(k.par, name)):
            return (1,)
        return range_domain(1, 1, MAX_OUTER_PAR, declared.span)
    return range_domain(1, 1, MAX_PAR, declared.span)


def _is(e: Expr, name: str) -> bool:
    return isinstance(e, Name) and e.name == name


def _moves_data(controller: Controller) -> bool:
    """A loop with a transfer of its own, or a sequential one, is not parallelised."""
    return controller.schedule is Schedule.SEQUENTIAL or any(isinstance(s, Transfer) for s in controller.stages)
