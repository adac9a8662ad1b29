"""Problems of many compiler flags: few matter, some of those together, and the optimum is known.

    log time = sum_i a_i x_i + sum_jk b_jk x_j x_k,     x_i in {0, 1}

`ACTIVE` flags have effects and all of the interactions, so the optimum is found by trying those; the others have small
effects of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.space.configuration import Configuration
from tunepass.space.parameter import Categorical
from tunepass.space.space import Space
from tunepass.study.objective import Objective
from tunepass.study.outcome import Measured, Outcome

Floats = NDArray[np.float64]
ACTIVE, INTERACTIONS = 14, 16
MAIN, JOINT, SMALL = 0.06, 0.05, 0.001  # deviations of the logarithm
SIZES, DRAWS, MARKS = (60, 120), (0, 1, 2), (50, 100, 200)


@dataclass(frozen=True, slots=True, eq=False)
class FlagProblem:
    """`price` of a configuration: its time, as a share of the time with every flag off."""

    name: str
    space: Space
    main: Floats  # (d,)
    pairs: NDArray[np.int64]  # (k, 2)
    joint: Floats  # (k,)
    optimum: float

    @classmethod
    def of(cls, flags: int, draw: int) -> FlagProblem:
        rng = np.random.default_rng([0x666C616773, flags, draw])
        active = rng.choice(flags, ACTIVE, replace=False)
        main = rng.normal(0, SMALL, flags)
        main[active] = rng.normal(0, MAIN, ACTIVE)
        pairs = np.array([rng.choice(active, 2, replace=False) for _ in range(INTERACTIONS)])
        joint = rng.normal(0, JOINT, INTERACTIONS)
        on = (np.arange(1 << ACTIVE)[:, None] >> np.arange(ACTIVE) & 1).astype(np.float64)
        place = {int(flag): i for i, flag in enumerate(active)}
        logs = on @ main[active]
        for (j, k), effect in zip(pairs, joint):
            logs += effect * on[:, place[int(j)]] * on[:, place[int(k)]]
        others = np.setdiff1d(np.arange(flags), active)
        least = float(logs.min() + np.minimum(main[others], 0).sum())
        space = Space([Categorical(f"f{i}", [False, True]) for i in range(flags)])
        return cls(f"flags{flags}/{draw}", space, main, pairs, joint, float(np.exp(least)))

    def price(self, configuration: Configuration) -> Outcome:
        on = np.array([bool(configuration[f"f{i}"]) for i in range(len(self.main))], np.float64)
        log_time = on @ self.main + (self.joint * on[self.pairs[:, 0]] * on[self.pairs[:, 1]]).sum()
        return Measured({"time": float(np.exp(log_time))})

    @property
    def objective(self) -> Objective:
        return Objective("time")
