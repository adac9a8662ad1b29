"""Candidates and emitted files, read as text and by the compiler."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tunepass.diagnostics import Source
from tunepass.frontends.c.emission.defaults import chosen
from tunepass.frontends.c.emission.files import emit_file
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import defines, flags, lower
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Choice, Kernel
from tunepass.space.configuration import Configuration

SOURCE = """\
// tunepass: param TILE: ordinal(8, 16, 32) = 16
// tunepass: param WHOLE: categorical(true, false) = false
// tunepass: param KIND: categorical("float", "double") = "double"
// tunepass: param SCALE: real(0.5..4) = 1
// tunepass: param ORDER: permutation(i, j) = (j, i)
// tunepass: param OPT: categorical("", "-O3 -ffast-math") = "" flag
#ifndef TILE
#define TILE 16
#endif
#ifndef WHOLE
#define WHOLE 0
#endif
#ifndef KIND
#define KIND double
#endif
#ifndef SCALE
#define SCALE 1.0
#endif
#ifndef ORDER_i
#define ORDER_i 1
#define ORDER_j 0
#endif
// tunepass: kernel f(n = 64, x: in double[n], y: out double[n])
void f(int n, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = (KIND)(x[i] * SCALE) + TILE + WHOLE + (ORDER_i < ORDER_j);
}
"""
CHOICE = Configuration(
    {"TILE": 32, "WHOLE": True, "KIND": "float", "SCALE": 0.75, "ORDER": ("i", "j"), "OPT": "-O3 -ffast-math"}
)


@pytest.fixture
def kernel() -> Kernel:
    return CFrontend().parse(Source("dir/f.c", SOURCE)).kernels[0]


def test_defines_and_flags(kernel: Kernel) -> None:
    assert defines(kernel, CHOICE) == (
        "-DTILE=32", "-DWHOLE=1", "-DKIND=float", "-DSCALE=0.75", "-DORDER_i=0", "-DORDER_j=1",
    )  # fmt: skip
    assert flags(kernel, CHOICE) == ("-O3", "-ffast-math")
    assert flags(kernel, chosen(kernel)) == ()
    assert lower(kernel, CHOICE).compiler_words == (*flags(kernel, CHOICE), *defines(kernel, CHOICE))


def test_without_a_schedule_the_defaults_are_chosen(kernel: Kernel) -> None:
    assert chosen(kernel) == Configuration({p.name: p.default for p in kernel.parameters})


def tuned(kernel: Kernel) -> Kernel:
    return kernel.scheduled(tuple(Choice(name, value) for name, value in CHOICE.items()))


def test_emitted_files(kernel: Kernel, golden: Callable[[str, str], None]) -> None:
    source, header = CFrontend().emit((tuned(kernel),), "3.20x faster than the default\n(12.1 ms -> 3.78 ms */)")
    assert (source.name, header.name) == ("f.tuned.c", "f.tuned.h")
    assert source.text.endswith(SOURCE[SOURCE.index("#ifndef TILE") :])
    golden("c/emission/f.tuned.c", source.text)
    golden("c/emission/f.tuned.h", header.text)


def compiles(compiler: str, path: Path, *arguments: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    command = [compiler, "-c", "-Wall", "-Wextra", "-Werror", *arguments, "-o", str(path.with_suffix(".o")), str(path)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_source_compiles_untouched_and_tuned(kernel: Kernel, compiler: str, tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(SOURCE)
    compiles(compiler, tmp_path / "f.c", "-Wunknown-pragmas")
    compiles(compiler, tmp_path / "f.c", *lower(kernel, CHOICE).compiler_words)
    for file in CFrontend().emit((tuned(kernel),), "a note"):
        (tmp_path / file.name).write_text(file.text)
    compiles(compiler, tmp_path / "f.tuned.c")
    (tmp_path / "use.c").write_text('#include "f.tuned.h"\nvoid g(double *y) { f(F_TUNED_TILE, y, y + 64); }\n')
    compiles(compiler, tmp_path / "use.c")


def test_the_header_serves_cpp(kernel: Kernel, tmp_path: Path) -> None:
    (tmp_path / "f.tuned.h").write_text(CFrontend().emit((tuned(kernel),))[1].text)
    (tmp_path / "use.cpp").write_text('#include "f.tuned.h"\nvoid g(double *y) { f(64, y, y + 64); }\n')
    compiles("g++", tmp_path / "use.cpp")


def test_a_type_of_the_source_is_left_to_the_caller(kernel: Kernel) -> None:
    body = kernel.body_as(CKernel)
    assert body.call is not None
    x, *rest = body.call.arguments
    call = replace(body.call, arguments=(replace(x, element="real_t"), *rest))
    own = replace(kernel, body=replace(body, judged_by=call))
    assert "/* Declare `void f(" in emit_file((own,))[1].text


def test_c_linkage_in_cpp_is_kept(tmp_path: Path) -> None:
    text = (
        "#pragma tunepass param P: integer(1..2)\n#pragma tunepass kernel f(a: inout double[1])\n"
        'extern "C" void f(double *a) { a[0] = P; }\n'
    )
    header = CFrontend().emit(CFrontend().parse(Source("f.cpp", text)).kernels)[1].text
    (tmp_path / "f.tuned.h").write_text(header)
    (tmp_path / "use.c").write_text('#include "f.tuned.h"\nvoid g(double *a) { f(a); }\n')
    compiles("gcc", tmp_path / "use.c")


def test_two_kernels_of_one_source_share_its_files(kernel: Kernel) -> None:
    first = tuned(replace(kernel, parameters=kernel.parameters[:1]))
    second = replace(kernel, name="g", parameters=kernel.parameters[1:2])
    source, header = emit_file((first, second))
    assert "#define TILE 32\n#endif\n#ifndef WHOLE\n#define WHOLE 0\n" in source.text
    assert "F_TUNED_TILE 32" in header.text and "G_TUNED_WHOLE 0" in header.text


def test_arrays_of_variable_length_are_declared_for_c_alone(tmp_path: Path) -> None:
    text = (
        "#pragma tunepass param P: integer(1..2)\n#pragma tunepass kernel f(n = 8, a: inout double[n*n])\n"
        "void f(int n, double a[n][n]) { a[0][n - 1] = P; }\n"
    )
    header = CFrontend().emit(CFrontend().parse(Source("f.c", text)).kernels)[1].text
    (tmp_path / "f.tuned.h").write_text(header)
    (tmp_path / "use.c").write_text('#include "f.tuned.h"\nvoid g(double a[8][8]) { f(8, a); }\n')
    (tmp_path / "use.cpp").write_text('#include "f.tuned.h"\nint g(void) { return F_TUNED_P; }\n')
    compiles("gcc", tmp_path / "use.c")
    compiles("g++", tmp_path / "use.cpp")
