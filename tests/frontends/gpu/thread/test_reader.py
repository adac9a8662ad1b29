"""What a thread's code holds, read from small kernels."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.nodes import BOOL, INTEGER, CategoryType
from tunepass.expr.printer import to_text
from tunepass.frontends.cfamily.reading import read
from tunepass.frontends.gpu.thread.reader import read_thread

TYPES = {"T": INTEGER, "U": INTEGER, "BLOCK": INTEGER, "AHEAD": BOOL, "STAGE": CategoryType(("CACHE", "SHARED"))}


SYMBOLS = {"T": 4, "U": 2, "BLOCK": 64, "AHEAD": 0, "STAGE": 1}


def read_text(text, name="k"):
    """The kernel's code as it stands there; None where the text has no such kernel, or none that can be read."""
    try:
        unit = read(Source("kernel.cu", text), ("c++",), "cuda", SYMBOLS, guards=True)
        kernels = [f for f in unit.functions if f.name.text == name.partition("<")[0]]
        return read_thread(kernels[-1], name, TYPES) if kernels else None
    except SourceError:
        return None


def thread(body, before="", head="int n, const float *a, float *b"):
    return read_text(f'{before}\nextern "C" __global__ void __launch_bounds__(BLOCK) k({head}) {{\n{body}\n}}\n')


def amounts(region):
    names = (name for name in region.__slots__ if name not in ("inside", "whole", "operations", "values"))
    texts = {name: to_text(getattr(region, name)) for name in names}
    return {name: text for name, text in texts.items() if text != "0" and (name, text) != ("copies", "1")}


def test_arguments_and_launch_bounds():
    found = thread("")
    assert (found.pointers, found.scalars) == (4, 1)
    assert to_text(found.most_threads) == "BLOCK" and found.least_blocks is None


@pytest.mark.parametrize(
    "declared,words",
    [
        ("float x[4];", "4"),
        ("float x[T][3] = {};", "3 * T"),
        ("double x[T];", "2 * T"),
        ("float4 x[T];", "4 * T"),
        ("Pair x[2];", "2 * (T + 2)"),
        ("float x[T], y[U];", "T + U"),
        ("float x[WIDTH];", "T * 2 + 1"),
        ("const int m = T / 2; float x[m];", "T // 2"),
        ("__shared__ float x[T];", None),
        ("float x;", None),
    ],
)
def test_local_arrays(declared, words):
    found = thread(declared, "#define WIDTH (T * 2 + 1)\nstruct Pair { float at[T]; double mass; };")
    assert amounts(found.body).get("arrays") == words


STRIDED = "if({0} <= 16, {0}, min({0}, 16))".format("ceildiv(64, BLOCK)")


class TestLoops:
    LOAD = "b[i] = a[i];"

    def test_an_unrolled_loop_repeats_its_text(self):
        found = thread(f"#pragma unroll\nfor (int i = 0; i < T; i++) {self.LOAD}")
        assert amounts(found.body) == {"global_loads": "T", "global_load_words": "T", "global_stores": "T"}
        assert not found.body.inside

    def test_loops_within_each_other_multiply(self):
        inner = f"#pragma unroll\nfor (int j = 0; j < U; j++) {self.LOAD}"
        found = thread(f"#pragma unroll\nfor (int i = 0; i < T; i++) {{\n{inner}\n}}")
        assert amounts(found.body)["global_stores"] == "T * U"

    @pytest.mark.parametrize(
        "pragma,head,copies,whole",
        [
            ("#pragma unroll 4", "int i = 0; i < n; i++", "4", "0"),
            ("#pragma unroll U", "int i = 0; i < n; i += 2", "U", "0"),
            ("#pragma unroll factor", "int i = 0; i < T; i++", "min(U, T)", "if(U >= T, 1, 0)"),
            ("", "int i = 0; i < 8; i++", "8", "1"),
            ("", "int i = 0; i < 100; i++", "1", "0"),
            ("", "int i = 0; i < n; i++", "4", "0"),
            ("", "int i = threadIdx.x; i < 64; i += BLOCK", STRIDED, "0"),
        ],
    )
    def test_a_loop_that_runs_is_a_region(self, pragma, head, copies, whole):
        found = thread(f"{pragma}\nfor ({head}) {self.LOAD}", "static constexpr int factor = U;")
        (region,) = found.body.inside
        assert (to_text(region.copies), to_text(region.whole)) == (copies, whole)
        assert amounts(region)["global_stores"] == "1"

    @pytest.mark.parametrize(
        "head,trips",
        [
            ("int i = 0; i <= T; i++", "T + 1"),
            ("int i = T; i > 0; i -= 2", "ceildiv(T, 2)"),
            ("int i = x; i < x + T; i++", "T"),
            ("int i = BLOCK / 2; i > 0; i /= 2", "floor(log2(BLOCK // 2)) + 1"),
        ],
    )
    def test_trips(self, head, trips):
        found = thread(f"int x = n;\n#pragma unroll\nfor ({head}) b[0] = 1;")
        assert amounts(found.body)["global_stores"] == trips


class TestConditions:
    def test_a_branch_over_parameters_counts_where_it_is_taken(self):
        found = thread("if (AHEAD) b[0] = 1; else { b[0] = 1; b[1] = 2; }")
        assert amounts(found.body)["global_stores"] == "if(AHEAD, 1, 0) + 2 * if(AHEAD, 0, 1)"

    def test_so_does_the_preprocessors(self):
        body = "#if STAGE == SHARED\nb[0] = 1;\n#elif T > 2\nb[0] = 1; b[1] = 1;\n#else\nb[0] = a[0];\n#endif\n"
        stores = amounts(thread(body, "#define SHARED 1").body)["global_stores"]
        assert 'if(STAGE == "SHARED", 1, 0)' in stores and "if(T > 2, 1, 0)" in stores

    def test_a_branch_that_the_run_decides_counts_whole(self):
        assert amounts(thread("if (n > 3) b[0] = 1; else b[1] = 1;").body)["global_stores"] == "2"


class TestAccesses:
    def test_what_goes_to_a_local_array_is_counted_there(self):
        found = amounts(thread("float x[2]; x[0] = a[0]; float y = a[1];").body)
        assert (found["global_loads"], found["global_load_words"]) == ("2", "1")

    def test_shared_arrays(self):
        found = amounts(thread("__shared__ float s[8]; s[n] = a[n]; __syncthreads(); b[n] += s[n];").body)
        assert found == {
            "global_loads": "2",
            "global_load_words": "2",
            "global_stores": "1",
            "shared_loads": "1",
            "shared_load_words": "1",
            "shared_stores": "1",
            "barriers": "1",
        }

    @pytest.mark.parametrize(
        "load",
        ["__ldg(&a[n])", "*(a + n)", "*reinterpret_cast<const float *>(a + n)", "row(a, n)", "p[n]"],
    )
    def test_spellings_of_a_load(self, load):
        function = "static __device__ float row(const float *x, int i) { return x[i]; }"
        assert amounts(thread(f"const float *p = a + 4; b[0] = {load};", function).body)["global_loads"] == "1"

    def test_an_address_is_no_load(self):
        assert "global_loads" not in amounts(thread("const float *p = &a[n];").body)

    def test_a_lambda_is_read_where_it_is_called(self):
        found = thread("float x[T]; auto fetch = [&](int k) { x[0] = a[k]; };\nfetch(0);\nif (AHEAD) fetch(1);")
        assert amounts(found.body)["global_loads"] == "if(AHEAD, 1, 0) + 1"

    def test_a_function_that_calls_itself_ends(self):
        function = "__device__ float f(float *x, int i) { return i ? f(x, i - 1) + x[i] : 0; }"
        assert thread("b[0] = f(b, n);", function) is not None

    def test_a_row_that_stays_is_hoisted_and_one_that_moves_is_not(self):
        rows = "#pragma unroll\nfor (int s = 0; s < T; s++) sum += a[(x + s) * n + i] + a[(i + s) * n] + a[i + s];"
        (region,) = thread(f"int x = n; float sum = 0;\nfor (int i = 0; i < n; i++) {{\n{rows}\n}}").body.inside
        found = amounts(region)
        assert found["global_loads"] == "3 * T" or found["global_loads"] == "T * 3"
        assert (found["hoisted_loads"], found["strided_loads"]) == ("T", "T")


class TestTextThatIsNotUnderstood:
    @pytest.mark.parametrize("text", ["", "void k(", "}}}", "__global__ void other() {}", "#if\n#else\n", "k(){"])
    def test_there_is_no_answer_or_an_empty_one(self, text):
        found = read_text(text)
        assert found is None or not amounts(found.body)

    @pytest.mark.parametrize(
        "body",
        ["for (;;) ;", "if", "for (", "float x[", "{", "#pragma unroll", "a[", "else", "#if T >\nb[0] = 1;", "= 3;"],
    )
    def test_nothing_is_raised(self, body):
        code = thread(body)
        assert code is None or code.scalars >= 0

    def test_a_text_beyond_measure_is_left(self):
        calls = (f"__device__ float f{i}(float x) {{ return f{i + 1}(x) + f{i + 1}(x); }}\n" for i in range(40))
        assert thread("b[0] = f0(1);" * 100, "".join(calls)) is None


class TestWhatTheReaderSettles:
    def test_a_templates_parameters_have_the_pragmas_arguments(self):
        text = """template <typename Real, int ROWS> __global__ void k(Real *x)
        { Real own[ROWS]; own[0] = x[0]; }"""
        found = read_text(text, "k<double, T>")
        assert amounts(found.body)["arrays"] == "2 * T"

    def test_of_functions_alike_in_name_that_with_so_many_arguments_is_read(self):
        functions = "__device__ float f(const float *x, int i) { return x[i] + x[i + 1]; } "
        functions += "__device__ float f(const float *x) { return x[0]; }"
        assert amounts(thread("b[0] = f(a, n);", functions).body)["global_loads"] == "2"

    def test_macros_with_arguments_are_expanded(self):
        assert amounts(thread("b[0] = AT(n);", "#define AT(i) a[(i)]").body)["global_loads"] == "1"

    @pytest.mark.parametrize(
        "head", ["int i = 0; T > i; i++", "int i = 0; i < T; i = i + 1", "int i = 0, j = n; i < T; j--, ++i"]
    )
    def test_more_spellings_of_a_counted_loop(self, head):
        assert amounts(thread(f"#pragma unroll\nfor ({head}) b[i] = 1;").body)["global_stores"] == "T"

    def test_a_constant_function_is_worth_what_it_returns(self):
        function = "constexpr int rows(int n) { return n * 2; }"
        assert amounts(thread("float x[rows(T)];", function).body)["arrays"] == "T * 2"

    def test_a_vector_of_another_type_is_as_wide_as_its_cast_says(self):
        assert amounts(thread("float4 v = ((const float4 *)a)[n];").body)["global_load_words"] == "4"

    def test_members_of_what_a_pointer_points_to_are_loaded(self):
        found = thread("b[0] = p->mass;", "struct Body { float mass; };", "const Body *p, float *b")
        assert amounts(found.body)["global_loads"] == "1"

    def test_a_loop_that_is_tested_at_its_end_is_one_region(self):
        (region,) = thread("int i = n; do { b[i] = a[i]; } while (--i);").body.inside
        assert amounts(region) == {
            "copies": "4",
            "global_loads": "1",
            "global_load_words": "1",
            "global_stores": "1",
        }

    def test_a_typedef_has_the_words_of_its_type(self):
        assert amounts(thread("wide x[T];", "typedef double wide;").body)["arrays"] == "2 * T"
