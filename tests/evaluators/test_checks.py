"""Each check is broken on purpose: its row of the ledger says that it could not run, and why."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluators.test_wrong_kernels import task_of
from tunepass.evaluators import kernel_ledgers
from tunepass.evaluators.compile_run import CompileRun
from tunepass.evaluators.harness.dialogue import conversation
from tunepass.evaluators.harness.dialogue.dialogues import Timed
from tunepass.evaluators.harness.dialogue.witness import Ordered, Witness
from tunepass.evaluators.harness.harness import HarnessRun
from tunepass.evaluators.harness.reference import ledger_rows, rounding
from tunepass.evaluators.harness.reference.reference import Reference
from tunepass.evaluators.harness.verification.races import Race, Unjudged
from tunepass.evaluators.measure.timing import ProcessorTimes, Sample, Timing
from tunepass.evaluators.process import cores, isolation, protection
from tunepass.evaluators.process.protection import Protection
from tunepass.ir.candidate import Candidate, Request
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import CHECKS, Check, Ledger
from tunepass.study.outcome import Failed, Measured

pytestmark = pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")

HEAD = "#pragma tunepass param A: integer(0..1) = 0\n#pragma tunepass kernel add"
ADD = f"""{HEAD}(n = 1000, x: in double[n], y: out double[n])
void add(int n, const double *x, double *y) {{ for (int i = 0; i < n; i++) y[i] = x[i] + x[0] + 0 * A; }}
"""
PAIRS = f"""{HEAD}(n = 1000, x: in double[n], y: out double[n])
void add(int n, const double *x, double *y)
{{
    for (int i = 0; i < n; i += 4)
        for (int k = 0; k < 4; k++) y[i + k] = x[i + k] + A * 0;
}}
"""
ALIGNED = f"""#include <immintrin.h>
{HEAD}(n = 1001, x: in float[n], y: out float[n]) sizes()
void add(int n, const float *x, float *y)
{{
    for (int i = 0; i + 4 <= n; i += 4) _mm_store_ps(y + i, _mm_load_ps(x + i));
    y[n - 1] = x[n - 1] + 0 * A;
}}
"""
FILLED = ADD.replace("x: in double[n]", "x: in double[n] fill(i + 1)")
ABSORBED = ADD.replace("y: out double[n])", "y: out double[n]) tolerance(1e9, 1)")
SPECIAL = ADD.replace("y: out double[n])", "y: out double[n]) finite(false)").replace(
    "{ for", "{ for (int k = 0; k < n; k++) if (x[k] != x[k]) __builtin_trap(); for"
)
ONE_LENGTH = f"""{HEAD}(x: in double[8], y: out double[8])
void add(const double *x, double *y) {{ for (int i = 0; i < 8; i++) y[i] = x[i] + A * 0; }}
"""
DEFAULT = Configuration({"A": 0})


def rows(ledger: Ledger) -> dict[str, Check]:
    return {check.name: check for check in ledger.checks}


def evaluated(folder: Path, text: str, command: tuple[str, ...] = ("gcc", "-O2")) -> dict[str, Check]:
    with CompileRun(task_of(folder, text, command)) as evaluator:
        evaluation = evaluator.evaluate(DEFAULT)
    assert isinstance(evaluation.outcome, Measured), evaluation.outcome
    return rows(evaluation.checks)


def lacks(check: Check, words: str) -> bool:
    return check.state == "could not run" and words in check.reason


def test_a_plain_kernel_has_a_row_for_every_check_but_those_of_finalists(tmp_path: Path) -> None:
    found = evaluated(tmp_path, ADD)
    of_finalists = {"scalars", "contents", "small stack", "concurrent calls", "repeated calls", "processors"}
    assert set(CHECKS) - set(found) == {"sanitizers", "rounds", *of_finalists}
    machines = {"processes", "written files", "system calls", "outside clock", "core", "machine speed"}
    assert {name for name, check in found.items() if check.state == "could not run"} <= machines
    quiet = {name for name, check in found.items() if check.state == "not requested"}
    assert quiet == {"special values", "overlap", "applied", "data races", "schedules"}


@pytest.mark.parametrize(
    "text,name,words",
    [
        (PAIRS, "sizes", "the source itself fails at n = "),
        (ALIGNED, "guard pages", "aligned to 64 bytes"),
        (FILLED, "new inputs", "its inputs are fixed: `fill`"),
        (FILLED, "seeds", "its inputs are fixed: `fill`"),
        (ABSORBED, "tolerance", "accepts zeros for y"),
        (SPECIAL, "special values", "with NaN and infinities"),
    ],
    ids=["sizes", "guard pages", "new inputs", "seeds", "tolerance", "special values"],
)
def test_what_the_source_does_not_allow_to_be_checked(text: str, name: str, words: str, tmp_path: Path) -> None:
    assert lacks(evaluated(tmp_path, text)[name], words)


def test_one_length_has_no_other_sizes(tmp_path: Path) -> None:
    row = evaluated(tmp_path, ONE_LENGTH)["sizes"]
    assert row.state == "not requested" and row.reason == "its arrays have one length"


def test_ways_of_rounding_that_do_not_compile_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rounding.VARIANTS, ("-fno-such-flag",), ("",))
    assert lacks(evaluated(tmp_path, ADD)["tolerance"], "does not compile with -fno-such-flag")


def test_a_program_without_symbols_is_told(tmp_path: Path) -> None:
    assert lacks(evaluated(tmp_path, ADD, ("gcc", "-O2", "-flto", "-s"))["symbols"], "a table of its symbols")


def test_uncompared_results_are_told(tmp_path: Path) -> None:
    task = replace(task_of(tmp_path, ADD), uncompared=("not compared, a pointer to functions: `hook`",))
    with CompileRun(task) as evaluator:
        assert lacks(rows(evaluator.evaluate(DEFAULT).checks)["all results"], "a pointer to functions: `hook`")


def test_directives_that_the_compiler_says_nothing_of_are_told() -> None:
    asked = Candidate(requests=(Request("simd", 3, 4),))
    assert ledger_rows.applied_check(Candidate(), "other").state == "not requested"
    assert ledger_rows.applied_check(asked, "gcc").state == "ran"
    assert lacks(ledger_rows.applied_check(asked, "other"), "does not say what it optimised")


def break_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "shield", lambda: Protection("namespaces", True, 0))


def break_truncation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "shield", lambda: Protection("namespaces", True, 2))


def break_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "shield", lambda: Protection("namespaces", False, 6))


def break_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "shield", lambda: Protection("supervisor", True, 6))


def refuse_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protection, "_WEAKENED", {})
    protection.note_protection("user_namespaces", "broker")


def pretend_32_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "is_64_bit", lambda *_: False)


def hide_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "open_if_there", lambda path: -1)


def hide_stolen_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_rows, "processor_times", lambda: ProcessorTimes(0, 0))


def refuse_core_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "_open", lambda core: -1)


@pytest.mark.parametrize(
    "break_it,name,words",
    [
        (break_landlock, "written files", "no Landlock"),
        (break_truncation, "written files", "truncated"),
        (break_filter, "system calls", "seccomp"),
        (pretend_32_bit, "system calls", "32-bit"),
        (break_namespaces, "processes", "neither namespaces nor a broker"),
        (refuse_namespaces, "processes", "the kernel refused user namespaces to a run"),
        (hide_waits, "outside clock", "schedstat"),
        (hide_stolen_time, "machine speed", "/proc/stat"),
        (refuse_core_locks, "core", "no core can be reserved"),
    ],
)
def test_what_the_machine_does_not_allow_to_be_checked(
    break_it: Callable[[pytest.MonkeyPatch], None],
    name: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    break_it(monkeypatch)
    assert lacks(evaluated(tmp_path, ADD)[name], words)


NO_RUNTIME = """#!/bin/sh
case "$*" in *-fsanitize=address*-o*/candidate) echo "ld: error: no runtime here" >&2; exit 1;; esac
exec gcc "$@"
"""


def test_sanitizers_that_cannot_be_linked_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "bare"
    script.write_text(NO_RUNTIME)
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with CompileRun(task_of(tmp_path, ADD, ("bare", "-O1"))) as evaluator:
        assert evaluator.sanitize(DEFAULT) is None
        assert lacks(rows(evaluator.checks(DEFAULT))["sanitizers"], "ld: error: no runtime here")
    with CompileRun(task_of(tmp_path, ADD, ("gcc", "-O1"))) as evaluator:
        assert evaluator.sanitize(DEFAULT) is None and rows(evaluator.checks(DEFAULT))["sanitizers"].state == "ran"


THREADED = ADD.replace("for (int i", "\n#pragma omp parallel for\nfor (int i")


def test_runs_under_load_that_say_nothing_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = Failed("timeout", "it did not end")
    with CompileRun(task_of(tmp_path, THREADED, ("gcc", "-O1", "-fopenmp"))) as evaluator:
        reference = evaluator.set_up()
        race = Race(reference, tuple(reference.expected), evaluator.task.run_limits)
        monkeypatch.setattr(HarnessRun, "check", lambda *_, **__: late)
        schedules = race.unsteady_schedules([tmp_path] * 5)
        assert len(schedules) == 5 and all("timeout" in why for why in schedules.values())
        assert all(
            isinstance(verdict, Unjudged)
            for verdict in race.verdicts(reference.run, list(schedules), [tmp_path] * 5).values()
        )


def test_libraries_that_may_start_threads_are_told(tmp_path: Path) -> None:
    (tmp_path / "deep.c").write_text("double deep(void) { return 1; }\n")
    words = ["gcc", "-shared", "-fPIC", "deep.c", "-o", "libdeep.so"]
    subprocess.run(words, cwd=tmp_path, check=True)
    text = ADD.replace("void add", "double deep(void);\nvoid add").replace("x[0]", "deep()")
    command = ("gcc", "-O1", f"-L{tmp_path}", "-ldeep", f"-Wl,-rpath,{tmp_path}")
    assert lacks(evaluated(tmp_path, text, command)["data races"], "nothing is known of the threads of libdeep.so")


HELPER = """#include <pthread.h>
static void *nothing(void *given) { return given; }
double deep(void) { pthread_t t; pthread_create(&t, 0, nothing, 0); pthread_join(t, 0); return 1; }
"""


def test_threads_of_a_further_file_and_of_link_time_optimisation_are_seen(tmp_path: Path) -> None:
    (tmp_path / "deep.c").write_text(HELPER)
    text = ADD.replace("void add", "double deep(void);\nvoid add").replace("x[0]", "deep()")
    for words in (("gcc", "-O1", str(tmp_path / "deep.c")), ("gcc", "-O1", "-flto", str(tmp_path / "deep.c"))):
        with CompileRun(task_of(tmp_path, text, words)) as evaluator:
            evaluator.discard(evaluator.prepare(DEFAULT))
            assert evaluator._threads[DEFAULT], words


def test_rows_of_a_session_replace_earlier_ones(tmp_path: Path) -> None:
    ledgers = kernel_ledgers.KernelLedgers(task_of(tmp_path, ADD), lambda: pytest.fail("not asked"))
    ledgers.note_core(DEFAULT, ["taken"], threads=False)
    ledgers.note_core(DEFAULT, [], threads=True)
    assert rows(ledgers.of(DEFAULT))["core"].reason == "its threads run on all cores"


def test_where_the_clocks_disagree_the_row_says_so_for_good(tmp_path: Path) -> None:
    ledgers = kernel_ledgers.KernelLedgers(task_of(tmp_path, ADD), lambda: pytest.fail("no reference"))
    configuration = Configuration({"A": 0})
    timing = Timing(median_s=1.0, interval_s=(1.0, 1.0), samples=(1.0,), disturbed=0, calibration_s=1e-5)
    ledgers.note_timing(configuration, replace(timing, unexplained=0.01))
    assert not ledgers.of(configuration).missed
    ledgers.note_timing(configuration, replace(timing, unexplained=0.2))
    assert lacks({check.name: check for check in ledgers.of(configuration).missed}["outside clock"], "17 % less")


def test_results_that_cannot_be_read_from_outside_are_told_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse(path: str, *rest: int, **named: int) -> int:
        if str(path).endswith("/mem"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **named)

    assert evaluated(tmp_path, ADD)["timed results"].state == "ran"
    monkeypatch.setattr(conversation.os, "open", refuse)
    row = evaluated(tmp_path, ADD)["timed results"]
    assert lacks(row, "its memory cannot be read from outside (Permission denied): it may compute them late")
    assert "kernel.yama.ptrace_scope" in row.remedy


def test_an_unread_result_and_a_clock_that_disagrees_are_two_rows(tmp_path: Path) -> None:
    ledgers = kernel_ledgers.KernelLedgers(task_of(tmp_path, ADD), lambda: pytest.fail("no reference"))
    timing = Timing(median_s=1.0, interval_s=(1.0, 1.0), samples=(1.0,), disturbed=0, calibration_s=1e-5)
    ledgers.note_timing(DEFAULT, replace(timing, unexplained=0.2, unread="hidden"))
    assert {check.name for check in ledgers.of(DEFAULT).missed} == {"outside clock", "timed results"}
    ledgers.note_timing(DEFAULT, timing)
    assert {check.name for check in ledgers.of(DEFAULT).missed} == {"outside clock", "timed results"}, "for good"


def test_where_the_clocks_disagree_the_source_is_measured_anew_before_the_candidate_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    seen_s = [1.2, 1.0]

    def time(*rest: object) -> Timed:
        happened.append("candidate")
        order_s = seen_s.pop(0)
        orders = tuple(Ordered(order_s, 1, range(k, k + 1)) for k in range(4))
        return Timed((Sample(1.0, 0, 1e-5),) * 4, False, Witness(orders))

    def renewed(reference: Reference, *rest: object) -> Reference:
        happened.append("source")
        return reference

    monkeypatch.setattr(HarnessRun, "time", time)
    monkeypatch.setattr(Reference, "renewed", renewed)
    task = task_of(tmp_path, ADD, ("gcc", "-O2"))
    with CompileRun(replace(task, plan=replace(task.plan, retries=1))) as evaluator:
        row = rows(evaluator.evaluate(DEFAULT).checks)["outside clock"]
    assert happened == ["candidate", "source", "candidate"] and row.state == "ran"
