"""A fitted device as YAML: what the device's file has above its mark stays, what follows is written anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.characterise.check import Error
from tunepass.hwmodels.characterise.fit import Fitted
from tunepass.hwmodels.characterise.verilog import FAMILIES
from tunepass.hwmodels.fpga.curves import Curve, Depth, Points, Steps, Ways

MARK = "# --- characterised ---"
# Operations without a template of their own: one of about the same structure stands for each.
ALIASES = {
    "fix_le": "fix_lt", "fix_ne": "fix_eq", "fix_max": "fix_min", "fix_or": "fix_and", "fix_xor": "fix_and",
    "fix_not": "fix_and", "fix_neg": "fix_sub", "fix_abs": "fix_min", "fix_mod": "fix_div", "flt_sub": "flt_add",
    "flt_le": "flt_lt", "flt_eq": "flt_lt", "flt_ne": "flt_lt", "flt_min": "flt_lt", "flt_max": "flt_lt",
}  # fmt: skip
IN_REDUCE = {"fix_add": 0, "mux": 0}  # an accumulation that takes one of these goes on every cycle


def head(text: str, name: str) -> str:
    """The part of a device's file that a characterisation keeps, with its mark's line."""
    mark = text.find(MARK)
    if mark < 0:
        raise ModelError(f"device {name} is not one that is characterised")
    return text[: text.index("\n", mark) + 1]


def device_text(
    head: str, fitted: Fitted, tool: str, counts: tuple[int, int], residuals: Mapping[tuple[str, str], Error]
) -> str:
    """`counts`: templates fitted and held back; `residuals` of those held back."""
    return head + "\n".join(_lines(fitted, tool, counts, residuals)) + "\n"


def _lines(
    fitted: Fitted, tool: str, counts: tuple[int, int], residuals: Mapping[tuple[str, str], Error]
) -> Iterator[str]:
    yield f"row_blocks_per_bit: {_number(fitted.row_blocks_per_bit)}  # how dear rows of blocks are to the tool"
    yield ""
    yield "characterised:"
    yield f"  source: {tool}, {counts[0]} templates of tunepass.hwmodels.characterise fitted, {counts[1]} held back"
    yield "  # resource: mean of |estimate - synthesised| / max(1, synthesised) of those held back, share that is exact"
    for (family, resource), error in residuals.items():
        if family == "all":
            yield f"  {resource}: {{mean: {error.mean:.4f}, exact: {error.exact:.4f}}}"
    yield ""
    yield "latency:"
    yield "  source: the register stages of the templates"
    for name in (*fitted.area, *ALIASES):
        latency = FAMILIES[ALIASES.get(name, name)].latency
        cycles = _number(latency[0]) if len(latency) == 1 else f"[{', '.join(map(_number, latency))}]"
        reduced = f", reduce: {IN_REDUCE[name]}" if name in IN_REDUCE else ""
        yield f"  {name}: {{cycles: {cycles}{reduced}}}"
    yield ""
    yield "area:"
    yield f"  source: {tool}; an operation that names another was not synthesised itself"
    for name, table in fitted.area.items():
        yield f"  {name}: {_table(table)}"
    for name, other in ALIASES.items():
        yield f"  {name}: {other}"
    yield ""
    yield "structures:"
    yield f"  source: {tool}, but for load, store and fork"
    yield "  fringe: {}  # what connects the design to DRAM is not counted"
    for name, table in fitted.structures.items():
        yield f"  {name}: {_table(table)}"
    yield ""
    yield "templates:"
    yield f"  source: {tool}"
    for name, sized in fitted.templates.items():
        yield f"  {name}: {_table(sized)}"


def _table(table: Mapping[str, Curve | Ways | Depth]) -> str:
    return "{" + ", ".join(f"{resource}: {_amount(amount)}" for resource, amount in table.items()) + "}"


def _amount(amount: Curve | Ways | Depth) -> str:
    match amount:
        case Points(points=rows):
            return f"{{points: [{_rows(rows)}]}}"
        case Steps(steps=rows):
            return f"{{steps: [{_rows(rows)}]}}"
        case Ways(rows=ways):
            return f"{{ways: [{_rows(ways)}]}}"
        case Depth():
            return f"{{depth: [{_number(amount.fixed)}, {_number(amount.per_bit)}, {_number(amount.ragged)}]}}"
        case _:
            return _number(amount[0]) if len(amount) == 1 else f"[{', '.join(map(_number, amount))}]"


def _rows(rows: tuple[tuple[float, ...], ...]) -> str:
    return ", ".join(f"[{', '.join(map(_number, row))}]" for row in rows)


def _number(value: float) -> str:
    return f"{value:.6g}"
