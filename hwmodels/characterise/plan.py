"""Plan of the templates to synthesise: those a device is fitted to, and those held back to judge the fit by.

The widths of multipliers stand on both sides of where a DSP block ends: 9, 18 and 27 bits, one less of them where its
ports are signed, and their sums. The rest does not depend on the device.
"""

from __future__ import annotations

from collections.abc import Iterable

from tunepass.hwmodels.characterise.verilog import Template

LINEAR = ("fix_add", "fix_sub", "fix_and", "fix_lt", "fix_eq", "fix_min", "mux")
FLOATS = ("flt_add", "flt_lt", "fix_to_flt", "flt_to_fix")
CONTROL = ("sequential", "pipelined", "parallel")
WAYS = ("select", "counter", "banked", "buffered")

LINEAR_WIDTHS = (8, 16, 24, 32, 48, 64)
MUL_WIDTHS = (
    8,
    9,
    10,
    12,
    16,
    17,
    18,
    19,
    20,
    21,
    24,
    25,
    27,
    28,
    30,
    31,
    32,
    34,
    35,
    36,
    37,
    38,
    40,
    48,
    52,
    53,
    56,
    64,
)
DIV_WIDTHS = (4, 8, 12, 16, 24)
FLOAT_WIDTHS = (12, 16, 20, 24, 28, 32, 40, 64)
FLOAT_MUL_WIDTHS = (12, 16, 20, 22, 23, 24, 25, 26, 27, 28, 32, 33, 36, 40, 44, 48, 52, 56, 64)
FLOAT_DIV_WIDTHS = (12, 16, 20, 24, 32)
FIFO_DEPTHS = (64, 100, 256, 500, 1000, 1024, 2000, 2048)
SRAM_WIDTHS = (8, 18, 24, 32, 36, 40)
SRAM_DEPTHS = (512, 1025, 1500, 2048, 3000, 4096)
WAYS_WIDTHS = (8, 32)
WAYS_COUNTS = {
    "select": (2, 3, 4, 5, 6, 7, 8, 10, 12, 16),
    "counter": (1, 2, 3, 4, 6, 8),
    "banked": (2, 3, 4, 6, 8, 12, 16),
    "buffered": (2, 3, 4, 5, 6, 8),
}
CONTROL_STAGES = (1, 2, 3, 4, 6, 8, 12)
DEPTH = 96  # words of a bank or buffer: its blocks are fitted to `sram`


def fitted() -> tuple[Template, ...]:
    return tuple(
        dict.fromkeys((
            *_widths(LINEAR, LINEAR_WIDTHS),
            *_widths(("fix_mul",), MUL_WIDTHS),
            *_widths(("fix_div",), DIV_WIDTHS),
            *_widths(FLOATS, FLOAT_WIDTHS),
            *_widths(("flt_mul",), FLOAT_MUL_WIDTHS),
            *_widths(("flt_div",), FLOAT_DIV_WIDTHS),
            *(Template.of("fifo", w=16, d=d) for d in FIFO_DEPTHS),
            *(Template.of("sram", w=w, d=d) for w in SRAM_WIDTHS for d in SRAM_DEPTHS),
            *(_ways(family, w, n) for family in WAYS for w in WAYS_WIDTHS for n in WAYS_COUNTS[family]),
            *(Template.of(family, n=n) for family in CONTROL for n in CONTROL_STAGES),
        ))
    )  # fmt: skip


def held_back() -> tuple[Template, ...]:
    """None of these is fitted."""
    return (
        *_widths(LINEAR, (12, 20, 40)),
        *_widths(("fix_mul",), (11, 14, 15, 22, 23, 29, 33, 39, 44, 50)),
        *_widths(("fix_div",), (6, 10, 14, 20)),
        *_widths(FLOATS, (14, 18, 22, 30, 36, 48)),
        *_widths(("flt_mul",), (14, 18, 21, 30, 34, 38, 46, 50)),
        *_widths(("flt_div",), (14, 18, 28)),
        *(Template.of("fifo", w=w, d=d) for w, d in ((8, 300), (32, 128), (24, 960), (40, 512))),
        *(Template.of("sram", w=w, d=d) for w, d in _MEMORIES),
        *(Template.of("select", w=16, n=n) for n in (3, 5, 6, 9, 14)),
        *(Template.of("counter", w=w, n=n) for w, n in ((16, 2), (24, 3), (20, 5), (12, 7))),
        *(Template.of("banked", w=w, d=d, n=n) for w, d, n in ((16, 512, 4), (24, 960, 8), (32, 640, 6), (12, 128, 3))),
        *(
            Template.of("buffered", w=w, d=d, n=n)
            for w, d, n in ((16, 512, 2), (24, 960, 3), (32, 640, 4), (20, 128, 5))
        ),
        *(Template.of(family, n=n) for family in CONTROL for n in (5, 7, 10)),
    )


_MEMORIES = (
    (9, 2000), (10, 700), (12, 1100), (16, 960), (20, 640), (27, 1440), (32, 1920), (33, 96), (36, 2500), (40, 1200),
    (48, 3500), (64, 512),
)  # fmt: skip


def batches(templates: Iterable[Template], size: int = 24) -> list[tuple[Template, ...]]:
    """Few enough at once that one batch's synthesis stays short. Templates held back are never with fitted ones, and
    each batch is in the plan's order: what is synthesised does not depend on who asks for it."""
    order = {template: i for i, template in enumerate((*fitted(), *held_back()))}
    ordered = sorted(set(templates), key=lambda template: (order.get(template, len(order)), template.name))
    split = len(fitted())
    kinds = ([t for t in ordered if order.get(t, split) < split], [t for t in ordered if order.get(t, split) >= split])
    return [tuple(kind[i : i + size]) for kind in kinds for i in range(0, len(kind), size)]


def _widths(families: Iterable[str], widths: Iterable[int]) -> list[Template]:
    listed = tuple(widths)
    return [Template.of(family, w=w) for family in families for w in listed]


def _ways(family: str, w: int, n: int) -> Template:
    return Template.of(family, w=w, d=DEPTH, n=n) if family in ("banked", "buffered") else Template.of(family, w=w, n=n)
