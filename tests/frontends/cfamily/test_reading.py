"""What the reader's door promises: sources are read as they are now, and what is not read is told."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from tunepass.compilers import asking
from tunepass.diagnostics import Severity, Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.cfamily.preprocessing import alignment
from tunepass.frontends.cfamily.reading import read

KERNEL = "#pragma tunepass kernel f(n = 64, x: inout double[n])\nvoid f(int n, double *x) {\n"


def test_a_header_that_changes_is_read_again(tmp_path: Path) -> None:
    header = tmp_path / "size.h"
    source = Source(str(tmp_path / "k.c"), '#include "size.h"\nint table[SIZE];\n')
    header.write_text("#define SIZE 4\n")
    first = read(source, (), "c")
    assert read(source, (), "c") is first
    header.write_text("#define SIZE 16\n")
    os.utime(header, ns=(1, 1))
    assert read(source, (), "c").globals[0].declarators[0].lengths == ("16",)


def test_a_header_that_was_missing_is_read_once_it_is_there(tmp_path: Path) -> None:
    source = Source(str(tmp_path / "k.cl"), '#include "size.h"\n__kernel void k(__global int *x) { x[0] = SIZE; }\n')
    assert read(source, (), "opencl").text.missing == ("size.h",)
    (tmp_path / "size.h").write_text("#define SIZE 4\n")
    assert read(source, (), "opencl").text.missing == ()


def test_headers_that_are_too_long_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "INCLUDED_LIMIT", 100)
    (tmp_path / "long.h").write_text("int unused(int x);\n" * 20)
    text = f'#include "long.h"\n#pragma tunepass param U: ordinal(1, 2) = 1\n{KERNEL}x[0] = U; }}\n'
    (warning,) = CFrontend().parse(Source(str(tmp_path / "k.c"), text)).warnings
    assert warning.severity is Severity.WARNING and "long.h" in warning.message


def test_an_openmp_pragma_that_other_schedules_replace_is_named() -> None:
    loop = "#pragma tunepass loop auto\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) x[i] = x[i] * 2 + 1;\n}\n"
    (warning,) = CFrontend().parse(Source("k.c", KERNEL + loop)).warnings
    assert warning.message == "only the source's own schedule keeps this pragma"
    assert warning.span is not None and warning.span.text == "#pragma omp parallel for"


def test_a_kernel_that_a_condition_leaves_out_names_the_condition() -> None:
    head = f"#pragma tunepass param U: ordinal(1, 2) = 1\n{KERNEL.splitlines()[0]}\n"
    text = f"{head}#ifdef LATER\nvoid f(int n, double *x) {{}}\n#endif\n"
    with pytest.raises(SourceError, match="the compiler does not see `f`") as caught:
        CFrontend().parse(Source("k.c", text))
    assert (
        caught.value.diagnostics[0].hint
        == "`#ifdef LATER` in line 3 leaves it out: give the -D that it needs after `--`"
    )


@pytest.mark.slow
def test_macros_that_make_too_much_code_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(asking.LIMITS, "as", (resource.RLIMIT_AS, 1 << 28))
    doubled = "".join(f"#define A{n} A{n - 1} A{n - 1}\n" for n in range(1, 40))
    with pytest.raises(SourceError, match="cannot preprocess"):
        read(Source("bomb.c", f"#define A0 x\n{doubled}int f(void) {{ return A39; }}\n"), ("gcc",), "c")


def test_macros_of_the_system_in_an_included_file_are_read(tmp_path: Path) -> None:
    """The compiler marks what they make as the system's, in the middle of the user's file."""
    own = "static int half(int x)\n{\n    assert(x > 0);\n    return x ? x / 2 : INT_MAX;\n}\n"
    (tmp_path / "own.h").write_text(own)
    text = '#include <assert.h>\n#include <limits.h>\n#include "own.h"\nint table[4];\n'
    unit = read(Source(str(tmp_path / "k.c"), text), ("gcc",), "c")
    (half,) = unit.functions
    assert len(half.body.statements) == 2 and not unit.faults
    words = [token.text for token in half.tokens]
    assert "sizeof" in words and words[-3] not in (":", "?")


def test_a_header_that_says_that_it_is_the_systems_is_left_to_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("int before;\n#pragma GCC system_header\nint after;\n")
    unit = read(Source(str(tmp_path / "k.c"), '#include "own.h"\nint last;\n'), ("gcc",), "c")
    assert [one.declarators[0].name.text for one in unit.globals] == ["before", "last"]
