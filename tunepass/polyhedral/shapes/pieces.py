"""Statements whose iterations depend on each other through one of them only, taken apart there: before, at and after it
(index set splitting: M. Griebl, P. Feautrier and C. Lengauer, 2000). In `a[i][j] = min(a[i][j], a[i][k] + a[k][j])`
along j, only j = k writes what the others read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tunepass.ir.scop import Scop, ScopStatement
from tunepass.polyhedral.dependences.pairs import dependences

if TYPE_CHECKING:
    import islpy as isl

PIECES = (("before", "<"), ("at", "="), ("after", ">"))


@lru_cache(maxsize=16)
def pieced(scop: Scop) -> Scop:
    """`scop` with every such statement as three, in the same loops; itself where there is none."""
    changed = scop
    for statement in scop.statements:
        other = next(_cuts(scop, statement), None)
        if other is not None:
            changed = _cut(changed, statement, other)
    return changed


def _cuts(scop: Scop, statement: ScopStatement) -> Iterator[str]:
    """Loops around its innermost one at whose index the innermost falls into independent iterations."""
    import islpy as isl

    known = dependences(scop)
    carried = [d.map for d in known.each if d.source == d.sink == statement.name and not d.update]
    for place in range(len(statement.loops) - 1):
        carried = [m.equate(isl.dim_type.in_, place, isl.dim_type.out, place) for m in carried]
    if all(m.is_empty() for m in carried):
        return
    domain = isl.Set(statement.domain)
    for other in statement.loops[:-1]:
        apart = [domain.intersect(_side(scop, statement, sign, other)) for _, sign in PIECES]
        free = all(m.intersect_domain(part).intersect_range(part).is_empty() for m in carried for part in apart)
        if free and not any(part.is_empty() for part in apart):
            yield other


def _side(scop: Scop, statement: ScopStatement, sign: str, other: str) -> isl.Set:
    import islpy as isl

    parameters, loops = ", ".join(p.name for p in scop.parameters), ", ".join(statement.loops)
    instance = f"{statement.name}[{loops}]"
    return isl.Set(f"[{parameters}] -> {{ {instance} : {statement.loops[-1]} {sign} {other} }}")


def _cut(scop: Scop, statement: ScopStatement, other: str) -> Scop:
    level = 2 * len(statement.loops)  # of the schedule: the place among what the innermost loop holds
    statements: list[ScopStatement] = []
    for known in scop.statements:
        if known.name == statement.name:
            pieces = enumerate(PIECES)
            statements += (_piece(scop, known, word, sign, other, level, number) for number, (word, sign) in pieces)
        else:
            statements.append(replace(known, schedule=_placed(known.schedule, level, 0).to_str()))
    return replace(scop, statements=tuple(statements))


def _piece(
    scop: Scop, statement: ScopStatement, word: str, sign: str, other: str, level: int, number: int
) -> ScopStatement:
    import islpy as isl

    name = f"{statement.name}_{word}"

    def renamed(text: str) -> str:
        return str(isl.Map(text).set_tuple_name(isl.dim_type.in_, name).to_str())

    domain = isl.Set(statement.domain).intersect(_side(scop, statement, sign, other)).set_tuple_name(name)
    return replace(
        statement,
        name=name,
        domain=domain.to_str(),
        schedule=renamed(_placed(statement.schedule, level, number).to_str()),
        accesses=tuple(replace(access, map=renamed(access.map)) for access in statement.accesses),
    )


def _placed(schedule: str, level: int, number: int) -> isl.Map:
    """With room for three at each place of the level; this one is the `number`th."""
    import islpy as isl

    times = isl.Map(schedule)
    names = [f"c{place}" for place in range(times.dim(isl.dim_type.out))]
    moved = [f"{len(PIECES)} * {name} + {number}" if place == level else name for place, name in enumerate(names)]
    return times.apply_range(isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(moved)}] }}"))
