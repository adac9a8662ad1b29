"""How far a device's amounts are from a synthesis of templates that it was not fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum

from tunepass.expr import algebra, numpy_eval
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.characterise import plan
from tunepass.hwmodels.characterise.fit import Counts, choose
from tunepass.hwmodels.characterise.template_parts import log2
from tunepass.hwmodels.characterise.verilog import Template
from tunepass.hwmodels.fpga import memory
from tunepass.hwmodels.fpga.curves import evaluate
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.resources import sized

RESOURCES = ("LUT", "Regs", "DSPs", "BRAM")
CLOSE = 1e-4  # of an exact count: DSP blocks come in thirds


@dataclass(frozen=True, slots=True)
class Error:
    """Over `n` templates: the mean of |estimate - synthesised| / max(1, synthesised), and how many are exact."""

    n: int
    mean: float
    worst: float
    exact: float


def estimate(template: Template, device: Fpga) -> dict[str, float]:
    """Estimate of one template by the device's numbers."""
    sizes, family = dict(template.sizes), template.family
    w, d, n = sizes.get("w", 1), sizes.get("d", 1), sizes.get("n", 1)
    resources = dict.fromkeys(RESOURCES, 0.0)
    if family in ("sram", "fifo", "banked", "buffered"):
        copies = n if family in ("banked", "buffered") else 1
        resources["BRAM"] = copies * _number(memory.blocks(w, algebra.lift(d), device))
        rows = choose(w, d, device.memory.shapes, device.memory.row_blocks_per_bit)[1] if device.memory.shapes else 1
        if rows > 1:  # every copy has a multiplexer of its own; all go by one address
            resources["LUT"] = copies * (_number(sized(device.templates["select"], w, rows)["LUT"]) + rows)
            resources["Regs"] = log2(rows)
    if family in device.templates:
        table = sized(device.templates[family], w, d if family == "fifo" else n)
        resources |= {r: resources[r] + _number(amount) for r, amount in table.items()}
    elif family != "sram":
        table_of = device.structures if family in plan.CONTROL else device.area
        size = n if family in plan.CONTROL else w
        resources |= {r: evaluate(amount, size) for r, amount in table_of[family].items()}
    return {r: round(y) if r in ("LUT", "Regs") else y for r, y in resources.items()}


def errors(counts: Mapping[Template, Counts], device: Fpga) -> dict[tuple[str, str], Error]:
    """By (family, resource), and by ("all", resource)."""
    rows: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for template, true in counts.items():
        guess = estimate(template, device)
        for resource in RESOURCES:
            for family in (template.family, "all"):
                rows.setdefault((family, resource), []).append((guess.get(resource, 0.0), true[resource]))
    return {key: _error(pairs) for key, pairs in rows.items()}


def _error(pairs: list[tuple[float, float]]) -> Error:
    off = [abs(guess - true) / max(1.0, true) for guess, true in pairs]
    exact = [abs(guess - true) < CLOSE for guess, true in pairs]
    return Error(len(pairs), fsum(off) / len(pairs), max(off), sum(exact) / len(pairs))


def _number(e: Expr) -> float:
    return float(numpy_eval.evaluate(e, {}, 1).values[0])
