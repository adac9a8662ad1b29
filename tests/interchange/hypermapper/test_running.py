"""Scenarios that run: around functions, tables and clients, with their files."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.interchange.hypermapper.scenarios import INTEGERS, REALS, client_scenario, fields, scenario
from tunepass.diagnostics import SourceError, StudyError
from tunepass.interchange.hypermapper import optimize
from tunepass.interchange.hypermapper.evaluations import Answers, client_evaluation, table_evaluation
from tunepass.interchange.hypermapper.reading import scenario_of_fields
from tunepass.interchange.hypermapper.results import Result
from tunepass.interchange.hypermapper.running import Run
from tunepass.interchange.hypermapper.scenario import Scenario
from tunepass.interchange.hypermapper.tables import write_pareto
from tunepass.space.configuration import Configuration
from tunepass.study.outcome import Infeasible, Measured

GRID = {"doe_type": "grid_search"}


def answered(request: Sequence[Configuration]) -> Answers:
    """The square of the distance from 7."""
    for configuration in request:
        value = float((int(str(configuration["x"])) - 7) ** 2)
        yield configuration, Result(Measured({"f": value}), (repr(value),))


def rows(path: Path) -> list[str]:
    return path.read_text().splitlines()


def test_design_first_then_batches(tmp_path: Path) -> None:
    sizes: list[int] = []
    more = {"evaluations_per_optimization_iteration": 2, "optimization_iterations": 2}
    read = client_scenario(tmp_path, design_of_experiment={"number_of_samples": 4}, **more)

    def evaluate(request: Sequence[Configuration]) -> Answers:
        sizes.append(len(request))
        return answered(request)

    run = Run(read, clock=lambda: 1000.0)
    run.run(evaluate)
    assert sizes == [4, 2, 2] and run.study.trials[0].configuration == Configuration({"x": 3})
    written = rows(read.output)
    assert written[:2] == ["x,f,Timestamp", "3,16.0,1000000"] and len(written) == 9
    assert len({line.split(",")[0] for line in written}) == 9
    assert "strategy auto of tunepass" in read.log.read_text()


def test_a_run_with_a_store_goes_on_where_a_client_left(tmp_path: Path) -> None:
    design = {"number_of_samples": 2}
    feasible = {"name": "ok", "enable_feasible_predictor": True, "true_value": "yes", "false_value": "no"}
    read = client_scenario(tmp_path, design_of_experiment=design, optimization_iterations=4, feasible_output=feasible)
    store = f"sqlite:///{tmp_path}/runs.db"

    def evaluate(request: Sequence[Configuration]) -> Answers:
        """The second one of the design is infeasible; the client ends after the first batch."""
        if len(request) == 1 and len(first.study.trials) == 3:
            raise StudyError("the client's output ended")
        for place, (configuration, result) in enumerate(answered(request)):
            yield configuration, Result(Infeasible("ok"), ("5.0",), feasible=False) if place else result

    first = Run(read, store=store)
    with pytest.raises(StudyError, match="ended"):
        first.run(evaluate)
    first.study.close()  # as the end of its process does
    written = rows(read.output)
    again = Run(read, store=store)
    again.run(answered)
    cells, before = ([line.split(",") for line in lines] for lines in (rows(read.output), written))
    assert len(before) == 4 and len(cells) == 7 and len({row[0] for row in cells}) == 7
    assert [row[:3] for row in cells[:2]] == [row[:3] for row in before[:2]]
    assert cells[2][:3] == [before[2][0], "nan", "no"] and before[2][1:3] == ["5.0", "no"]


def test_the_time_is_checked_between_requests(tmp_path: Path) -> None:
    times = iter(range(0, 10_000, 30))
    read = client_scenario(tmp_path, design_of_experiment={"number_of_samples": 2}, time_budget=3)
    run = Run(read, clock=lambda: float(next(times)))
    run.run(answered)
    assert 2 < len(run.study.trials) < 8 and "the time is over" in read.log.read_text()


def test_a_grid_is_enumerated(tmp_path: Path) -> None:
    run = Run(client_scenario(tmp_path, design_of_experiment=GRID))
    run.run(answered)
    assert len(run.study.trials) == 10
    with pytest.raises(SourceError, match="grid_search needs"):
        Run(client_scenario(tmp_path, REALS, design_of_experiment=GRID)).run(answered)


def test_an_exhausted_space_ends_the_run(tmp_path: Path) -> None:
    run = Run(client_scenario(tmp_path, design_of_experiment={"number_of_samples": 8}))
    run.run(answered)
    assert len(run.study.trials) == 10


def test_without_effect_is_one_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Run(client_scenario(tmp_path, design_of_experiment=GRID, noise=True, models={"model": "random_forest"})).run(
        answered
    )
    captured = capsys.readouterr()
    assert captured.err == "warning: scenario.json: without effect: noise, models\n" and not captured.out


@pytest.mark.parametrize("ending", ["", "x,f\n3,1.0\n", "x,f\n3,1.0\n9,13"])
def test_what_arrived_before_the_end_is_in_the_file(tmp_path: Path, ending: str) -> None:
    read = client_scenario(tmp_path, design_of_experiment={"number_of_samples": 4})
    output = io.BytesIO()
    run = Run(read)
    with pytest.raises(StudyError, match="the client's output ended"):
        run.run(client_evaluation(read, io.BytesIO(ending.encode()), output, run.warn))
    assert output.getvalue().startswith(b"Request 4\nx\n3\n") and output.getvalue().count(b"Request") == 1
    assert [line.rsplit(",", 1)[0] for line in rows(read.output)] == ["x,f", "3,1.0"][: 1 + ("3,1.0" in ending)]
    assert "ended by StudyError" in read.log.read_text()


@pytest.mark.parametrize("tuner", ["hypermapper", "baco"])
def test_resuming_goes_on_from_the_table(tmp_path: Path, tuner: str) -> None:
    """Old rows count against the design only, and no configuration is evaluated twice."""
    file = "resume_optimization_data" if tuner == "hypermapper" else "resume_optimization_file"
    valid = {"enable_feasible_predictor": True, "true_value": "1", "false_value": "0"}
    more = {
        **({"baco_mode": {"mode": "client-server"}, "hypermapper_mode": None} if tuner == "baco" else {}),
        "resume_optimization": True,
        file: "old.csv",
        "output_data_file": "old.csv",
        "feasible_output": valid,
    }
    (tmp_path / "old.csv").write_text("f,x,other,Valid\n2.5,7,a,True\n9,0,b,False\n")
    given = {**fields(), "run_directory": str(tmp_path), "design_of_experiment": {"number_of_samples": 4}, **more}
    given |= {"optimization_iterations": 1}
    given.pop("hypermapper_mode", None)
    read = scenario_of_fields(given)
    requested: list[Configuration] = []

    def evaluate(request: Sequence[Configuration]) -> Answers:
        requested.extend(request)
        return answered(request)

    Run(read, clock=lambda: 1.0).run(evaluate)
    assert len(requested) == 3 and not {c["x"] for c in requested} & {7, 0}
    written = rows(read.output)
    yes, no = ("True", "False") if tuner == "baco" else ("1", "0")
    assert written[1:3] == [f"7,2.5,{yes},0", f"0,9,{no},0"] and len(written) == 6


def test_a_table_to_resume_from_that_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "old.csv").write_text("x,f\n3,1\n11,2\n")
    read = client_scenario(tmp_path, resume_optimization=True, resume_optimization_data="old.csv")
    with pytest.raises(SourceError) as caught:
        Run(read).run(answered)
    assert caught.value.diagnostics[0].span is not None and caught.value.diagnostics[0].span.line == 3
    assert not read.output.exists()


def test_exhaustive_mode_looks_results_up(tmp_path: Path) -> None:
    table = tmp_path / "all.csv"
    table.write_text("f,x\n" + "".join(f"{(x - 7) ** 2},{x}\n" for x in range(9)))
    mode = {"mode": "exhaustive", "exhaustive_search_file": str(table)}
    read = scenario(hypermapper_mode=mode, run_directory=str(tmp_path), optimization_iterations=10)
    run = Run(read)
    run.run(table_evaluation(read))
    assert len(run.study.trials) == 10 and run.study.best is not None
    assert run.study.best.configuration == Configuration({"x": 7})
    assert [t.configuration["x"] for t in run.study.trials if not t.measured] == [9]


# -- Python functions


def test_optimize_with_a_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps({**fields(), "run_directory": str(tmp_path), "log_file": "own.log"}))
    optimize(path, lambda values: np.float64((values["x"] - 7) ** 2))
    assert capsys.readouterr().out == "Best point found:\nx,f\n7,0.0\n"
    assert (tmp_path / "own.log").exists() and len(rows(tmp_path / "application_output_samples.csv")) == 11


@pytest.mark.parametrize("kind", ["mapping", "tuple"])
def test_functions_with_several_outputs(tmp_path: Path, kind: str) -> None:
    valid = {"enable_feasible_predictor": True}
    given = {**fields(), "run_directory": str(tmp_path), "feasible_output": valid, "optimization_iterations": 0}
    given["optimization_objectives"] = ["f", "g (s)"]

    def function(values: dict[str, int]) -> object:
        x = values["x"]
        return {"g (s)": 9 - x, "f": x, "Valid": x > 4} if kind == "mapping" else (x, 9 - x, x > 4)

    optimize(given, function)
    written = rows(tmp_path / "application_output_samples.csv")
    assert written[0] == "x,f,g (s),Valid,Timestamp" and len(written) == 11
    assert all(re.fullmatch(r"(\d),\1,\d,(true|false),\d+", line) for line in written[1:])
    assert sum(",true," in line for line in written) == 5


def test_batches_call_with_lists(tmp_path: Path) -> None:
    calls: list[object] = []
    given = {**fields(), "run_directory": str(tmp_path), "design_of_experiment": {"number_of_samples": 1}}
    given |= {"evaluations_per_optimization_iteration": 3, "optimization_iterations": 1}

    def function(values: dict[str, object]) -> object:
        calls.append(values["x"])
        return [float(x) for x in values["x"]] if isinstance(values["x"], list) else 1.0

    optimize(given, function)
    assert calls[0] == 3 and isinstance(calls[1], list) and len(calls[1]) == 3


@pytest.mark.parametrize(
    "answer,message", [({"g": 1}, "has no `f`"), ((1, 2), "returns f, got 2 values"), ("fast", "f is a number")]
)
def test_answers_that_do_not_fit(tmp_path: Path, answer: object, message: str) -> None:
    with pytest.raises(StudyError, match=re.escape(message)):
        optimize({**fields(), "run_directory": str(tmp_path)}, lambda values: answer)


def test_an_exception_of_the_function_loses_nothing(tmp_path: Path) -> None:
    count = 0

    def function(values: dict[str, int]) -> float:
        nonlocal count
        count += 1
        if count == 4:
            raise RuntimeError("the board is gone")
        return 1.0

    with pytest.raises(RuntimeError):
        optimize({**fields(), "run_directory": str(tmp_path)}, function)
    assert len(rows(tmp_path / "application_output_samples.csv")) == 4


def test_mode_default_needs_a_function() -> None:
    with pytest.raises(SourceError, match="calls a Python function"):
        optimize(fields())


# -- Pareto fronts


def test_the_front_of_a_table(tmp_path: Path) -> None:
    valid = {"enable_feasible_predictor": True}
    read: Scenario = scenario(INTEGERS, optimization_objectives=["f", "g"], feasible_output=valid)
    table = tmp_path / "samples.csv"
    table.write_text(
        "x,f,g,Valid,Timestamp\n1,3.0,1,true,10\n2,1,3,true,11\n3,3,3,true,12\n4,0,0,false,13\n5,2,2.50,true,14\n"
    )
    assert write_pareto(read, table, tmp_path / "front.csv") == 3
    assert rows(tmp_path / "front.csv") == [
        "x,f,g,Valid,Timestamp",
        "2,1,3,true,11.0",
        "5,2,2.50,true,14.0",
        "1,3.0,1,true,10.0",
    ]


def test_tables_that_do_not_fit(tmp_path: Path) -> None:
    table = tmp_path / "samples.csv"
    for text, message in [
        ("x\n1\n", "no column `f`"),
        ("x,f\n1\n", "a row has 2 values"),
        ("x,f\n1,a\n", "is a number"),
    ]:
        table.write_text(text)
        with pytest.raises(SourceError, match=message):
            write_pareto(scenario(), table, tmp_path / "front.csv")


def test_a_function_is_optimized_where_output_is_a_stream_of_texts_alone(tmp_path: Path) -> None:
    """As in a notebook."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        optimize({**fields(), "run_directory": str(tmp_path)}, lambda values: (values["x"] - 7) ** 2)
    assert output.getvalue().startswith("Best point found:\nx,f\n7,0")
