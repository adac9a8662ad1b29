"""Optimizer with the shape of skopt.Optimizer."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tunepass as tp
from tunepass.integrations.skopt import Optimizer, dummy_minimize, forest_minimize, gbrt_minimize, gp_minimize

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


def test_minimizers_end_after_their_calls() -> None:
    for minimize in (gp_minimize, forest_minimize, gbrt_minimize):
        result = minimize(value, DIMENSIONS, n_calls=6, random_state=1)
        assert len(result.func_vals) == 6 and result.fun == result.func_vals.min() == value(result.x)
    assert len({tuple(x) for x in dummy_minimize(value, DIMENSIONS, 8, random_state=2).x_iters}) == 8


def test_points_that_are_known_come_first() -> None:
    seen: list[list[object]] = []
    first = [[0.5, 3], np.array([1.5, 4])]
    result = gp_minimize(
        lambda x: seen.append(x) or float(x[0]), [(0.0, 2.0), [1, 9]], n_calls=4, x0=first, random_state=0
    )
    assert seen[:2] == [[0.5, 3], [1.5, 4]] and len(seen) == 4
    result = gp_minimize(lambda x: seen.append(x) or 9.0, [(0.0, 2.0), [1, 9]], n_calls=2, x0=first, y0=(1.0, 2.0))
    assert len(seen) == 6 and result.x == [0.5, 3] and list(result.func_vals) == [1.0, 2.0, 9.0, 9.0]
    assert result.specs["args"]["n_calls"] == 2


def test_callbacks_end_a_search_and_a_small_space_does() -> None:
    seen: list[int] = []
    result = gp_minimize(
        lambda x: float(x[0]),
        np.array([[0.0, 1.0]]),
        callback=[lambda r: seen.append(len(r.x_iters)), lambda r: len(r.x_iters) == 3],
    )
    assert seen == [1, 2, 3] and len(result.x_iters) == 3
    with pytest.warns(UserWarning, match="ended after 2 of 9 calls: no point is left"):
        assert len(gp_minimize(lambda x: 1.0, [["a", "b"]], n_calls=9).x_iters) == 2


def test_settings_of_its_models_are_named_once_and_unknown_ones_refused() -> None:
    with pytest.warns(UserWarning, match="without effect: acq_func, n_initial_points; tunepass's own search"):
        Optimizer([(0.0, 1.0)], acq_func="EI", n_initial_points=3)
    with pytest.raises(tp.StudyError, match="no setting 'acq_fun'"):
        Optimizer([(0.0, 1.0)], acq_fun="EI")
    with pytest.raises(tp.StudyError, match="n_calls is a whole number"):
        gp_minimize(value, DIMENSIONS, n_calls=0)
    with pytest.raises(tp.StudyError, match="got 1 for 2"):
        gp_minimize(value, [(0.0, 1.0)], x0=[[0.1], [0.2]], y0=[1.0])


@pytest.mark.filterwarnings("ignore:without effect")
def test_a_value_may_be_a_pair_with_its_seconds() -> None:
    optimizer = Optimizer([(0.0, 1.0)], acq_func="EIps", random_state=0)
    optimizer.tell([0.5], (2.0, 10.0))
    result = optimizer.tell([[0.25], [0.75]], [(1.0, 10.0), (3.0, 1.0)])
    assert result.fun == 1.0 and list(result.log_time) == [np.log(10.0), np.log(10.0), 0.0]


def test_what_a_function_refuses_is_not_asked_for() -> None:
    optimizer = Optimizer([(1, 6), (1, 6)], space_constraint=lambda x: x[0] * x[1] == 6, random_state=0)
    points = []
    for _ in range(4):
        points.append(optimizer.ask())
        optimizer.tell(points[-1], 1.0)
    assert sorted(points) == [[1, 6], [2, 3], [3, 2], [6, 1]]
    with pytest.raises(tp.StudyError, match=r"4 were told, .* break the space_constraint"):
        optimizer.ask()


def test_a_pickled_optimizer_goes_on() -> None:
    optimizer = Optimizer(DIMENSIONS, random_state=np.random.RandomState(3))
    optimizer.run(value, 3)
    copy = pickle.loads(pickle.dumps(optimizer))  # noqa: S301
    assert copy.Xi == optimizer.Xi and len(copy.study.trials) == 3
    assert len(copy.run(value, 2).func_vals) == 5 and len(optimizer.Xi) == 3


def test_real_dimensions_with_whole_ends_stay_real() -> None:
    skopt = pytest.importorskip("skopt", reason="scikit-optimize is not installed: pip install 'tunepass[skopt]'")
    optimizer = Optimizer(skopt.space.Space([skopt.space.Real(0, 1), skopt.space.Integer(0, 1)]), random_state=0)
    assert [type(p) for p in optimizer.study.space.parameters] == [tp.Real, tp.Integer]
    dimensions = [[1, 9], [0.5, 2.5, "log-uniform"], (1e-3, 1.0, "log-uniform", 10), [1, 2, 4], np.array([3, 5, 7])]
    mine, theirs = Optimizer(dimensions), skopt.Optimizer(dimensions).space
    kinds = {"Integer": tp.Integer, "Real": tp.Real, "Categorical": tp.Categorical}
    assert [type(p) for p in mine.study.space.parameters] == [kinds[type(d).__name__] for d in theirs]


@pytest.mark.filterwarnings("ignore:without effect")
def test_results_have_models_that_skopt_reads() -> None:
    pytest.importorskip("skopt", reason="scikit-optimize is not installed: pip install 'tunepass[skopt]'")
    from skopt.utils import expected_minimum

    result = gp_minimize(lambda x: (x[0] - 0.3) ** 2, [(-1.0, 1.0)], n_calls=12, n_initial_points=4, random_state=0)
    assert len(result.models) == 9
    mean, deviation = result.models[-1].predict(np.array([[0.3], [-1.0]]), return_std=True)
    assert abs(mean[0]) < 0.1 < mean[1] and (deviation >= 0).all()
    x, y = expected_minimum(result, random_state=0)
    assert abs(x[0] - 0.3) < 0.1 and abs(y) < 0.1
    with pytest.raises(IndexError):
        result.models[9]


def test_a_search_over_settings_of_an_estimator() -> None:
    pytest.importorskip("skopt", reason="scikit-optimize is not installed: pip install 'tunepass[skopt]'")
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    from tunepass.integrations.skopt import BayesSearchCV

    spaces = {"max_depth": (1, 3), "criterion": ["gini", "entropy"]}
    search = BayesSearchCV(DecisionTreeClassifier(random_state=0), spaces, n_iter=8, n_points=4, cv=2, random_state=0)
    search.fit(*load_iris(return_X_y=True))
    assert len(search.cv_results_["params"]) == 6, "the space has no more"
    assert search.best_params_["max_depth"] > 1 and search.best_score_ > 0.9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"x0": [[0.5]], "y0": object()}, "y0 is a list"),
        ({"callback": 3}, "callback is a list"),
        ({"callback": [3]}, "callback is a function"),
        ({"x0": "a"}, "x0 is a point"),
        ({"x0": [[9.0]]}, "is not one of its values"),
        ({"random_state": "a"}, "a seed is a whole number"),
        ({"n_initial_points": "a"}, "n_initial_points is a whole number"),
        ({"space_constraint": 3}, "space_constraint is a function"),
    ],
)
@pytest.mark.filterwarnings("ignore:without effect")
def test_arguments_that_break_a_rule(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(tp.StudyError, match=message):
        gp_minimize(lambda x: 1.0, [(0.0, 1.0)], n_calls=2, **arguments)  # type: ignore[arg-type]
    with pytest.raises(tp.StudyError, match="a value is a number"):
        gp_minimize(lambda x: None, [(0.0, 1.0)], n_calls=2)
