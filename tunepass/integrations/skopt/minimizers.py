"""Functions with the shape of scikit-optimize's `gp_minimize` and its kin, all with tunepass's own search."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from tunepass.diagnostics import StudyError
from tunepass.integrations.packages import package
from tunepass.integrations.skopt.optimizer import Optimizer, Point
from tunepass.space.plain_values import as_real, as_whole
from tunepass.space.space import Space
from tunepass.study.task import Factory

Function = Callable[[Point], object]
Callback = Callable[[OptimizeResult], object]


def gp_minimize(
    func: Function,
    dimensions: Sequence[object] | Space,
    base_estimator: object = None,
    n_calls: int = 100,
    *,
    x0: object = None,
    y0: object = None,
    random_state: object = None,
    verbose: bool = False,
    callback: Callback | Sequence[Callback] | None = None,
    space_constraint: Callable[[Point], object] | None = None,
    strategy: str | Factory = "auto",
    **settings: object,
) -> OptimizeResult:
    """Minimise a function of points, as skopt.gp_minimize does, which `forest_minimize` and `gbrt_minimize` are too.

    Args:
        func: of a list with a value for each dimension.
        dimensions: see `Optimizer`.
        base_estimator: see `Optimizer`.
        n_calls: how often `func` is called; less often where the space has fewer points.
        x0: a point, or a list of points, that is evaluated first.
        y0: the values of `x0`, if they are known: `func` is not called for them.
        random_state: see `Optimizer`.
        verbose: print each call, by skopt.callbacks.VerboseCallback.
        callback: called with the result so far after each call; if one returns something true, the search ends.
        space_constraint: see `Optimizer`.
        strategy: of tunepass, by name, or a function of a Task.
        settings: others of skopt's functions; a warning names those without effect.

    Returns:
        `x` and `fun` of the best point, `x_iters` and `func_vals` of all, in order.

    Raises:
        StudyError: an argument breaks its rule.

    Example:
        >>> result = gp_minimize(lambda x: (x[0] - 1) ** 2, [(-2.0, 2.0)], n_calls=12, random_state=0)
        >>> len(result.func_vals), result.fun < 0.1
        (12, True)
    """
    calls = as_whole(n_calls)
    if calls is None or calls < 1:
        raise StudyError(f"n_calls is a whole number >= 1, got {n_calls!r}")
    points = _points(x0)
    values = None if y0 is None else _listed("y0", [y0] if as_real(y0) is not None else y0)
    if values is not None and len(values) != len(points):
        raise StudyError(f"y0 has a value for each point of x0, got {len(values)} for {len(points)}")
    optimizer = Optimizer(
        dimensions,
        base_estimator,
        random_state=random_state,
        space_constraint=space_constraint,
        strategy=strategy,
        max_evals=None if space_constraint else calls + len(values or ()),
        **settings,
    )
    arguments = {"func": func, "dimensions": dimensions, "n_calls": n_calls, "x0": x0, "y0": y0}
    specs = {"args": {**arguments, "random_state": random_state, **settings}, "function": "base_minimize"}
    callbacks = _callbacks(callback, verbose, len(points) if values is None else 0, calls)
    if values:
        optimizer.tell(points, values)
        points = []
    for number in range(calls):
        try:
            x = points.pop(0) if points else optimizer.ask()
        except StudyError as error:
            if not optimizer.yi:
                raise
            warnings.warn(f"ended after {number} of {calls} calls: {error.sentence}", stacklevel=2)
            break
        y = func(x)  # type: ignore[arg-type]
        if as_real(y) is None and not isinstance(y, (list, tuple, np.ndarray)):
            raise StudyError(f"a value is a number, and func returned {y!r} for {x!r}")
        result = optimizer.tell(x, y)
        result["specs"] = specs
        ends = [each(result) for each in callbacks]
        if any(ends):
            break
    result = optimizer.get_result()
    result["specs"] = specs
    return result


forest_minimize = gbrt_minimize = gp_minimize


def dummy_minimize(
    func: Function, dimensions: Sequence[object] | Space, n_calls: int = 100, **arguments: Any
) -> OptimizeResult:
    """Evaluate random points, as skopt.dummy_minimize does; see `gp_minimize`."""
    return gp_minimize(func, dimensions, "dummy", n_calls, **arguments)


def _points(x0: object) -> list[Point]:
    if x0 is None:
        return []
    if not isinstance(x0, (list, tuple, np.ndarray)) or len(x0) == 0:
        raise StudyError(f"x0 is a point or a list of points, got {x0!r}")
    nested = isinstance(x0[0], (list, tuple, np.ndarray))
    return [list(point) for point in x0] if nested else [list(x0)]


def _callbacks(given: object, verbose: bool, initial: int, calls: int) -> list[Callback]:
    listed = [] if given is None else [given] if callable(given) else _listed("callback", given)
    if not all(map(callable, listed)):
        raise StudyError(f"callback is a function of a result, or a list of them, got {given!r}")
    if verbose:
        theirs = package("skopt.callbacks", extra="skopt", door="tunepass.integrations.skopt")
        listed.append(theirs.VerboseCallback(n_init=initial, n_random=0, n_total=calls))
    return listed


def _listed(name: str, given: object) -> list[Any]:
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise StudyError(f"{name} is a list, got {given!r}")
    return list(given)
