"""Whole programs: built once for those that share a build, run in fresh folders, judged by output and metrics."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tunepass.diagnostics import SourceError, ToolError
from tunepass.evaluators.application import ApplicationRun, ApplicationTask, DeterministicRun
from tunepass.evaluators.application_builds import product_name
from tunepass.evaluators.measure.metrics import MetricPattern
from tunepass.evaluators.measure.timing import MeasurePlan
from tunepass.evaluators.measure.tolerance import Tolerance
from tunepass.evaluators.process.cores import OutOfTime, Patience
from tunepass.evaluators.process.run import Limits
from tunepass.evaluators.source_tree import Sources
from tunepass.ir.application import Commands
from tunepass.space.configuration import Configuration
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured

BUILD = """\
import sys
if sys.argv[1] == "bad":
    sys.exit("no such flag")
open("log", "a").write("built\\n")
open("program.py", "w").write(open("template.py").read().replace("LEVEL", sys.argv[1]))
"""
TEMPLATE = """\
import os, sys, time
level, mode = len("LEVEL"), os.environ.get("MODE", "")
if mode == "crash":
    os.abort()
if mode == "hang":
    time.sleep(60)
if mode == "status":
    sys.exit("went wrong")
if mode == "slow":
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pass
if mode == "endless":
    while True:
        print("x" * 1000)
if mode == "memory":
    data = bytearray(1 << 30)
if mode == "once" and os.path.exists("result"):
    mode = "wrong"
if mode != "lazy":
    open("result", "w").write("42")
total = 43 if mode == "wrong" else 42 + 1e-12 * level
print("sum", total)
print("cost:", "none" if mode == "silent" else level * int(sys.argv[1]))
"""
COST = MetricPattern("cost: {cost}", Objective("cost"))
SUM = MetricPattern("sum {sum}", Objective("sum"))
DEFAULT = Configuration({"level": "aaa", "mode": "", "n": 2})


def lower(configuration: Configuration, folder: str) -> Commands:
    c = {**DEFAULT, **configuration}
    return Commands(
        builds=((sys.executable, "-S", "build.py", str(c["level"])),),
        runs=((sys.executable, "-S", "program.py", str(c["n"])),),
        checks=((sys.executable, "-S", "-c", "import sys; sys.exit(open('result').read() != '42')"),),
        environment=(("MODE", str(c["mode"])),),
    )


def task_in(folder: Path) -> ApplicationTask:
    (folder / "build.py").write_text(BUILD)
    (folder / "template.py").write_text(TEMPLATE)
    return ApplicationTask(
        sources=Sources(folder=folder, patterns=("*.py",)),
        lower=lower,
        reference=DEFAULT,
        product="program.py",
        metrics=(COST,),
        compared=(SUM,),
        tolerance=Tolerance(relative=1e-9, ulps=0),
        plan=MeasurePlan(budget_s=60, precision=0.5, least=2, most=2),
        run_limits=Limits(wall_s=3, memory_bytes=256 << 20),
        adapt_limit=False,
    )


@pytest.fixture
def task(tmp_path: Path) -> ApplicationTask:
    return task_in(tmp_path)


@pytest.fixture
def evaluator(task: ApplicationTask) -> Iterator[DeterministicRun]:
    with DeterministicRun(task) as made:
        yield made


def test_metrics_and_stages(evaluator: DeterministicRun) -> None:
    found = evaluator.evaluate(Configuration({**DEFAULT, "level": "bbbbb"}))
    assert found.outcome == Measured({"cost": 10.0}, (10.0,))
    assert set(found.seconds) == {"compile", "check", "measure"}


def test_the_trial_of_the_default_tells_what_building_it_took(evaluator: DeterministicRun) -> None:
    evaluator.set_up()
    (tree,) = evaluator.builds.trees._trees.values()
    assert evaluator._reference_s == tree.seconds > 0
    evaluator._reference_s = 100.0
    assert [evaluator.evaluate(DEFAULT).seconds["compile"] > 100 for _ in range(2)] == [True, False]


def test_configurations_that_differ_in_the_run_share_a_build(evaluator: DeterministicRun, tmp_path: Path) -> None:
    costs = [evaluator.evaluate(Configuration({**DEFAULT, "n": n})).outcome for n in (2, 3, 4)]
    assert [o.values["cost"] for o in costs if isinstance(o, Measured)] == [6, 9, 12]
    logs = [p.read_text() for p in evaluator.workspace.folder.rglob("log")]
    assert logs == ["built\n"] and not (tmp_path / "log").exists()


@pytest.mark.parametrize(
    "changes,stage,log",
    [
        ({"level": "bad"}, "compile", "no such flag"),
        ({"mode": "crash"}, "crash", "SIGABRT"),
        ({"mode": "status"}, "run", "went wrong"),
        ({"mode": "endless"}, "output", "printed more than"),
        ({"mode": "memory"}, "memory", ""),
        ({"mode": "wrong"}, "wrong_result", "sum: expected"),
        ({"mode": "silent"}, "metric", "no finite number"),
        (
            {"mode": "lazy"},
            "wrong_result",
            "the check ended with status 1",
        ),
    ],
)
@pytest.mark.slow_but(3)
def test_failures_by_kind(evaluator: DeterministicRun, changes: dict[str, str], stage: str, log: str) -> None:
    assert isinstance(evaluator.evaluate(DEFAULT).outcome, Measured)
    outcome = evaluator.evaluate(Configuration({**DEFAULT, **changes})).outcome
    assert isinstance(outcome, Failed) and outcome.stage == stage and log in outcome.log
    assert isinstance(evaluator.evaluate(Configuration({**DEFAULT, "n": 7})).outcome, Measured)


def test_a_hang_costs_its_limit(task: ApplicationTask) -> None:
    with DeterministicRun(replace(task, run_limits=Limits(wall_s=0.5))) as evaluator:
        outcome = evaluator.evaluate(Configuration({**DEFAULT, "mode": "hang"})).outcome
    assert isinstance(outcome, Failed) and outcome.stage == "timeout"


def test_a_build_that_makes_no_product_fails(task: ApplicationTask) -> None:
    with DeterministicRun(replace(task, product="prog", compared=())) as evaluator:
        assert evaluator.evaluate(DEFAULT).outcome == Failed("compile", "the build did not make prog")


def test_without_a_right_output_there_is_no_search(task: ApplicationTask) -> None:
    failing = replace(task, reference=Configuration({**DEFAULT, "mode": "status"}))
    with DeterministicRun(failing) as evaluator, pytest.raises(ToolError, match="which output is right"):
        evaluator.evaluate(DEFAULT)
    with DeterministicRun(replace(failing, compared=())) as evaluator:
        assert isinstance(evaluator.evaluate(DEFAULT).outcome, Measured)


def test_wall_time_is_repeated_and_finalists_compared(task: ApplicationTask) -> None:
    with ApplicationRun(replace(task, metrics=(), whole_output=False)) as evaluator:
        outcome = evaluator.evaluate(DEFAULT).outcome
        assert isinstance(outcome, Measured) and outcome.values["time"] > 0 and len(outcome.samples) == 2
        other, failing = (Configuration({**DEFAULT, **c}) for c in ({"n": 3}, {"level": "bad"}))
        rounds = evaluator.compare_again([DEFAULT, other, failing], rounds=2)
    assert [len(values) for values in rounds] == [2, 2, 0]


@pytest.mark.slow
def test_nothing_is_built_again_to_compare_and_write_the_best(task: ApplicationTask, tmp_path: Path) -> None:
    products = tmp_path / "products"
    products.mkdir()
    with ApplicationRun(replace(task, products=products)) as evaluator:
        many = [Configuration({**DEFAULT, "level": "a" * n}) for n in (3, *range(1, 3), *range(4, 40))]
        for configuration in many:
            evaluator.evaluate(configuration)
        best = many[1]
        assert evaluator.is_kept(DEFAULT) and evaluator.is_kept(best) and not evaluator.is_kept(many[15])
        before = evaluator.builds.build
        evaluator.builds.build = None  # type: ignore[assignment, method-assign]
        assert evaluator.compare_again([DEFAULT, best], rounds=2) == [[6.0, 6.0], [2.0, 2.0]]
        evaluator.builds.build = before  # type: ignore[method-assign]
        names = [product_name(evaluator.task.lower(c, "")) for c in (DEFAULT, best)]
        assert sorted(names) == sorted(path.name for path in products.iterdir())
        assert 'len("a")' in (products / names[1]).read_text()


def test_a_product_that_somebody_changed_is_not_handed_over(task: ApplicationTask, tmp_path: Path) -> None:
    products = tmp_path / "products"
    products.mkdir()
    with ApplicationRun(replace(task, products=products)) as evaluator:
        built = evaluator.prepare(DEFAULT)
        (built.tree.folder / "program.py").write_text("print('sum 42')")
        evaluator.builds.hand_over(DEFAULT, built.tree, built.key)
        evaluator.discard(built)
    assert not list(products.iterdir())


def test_without_room_for_a_product_finalists_are_compared_all_the_same(task: ApplicationTask, tmp_path: Path) -> None:
    with ApplicationRun(replace(task, products=tmp_path / "gone")) as evaluator:
        evaluator.evaluate(DEFAULT)
        assert evaluator.compare_again([DEFAULT], rounds=2) == [[6.0, 6.0]]


def test_a_run_that_is_timed_is_compared_as_well(task: ApplicationTask) -> None:
    """Right in its first run and never again."""
    once = Configuration({**DEFAULT, "mode": "once"})
    with ApplicationRun(task) as evaluator:
        outcome = evaluator.evaluate(once).outcome
        [right, wrong] = evaluator.compare_again([DEFAULT, once], rounds=2)
    assert isinstance(outcome, Failed) and outcome.stage == "wrong_result"
    assert (len(right), len(wrong)) == (2, 0)


def test_a_run_that_is_behind_is_ended_while_it_goes_on(task: ApplicationTask) -> None:
    timed = replace(task, metrics=(), run_limits=Limits(wall_s=60))
    with ApplicationRun(timed) as evaluator:
        evaluator.evaluate(DEFAULT)
        [best] = [evaluator._repeats.incumbent]
        outcome = evaluator.evaluate(Configuration({**DEFAULT, "mode": "slow"})).outcome
    assert isinstance(outcome, Measured) and outcome.censored and outcome.samples == ()
    assert best is not None and 1.4 * best < outcome.values["time"] < 20_000


def test_a_trial_ends_with_the_time_of_the_search(task: ApplicationTask) -> None:
    with ApplicationRun(replace(task, metrics=(), run_limits=Limits(wall_s=60))) as evaluator:
        evaluator.set_up()
        evaluator.patience = Patience(search_left_s=lambda: 0.3)
        with pytest.raises(OutOfTime):
            evaluator.evaluate(Configuration({**DEFAULT, "mode": "hang"}))
        evaluator.patience = Patience(search_left_s=lambda: 0.0)
        with pytest.raises(OutOfTime):
            evaluator.prepare(Configuration({**DEFAULT, "level": "b"}))


def test_what_hides_wrong_results_is_a_warning(task: ApplicationTask) -> None:
    def unchecked(configuration: Configuration, folder: str) -> Commands:
        return replace(lower(configuration, folder), checks=())

    for wanting, warning in [
        (replace(task, lower=unchecked, compared=()), "no reference"),
        (replace(task, tolerance=Tolerance(absolute=100.0, ulps=0)), "zero would be right at 'sum {sum}'"),
    ]:
        with DeterministicRun(wanting) as evaluator:
            evaluator.evaluate(DEFAULT)
            assert len(evaluator.warnings) == 1 and warning in evaluator.warnings[0]
    with DeterministicRun(task) as evaluator:
        evaluator.evaluate(DEFAULT)
        assert evaluator.warnings == ()


def test_nothing_is_left_on_disk(task: ApplicationTask) -> None:
    with DeterministicRun(task) as evaluator:
        evaluator.evaluate(DEFAULT)
        folder = evaluator.workspace.folder
    assert not folder.exists()


def test_builds_start_from_the_sources_as_they_were_until_one_changes(tmp_path: Path) -> None:
    task = task_in(tmp_path)
    task = replace(task, files=tuple(file for file, _ in task.sources.read()))
    with DeterministicRun(task) as evaluator:
        assert isinstance(evaluator.evaluate(DEFAULT).outcome, Measured)
        (tmp_path / "template.py").write_text(TEMPLATE)  # saved again as it was
        (tmp_path / "new.py").write_text("")
        assert isinstance(evaluator.evaluate(Configuration({**DEFAULT, "level": "b"})).outcome, Measured)
        (tmp_path / "template.py").write_text(TEMPLATE + "\n")
        with pytest.raises(SourceError, match=r"template\.py changed during the build"):
            evaluator.evaluate(Configuration({**DEFAULT, "level": "c"}))


def test_sources_that_changed_before_they_were_copied_end_it(tmp_path: Path) -> None:
    task = task_in(tmp_path)
    task = replace(task, files=tuple(file for file, _ in task.sources.read()))
    (tmp_path / "template.py").write_text(TEMPLATE + "\n")
    with DeterministicRun(task) as evaluator, pytest.raises(SourceError, match="changed during the build"):
        evaluator.evaluate(DEFAULT)
