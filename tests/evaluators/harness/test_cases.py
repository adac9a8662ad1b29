"""Which cases there are, which of them a candidate has to be right in, and what is left out where the source fails."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import pytest

from tests.evaluators.test_wrong_kernels import task_of
from tunepass.diagnostics import ToolError
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.harness import CheckedCase, FailedCase, HarnessRun
from tunepass.evaluators.harness.reference.case_runs import affordable, run_cases
from tunepass.evaluators.harness.reference.cases import (
    Case,
    Inputs,
    advice,
    all_cases,
    at_right_lengths,
    beyond,
    of_candidate,
    with_special_values,
    with_unusual_scalars,
)
from tunepass.evaluators.harness.reference.distributions import (
    ALIKE,
    CHAIN,
    DISTRIBUTIONS,
    ENDS,
    EQUAL,
    LARGEST,
    MULTIPLES,
    ONE_ERROR,
    REFILLED,
    SIGNED,
    TEXTS,
)
from tunepass.evaluators.process.run import Limits
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

LIMITS = Limits(wall_s=1)
FURTHER = Inputs(sizes=("n = 9", "n = 2", "n = 4", "n = 7"), basic=2, middle=3, short=2, finite=None, drawn=True)


def test_all_but_the_basic_sizes_and_the_last_are_optional() -> None:
    cases = all_cases((1, 2), FURTHER)
    optional = [case.words for case in cases if case.optional]
    assert optional[0] == "at n = 4" and len(optional) == 1 + 5 + 18 + 9 + 3
    assert {case.size for case in cases if case.special in range(4, 9)} == {3}
    assert {case.size for case in cases if 8 < case.special < ALIKE} == {2}
    tuned, *again = (case.size for case in cases if case.special == ALIKE)
    assert tuned == 0 and set(again) == {2}, "rows are as long as usual"
    assert {case.size for case in cases if case.extreme} == {4}
    assert len({case.argument for case in cases}) == len(cases)


def test_other_scalars_are_tried_just_before_those_of_the_pragma_at_the_same_lengths() -> None:
    inputs = Inputs(
        sizes=("n = 9", "n = 7, k = 0", "n = 7"), basic=1, extra=(2,), noted=(("with another k", (2,)),), gaps=(2,)
    )
    cases = of_candidate(all_cases((1, 2), inputs), None)
    assert [case.size for case in cases][-3:] == [2, 3, 3] and cases[-3].gaps
    wrong = advice(cases[-3], inputs, ["y"])
    assert "`#pragma tunepass constraint k == ...`" in wrong and "sizes()" in advice(cases[-1], inputs, ["y"])


def test_whole_numbers_are_large_with_other_scalars_and_at_the_smallest_size() -> None:
    inputs = Inputs(
        sizes=("n = 9", "n = 7, k = 2", "n = 7, k = 65", "n = 7"),
        basic=1,
        extra=(2, 3),
        noted=(("with another k", (2,)),),
        gaps=(2, 3),
        unusual=((3, "k", 65, 9),),
        drawn=True,
        whole=True,
    )
    cases = all_cases((1, 2), inputs)
    assert [(c.size, c.special, c.unusual) for c in cases if c.gaps] == [
        (2, 0, ""),
        (3, 0, "k"),
        (2, MULTIPLES, ""),
        (3, MULTIPLES, "k"),
    ]
    assert [case.special for case in cases if case.size == 4 and case.late] == [SIGNED]
    unusual = tuple(case for case in cases if case.unusual)
    assert with_unusual_scalars(cases, None, True) == with_unusual_scalars(cases, [3], True) == unusual
    assert not any(case.unusual for case in of_candidate(cases, None)) and not with_unusual_scalars(cases, [1, 2], True)


@pytest.mark.parametrize("finite", [None, False])
def test_special_values_are_tried_where_a_scalar_is_zero(finite: bool | None) -> None:
    """Not beside a scalar of 0 that the constraints exclude, or with which nothing is compared."""
    inputs = Inputs(
        sizes=("n = 7, beta = 0.0", "n = 7, beta = 1.0", "n = 7"),
        unusual=((1, "beta", 0.0, 0.5), (2, "beta", 1.0, 0.5)),
        extra=(1, 2),
        finite=finite,
    )
    cases = all_cases((1, 2), inputs)
    asked = with_unusual_scalars(cases, None, False) if finite is False else with_special_values(cases, None, [1, 2])
    assert [(c.size, c.words) for c in asked if c.extreme and c.unusual] == [
        (1, "with NaN and infinities where beta is 0")
    ]
    assert not any(case.unusual and case.extreme for case in of_candidate(cases, None, finite))
    assert not any(case.unusual for case in with_special_values(cases, None, [2]))
    without = [case for case in cases if not (case.size == 1 and case.plain)]
    assert not any(case.unusual for case in with_special_values(without, None, [1, 2]))


def test_equal_and_different_elements_are_tried_at_the_widest_size() -> None:
    inputs = replace(FURTHER, sizes=("n = 9", "n = 65539", "n = 7"), basic=1, wide=(2,), extra=(2,))
    words = [
        case.words
        for case in all_cases((1, 2), replace(inputs, whole=True))
        if case.special and case.size == 2 and case.late
    ]
    assert words == [f"at n = 65539, with {DISTRIBUTIONS[kind]}" for kind in (EQUAL, SIGNED)]


@pytest.mark.parametrize("byte", [True, False])
def test_many_bytes_are_also_the_largest_at_the_last_size(byte: bool) -> None:
    inputs = replace(FURTHER, sizes=("n = 9", "n = 65539", "n = 131075", "n = 7"), basic=1, wide=(2, 3))
    cases = all_cases((1, 2), replace(inputs, whole=True, byte=byte))
    largest = [(3, LARGEST)] if byte else []
    assert [(c.size, c.special) for c in cases if c.wide and c.special] == [
        (3, EQUAL),
        (2, SIGNED),
        (3, SIGNED),
        *largest,
    ]


def test_arrays_that_are_not_at_their_ends_are_aligned_differently() -> None:
    """Whatever the lengths are: with other data, and with every distribution."""
    short = all_cases((1, 2), Inputs(drawn=True, whole=True, literals=True, elements=100))
    shifts = {case.shift for case in short if case.shift}
    others = {f"with {words}" for k, words in DISTRIBUTIONS.items() if k not in (*TEXTS, *ENDS, *REFILLED)}
    assert {case.words for case in short if case.shift} == {"with other data", *others}
    assert {shift % 8 for shift in shifts} >= {1, 2, 4} and all(not case.shift for case in short if case.usual)


@pytest.mark.parametrize(
    ("real", "whole", "count"), [(True, True, 50), (True, False, 32), (False, True, 38), (False, False, 16)]
)
def test_distributions_are_those_that_change_the_inputs(real: bool, whole: bool, count: int) -> None:
    """Numbers within a range of the pragma's are made equal and put in order alone."""
    cases = all_cases((1, 2), replace(FURTHER, real=real, whole=whole, finite=True))
    assert sum(case.special > 0 for case in cases) == count


def test_texts_are_tried_with_bytes_and_the_ends_of_ranges_where_there_are_some() -> None:
    without, byte, ranged = (
        {case.special: case.size for case in all_cases((1, 2), inputs)}
        for inputs in (FURTHER, replace(FURTHER, byte=True), replace(FURTHER, ranged=True, ranged_whole=True))
    )
    assert byte.items() - without.items() == {(kind, 2) for kind in TEXTS}
    assert ranged.items() - without.items() == {(kind, 2 if kind == CHAIN else 3) for kind in ENDS}


def test_filled_arrays_have_other_contents_at_a_short_size_or_the_tuned_one() -> None:
    at = {
        name: {case.special: case.size for case in all_cases((1, 2), inputs) if case.unusual}
        for name, inputs in {
            "further sizes": replace(FURTHER, refilled=("start",)),
            "short": Inputs(refilled=("start",), elements=1000),
            "long": Inputs(refilled=("start",), elements=1 << 20),
            "none": FURTHER,
        }.items()
    }
    assert at == {
        "further sizes": dict.fromkeys(REFILLED, 2),
        "short": dict.fromkeys(REFILLED, 0),
        "long": {},
        "none": {},
    }


def test_each_error_of_a_text_is_tried_alone() -> None:
    cases = all_cases((1, 2), replace(FURTHER, byte=True))
    seeds = {case.seed % 7 for case in cases if case.special == ONE_ERROR}
    assert seeds == set(range(7)), "distributions.h draws one of seven errors by the seed"


def test_numbers_that_hold_larger_ones() -> None:
    up_to_31, signed_9, signed_16 = (Case(seed=1, special=special) for special in (17, 18, 19))
    assert beyond([signed_9], signed_16) and not beyond([signed_16], signed_9)
    assert not beyond([up_to_31], signed_16) and not beyond([signed_9], up_to_31)


def test_special_values_are_asked_for_or_not() -> None:
    cases = all_cases((1, 2), FURTHER)
    assert not any(case.extreme for case in of_candidate(cases, None, None))
    assert sum(case.extreme for case in of_candidate(cases, None, False)) == 3
    assert len(with_special_values(cases, None, ())) == 3 and not with_special_values(cases, [1], ())


@dataclass
class FailingRun:
    """Fails in the cases of some seeds; what it ran, in `asked`."""

    failing: dict[int, str]
    asked: list[list[int]] = field(default_factory=list)

    def check_each(
        self, cases: Sequence[Case], alignment: int, limits: Limits, calls: int, rounding: str
    ) -> dict[Case, CheckedCase] | FailedCase:
        self.asked.append([case.seed for case in cases])
        for number, case in enumerate(cases):
            if case.seed in self.failing:
                return FailedCase(number, Failed(self.failing[case.seed], "as it is"))  # type: ignore[arg-type]
        return {case: CheckedCase((), 0, 0.0, worked_s=case.seed / 100) for case in cases}


def run(failing: dict[int, str]) -> tuple[FailingRun, list[int], list[int]]:
    fake = FailingRun(failing)
    runs = run_cases(cast(HarnessRun, fake), [Case(seed=k) for k in range(6)], 1, LIMITS)
    return fake, [case.seed for case in runs.checked], [case.seed for case in runs.failed]


def test_a_case_that_fails_is_left_out_and_the_others_run_again() -> None:
    fake, checked, failed = run({1: "crash", 4: "out_of_bounds"})
    assert (checked, failed) == ([0, 2, 3, 5], [1, 4]) and len(fake.asked) == 3


def test_each_unusual_scalar_is_tried_at_the_first_lengths_at_which_the_source_is_right() -> None:
    plain = Case(seed=1, size=1, words="n = 5")
    a, b = (
        [Case(seed=1, size=k, unusual=name, base=base) for k, base in each]
        for name, each in {"a": ((3, 1), (4, 2), (5, 0)), "b": ((6, 1), (7, 0))}.items()
    )
    cases = [plain, *a, *b]
    assert at_right_lengths(cases, {1, 2}) == [plain, a[0], b[0]]
    assert at_right_lengths(cases, {2}) == [plain, a[1], b[1]] and at_right_lengths(cases, ()) == [plain, a[2], b[1]]


def test_after_a_time_out_the_cases_behind_it_are_left_out() -> None:
    fake, checked, failed = run({3: "timeout"})
    assert (checked, failed) == ([0, 1, 2], [3, 4, 5]) and len(fake.asked) == 2


def test_the_dearest_optional_cases_are_left_out() -> None:
    checked = {Case(seed=k): CheckedCase((), 0, 0.0, worked_s=k / 100) for k in range(6)}
    kept, left_out = affordable(checked, call_s=0.06, calls=1)
    assert [case.seed for case in kept] == [0, 1, 2, 3] and [case.seed for case in left_out] == [5, 4]
    assert all("the source takes up to 50 ms there" in why for why in left_out.values())  # so they have one warning


BRANCH = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel clamp(n = 300, x: in double[n], y: out double[n])CLAUSE
void clamp(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = WRONG ? (x[i] > 0 ? x[i] : 0) : (x[i] <= 0 ? 0 : x[i]);
}
"""


@pytest.mark.parametrize(("clause", "told"), [("", 1), (" finite", 0)])
@pytest.mark.slow_but(2)
def test_what_differs_with_special_values_alone_is_a_warning(clause: str, told: int, tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, BRANCH.replace("CLAUSE", clause))) as evaluator:
        right, wrong = Configuration({"WRONG": 0}), Configuration({"WRONG": 1})
        assert isinstance(evaluator.evaluate(wrong).outcome, Measured)
        assert evaluator.look_again(right) is None and evaluator.look_again(wrong) is None
        assert len(evaluator.warnings) == told
        for warning in evaluator.warnings:
            assert warning.startswith("WRONG=1 computes something else than the source with NaN and infinities: y:")
            assert warning.endswith("say `finite`")


EVEN = """
#pragma tunepass param SLOW: categorical(0, 1) = 0
#pragma tunepass kernel pairs(n = 300, x: in double[n], y: out double[n])
void pairs(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i += 2)
        y[i] = x[i] + SLOW * 0, y[i + 1] = 1 / x[i + 1];
}
"""


def test_remainders_at_which_the_source_fails_are_named(tmp_path: Path) -> None:
    """So are distributions with which it computes no numbers."""
    with CompileRun(task_of(tmp_path, EVEN)) as evaluator:
        evaluator.set_up()
        near, remainders, values = evaluator.warnings
        assert "nothing is compared at n = 299, where the source itself fails: touched" in near
        assert "the remainder 1, 3, 5, 7, 9, 11, 13, 15 of 16: touched" in remainders
        kinds = (
            "few whole numbers or zeros or quarters or zeros among other numbers or ascending elements with equal ones"
        )
        assert values.startswith(f"nothing is compared with {kinds} among them: the source itself")


FOURS = """
#include <assert.h>
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel doubled(n = 4096, x: in float[n], y: out float[n])
void doubled(int n, const float *x, float *y)
{
    assert(n % 4 == 0);
    for (int i = 0; i < n; i++)
        y[i] = WRONG && x[i] == 0 ? 1 : 2 * x[i];
}
"""


def test_data_are_tried_although_most_sizes_fail(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, FOURS)) as evaluator:
        wrong = evaluator.evaluate(Configuration({"WRONG": 1})).outcome
        assert isinstance(wrong, Failed) and "with zeros" in wrong.log
        near, remainders = evaluator.warnings
        assert "at n = 4095, where the source itself fails" in near and near.count("Assertion") == 1
        assert remainders.endswith("of 16: the program was ended by SIGABRT") and "\n" not in near + remainders


def test_sizes_that_a_constraint_excludes_are_no_warning(tmp_path: Path) -> None:
    text = FOURS.replace("#pragma tunepass kernel", "#pragma tunepass constraint n % 4 == 0\n#pragma tunepass kernel")
    with CompileRun(task_of(tmp_path, text)) as evaluator:
        evaluator.evaluate(Configuration({"WRONG": 0}))
        rows = {row.name: row.state for row in evaluator.checks(Configuration({"WRONG": 0})).checks}
        assert evaluator.warnings == () and rows["sizes"] == "ran"


LINKS = """
#pragma tunepass param O: categorical("-O1", "-O2") = "-O2" flag
#pragma tunepass kernel links(n = 1000, x: in int[n] range(0, 7), head: out int[8], next: out int[n])
void links(int n, const int *x, int *head, int *next)
{
    for (int i = 0; i < n; i++) {
        if (head[x[i]] != -1)
            next[head[x[i]]] = i;
        head[x[i]] = i;
        next[i] = -1;
    }
}
"""


def test_a_source_that_crashes_is_told_that_out_arrays_hold_garbage(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, LINKS)) as evaluator, pytest.raises(ToolError) as caught:
        evaluator.set_up()
    assert "declare that `inout`" in (caught.value.diagnostics[0].hint or "")


MEAN = """
#pragma tunepass param O: categorical("-O2", "-Ofast") = "-O2" flag
#pragma tunepass kernel mean(n = 40, m = 35, x: in double[n*m], y: out double[m])
void mean(int n, int m, const double *x, double *y)
{
    for (int j = 0; j < m; j++) {
        y[j] = 0;
        for (int i = 0; i < n; i++)
            y[j] += x[i * m + j];
        y[j] /= n;
    }
}
"""


def test_the_mean_of_nothing_refuses_nobody_unless_special_values_are_asked_for(tmp_path: Path) -> None:
    """It is not a number, which -Ofast takes for impossible."""
    fast = Configuration({"O": "-Ofast"})
    with CompileRun(task_of(tmp_path, MEAN)) as evaluator:
        assert isinstance(evaluator.evaluate(fast).outcome, Measured)
        (warning,) = evaluator.warnings
        assert warning.startswith("nothing is compared at n = 0, m = ") and "not finite" in warning
    asking = MEAN.replace("y: out double[m])", "y: out double[m]) finite(false)")
    with CompileRun(task_of(tmp_path, asking)) as evaluator:
        outcome = evaluator.evaluate(fast).outcome
        assert isinstance(outcome, Failed) and outcome.stage == "wrong_result"


LOWER = """
#pragma tunepass param O: categorical("-O1", "-O2") = "-O2" flag
#pragma tunepass kernel lower(n = 64, a: in double[n*n], l: out double[n*n]) sizes()
#include <math.h>
void lower(int n, const double *a, double *l)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            l[i * n + j] = ROOT(a[i * n + j]);
}
"""


@pytest.mark.parametrize(("root", "told"), [("fabs", None), ("sqrt", "of 4160 values of l are NaN")])
def test_elements_that_the_source_leaves_unwritten_are_not_lost(tmp_path: Path, root: str, told: str | None) -> None:
    with CompileRun(task_of(tmp_path, LOWER.replace("ROOT", root), ("gcc", "-O2", "-lm"))) as evaluator:
        evaluator.set_up()
        warnings = [words for words in evaluator.warnings if "NaN, which tells" in words]
        assert not warnings if told is None else told in warnings[0]


DECAY = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel decay(n = 1000, x: in float[n] range(0, 1), y: out float[n])
void decay(int n, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = WRONG && n > 65 && n < 127 && i == n - 1 ? 0.5f : expf(-100 * x[i]);
}
"""
TO_SHORT = """
#pragma tunepass param SATURATED: categorical(0, 1) = 0
#pragma tunepass kernel pcm(n = 200, x: in float[n] range(-1, 1), y: out short[n])
void pcm(int n, const float *x, short *y)
{
    for (int i = 0; i < n; i++) {
        const int wide = (int)(x[i] * 32768.0f);
        y[i] = SATURATED ? (short)(wide > 32767 ? 32767 : wide) : (short)(x[i] * 32768.0f);
    }
}
"""


def test_denormal_numbers_leave_out_no_size(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, DECAY, ("gcc", "-O2", "-lm"))) as evaluator:
        wrong = evaluator.evaluate(Configuration({"WRONG": 1})).outcome
        assert isinstance(wrong, Failed) and wrong.log.startswith("at n = 66: y: ")


def test_ends_of_a_range_at_which_the_sources_arithmetic_is_undefined_refuse_nobody(tmp_path: Path) -> None:
    """A `short` cannot hold 32768: no two programs need agree there."""
    with CompileRun(task_of(tmp_path, TO_SHORT)) as evaluator:
        assert isinstance(evaluator.evaluate(Configuration({"SATURATED": 1})).outcome, Measured)


FOLLOWED = """
#pragma tunepass param TURN: categorical(0, 1) = 0
#pragma tunepass kernel ends(n = 400, next: in int[n] range(0, n - 1), end: out int[n])
void ends(int n, const int *next, int *end)
{
    for (int i = 0; i < n; i++) {
        int at = i, left = 0;
        for (; next[at] < at; left++)
            at = next[at];
        for (volatile int turn = 0; turn < LENGTH * left; turn++)
            ;
        end[i] = at + 0 * TURN;
    }
}
"""


@pytest.mark.parametrize("length", [0, 1000])
def test_chains_that_the_source_is_too_slow_for_are_told(tmp_path: Path, length: int) -> None:
    with CompileRun(task_of(tmp_path, FOLLOWED.replace("LENGTH", str(length)))) as evaluator:
        compared = [case for case in evaluator.set_up().expected if case.special == CHAIN]
        # Beside others that are left out for the same reason, on a slow machine.
        warned = [words for words in evaluator.warnings if "each element the place of a neighbour before it" in words]
    assert (len(compared), len(warned)) == ((1, 1) if length else (2, 0))


OF_ONE_SIZE = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel copy(n = SIZE, x: in double[n], y: out double[n])
void copy(int n, const double *x, double *y)
{
    for (int i = 0; i < SIZE; i++)
        y[i] = WRONG && x[0] == x[SIZE - 1] ? 0 : x[i];
}
"""


def test_other_data_are_tried_at_the_tuned_size_where_the_source_fails_at_theirs(tmp_path: Path) -> None:
    """What the data are not the cause of is no reason to leave them out."""
    with CompileRun(task_of(tmp_path, OF_ONE_SIZE.replace("SIZE", "300"))) as evaluator:
        wrong = evaluator.evaluate(Configuration({"WRONG": 1})).outcome
        assert isinstance(wrong, Failed) and wrong.log.startswith("with elements most of which are alike: y: ")
        assert len(evaluator.warnings) == 2 and not any("compared with" in warning for warning in evaluator.warnings)


def test_where_that_is_dear_one_warning_says_that_the_size_is_the_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tunepass.evaluators.harness.reference.reference.AGAIN_S", -1.0)
    with CompileRun(task_of(tmp_path, OF_ONE_SIZE.replace("SIZE", "300"))) as evaluator:
        evaluator.set_up()
        values, *_, special = [warning for warning in evaluator.warnings if "compared with" in warning]
        assert values.count("the source itself fails at the size at which they are tried: touched") == 1
        assert "with equal elements or" in values and "with NaN and infinities or" in special


WHOLE = """
#pragma tunepass param WRONG: integer(0..4) = 0
#pragma tunepass kernel scale(n = 300, x: in int[n], b: in unsigned char[n], y: out int[n])
void scale(int n, const int *x, const unsigned char *b, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 100 * (WRONG == 1 ? (short)x[i] : WRONG == 2 && x[i] < -(1 << 20) ? 0 : x[i])
            + (WRONG == 3 && b[i] > 127);
    if (WRONG == 4)
        for (int i = 0; i < n; i++)
            y[i] = x[i] < 20000000 ? 100 * x[i] : (int)(100u * x[i]) - 1;
}
"""


def test_whole_numbers_are_as_large_as_the_source_multiplies(tmp_path: Path) -> None:
    """A difference where the source's own product overflows is none."""
    with CompileRun(task_of(tmp_path, WHOLE)) as evaluator:
        stages = [getattr(evaluator.evaluate(Configuration({"WRONG": k})).outcome, "stage", "") for k in range(5)]
        assert stages == ["", "wrong_result", "wrong_result", "wrong_result", ""]
        reasons = {case.special: why for case, why in evaluator.set_up().left_out if case.special in range(16, 23)}
        assert set(reasons) == {17, 21, 22} and set(reasons.values()) == {"the source's own arithmetic overflows there"}
        assert not evaluator.warnings


INDEXED = """
#pragma tunepass param SLOW: categorical(0, 1) = 0
#pragma tunepass kernel histogram(n = 300, x: in unsigned char[n], at: in int[n], y: out int[256])
void histogram(int n, const unsigned char *x, const int *at, int *y)
{
    for (int i = 0; i < 256; i++)
        y[i] = 0;
    for (int i = 0; i < n; i++)
        y[at[i]] += x[i] + SLOW * 0;
}
"""


def test_whole_numbers_that_lead_an_index_astray_are_told(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, INDEXED)) as evaluator:
        assert isinstance(evaluator.evaluate(Configuration({"SLOW": 0})).outcome, Measured)
        warning, _ = evaluator.warnings
        assert "whole numbers up to 2^16 or" in warning and "leaves its arrays there" in warning


SQUARE = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel f(n = 9, m = 9, a = 0.5, x: in int[n*m], v: in int[n], w: in int[n], z: out int[n*m])
void f(int n, int m, double a, const int *x, const int *v, const int *w, int *z)
{
    for (int i = 0; i < n && a == 0.5; i++)
        for (int j = 0; j < m; j++)
            z[i * m + j] = (x[j * m + i] | x[i * n + j] | 1) & (WRONG && v == w ? 0 : v[i]) & w[i];
}
"""


STRIDED = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel f(n = 50, inc = 1, first = 0, x: in int[n], y: out int[1 + (n - 1)*inc])
void f(int n, int inc, int first, const int *x, int *y)
{
    for (int i = 0; i < n; i++) {
        y[i * inc] = x[i];
        if (WRONG && inc > 1 && i + 1 < n) y[i * inc + 1] = 0;
    }
    if (first) y[n * inc] = 0;
}
"""


def test_strides_may_leave_elements_unwritten_and_candidates_too(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, STRIDED)) as evaluator:
        right, wrong = (evaluator.evaluate(Configuration({"WRONG": k})).outcome for k in (0, 1))
        assert isinstance(right, Measured) and isinstance(wrong, Failed)
        assert wrong.stage == "wrong_result" and "inc = 2" in wrong.log
        (warning,) = evaluator.warnings
        assert warning.startswith("nothing is compared with another first: touched y[37], 1 past its end")


def test_equal_numbers_that_the_source_relies_on_are_told(tmp_path: Path) -> None:
    """Two inputs may be one array where nothing prevents it."""
    with CompileRun(task_of(tmp_path, SQUARE)) as evaluator:
        evaluator.set_up()
        (differ,) = [w for w in evaluator.warnings if "differ" in w or "another" in w]
        assert differ.startswith("nothing is compared where n and m differ: touched x")
        wrong = evaluator.evaluate(Configuration({"WRONG": 1})).outcome
        assert isinstance(wrong, Failed) and wrong.log.startswith("with w in the place of v: z: ")


FIXED = """
#pragma tunepass param SLOW: categorical(0, 1) = 0
#pragma tunepass kernel twice(x: in double[64], y: out double[64])
void twice(const double *x, double *y)
{
    for (int i = 0; i < 64; i++)
        y[i] = 2 * x[i] + SLOW * 0;
}
"""


def test_one_size_is_told(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, FIXED)) as evaluator:
        evaluator.set_up()
        assert evaluator.warnings == (
            "results are compared at the tuned size alone: no whole number above 1 of the pragma decides the length"
            " of an array",
        )


LARGE = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#pragma tunepass kernel halves(n = 500, x: in int[n], y: out int[n])
void halves(int n, const int *x, int *y)
{
    for (int i = 0; i < n; i++)
        y[i] = WRONG ? (int)((float)x[i] / 2) : x[i] / 2;
}
"""


@pytest.mark.parametrize("command", ["gcc -O2 -flto", "clang -O2 -flto=thin"])
def test_large_whole_numbers_are_compared_where_a_link_optimises(command: str, tmp_path: Path) -> None:
    """The source that ends where arithmetic overflows is compiled without, else it does not link."""
    if not shutil.which(command.split()[0]):
        pytest.skip(f"needs {command.split()[0]}")
    with CompileRun(task_of(tmp_path, LARGE, tuple(command.split()))) as evaluator:
        wrong = evaluator.evaluate(Configuration({"WRONG": 1})).outcome
        assert isinstance(wrong, Failed) and wrong.log.startswith("with whole numbers up to 2^31: y: ")
        assert evaluator.warnings == ()


FIRST_SEEN = """
#pragma tunepass param TURN: categorical(0, 1) = 0
#pragma tunepass kernel repeated(n = 1000, x: in int[n] range(0, n - 1), seen: work int[n], y: out int[n])
void repeated(int n, const int *x, int *seen, int *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = seen[x[i]] + 0 * TURN;
        seen[x[i]] = 1;
    }
}
"""


def test_work_is_zero_before_timed_calls_too(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, FIRST_SEEN)) as evaluator:
        assert isinstance(evaluator.evaluate(Configuration({"TURN": 1})).outcome, Measured)


SCALED = """
#pragma tunepass param WRONG: categorical(0, 1) = 0
#include <math.h>
#pragma tunepass kernel scale(n = 4096, x: in float[n], y: out short[n])
void scale(int n, const float *x, short *y)
{
    for (int i = 0; i < n; i++) {
        float c = x[i] < -1 ? -1 : x[i] > 1 ? 1 : x[i];
        y[i] = WRONG && x[i] != 0 && fabsf(x[i]) < 1e-6f ? 0 : (short)((int)((c + 1) * 32767.5f) - 32768);
    }
}
"""


def test_whole_numbers_that_rounding_moves_by_one_are_compared(tmp_path: Path) -> None:
    """Those may be off by one, the others have to be equal: very small numbers alone show what is wrong here."""
    with CompileRun(task_of(tmp_path, SCALED)) as evaluator:
        expected = evaluator.set_up().expected
        allowed = [t.elements for each in expected.values() for t in each.tolerances if t.elements is not None]
        assert allowed and all(set(elements.tolist()) == {0.0, 1.0} for elements in allowed)
        assert all(case.optional for case, each in expected.items() if each.tolerances[0].elements is not None)
        wrong = evaluator.evaluate(Configuration({"WRONG": 1})).outcome

        assert isinstance(wrong, Failed)
