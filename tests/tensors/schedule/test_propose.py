"""Schedules proposed for expressions that come without one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tensors.kernels import kernel
from tests.tensors.schedule.test_constraints import check
from tests.tensors.schedule.test_nest import MTTKRP, SDDMM, SPMM, SPMV, TTV
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space
from tunepass.tensors.schedule.constraints import derived_constraints
from tunepass.tensors.schedule.nest import scheduled_nest
from tunepass.tensors.schedule.propose import Proposal, proposal

EXPECTED = [
    (SPMV, "i0 i1 jpos0 jpos1", "i0: CPUThread"),
    (SPMM, "i0 i1 jpos0 jpos1 k", "k: CPUVector, i0: CPUThread"),
    (SDDMM, "i0 i1 k jpos0 jpos1", "k: CPUVector, i0: CPUThread"),
    (TTV, "ipos0 ipos1 j kpos0 kpos1", "ipos0: CPUThread"),
    (MTTKRP, "ipos0 ipos1 k lpos0 lpos1 j", "j: CPUVector, ipos0: CPUThread"),
    (("y(i)", "B(i,j) * x(j)", "B=ds:1,0"), "j ipos0 ipos1", ""),  # sums to y(i) from every j: no threads
    (("A(i,j)", "B(i,k) * C(k,j)"), "i0 k0 j0 i1 k1 j1", "j1: CPUVector, i0: CPUThread"),
    (("a", "b(i) * c(i)"), "i0 i1", "i1: CPUVector, i0: CPUThread"),
    (("A(i,j)", "B(i,j) + C(i,j)", "B=ds"), "i0 i1 j", "i0: CPUThread"),  # j runs over all of C
    (("A(i,j)", "B(i,j) * c(i)", "A=sd B=sd"), "ipos0 ipos1 j", "ipos0: CPUThread"),
    (("y(i)", "B(i,j) * x(j) + z(i)", "B=ds"), "i0 i1 jpos0 jpos1", "i0: CPUThread"),
    (("y(i)", "i0(i,j) * x(j)", "i0=ds"), "ix0 ix1 jpos0 jpos1", "ix0: CPUThread"),
    (("a", "2"), "", ""),
]


def proposed(parts: tuple[str, ...]) -> Proposal:
    body = kernel(*parts)
    return proposal(body.assignment, body.tensors, most_threads=4)


@pytest.mark.parametrize(("parts", "loops", "parallel"), EXPECTED, ids=[" = ".join(e[0][:2]) for e in EXPECTED])
def test_the_default_is_legal_and_walks_along_storage(parts: tuple[str, ...], loops: str, parallel: str) -> None:
    made = proposed(parts)
    nest = scheduled_nest(
        replace(kernel(*parts), schedule=made.directives), {p.name: p.default for p in made.parameters}
    )
    assert " ".join(loop.variable for loop in nest.loops) == loops
    units = {loop.variable: loop.unit for loop in nest.loops}
    assert {f"{name}: {unit}" for name, unit in units.items() if unit != "NotParallel"} == set(
        filter(None, parallel.split(", "))
    )


@pytest.mark.parametrize("parts", [SPMM, SDDMM, TTV, MTTKRP], ids=["SpMM", "SDDMM", "TTV", "MTTKRP"])
def test_its_constraints_are_the_rules(parts: tuple[str, ...]) -> None:
    made = proposed(parts)
    kept: tuple[Parameter, ...] = tuple(p for p in made.parameters if p.name == "order")
    fixed = {p.name: p.default for p in made.parameters if p.name != "order"}
    body = replace(kernel(*parts), schedule=made.directives)
    constraints = derived_constraints(body, made.parameters)
    assert {name for c in constraints for name in (n.name for n in c.names)} == {"order"}
    accepted, total = check(body, kept, constraints, fixed)
    assert 0 < accepted < total
    assert Space(list(made.parameters), constraints).size % accepted == 0


def test_one_core_has_no_threads() -> None:
    body = kernel(*SPMM)
    assert "threads" not in {p.name for p in proposal(body.assignment, body.tensors).parameters}
