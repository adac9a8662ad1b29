"""Sources with one thing wrong: one diagnostic, at its place."""

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.hls.frontend import HlsFrontend

MERLIN = """\
#pragma ACCEL kernel
void k(float a[64], int n)
{
#pragma ACCEL PARALLEL FACTOR=auto{P}
  for (int i = 0; i < 64; i++) a[i] = 0;
}
"""
VITIS = """\
#pragma tunepass param U: pow2(1, 8) = 2
#pragma tunepass hls top
#define U 2
void top(int a[64], int n)
{
#pragma HLS array_partition variable=a type=cyclic factor=U dim=1
  for (int i = 0; i < 64; i++) {
#pragma HLS unroll factor=U
    a[i] = n;
  }
}
"""
INTEL = """\
#pragma tunepass param U: pow2(1, 8) = 2
#pragma tunepass hls k(a: in float[1024]) global(1024)
#define U 2
__attribute__((reqd_work_group_size(64, 1, 1)))
__attribute__((num_simd_work_items(U)))
__kernel void k(__global const float *restrict a, __global float *restrict b)
{
  #pragma unroll U
  for (int i = 0; i < 4; i++) b[get_global_id(0)] += a[i];
}
"""
DEEP = "(" * 150 + "1" + ")" * 150
LONG = "+".join(["i"] * 400)

MALFORMED = [
    # (source, what is replaced, by what, line, column, a part of the message)
    (MERLIN, "auto{P}", "auto{}", 4, 31, "expected one name"),
    (MERLIN, "auto{P}", "auto{P Q}", 4, 31, "expected one name"),
    (MERLIN, "auto{P}", "auto{P", 4, 31, "expected one name"),
    (MERLIN, "PARALLEL FACTOR=auto{P}", "PIPELINE auto=P", 4, 24, "expected one name"),
    (MERLIN, "FACTOR=auto{P}", "FACTOR=auto{P} reduction=auto{P}", 4, 54, "stands twice"),
    (MERLIN, "PARALLEL", "PARALEL", 4, 15, "unknown pragma `ACCEL PARALEL`"),
    (MERLIN, "  for", "#pragma ACCEL PIPELINE fast\n  for", 5, 24, "unknown word `fast`"),
    (MERLIN, "  for", "#pragma ACCEL TILE FACTOR=0\n  for", 5, 20, "a factor is 1 or more"),
    (MERLIN, "  for", "#pragma ACCEL TILE FACTOR=-4\n  for", 5, 20, "a factor is 1 or more"),
    (MERLIN, "a[i] = 0;", "a[i = 0;", 5, 39, "expected `]`"),
    (MERLIN, "a[i] = 0;", "a[i] = ;", 5, 37, "cannot be read"),
    (MERLIN, "a[i] = 0;", "a[i] = 0", 5, None, "expected `;`"),
    (MERLIN, "i++)", "i++", 5, 7, "`(` is not closed"),
    (MERLIN, "i < 64;", "i < 64", 5, 26, "cannot be read"),
    (MERLIN, "a[i] = 0;", f"a[i] = {DEEP};", 5, None, "nested too deeply"),
    (MERLIN, "a[i] = 0;", f"a[i] = {LONG};", 5, None, "too long"),
    (MERLIN, "0;\n}\n", "0;\n", 3, 1, "is not closed"),
    (MERLIN, "void k(", "void k", 2, 25, "`)` closes no bracket"),
    (MERLIN, "auto{P}", "4", 2, 6, "nothing to tune"),
    (MERLIN, "void k(", "#define ADD(x) x\nint z = ADD(3;\nvoid k(", 3, 9, "are not closed"),
    (VITIS, "hls top", "hls pot", 2, 22, "no function `pot`"),
    (VITIS, "hls top", "hls top(m = 4)", 2, 26, "no parameter `m`"),
    (VITIS, "hls top", "hls top(n = )", 2, 30, "expected a value"),
    (VITIS, "hls top", "hls top(n = q)", 2, 30, "unknown name `q`"),
    (VITIS, "hls top", "hls top trips(4)", 2, 26, "unknown clause `trips`"),
    (VITIS, "hls top", "hls top dialect(xilinx)", 2, 34, "unknown dialect"),
    (VITIS, "hls top", "hls top clock(100) clock(200)", 2, 37, "given twice"),
    (VITIS, "hls top", "hls top global(1, 2, 3, 4)", 2, 40, "at most 3 numbers"),
    (VITIS, "hls top", "hls top clock(1, 2)", 2, 33, "at most 1 number"),
    (VITIS, "hls top", "hls 3", 2, 22, "expected a function's name"),
    (VITIS, "hls top", "hls top\n#pragma tunepass hls top", 3, 22, "given twice"),
    (VITIS, "tunepass hls", "tunepas hls", 2, 9, "unknown pragma `tunepas`"),
    (VITIS, "pow2(1, 8)", "pow3(1, 8)", 1, 27, "unknown kind"),
    (VITIS, "= 2\n", "= 3\n", 1, 40, "is not one of its values"),
    (VITIS, "param U", "param U: pow2(1, 2) = 1\n#pragma tunepass param U", 2, 24, "given twice"),
    (
        VITIS,
        "#pragma tunepass hls",
        "#pragma tunepass param V: pow2(1, 2) = 1\n#pragma tunepass hls",
        2,
        24,
        "no code uses",
    ),
    (
        VITIS,
        "#pragma tunepass hls",
        "#pragma tunepass constraint W < 3\n#pragma tunepass hls",
        2,
        29,
        "unknown name `W`",
    ),
    (VITIS, "#pragma tunepass hls", "#pragma tunepass constraint U + 3\n#pragma tunepass hls", 2, 29, "true or false"),
    (VITIS, "variable=a ", "", 6, 13, "names no variable"),
    (VITIS, "type=cyclic", "type=cyclical", 6, 40, "unknown kind of partition"),
    (VITIS, "dim=1", "dim=3", 6, None, "has 1 dimensions"),
    (VITIS, "unroll factor=U", "unroll factor=0", 8, 20, "a factor is 1 or more"),
    (VITIS, "  for", "#pragma tunepass hls trip(m)\n  for", 7, 27, "unknown name `m`"),
    (VITIS, "type=cyclic", "cyclik", 6, 40, "unknown kind of partition `cyclik`"),
    (VITIS, "unroll factor=U", "unroll factor=", 8, 20, "`factor` has no value"),
    (
        VITIS,
        "  for",
        "  hls::stream<int> s;\n#pragma HLS stream variable=s depth=-8\n  for",
        8,
        31,
        "a depth is no less",
    ),
    (VITIS, "#define U 2", "#define U", 3, 9, "defined as nothing"),
    (VITIS, "void top", "#ifdef __SYNTHESIS__\nvoid top", 4, 1, "no `#endif` ends this `#ifdef`"),
    (INTEL, "num_simd_work_items(U)", "num_simd_work_items()", 5, 16, "has no number"),
    (INTEL, "num_simd_work_items(U)", "num_simd_work_items(0)", 5, 16, "is 1 or more, got 0"),
    (INTEL, "global(1024)", "global(0)", 2, 50, "1 or more, got 0"),
    (INTEL, "a: in float[1024]", "a: in float[-4]", 2, 36, "1 or more, got -4"),
    (INTEL, "unroll U", "unroll -1", 8, 11, "a factor is 1 or more"),
]


@pytest.mark.parametrize("text,old,new,line,column,message", MALFORMED, ids=[case[2][:40] for case in MALFORMED])
def test_one_thing_wrong_is_one_diagnostic(
    text: str, old: str, new: str, line: int, column: int | None, message: str
) -> None:
    assert old in text
    with pytest.raises(SourceError) as caught:
        HlsFrontend().parse(Source("bad.cpp", text.replace(old, new, 1)))
    (problem,) = caught.value.diagnostics
    assert message in problem.message
    assert problem.span is not None and problem.span.line == line
    assert column in (None, problem.span.column)
    assert problem.render().count("^") >= 1


@pytest.mark.parametrize(
    "text,old,new,message,hint",
    [
        (VITIS, "array_partition", "stream dept=8 variable=a\n#pragma HLS array_partition", "has no `dept`", "`depth`"),
        (VITIS, "array_partition", "interface m_axy port=a\n#pragma HLS array_partition", "has no `m_axy`", "`m_axi`"),
        (VITIS, "variable=a", "variable=b", "no variable `b`", ""),
        (MERLIN, "  for", "#pragma ACCEL systolic\n  for", "unknown pragma `ACCEL systolic`", "changes nothing"),
        (VITIS, "factor=U\n    a", "factor=V\n    a", "`V` is no number", ""),
        (INTEL, "num_simd_work_items", "num_simd_items", "unknown attribute `num_simd_items`", "num_simd_work_items"),
        (INTEL, "unroll U", "unrol U", "unknown pragma `unrol`", "`unroll`"),
    ],
)
def test_what_may_be_meant_for_another_tool_is_a_warning(
    text: str, old: str, new: str, message: str, hint: str
) -> None:
    assert old in text
    warnings = HlsFrontend().parse(Source("bad.cl", text.replace(old, new, 1))).warnings
    (told,) = [w for w in warnings if message in w.message]
    assert hint in (told.hint or "")
