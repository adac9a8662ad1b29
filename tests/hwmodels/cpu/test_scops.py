"""The model of scops: which of two schedules is faster, and that all have a price."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.polyhedral.scops import SWEEPS, SYRK
from tests.polyhedral.test_extents import KNOWN
from tunepass.diagnostics import Source
from tunepass.expr.numpy_eval import evaluate
from tunepass.hwmodels.cpu.device import load
from tunepass.hwmodels.cpu.model import costs
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Binding, Kernel
from tunepass.ir.run import RunCommand
from tunepass.ir.scop import Scop
from tunepass.ir.scop_directives import ScopNest
from tunepass.polyhedral.model.work import works_of
from tunepass.polyhedral.shapes.shapes import shapes_of
from tunepass.polyhedral.spaces.derive import derive_space
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space


def kernel(scop: Scop) -> Kernel:
    space = derive_space(scop, scop.span, parallel=False)
    nest = ScopNest(scop, space.directives, works_of(scop, shapes_of(scop), {}))
    return Kernel(
        name="syrk",
        language="c",
        source=Source("syrk.c", scop.span.source.text),
        parameters=space.parameters,
        constraints=space.constraints,
        bindings=tuple(Binding(p.name, "directive") for p in space.parameters),
        body=CKernel(judged_by=RunCommand(arguments=("./a.out",)), scops=(nest,)),
    )


def ms(tuned: Kernel, words: tuple[str, ...] = ("-O3",), **values: object) -> float:
    chosen = Configuration({**{p.name: p.default for p in tuned.parameters}, **values})  # type: ignore[dict-item]
    found = costs(tuned, load(), words)
    assert found is not None
    columns = {p.name: p.column([chosen[p.name]]) for p in tuned.parameters}
    return float(evaluate(found.values["time"], columns, 1).values[0])


def test_a_contiguous_innermost_loop_is_faster() -> None:
    tuned = kernel(KNOWN)
    rows = ms(tuned, SHAPE="distributed", ORDER=("i", "j", "j_2", "k"), SIMD=True)  # A[i][k] and A[j][k] along k
    columns = ms(tuned, SHAPE="distributed", ORDER=("k", "j", "j_2", "i"))
    assert rows < ms(tuned) < columns


def test_every_configuration_has_a_price() -> None:
    tuned = kernel(SYRK)  # sizes that nobody states
    found, space = costs(tuned, load()), Space(tuned.parameters, tuned.constraints)
    assert found is not None
    columns = space.sample_columns(200, np.random.default_rng(0))
    values = evaluate(found.values["time"], columns, 200).values
    assert np.isfinite(values).all() and (values > 0).all() and len(set(values.tolist())) > 20


def test_the_compiler_s_words_say_whether_loops_are_vectorized() -> None:
    tuned = kernel(KNOWN)
    contiguous = {"SHAPE": "distributed", "ORDER": ("i", "j", "k", "j_2"), "SIMD": False}
    scalar, vector = (ms(tuned, words, **contiguous) for words in (("-O2",), ("-O3", "-march=native")))
    assert vector < scalar
    assert ms(tuned, ("-O2",), **{**contiguous, "SIMD": True}) < scalar


def test_directives_by_hand_are_not_priced() -> None:
    """Nobody has worked out what is done in the loops that they make."""
    derived = kernel(SYRK)
    body = derived.body_as(CKernel)
    plain = replace(derived, body=replace(body, scops=tuple(replace(nest, works=()) for nest in body.scops)))
    assert costs(plain, load()) is None


def test_rows_that_stay_whole_are_vectorized_where_steps_are_skewed() -> None:
    works = [work for work in works_of(SWEEPS, ("skewed",), {}) if len(work.work.trips) == 3]
    assert len(works) == 2 and all(work.free for work in works)
