"""Counters, and the controllers that start stages one after the other, in a pipeline or together."""

from __future__ import annotations

from tunepass.hwmodels.characterise.template_parts import Built, Sizes


def counter(s: Sizes) -> Built:
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


def sequential(s: Sizes) -> Built:
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


def pipelined(s: Sizes) -> Built:
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


def parallel(s: Sizes) -> Built:
    """All stages start together; finished with the last."""
    n = s["n"]
    return _control(n, f"""reg [{n - 1}:0] busy;
always @(posedge clk) if (rst) busy <= 0; else if (start & ~|busy) busy <= {{{n}{{1'b1}}}}; else busy <= busy & ~done;
assign en = busy;
assign finished = ~|busy;
""")  # fmt: skip
