"""Kernels that would be fast without doing their work, each a failure of its kind. `make attack` has more of them."""

from __future__ import annotations

from pathlib import Path

from tests.evaluators.kernels import WINDOW, window_task
from tunepass.evaluators.compile_run import CompileRun
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Failed, Measured

RAW = """\
    __asm__ volatile("syscall" : "+a"(call) : : "rcx", "r11", "memory");
    if (call == 0)
        _exit(0);
    waitpid(call, 0, 0);
"""
CHEATS = {
    "static double seen, kept[1000]; static int calls;"
    " if (calls++ && in[7] == seen) { memcpy(out, kept, n * 8); return; }"
    " for (int i = 0; i < n; i++) kept[i] = in[i] + in[(i + 1) % n]; seen = in[7]; memcpy(out, kept, n * 8); return;": (
        "wrong_result",
        "while timed: out",
    ),
    "static int calls; if (calls++ > 50) ((double *)in)[3] = 5;": ("wrong_result", ""),
    'if (write(3, "sample 1e-08 0 1e-05 0\\n", 23) < 0) return;': ("cheated", "it said 'sample"),
    "if (ftruncate(4, 1 << 20)) return;": ("cheated", "bytes of results where"),
    "if (fork() == 0) for (;;);": ("cheated", "it starts a process"),
}
TEXT = (
    WINDOW.replace(
        "#if SHAPE == 1 ",
        "".join(f"#if SHAPE == {number}\n    {cheat}\n#endif\n" for number, cheat in enumerate(CHEATS, 40))
        + "#if SHAPE == 1 ",
    )
    .replace(
        "static char *kept;",
        "static char *kept;\n#if SHAPE == 50\n#include <time.h>\n"
        "int clock_gettime(clockid_t clock, struct timespec *now) { now->tv_nsec = 0; return 0; }\n#endif\n"
        "#include <signal.h>\nstatic void caught(int number) { (void)number; }\n"  # as the source has a constructor
        "__attribute__((constructor)) static void early(void)\n"
        '{ __asm__ volatile(""); if (SHAPE == 51) { signal(SIGALRM, caught); signal(SIGRTMIN, caught); } }\n',
    )
    .replace(
        "#if SHAPE == 1 ",
        "#if SHAPE == 51\n    if (signal(SIGALRM, caught) == caught || signal(SIGRTMIN, SIG_DFL) == caught) return;\n"
        "#endif\n#if SHAPE == 1 ",
    )
)


def test_cheats_are_found(tmp_path: Path) -> None:
    with CompileRun(window_task(tmp_path, text=TEXT)) as evaluator:
        for shape, (stage, words) in enumerate(CHEATS.values(), 40):
            outcome = evaluator.evaluate(Configuration({"SHAPE": shape})).outcome
            assert isinstance(outcome, Failed) and outcome.stage == stage and words in outcome.log, (shape, outcome)
        outcome = evaluator.evaluate(Configuration({"SHAPE": 50})).outcome
        assert isinstance(outcome, Failed) and outcome.stage == "cheated"
        assert "it defines clock_gettime, which the harness calls" in outcome.log
        for shape in (0, 51):
            assert isinstance(evaluator.evaluate(Configuration({"SHAPE": shape})).outcome, Measured), shape


def test_a_source_that_starts_processes_may_go_on_doing_so(tmp_path: Path) -> None:
    """Also where no symbol tells so."""
    text = WINDOW.replace("#if SHAPE == 1 ", "    long call = 57; /* fork */\n" + RAW + "#if SHAPE == 1 ", 1)
    with CompileRun(window_task(tmp_path, text=text)) as evaluator:
        assert isinstance(evaluator.evaluate(Configuration({"SHAPE": 0})).outcome, Measured)
        assert evaluator.set_up().run.starts_processes


def test_the_reference_may_define_what_the_harness_calls(tmp_path: Path) -> None:
    text = WINDOW + "\nvoid *memcpy(void *to, const void *from, size_t n)\n{\n    char *a = to; const char *b = from;\n"
    text += "    while (n--) *a++ = *b++;\n    return to;\n}\n"
    task = window_task(tmp_path, text=text, command=("gcc", "-O1", "-fno-builtin"))
    with CompileRun(task) as evaluator:
        assert isinstance(evaluator.evaluate(Configuration({"SHAPE": 0})).outcome, Measured)
