"""The Spector records: OpenCL kernels on a Stratix V, post place-and-route, with times of real runs.

What a pragma cannot say, a `#define` before the source decides: one reading for each combination of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tests.benchmarks.hls.records import SOURCES, Entry, Priced
from tunepass.diagnostics import Source
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import INTEGER, Expr
from tunepass.expr.parser import parse
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.base import Costs
from tunepass.hwmodels.hls.opencl.model import costs
from tunepass.hwmodels.hls.opencl.numbers import Board
from tunepass.ir.hls import HlsKernel

SPARSE_GRAPH = {"NODES": "100000", "EDGES": "300000", "LEVELS": "20"}  # of the file that the benchmark has
DENSE_GRAPH = {"NODES": "10000", "EDGES": "1000000", "LEVELS": "4"}  # assumed: 1 % of the pairs of 10,000 nodes


@dataclass(frozen=True, slots=True)
class Variant:
    """The sources of one reading, and of which rows it is."""

    when: str
    defines: Mapping[str, str]
    sources: tuple[str, ...]


def _mm() -> list[Variant]:
    wide = "sub_dim_x == 1 and manual_simd_y == 1"
    k = "(enable_unroll == 0 or manual_simd_x == 2)"
    return [
        Variant(f"{wide} and {k}", {"WIDE_X": "1", "UNROLL_K": "1"}, ("mm.cl",)),
        Variant(f"{wide}", {"WIDE_X": "1", "UNROLL_K": "0"}, ("mm.cl",)),
        Variant("enable_unroll == 0", {"WIDE_X": "0", "UNROLL_K": "1"}, ("mm.cl",)),
        Variant("true", {"WIDE_X": "0", "UNROLL_K": "0"}, ("mm.cl",)),
    ]


def _bfs(graph: Mapping[str, str]) -> list[Variant]:
    flags = {1: "char", 2: "short", 3: "int"}
    return [
        Variant(
            f"branch == {select} and mask_type == {mask}",
            {"SELECT": str(select), "flag": flag, **graph},
            ("bfs_visit.cl", "bfs_update.cl"),
        )
        for select in (0, 1)
        for mask, flag in flags.items()
    ]


_HIST = [
    Variant("accum_smem == 1", {"ACCUMULATE": "1"}, ("hist.cl",)),
    Variant("work_items * work_groups == 1", {"ACCUMULATE": "0"}, ("hist.cl",)),
    Variant("true", {"ACCUMULATE": "0"}, ("hist.cl", "hist_sum.cl")),
]
VARIANTS: Mapping[str, Sequence[Variant]] = {
    "bfs_dense": _bfs(DENSE_GRAPH),
    "bfs_sparse": _bfs(SPARSE_GRAPH),
    "fir": [Variant("true", {}, ("fir.cl",))],
    "hist": _HIST,
    "mm": _mm(),
    "spmv_5000": [Variant("true", {"NONZEROS": "1310"}, ("spmv.cl",))],
    "spmv_500000": [Variant("true", {"NONZEROS": "131072"}, ("spmv.cl",))],
}
LANES = {
    "bfs_dense": "unroll * compute_units1 * compute_units2 * simd",
    "bfs_sparse": "unroll * compute_units1 * compute_units2 * simd",
    "fir": "num_parallel * unroll_inner * unroll_outer * simd * compute_units",
    "hist": "num_hist * unroll * compute_units",
    "mm": "manual_simd_x * manual_simd_y * simd * compute_units * unroll_factor",
    "spmv_5000": "unroll * manual_simd_size * compute_units",
    "spmv_500000": "unroll * manual_simd_size * compute_units",
}
"""Lane counting: everything the knobs ask to run at once, multiplied."""


WORDS = {"and", "or", "not", "true", "false"}


@cache
def body(source: str, defines: tuple[tuple[str, str], ...]) -> HlsKernel:
    path = SOURCES / "spector" / source
    head = "".join(f"#define {name} {value}\n" for name, value in defines)
    text = head + path.read_text(encoding="utf-8")
    (kernel,) = HlsFrontend().parse(Source(source, text)).kernels
    return kernel.body_as(HlsKernel)


def kernels(variant: Variant) -> list[HlsKernel]:
    return [body(source, tuple(sorted(variant.defines.items()))) for source in variant.sources]


def price(name: str, numbers: Board | None = None) -> Priced:
    """The variants' expressions, chosen by the rows they are of."""
    found = [(read_columns(v.when), costs(kernels(v), numbers=numbers)) for v in VARIANTS[name]]
    return Priced(
        _chosen(found, "seconds"),
        {"logic": _chosen(found, "alms")},
        _fits(found),
        alg.div(1.0, read_columns(LANES[name])),
    )


def read_columns(text: str) -> Expr:
    """An expression over columns, all of which are whole numbers."""
    return parse(text, dict.fromkeys(set(re.findall(r"[a-z_]\w*", text)) - WORDS, INTEGER))


def _chosen(found: Sequence[tuple[Expr, Costs]], value: str) -> Expr:
    result = found[-1][1].values[value]
    for when, said in reversed(found[:-1]):
        result = alg.where(when, said.values[value], result)
    return result


def _fits(found: Sequence[tuple[Expr, Costs]]) -> Expr:
    result = found[-1][1].fits
    for when, said in reversed(found[:-1]):
        result = alg.where(when, said.fits, result)
    return result


def _entry(name: str) -> Entry:
    return Entry(f"spector/{name}", name.partition("_")[0], "runtime", lambda: price(name))


ENTRIES = tuple(_entry(name) for name in VARIANTS)
