"""tunepass with the shape of scikit-optimize's Optimizer: `ask` and `tell`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from tunepass.diagnostics import StudyError
from tunepass.integrations.parameters import Foreign, ForeignParameter
from tunepass.integrations.skopt.dimensions import read_dimensions
from tunepass.integrations.skopt.models import Models
from tunepass.integrations.skopt.settings import check_settings, initial_points, seed_of, with_durations
from tunepass.space.configuration import Configuration
from tunepass.space.plain_values import as_real, is_finite
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Infeasible, Measured
from tunepass.study.study import Study
from tunepass.study.task import Factory

Point = list[Foreign]
MOST_REJECTED = 1000  # points in a row that `space_constraint` refuses


class Optimizer:
    """Asks for points of lists of values and is told their values, as skopt.Optimizer; smaller is better.

    A value that is not finite is a failure, from which the search learns. `ask` never returns a point that was told,
    until all were. It can be pickled; a copy goes on from the told points with other random numbers.

    Args:
        dimensions: as skopt.Optimizer takes them: pairs of numbers with a scale, lists of choices, or objects of
            skopt.space; or a Space of tunepass, whose parameters are the values of a point in their order.
        base_estimator: without effect, but for "dummy": random points.
        random_state: the seed, or a generator of NumPy, which draws it; None: another one each time.
        space_constraint: says of a point whether it may be evaluated; the search learns from those that may not.
        strategy: of tunepass, by name, or a function of a Task.
        max_evals: how many values will be told, if that is known.
        settings: others of skopt.Optimizer. `acq_func="EIps"` and "PIps" make a value a pair with its seconds, which
            the search does not read; a warning names those without effect.

    Raises:
        StudyError: an argument breaks its rule, or a dimension has no parameter.

    Example:
        >>> optimizer = Optimizer([(-2.0, 2.0), ["a", "b"]], random_state=0)
        >>> for _ in range(8):
        ...     x = optimizer.ask()
        ...     result = optimizer.tell(x, x[0] ** 2 + (x[1] == "a"))
        >>> result.x[1], len(result.x_iters)
        ('b', 8)
    """

    def __init__(
        self,
        dimensions: Sequence[object] | Space,
        base_estimator: object = None,
        *,
        random_state: object = None,
        space_constraint: Callable[[Point], object] | None = None,
        strategy: str | Factory = "auto",
        max_evals: int | None = None,
        **settings: object,
    ):
        if base_estimator == "dummy":
            strategy = "random"
        elif base_estimator is not None:
            settings = {"base_estimator": base_estimator, **settings}
        check_settings("Optimizer", settings, stacklevel=3)
        if space_constraint is not None and not callable(space_constraint):
            raise StudyError(f"space_constraint is a function of a point, got {space_constraint!r}")
        if isinstance(dimensions, Space):
            self._dimensions, space = [ForeignParameter(p) for p in dimensions.parameters], dimensions
        else:
            self._dimensions = read_dimensions(dimensions)
            space = Space([d.parameter for d in self._dimensions])
        if space.activity:
            raise StudyError("a point has a value for every dimension, and this space has parameters with conditions")
        self._with_durations, self._constraint = with_durations(settings), space_constraint
        self._initial = initial_points(settings)
        self._options = {"seed": seed_of(random_state), "strategy": strategy, "max_evals": max_evals}
        self.space = space if isinstance(dimensions, Space) else _their_space(dimensions) or space
        self.study = self._new_study(space)
        self.Xi: list[Point] = []
        self.yi: list[Any] = []
        self._next: Point | None = None

    def ask(self, n_points: int | None = None, strategy: str | None = None) -> Point | list[Point]:
        """The next point, the same until something is told; or the next `n_points`, each knowing of the others.

        Args:
            n_points: how many; None: one, not in a list.
            strategy: accepted for skopt's sake: points under evaluation are believed, not given a made-up value.

        Raises:
            StudyError: `n_points` is below 1, or no point is left.
        """
        if n_points is not None:
            return [self._point(c) for c in self._suggest(validation.valid_count(n_points, "ask"))]
        if self._next is None:
            self._next = self._point(self._suggest(1)[0])
        return self._next

    def tell(self, x: Sequence[object], y: object, fit: bool = True) -> OptimizeResult:
        """Take in the value of a point, asked for or not; or those of several, if `y` is a sequence.

        Raises:
            StudyError: a point is not of the space, or not each has a value.
        """
        points, values = self._paired(_listed(x), _listed(y))
        checked = [(self._configuration(point), _number(value)) for point, value in zip(points, values)]
        known = {trial.configuration for trial in self.study.trials}
        for (configuration, value), point, given in zip(checked, points, values):
            outcome = Measured({"y": value}) if is_finite(value) else Failed("run", f"the value is {value}")
            self.study.observe(configuration, outcome, again=configuration in known)
            known.add(configuration)
            self.Xi.append(list(_listed(point)))  # type: ignore[call-overload]
            self.yi.append(tuple(given) if isinstance(given, list) else value)
        self._next = None
        return self.get_result()

    def run(self, func: Callable[[Point], object], n_iter: int = 1) -> OptimizeResult:
        """Ask and tell `n_iter` times."""
        for _ in range(n_iter):
            x = self.ask()
            self.tell(x, func(x))  # type: ignore[arg-type]
        return self.get_result()

    @property
    def models(self) -> Models:
        """A Gaussian process for each number of told points, as skopt's plots read them."""
        models: Models = self.get_result()["models"]
        return models

    def get_result(self) -> OptimizeResult:
        """The result so far: `x` and `fun` of the best point, `x_iters` and `func_vals` of all, in order."""
        values = [_number(y) for y in self.yi]
        finite = [place for place, value in enumerate(values) if is_finite(value)]
        best = min(finite, key=values.__getitem__, default=None)
        result = OptimizeResult()
        result["x"], result["fun"] = (None, None) if best is None else (self.Xi[best], values[best])
        result["x_iters"], result["func_vals"], result["space"] = self.Xi, np.array(values, dtype=float), self.space
        if self._with_durations:
            result["log_time"] = np.log([seconds for _, seconds in self.yi])
        about = (self.study.space, self._dimensions, self.space, list(self.Xi), values)
        result["models"], result["specs"] = Models(self._initial, *about), {"args": {}, "function": "Optimizer"}
        return result

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name != "study"}
        trials = [(trial.configuration, trial.outcome) for trial in self.study.trials]
        return {**state, "_saved": (self.study.space, trials)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        space, trials = state.pop("_saved")
        self.__dict__.update(state)
        self.study = self._new_study(space)
        for configuration, outcome in trials:
            self.study.observe(configuration, outcome)

    def _new_study(self, space: Space) -> Study:
        return Study(space, [Objective("y")], repeats=False, **self._options)  # type: ignore[arg-type]

    def _suggest(self, n: int) -> list[Configuration]:
        allowed: list[Configuration] = []
        rejected = 0
        while len(allowed) < n and rejected < MOST_REJECTED:
            suggested = self.study.suggest(n - len(allowed))
            if not suggested:
                break
            for configuration in suggested:
                if self._constraint is None or self._constraint(self._point(configuration)):
                    allowed.append(configuration)
                else:
                    self.study.observe(configuration, Infeasible("space_constraint"))
                    rejected += 1
        if not allowed:
            reason = f"{len(self.yi)} were told" + (f", {rejected} break the space_constraint" if rejected else "")
            raise StudyError(f"no point is left: {reason}", hint="raise max_evals, or stop")
        return allowed

    def _paired(self, x: object, y: object) -> tuple[list[object], list[object]]:
        """Points and their values, one for each."""
        pair = self._with_durations and isinstance(y, list) and not any(isinstance(each, (list, tuple)) for each in y)
        if as_real(y) is not None or (pair and len(y) == 2):  # type: ignore[arg-type]
            return [x], [y]
        if isinstance(y, list) and isinstance(x, list) and len(x) == len(y):
            return x, [_listed(each) for each in y]
        count = len(x) if isinstance(x, list) else x
        raise StudyError(f"tell takes a point and its value, or a list of each, got {count} and {y!r}")

    def _point(self, configuration: Configuration) -> Point:
        return [d.foreign(configuration[d.parameter.name]) for d in self._dimensions]

    def _configuration(self, point: object) -> Configuration:
        listed = _listed(point)
        if not isinstance(listed, list) or len(listed) != len(self._dimensions):
            raise StudyError(f"a point has {len(self._dimensions)} values, got {point!r}")
        values = {d.parameter.name: d.native(value) for d, value in zip(self._dimensions, listed)}
        return validation.valid_configuration(self.study.space, values)


def _their_space(dimensions: object) -> object | None:
    """The dimensions as skopt.space.Space, which its plots read; None without scikit-optimize."""
    try:
        from skopt.space import Space as TheirSpace
    except ImportError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what later versions will read otherwise
        try:
            space: object = TheirSpace(getattr(dimensions, "dimensions", dimensions))
        except (ValueError, TypeError):  # dimensions that we take and it does not
            return None
    return space


def _listed(value: object) -> object:
    """A list for a sequence or an array with axes; any other value as it is."""
    if isinstance(value, np.ndarray) and value.ndim:
        return list(value)
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _number(value: object) -> float:
    number = as_real(value[0] if isinstance(value, (list, tuple)) and len(value) == 2 else value)
    if number is None:
        raise StudyError(f"a value is a number, got {value!r}")
    return float(number) if is_finite(number) or isinstance(number, float) else float("inf")
