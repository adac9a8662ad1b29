"""Kernels with scops: what is compiled, what is written, and what happens to a schedule that breaks a dependence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.polyhedral.scops import JACOBI, SYRK
from tunepass.evaluators.toolchains.remarks import not_applied
from tunepass.frontends.c.emission.files import emit_file
from tunepass.frontends.c.lowering import lower
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Binding, Choice, Kernel
from tunepass.ir.run import RunCommand
from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import Factor, ScopDirectives, ScopNest
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Ordinal, Permutation


def kernel(scop: Scop, directives: ScopDirectives) -> Kernel:
    order = Permutation("ORDER", [loop.name for loop in scop.loops])
    parameters = (order, Ordinal("T", [1, 8]), Ordinal("P", [0, 1]))
    return Kernel(
        name="nest",
        language="c",
        source=scop.span.source,
        parameters=parameters,
        bindings=tuple(Binding(p.name, "directive") for p in parameters),
        body=CKernel(judged_by=RunCommand(arguments=("./a.out",)), scops=(ScopNest(scop, directives),)),
    )


def test_a_scop_is_replaced_and_brings_its_flags() -> None:
    directives = ScopDirectives(order=("ORDER",), tile=(Factor("i", "T"),), parallel=(Factor("i", "P"),))
    subject = kernel(SYRK, directives)
    values = {"ORDER": ("i", "j", "j_2", "k"), "T": 8, "P": 1}
    candidate = lower(subject, Configuration(values))
    assert candidate.flags == ("-fopenmp",)
    assert candidate.text is not None and "for (int i_tile = 0; i_tile < n; i_tile += 8) {" in candidate.text
    assert candidate.text.endswith('#line 9 "nest.c"\n')
    assert candidate.requests == ()
    assert lower(subject, Configuration({**values, "P": 0})).flags == ()


def test_the_tuned_source_says_how_its_loops_run() -> None:
    subject = kernel(SYRK, ScopDirectives(order=("ORDER",), vectorize=(Factor("*", True),)))
    chosen = replace(subject, schedule=(Choice("ORDER", ("i", "j", "j_2", "k")),))
    text = emit_file((chosen,))[0].text
    assert "/* Loops, from the outside in: i (j, j_2 (k)); j vectorized; k vectorized. */" in text
    assert "sums[lane] += " in text


def test_a_schedule_that_breaks_a_dependence_is_refused_with_its_lines() -> None:
    directives = ScopDirectives(parallel=(Factor("t", "P"),))
    candidate = lower(kernel(JACOBI, directives), Configuration({"ORDER": ("t", "i", "i_2"), "T": 1, "P": 1}))
    failed = not_applied(candidate.requests, ())
    assert failed is not None
    assert failed.log == "line 1: did not schedule the loops so: a dependence would be turned round"


def test_a_schedule_that_is_not_written_as_it_stands_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    directives = ScopDirectives(order=("ORDER",), tile=(Factor("i", "T"),))
    monkeypatch.setattr("tunepass.frontends.c.nests.lowering.is_faithful", lambda *plan: False)
    values = {"ORDER": ("i", "j", "j_2", "k"), "T": 8, "P": 0}
    failed = not_applied(lower(kernel(SYRK, directives), Configuration(values)).requests, ())
    assert failed is not None
    assert failed.log.endswith("isl writes loops for it that run other iterations, or in another order")
