"""Variants with flags of their own: each an object, picked by a header that declares them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tunepass.backends.base import Target, backend_for
from tunepass.diagnostics import Source, SourceError
from tunepass.expr.algebra import lift
from tunepass.frontends.c.emission.dispatch import variant_units
from tunepass.frontends.c.frontend import CFrontend
from tunepass.ir.kernel import Choice, Kernel
from tunepass.ir.sizes import SizedVariants
from tunepass.space.configuration import Value

TEXT = """\
#include <stddef.h>
#pragma tunepass param OPT: categorical("-O1", "-O3") = "-O1" flag
#pragma tunepass param STEP: integer(1..4) = 1
#pragma tunepass kernel add(n = 100, x: inout float[n * W]) sizes(n = 10)
#ifndef STEP
#define STEP 1
#endif
#define W 2
#define CELLS(n) (W * (n))
static int calls;
int last;
static float one(void) { calls++; return STEP; }
LINKAGE int add(size_t n, float x[CELLS(4)])
{
    for (size_t i = 0; i < n * W; i++)
        x[i] += one();
    last = (int)x[0];
    return calls;
}
"""
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("g++") is None, reason="needs gcc and g++")


def kernel_of(text: str, name: str = "k.c") -> Kernel:
    (kernel,) = CFrontend().parse(Source(name, text)).kernels
    return kernel


def variants_of(kernel: Kernel, *choices: dict[str, Value]) -> SizedVariants:
    variants = tuple(kernel.scheduled(tuple(Choice(n, v) for n, v in choice.items())) for choice in choices)
    return SizedVariants(
        variants=variants, sizes=((("n", 20),),), numbers=(0,), conditions=(lift(True),) * len(variants)
    )


def write(folder: Path, text: str, name: str, compiler: str, *flags: str) -> tuple[Path, ...]:
    kernel = kernel_of(text, str(folder / name))
    variants = variants_of(kernel, {"OPT": "-O3", "STEP": 2}, {})
    return backend_for(kernel, Target(compiler=(compiler, *flags))).write_dispatcher(variants, folder, "k")


@needs_gcc
@pytest.mark.parametrize("linkage", ["", "static", "static inline"])
@pytest.mark.parametrize(("name", "compiler"), [("k.c", "gcc"), ("k.cpp", "g++"), ("k.c", "clang")])
@pytest.mark.each_value
def test_a_program_is_linked_with_both_variants(tmp_path: Path, linkage: str, name: str, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    header, made = write(tmp_path, TEXT.replace("LINKAGE", linkage), name, compiler, "-O2", "-flto")
    assert (header.name, made.name) == ("k.dispatch.h", "k.dispatch.o") and "Link with the" in header.read_text()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.dispatch.h", "k.dispatch.o"]
    main = "int main(void) { float x[40] = {0}; return add_dispatch(20, x) != 40 || x[0] != 2; }"
    suffix = Path(name).suffix
    (tmp_path / f"main{suffix}").write_text(f'#include "k.dispatch.h"\n#ifdef W\n#error W\n#endif\n{main}\n')
    words = [compiler, "-Wall", "-Werror", f"main{suffix}", "k.dispatch.o", "-o", "main"]
    subprocess.run(words, cwd=tmp_path, check=True, timeout=60)
    assert subprocess.run(["./main"], cwd=tmp_path, check=False, timeout=60).returncode == 0


@needs_gcc
def test_cxx_may_call_the_variants_of_a_c_source(tmp_path: Path) -> None:
    write(tmp_path, TEXT.replace("LINKAGE", ""), "k.c", "gcc", "-O2")
    (tmp_path / "main.cpp").write_text(
        '#include "k.dispatch.h"\nint main() { float x[40] = {0}; return add_dispatch(20, x) != 40 || x[0] != 2; }\n'
    )
    subprocess.run(["g++", "main.cpp", "k.dispatch.o", "-o", "main"], cwd=tmp_path, check=True, timeout=60)
    assert subprocess.run(["./main"], cwd=tmp_path, check=False, timeout=60).returncode == 0


def test_kernels_without_flags_stay_in_the_header() -> None:
    plain = TEXT.replace("LINKAGE", "").replace(TEXT.splitlines()[1], "")
    variants = variants_of(kernel_of(plain), {"STEP": 2}, {})
    assert variant_units(variants) == () and "add_1(" in CFrontend().dispatch(variants).text


def test_loops_that_may_be_vector_loops_stand_apart() -> None:
    text = (
        "#pragma tunepass kernel f(n = 64, x: in float[n], y: out float[n]) sizes(n = 8)\n"
        "void f(int n, const float *x, float *y)\n{\n#pragma tunepass loop auto\n"
        "    for (int i = 0; i < n; i++) y[i] = 2 * x[i];\n}\n"
    )
    first, second = variant_units(variants_of(kernel_of(text), {"SIMD": True}, {}))
    assert "omp simd" in first and "omp" not in second and "f_0" in first and "f_1" in second


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("float x[CELLS(4)])", "cell x[CELLS(4)])", "cannot declare `cell`"),
        ("float x[CELLS(4)])", "float x[STEP])", "depends on `STEP`, which is tuned"),
    ],
)
def test_a_prototype_that_only_the_source_can_write_is_refused(before: str, after: str, message: str) -> None:
    text = (
        TEXT.replace("LINKAGE", "")
        .replace(before, after)
        .replace("static int calls;", "typedef float cell;\nstatic int calls;")
    )
    with pytest.raises(SourceError, match=message) as caught:
        CFrontend().dispatch(variants_of(kernel_of(text), {"OPT": "-O3"}, {}))
    assert "--variants 1" in caught.value.diagnostics[0].render()
