"""Which flags of a lock a compiler may be given, on the lock's word alone."""

from __future__ import annotations

import shlex

import pytest

from tunepass.compilers.named import are_harmless, harmless_words


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


def test_only_harmless_words_of_a_lock_reach_a_compiler() -> None:
    wrong = ["-wrapper", "/tmp/run,me", "-fplugin=x.so", "-B", "bin", "-specs=x", "-o", "out", "-MF", "d", "@words"]
    harmless = ["-O2", "-I", "inc", "-DN=3", "-std=c11", "-include", "a.h"]
    assert harmless_words([*wrong[:5], *harmless, *wrong[5:]]) == tuple(harmless)
