"""`compiler` parameters: what they may name, and what they are."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import lower
from tunepass.frontends.c.parameters.compilers import compilers_of, is_plain, with_default
from tunepass.frontends.gpu.frontend import GpuFrontend
from tunepass.space.configuration import Configuration

TEXT = """\
#pragma tunepass param CC: compiler("gcc", "clang-14") prior(0.4, 0.6)
#pragma tunepass kernel f(n = 8, x: inout float[n])
void f(int n, float *x) { x[0] = n; }
"""


def refusal(text: str) -> tuple[str, int]:
    with pytest.raises(SourceError) as caught:
        CFrontend().parse(Source("k.c", text))
    (first,) = caught.value.diagnostics
    assert first.span is not None
    return first.message, first.span.column


def test_a_compiler_is_neither_macro_nor_flag() -> None:
    (kernel,) = CFrontend().parse(Source("k.c", TEXT)).kernels
    named = compilers_of(kernel)
    assert named is not None and named[0].domain == ("gcc", "clang-14") and named[0].prior == (0.4, 0.6)
    candidate = lower(kernel, Configuration({"CC": "clang-14"}))
    assert (candidate.compiler, candidate.compiler_words) == ("clang-14", ())
    assert with_default(kernel, "clang-14").parameters[0].default == "clang-14"


@pytest.mark.parametrize(
    "name",
    [
        "gcc",
        "g++",
        "gcc-12",
        "clang",
        "clang++-14",
        "gcc-4.9",
        "aarch64-linux-gnu-gcc",
        "cc",
        "c++",
        "x86_64-w64-g++-8",
    ],
)
def test_names_of_compilers(name: str) -> None:
    assert is_plain(name)


@pytest.mark.parametrize(
    "name",
    [
        "/usr/bin/gcc",
        "./gcc",
        "gcc -O2",
        "-gcc",
        "gcc;ls",
        "reboot",
        "gcc\n",
        "@gcc",
        "gccx",
        "",
        "tunepass",
        "sh-gcc/../sh",
    ],
)
def test_everything_else_is_refused_at_its_place(name: str) -> None:
    assert not is_plain(name)
    if "\n" not in name:
        message, column = refusal(TEXT.replace("clang-14", name))
        assert message == f'"{name}" is no plain name of a compiler' and column == 44


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("prior(0.4, 0.6)", '= "gcc"', "`CC` has the compiler after `--` as its default"),
        ("prior(0.4, 0.6)", "flag", "`CC` names compilers, which are no flags"),
        ('"clang-14"', "3", "CC: values are all strings"),
        ('"gcc", "clang-14"', "1, 2", "1 is no plain name of a compiler"),
    ],
)
def test_what_a_compiler_parameter_cannot_have(before: str, after: str, message: str) -> None:
    with pytest.raises(SourceError) as caught:
        CFrontend().parse(Source("k.c", TEXT.replace(before, after)))
    assert message in str(caught.value) or "3 is no plain name of a compiler" in str(caught.value)


def test_a_source_has_one() -> None:
    second = TEXT.replace("CC", "CX").replace("kernel f", "kernel g").replace("void f", "void g")
    message, _ = refusal(TEXT + second)
    assert "`CX` is a second `compiler` parameter" in message


def test_kernels_of_gpus_have_none() -> None:
    with pytest.raises(SourceError, match="unknown kind of parameter `compiler`"):
        GpuFrontend().parse(Source("k.cu", TEXT))
