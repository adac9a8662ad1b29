"""Optimizer with the shape of skopt.Optimizer."""

from __future__ import annotations

import numpy as np
import pytest

import tunepass as tp
from tunepass.integrations.skopt import Optimizer

DIMENSIONS = [(-2.0, 2.0), (1, 9), (1e-4, 1.0, "log-uniform"), ["a", "b", None], ("x", "y")]


def value(x: list[object]) -> float:
    return float(str(x[0])) ** 2 + abs(int(str(x[1])) - 3) + (x[3] != "b")


def test_a_loop_finds_what_a_native_study_finds() -> None:
    optimizer = Optimizer(DIMENSIONS, random_state=1)
    parameters = [
        *(tp.Real("x0", -2.0, 2.0), tp.Integer("x1", 1, 9), tp.Real("x2", 1e-4, 1.0, log=True)),
        *(tp.Categorical("x3", ["a", "b", None]), tp.Categorical("x4", ["x", "y"])),
    ]
    study = tp.Study(tp.Space(parameters), [tp.Objective("y")], seed=1)
    for _ in range(12):
        x = optimizer.ask()
        assert optimizer.ask() == x, "the same until it is told"
        (configuration,) = study.suggest()
        assert list(configuration.values()) == x
        study.observe(configuration, tp.Measured({"y": value(x)}))
        result = optimizer.tell(x, np.float64(value(x)))
    assert result.fun == min(result.func_vals) == value(result.x) and len(result.x_iters) == 12


def test_several_points_failures_and_repeats() -> None:
    optimizer = Optimizer([(0, 5), [1, "1"]], random_state=0)
    points = optimizer.ask(4)
    assert len({(x[0], type(x[1])) for x in points}) == 4
    result = optimizer.tell(points, [1.0, float("nan"), np.inf, 3.0])
    assert result.fun == 1.0 and optimizer.study.failures == {"run": 2}
    optimizer.tell(points[0], 2.0)
    assert optimizer.study.trials[0].outcome.values == {"y": 1.5}, "the mean"
    assert optimizer.tell([4, np.str_("1")], 0.5).x == [4, "1"]


def test_a_space_with_constraints() -> None:
    space = tp.Space([tp.Integer("a", 1, 6), tp.Integer("b", 1, 6), tp.Permutation("order", 2)], ["a * b == 6"])
    optimizer = Optimizer(space, random_state=0)
    for _ in range(8):
        x = optimizer.ask()
        assert x[0] * x[1] == 6 and sorted(x[2]) == [0, 1]
        optimizer.tell(x, 1.0)
    with pytest.raises(tp.StudyError, match="no point is left: 8 were told"):
        optimizer.ask()


def test_dimensions_of_skopt() -> None:
    pytest.importorskip("skopt", reason="scikit-optimize is not installed: pip install 'tunepass[skopt]'")
    import skopt
    from skopt.space import Categorical, Integer, Real

    dimensions = [
        Real(1e-4, 1, prior="log-uniform", name="lr"),
        Integer(1, 9, name="n"),
        Categorical(["a", "b"]),
        (0.0, 1.0),
    ]
    optimizer, theirs = Optimizer(dimensions, random_state=0), skopt.Optimizer(dimensions, random_state=0)
    assert [p.name for p in optimizer.study.space.parameters] == ["lr", "n", "x2", "x3"]
    for _ in range(6):
        x = optimizer.ask()
        theirs.tell(x, 1.0, fit=False)  # it takes our points, and we take its
        optimizer.tell(theirs.ask(), 1.0)
        optimizer.tell(x, 1.0)
    assert theirs.Xi == optimizer.Xi[1::2]


@pytest.mark.parametrize(
    ("dimensions", "message"),
    [
        ([], "dimensions are a list"),
        ("ab", "dimensions are a list"),
        ([(0.0, 1.0), 3], "dimension 1 is 3: it has neither ends nor choices"),
        ([(2, 1)], "dimension 0 is .*lo <= hi must hold"),
        ([(0.0, 1.0, "log-uniform")], "a log scale needs positive values"),
        ([(0.0, float("nan"))], "values must be finite"),
        ([(0.0, 1.0, "non-uniform")], "its scale is uniform or log-uniform"),
        (tp.Space([tp.Categorical("a", ["x", "y"]), tp.Integer("b", 1, 2, when="a == 'x'")]), "with conditions"),
    ],
)
def test_bad_dimensions(dimensions: list[object], message: str) -> None:
    with pytest.raises(tp.StudyError, match=message):
        Optimizer(dimensions)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([0.5], "3", "tell takes a point and its value"),
        ([0.5], [1.0, 2.0], "tell takes a point and its value"),
        ([0.5, 1], 1.0, "a point has 1 values"),
        ([2.5], 1.0, "is not one of its values"),
        ([float("nan")], 1.0, "is not one of its values"),
        ([[0.5]], ["a"], "a value is a number"),
    ],
)
def test_bad_observations(x: list[object], y: object, message: str) -> None:
    with pytest.raises(tp.StudyError, match=message):
        Optimizer([(0.0, 1.0)]).tell(x, y)
