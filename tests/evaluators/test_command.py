"""The user's own program: metrics, wall time, failures, what its output is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tunepass.diagnostics import ToolError
from tunepass.evaluators.command import CommandRun, CommandTask
from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.process.run import Limits
from tunepass.ir.candidate import Candidate
from tunepass.ir.run import OutputCheck
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured

PLAN = MeasurePlan(budget_s=60, precision=0.5, least=3, most=3)
PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifndef COST
#define COST 3
#endif
int main(int argc, char **argv)
{
    FILE *data = fopen("data.txt", "r"); /* beside the source */
    int scale = 0;
    if (!data || fscanf(data, "%d", &scale) != 1) return 3;
    if (argc > 2 && !strcmp(argv[2], "--double")) scale *= 2;
    if (getenv("TRIPLE")) scale *= 3;
    if (COST == 0) { printf("rate: nothing\n"); return 0; }
    if (COST < 0) abort();
    if (COST == 99) sleep(60);
    printf("time: %d ms for %s\nrate: %d.5 GB/s\n", COST * scale, argv[1], 100 / COST);
    return 0;
}
"""
METRICS = (
    MetricPattern("time: {time} ms", Objective("time", unit="ms")),
    MetricPattern("rate: {rate} GB/s", Objective("rate", unit="GB/s", maximise=True)),
)


def lower(configuration: Configuration) -> Candidate:
    return Candidate(
        defines=(f"-DCOST={configuration.get('COST', 3)}",),
        environment=(("TRIPLE", "1"),) if configuration.get("triple") else (),
        arguments=("--double",) if configuration.get("double") else (),
    )


def task(folder: Path, **changes: object) -> CommandTask:
    (folder / "program.c").write_text(PROGRAM)
    (folder / "data.txt").write_text("10\n")
    fields: dict[str, object] = {
        "command": ("gcc", "-O1"),
        "source": folder / "program.c",
        "run": ("./a.out", "512"),
        "lower": lower,
        "metrics": METRICS,
        "plan": PLAN,
        "run_limits": Limits(wall_s=10),
        **changes,
    }
    return CommandTask(**fields)  # type: ignore[arg-type]


@pytest.fixture
def evaluator(tmp_path: Path) -> Iterator[CommandRun]:
    with CommandRun(task(tmp_path)) as made:
        yield made


def test_metrics_are_read_from_the_output(evaluator: CommandRun) -> None:
    found = evaluator.evaluate(Configuration({"COST": 4}))
    assert found.outcome == Measured({"time": 40, "rate": 25.5}, (40.0, 40.0, 40.0))
    assert set(found.seconds) == {"compile", "check", "measure"}
    assert any("no reference" in warning for warning in evaluator.warnings)


def test_arguments_and_environment_reach_the_run(evaluator: CommandRun) -> None:
    values = [
        evaluator.evaluate(Configuration({"COST": 4, "double": double, "triple": triple})).outcome
        for double, triple in ((True, False), (True, True))
    ]
    assert [v.values["time"] for v in values if isinstance(v, Measured)] == [80, 240]


def test_the_same_program_runs_once(evaluator: CommandRun) -> None:
    evaluator.evaluate(Configuration({"COST": 4}))
    again = evaluator.evaluate(Configuration({"COST": "(4)"}))
    assert "same object code" in again.log and isinstance(again.outcome, Measured)


@pytest.mark.parametrize(
    "cost,stage,words",
    [
        (0, "metric", "no finite number at 'time: {time} ms' in the output\nrate: nothing"),
        (-1, "crash", "SIGABRT"),
        (99, "timeout", "did not end within"),
        ("nonsense", "compile", "nonsense"),
    ],
)
def test_failures_have_their_stage(evaluator: CommandRun, cost: object, stage: str, words: str) -> None:
    outcome = evaluator.evaluate(Configuration({"COST": cost})).outcome  # type: ignore[dict-item]
    assert isinstance(outcome, Failed) and outcome.stage == stage and words in outcome.log


def test_without_metrics_wall_time_counts(tmp_path: Path) -> None:
    with CommandRun(task(tmp_path, metrics=())) as evaluator:
        outcome = evaluator.evaluate(Configuration({"COST": 5})).outcome
        assert isinstance(outcome, Measured) and 0 < outcome.values["time"] < 5000


PRINTING = r"""
#include <stdio.h>
#include <time.h>
#include "value.h"
#ifndef WRONG
#define WRONG 0
#endif
int main(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%ld.%09ld\n", (long)now.tv_sec, now.tv_nsec);
    fprintf(stderr, "started\n0.25 %.2f\n", 0.5 + (WRONG == 1));
    if (WRONG != 2) {
        FILE *file = fopen("result.txt", "w");
        fprintf(file, "%d\n", value() + (WRONG == 3));
        fclose(file);
    }
#ifdef DUMP
    fprintf(stderr, "total %g\n", further() + (WRONG == 4));
#endif
    return 0;
}
"""
FURTHER = """
int value(void) { return 7; }
#ifdef DUMP
double further(void) { return 2.5; }
#endif
"""
HEADER = """
int value(void);
double further(void);
"""


@pytest.mark.parametrize(
    "wrong,problem",
    [
        (0, ""),
        (1, "stderr, line 2, number 2: expected 0.50, got 1.50"),
        (2, "it did not write result.txt"),
        (3, "result.txt, line 1, number 1: expected 7, got 8"),
        (4, "stderr, line 3, number 1: expected 2.5, got 3.5"),
    ],
)
@pytest.mark.slow_but(3)
def test_what_is_printed_and_written_is_compared(tmp_path: Path, wrong: int, problem: str) -> None:
    (tmp_path / "value.h").write_text(HEADER)
    (tmp_path / "further.c").write_text(FURTHER)
    command = ("gcc", "-O1", str(tmp_path / "further.c"))
    check = OutputCheck(files=("result.txt",), words=("-DDUMP",))
    metric = MetricPattern("{time}", Objective("time"))
    asked = task(tmp_path, command=command, run=("./a.out",), lower=wrong_where_asked, metrics=(metric,), check=check)
    (tmp_path / "program.c").write_text(PRINTING)
    with CommandRun(asked) as evaluator:
        outcome = evaluator.evaluate(Configuration({"WRONG": wrong})).outcome
        assert evaluator.warnings == ()
    if not problem:
        assert isinstance(outcome, Measured)
    else:
        assert isinstance(outcome, Failed) and outcome.stage == "wrong_result" and outcome.log == problem


def wrong_where_asked(configuration: Configuration) -> Candidate:
    return Candidate(defines=(f"-DWRONG={configuration['WRONG']}",) if "WRONG" in configuration else ())


def test_a_program_that_says_nothing_steady_is_warned_of(tmp_path: Path) -> None:
    asked = task(tmp_path, run=("./a.out",), metrics=(), check=OutputCheck())
    (tmp_path / "program.c").write_text(
        "#include <stdio.h>\n#include <time.h>\nint main(void) {\n    struct timespec now;\n"
        '    clock_gettime(CLOCK_MONOTONIC, &now);\n    printf("%ld.%09ld\\n", (long)now.tv_sec, now.tv_nsec);\n}\n'
    )
    with CommandRun(asked) as evaluator:
        assert isinstance(evaluator.evaluate(Configuration({"COST": 5})).outcome, Measured)
        assert evaluator.warnings == ("no reference: the program prints nothing that is the same in every run",)


def test_a_source_that_does_not_run_as_it_is_is_an_error(tmp_path: Path) -> None:
    broken = task(tmp_path)
    (tmp_path / "data.txt").unlink()
    with CommandRun(broken) as evaluator, pytest.raises(ToolError, match=r"`./a.out 512` fails on the untouched"):
        evaluator.evaluate(Configuration({"COST": 5}))


def test_finalists_run_in_turns(evaluator: CommandRun) -> None:
    configurations = [Configuration({"COST": cost}) for cost in (2, 5, -1)]
    assert evaluator.compare_again(configurations, rounds=2) == [[20, 20], [50, 50], []]


def test_finalists_are_not_built_again(evaluator: CommandRun, monkeypatch: pytest.MonkeyPatch) -> None:
    configurations = [Configuration({"COST": cost}) for cost in (2, 5)]
    for configuration in configurations:
        evaluator.evaluate(configuration)
    monkeypatch.setattr(evaluator, "prepare", None)
    assert evaluator.compare_again(configurations, rounds=2) == [[20, 20], [50, 50]]
