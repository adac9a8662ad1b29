"""tunepass with the shape of scikit-optimize's Optimizer: `ask` and `tell`."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence

from scipy.optimize import OptimizeResult

from tunepass.diagnostics import SpaceError, StudyError
from tunepass.integrations.parameters import Foreign, ForeignParameter, identifier, parameter_of_choices
from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Integer, Real
from tunepass.space.plain_values import as_real, as_whole, is_finite
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured
from tunepass.study.study import Study
from tunepass.study.task import Factory

Point = list[Foreign]
HINT = "a dimension is (1, 8), (0.1, 1.0), (1e-4, 1.0, 'log-uniform'), a list of choices, or one of skopt.space"


class Optimizer:
    """Asks for points of lists of values and is told their values, as skopt.Optimizer; smaller is better.

    A value that is not finite is a failure, from which the search learns. `ask` never returns a point that was told,
    until all were.

    Args:
        dimensions: as skopt.Optimizer takes them: pairs of numbers with a scale, lists of choices, or objects of
            skopt.space; or a Space of tunepass, whose parameters are the values of a point in their order.
        random_state: the seed; None: another one each time.
        strategy: of tunepass, by name, or a function of a Task.
        max_evals: how many values will be told, if that is known.

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
        *,
        random_state: int | None = None,
        strategy: str | Factory = "auto",
        max_evals: int | None = None,
    ):
        if isinstance(dimensions, Space):
            self._dimensions = [ForeignParameter(p) for p in dimensions.parameters]
            space = dimensions
        else:
            self._dimensions = _dimensions(dimensions)
            space = Space([d.parameter for d in self._dimensions])
        if space.activity:
            raise StudyError("a point has a value for every dimension, and this space has parameters with conditions")
        seed = secrets.randbits(32) if random_state is None else validation.valid_seed(random_state)
        self.study = Study(space, [Objective("y")], seed=seed, strategy=strategy, max_evals=max_evals, repeats=False)
        self.Xi: list[Point] = []
        self.yi: list[float] = []
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
        if as_real(y) is not None:
            points, values = [x], [y]
        elif isinstance(y, Sequence) and not isinstance(y, str) and len(x) == len(y):
            points, values = list(x), list(y)  # type: ignore[arg-type]
        else:
            raise StudyError(f"tell takes a point and its value, or a list of each, got {len(x)} and {y!r}")
        checked = [(self._configuration(point), _number(value)) for point, value in zip(points, values)]
        known = {trial.configuration for trial in self.study.trials}
        for (configuration, value), point in zip(checked, points):
            outcome = Measured({"y": value}) if is_finite(value) else Failed("run", f"the value is {value}")
            self.study.observe(configuration, outcome, again=configuration in known)
            known.add(configuration)
            self.Xi.append(list(point))
            self.yi.append(value)
        self._next = None
        return self.get_result()

    def get_result(self) -> OptimizeResult:
        """The result so far: `x` and `fun` of the best point, `x_iters` and `func_vals` of all, in order."""
        finite = [place for place, value in enumerate(self.yi) if is_finite(value)]
        best = min(finite, key=self.yi.__getitem__, default=None)
        result = OptimizeResult()
        result["x"], result["fun"] = (None, None) if best is None else (self.Xi[best], self.yi[best])
        result["x_iters"], result["func_vals"], result["space"] = self.Xi, self.yi, self.study.space
        return result

    def _suggest(self, n: int) -> list[Configuration]:
        suggested = self.study.suggest(n)
        if not suggested:
            raise StudyError(f"no point is left: {len(self.study.trials)} were told", hint="raise max_evals, or stop")
        return suggested

    def _point(self, configuration: Configuration) -> Point:
        return [d.foreign(configuration[d.parameter.name]) for d in self._dimensions]

    def _configuration(self, point: object) -> Configuration:
        listed = list(point) if isinstance(point, Sequence) and not isinstance(point, str) else None
        if listed is None or len(listed) != len(self._dimensions):
            raise StudyError(f"a point has {len(self._dimensions)} values, got {point!r}")
        values = {d.parameter.name: d.native(value) for d, value in zip(self._dimensions, listed)}
        return validation.valid_configuration(self.study.space, values)


def _dimensions(given: object) -> list[ForeignParameter]:
    """Dimensions as skopt.space.check_dimension reads them."""
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence) or not given:
        raise StudyError(f"dimensions are a list, got {given!r}", hint=HINT)
    dimensions_read: list[ForeignParameter] = []
    for place, each in enumerate(given):
        name = identifier(str(getattr(each, "name", None) or f"x{place}"), {d.parameter.name for d in dimensions_read})
        try:
            dimensions_read.append(_dimension(name, each))
        except SpaceError as error:
            raise StudyError(f"dimension {place} is {each!r}: {error.sentence}", hint=HINT) from None
    return dimensions_read


def _dimension(name: str, given: object) -> ForeignParameter:
    choices = getattr(given, "categories", None)
    if choices is not None:
        return parameter_of_choices(name, choices)
    if hasattr(given, "low") and hasattr(given, "high"):
        whole = as_whole(given.low) is not None and as_whole(given.high) is not None
        return _of_range(name, given.low, given.high, getattr(given, "prior", "uniform"), whole=whole)
    if isinstance(given, tuple) and len(given) in (2, 3) and all(as_real(end) is not None for end in given[:2]):
        scale = given[2] if len(given) == 3 else "uniform"
        if isinstance(scale, str) and "uniform" in scale:
            whole = all(as_whole(end) is not None for end in given[:2])
            return _of_range(name, given[0], given[1], scale, whole=whole)
    if isinstance(given, list | tuple) and given:
        return parameter_of_choices(name, given)
    raise SpaceError("it has neither ends nor choices")


def _of_range(name: str, low: float, high: float, scale: object, *, whole: bool) -> ForeignParameter:
    if scale not in ("uniform", "log-uniform"):
        raise SpaceError(f"its scale is uniform or log-uniform, got {scale!r}")
    log = scale == "log-uniform"
    return ForeignParameter(Integer(name, int(low), int(high), log=log) if whole else Real(name, low, high, log=log))


def _number(value: object) -> float:
    number = as_real(value)
    if number is None:
        raise StudyError(f"a value is a number, got {value!r}")
    return float(number) if is_finite(number) or isinstance(number, float) else float("inf")
