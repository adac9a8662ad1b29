"""Vitis: pragmas in functions and loops, types of ap_int.h and hls_stream.h, templates."""

import pytest

from tests.frontends.hls.sources import body, loop, names, operations, parse, warnings
from tunepass.diagnostics import Source
from tunepass.expr.printer import to_text
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.ir.hardware import Fixed
from tunepass.ir.hls import HlsKernel, HlsRegion, items_of

MATMUL = """\
#include <ap_int.h>
#pragma tunepass param U: pow2(1, 8) = 2
#define U 2
const int N = 16;
template <typename T, int M>
static void load(T to[M], const T *from) {
load: for (int i = 0; i < M; i++) {
#pragma HLS pipeline II=1
    to[i] = from[i];
  }
}
void top(const ap_int<12> *in, int *out, int n)
{
#pragma HLS interface m_axi port=in bundle=left max_widen_bitwidth=512
#pragma HLS interface m_axi port=out bundle=right depth=64
  ap_int<12> local[N];
#pragma HLS array_partition variable=local cyclic factor=U dim=1
  load<ap_int<12>, N>(local, in);
sums: for (int i = 0; i < n; i++) {
#pragma HLS loop_tripcount min=4 max=12
    int sum = 0;
terms: for (int j = 0; j < N; j++) {
#pragma HLS unroll factor=U
#pragma HLS dependence variable=local inter false
      sum += local[j] * in[i];
    }
    out[i] = sum;
  }
}
"""


def top(statements: str, formals: str = "int a[64], int b[64]", before: str = "") -> HlsKernel:
    """A function with a parameter U that a loop of its own uses."""
    text = f"#pragma tunepass param U: pow2(1, 8) = 2\n#pragma tunepass hls top\n#define U 2\n{before}\n"
    return body(f"{text}void top({formals})\n{{\n{statements}\n}}\n".replace("hls top", "hls top"), "top.cpp")


@pytest.fixture
def matmul() -> HlsKernel:
    return body("#pragma tunepass hls top\n" + MATMUL, "matmul.cpp")


def test_factors_are_names_of_parameters(matmul: HlsKernel) -> None:
    assert to_text(loop(matmul, "terms").unroll) == "U"
    (partition,) = matmul.array("local").partitions
    assert (partition.kind, partition.dim, to_text(partition.factor)) == ("cyclic", 1, "U")


def test_interfaces_say_where_arrays_are(matmul: HlsKernel) -> None:
    left, right = matmul.array("in"), matmul.array("out")
    assert (left.storage, left.port, left.port_bit and to_text(left.port_bit)) == ("global", "left", "512")
    assert (right.port, right.written, right.read) == ("right", True, False)
    assert [to_text(d) for d in right.dims] == ["64"]


def test_functions_of_templates_are_read_with_their_arguments(matmul: HlsKernel) -> None:
    assert to_text(loop(matmul, "load").trip) == "16"
    assert matmul.array("local").element == Fixed(True, 12, 0)
    assert [r.label for r in items_of(matmul.whole) if isinstance(r, HlsRegion)] == ["top", "load"]


def test_stated_trip_counts_stand_for_unknown_ones(matmul: HlsKernel) -> None:
    sums = loop(matmul, "sums")
    assert (to_text(sums.trip), sums.most and to_text(sums.most), sums.assumed) == ("8.0", "12", None)


def test_a_pragma_says_that_nothing_is_carried(matmul: HlsKernel) -> None:
    assert loop(matmul, "terms").independent == ("local",)


def test_products_of_narrow_numbers_are_narrow(matmul: HlsKernel) -> None:
    product = next(o for o in operations(matmul) if o.name == "fix_mul")
    assert product.element == Fixed(True, 24, 0)


def test_a_pipelined_loop_unrolls_those_inside() -> None:
    kernel = top(
        "for (int i = 0; i < 8; i++) {\n#pragma HLS pipeline II=2\nfor (int j = 0; j < U; j++) a[i] += b[j]; }"
    )
    outer = loop(kernel, "i")
    assert (to_text(outer.pipelined), to_text(outer.flattened), outer.interval and to_text(outer.interval)) == (
        *("1", "1"),
        "2",
    )


def test_dataflow_regions_pass_streams() -> None:
    before = """
static void produce(int *in, hls::stream<int> &s) { for (int i = 0; i < 64; i++) s.write(in[i]); }
static void consume(hls::stream<int> &s, int *out) { for (int i = 0; i < 64; i++) { int v; s >> v; out[i] = v * U; } }
"""
    statements = """
#pragma HLS dataflow
  hls::stream<int> queue("queue");
#pragma HLS stream variable=queue depth=32
  produce(a, queue);
  consume(queue, b);
"""
    kernel = top(statements, before=before)
    assert kernel.whole.dataflow
    queue = kernel.array("queue")
    assert (queue.storage, [to_text(d) for d in queue.dims]) == ("stream", ["32"])
    assert [(o.name, o.array) for o in operations(kernel)] == [
        *(("load", "a"), ("store", "queue"), ("load", "queue")),
        *(("constant", None), ("fix_mul", None), ("store", "b")),
    ] or names(kernel).count("store") == 2


def test_tasks_are_calls() -> None:
    before = "static void f(hls::stream<int> &s, hls::stream<int> &t) { t.write(s.read() * U); }"
    kernel = top("hls_thread_local hls::task t1(f, a, b);", "hls::stream<int> &a, hls::stream<int> &b", before)
    assert "fix_mul" in names(kernel)


def test_limits_and_storage() -> None:
    statements = """
#pragma HLS allocation operation instances=mul limit=2
  int buffer[64];
#pragma HLS bind_storage variable=buffer type=ram_2p impl=uram
#pragma HLS array_reshape variable=buffer type=block factor=4
  for (int i = 0; i < 64; i++) buffer[i] = a[i] * U;
  for (int i = 0; i < 64; i++) b[i] = buffer[63 - i];
"""
    kernel = top(statements)
    assert [(name, to_text(e)) for name, e in kernel.whole.allocation] == [("fix_mul", "2")]
    buffer = kernel.array("buffer")
    assert (buffer.resource, buffer.partitions[0].kind, to_text(buffer.partitions[0].factor)) == ("uram", "block", "4")


def test_fixed_point_numbers_grow_as_their_types_say() -> None:
    formals = "ap_fixed<16, 8> a[64], ap_ufixed<12, 4> b[64], ap_fixed<32, 16> c[64]"
    kernel = top("for (int i = 0; i < 64; i += U) c[i] = a[i] * b[i];", formals)
    product = next(o for o in operations(kernel) if o.name == "fix_mul")
    assert product.element == Fixed(True, 12, 16)


def test_methods_and_members_of_classes() -> None:
    before = """
struct Window { int rows[4]; int sum() { int s = 0; for (int k = 0; k < 4; k++) s += rows[k]; return s; } };
"""
    kernel = top("Window w; for (int i = 0; i < 64; i += U) { w.rows[i % 4] = a[i]; b[i] = w.sum(); }", before=before)
    assert "w.rows" in {a.name for a in kernel.arrays} and loop(kernel, "k")


def test_copies_are_loops() -> None:
    kernel = top("int local[64]; memcpy(local, a, sizeof(int) * 64); for (int i = 0; i < 64; i += U) b[i] = local[i];")
    copy = loop(kernel, "memcpy")
    assert to_text(copy.trip) == "64" and [o.array for o in operations(copy)] == ["a", "local"]


def test_references_are_other_names() -> None:
    before = "static void add(int &total, int v) { total += v; }"
    kernel = top("int t = 0; for (int i = 0; i < 64; i += U) { add(t, a[i]); } b[0] = t;", before=before)
    inner = loop(kernel, "i")
    assert [(o.name, o.array) for o in operations(inner)][-1] == ("store", "t")


def test_early_exits_leave_the_rest_to_their_condition() -> None:
    before = "static int clip(int v) { if (v > 100) return 100; if (v < 0) return 0; return v; }"
    kernel = top("for (int i = 0; i < 64; i += U) b[i] = clip(a[i]);", before=before)
    assert names(kernel).count("mux") == 2


def test_values_of_formals_are_stated_in_the_pragma() -> None:
    text = "#pragma tunepass hls top(n = 32, in: in int[n * 2])\n" + MATMUL.replace("ap_int<12> *in", "int *in")
    kernel = body(text.replace("<ap_int<12>, N>", "<int, N>").replace("ap_int<12> local", "int local"), "m.cpp")
    assert to_text(loop(kernel, "sums").trip) == "32"
    assert to_text(kernel.array("in").dims[0]) == "64"


def test_what_is_not_understood_is_said() -> None:
    text = (
        "#pragma tunepass hls top\n#pragma tunepass param U: pow2(1, 4) = 1\n#define U 1\nvoid top(int *a, int n) {\n"
    )
    text += "#pragma HLS array_partiton variable=a\nfor (int i = 0; i < n; i += U) a[i] = mystery(a[i]); }\n"
    told = warnings(text, "t.cpp")
    assert any("array_partiton" in t for t in told) and any("`mystery`" in t for t in told)
    assert any("iterations" in t for t in told)


def test_parameters_that_only_one_function_reads_are_its_own() -> None:
    text = "#pragma tunepass param U: pow2(1, 8) = 2\n#pragma tunepass hls top\n#define U 2\n"
    text += "void top(int a[64]) { for (int i = 0; i < 64; i += U) a[i] = 0; }\n"
    assert [p.name for p in parse(text, "t.cpp").parameters] == ["U"]


def test_a_macro_of_statements_that_is_not_here_is_told_and_its_arguments_are_passed_over() -> None:
    text = """#pragma tunepass param U: pow2(1, 8) = 2
#pragma tunepass hls top
#define U 2
void top(int a[64]) {
  DEBUG(3,
    int seen = a[0];
    print("%d", seen);
  );
  for (int i = 0; i < 64; i += U) a[i] = 0;
}
"""
    assert [loop.name for loop in body(text, "t.cpp").loops()] == ["i"]
    assert any("`DEBUG` is not in this file" in told for told in warnings(text, "t.cpp"))


def test_a_member_behind_a_pointer_has_the_subscripts_of_its_own_dimensions() -> None:
    text = """#pragma tunepass param U: pow2(1, 8) = 2
#pragma tunepass hls top
#define U 2
struct state { int key[8][4]; int last; };
void top(state *s) {
  for (int i = 0; i < 8; i++) {
#pragma HLS unroll factor=U
    s->key[i][0] = (*s).last;
  }
}
"""
    kernel = body(text, "t.cpp")
    stored = next(o for o in operations(kernel) if o.name == "store" and o.array == "s.key")
    assert len(stored.subscripts) == len(kernel.array("s.key").dims) == 3


def widths(domain: str) -> str:
    text = f"#pragma tunepass param W: {domain} = 12\n#pragma tunepass hls top\n#define W 12\n"
    return text + "void top(ap_int<W> a[64]) { for (int i = 0; i < 64; i++) a[i] = a[i] + 1; }\n"


def test_widths_that_parameters_give_are_read_for_each_of_their_values() -> None:
    kernel = body(widths("ordinal(8, 12)"), "t.cpp")
    assert kernel.array("a").element == Fixed(True, 12, 0)
    assert [v.values for v in kernel.variants] == [(("W", 8),), (("W", 12),)]
    assert [v.body.array("a").element for v in kernel.variants] == [Fixed(True, 8, 0), Fixed(True, 12, 0)]
    assert not warnings(widths("ordinal(8, 12)"), "t.cpp")


def test_too_many_widths_are_priced_at_their_defaults_and_said_so() -> None:
    assert body(widths("integer(1..128)"), "t.cpp").variants == ()
    assert any("more than 64 combinations" in told for told in warnings(widths("integer(1..128)"), "t.cpp"))


def test_a_loop_that_data_may_end_is_taken_to_run_to_its_end_and_says_so() -> None:
    """A `break` of a switch or of a loop inside ends nothing around it; a `return` does."""
    parsed = HlsFrontend().parse(
        Source(
            "find.cpp",
            """#pragma tunepass param U: ordinal(1, 2) = 1
#pragma tunepass hls find
int find(int a[64], int key) {
  int at = -1;
first:
  for (int i = 0; i < 64; i++) {
#pragma HLS unroll factor=U
    if (a[i] == key) { at = i; break; }
  }
second:
  for (int i = 0; i < 8; i++) {
    switch (a[i]) { case 0: at += 1; break; default: at += 2; }
  }
third:
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 8; j++) {
      if (a[i * 8 + j] == 0) return at;
    }
  }
  return at;
}
""",
        )
    )
    body = parsed.kernels[0].body_as(HlsKernel)
    assumed = {loop.name: loop.assumed is not None for loop in body.loops()}
    assert [assumed[name] for name in ("first", "second", "third")] == [True, False, True]
    assert any("data may end it early" in warning.message for warning in parsed.warnings)


@pytest.mark.parametrize("number", ["0xFFFFFFFFFFFFFFFFull", "340282346638528859811704183484516925440.0f", "1ul << 64"])
def test_a_number_that_no_expression_holds_is_read(number: str) -> None:
    text = "#pragma tunepass param U: pow2(1, 8) = 2\n#pragma tunepass hls top\n#define U 2\n"
    text += f"#define MOST {number}\n"
    text += "void top(unsigned long a[64]) { for (int i = 0; i < 64; i += U) a[i] = a[i] ^ (MOST); }\n"
    assert names(body(text, "t.cpp"))[-1] == "store"
