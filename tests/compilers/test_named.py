"""Which flags of a lock a compiler may be given, on the lock's word alone."""

from __future__ import annotations

import shlex

import pytest

from tunepass.compilers.named import are_harmless


@pytest.mark.parametrize(
    "flags",
    ["-O2 -g -std=c11 -march=native", "-I include -Iinc -DX='a b' -UY -isystem /usr/x", "k.c -lm -L. x.o", "-fopenmp"],
)
def test_what_says_how_to_compile_is_harmless(flags: str) -> None:
    assert are_harmless(shlex.split(flags))


@pytest.mark.parametrize(
    "flag",
    [
        *(
            "-wrapper x",
            "@x",
            "-B.",
            "-specs=x",
            "-fplugin=x",
            "-fpass-plugin=x",
            "-o x",
            "-ox",
            "-Xclang -load",
            "-mllvm x",
        ),
        *("-Wl,-plugin,x", "-Wa,x", "-Wp,-MD,x", "-MD", "-MF x", "-fdump-tree-all=x", "-fopt-info-vec=x", "-fuse-ld=x"),
        *(
            "-save-temps",
            "-dumpdir x",
            "-I @x",
            "-I -wrapper",
            "-x c",
            "-I",
            "-",
            "''",
            "--sysroot=x",
            "@x.c",
            "-wrapper.c",
        ),
    ],
)
def test_what_could_start_or_write_is_not(flag: str) -> None:
    assert not are_harmless(["-O2", *shlex.split(flag)])
