"""Block RAMs: single, banked, buffered, and as queues."""

from __future__ import annotations

from tunepass.hwmodels.characterise.template_parts import Built, Sizes, log2, multiplexed


def _ram(name: str, w: int, d: int, enable: str, write: str, data: str, read: str) -> str:
    """A block RAM with a write port and a registered read port; what a simultaneous read gives is left open."""
    return f"""(* ram_style = "block", no_rw_check *) reg [{w - 1}:0] {name} [0:{d - 1}];
reg [{w - 1}:0] {name}_q;
always @(posedge clk) begin
  if ({enable}) {name}[{write}] <= {data};
  {name}_q <= {name}[{read}];
end
"""


def sram(s: Sizes) -> Built:
    w, d = s["w"], s["d"]
    k = log2(d)
    ports = (("input", "we", 1), ("input", "wa", k), ("input", "ra", k), ("input", "a", w), ("output", "q", w))
    return ports, _ram("m", w, d, "we", "wa", "a", "ra") + "assign q = m_q;\n"


def banked(s: Sizes) -> Built:
    """n banks of d words; the index of the bank chooses which is written, and a multiplexer which is read."""
    w, d, n = s["w"], s["d"], s["n"]
    k, j = log2(d), log2(n)
    ports = (
        ("input", "we", 1), ("input", "wb", j), ("input", "wa", k), ("input", "rb", j), ("input", "ra", k),
        ("input", "a", w), ("output", "q", w),
    )  # fmt: skip
    rams = "".join(_ram(f"m{i}", w, d, f"we & (wb == {i})", "wa", "a", "ra") for i in range(n))
    tree, last = multiplexed([f"m{i}_q" for i in range(n)], "rb1", w)
    body = f"{rams}reg [{j - 1}:0] rb1;\nalways @(posedge clk) rb1 <= rb;\n{tree}assign q = {last};\n"
    return ports, body


def buffered(s: Sizes) -> Built:
    """n copies in a ring: the producer writes one, the consumer reads the one before it, `turn` moves both on."""
    w, d, n = s["w"], s["d"], s["n"]
    k, j = log2(d), log2(n)
    ports = (
        ("input", "turn", 1), ("input", "rst", 1), ("input", "we", 1), ("input", "wa", k), ("input", "ra", k),
        ("input", "a", w), ("output", "q", w),
    )  # fmt: skip
    rams = "".join(_ram(f"m{i}", w, d, f"we & (at == {i})", "wa", "a", "ra") for i in range(n))
    tree, last = multiplexed([f"m{i}_q" for i in range(n)], "from_", w)
    body = f"""reg [{j - 1}:0] at, from_;
always @(posedge clk)
  if (rst) begin at <= 0; from_ <= {n - 1}; end
  else if (turn) begin at <= at == {n - 1} ? 0 : at + 1'b1; from_ <= at; end
{rams}{tree}assign q = {last};
"""
    return ports, body


def fifo(s: Sizes) -> Built:
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
