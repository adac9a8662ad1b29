"""What seems idle in a configuration, by drawn effects: of hundreds of flags most do nothing, and trials say which.

Putting dozens of changed parameters back by halves is a bisection that every one that matters sends wrong. The process
of effects of parameters and of pairs of them (tunepass.surrogates.pairs) knows from all trials which are likely to
matter, alone and together: what it would give away least for is put back, one after the other, and what comes out,
measured, tells it where it was wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.space.configuration import Configuration
from tunepass.space.features.encoding import Encoding
from tunepass.space.neighbourhood import Neighbourhood
from tunepass.space.space import Space
from tunepass.strategies.bo.pair_draws import PairDraws, PairDrawSettings
from tunepass.strategies.transforms import log_scale
from tunepass.surrogates.pairs import Effects


@dataclass(frozen=True, slots=True, kw_only=True)
class TrimSettings:
    """`draws` are averaged; what is put back loses `loss` by their mean at most, in units of the log scale (0.005 is
    half a percent), or of the losses where they have none."""

    draws: int = 8
    loss: float = 0.005


class Trimming:
    """`Trimming(space, configurations, losses).idle(configuration)`, given measured configurations and their losses."""

    def __init__(
        self,
        space: Space,
        configurations: Sequence[Configuration],
        losses: Sequence[float],
        settings: TrimSettings | None = None,
    ):
        self.space, self.settings = space, settings or TrimSettings()
        self._columns, self._seed = space.columns(configurations), len(configurations)
        self._loss = np.ascontiguousarray(log_scale(np.array(losses)[:, None])[:, 0])
        self._process = PairDraws(Encoding(space), Neighbourhood(space), PairDrawSettings(least_share=1.0))

    def idle(self, start: Configuration, draw: int = 0) -> list[str]:
        """Parameters of `start` to put back at their defaults together, those first that seem to bring least; another
        `draw` may say otherwise."""
        default = self.space.defaults
        names = [name for name, value in default.items() if start.get(name, value) != value]
        if not names:
            return []
        put_back = [self.space.completed({**start, name: default[name]}) for name in names]
        row, *others = self._process.rows(self.space.columns([start, *put_back]))
        left, idle, current = dict(zip(names, others)), list[str](), row
        effects, spread = self._mean_effects(draw), float(self._loss.std())
        before = float(effects(row[None])[0])
        while left:
            rows = np.array([np.where(other != row, other, current) for other in left.values()])
            lost = (effects(rows) - before) * spread
            least = int(lost.argmin())
            if lost[least] > self.settings.loss:
                break
            idle.append(list(left)[least])
            current = rows[least]
            del left[idle[-1]]
        return idle

    def _mean_effects(self, draw: int) -> Effects:
        """On losses scaled to deviation 1."""
        rng = np.random.default_rng([self._seed, draw])
        draws = [self._process.draw(self._columns, self._loss, rng) for _ in range(self.settings.draws)]
        single = np.mean([effects.single for effects in draws], axis=0)
        joint = np.mean([effects.joint for effects in draws], axis=0)
        return Effects(single, joint, draws[0].columns)
