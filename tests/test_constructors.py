"""Constructors of public classes: wrong arguments are typed errors, NumPy's values become Python's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tunepass
from tunepass.diagnostics import SpaceError, StudyError, TunepassError
from tunepass.space.prior import Beta

tp: Any = tunepass  # the arguments are wrong on purpose
TIME = tp.Objective("time", unit="ms")
SPACE = tp.Space([tp.Ordinal("tile", [4, 8, 16], default=8), tp.Integer("unroll", 1, 4)])
SOURCE = tp.Source("k.toy", "")
Wrong = Callable[[], object]


def study(**options: Any) -> Any:
    return tp.Study(SPACE, [TIME], **options)


def measured_time() -> Any:
    return tp.Measured({"time": np.float32(0.5)})


def observed(**options: Any) -> Any:
    return study().observe(SPACE.default, tp.Measured({"time": 3.1}), **options)


def kernel(**fields: Any) -> Any:
    return tp.Kernel(**{"name": "k", "language": "toy", "source": SOURCE, **fields})


STUDIES: dict[str, tuple[Wrong, str]] = {
    "an objective alone": (lambda: tp.Study(SPACE, TIME), "objectives is a list of Objective, got Objective"),
    "an objective's name": (lambda: tp.Study(SPACE, "time"), "objectives is a list of Objective, got 'time'"),
    "a list of names": (lambda: tp.Study(SPACE, ["time"]), "objectives is a list of Objective, got 'time' in it"),
    "objectives None": (lambda: tp.Study(SPACE, None), "objectives is a list of Objective, got None"),
    "objectives a mapping": (lambda: tp.Study(SPACE, {"time": "ms"}), "objectives is a list of Objective"),
    "no objectives": (lambda: tp.Study(SPACE, []), "distinct names, got none"),
    "parameters for a space": (lambda: tp.Study(SPACE.parameters, [TIME]), "a study searches a Space"),
    "max_evals 0": (lambda: study(max_evals=0), "at least 1, or None for no limit, got 0"),
    "max_evals a float": (lambda: study(max_evals=10.5), "max_evals is a whole number.*got 10.5"),
    "max_evals text": (lambda: study(max_evals="10"), "max_evals is a whole number.*got '10'"),
    "max_evals True": (lambda: study(max_evals=True), "max_evals is a whole number.*got True"),
    "a negative seed": (lambda: study(seed=-1), "a seed is a whole number >= 0, got -1"),
    "no seed": (lambda: study(seed=None), "a seed is a whole number >= 0, got None"),
    "a strategy's object": (lambda: study(strategy=tp.Random(task())), "a strategy is a name"),
    "a number for a strategy": (lambda: study(strategy=3), "a strategy is a name, or a class or function.*got 3"),
    "a store's number": (lambda: study(store=3), "a store is sqlite:///PATH, got 3"),
    "a path for a store": (lambda: study(store=Path("runs.db")), "a store is sqlite:///PATH"),
    "a study's number": (lambda: study(name=3), "a study's name is text.*got 3"),
    "an identity's text": (lambda: study(identity="gcc"), "an identity is a mapping of names to texts, got 'gcc'"),
    "an identity's value": (lambda: study(identity={"gcc": 12}), "got 'gcc': 12 in it"),
    "text for a prior mean": (lambda: study(prior_mean="64 / tile"), "a prior mean is a PriorMean, got '64 / tile'"),
    "rows for feasible": (lambda: study(feasible=[True]), "feasible is a function of columns"),
    "suggest 0": (lambda: study().suggest(0), "suggest asks for at least one configuration, got 0"),
    "suggest text": (lambda: study().suggest("1"), "suggest asks for at least one configuration, got '1'"),
    "again 0": (lambda: study().again(0), "again asks for at least one configuration, got 0"),
    "a value for an outcome": (lambda: study().observe(SPACE.default, 3.1), "an outcome is Measured"),
    "a tuple for a configuration": (
        lambda: study().observe((8, 1), tp.Measured({"time": 1.0})),
        r"a configuration is a mapping of parameters to values, got \(8, 1\)",
    ),
    "an objective's number": (lambda: tp.Objective(3), "an objective's name must be an identifier, got 3"),
    "a unit's number": (lambda: tp.Objective("time", unit=1), "the unit is text, got 1"),
    "a direction's name": (lambda: tp.Objective("time", maximise="no"), "maximise is True or False, got 'no'"),
    "a value for an evaluation": (lambda: tp.Evaluation(3.1), "an outcome is Measured, Infeasible or Failed, got 3.1"),
    "a task's objective alone": (lambda: tp.Task(space=SPACE, objectives=TIME), "objectives is a list of Objective"),
    "a value alone": (lambda: tp.Measured(3.1), "a number for each objective by name, got 3.1"),
    "a value's text": (lambda: tp.Measured({"time": "3.1"}), "must be a finite number, got '3.1'"),
    "a Boolean value": (lambda: tp.Measured({"time": np.True_}), "must be a finite number"),
    "a sample's text": (lambda: tp.Measured({"time": 3.1}, samples=("3",)), "samples of a measurement"),
    "a log's number": (lambda: tp.Failed("run", 3), "the log of a failure is text, got 3"),
    "a constraint's number": (lambda: tp.Infeasible(3), "names the constraint as text, got 3"),
    "a sample that is no number": (lambda: tp.Measured({"time": 3.1}, samples=(float("nan"),)), "of finite numbers"),
    "a number for repeats": (lambda: tp.Measured({"time": 3.1}, repeats=3), "repeats are measurements.*got 3"),
    "repeats of others": (lambda: tp.Measured({"time": 3.1}, repeats=({"area": 1.0},)), "a value for each of time"),
    "a value's number": (lambda: tp.Measured({3: 3.1}), "got the name 3"),
    "text for censored": (lambda: tp.Measured({"time": 3.1}, censored="no"), "censored is True or False"),
    "a configuration for first": (lambda: study().suggest(1, SPACE.default), "first is a list of configurations"),
    "a wrong first": (lambda: study().suggest(1, [{"tile": 5, "unroll": 1}]), "5 is not one of its values"),
    "text for replace": (lambda: observed(replace="yes"), "replace is True or False, got 'yes'"),
    "a number for again": (lambda: observed(again=1), "again is True or False, got 1"),
    "a code's number": (lambda: observed(code=3), "code is the digest.*got 3"),
    "a calibration's text": (lambda: observed(calibration="1"), "a calibration is a finite number >= 0.*got '1'"),
    "a stage's number": (lambda: observed(seconds={3: 1.0}), "a mapping of stages to numbers, got 3 in it"),
    "a name of no text": (lambda: study(name="\ud800"), "a study's name is text that UTF-8 has"),
    "no strategy made": (lambda: study(strategy=lambda task: None), "a strategy has the methods suggest and observe"),
    "a number for an answer": (
        lambda: study(feasible=lambda columns: 3, strategy="random").suggest(2),
        "feasible returns a Boolean for each of",
    ),
    "too few answers": (
        lambda: study(feasible=lambda columns: np.ones(1, bool), strategy="random").suggest(2),
        "feasible returns a Boolean for each of",
    ),
    "a fidelity's number": (lambda: tp.Fidelity(3, 0.5), "a name of its own, not 3"),
    "a cost's text": (lambda: tp.Fidelity("small", "0.1"), "0 < cost < 1 must hold.*got '0.1'"),
    "a fidelity alone": (
        lambda: tp.FidelityStudy(SPACE, TIME, tp.Fidelity("small", 0.1), budget=10),
        "fidelities is a list of Fidelity",
    ),
    "a budget's text": (
        lambda: tp.FidelityStudy(SPACE, TIME, [tp.Fidelity("small", 0.1)], budget="10"),
        "a budget is at least one evaluation, got '10'",
    ),
    "picks as text": (lambda: tp.SearchOptions(picks="time"), "picks is a tuple of texts, got 'time'"),
    "a budget below 0": (lambda: tp.SearchOptions(budget_s=-1.0), "budget_s is a number of seconds >= 0"),
    "jobs 0": (lambda: tp.SearchOptions(jobs=0), "jobs is a whole number, at least 1, or None, got 0"),
    "a prior mean of None": (lambda: tp.PriorMean.from_expression(None), "expression is text or an Expr, got None"),
    "a prior mean's text": (lambda: tp.PriorMean.from_observations([{"tile": 4}], ["3"]), "finite numbers, got '3'"),
    "sources alone": (lambda: tp.SeveralPriorMeans(3), "a list of PriorMean, got 3"),
    "an unknown output": (lambda: tp.BayesianSettings(output="lgo"), "output is one of log, chosen, got 'lgo'"),
}
SPACES: dict[str, tuple[Wrong, str]] = {
    "a parameter alone": (lambda: tp.Space(tp.Integer("a", 1, 2)), "parameters is a list, got Integer"),
    "names": (lambda: tp.Space(["a"]), "parameters are Real, Integer.*got 'a'"),
    "a constraint alone": (lambda: tp.Space([tp.Integer("a", 1, 2)], "a > 1"), "constraints is a list, got 'a > 1'"),
    "a constraint's number": (lambda: tp.Space([tp.Integer("a", 1, 2)], [3]), "text or a Constraint, got 3"),
    "a row's values": (lambda: tp.Space.from_table([(1, 2)]), "a row is a mapping"),
    "a table's parameters": (lambda: tp.Space.from_table([{"a": 1}], 5), "parameters is a list, got 5"),
    "no nodes": (lambda: tp.Space([tp.Integer("a", 1, 2)], node_limit=0), "a whole number >= 1, got 0"),
    "half a draw": (lambda: SPACE.sample(1.5, np.random.default_rng(0)), "a whole number >= 0.*got 1.5"),
    "a seed for rng": (lambda: SPACE.sample(1, 0), "rng is a numpy.random.Generator, got 0"),
    "a rank's text": (lambda: SPACE.unrank("1"), "a rank is a whole number.*got rank='1'"),
    "a number's rank": (lambda: SPACE.rank(3), "a configuration is a mapping.*got 3"),
    "a number's neighbours": (lambda: SPACE.neighbours(3), "a configuration is a mapping.*got 3"),
    "a number in a space": (lambda: SPACE.contains(3), "a configuration is a mapping.*got 3"),
    "a range beyond floats": (lambda: tp.Real("a", -1e308, 1e308), "the range must be below 1.8e308"),
    "a grid's text": (lambda: tp.Real("a", 0, 1, step="1"), "step is a number, got '1'"),
    "an Integer's text": (lambda: tp.Integer("a", "1", 2), "lo is a whole number below.*got '1'"),
    "an Integer's default": (lambda: tp.Integer("a", 1, 4, default="2"), "'2' is not one of its values"),
    "an Integer's None": (lambda: tp.Integer("a", 1, None), "hi is a whole number below.*got None"),
    "a Real's text": (lambda: tp.Real("a", "0", 1), "lo is a number, got '0'"),
    "a Real's None": (lambda: tp.Real("a", 0, None), "hi is a number, got None"),
    "a Real's default": (lambda: tp.Real("a", 0, 1, default="x"), "the default is a number, got 'x'"),
    "a Real beyond floats": (lambda: tp.Real("a", 0, 10**400), "hi must be finite"),
    "a scale's name": (lambda: tp.Real("a", 1, 2, log="yes"), "log is True or False, got 'yes'"),
    "an Ordinal's number": (lambda: tp.Ordinal("a", 3), "values are a list, got 3"),
    "a set": (lambda: tp.Categorical("a", {"x", "y"}), "values are a list, got {"),
    "an unhashable default": (lambda: tp.Categorical("a", ["x"], default=["x"]), "not one of its values"),
    "a prior's number": (lambda: tp.Real("a", 0, 1, prior=3), r"a shape's name or a pair \(a, b\), got 3"),
    "a prior's texts": (lambda: tp.Real("a", 0, 1, prior=("a", "b")), r"a shape's name or a pair \(a, b\)"),
    "a category's prior": (lambda: tp.Categorical("a", ["x", "y"], prior=0.5), "one probability per value, got 0.5"),
    "an order's prior": (lambda: tp.Permutation("a", 2, prior=[1, 2]), "matrix of weights"),
    "an order's items": (lambda: tp.Permutation("a", 2.5), "a count or a list of strings, got 2.5"),
    "an order's default": (lambda: tp.Permutation("a", 2, default=1), "an order is a list of its items, got 1"),
    "a Beta's text": (lambda: Beta("1", 2.0), "two numbers, got a='1'"),
    "pairs for a configuration": (lambda: tp.Configuration([("a", 1)]), "a configuration is a mapping"),
    "no expression": (lambda: tp.Constraint("a > 1", "a > 1"), "a constraint has an expression, got 'a > 1'"),
}
OTHERS: dict[str, tuple[Wrong, str]] = {
    "a compiler's name": (lambda: tp.Target(compiler="gcc"), "compiler is a tuple of texts, got 'gcc'"),
    "a pipeline's compiler": (lambda: tp.Pipeline.default(compiler="gcc"), "compiler is a tuple of texts"),
    "a device's number": (lambda: tp.Pipeline.default(device=3), "a device is a name, got 3"),
    "names of passes": (lambda: tp.Pipeline(("search",)), "a pipeline is a tuple of passes"),
    "a path for a kernel": (lambda: tp.Pipeline(()).run("k.c"), "a pipeline runs on a Kernel, got 'k.c'"),
    "an unknown role": (lambda: tp.Binding("tile", "marco"), "the role of a binding is one of macro,.*got 'marco'"),
    "a path for a file": (lambda: tp.EmittedFile("../k.c", ""), "a plain name without a directory, got '../k.c'"),
    "bytes for a text": (lambda: tp.EmittedFile("k.c", b""), "the content of k.c is text, got b''"),
    "a kernel without a name": (lambda: kernel(name=""), "a kernel has a name, got ''"),
    "a source's text": (lambda: kernel(source="int x;"), "the source is a Source, got 'int x;'"),
    "a kernel's names": (lambda: kernel(parameters=("tile",)), "parameters is a tuple of Parameter"),
    "a kernel's conditions": (lambda: kernel(constraints=("tile > 1",)), "constraints is a tuple of Constraint"),
}


def task() -> Any:
    return tp.Task(space=SPACE, objectives=(TIME,))


@pytest.mark.parametrize("name", STUDIES)
def test_wrong_arguments_of_studies_are_study_errors(name: str) -> None:
    make, message = STUDIES[name]
    with pytest.raises(StudyError, match=message):
        make()


@pytest.mark.parametrize("name", SPACES)
def test_wrong_arguments_of_spaces_are_space_errors(name: str) -> None:
    make, message = SPACES[name]
    with pytest.raises(SpaceError, match=message):
        make()


@pytest.mark.parametrize("name", OTHERS)
def test_wrong_arguments_are_diagnostics(name: str) -> None:
    make, message = OTHERS[name]
    with pytest.raises(TunepassError, match=message):
        make()


def test_values_of_numpy_become_python_s_own() -> None:
    integer = tp.Integer("a", np.int64(1), np.int32(9), step=np.int8(2), default=np.int64(3), log=np.bool_(True))
    assert [type(v) for v in (integer.lo, integer.hi, integer.step, integer.default, integer.log)] == [int] * 4 + [bool]
    real = tp.Real("a", np.float32(0.5), np.int64(2), default=np.float64(1), prior=np.array([1.0, 2.0]))
    assert [type(v) for v in (real.lo, real.hi, real.default)] == [float] * 3
    ordinal = tp.Ordinal("a", np.array([4, 8]), default=np.int64(8))
    assert type(ordinal.default) is int and ordinal.domain == (4, 8)
    flag = tp.Categorical("a", np.array([False, True]), default=np.True_)
    assert flag.default is True
    order = tp.Permutation("a", np.int64(3), default=np.array([2, 0, 1]))
    assert order.default == (2, 0, 1) and all(type(item) is int for item in order.default)
    measured = tp.Measured({"time": np.float32(0.5), "count": np.int64(3)}, samples=np.array([0.5, 0.25]))
    assert measured == tp.Measured({"time": 0.5, "count": 3.0}, samples=(0.5, 0.25))
    assert tp.Measured({"time": np.array(4.0)}) == tp.Measured({"time": 4.0})
    assert SPACE.contains({"tile": np.int32(8), "unroll": np.array(2)})
    assert study().observe({"tile": np.array(8.0), "unroll": np.int8(2)}, measured_time()).configuration["tile"] == 8
    some = study(max_evals=np.int64(5), seed=np.int64(1))
    assert type(some.task.max_evals) is int and type(some.task.seed) is int
    assert type(tp.SearchOptions(max_evals=np.int64(5)).max_evals) is int
    assert tp.Target(compiler=["gcc", "-O2"]).compiler == ("gcc", "-O2")
