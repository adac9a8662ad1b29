"""Requirements of a nest on the order of its loops: some are bound before others. A fact of formats and derivations.

`Requirement(first, second)`: every loop of `first` stands outside the innermost loop of `second`. A coordinate is known
once the last loop that it comes from is; a position needs all that comes before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from tunepass.diagnostics import Span
from tunepass.ir.tensor import Access, Tensor
from tunepass.tensors.refusal import IllegalSchedule
from tunepass.tensors.schedule.loops import PosOf, ScheduledNest, Statement
from tunepass.tensors.schedule.operands import sparse_operand
from tunepass.tensors.terms import sum_of_products


@dataclass(frozen=True, slots=True)
class Requirement:
    first: frozenset[str]
    second: frozenset[str]
    rule: str
    why: str

    def holds(self, loops: tuple[str, ...]) -> bool:
        """`loops`: the outermost first."""
        at = {name: number for number, name in enumerate(loops)}
        return max(at[name] for name in self.first) < max(at[name] for name in self.second)

    def __str__(self) -> str:
        outer, inner = sorted(self.first), sorted(self.second)
        last = f"the last of {' and '.join(inner)}" if len(inner) > 1 else inner[0]
        return f"{' and '.join(outer)} must stand outside {last}: {self.why}"


def requirements(nest: ScheduledNest, statement: Statement) -> Iterator[Requirement]:
    """Requirements of one statement, whatever the order of its loops is."""
    for term in sum_of_products(statement.expression, statement.index, nest.tensors):
        first = sparse_operand(nest, term)
        for access in dict.fromkeys([*([first] if first else []), *term.accesses()]):
            tensor = nest.tensor(access.tensor)
            if tensor and tensor.format.sparse:
                yield from _of_access(nest, statement, access, tensor, iterated=access == first)
    yield from _of_reductions(nest, statement)


def _of_access(
    nest: ScheduledNest, statement: Statement, access: Access, tensor: Tensor, *, iterated: bool
) -> Iterator[Requirement]:
    """Every level that is compressed, or below one that is, comes after those above it; up to the first that has no
    loop here, where the statement follows the operand of a workspace. `iterated`: loops may be over its positions."""
    stored = (access.index[mode] for mode in tensor.format.order)
    along = tuple(takewhile(lambda name: nest.leaves(name, statement.loops), stored))
    positions = {d.variable: d for d in nest.positions(statement.loops) if iterated and d.tensor == access.tensor}
    walked = {root: d for d in positions.values() for root in nest.roots(d.position)}
    for level, variable in enumerate(along):
        if "compressed" not in tensor.format.levels[: level + 1]:
            continue
        above = along[:level]
        if variable in walked:
            yield from _of_positions(nest, statement, walked[variable], above)
        elif above:
            first = {leaf for name in above for leaf in nest.leaves(name, statement.loops)}
            second = set(nest.leaves(variable, statement.loops))
            why = f"{access.tensor} stores {variable} inside {' and '.join(above)}"
            yield from _after(first - second, second, why)


def _of_positions(
    nest: ScheduledNest, statement: Statement, position: PosOf, above: tuple[str, ...]
) -> Iterator[Requirement]:
    """The range of a position variable is known once all above it is, and what else its coordinates come from."""
    leaves = set(nest.leaves(position.position, statement.loops))
    roots = (*above, *nest.roots(position.position))
    first = {leaf for name in roots for leaf in nest.leaves(name, statement.loops)} - leaves
    why = f"the positions {position.position} of {position.tensor} start where these say"
    for leaf in sorted(leaves):
        yield from _after(first, {leaf}, why)


def _after(first: set[str], second: set[str], why: str) -> Iterator[Requirement]:
    if len(second) == 1:
        for name in sorted(first):
            yield Requirement(frozenset({name}), frozenset(second), "concordant", why)
    elif first:
        yield Requirement(frozenset(first), frozenset(second), "concordant", why)


def _of_reductions(nest: ScheduledNest, statement: Statement) -> Iterator[Requirement]:
    """Threads that keep a sum of their own keep it of one place: all that names the place is outside."""
    places = {leaf for name in statement.index for leaf in nest.leaves(name, statement.loops)}
    for loop in nest.around(statement.workspace):
        sums = loop.unit == "CPUThread" and loop.race in ("Temporary", "ParallelReduction")
        if sums and is_racing(nest, loop.variable, statement):
            why = f"{loop.race} sums one place of {statement.target} at a time"
            for name in sorted(places - {loop.variable}):
                yield Requirement(frozenset({name}), frozenset({loop.variable}), "race", why)


def is_racing(nest: ScheduledNest, loop: str, statement: Statement) -> bool:
    """May two iterations of `loop` write to the same place of the statement's target?"""
    if statement.workspace is not None:
        workspace = nest.workspace(statement.workspace)
        if loop in [outer.variable for outer in nest.around(workspace.parent)[: workspace.outer]]:
            return False  # every iteration has a workspace of its own
    return not set(nest.roots(loop)) <= set(statement.index)


def must_hold(nest: ScheduledNest, span: Span | None) -> None:
    """Raises IllegalSchedule for the first requirement that the nest's order breaks."""
    for statement in nest.statements():
        for requirement in requirements(nest, statement):
            if not requirement.holds(statement.loops):
                raise IllegalSchedule(requirement.rule, str(requirement), span)
