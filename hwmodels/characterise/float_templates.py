"""Arithmetic of floats of w bits, truncating, and conversions between them and integers."""

from __future__ import annotations

from tunepass.hwmodels.characterise.template_parts import Built, Sizes, log2, pair


def exponent_bits(w: int) -> int:
    """The exponent of a float of w bits: 5 of 16, 8 of 32, 11 of 64, as IEEE 754 has it, and between."""
    return 5 + 3 * (w - 16) // 16 if w < 32 else 8 + 3 * (w - 32) // 32


def add(s: Sizes) -> Built:
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


def multiply(s: Sizes) -> Built:
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


def divide(s: Sizes) -> Built:
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


def less(s: Sizes) -> Built:
    w = s["w"]
    sign = f"a[{w - 1}] != b[{w - 1}] ? a[{w - 1}]"
    return pair(w, 1, f"{sign} : a[{w - 1}] ? a[{w - 2}:0] > b[{w - 2}:0] : a[{w - 2}:0] < b[{w - 2}:0]")


def from_integer(s: Sizes) -> Built:
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


def to_integer(s: Sizes) -> Built:
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
