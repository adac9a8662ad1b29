"""The HLSyn records: kernels with Merlin's pragmas, the reports of two versions of the tool on a VU9P.

Recorded shares of the device are cut to whole percents, so predictions are, too. A kernel's versions, its larger and
its smaller instances are left out together. The baseline multiplies the copies that pragmas ask of all loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from tests.benchmarks.hls.records import SOURCES, Entry, Priced
from tunepass.diagnostics import Source
from tunepass.expr import algebra as alg
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.fpga import device as devices
from tunepass.hwmodels.hls.model import costs
from tunepass.hwmodels.hls.nest import Nest
from tunepass.hwmodels.hls.tools import HlsTool, tool
from tunepass.ir.hls import HlsKernel
from tunepass.ir.kernel import Kernel

DEVICE = "vu9p"
TOOLS = {"v18": "merlin-2018.3", "v20": "merlin-2020.2"}
COLUMNS = {"luts": "util_LUT", "ffs": "util_FF", "dsps": "util_DSP", "brams": "util_BRAM"}
TABLES: Mapping[str, tuple[str, ...]] = {
    "v18": (
        *("2mm", "3mm", "adi", "atax", "atax-medium", "bicg", "bicg-medium", "fdtd-2d", "gemm-blocked", "gemm-ncubed"),
        *("gemm-p", "gesummv", "gesummv-medium", "heat-3d", "mvt", "mvt-medium", "seidel-2d", "syr2k", "syrk"),
    ),
    "v20": (
        *("2mm", "atax", "bicg", "bicg-large", "fdtd-2d-large", "gemm-blocked", "gemm-ncubed", "gemm-p", "gesummv"),
        *("mvt", "symm-opt", "syr2k", "syrk"),
    ),
}


@cache
def kernel(name: str) -> Kernel:
    path = SOURCES / "hlsyn" / f"{name}.c"
    return HlsFrontend().parse(Source(path.name, path.read_text(encoding="utf-8"))).kernels[0]


def body(name: str) -> HlsKernel:
    return kernel(name).body_as(HlsKernel)


def price(name: str, version: str, numbers: HlsTool | None = None) -> Priced:
    said = costs(body(name), devices.load(DEVICE), numbers or tool(TOOLS[version]))
    nest = Nest(body(name))
    lanes = alg.mul(1, *(nest.copies(loop) for loop in nest.loops.values()))
    area = {
        column: alg.div(alg.apply("floor", alg.div(alg.mul(100, said.values[value]), said.limits[value])), 100)
        for value, column in COLUMNS.items()
    }
    return Priced(said.values["cycles"], area, said.fits, alg.div(1, lanes), said.effort)


def base(name: str) -> str:
    """The kernel, whatever its size."""
    return name.removesuffix("-medium").removesuffix("-large")


def _entry(name: str, version: str) -> Entry:
    return Entry(
        f"hlsyn/{name}-{version}",
        base(name),
        "perf",
        partial(price, name, version),
        parameters=lambda: kernel(name).parameters,
    )


ENTRIES = tuple(_entry(name, version) for version, names in TABLES.items() for name in names)
