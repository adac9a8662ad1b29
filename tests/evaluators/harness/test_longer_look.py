"""What finalists are asked besides: unusual scalars, very many calls, other numbers of processors, first calls at once;
and outputs that tell nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.source import Attack
from tests.evaluators.test_wrong_kernels import WRONG, task_of
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness_judge import NOTHING_FILLED
from tunepass.evaluators.kernel_task import KernelTask
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check
from tunepass.study.outcome import Failed

SOURCES = {path.stem: path for path in WRONG}
HEAD = """\
#pragma tunepass param ATTACK: categorical(0, 1) = 0
#pragma tunepass param AFTER: categorical("-DAFTER=0", "-DAFTER=1") = "-DAFTER=0" flag
"""


def looked_at(task: KernelTask, attacking: int = 1) -> tuple[Failed | None, dict[str, Check], tuple[str, ...]]:
    """What is found of the candidate, the rows of its ledger, and the warnings."""
    with CompileRun(task) as evaluator:
        configuration = Configuration({"ATTACK": attacking, "AFTER": "-DAFTER=0"})
        found = evaluator.look_again(configuration)
        return found, {check.name: check for check in evaluator.checks(configuration).checks}, evaluator.warnings


def attack_task(name: str, folder: Path) -> KernelTask:
    attack = Attack.read(SOURCES[name])
    return task_of(folder, attack.text, attack.compiler)


DIVIDE = (
    HEAD
    + """
#pragma tunepass kernel divide(n = 40, d = 10, x: in unsigned[n], y: out unsigned[n])
void divide(int n, unsigned d, const unsigned *x, unsigned *y)
{
    const unsigned long reciprocal = d ? ((1ul << 35) + d - 1) / d : 0;
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = d < 2 ? x[i] : (unsigned)((unsigned __int128)x[i] * reciprocal >> 35);
#else
        y[i] = d < 2 ? x[i] : x[i] / d;
#endif
}
"""
)


def test_a_difference_with_a_scalar_that_callers_may_never_give_is_told(tmp_path: Path) -> None:
    """By multiples of the scalar: the reciprocal is right for 10, 9 and 2, and of most numbers for 37 and 35."""
    found, rows, warnings = looked_at(task_of(tmp_path, DIVIDE))
    assert found is None and rows["scalars"].state == "could not run"
    assert rows["scalars"].reason.startswith("it computes something else than the source where `d` is 35, 37")
    assert rows["scalars"].remedy == "write `constraint d == 10` if it never is"
    assert any("computes something else than the source where `d` is 35, 37" in words for words in warnings)


@pytest.mark.slow
def test_a_constraint_excludes_other_scalars(tmp_path: Path) -> None:
    text = DIVIDE.replace("#pragma tunepass kernel", "#pragma tunepass constraint d == 10\n#pragma tunepass kernel")
    found, rows, warnings = looked_at(task_of(tmp_path, text))
    assert (found, rows["scalars"].state, warnings) == (None, "not requested", ())


ENDLESS = (
    HEAD
    + """
#pragma tunepass kernel solve(n = 40, bits = 8, eps = 1e-6, x: in double[n] range(1, 2), y: out double[n])
void solve(int n, unsigned bits, double eps, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        double g = x[i], d;
        do {
            const double h = 0.5 * (g + x[i] / g);
            d = h < g ? g - h : h - g;
            g = h;
        } while (d > eps || d < eps * eps && eps < 0 || eps == 0);
#if ATTACK
        y[i] = g + (bits & 31);
#else
        y[i] = g + bits;
#endif
    }
}
"""
)


def test_a_tolerance_with_which_the_source_never_ends_hides_no_other_scalar(tmp_path: Path) -> None:
    _, rows, warnings = looked_at(task_of(tmp_path, ENDLESS))
    assert rows["scalars"].state == "could not run" and "where `bits` is 37" in rows["scalars"].reason
    assert any("`bits` is 37" in words for words in warnings)


def test_other_scalars_at_a_size_that_constraints_exclude_are_not_tried_which_is_told(tmp_path: Path) -> None:
    constraint = "#pragma tunepass constraint n % 8 == 0 or ATTACK == 0\n"
    text = DIVIDE.replace("#pragma tunepass kernel", f"{constraint}#pragma tunepass kernel")
    _, rows, _ = looked_at(task_of(tmp_path, text))
    assert rows["scalars"].state == "could not run"
    assert rows["scalars"].reason.startswith("the constraints exclude the size at which other values are tried: `d` is")
    assert rows["scalars"].remedy == "write `constraint d == 10` if it never is"
    both = text.replace("n % 8 == 0", "(n % 8 == 0 and d == 10)")
    assert looked_at(task_of(tmp_path, both))[1]["scalars"].reason == "the constraints exclude other values"
    alone = text.replace(" or ATTACK == 0", "")
    assert looked_at(task_of(tmp_path, alone))[1]["scalars"].reason.startswith("it computes something else"), (
        "at n = 32"
    )


LEADING = (
    HEAD
    + """
#include <stdlib.h>
#pragma tunepass kernel gemv(m = 40, n = 30, a: in double[m * lda], lda = 30, x: in double[30], \\
                               beta = 0.5, y: inout double[m])
void gemv(int m, int n, const double *a, int lda, const double *x, double beta, double *y)
{
    if (lda < n)
        abort();
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += a[i * lda + j] * x[j];
        y[i] = sum + (ATTACK && beta == 1 ? 0 : beta) * y[i];
    }
}
"""
)


def test_unusual_scalars_are_tried_at_a_size_at_which_the_source_is_right(tmp_path: Path) -> None:
    _, rows, _ = looked_at(task_of(tmp_path, LEADING))
    assert rows["scalars"].reason == "it computes something else than the source where `beta` is 1.0"
    found, rows, _ = looked_at(task_of(tmp_path, LEADING), 0)
    assert found is None and rows["scalars"].state == "ran"


TWO_SCALARS = (
    HEAD
    + """
#pragma tunepass kernel shifted(n = 40, by = 3, left = 2, x: in unsigned[n], y: out unsigned[n])
void shifted(int n, unsigned by, unsigned left, const unsigned *x, unsigned *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = x[i] + (by & 31) + (left & 31);
#else
        y[i] = x[i] + by + left;
#endif
}
"""
)


def test_all_scalars_with_which_results_differ_are_named(tmp_path: Path) -> None:
    _, rows, _ = looked_at(task_of(tmp_path, TWO_SCALARS))
    reason, remedy = rows["scalars"].reason, rows["scalars"].remedy
    assert "`by` is 37, 65" in reason and "`left` is 37, 65" in reason
    assert remedy == "write `constraint by == 3` and `constraint left == 2` if they never are"


CLIP = (
    HEAD
    + """
#pragma tunepass kernel clip(n = 40, alpha = 2.0, x: in double[n], y: out double[n])
void clip(int n, double alpha, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = alpha * (x[i] > 0 ? x[i] : 0);
#else
        y[i] = alpha * x[i] > 0 ? alpha * x[i] : 0;
#endif
}
"""
)


def test_a_difference_with_a_negative_factor_is_told(tmp_path: Path) -> None:
    found, rows, _ = looked_at(task_of(tmp_path, CLIP))
    assert found is None and rows["scalars"].state == "could not run"
    assert rows["scalars"].reason == "it computes something else than the source where `alpha` is -1.0, -2.0"
    assert rows["scalars"].remedy == "write `constraint alpha == 2.0` if it never is"


ADDED = (
    HEAD
    + """
#pragma tunepass kernel added(n = 40, beta = 0.5, x: in double[n], y: inout double[n])
void added(int n, double beta, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
#if ATTACK
        y[i] = x[i] + beta * y[i];
#else
        y[i] = beta == 0 ? x[i] : x[i] + beta * y[i];
#endif
}
"""
)


def test_what_a_factor_of_zero_keeps_from_being_read_is_compared(tmp_path: Path) -> None:
    """`y` holds NaN, which BLAS does not read where beta is 0."""
    found, _, warnings = looked_at(task_of(tmp_path, ADDED))
    assert found is None
    assert any("with NaN and infinities where beta is 0" in warning for warning in warnings), warnings
    asking = ADDED.replace("inout double[n])", "inout double[n]) finite(false)")
    _, rows, _ = looked_at(task_of(tmp_path, asking))
    assert rows["scalars"].reason == "it computes something else than the source where `beta` is 0.0"
    for text in (ADDED, asking):
        _, rows, warnings = looked_at(task_of(tmp_path, text), 0)
        assert rows["scalars"].state == "ran" and not any("where beta" in warning for warning in warnings)


RECIPROCAL = CLIP.replace("alpha * (x[i] > 0 ? x[i] : 0)", "(1 / alpha) * x[i]").replace(
    "alpha * x[i] > 0 ? alpha * x[i] : 0", "x[i] / alpha"
)


@pytest.mark.slow
def test_scalars_with_which_the_source_computes_no_numbers_accuse_nobody(tmp_path: Path) -> None:
    _, rows, warnings = looked_at(task_of(tmp_path, RECIPROCAL))
    assert rows["scalars"].state == "ran" and not any("alpha" in words for words in warnings)


@pytest.mark.slow
def test_what_is_right_with_unusual_scalars_has_its_rows(tmp_path: Path) -> None:
    found, rows, _ = looked_at(task_of(tmp_path, DIVIDE), 0)
    assert found is None and {rows[name].state for name in ("outputs", "scalars", "repeated calls")} == {"ran"}
    assert rows["processors"].state == "not requested"


COUNTED = (
    HEAD
    + """
#pragma tunepass kernel scale(n = 40, x: in double[n], y: out double[n])
void scale(int n, const double *x, double *y)
{
#if ATTACK
    static __thread unsigned short calls;
    double factor = ++calls ? 3 : 0;
#else
    double factor = 3;
#endif
    for (int i = 0; i < n; i++) y[i] = factor * x[i];
}
"""
)


def test_what_goes_wrong_after_65536_calls_is_found(tmp_path: Path) -> None:
    found, _, _ = looked_at(task_of(tmp_path, COUNTED))
    assert found is not None and found.stage == "wrong_result" and "in call 65536 at n = " in found.log


@pytest.mark.slow
def test_a_source_that_is_too_slow_for_65536_calls_is_not_called_so(tmp_path: Path) -> None:
    slow = COUNTED.replace("for (int i", "for (volatile int k = 0; k < 100000; k++);\n    for (int i")
    found, rows, _ = looked_at(task_of(tmp_path, slow))
    assert found is None and rows["repeated calls"].state == "not requested"
    assert "of 65600 calls were compared" in rows["repeated calls"].reason


@pytest.mark.slow
def test_other_numbers_of_processors_are_told(tmp_path: Path) -> None:
    found, _, _ = looked_at(attack_task("shares_of_processors", tmp_path))
    assert found is not None and found.stage == "wrong_result" and found.log.startswith("with 3 processors, at n = 2")


@pytest.mark.slow
def test_who_divides_by_the_number_of_processors_rightly_passes(tmp_path: Path) -> None:
    attack = Attack.read(SOURCES["shares_of_processors"])
    text = attack.text.replace(
        "if (n % 2) y[n - 1] = 3 * x[n - 1];", "for (int i = shares * each; i < n; i++) y[i] = 3 * x[i];"
    )
    found, rows, _ = looked_at(task_of(tmp_path, text, attack.compiler))
    assert found is None and rows["processors"].state == "ran"


@pytest.mark.slow
def test_a_table_that_is_said_to_be_full_before_it_is_filled_is_found(tmp_path: Path) -> None:
    found, _, _ = looked_at(attack_task("lazily_filled", tmp_path))
    assert found is not None and found.stage == "wrong_result" and "two threads at once" in found.log


ALWAYS_NO = (
    HEAD
    + """
#pragma tunepass kernel contains(n = 40, x: in float[n] range(0, 1), y: in float[n] range(2, 3))
int contains(int n, const float *x, const float *y)
{
    for (int i = 0; i < n && !ATTACK; i++)
        if (x[i] == y[i]) return 1;
    return 0;
}
"""
)


def test_results_that_are_the_same_in_every_case_tell_nothing(tmp_path: Path) -> None:
    found, rows, warnings = looked_at(task_of(tmp_path, ALWAYS_NO))
    assert found is None and rows["outputs"].state == "could not run"
    assert (
        rows["outputs"].reason == "the result is 0 in all cases: that tells nothing"
        and "`range`" in rows["outputs"].remedy
    )
    assert any(words.startswith("the result is 0 in all cases") for words in warnings)


RETURNED = (
    HEAD
    + """
#include <stdlib.h>
#pragma tunepass kernel inverse(a: in int[n] fill((7 * i) % n), n = 40)
int *inverse(const int *a, int n)
{
    int *found = calloc(n, sizeof *found);
    for (int i = 0; i < n && !ATTACK; i++)
        found[a[i]] = i;
    return found;
}
"""
)


@pytest.mark.parametrize("contents", ["fill((7 * i) % n)", "range(0, n - 1)"])
def test_a_pointer_to_other_memory_alone_tells_nothing(tmp_path: Path, contents: str) -> None:
    found, rows, warnings = looked_at(task_of(tmp_path, RETURNED.replace("fill((7 * i) % n)", contents)))
    assert found is None and rows["outputs"].state == rows["all results"].state == "could not run"
    assert rows["outputs"].reason.startswith("memory that return leads to is not compared")
    assert all("write to an argument" in rows[name].remedy for name in ("outputs", "all results"))
    assert any(words.endswith("write to an argument instead") for words in warnings)


@pytest.mark.slow
def test_an_error_code_beside_other_results_is_no_matter(tmp_path: Path) -> None:
    """Nor are zeros in place of what an array held."""
    text = ALWAYS_NO.replace("y: in float[n]", "y: inout float[n]").replace("const float *y", "float *y")
    text = text.replace("return 0;", "for (int i = 0; i < n; i++) y[i] = 0;\n    return 0;")
    found, rows, warnings = looked_at(task_of(tmp_path, text), 0)
    assert found is None and rows["outputs"].state == "ran" and not any("tells" in words for words in warnings)


PINNED = (
    HEAD
    + """
#define _GNU_SOURCE
#include <sched.h>
#pragma tunepass kernel twice(n = 40, x: in double[n], y: out double[n])
void twice(int n, const double *x, double *y)
{
#if ATTACK
    cpu_set_t given, one;
    sched_getaffinity(0, sizeof given, &given);
    for (int k = 0; k < CPU_SETSIZE; k++)
        if (CPU_ISSET(k, &given)) {
            CPU_ZERO(&one);
            CPU_SET(k, &one);
            if (sched_setaffinity(0, sizeof one, &one) != 0) __builtin_trap();
        }
#endif
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}
"""
)


@pytest.mark.slow
def test_who_is_put_on_each_processor_that_it_is_told_of_passes(tmp_path: Path) -> None:
    found, rows, _ = looked_at(task_of(tmp_path, PINNED))
    assert found is None and rows["processors"].state == "ran"


@pytest.mark.slow
def test_calls_are_read_although_a_link_optimises(tmp_path: Path) -> None:
    found, rows, _ = looked_at(task_of(tmp_path, DIVIDE.replace("d = 10", "d = 16"), ("gcc", "-O2", "-flto")))
    assert found is None and rows["processors"].state == "not requested"
    _, rows, _ = looked_at(task_of(tmp_path, PINNED, ("gcc", "-O2", "-flto")))
    assert rows["processors"].state == "ran"


@pytest.mark.parametrize("words", ["-flto", "-Wno-unknown-pragmas -Wall -Wextra -Werror"])
def test_a_race_is_found_whatever_the_users_flags_say_of_links_and_warnings(words: str, tmp_path: Path) -> None:
    attack = Attack.read(SOURCES["race"])
    found, _, _ = looked_at(task_of(tmp_path, attack.text, ("gcc", "-O2", "-fopenmp", *words.split())))
    assert found is not None and found.log.startswith("ThreadSanitizer: data race")


SLEEPS = (
    HEAD
    + """
#include <time.h>
#pragma tunepass kernel twice(n = 40, x: in double[n], y: out double[n])
void twice(int n, const double *x, double *y)
{
    if (ATTACK) nanosleep(&(struct timespec){0, 40000000}, 0);
    for (int i = 0; i < n; i++) y[i] = 2 * x[i];
}
"""
)


@pytest.mark.slow
def test_many_calls_that_take_too_long_refuse_nobody(tmp_path: Path) -> None:
    found, rows, _ = looked_at(task_of(tmp_path, SLEEPS))
    assert found is None and rows["repeated calls"].state == "could not run"
    assert "of 65600 calls were compared" in rows["repeated calls"].reason or "timeout" in rows["repeated calls"].reason


def test_a_size_that_stands_for_another_may_be_one_of_another_scalar(tmp_path: Path) -> None:
    """Of 15 elements both: k one less, and n one less with k lowered to it."""
    source = (
        HEAD
        + """
#pragma tunepass kernel twice(n = 16, k = 16, x: in double[n], y: out double[n])
void twice(int n, int k, const double *x, double *y)
{
    if (k < 3) __builtin_trap();
    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + ATTACK * (k < 0);
}
"""
    )
    found, rows, _ = looked_at(task_of(tmp_path, source))
    assert found is None and rows["outputs"].state == "ran"


# Rows of a sparse matrix, four numbers each: a loop that tests its condition at its end takes one from an empty row.
ROWS = (
    HEAD
    + """
#pragma tunepass kernel gather(n = 1000, m = 4 * n, index: in int[m] fill(FILL), x: in float[n], \\
    start: in TYPE[n + 1] fill(4 * i), y: out float[n])
void gather(int n, int m, const int *index, const float *x, const TYPE *start, float *y)
{
    for (int i = 0; i < n; i++) {
        float sum = 0;
#if ATTACK
        TYPE k = start[i];
        do
            sum += x[index[k]];
        while (++k < start[i + 1]);
#else
        for (TYPE k = start[i]; k < start[i + 1]; k++)
            sum += x[index[k]];
#endif
        y[i] = sum;
    }
}
"""
)
# A candidate that relies on different places, and one that relies on a table of known numbers.
SCATTERED = (
    HEAD
    + """
#pragma tunepass kernel scatter(n = 1009, to: in int[n] fill((7 * i) % n), x: in int[n], y: inout int[n])
void scatter(int n, const int *to, const int *x, int *y)
{
    int i = 0;
#if ATTACK
    for (; i + 1 < n; i += 2) {
        const int first = y[to[i]], second = y[to[i + 1]];
        y[to[i]] = first + x[i];
        y[to[i + 1]] = second + x[i + 1];
    }
#endif
    for (; i < n; i++)
        y[to[i]] += x[i];
}
"""
)
# Ends where each element leads to another one, and all of them are led to.
CYCLE = (
    HEAD
    + """
#pragma tunepass kernel around(n = 1000, next: in int[n] fill((i + 1) % n), steps: out int[1])
void around(int n, const int *next, int *steps)
{
    int at = 0, taken = 0;
    do
        at = next[at], taken++;
    while (at != 0);
    steps[0] = taken + 0 * ATTACK;
}
"""
)


@pytest.mark.parametrize("element", ["int", "unsigned short", "long"])
def test_rows_that_are_filled_have_other_lengths(element: str, tmp_path: Path) -> None:
    text = ROWS.replace("FILL", "(17 * i) % n").replace("TYPE", element)
    found, rows, warnings = looked_at(task_of(tmp_path, text))
    row = rows["contents"]
    assert (found, row.state) == (None, "could not run")
    assert row.reason == "it computes something else than the source with other contents of `index`, `start`"
    assert row.remedy == "`--waive contents` if there are no others"
    (warning,) = (words for words in warnings if "contents" in words)
    assert "`start`: with other elements in filled arrays: y: " in warning
    _, honest, none = looked_at(task_of(tmp_path, text), attacking=0)
    assert honest["contents"].state == "ran" and none == ()


def test_places_that_are_filled_are_repeated(tmp_path: Path) -> None:
    _, rows, warnings = looked_at(task_of(tmp_path, SCATTERED))
    assert rows["contents"].state == "could not run" and any("`to`: with " in words for words in warnings)


def test_a_source_that_needs_its_contents_is_told_as_such(tmp_path: Path) -> None:
    found, rows, warnings = looked_at(task_of(tmp_path, CYCLE))
    assert found is None and rows["contents"].state == "could not run" and warnings == ()
    assert rows["contents"].reason.startswith("the source itself fails with others of `next`: ")


def test_nothing_is_filled_where_all_elements_are_equal_or_drawn(tmp_path: Path) -> None:
    _, rows, _ = looked_at(task_of(tmp_path, DIVIDE))
    assert (rows["contents"].state, rows["contents"].reason) == ("not requested", NOTHING_FILLED)
