"""Verilog of the hardware templates: one module for each family and size, registered at its outputs.

A family is a function of its sizes (`w` bits, `n` ways, lanes or stages, `d` words) that gives ports and a body. The
latency of a template is its family's: stages of registers from its inputs to its output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.characterise import (
    control_templates,
    float_templates,
    integer_templates,
    memory_templates,
)
from tunepass.hwmodels.characterise.template_parts import Built, Port, Sizes


@dataclass(frozen=True, slots=True)
class Template:
    """One configuration of a family, such as `mux` with w=16, n=4."""

    family: str
    sizes: tuple[tuple[str, int], ...]

    @staticmethod
    def of(family: str, **sizes: int) -> Template:
        if family not in FAMILIES:
            raise ModelError(f"unknown template {family!r}", hint=f"templates: {', '.join(FAMILIES)}")
        expected = FAMILIES[family].sizes
        if tuple(sizes) != expected or any(size < 1 for size in sizes.values()):
            raise ModelError(f"template {family} takes {', '.join(expected)}, each at least 1, got {sizes}")
        return Template(family, tuple(sizes.items()))

    @property
    def name(self) -> str:
        return "_".join([self.family, *(f"{key}{size}" for key, size in self.sizes)])

    def ports(self) -> tuple[Port, ...]:
        return (("input", "clk", 1), *FAMILIES[self.family].build(dict(self.sizes))[0])

    def verilog(self) -> str:
        _, body = FAMILIES[self.family].build(dict(self.sizes))
        ports = ",\n  ".join(f"{way} wire [{width - 1}:0] {name}" for way, name, width in self.ports())
        return f"module {self.name}(\n  {ports}\n);\n{body.rstrip()}\nendmodule\n"


def wrapper(name: str, templates: Sequence[Template]) -> str:
    """A top module whose pins are all pins of one instance of each template, so that none is optimised away."""
    into, out, lines = 1, 0, []
    for template in templates:
        pins = [".clk(i[0])"]
        for way, port, width in template.ports()[1:]:
            bit = into if way == "input" else out
            pins.append(f".{port}({'i' if way == 'input' else 'o'}[{bit + width - 1}:{bit}])")
            into, out = (into + width, out) if way == "input" else (into, out + width)
        lines.append(f"  {template.name} u_{template.name}({', '.join(pins)});")
    body = "\n".join(lines)
    return f"module {name}(input wire [{into - 1}:0] i, output wire [{out - 1}:0] o);\n{body}\nendmodule\n"


@dataclass(frozen=True, slots=True)
class TemplateFamily:
    """`sizes` name the parameters of `build`; `latency` in cycles as [fixed, per bit]."""

    sizes: tuple[str, ...]
    build: Callable[[Sizes], Built]
    latency: tuple[float, ...] = (1.0,)


FAMILIES: dict[str, TemplateFamily] = {
    "fix_add": TemplateFamily(("w",), integer_templates.binary("+")),
    "fix_sub": TemplateFamily(("w",), integer_templates.binary("-")),
    "fix_mul": TemplateFamily(("w",), integer_templates.binary("*")),
    "fix_div": TemplateFamily(("w",), integer_templates.divider, (0.0, 1.0)),
    "fix_and": TemplateFamily(("w",), integer_templates.binary("&")),
    "fix_lt": TemplateFamily(("w",), integer_templates.comparison("<")),
    "fix_eq": TemplateFamily(("w",), integer_templates.comparison("==")),
    "fix_min": TemplateFamily(("w",), integer_templates.minimum),
    "mux": TemplateFamily(("w",), integer_templates.mux),
    "flt_add": TemplateFamily(("w",), float_templates.add, (4.0,)),
    "flt_mul": TemplateFamily(("w",), float_templates.multiply, (2.0,)),
    "flt_div": TemplateFamily(("w",), float_templates.divide, (2.0, 0.78)),
    "flt_lt": TemplateFamily(("w",), float_templates.less),
    "fix_to_flt": TemplateFamily(("w",), float_templates.from_integer, (2.0,)),
    "flt_to_fix": TemplateFamily(("w",), float_templates.to_integer, (2.0,)),
    "select": TemplateFamily(("w", "n"), integer_templates.select),
    "counter": TemplateFamily(("w", "n"), control_templates.counter),
    "sram": TemplateFamily(("w", "d"), memory_templates.sram),
    "fifo": TemplateFamily(("w", "d"), memory_templates.fifo),
    "banked": TemplateFamily(("w", "d", "n"), memory_templates.banked),
    "buffered": TemplateFamily(("w", "d", "n"), memory_templates.buffered),
    "sequential": TemplateFamily(("n",), control_templates.sequential),
    "pipelined": TemplateFamily(("n",), control_templates.pipelined),
    "parallel": TemplateFamily(("n",), control_templates.parallel),
}
