"""The HLSyn records: PolyBench and MachSuite kernels with Merlin's pragmas, cycles and shares of a VU9P in reports."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.benchmarks.hls.records import SOURCES, Entry, Priced
from tunepass.diagnostics import Source
from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr, Name
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.hls.model import costs
from tunepass.hwmodels.hls.tools import tool
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Kernel

TOOLS = {"v18": "merlin-2018.3", "v20": "merlin-2020.2"}
AREA = {"util_LUT": "luts", "util_FF": "ffs", "util_DSP": "dsps", "util_BRAM": "brams"}
SIZES = ("-large", "-medium", "-opt")


@cache
def kernel(path: Path) -> Kernel:
    (found,) = HlsFrontend().parse(Source(path.name, path.read_text(encoding="utf-8"))).kernels
    return found


def price(path: Path, version: str) -> Priced:
    said = costs(kernel(path).body_as(HlsKernel), load("vu9p"), tool(TOOLS[version]))
    area = {column: said.values[name] for column, name in AREA.items()}
    return Priced(said.values["cycles"], area, said.fits, alg.div(1.0, _lanes(kernel(path))))


def _lanes(found: Kernel) -> Expr:
    """Every PARALLEL factor, multiplied."""
    factors = [p for p in found.parameters if p.name.startswith("__PARA__")]
    return alg.mul(1, *(Name(p.name, p.type) for p in factors))


def _entry(path: Path, version: str) -> Entry:
    name = path.stem
    for size in SIZES:
        name = name.removesuffix(size)
    return Entry(
        f"hlsyn/{path.stem}-{version}", name, "perf", lambda: price(path, version), lambda: kernel(path).parameters
    )


ENTRIES = tuple(_entry(path, v) for path in sorted((SOURCES / "hlsyn").glob("*.c")) for v in TOOLS)
