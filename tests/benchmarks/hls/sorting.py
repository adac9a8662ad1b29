"""The sorting networks of PAL (Zuluaga et al.): 206 generated cores on a Virtex-6, slices and samples a second.

The record names no column. Zuluaga, Milder and Püschel, Streaming Sorting Networks (TODAES 21(4), 2016), and what the
rows say tell what they are: networks for 2^8 keys; knob_a the log2 of the streaming width (0..8), knob_b the stages
that are built, knob_c the kind of network, o1 = log2(slices), o2 = log2(million samples a second). Both are marked to
be minimised in the source of the record; more samples a second are better, so time here is 2^-o2.

Kinds 1 to 4 are bitonic networks of 36 stages and their like, kind 5 has 64 equal stages. Built are some of them,
through which the keys pass several times: 64 / knob_b for kind 5, and for the others as PASSES says. PASSES was read
off the column o2 at width 1, where a pass takes as many cycles as there are keys: it is a decoding of knob_b by
measurements (18 of the 206), and no paper's table.
"""

from __future__ import annotations

from functools import cache

from tests.benchmarks.hls.records import SOURCES, Entry, Priced
from tunepass.diagnostics import Source
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import INTEGER, Expr, Name
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.hls.opencl.model import costs
from tunepass.ir.hls import HlsKernel

WIDTHS = range(9)
PASSES = {7: 8, 8: 7, 14: 6, 15: 5, 19: 4, 22: 3, 25: 2}  # stages built -> passes; all others: one
WIDTH, STAGES, KIND = (Name(n, INTEGER) for n in ("knob_a", "knob_b", "knob_c"))


@cache
def body(width: int, streamed: bool) -> HlsKernel:
    path = SOURCES / "pal_hardware" / "sort.cl"
    head = f"#define WIDTH {width}\n#define STREAMED {int(streamed)}\n"
    (kernel,) = HlsFrontend().parse(Source("sort.cl", head + path.read_text(encoding="utf-8"))).kernels
    return kernel.body_as(HlsKernel)


def passes() -> Expr:
    others: Expr = alg.lift(1)
    for stages, times in PASSES.items():
        others = alg.where(alg.compare(STAGES, "==", stages), times, others)
    return alg.where(alg.compare(KIND, "==", 5), alg.ceildiv(64, STAGES), others)


def price() -> Priced:
    known = {"stages": STAGES, "passes": passes()}
    one_pass = alg.compare(passes(), "==", 1)
    time, alms = alg.lift(0.0), alg.lift(0.0)
    for log in WIDTHS:
        streamed, folded = costs([body(1 << log, True)]), costs([body(1 << log, False)])
        cycles = alg.where(one_pass, streamed.values["cycles"], folded.values["cycles"])
        here = alg.compare(WIDTH, "==", log)
        time = alg.where(here, alg.substitute(cycles, known), time)
        alms = alg.where(here, alg.substitute(folded.values["alms"], known), alms)
    lanes = alg.mul(STAGES, alg.apply("exp", alg.mul(0.6931471805599453, WIDTH)))
    return Priced(time, {"o1": alms}, alg.lift(True), alg.div(1.0, lanes))


ENTRIES = (Entry("pal_hardware/snw", "snw", "o2", price, negated=True),)
