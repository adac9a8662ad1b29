"""Widths that are parameters: priced at any value as the source with that value written into it."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples, part
from tests.frontends.spatial.apps import app
from tunepass.backends.base import Target
from tunepass.backends.model import ModelBackend
from tunepass.diagnostics import Source, SourceError
from tunepass.exact.base import solver
from tunepass.expr.nodes import INTEGER, Name
from tunepass.expr.numpy_eval import evaluate
from tunepass.frontends.spatial.frontend import SpatialFrontend
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.fpga.widths import _table
from tunepass.ir.kernel import Kernel
from tunepass.jobs.estimates import Estimator
from tunepass.passes.apply_schedule import scheduled
from tunepass.space.configuration import Configuration
from tunepass.space.space import Space

HOST = """type T = FixPt[TRUE, _12 /* tunepass I (4 -> 4 -> 24) */, _8 /* tunepass FRAC DECAY (2, 8, 20, 36) */]
type U = FixPt[FALSE, _8, _0 /* tunepass G (0 -> 3) */]
val x = DRAM[T](960); val p = 2 (1 -> 4)"""
ACCEL = """val a = SRAM[T](96, 4); val u = SRAM[U](96); val m = SRAM[T](96); val best = Reg[Tup2[T, U]]
Foreach(960 by 96) { t =>
  m load x(t::t+96 par p)
  MemReduce(a par p)(8 by 1) { i => val b = SRAM[T](96, 4)
    Foreach(96 by 1 par p) { j => b(j, 0) = m(j) * m(j) / 3.to[T] + sqrt(m(j)) * u(j).to[T]; u(j) = u(j) + 1.to[U] }
    b } { _ + _ }
  Foreach(96 by 1) { j => m(j) = m(j) + Reduce(0.to[T])(4 by 1 par p) { k => a(j, k) } { (c, d) => c * d } }
  Foreach(96 by 1) { j => best := pack(m(j), u(j)); if (m(j) < 2.to[T]) { m(j) = abs(m(j)) } }
}"""
TEXT = app(ACCEL, HOST)
DEVICES = ("stratix-v", "ecp5", "zcu102")


def kernel_of(text: str) -> Kernel:
    return SpatialFrontend().parse(Source("App.scala", text)).kernels[0]


def model_of(kernel: Kernel, device: str) -> Estimator:
    backend = ModelBackend(kernel, Target(device=device))
    return Estimator(backend, backend.costs())


def fixed(text: str) -> str:
    """The source without the comments that make its widths parameters."""
    return re.sub(r" /\* tunepass [^*]*\*/", "", text)


def test_the_parameters() -> None:
    kernel = kernel_of(TEXT)
    sizes = [(p.name, list(p.domain), p.default) for p in kernel.parameters[:3]]
    assert sizes == [("I", [4, 8, 12, 16, 20, 24], 12), ("FRAC", [2, 8, 20, 36], 8), ("G", [0, 1, 2, 3], 0)]
    unchanged = scheduled(kernel, Configuration({p.name: p.default for p in kernel.parameters}))
    assert SpatialFrontend().emit((unchanged,))[0].text == TEXT


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.slow_but(3)
def test_a_width_is_priced_as_the_source_that_says_it(device: str) -> None:
    kernel = kernel_of(TEXT)
    model = model_of(kernel, device)
    for row, column in part(list(product(range(3), repeat=2)), 4):  # of all any two values of two parameters meet
        i, fraction = (4, 12, 24)[row], (2, 20, 36)[column]
        g, p = (0, 3, 0)[(row + column) % 3], (1, 3, 1)[(row + 2 * column) % 3]
        values = {**{q.name: q.default for q in kernel.parameters}, "I": i, "FRAC": fraction, "G": g, "p": p}
        text = SpatialFrontend().emit((scheduled(kernel, Configuration(values)),))[0].text
        assert f"_{i} /* tunepass I" in text
        again, plain = kernel_of(text), kernel_of(fixed(text))
        assert {q.name: q.default for q in again.parameters} == values
        here = model.prices([Configuration(values)])
        for other in (again, plain):
            told = model_of(other, device)
            there = told.prices([told.default])
            assert {k: float(v[0]) for k, v in here.items()} == pytest.approx(
                {k: float(v[0]) for k, v in there.items()}
            )


def test_wider_words_take_more() -> None:
    kernel = kernel_of(TEXT)
    model = model_of(kernel, "stratix-v")
    base = {q.name: q.default for q in kernel.parameters}
    prices = model.prices([Configuration({**base, "FRAC": f}) for f in (2, 8, 20, 36)])
    for name in ("alms", "ffs"):
        assert sorted(prices[name]) == list(prices[name]) and prices[name][0] < prices[name][-1]


def test_branch_and_bound_finds_the_front_of_exhaustion() -> None:
    kernel = kernel_of(TEXT)
    backend = ModelBackend(kernel, Target(device="stratix-v"))
    costs = backend.costs()
    space = Space(kernel.parameters, kernel.constraints)
    fronts = [
        solver(name).solve(space, [costs.values["cycles"], costs.values["alms"]], [costs.fits])
        for name in ("branch_and_bound", "exhaustive")
    ]
    assert fronts[0].values.tolist() == fronts[1].values.tolist()


@given(st.lists(st.tuples(st.integers(1, 60), st.integers(-9, 9)), min_size=1, unique_by=lambda row: row[0]))
@examples(50)
def test_a_table_goes_through_its_rows(rows: list[tuple[int, int]]) -> None:
    rows.sort()
    e = _table(Name("x", INTEGER), rows)
    told = evaluate(e, {"x": np.array([x for x, _ in rows])}, len(rows)).values
    assert told.tolist() == [y for _, y in rows]


def test_too_many_combinations_in_one_body_are_an_error() -> None:
    types = "\n".join(f"type T{i} = FixPt[TRUE, _8 /* tunepass W{i} (1 -> 64) */, _8]" for i in range(3))
    body = "\n".join(f"x{i}(j) = x{i}(j) + 1.to[T{i}]" for i in range(3))
    memories = "\n".join(f"val x{i} = SRAM[T{i}](8)" for i in range(3))
    kernel = kernel_of(app(f"{memories}\nForeach(8 by 1) {{ j => {body} }}", types))
    with pytest.raises(ModelError, match="W0, W1, W2 meet in one body"):
        ModelBackend(kernel, Target(device="stratix-v"))


@pytest.mark.parametrize(
    "comment,message",
    [
        ("tunepass", "expected a name and values"),
        ("tunepass F 4 -> 8", "expected a name and values"),
        ("tunepass F LATE (4 -> 8)", "expected a name and values"),
        ("tunepass F (4 -> 8x)", "whole numbers"),
        ("tunepass F (8 -> 4)", "from low to high"),
        ("tunepass F (4, 4)", "must differ"),
        ("tunepass F (4 -> 400)", "0 to 128 bits"),
    ],
)
def test_a_comment_that_says_no_values_is_told_at_its_line(comment: str, message: str) -> None:
    text = app("val x = SRAM[T](8)", f"type T = FixPt[TRUE, _8, _8 /* {comment} */]")
    with pytest.raises(SourceError, match=message) as raised:
        kernel_of(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.span is not None and diagnostic.span.line == 2
