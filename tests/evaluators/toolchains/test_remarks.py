"""What the optimisers say, and real compilers saying it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tunepass.evaluators.toolchains.compiling import Compiling
from tunepass.evaluators.toolchains.remarks import Remark, not_applied, parse_remarks
from tunepass.ir.candidate import Candidate, Request, Transformation

GCC = """\
k.c:3:23: missed: couldn't vectorize loop
k.c:3:23: missed: not vectorized: control flow in loop.
k.c:5:1: optimized: loop vectorized using 16 byte vectors
k.c:5:1: optimized:  loop versioned for vectorization because of possible aliasing
considering unrolling loop 3 at BB 15
k.c:7:1: optimized: loop unrolled 3 times
k.c:9:1: optimized: loop with 4 iterations completely unrolled (header execution count 1)
"""
CLANG = """\
k.c:3:1: remark: loop not vectorized (Force=true) [-Rpass-missed=loop-vectorize]
for (int i = 1; i < n; i++) a[i] += a[i - 1];
^
k.c:5:1: remark: vectorized loop (vectorization width: 2, interleaved count: 2) [-Rpass=loop-vectorize]
k.c:7:1: remark: unrolled loop by a factor of 4 with run-time trip count [-Rpass=loop-unroll]
k.c:9:1: remark: completely unrolled loop with 4 iterations [-Rpass=loop-unroll]
k.c:3:1: warning: loop not vectorized: the optimizer was unable to perform the requested transformation
"""


@pytest.mark.parametrize("text", [GCC, CLANG], ids=["gcc", "clang"])
def test_remarks_tell_what_was_done_on_which_line(text: str) -> None:
    remarks = parse_remarks(text)
    applied = {(remark.line, remark.applied) for remark in remarks if remark.applied}
    assert applied == {(5, "vectorize"), (7, "unroll"), (9, "unroll")}


def test_a_request_that_is_not_confirmed_fails_with_the_reason() -> None:
    remarks = parse_remarks(GCC)
    assert not_applied([Request("vectorize", 5, 5), Request("unroll", 7, 8)], remarks) is None
    failure = not_applied([Request("vectorize", 2, 4, "vectorize the loop over i")], remarks)
    assert failure is not None and failure.stage == "not_applied"
    assert failure.log == (
        "line 2: the compiler did not vectorize the loop over i\n"
        "couldn't vectorize loop\nnot vectorized: control flow in loop."
    )
    hindered = not_applied([Request("vectorize", 5, 5, "vectorize the loop over i", "j is parallel")], remarks)
    assert hindered is not None and hindered.log == "line 5: did not vectorize the loop over i: j is parallel"
    silent = not_applied([Request("unroll", 20, 21)], [Remark(5, "vectorize", "")])
    assert silent is not None and "does not say why" in silent.log


KERNEL = """void f(int n, double *restrict a, const double *restrict b)
{
    for (int i = 0; i < n; i++)
        a[i] += b[i];
#pragma GCC unroll 4
    for (int i = 1; i < n; i++)
        a[i] = a[i - 1] * b[i];
}
"""


@pytest.mark.parametrize("compiler", [c for c in ("gcc", "clang") if shutil.which(c)])
@pytest.mark.parametrize(
    "transformation,lines,stage",
    [("vectorize", (3, 4), None), ("vectorize", (6, 7), "not_applied"), ("unroll", (6, 7), None)],
)
def test_real_compilers_confirm_or_refuse(
    compiler: str, transformation: Transformation, lines: tuple[int, int], stage: str | None, tmp_path: Path
) -> None:
    source = tmp_path / "k.c"
    source.write_text(KERNEL)
    compiling = Compiling(command=(compiler, "-O3"), source=source)
    candidate = Candidate(requests=(Request(transformation, *lines),))
    _, _, failure = compiling.compile_candidate(candidate, tmp_path, rename_main=False)
    assert (failure.stage if failure else None) == stage, failure
