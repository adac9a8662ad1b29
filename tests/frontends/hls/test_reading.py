"""What the reader of C gives to the HLS frontend: headers, words of tools, C++ that synthesis takes."""

from pathlib import Path

import pytest

from tests.frontends.hls.sources import body, loop, names, warnings
from tunepass.diagnostics import Source, SourceError
from tunepass.expr import algebra
from tunepass.expr.printer import to_text
from tunepass.frontends.hls.file import HlsFile
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.ir.hls import HlsKernel

HEAD = "#pragma tunepass param U: pow2(1, 8) = 2\n#pragma tunepass hls top\n#define U 2\n"


def top(statements: str, before: str = "", formals: str = "int a[64], int n") -> HlsKernel:
    """Of a kernel that has these statements and a loop that is unrolled."""
    unrolled = "for (int u = 0; u < 64; u += U) a[u] = n;"
    return body(f"{HEAD}{before}\nvoid top({formals}) {{\n{statements}\n{unrolled}\n}}\n", "top.cpp")


def test_headers_that_are_not_here_are_named_unless_their_types_are_known() -> None:
    text = '#include <ap_int.h>\n#include "board.h"\nvoid top(int a[64]) { for (int i = 0; i < U; i++) a[i] = 0; }\n'
    (told,) = [w for w in warnings(HEAD + text, "top.cpp") if "headers" in w]
    assert told == "headers are not here, and their declarations are unknown: `board.h`"


def test_a_tool_for_synthesis_is_not_started(tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("#ifdef WIDE\n#define N 128\n#endif\n")
    text = f'#include "sizes.h"\n{HEAD}void top(int a[N]) {{ for (int i = 0; i < N; i += U) a[i] = 0; }}\n'
    words = ("v++", "--part", "xcvu9p", "--clock.freqhz", "300", "-I", str(tmp_path), "-DWIDE")
    (kernel,) = HlsFrontend().parse(Source("top.cpp", text), words=words).kernels
    assert algebra.number(kernel.body_as(HlsKernel).arrays[0].dims[0]) == 128


def test_a_compiler_that_is_named_reads_the_source() -> None:
    file = HlsFile.read(Source("top.cpp", "int n = __cplusplus;"), ("c++", "-std=c++17"), {})
    assert file.unit.tokens[3].text == "201703L"


def test_pragmas_of_a_header_are_read_with_its_macros(tmp_path: Path) -> None:
    (tmp_path / "add.h").write_text(
        "#define LANES 4\nvoid add(int a[64]) {\n  for (int i = 0; i < 64; i++) {\n#pragma HLS unroll factor=LANES\n"
        "    a[i] += 1;\n  }\n}\n"
    )
    text = f'{HEAD}#include "add.h"\nvoid top(int a[64]) {{ add(a); for (int u = 0; u < 64; u += U) a[u] = 0; }}\n'
    (kernel,) = HlsFrontend().parse(Source(str(tmp_path / "top.cpp"), text)).kernels
    assert algebra.number(loop(kernel.body_as(HlsKernel), "i").unroll) == 4


def test_operators_that_are_words_are_operators() -> None:
    assert "fix_xor" in names(top("a[0] = a[1] xor n;"))


def test_types_of_a_function_s_own_have_their_widths() -> None:
    types = "typedef ap_uint<5> word; struct pair { ap_uint<9> x[8]; int y; };"
    kernel = top(f"{types} word w[8]; pair p; w[n] = a[0]; p.x[n] = w[n + 1]; a[1] = p.x[n + 1];")
    assert {f.name: f.element.bits for f in kernel.arrays} | {"w": 5, "p.x": 9, "a": 32} == {
        f.name: f.element.bits for f in kernel.arrays
    }


def test_enumerators_are_numbers_wherever_they_are_declared() -> None:
    kernel = top(
        "enum { FIRST, LAST = 6 }; for (int k = FIRST; k < LAST; k++) a[k] = 0;", "enum class mode { off, on = 3 };"
    )
    assert algebra.number(loop(kernel, "k").trip) == 6


def test_a_loop_may_have_the_name_of_any_variable() -> None:
    kernel = top("for (int offset = 0; offset < 8; offset++) a[offset] = 0;")
    assert algebra.number(loop(kernel, "offset").trip) == 8


def test_records_that_point_to_each_other_are_bounded() -> None:
    fields = "\n".join(f"struct node *n{k};" for k in range(12))
    kernel = top("a[0] = root->n1->value;", f"struct node {{ int value;\n{fields}\n}};", "int a[64], int n, node *root")
    assert len(kernel.arrays) < 40


def test_asserts_cost_nothing() -> None:
    plain = names(top("a[0] = n;", "#include <cassert>"))
    assert names(top("assert(n < 64 && a[1] > 3); a[0] = n;", "#include <cassert>")) == plain


def test_the_macros_of_a_parameter_stay_its_name_in_every_use() -> None:
    text = f"{HEAD}#define TWICE(x) ((x) * 2)\nvoid top(int a[64]) {{ for (int i = 0; i < TWICE(U); i++) a[i] = 0; }}\n"
    assert "U" in str(loop(body(text, "top.cpp"), "i").trip)


@pytest.mark.parametrize(
    "header,iterations",
    [
        ("int i = 0; i < 3.5; i++", 4),
        ("int i = 0; i <= 3.5; i++", 4),
        ("int i = -8; i < -3.5; i++", 5),
        ("int i = 9; i > 3.5; i--", 6),
        ("int i = 9; i >= 3.5; i--", 6),
        ("int i = 0; i < 4.0; i++", 4),
    ],
)
def test_a_bound_between_whole_numbers(header: str, iterations: int) -> None:
    assert algebra.number(loop(top(f"for ({header}) a[i & 63] = n;"), "i").trip) == iterations


@pytest.mark.parametrize("guard,iterations", [("#if U > 1", 8), ("#if U > 4", 16)])
def test_a_condition_has_the_default_of_a_parameter(guard: str, iterations: int) -> None:
    text = f"{guard}\n#define N 8\n#else\n#define N 16\n#endif\n"
    kernel = top("for (int k = 0; k < N; k++) a[k] = 0;", text)
    assert algebra.number(loop(kernel, "k").trip) == iterations


def test_a_function_in_a_branch_that_is_left_out_is_refused_with_its_condition() -> None:
    with pytest.raises(SourceError, match="does not see `top`") as caught:
        HlsFrontend().parse(Source("top.cpp", f"{HEAD}#ifdef HW\nvoid top(int a[64]) {{ a[0] = U; }}\n#endif\n"))
    assert "`#ifdef HW` in line 4" in (caught.value.diagnostics[0].hint or "")


def test_an_object_is_called_by_its_operator() -> None:
    record = "struct above { int level; bool operator()(int x) const { return x > level; } };"
    kernel = top("above test; test.level = 3; a[0] = test(a[1]);", record)
    assert "fix_lt" in names(kernel) and "test" not in warnings_of(record)


def warnings_of(record: str) -> str:
    text = f"{HEAD}{record}\nvoid top(int a[64]) {{ above test; test.level = U; a[0] = test(a[1]); }}\n"
    return " ".join(warnings(text, "top.cpp"))


def test_a_template_s_argument_may_have_the_parameter_s_own_name() -> None:
    """`D` of `word<D / 2>` is the function's: half as wide, and no circle where nothing says how wide."""
    templates = """
template <int D> struct word { ap_uint<D> data; };
template <int D> void low(int a[64]) { word<D / 2> w; w.data = a[0]; for (int i = 0; i < 4; i++) a[i] = w.data; }
"""
    widths = {f.name: f.element.bits for f in top("low<16>(a);", templates).arrays}
    assert widths["w.data"] == 8
    assert any(name.endswith("w.data") for name in {f.name for f in top("low<UNKNOWN>(a);", templates).arrays})


@pytest.mark.parametrize("number", ["HALF", "PLANES * 10", "depth", "N // 2"])
def test_numbers_in_our_lines_may_be_macros_of_macros_enumerators_and_constants(number: str) -> None:
    named = "#define N 60\n#define HALF (N / 2)\nenum { PLANES = 3 };\nstatic const int depth = N - 30;\n"
    line = f"#pragma tunepass hls k(n = {number})\n"
    code = "void k(float a[64], int n)\n{\n  sums: for (int i = 0; i < n; i++) {\n#pragma HLS unroll factor=auto{U}\n"
    read = body(named + line + code + "    a[i] += 1;\n  }\n}\n", "k.cpp")
    assert to_text(loop(read, "sums").trip) == "30"


MEMBERS = """
namespace mac { struct Filter { int taps[64]; bool has(int x); }; }
namespace net { struct Filter { int taps[64]; bool has(int x); }; struct Queue { int taps[64]; bool has(int x); }; }
bool mac::Filter::has(int x) { for (int i = 0; i < 64; i++) if (taps[i] == x) return true; return false; }
namespace net {
bool Filter::has(int x) { for (int i = 0; i < 64; i++) if (taps[i] == x) return true; return false; }
bool Queue::has(int x) { for (int i = 0; i < 64; i++) {
#pragma HLS unroll factor=U
  if (taps[i] == x) return true; } return false; }
}
"""


@pytest.mark.parametrize("name", ["Queue::has", "net::Queue::has"])
def test_a_member_is_read_of_the_class_that_the_pragma_names(name: str) -> None:
    source = Source("top.cpp", HEAD.replace("hls top", f"hls {name}") + MEMBERS)
    (kernel,) = HlsFrontend().parse(source).kernels
    assert kernel.name == "Queue::has"


def test_a_member_of_no_class_of_this_name_is_refused_with_those_that_are_there() -> None:
    with pytest.raises(SourceError) as refusal:
        HlsFrontend().parse(Source("top.cpp", HEAD.replace("hls top", "hls Stack::has") + MEMBERS))
    (told,) = refusal.value.diagnostics
    assert told.message == "no function `Stack::has` is defined here"
    assert told.hint == "there are mac::Filter::has, net::Filter::has, net::Queue::has"
