"""Kernels with threads: a race is found, and what is right is never accused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.evaluators.test_wrong_kernels import task_of
from tunepass.evaluators.compile_run import LOOK_S, CompileRun
from tunepass.evaluators.harness.harness import HarnessRun
from tunepass.evaluators.harness.verification.races import Race
from tunepass.evaluators.harness.verification.threads import watched_object
from tunepass.space.configuration import Configuration
from tunepass.study.ledger import Check
from tunepass.study.outcome import Failed, Measured

PIECES = """
#include <math.h>
#pragma tunepass param WAY: integer(0..3) = 0
#pragma tunepass kernel pieces(n = 3000, x: in double[n], y: out double[n], s: out double[8])
static double twice(double v) { return 2 * v; }
void pieces(int n, const double *x, double *y, double *s)
{
    double sum = 0, most = -1, last = 0;
    int turns = 0;
    double shared[64] = {0};
    for (int k = 0; k < 8; k++) s[k] = 0;
#pragma omp parallel
    {
#if WAY == 2
#pragma omp for nowait
#else
#pragma omp for
#endif
        for (int i = 0; i < n; i++) y[i] = twice(x[i]);
#pragma omp for schedule(dynamic, 16) reduction(+ : sum)
        for (int i = 0; i < n; i++) sum += y[n - 1 - i];
#pragma omp single
        s[0] = sum;
#pragma omp for schedule(guided) lastprivate(last) reduction(max : most) nowait
        for (int i = 0; i < n; i++) last = x[i], most = fmax(most, x[i]);
#if WAY != 1
#pragma omp atomic
#endif
        turns += 1;
#pragma omp barrier
#pragma omp sections
        {
#pragma omp section
            s[1] = most;
#pragma omp section
            s[2] = last;
        }
#if WAY != 3
#pragma omp critical(counts)
#endif
        for (int b = 0; b < 64; b++) shared[b] += 1;
    }
    s[3] = turns > 0;
    s[4] = shared[0] > 0;
#pragma omp parallel for schedule(runtime) collapse(2)
    for (int i = 0; i < n / 10; i++)
        for (int k = 0; k < 10; k++) y[10 * i + k] += x[10 * i + k];
#pragma omp parallel sections
    {
#pragma omp section
        s[5] = y[0];
#pragma omp section
        s[6] = y[1];
    }
}
"""


@pytest.fixture(scope="module")
def evaluator(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    with CompileRun(task_of(tmp_path_factory.mktemp("pieces"), PIECES, ("gcc", "-O2", "-fopenmp"))) as made:
        yield made


def rows(evaluator: CompileRun, configuration: Configuration) -> dict[str, Check]:
    return {check.name: check for check in evaluator.checks(configuration).checks}


def test_the_thread_sanitizer_finds_races_and_accuses_nothing_else(evaluator: CompileRun) -> None:
    evaluator.set_up()
    found = []
    for way in range(4):
        configuration = Configuration({"WAY": way})
        built = evaluator.linked(configuration)
        assert built.program is not None
        with evaluator.workspace.scratch() as folder:
            target = watched_object(evaluator._built_harness(), built.candidate, folder)
            run = HarnessRun(built.program, folder)
            found.append(evaluator._look._accused(configuration, built.candidate, run, target))
    assert found[0] is None
    assert [f.stage for f in found[1:] if f] == ["wrong_result"] * 3 and "data race" in str(found[1])


def test_a_right_kernel_is_right_under_every_schedule(evaluator: CompileRun) -> None:
    assert evaluator.look_again(Configuration({"WAY": 0})) is None
    assert evaluator._look._unsteady == {}
    row = rows(evaluator, Configuration({"WAY": 0}))["schedules"]
    assert row.state == "ran" or row.remedy == "a machine with less load"


UNSTEADY = """
#include <stdlib.h>
#pragma tunepass param BOUND: integer(0..1) = 0
#pragma tunepass param OTHER: integer(0..1) = 0
#pragma tunepass kernel fill(n = 64, y: out int[n])
void fill(int n, int *y)
{
    const char *threads = getenv("OMP_NUM_THREADS");
    for (int i = 0; i < n; i++) y[i] = i + OTHER + BOUND * (threads && atoi(threads) == 3);
}
"""


@pytest.mark.slow
def test_a_result_that_depends_on_the_schedule_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    task = task_of(tmp_path, UNSTEADY, ("gcc", "-O1", "-fopenmp"))
    with CompileRun(task) as evaluator:
        bound = Configuration({"BOUND": 1, "OTHER": 0})
        assert isinstance(evaluator.evaluate(bound).outcome, Measured)
        found = evaluator.look_again(bound)
    assert found is not None and found.stage == "wrong_result"
    assert "with 3 threads (guided) under load, in call 1 of" in found.log
    # what the source itself does not compute alike is not asked for
    task = task_of(tmp_path, UNSTEADY.replace("BOUND *", "(1 + 0 * BOUND) *"), ("gcc", "-O1", "-fopenmp"))
    with CompileRun(task) as evaluator:
        assert evaluator.look_again(Configuration({"BOUND": 0, "OTHER": 0})) is None
        row = rows(evaluator, Configuration({"BOUND": 0, "OTHER": 0}))["schedules"]
        assert evaluator._look._unsteady is not None and {s.threads for s in evaluator._look._unsteady} == {3}
    assert row.state == "could not run" and "the source itself is not steady with 3 threads" in row.reason


def test_what_a_look_and_a_round_take_is_known_once_a_program_has_threads(tmp_path: Path) -> None:
    for words, looks in ((("gcc", "-O1"), 0.0), (("gcc", "-O1", "-fopenmp"), LOOK_S)):
        folder = tmp_path / f"{len(words)}"
        folder.mkdir()
        with CompileRun(task_of(folder, UNSTEADY, words)) as made:
            made.discard(made.prepare(Configuration({"BOUND": 0, "OTHER": 0})))
            assert made.look_s() == looks
            assert (made.round_s(4.0) == 2.0) == (looks > 0)  # others kept the threads of the trial waiting


def test_more_calls_are_made_of_short_kernels(evaluator: CompileRun) -> None:
    reference = evaluator.set_up()
    cases = tuple(reference.expected)
    assert 2 <= Race(reference, cases, evaluator.task.run_limits).calls <= 400


def test_without_threads_there_is_nothing_to_look_for(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, UNSTEADY)) as evaluator:
        assert evaluator.look_again(Configuration({"BOUND": 1, "OTHER": 0})) is None


def test_what_failed_while_it_was_compared_is_known(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, UNSTEADY)) as evaluator:
        wrong = Configuration({"BOUND": 0, "OTHER": 1})
        values = evaluator.compare_again([Configuration({"BOUND": 0, "OTHER": 0}), wrong], rounds=2)
        found = evaluator.look_again(wrong)
    assert [len(v) for v in values] == [2, 0] and isinstance(found, Failed) and found.stage == "wrong_result"


PTHREADS = """
#include <pthread.h>
#pragma tunepass param WAY: integer(0..2) = 0
#pragma tunepass kernel best(n = 6000, x: in double[n], s: out double[1])
struct job { const double *x; int n; double *s; };
static void *half(void *given)
{
    struct job *job = given;
    double sum = 0;
    for (int i = 0; i < job->n; i++) sum += job->x[i] * job->x[i];
    *job->s += sum;
    return 0;
}
void best(int n, const double *x, double *s)
{
    double other = 0;
    struct job first = {x, n / 2, WAY == 2 ? s : &other}, second = {x + n / 2, n - n / 2, s};
    s[0] = 0;
#if WAY
    pthread_t thread;
    pthread_create(&thread, 0, half, &first);
    half(&second);
    pthread_join(thread, 0);
#else
    half(&first);
    half(&second);
#endif
    s[0] += other;
}
"""


def test_a_race_between_threads_without_openmp_and_without_an_option_is_found(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, PTHREADS, ("gcc", "-O1"))) as evaluator:
        for way in range(3):
            evaluator.discard(evaluator.prepare(Configuration({"WAY": way})))
        assert list(evaluator._threads.values()) == [False, True, True] and evaluator.look_s() == LOOK_S
        assert evaluator.look_again(Configuration({"WAY": 1})) is None
        race = evaluator.look_again(Configuration({"WAY": 2}))
        assert race is not None and race.stage == "wrong_result" and "ThreadSanitizer: data race" in race.log
        assert evaluator.warnings == ()


# both threads write the same number: only ThreadSanitizer can see that it is a race
CXX_THREADS = """
#include <thread>
#pragma tunepass param WAY: integer(0..1) = 0
#pragma tunepass kernel sum(n = 600, x: in double[n], s: out double[2])
void sum(int n, const double *x, double *s)
{
    double half = 0, done = 0;
    double &other = WAY ? s[1] : done;
    s[0] = 0;
    s[1] = 1;
    std::thread thread([&] { for (int i = 0; i < n / 2; i++) half += x[i]; other = 1; });
    for (int i = n / 2; i < n; i++) s[0] += x[i];
    s[1] = 1;
    thread.join();
    s[0] += half;
}
"""


def test_a_race_between_threads_of_cxx_is_found(tmp_path: Path) -> None:
    with CompileRun(task_of(tmp_path, CXX_THREADS, ("g++", "-O1"), "kernel.cpp")) as evaluator:
        assert evaluator.look_again(Configuration({"WAY": 0})) is None
        race = evaluator.look_again(Configuration({"WAY": 1}))
        assert race is not None and "ThreadSanitizer: data race" in race.log


LOCKED = """
#include <omp.h>
#pragma tunepass param WAY: integer(0..1) = 0
#pragma tunepass kernel sum(n = 600, x: in double[n], s: out double[1])
void sum(int n, const double *x, double *s)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
    s[0] = 0 * WAY;
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        omp_set_lock(&lock);
        s[0] += x[i];
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}
"""
NO_RUNTIME = """#!/bin/sh
case "$*" in *-fsanitize=thread*) echo "cc: error: no runtime for threads" >&2; exit 1;; esac
exec gcc "$@"
"""
RACING = PTHREADS.replace("#if WAY", "#if 1").replace("WAY == 2 ? s : &other", "s + 0 * WAY")


@pytest.mark.parametrize(
    "text,compiler,reason",
    [
        (LOCKED, "gcc", "it does not know how omp_destroy_lock orders threads"),
        (LOCKED, "no-runtime", "it does not compile with -fsanitize=thread: cc: error: no runtime for threads"),
        (RACING, "gcc", "it finds a data race in the untouched source too"),
    ],
)
def test_threads_that_cannot_be_watched_are_told_of(
    text: str, compiler: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "no-runtime"
    script.write_text(NO_RUNTIME)
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with CompileRun(task_of(tmp_path, text, (compiler, "-O1", "-fopenmp"))) as evaluator:
        assert evaluator.look_again(Configuration({"WAY": 1})) is None or reason.startswith("it finds")
        warnings = [warning for warning in evaluator.warnings if "ThreadSanitizer" in warning]
        assert [reason in warning for warning in warnings] == [True], warnings
        row = rows(evaluator, Configuration({"WAY": 1}))["data races"]
    assert row.state == "could not run" and reason in row.reason
