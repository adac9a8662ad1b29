"""Arithmetic of integers, comparisons and multiplexers, registered at their outputs."""

from __future__ import annotations

from collections.abc import Callable

from tunepass.hwmodels.characterise.template_parts import Built, Sizes, log2, multiplexed, pair


def binary(operator: str) -> Callable[[Sizes], Built]:
    return lambda s: pair(s["w"], s["w"], f"a {operator} b")


def comparison(operator: str) -> Callable[[Sizes], Built]:
    return lambda s: pair(s["w"], 1, f"$signed(a) {operator} $signed(b)")


def minimum(s: Sizes) -> Built:
    return pair(s["w"], s["w"], "($signed(a) < $signed(b)) ? a : b")


def mux(s: Sizes) -> Built:
    ports, body = pair(s["w"], s["w"], "s ? a : b")
    return (("input", "s", 1), *ports), body


def select(s: Sizes) -> Built:
    """n words to one, by a binary index."""
    n, w, k = s["n"], s["w"], log2(s["n"])
    ports = (("input", "a", n * w), ("input", "s", k), ("output", "q", w))
    tree, last = multiplexed([f"a[{i * w} +: {w}]" for i in range(n)], "s", w)
    return ports, f"{tree}reg [{w - 1}:0] r;\nalways @(posedge clk) r <= {last};\nassign q = r;\n"


def divider(s: Sizes) -> Built:
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
