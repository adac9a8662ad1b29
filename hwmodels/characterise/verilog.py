"""Verilog of the hardware templates: one module for each family and size, registered at its outputs.

A family is a function of its sizes (`w` bits, `n` ways, lanes or stages, `d` words) that gives ports and a body. The
latency of a template, where it has one, is in LATENCY: stages of registers from its inputs to its output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tunepass.hwmodels.base import ModelError

Port = tuple[str, str, int]  # direction, name, width in bits
Sizes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Template:
    """One configuration of a family, such as `mux` with w=16, n=4."""

    family: str
    sizes: tuple[tuple[str, int], ...]

    @staticmethod
    def of(family: str, **sizes: int) -> Template:
        if family not in FAMILIES:
            raise ModelError(f"unknown template {family!r}", hint=f"templates: {', '.join(FAMILIES)}")
        wanted = FAMILIES[family].sizes
        if tuple(sizes) != wanted or any(size < 1 for size in sizes.values()):
            raise ModelError(f"template {family} takes {', '.join(wanted)}, each at least 1, got {sizes}")
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
            at = into if way == "input" else out
            pins.append(f".{port}({'i' if way == 'input' else 'o'}[{at + width - 1}:{at}])")
            into, out = (into + width, out) if way == "input" else (into, out + width)
        lines.append(f"  {template.name} u_{template.name}({', '.join(pins)});")
    body = "\n".join(lines)
    return f"module {name}(input wire [{into - 1}:0] i, output wire [{out - 1}:0] o);\n{body}\nendmodule\n"


def log2(n: int) -> int:
    """Bits that count 0 .. n - 1, at least one."""
    return max(1, (n - 1).bit_length())


def exponent_bits(w: int) -> int:
    """The exponent of a float of w bits: 5 of 16, 8 of 32, 11 of 64, as IEEE 754 has it, and between."""
    return 5 + 3 * (w - 16) // 16 if w < 32 else 8 + 3 * (w - 32) // 32


Built = tuple[tuple[Port, ...], str]


def _pair(w: int, out: int, statement: str) -> Built:
    ports = (("input", "a", w), ("input", "b", w), ("output", "q", out))
    return ports, f"reg [{out - 1}:0] r;\nalways @(posedge clk) r <= {statement};\nassign q = r;\n"


def _binary(operator: str) -> Callable[[Sizes], Built]:
    return lambda s: _pair(s["w"], s["w"], f"a {operator} b")


def _comparison(operator: str) -> Callable[[Sizes], Built]:
    return lambda s: _pair(s["w"], 1, f"$signed(a) {operator} $signed(b)")


def _minimum(s: Sizes) -> Built:
    return _pair(s["w"], s["w"], "($signed(a) < $signed(b)) ? a : b")


def _mux(s: Sizes) -> Built:
    ports, body = _pair(s["w"], s["w"], "s ? a : b")
    return (("input", "s", 1), *ports), body


def _select(s: Sizes) -> Built:
    """n words to one, by a binary index."""
    n, w, k = s["n"], s["w"], log2(s["n"])
    ports = (("input", "a", n * w), ("input", "s", k), ("output", "q", w))
    tree, last = _tree([f"a[{i * w} +: {w}]" for i in range(n)], "s", w)
    return ports, f"{tree}reg [{w - 1}:0] r;\nalways @(posedge clk) r <= {last};\nassign q = r;\n"


def _tree(words: Sequence[str], index: str, w: int) -> tuple[str, str]:
    """Multiplexers of two, level by level; a word without a partner passes on."""
    lines, level, now = [], 0, list(words)
    while len(now) > 1:
        above = []
        for i in range(0, len(now) - 1, 2):
            name = f"t{level}_{i // 2}"
            lines.append(f"wire [{w - 1}:0] {name} = {index}[{level}] ? {now[i + 1]} : {now[i]};\n")
            above.append(name)
        now, level = above + now[len(now) - len(now) % 2 :], level + 1
    return "".join(lines), now[0]


def _divider(s: Sizes) -> Built:
    """Restoring division, a register stage for each bit of the quotient.

    x[k]: dividend bits left and quotient bits found; p[k]: the partial remainder; y[k]: the divisor.
    """
    w = s["w"]
    return (
        (("input", "a", w), ("input", "b", w), ("output", "q", w)),
        f"""
reg [{w - 1}:0] x [0:{w}], y [0:{w}];
reg [{w - 1}:0] p [0:{w}];
always @* begin
  x[0] = a;
  p[0] = 0;
  y[0] = b;
end
genvar k;
generate for (k = 0; k < {w}; k = k + 1) begin : step
  wire [{w}:0] t = {{p[k], x[k][{w - 1}]}};
  wire [{w + 1}:0] d = {{1'b0, t}} - {{2'b0, y[k]}};
  always @(posedge clk) begin
    x[k+1] <= {{x[k][{w - 2}:0], ~d[{w + 1}]}};
    p[k+1] <= d[{w + 1}] ? t[{w - 1}:0] : d[{w - 1}:0];
    y[k+1] <= y[k];
  end
end endgenerate
assign q = x[{w}];
""",
    )


def _float_add(s: Sizes) -> Built:
    """Swap, align, add, normalise (truncating): a register stage after each."""
    w = s["w"]
    e = exponent_bits(w)
    m = w - e  # significand with its hidden bit
    k = log2(m + 2)
    return (
        (("input", "a", w), ("input", "b", w), ("output", "q", w)),
        f"""
wire less = a[{w - 2}:0] < b[{w - 2}:0];
wire [{w - 1}:0] big = less ? b : a, small = less ? a : b;
reg s1, t1; reg [{e - 1}:0] e1, h1; reg [{m - 1}:0] x1, y1;
always @(posedge clk) begin
  s1 <= big[{w - 1}]; t1 <= big[{w - 1}] ^ small[{w - 1}];
  e1 <= big[{w - 2}:{m - 1}]; h1 <= big[{w - 2}:{m - 1}] - small[{w - 2}:{m - 1}];
  x1 <= {{|big[{w - 2}:{m - 1}], big[{m - 2}:0]}}; y1 <= {{|small[{w - 2}:{m - 1}], small[{m - 2}:0]}};
end
reg s2, t2; reg [{e - 1}:0] e2; reg [{m - 1}:0] x2, y2;
always @(posedge clk) begin
  s2 <= s1; t2 <= t1; e2 <= e1; x2 <= x1; y2 <= y1 >> h1;
end
reg s3; reg [{e - 1}:0] e3; reg [{m}:0] z3;
always @(posedge clk) begin
  s3 <= s2; e3 <= e2; z3 <= t2 ? {{1'b0, x2}} - {{1'b0, y2}} : {{1'b0, x2}} + {{1'b0, y2}};
end
{_leading_zeros("z3", m + 1, k)}
wire [{m}:0] n = z3 << zeros;
reg [{w - 1}:0] r;
always @(posedge clk) r <= {{s3, e3 + 1'b1 - zeros, n[{m - 1}:1]}};
assign q = r;
""",
    )


def _leading_zeros(value: str, width: int, k: int) -> str:
    """A tree: `zeros` counts the zeros above the highest one of `value`."""
    full = 1 << log2(width)
    lines = [f"wire [{full - 1}:0] l0 = {{{value}, {{{full - width}{{1'b1}}}}}};" if full > width else
             f"wire [{full - 1}:0] l0 = {value};"]  # fmt: skip
    size, bits = full, []
    for level in range(log2(width)):
        half = size // 2
        lines.append(f"wire none{level} = ~|l{level}[{size - 1}:{half}];")
        lines.append(
            f"wire [{half - 1}:0] l{level + 1} = none{level} ? l{level}[{half - 1}:0] : l{level}[{size - 1}:{half}];"
        )
        bits.append(f"none{level}")
        size = half
    return "\n".join(lines) + f"\nwire [{len(bits) - 1}:0] zeros = {{{', '.join(bits)}}};"


def _float_mul(s: Sizes) -> Built:
    """Multiply, then normalise (truncating): two register stages."""
    w = s["w"]
    e = exponent_bits(w)
    m = w - e
    return (
        (("input", "a", w), ("input", "b", w), ("output", "q", w)),
        f"""
reg s1; reg [{e - 1}:0] e1; reg [{2 * m - 1}:0] p1;
always @(posedge clk) begin
  s1 <= a[{w - 1}] ^ b[{w - 1}];
  e1 <= a[{w - 2}:{m - 1}] + b[{w - 2}:{m - 1}] - {e}'d{2 ** (e - 1) - 1};
  p1 <= {{|a[{w - 2}:{m - 1}], a[{m - 2}:0]}} * {{|b[{w - 2}:{m - 1}], b[{m - 2}:0]}};
end
reg [{w - 1}:0] r;
always @(posedge clk)
  r <= {{s1, e1 + p1[{2 * m - 1}], p1[{2 * m - 1}] ? p1[{2 * m - 2}:{m}] : p1[{2 * m - 3}:{m - 1}]}};
assign q = r;
""",
    )


def _float_div(s: Sizes) -> Built:
    """The significands by restoring division, a stage a bit; sign and exponent wait beside it."""
    w = s["w"]
    e = exponent_bits(w)
    m = w - e
    return (
        (("input", "a", w), ("input", "b", w), ("output", "q", w)),
        f"""
reg [{m}:0] p [0:{m}];
reg [{m - 1}:0] y [0:{m}], x [0:{m}];
reg [{e}:0] v [0:{m}];
always @* begin
  p[0] = {{2'b01, a[{m - 2}:0]}};
  y[0] = {{1'b1, b[{m - 2}:0]}};
  x[0] = 0;
  v[0] = {{a[{w - 1}] ^ b[{w - 1}], a[{w - 2}:{m - 1}] - b[{w - 2}:{m - 1}]}};
end
genvar k;
generate for (k = 0; k < {m}; k = k + 1) begin : step
  wire [{m + 1}:0] d = {{1'b0, p[k]}} - {{2'b0, y[k]}};
  always @(posedge clk) begin
    x[k+1] <= {{x[k][{m - 2}:0], ~d[{m + 1}]}};
    p[k+1] <= d[{m + 1}] ? p[k] << 1 : d[{m}:0] << 1;
    y[k+1] <= y[k];
    v[k+1] <= v[k];
  end
end endgenerate
wire top = x[{m}][{m - 1}];
reg [{w - 1}:0] r;
always @(posedge clk)
  r <= {{v[{m}][{e}], v[{m}][{e - 1}:0] - ~top, top ? x[{m}][{m - 2}:0] : {{x[{m}][{m - 3}:0], 1'b0}}}};
assign q = r;
""",
    )


def _float_less(s: Sizes) -> Built:
    w = s["w"]
    sign = f"a[{w - 1}] != b[{w - 1}] ? a[{w - 1}]"
    return _pair(w, 1, f"{sign} : a[{w - 1}] ? a[{w - 2}:0] > b[{w - 2}:0] : a[{w - 2}:0] < b[{w - 2}:0]")


def _to_float(s: Sizes) -> Built:
    """An integer of w bits: magnitude, leading zeros, shift; two register stages."""
    w = s["w"]
    e = exponent_bits(w)
    m = w - e
    return (
        (("input", "a", w), ("output", "q", w)),
        f"""
reg s1; reg [{w - 1}:0] x1;
always @(posedge clk) begin s1 <= a[{w - 1}]; x1 <= a[{w - 1}] ? -a : a; end
{_leading_zeros("x1", w, log2(w))}
wire [{w - 1}:0] n = x1 << zeros;
reg [{w - 1}:0] r;
always @(posedge clk) r <= {{s1, {e}'d{2 ** (e - 1) - 2 + w} - zeros, n[{w - 2}:{w - m}]}};
assign q = r;
""",
    )


def _to_fixed(s: Sizes) -> Built:
    """A float of w bits to an integer of as many: shift, then negate; two register stages."""
    w = s["w"]
    e = exponent_bits(w)
    m = w - e
    return (
        (("input", "a", w), ("output", "q", w)),
        f"""
wire [{e - 1}:0] h = {e}'d{2 ** (e - 1) - 2 + w} - a[{w - 2}:{m - 1}];
reg s1; reg [{w - 1}:0] x1;
always @(posedge clk) begin s1 <= a[{w - 1}]; x1 <= {{1'b1, a[{m - 2}:0], {{{w - m}{{1'b0}}}}}} >> h; end
reg [{w - 1}:0] r;
always @(posedge clk) r <= s1 ? -x1 : x1;
assign q = r;
""",
    )


def _ram(name: str, w: int, d: int, enable: str, write: str, data: str, read: str) -> str:
    """A block RAM with a write port and a registered read port; what a simultaneous read gives is left open."""
    return f"""(* ram_style = "block", no_rw_check *) reg [{w - 1}:0] {name} [0:{d - 1}];
reg [{w - 1}:0] {name}_q;
always @(posedge clk) begin
  if ({enable}) {name}[{write}] <= {data};
  {name}_q <= {name}[{read}];
end
"""


def _sram(s: Sizes) -> Built:
    w, d = s["w"], s["d"]
    k = log2(d)
    ports = (("input", "we", 1), ("input", "wa", k), ("input", "ra", k), ("input", "a", w), ("output", "q", w))
    return ports, _ram("m", w, d, "we", "wa", "a", "ra") + "assign q = m_q;\n"


def _banked(s: Sizes) -> Built:
    """n banks of d words; the index of the bank chooses which is written, and a multiplexer which is read."""
    w, d, n = s["w"], s["d"], s["n"]
    k, j = log2(d), log2(n)
    ports = (
        ("input", "we", 1), ("input", "wb", j), ("input", "wa", k), ("input", "rb", j), ("input", "ra", k),
        ("input", "a", w), ("output", "q", w),
    )  # fmt: skip
    rams = "".join(_ram(f"m{i}", w, d, f"we & (wb == {i})", "wa", "a", "ra") for i in range(n))
    tree, last = _tree([f"m{i}_q" for i in range(n)], "rb1", w)
    body = f"{rams}reg [{j - 1}:0] rb1;\nalways @(posedge clk) rb1 <= rb;\n{tree}assign q = {last};\n"
    return ports, body


def _buffered(s: Sizes) -> Built:
    """n copies in a ring: the producer writes one, the consumer reads the one before it, `turn` moves both on."""
    w, d, n = s["w"], s["d"], s["n"]
    k, j = log2(d), log2(n)
    ports = (
        ("input", "turn", 1), ("input", "rst", 1), ("input", "we", 1), ("input", "wa", k), ("input", "ra", k),
        ("input", "a", w), ("output", "q", w),
    )  # fmt: skip
    rams = "".join(_ram(f"m{i}", w, d, f"we & (at == {i})", "wa", "a", "ra") for i in range(n))
    tree, last = _tree([f"m{i}_q" for i in range(n)], "from_", w)
    body = f"""reg [{j - 1}:0] at, from_;
always @(posedge clk)
  if (rst) begin at <= 0; from_ <= {n - 1}; end
  else if (turn) begin at <= at == {n - 1} ? 0 : at + 1'b1; from_ <= at; end
{rams}{tree}assign q = {last};
"""
    return ports, body


def _fifo(s: Sizes) -> Built:
    w, d = s["w"], s["d"]
    k = log2(d)
    ports = (
        ("input", "rst", 1), ("input", "enq", 1), ("input", "deq", 1), ("input", "a", w), ("output", "q", w),
        ("output", "empty", 1), ("output", "full", 1),
    )  # fmt: skip
    return (
        ports,
        f"""reg [{k - 1}:0] head, tail; reg [{k}:0] count;
wire in = enq & ~full, out = deq & ~empty;
always @(posedge clk)
  if (rst) begin head <= 0; tail <= 0; count <= 0; end
  else begin
    if (in) tail <= tail == {d - 1} ? 0 : tail + 1'b1;
    if (out) head <= head == {d - 1} ? 0 : head + 1'b1;
    count <= count + in - out;
  end
assign empty = count == 0;
assign full = count == {d};
"""
        + _ram("m", w, d, "in", "tail", "a", "head")
        + "assign q = m_q;\n",
    )


def _counter(s: Sizes) -> Built:
    """n lanes that count together by `step`: lane k is k ahead; `done` when the next turn would pass the end."""
    w, n = s["w"], s["n"]
    ports = (
        ("input", "rst", 1),
        ("input", "en", 1),
        ("input", "step", w),
        ("input", "stop", w),
        ("output", "q", n * w),
        ("output", "done", 1),
    )
    lanes = "\n".join(
        f"reg [{w - 1}:0] c{i};\nalways @(posedge clk) if (rst | (en & done)) c{i} <= {i}; "
        f"else if (en) c{i} <= c{i} + step;\nassign q[{i * w} +: {w}] = c{i};"
        for i in range(n)
    )
    return ports, f"{lanes}\nwire [{w}:0] next = c0 + step;\nassign done = next >= {{1'b0, stop}};\n"


_TURNS = 32  # bits of the count of iterations in a controller


def _control(n: int, body: str) -> Built:
    ports = (
        ("input", "rst", 1), ("input", "start", 1), ("input", "turns", _TURNS), ("input", "done", n),
        ("output", "en", n), ("output", "finished", 1),
    )  # fmt: skip
    return ports, body


def _sequential(s: Sizes) -> Built:
    """One stage after the other, as many turns as asked for: a one-hot state and a counter."""
    n = s["n"]
    return _control(n, f"""reg [{n}:0] state; reg [{_TURNS - 1}:0] count;
wire step = |(state[{n - 1}:0] & done);
wire last = count + 1'b1 >= turns;
always @(posedge clk)
  if (rst | (start & state[{n}])) begin state <= rst ? {n + 1}'d{1 << n} : 1; count <= 0; end
  else if (step) begin
    state <= state[{n - 1}] ? (last ? {n + 1}'d{1 << n} : 1) : state << 1;
    if (state[{n - 1}]) count <= count + 1'b1;
  end
assign en = state[{n - 1}:0];
assign finished = state[{n}];
""")  # fmt: skip


def _pipelined(s: Sizes) -> Built:
    """A MetaPipe: stages that are full run; when all of them are done, every stage hands on to the next."""
    n = s["n"]
    shifted = f"{{full[{n - 2}:0], more}}" if n > 1 else "more"
    return _control(n, f"""reg [{n - 1}:0] full, ready; reg [{_TURNS - 1}:0] count; reg running;
wire step = running & &(~full | ready | done);
wire more = count + 1'b1 < turns;
wire [{n - 1}:0] next = {shifted};
always @(posedge clk)
  if (rst) begin full <= 0; ready <= 0; running <= 0; count <= 0; end
  else if (start & ~running) begin full <= 1; ready <= 0; running <= 1; count <= 0; end
  else if (step) begin
    full <= next; ready <= 0; running <= |next;
    count <= count + 1'b1;
  end else ready <= ready | (done & full);
assign en = full & ~ready;
assign finished = ~running;
""")  # fmt: skip


def _parallel(s: Sizes) -> Built:
    """All stages start together; finished with the last."""
    n = s["n"]
    return _control(n, f"""reg [{n - 1}:0] busy;
always @(posedge clk) if (rst) busy <= 0; else if (start & ~|busy) busy <= {{{n}{{1'b1}}}}; else busy <= busy & ~done;
assign en = busy;
assign finished = ~|busy;
""")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Family:
    """`sizes` name the parameters of `build`; `latency` in cycles as [fixed, per bit]."""

    sizes: tuple[str, ...]
    build: Callable[[Sizes], Built]
    latency: tuple[float, ...] = (1.0,)


FAMILIES: dict[str, Family] = {
    "fix_add": Family(("w",), _binary("+")),
    "fix_sub": Family(("w",), _binary("-")),
    "fix_mul": Family(("w",), _binary("*")),
    "fix_div": Family(("w",), _divider, (0.0, 1.0)),
    "fix_and": Family(("w",), _binary("&")),
    "fix_lt": Family(("w",), _comparison("<")),
    "fix_eq": Family(("w",), _comparison("==")),
    "fix_min": Family(("w",), _minimum),
    "mux": Family(("w",), _mux),
    "flt_add": Family(("w",), _float_add, (4.0,)),
    "flt_mul": Family(("w",), _float_mul, (2.0,)),
    "flt_div": Family(("w",), _float_div, (2.0, 0.78)),
    "flt_lt": Family(("w",), _float_less),
    "fix_to_flt": Family(("w",), _to_float, (2.0,)),
    "flt_to_fix": Family(("w",), _to_fixed, (2.0,)),
    "select": Family(("w", "n"), _select),
    "counter": Family(("w", "n"), _counter),
    "sram": Family(("w", "d"), _sram),
    "fifo": Family(("w", "d"), _fifo),
    "banked": Family(("w", "d", "n"), _banked),
    "buffered": Family(("w", "d", "n"), _buffered),
    "sequential": Family(("n",), _sequential),
    "pipelined": Family(("n",), _pipelined),
    "parallel": Family(("n",), _parallel),
}
