"""Several runs as one value: the weighted mean over inputs, arithmetic or geometric, or the worst of them.

| symbol | meaning |
|---|---|
| v_i, w_i | value and weight of input i |
| d_i, d | the default's value of input i; its weighted mean |

mean: sum(w_i v_i) / sum(w_i). geometric mean: exp(sum(w_i log v_i) / sum(w_i)). worst: the worst of v_i d / d_i, which
is the default's mean for the default itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.ir.application import Over
from tunepass.study.objective import Objective

Values = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class OverInputs:
    """`default` are the default's values, known once it has run; without them the worst is that of the values as they
    are."""

    objectives: tuple[Objective, ...]
    weights: tuple[float, ...] = (1.0,)
    over: Over = "mean"

    def undefined(self, values: Sequence[Values]) -> str | None:
        """The reason why the values of all inputs cannot be combined; None if they can."""
        if self.over == "geometric mean":
            for objective in self.objectives:
                if (least := min(v[objective.name] for v in values)) <= 0:
                    return f"a geometric mean is of positive values, and {objective.name} is {least:g} for an input"
        return None

    def combined(self, values: Sequence[Values], default: Sequence[Values] = ()) -> dict[str, float]:
        """Values of all inputs, combined."""
        return {o.name: self._combined(o, [v[o.name] for v in values], default) for o in self.objectives}

    def least(self, values: Sequence[float], default: Sequence[Values] = ()) -> float:
        """What the first objective, a time, has at least, after the first inputs took `values`."""
        if self.over == "worst":
            return max(v * s for v, s in zip(values, self._scales(self.objectives[0].name, default)))
        if self.over == "geometric mean":
            return 0.0  # however long these took: the next may take none
        return math.fsum(w * v for w, v in zip(self.weights, values)) / math.fsum(self.weights)

    def allowed(self, limit: float, values: Sequence[float], default: Sequence[Values] = ()) -> float:
        """What the next input may take until the first objective, a time, has come to `limit`."""
        place = len(values)
        if self.over == "geometric mean":
            return math.inf
        if self.over == "worst":
            return limit / self._scales(self.objectives[0].name, default)[place]
        spent = math.fsum(w * v for w, v in zip(self.weights, values))
        return (limit * math.fsum(self.weights) - spent) / self.weights[place]

    def _combined(self, objective: Objective, values: Sequence[float], default: Sequence[Values]) -> float:
        if self.over == "mean":
            return self._mean(values)
        if self.over == "geometric mean":
            return math.exp(self._mean([math.log(value) for value in values]))
        scaled = [v * s for v, s in zip(values, self._scales(objective.name, default))]
        return max(scaled, key=objective.loss)

    def _mean(self, values: Sequence[float]) -> float:
        return math.fsum(w * v for w, v in zip(self.weights, values)) / math.fsum(self.weights)

    def _scales(self, name: str, default: Sequence[Values]) -> list[float]:
        """d / d_i."""
        known = [values[name] for values in default]
        if not known or not all(known):
            return [1.0] * len(self.weights)
        return [self._mean(known) / value for value in known]
