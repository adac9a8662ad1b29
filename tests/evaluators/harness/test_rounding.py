"""The reference rounded otherwise: by chance too, and for the inputs that timed calls change."""

from __future__ import annotations

import shutil
import subprocess
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from tests.evaluators.test_wrong_kernels import task_of
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.reference import to_nearest
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.harness.reference.rounding import BY_CHANCE, Rounding
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

# Random matrices without pivoting: a small pivot's rounding decides all that comes after it.
ELIMINATION = """
#pragma tunepass param BACKWARDS: integer(0..1) = 0
#pragma tunepass kernel lu(n = 24, A: inout double[n*n])
void lu(int n, double A[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int most = i < j ? i : j;
#if BACKWARDS
            for (int k = most - 1; k >= 0; k--) A[i][j] -= A[i][k] * A[k][j];
#else
            for (int k = 0; k < most; k++) A[i][j] -= A[i][k] * A[k][j];
#endif
            if (j < i) A[i][j] /= A[j][j];
        }
}
"""
BACKWARDS = Configuration({"BACKWARDS": 1})
# -ffast-math at a link has the processor take denormal numbers for zeros: no way of rounding.
DENORMAL = """
#pragma tunepass param ZEROS: integer(0..1) = 0
#pragma tunepass kernel scale(n = 500, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = ZEROS ? 0 : x[i] * 1e-310 * 0.75;
}
"""
# Numbers that differ little minus their mean: of 2^26 and something, the something is left.
CENTRED = """
#pragma tunepass param BACKWARDS: integer(0..1) = 0
#pragma tunepass kernel centre(n = 40, x: inout double[16*n]) tolerance(1e-9)
void centre(int n, double x[restrict n][16])
{
    for (int i = 0; i < n; i++) {
        double sum = 0;
#if BACKWARDS
        for (int j = 15; j >= 0; j--) sum += x[i][j];
#else
        for (int j = 0; j < 16; j++) sum += x[i][j];
#endif
        for (int j = 0; j < 16; j++) x[i][j] -= WRONG * 1e-5 * x[i][j] + sum / 16;
    }
}
"""


# A small number beside a large one, which rounding moves further than the small one is.
BESIDE_LARGE = """
#pragma tunepass param WRONG: integer(0..1) = 0
#pragma tunepass kernel pairs(n = 100, x: in double[n] range(-1, 1), y: out double[2*n]) tolerance(1e-6)
void pairs(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[2 * i] = x[i] * 1e6 / 3;
        y[2 * i + 1] = WRONG && x[i] == 1 ? 2 : 1;
    }
}
"""
EXACTLY = """
#pragma tunepass param WRONG: integer(0..1) = 0
#pragma tunepass kernel scale(n = 4096, x: in double[n], y: out double[n]) tolerance(0)
void scale(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] / 3 * 1.7 + (WRONG && i >= n / 16 * 16 ? 2e-15 : 0);
}
"""
# `rintf` rounds as the mode says: where all is rounded up, to other numbers.
NEAREST = """
#pragma tunepass param WRONG: integer(0..1) = 0
#pragma tunepass kernel steps(n = 4096, x: in float[n], y: out float[n]) tolerance(1e-6)
#include <math.h>
void steps(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = rintf(x[i] * 1000) + (WRONG && i >= n / 16 * 16 ? 0.02f : 0);
}
"""
# Whole numbers themselves: moved by one, nothing could be compared of them.
QUANTIZED = """
#pragma tunepass param WRONG: integer(0..1) = 0
#include <MATH>
#pragma tunepass kernel quantize(n = 4096, scale = 0.5, x: in float[n], q: out int[n])
CALLABLE void quantize(int n, float scale, const float *x, int *q)
{
    for (int i = 0; i < n; i++) {
        float v = x[i] / scale;
        v = v < -128 ? -128 : v > 127 ? 127 : v;
        q[i] = WRONG ? (int)floorf(v + 0.5f) : (int)FUNCTION(v);
    }
}
"""
COMPARING = """
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define EACH(suffix, type) \
    type __wrap_rint##suffix(type); type __wrap_nearbyint##suffix(type); \
    long __wrap_lrint##suffix(type); long long __wrap_llrint##suffix(type);
EACH(, double) EACH(f, float) EACH(l, long double)
static long compared, differing;
static void note(int same) { compared++; differing += !same; }
static int same(long double a, long double b) { return a == b ? signbit(a) == signbit(b) : a != a && b != b; }
#define COMPARE(suffix, type, value) do { \
    type x = (type)(value), rounded = rint##suffix(x), nearby = nearbyint##suffix(x); \
    long l = lrint##suffix(x); long long ll = llrint##suffix(x); \
    fesetround(mode); \
    note(same(__wrap_rint##suffix(x), rounded)); note(same(__wrap_nearbyint##suffix(x), nearby)); \
    note(!(fabsl(x) < 9e18L) || __wrap_lrint##suffix(x) == l); \
    note(!(fabsl(x) < 9e18L) || __wrap_llrint##suffix(x) == ll); \
    note(fegetround() == mode); \
    fesetround(FE_TONEAREST); \
} while (0)
int main(void)
{
    const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t state = 1;
    for (int k = 0; k < 3200; k++) {
        const int mode = modes[k % 4];
        double special[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, INFINITY, -INFINITY, NAN,
                            8388607.5, 4503599627370495.5, 1e300, 5e-324};
        state = state * 6364136223846793005u + 1442695040888963407u;
        double drawn = (double)(int64_t)state / (double)(1ull << (state >> 58)), value = drawn;
        if (k < 56) value = special[k / 4];
        else if (k % 3 == 0) value = (double)((int64_t)(state >> 40)) / 2;
        else if (k % 3 == 1) memcpy(&value, &state, 8);
        COMPARE(, double, value); COMPARE(f, float, value); COMPARE(l, long double, value);
        COMPARE(l, long double, (long double)value + 0.5L);
    }
    printf("%ld compared, %ld differ\\n", compared, differing);
    return differing != 0;
}
"""
WRONG = Configuration({"WRONG": 1})
IN_C = QUANTIZED.replace("MATH", "math.h").replace("CALLABLE", "")
IN_CXX = QUANTIZED.replace("MATH", "cmath").replace("CALLABLE", 'extern "C"')
OWN_MODE = IN_C.replace("    for (int i", "    fesetround(FE_UPWARD);\n    for (int i").replace(
    "math.h>", "math.h>\n#include <fenv.h>"
)


def evaluator_of(folder: Path, text: str = ELIMINATION) -> CompileRun:
    return CompileRun(task_of(folder, text))


def set_up(evaluator: CompileRun) -> tuple[Reference, Rounding]:
    reference = evaluator.set_up()
    assert reference.rounding is not None
    return reference, reference.rounding


def test_by_chance_each_seed_rounds_otherwise_and_the_same_each_time(tmp_path: Path) -> None:
    with evaluator_of(tmp_path) as evaluator:
        reference, ways = set_up(evaluator)
        usual = next(case for case in reference.expected if case.usual)
        results, obstacles = ways.run([usual])
        again, _ = ways.run([usual])
    assert obstacles == []
    computed = [result[usual][0].values for result in results if usual in result]
    by_chance = computed[2:5]  # after up and down
    assert len(by_chance) == len(BY_CHANCE)
    assert len({values.tobytes() for values in by_chance}) == len(BY_CHANCE)
    assert [r[usual][0].values.tobytes() for r in again if usual in r] == [values.tobytes() for values in computed]
    expected = reference.expected[usual].calls[usual.poison][0].values
    for values in by_chance:
        assert 0 < np.abs(values - expected).max() < 1e-6 * np.abs(expected).max()


def test_sums_in_another_order_are_right_where_a_pivot_decides_all(tmp_path: Path) -> None:
    with evaluator_of(tmp_path) as evaluator:
        assert isinstance(evaluator.evaluate(BACKWARDS).outcome, Measured)


def test_who_states_a_tolerance_means_the_usual_call(tmp_path: Path) -> None:
    """What rounding itself moves is right all the same where numbers differ little; what is wrong by more is not."""
    with evaluator_of(tmp_path, "#define WRONG 0" + CENTRED) as evaluator:
        outcome = evaluator.evaluate(BACKWARDS).outcome
        expected = evaluator.set_up().expected
    assert isinstance(outcome, Measured)
    assert {case.usual for case in expected} == {True, False}
    for case, results in expected.items():
        assert [tolerance.elements is None for tolerance in results.tolerances] == [case.usual]
    with evaluator_of(tmp_path, "#define WRONG BACKWARDS" + CENTRED) as evaluator:
        wrong = evaluator.evaluate(BACKWARDS).outcome
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


def test_zeros_are_not_denormal_numbers(tmp_path: Path) -> None:
    with evaluator_of(tmp_path, DENORMAL) as evaluator:
        outcome = evaluator.evaluate(Configuration({"ZEROS": 1})).outcome
    assert isinstance(outcome, Failed) and outcome.stage == "wrong_result"


REFUSING = """
#ifdef __FAST_MATH__
#error not with -ffast-math
#endif
"""


def test_a_source_that_refuses_fast_mathematics_is_summed_in_another_order(tmp_path: Path) -> None:
    """As Opus does; its candidates with that flag fail to compile as ever."""
    with evaluator_of(tmp_path, REFUSING + DENORMAL) as evaluator:
        assert set_up(evaluator)[0].unrounded == ()


WARNING = """
#ifdef __AVX__
#warning for this processor
#endif
"""


def test_warnings_of_the_further_programs_are_no_errors(tmp_path: Path) -> None:
    words = ("gcc", "-O2", "-Wno-unknown-pragmas", "-Werror")
    with CompileRun(task_of(tmp_path, WARNING + DENORMAL, words)) as evaluator:
        assert set_up(evaluator)[0].unrounded == ()


def test_changed_inputs_have_tolerances_of_their_own(tmp_path: Path) -> None:
    with evaluator_of(tmp_path) as evaluator:
        reference, _ = set_up(evaluator)
        for variant, expected in reference.variants.items():
            (tolerance,) = reference.tolerances_of(variant)
            assert tolerance.elements is not None and tolerance.elements.shape == expected[0].values.shape
            assert 0 < np.median(tolerance.elements) < 1e-6 * np.abs(expected[0].values).max()


@pytest.mark.parametrize("text", [BESIDE_LARGE, EXACTLY, NEAREST], ids=["beside large", "exactly", "nearest"])
def test_what_rounding_does_not_explain_is_wrong_though_a_tolerance_is_stated(text: str, tmp_path: Path) -> None:
    with evaluator_of(tmp_path, text) as evaluator:
        honest, wrong = (evaluator.evaluate(c).outcome for c in (Configuration({"WRONG": 0}), WRONG))
    assert isinstance(honest, Measured)
    assert isinstance(wrong, Failed) and wrong.stage == "wrong_result"


@pytest.mark.parametrize(
    ("function", "command"),
    [
        ("lrintf", "gcc -O2"),
        ("nearbyint", "gcc -O3 -march=native -ffast-math"),
        ("rintf", "clang -O2"),
        ("std::lrint", "g++ -O2"),
        ("std::rint", "clang++ -O1"),
    ],
)
def test_ties_of_what_rounds_to_whole_numbers_are_compared(function: str, command: str, tmp_path: Path) -> None:
    if not shutil.which(command.split()[0]):
        pytest.skip(f"needs {command.split()[0]}")
    text = (IN_CXX if "std" in function else IN_C).replace("FUNCTION", function)
    name = "kernel.cpp" if "std" in function else "kernel.c"
    with CompileRun(task_of(tmp_path, text, (*command.split(), "-lm"), name)) as evaluator:
        wrong = evaluator.evaluate(WRONG).outcome
        assert isinstance(wrong, Failed) and wrong.log.startswith("with quarters: q: ")
        (warning,) = evaluator.warnings
        assert warning.startswith("nothing is compared with NaN and infinities")


def test_functions_that_round_to_the_nearest_do_so_in_every_mode_as_the_library_in_its_own(tmp_path: Path) -> None:
    shutil.copy(str(resources.files(to_nearest.__package__) / "to_nearest.c"), tmp_path)
    (tmp_path / "compare.c").write_text(COMPARING)
    words = ["gcc", "-O1", "-fno-builtin", "to_nearest.c", "compare.c", "-lm", "-o", "compare"]
    subprocess.run(words, cwd=tmp_path, check=True)
    compared = subprocess.run([tmp_path / "compare"], capture_output=True, text=True, check=True)
    assert compared.stdout == "64000 compared, 0 differ\n"


def test_what_a_source_with_a_rounding_mode_of_its_own_calls_follows_that(tmp_path: Path) -> None:
    assert to_nearest.rounds_to_whole_numbers(IN_C.replace("FUNCTION", "rint"))
    assert not to_nearest.rounds_to_whole_numbers(OWN_MODE.replace("FUNCTION", "rint"))
    assert not to_nearest.rounds_to_whole_numbers("print(lrints, sprint)")
