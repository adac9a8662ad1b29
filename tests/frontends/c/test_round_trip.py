"""A tuned source is a source: read again it is the same kernel, with the choices as defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.frontends.c.test_emission import SOURCE
from tests.frontends.c.test_tune_calls import SOURCE as CONSTANTS
from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.base import Parsed
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Choice, Kernel
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Parameter
from tunepass.space.space import Space

SAMPLES = Path(__file__).parents[3] / "samples" / "c"
KINDS = r"""
#pragma tunepass param P: permutation(i, j, k)
#pragma tunepass param R: real(-0.5..2.5) /* between the values and the default */ = 1e-3
#pragma tunepass param S: categorical("a", "c + d", "2")
/* tunepass: param U: ordinal(1, pow2(2, 8)) log */ // tunepass: param T: categorical(true, false)
#pragma tunepass param O: categorical("-O2", "-ffast-math -O3", "") flag prior(0.2, 0.3, 0.5)
#pragma tunepass constraint U > 1 or T
#pragma tunepass run "./f" metric "{time} ms"
#if !defined(U)
#define U 4 /* as before */
#endif
int main(void) { return P_i + R + T + U + S; }
"""
SEVERAL = """
#pragma tunepass param A: ordinal(1, 2, 4)
#pragma tunepass kernel f(n = 64, y: out float[n])
void f(int n, float *y) { y[A] = n; }
#pragma tunepass param B: ordinal(1, 2, 4)
#pragma tunepass kernel g(n = 64, y: out float[n])
void g(int n, float *y) { y[B] = n; }
"""
LOOPS = """
#pragma tunepass param TILE: ordinal(8, 16)
#pragma tunepass param SCALE: ordinal(1, 2, 4)
#pragma tunepass constraint TILE * SCALE <= 32
#pragma tunepass constraint SCALE > 1
#pragma tunepass kernel f(n = 64, y: out float[n])
void f(int n, float *y)
{
#pragma tunepass loop(i) tile(i: TILE)
    for (int i = 0; i < n; i++)
        y[i] = SCALE;
}
"""
TEXTS = {path.name: path.read_text() for path in sorted(SAMPLES.glob("*.c*"))}
SOURCES = {
    **{name: text for name, text in TEXTS.items() if "tunepass loop" not in text},
    "f.c": SOURCE,
    "constants.cpp": CONSTANTS,
    "kinds.c": KINDS,
}


def parse(text: str, name: str) -> Parsed:
    return CFrontend().parse(Source(name, text))


def scheduled(read: Kernel, configuration: Configuration) -> Kernel:
    return read.scheduled(tuple(Choice(name, value) for name, value in configuration.items()))


def emitted(kernels: Sequence[Kernel], note: str = "why") -> Source:
    file = CFrontend().emit(kernels, note)[0]
    return Source(file.name, file.text)


def but_default(parameter: Parameter) -> list[object]:
    kept = [f.name for f in fields(parameter) if f.compare and f.name != "default"]
    return [parameter.kind, *(getattr(parameter, name) for name in kept)]


def assert_same(again: Kernel, read: Kernel, chosen: Configuration) -> None:
    assert {p.name: p.default for p in again.parameters} == dict(chosen)
    assert [but_default(p) for p in again.parameters] == [but_default(p) for p in read.parameters]
    assert again.constraints == read.constraints
    plain = [[replace(b, span=None) for b in k.bindings] for k in (again, read)]
    assert plain[0] == plain[1]
    bodies = [k.body_as(CKernel) for k in (again, read)]
    assert [c.parameter for c in bodies[0].constants] == [c.parameter for c in bodies[1].constants]


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.slow_but(3)
def test_a_tuned_source_is_read_again(name: str) -> None:
    read, *_ = parse(SOURCES[name], name).kernels
    space = Space(read.parameters, read.constraints)
    drawn = [space.default, *space.sample(8, np.random.default_rng(5))]
    for configuration, other in pairwise(drawn):
        tuned = emitted((scheduled(read, configuration),))
        parsed = parse(tuned.text, tuned.name)
        assert not parsed.warnings
        again, *_ = parsed.kernels
        assert_same(again, read, configuration)
        twice = emitted((scheduled(again, other),)).text
        once = emitted((scheduled(read, other),)).text
        assert twice == once.replace(f"/* {name}, tuned", f"/* {tuned.name}, tuned", 1)


def test_the_kernel_that_is_not_tuned_keeps_its_macros() -> None:
    first, _ = parse(SEVERAL, "several.c").kernels
    once = emitted((first.scheduled((Choice("A", 4),)),))
    _, second = CFrontend().parse(once).kernels
    twice = emitted((second.scheduled((Choice("B", 2),)),))
    again = CFrontend().parse(twice).kernels
    assert [k.parameters[0].default for k in again] == [4, 2]


def test_what_chose_the_loops_is_settled_and_macros_are_tuned_again() -> None:
    (read,) = parse(LOOPS, "loops.c").kernels
    tuned = emitted((scheduled(read, Configuration({"TILE": 16, "SCALE": 2})),))
    assert "/* settled: param TILE: ordinal(8, 16) */" in tuned.text
    assert "/* settled: constraint TILE * SCALE <= 32 */" in tuned.text
    (again,) = CFrontend().parse(tuned).kernels
    assert [(p.name, p.default) for p in again.parameters] == [("SCALE", 2)]
    assert [str(c) for c in again.constraints] == [str(c) for c in read.constraints[1:2]]
    assert not again.body_as(CKernel).scops


@pytest.mark.parametrize("name", [name for name, text in TEXTS.items() if "loop auto" in text])
def test_where_only_loops_were_tuned_nothing_is_left(name: str) -> None:
    (read,) = parse(TEXTS[name], name).kernels
    with pytest.raises(SourceError, match="nothing to tune"):
        CFrontend().parse(emitted((read,)))
