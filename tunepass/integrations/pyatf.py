"""tunepass as a search technique of pyATF."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.integrations.packages import package
from tunepass.space.configuration import Configuration
from tunepass.space.plain_values import as_real, as_scalar, is_finite
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.study import Study
from tunepass.study.task import Factory

if TYPE_CHECKING:
    from pyatf.search_space import SearchSpace
    from pyatf.search_techniques.search_technique_1d import SearchTechnique1D
    from pyatf.tp import TP
else:
    door = {"extra": "pyatf", "door": "tunepass.integrations.pyatf"}
    SearchSpace, TP = package("pyatf.search_space", **door).SearchSpace, package("pyatf.tp", **door).TP
    SearchTechnique1D = package("pyatf.search_techniques.search_technique_1d", **door).SearchTechnique1D

MOST_POINTS = 1 << 17  # of a search space that are listed; of a larger one as many are drawn


class TunepassTechnique(SearchTechnique1D):  # type: ignore[misc]
    """Searches the points of a pyATF search space as a tunepass.Study does. Invalid costs are failures it learns from.

    Args:
        search_space: the tuner's parameters in its order, or its search space, made with `enable_1d_access=True`. Of
            a space with more than 2^17 points so many are drawn at random, with a warning, and searched.
        seed: of every random choice; None: another one each time.
        strategy: of tunepass, by name, or a function of a Task.
        max_evals: how many evaluations are planned, if that is known.

    Raises:
        StudyError: an argument breaks its rule, or the search space has no points.

    Example:
        >>> from pyatf import TP, Interval
        >>> tile = TP("tile", Interval(1, 8))
        >>> unroll = TP("unroll", Interval(1, 8), lambda unroll, tile: tile % unroll == 0)
        >>> technique = TunepassTechnique([tile, unroll], seed=0)
        >>> technique.study.space.size
        20
    """

    def __init__(
        self,
        search_space: SearchSpace | Sequence[TP],
        *,
        seed: int | None = None,
        strategy: str | Factory = "auto",
        max_evals: int | None = None,
    ):
        self._seed = secrets.randbits(32) if seed is None else validation.valid_seed(seed)
        listed_space = _search_space(search_space)
        self._size = int(listed_space.constrained_size)
        indices = self._listed()
        points = [_point(listed_space.get_configuration(index)) for index in indices]
        space = Space.from_table(points)
        self._index_of = dict(zip(points, indices))
        self._configurations = dict(zip(indices, points))
        objectives = [Objective("cost")]
        self.study = Study(space, objectives, seed=self._seed, strategy=strategy, max_evals=max_evals, repeats=False)

    def _listed(self) -> list[int]:
        """The indices of the points that are searched."""
        if self._size <= MOST_POINTS:
            return list(range(self._size))
        warnings.warn(f"of {self._size:,} points {MOST_POINTS:,} are searched, which are drawn at random", stacklevel=3)
        random, drawn = Random(self._seed), dict[int, None]()
        while len(drawn) < MOST_POINTS:
            drawn[random.randrange(self._size)] = None
        return list(drawn)

    def initialize(self, search_space_size: int) -> None:
        """Begin.

        Raises:
            StudyError: the tuner searches another space.
        """
        if search_space_size != self._size:
            raise StudyError(
                f"the tuner searches {search_space_size} points, the technique {self._size}",
                hint="give both the same SearchSpace: tuner.tuning_parameters takes its parameters, in their order",
            )

    def finalize(self) -> None:
        """End; what was suggested last may have no cost."""

    def get_next_indices(self) -> set[int]:
        """The next point; one that was tried once all were."""
        suggested = self.study.suggest()
        if suggested:
            return {self._index_of[suggested[0]]}
        again = np.random.default_rng([self._seed, len(self.study.trials)]).integers(len(self._index_of))
        return {list(self._configurations)[again]}

    def report_costs(self, costs: dict[int, float | None]) -> None:
        """Take in the costs of points; None is an invalid one."""
        known = {trial.configuration for trial in self.study.trials} if costs else set()
        for index, cost in costs.items():
            configuration, number = self._configurations[index], as_real(cost)
            outcome: Outcome = Failed("run", f"the cost is {cost}")
            if number is not None and is_finite(number):
                outcome = Measured({"cost": number})
            self.study.observe(configuration, outcome, again=configuration in known)


def _search_space(given: object) -> SearchSpace:
    """The search space as it is, or that of parameters."""
    space = given
    if isinstance(given, Sequence) and given and all(isinstance(each, TP) for each in given):
        space = SearchSpace(*given, enable_1d_access=True, verbosity=0)
    if isinstance(space, SearchSpace) and space.constrained_size and space._1d_access_enabled:
        return space
    empty = isinstance(space, SearchSpace) and not space.constrained_size
    raise StudyError(
        "the search space has no points"
        if empty
        else f"parameters or a search space of pyATF is searched, got {given!r}",
        hint="write TunepassTechnique([tile, unroll]), or SearchSpace(..., enable_1d_access=True)",
    )


def _point(values: Mapping[str, object]) -> Configuration:
    """A point with a text in place of each value that is none of a parameter's, such as a list."""
    plain = {name: as_scalar(value) for name, value in values.items()}
    return Configuration(
        {name: value if isinstance(value, (bool, int, float, str)) else repr(value) for name, value in plain.items()}
    )
