"""Headers that pick a variant by the size: compiled, run, and compared with what Python says they pick."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.expr.algebra import compare, lift, mod
from tunepass.expr.nodes import INTEGER, Expr, Name
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.kernel import Choice, Kernel
from tunepass.ir.sizes import Size, SizedVariants, nearest_number
from tunepass.space.configuration import Value

SAMPLE = Path(__file__).parents[3] / "samples" / "c" / "matmul.c"
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-function")


def kernel_of(text: str, name: str = "k.c") -> Kernel:
    return CFrontend().parse(Source(name, text)).kernels[0]


def chosen(kernel: Kernel, **values: Value) -> Kernel:
    return kernel.scheduled(tuple(Choice(name, value) for name, value in values.items()))


def sized(variants: list[Kernel], sizes: list[Size], numbers: list[int], conditions: list[Expr]) -> SizedVariants:
    return SizedVariants(
        variants=tuple(variants), sizes=tuple(sizes), numbers=tuple(numbers), conditions=tuple(conditions)
    )


def ran(folder: Path, header: str, main: str, *, language: str = "c") -> str:
    compiler, standard = ("gcc", "-std=c99") if language == "c" else ("g++", "-std=c++17")
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    program = folder / f"main.{'c' if language == 'c' else 'cpp'}"
    program.write_text(f"#include <stdio.h>\n#include <stdlib.h>\n{header}\n{main}")
    command = [compiler, standard, *WARNINGS, program.name, "-o", "main"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return subprocess.run(["./main"], cwd=folder, capture_output=True, text=True, timeout=60, check=True).stdout


def test_the_sample_in_three_variants(tmp_path: Path) -> None:
    kernel = kernel_of(SAMPLE.read_text(), "matmul.c")
    variants = [chosen(kernel, TI=64, MR=4, NR=4), chosen(kernel, TI=8, MR=2, OUTER="COLUMNS"), chosen(kernel)]
    sizes: list[Size] = [(("n", 64),), (("n", 256),), (("n", 2048),)]
    divisible = compare(mod(Name("n", INTEGER), 4), "==", 0)
    table = sized(variants, sizes, [0, 0, 1], [divisible, lift(True), lift(True)])
    header = CFrontend().dispatch(table)
    assert header.name == "matmul.dispatch.h"
    asked = [-1, 0, 1, 15, 16, 17, 64, 66, 255, 1024, 1025, 2047, 4000, 8192, 8193, 10**12]
    main = """
    int main(void)
    {
        const long long asked[] = {%s};
        double A[400], B[400], C[400], D[400];
        for (int i = 0; i < %d; i++) printf("%%d ", matmul_variant(asked[i]));
        for (int i = 0; i < 400; i++) A[i] = i %% 7, B[i] = i %% 5, C[i] = D[i] = i;
        matmul_dispatch(20, A, B, C);
        matmul_2(20, A, B, D);
        for (int i = 0; i < 400; i++) if (C[i] != D[i]) return 1;
        return 0;
    }"""
    found = ran(tmp_path, header.text, main % (", ".join(f"{n}LL" for n in asked), len(asked)))
    expected = [nearest_number(table, (("n", n),)) for n in asked]
    expected = [2 if number == 0 and n % 4 else number for number, n in zip(expected, asked)]
    assert [int(word) for word in found.split()] == expected
    assert expected[0] == expected[3] == 2 and expected[4] == 0  # nothing is nearer than 4 times


CPP = """
#include <cmath>
#include <cstdlib>
#pragma tunepass param STEP: integer(1..4) = 1
#pragma tunepass kernel scale(n = 100, m = 10, x: inout float[n * m]) sizes(n = 50, m = 1)
#ifndef STEP
#define STEP 1
#endif
#define FACTOR (STEP + 1)
enum kind { FIRST, SECOND };
struct alignas(4) pair { float first; };
static constexpr int step = STEP;
static float last;
typedef float number;
static number half(number x) { return std::fabs(x) / 2; }
int scale(int rows, int columns, float *x)
{
    pair p = {0};
#pragma GCC unroll step
    for (int i = 0; i < rows * columns; i++)
        x[i] = half(x[i]) + p.first + (FIRST == 0 ? 0 : 1);
    last = x[0];
    return FACTOR;
}
"""


def test_two_sizes_and_what_stands_at_file_scope(tmp_path: Path) -> None:
    kernel = kernel_of(CPP, "k.cpp")
    sizes: list[Size] = [(("n", 10), ("m", 1000)), (("n", 1000), ("m", 10)), (("n", 300), ("m", 300))]
    variants = [chosen(kernel, STEP=2), chosen(kernel, STEP=4), chosen(kernel)]
    table = sized(variants, sizes, [0, 1, 1], [lift(True)] * 3)
    asked = [(10, 1000), (1000, 10), (300, 300), (20, 2000), (9, 900), (100, 900), (900, 90), (5, 5), (1, 1000)]
    lines = "".join(f'printf("%d ", scale_variant({n}, {m}));' for n, m in asked)
    call = 'float x[10000] = {0}; printf("%d", scale_dispatch(10, 1000, x));'
    found = ran(
        tmp_path, CFrontend().dispatch(table).text, f"int main() {{ {lines} {call} return 0; }}", language="c++"
    )
    picked = [nearest_number(table, (("n", n), ("m", m))) for n, m in asked]
    assert [int(word) for word in found.split()] == [*picked, 3]
    assert set(picked) == {0, 1, 2}


def test_macros_are_as_they_were(tmp_path: Path) -> None:
    kernel = kernel_of(SAMPLE.read_text(), "matmul.c")
    table = sized([chosen(kernel, TI=64), chosen(kernel)], [(("n", 64),)], [0], [lift(True)] * 2)
    header = f"#define TI 5\n#define block 6\n{CFrontend().dispatch(table).text}"
    main = 'int main(void) { printf("%d", TI + block);\n#ifdef ROWS\n return 1;\n#endif\n return 0; }'
    assert ran(tmp_path, header, main) == "11"


def test_a_function_in_a_namespace() -> None:
    text = CPP.replace("int scale(", "namespace n { int scale(").replace("return FACTOR;\n}", "return FACTOR;\n}}")
    kernel = kernel_of(text, "k.cpp")
    with pytest.raises(SourceError, match="no dispatcher is written for") as caught:
        CFrontend().dispatch(sized([chosen(kernel)], [(("n", 64), ("m", 1))], [0], [lift(True)]))
    assert "--variants 1" in caught.value.diagnostics[0].render()


def test_names_of_the_branch_that_a_variant_has(tmp_path: Path) -> None:
    text = """
#pragma tunepass param WIDE: categorical(true, false) = false
#pragma tunepass kernel f(n = 8, x: inout double[n])
#include "k.h"
#ifndef WIDE
#define WIDE 0
#endif
#if WIDE
static double twice(double x) { return 2 * x; }
#define CHANGE twice
#else
static double thrice(double x) { return 3 * x; }
#define CHANGE thrice
#endif
void f(int n, number *x) { for (int i = 0; i < n; i++) x[i] = CHANGE(x[i]) + COUNT; }
"""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "k.h").write_text("typedef double number;\n#ifndef COUNT\n#error COUNT\n#endif\n")
    words = ("gcc", f"-I{tmp_path / 'own'}", "-DCOUNT=3")
    kernel = CFrontend().parse(Source("k.c", text), words=words).kernels[0]
    variants = [chosen(kernel, WIDE=True), chosen(kernel, WIDE=False)]
    header = CFrontend().dispatch(sized(variants, [(("n", 8),), (("n", 800),)], [0, 1], [lift(True)] * 2)).text
    assert "#define twice twice_0" in header and "#define thrice thrice_1" in header
    assert "number_0" not in header and "number_1" not in header


OWN = """
#pragma tunepass param U: ordinal(1, 2) = 1
#pragma tunepass kernel f(i = 8, k = 9, best = 3, x: inout double[i])
#ifndef U
#define U 1
#endif
#define real double
#define ROWS [restrict]
void f(int i, int k, int best, real x ROWS) { for (int n = 0; n < i; n++) x[n] += k + best + U - U; }
"""


def test_scalars_named_as_its_variables_and_macros_in_the_prototype(tmp_path: Path) -> None:
    kernel = kernel_of(OWN)
    sizes: list[Size] = [(("i", 8), ("k", 9), ("best", 3)), (("i", 80), ("k", 90), ("best", 30))]
    divisible = compare(mod(Name("k", INTEGER), 2), "==", 0)
    table = sized([chosen(kernel, U=2), chosen(kernel)], sizes, [0, 1], [divisible, lift(True)])
    call = "double x[8] = {0}; f_dispatch(8, 9, 3, x);"
    main = f'int main(void) {{ {call} printf("%d %d %g", f_variant(8, 8, 3), f_variant(8, 9, 3), x[7]); return 0; }}'
    assert ran(tmp_path, CFrontend().dispatch(table).text, main) == "0 1 12"


@pytest.mark.parametrize("own", ["typedef double real;", "struct real { int x; };\n#define real struct real"])
def test_a_type_of_the_source_in_the_prototype_is_refused(own: str) -> None:
    text = (
        OWN.replace("#define real double", own)
        .replace("x[n] +=", "best +=")
        .replace("x: inout double", "x: inout real")
    )
    kernel = kernel_of(text)
    with pytest.raises(SourceError, match="a header with variants cannot declare `real`") as caught:
        CFrontend().dispatch(sized([chosen(kernel)], [(("k", 9),)], [0], [lift(True)]))
    assert "--variants 1" in caught.value.diagnostics[0].render()
