"""tunepass as a search technique of pyATF."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import numpy as np

from tunepass.diagnostics import StudyError
from tunepass.integrations.packages import package
from tunepass.space.configuration import Configuration
from tunepass.space.plain_values import as_real, is_finite
from tunepass.space.space import Space
from tunepass.study import validation
from tunepass.study.objective import Objective
from tunepass.study.outcome import Failed, Measured, Outcome
from tunepass.study.study import Study
from tunepass.study.task import Factory

if TYPE_CHECKING:
    from pyatf.search_space import SearchSpace
    from pyatf.search_techniques.search_technique_1d import SearchTechnique1D
else:
    door = {"extra": "pyatf", "door": "tunepass.integrations.pyatf"}
    SearchTechnique1D = package("pyatf.search_techniques.search_technique_1d", **door).SearchTechnique1D

MOST_POINTS = 1 << 20  # of a search space, which are listed


class TunepassTechnique(SearchTechnique1D):  # type: ignore[misc]
    """Searches the points of a pyATF search space as a tunepass.Study does. Invalid costs are failures it learns from.

    Args:
        search_space: the one that the tuner searches, made with `enable_1d_access=True`.
        seed: of every random choice; None: another one each time.
        strategy: of tunepass, by name, or a function of a Task.
        max_evals: how many evaluations are planned, if that is known.

    Raises:
        StudyError: an argument breaks its rule, or the search space has more than 2^20 points or none.

    Example:
        >>> from pyatf import TP, Interval
        >>> from pyatf.search_space import SearchSpace
        >>> tile = TP("tile", Interval(1, 8))
        >>> unroll = TP("unroll", Interval(1, 8), lambda unroll, tile: tile % unroll == 0)
        >>> technique = TunepassTechnique(SearchSpace(tile, unroll, enable_1d_access=True, verbosity=0), seed=0)
        >>> technique.study.space.size
        20
    """

    def __init__(
        self,
        search_space: SearchSpace,
        *,
        seed: int | None = None,
        strategy: str | Factory = "auto",
        max_evals: int | None = None,
    ):
        size = getattr(search_space, "constrained_size", None)
        if not isinstance(size, int) or not 0 < size <= MOST_POINTS:
            raise StudyError(
                f"a search space of pyATF with 1 to {MOST_POINTS:,} points is searched, got {size or search_space!r}",
                hint="write SearchSpace(*parameters, enable_1d_access=True)",
            )
        self._size = size
        points = [Configuration(dict(search_space.get_configuration(index))) for index in range(size)]
        space = Space.from_table(points)
        self._index_of = {validation.valid_configuration(space, point): i for i, point in enumerate(points)}
        self._configurations = list(self._index_of)
        self._seed = secrets.randbits(32) if seed is None else validation.valid_seed(seed)
        objectives = [Objective("cost")]
        self.study = Study(space, objectives, seed=self._seed, strategy=strategy, max_evals=max_evals, repeats=False)

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
        return {int(np.random.default_rng([self._seed, len(self.study.trials)]).integers(self._size))}

    def report_costs(self, costs: dict[int, float | None]) -> None:
        """Take in the costs of points; None is an invalid one."""
        known = {trial.configuration for trial in self.study.trials} if costs else set()
        for index, cost in costs.items():
            configuration, number = self._configurations[index], as_real(cost)
            outcome: Outcome = Failed("run", f"the cost is {cost}")
            if number is not None and is_finite(number):
                outcome = Measured({"cost": number})
            self.study.observe(configuration, outcome, again=configuration in known)
