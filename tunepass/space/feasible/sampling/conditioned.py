"""Feasible rows drawn one parameter after the other, each from the range that the constraints leave given those before.

symbol       shape    meaning
position     (n, d)   coordinates in [0, 1] of n particles along d parameters
weight       (n,)     product of the lengths of the ranges that a particle was drawn from
prefix       n rows   values of the listed parameters of each particle

A particle's weight makes up for the ranges: weighted particles are uniform over the feasible set, and particles are
resampled in proportion to weight (sequential importance resampling; Doucet, Godsill and Andrieu 2000). They are then
moved along lines, each to a point drawn uniformly from a part of the line that shrinks towards the particle until the
point is feasible (slice sampling with shrinkage: Neal 2003; hit-and-run: Smith 1984). Lines run along one parameter or
along the difference of two particles of the other half (ter Braak 2006), so that thin sets of any direction are walked.
The moves leave the uniform distribution as it is. Rows are therefore near uniform over the feasible set, with an error
that no bound is known for: how near depends on the number of particles and of moves, and on the set being connected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.diagnostics import ExpressionError
from tunepass.expr import nodes
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.space.columns import Column, Columns, Indices, Mask, join, keys, length, take
from tunepass.space.feasible.diagram.diagram import dedupe
from tunepass.space.feasible.masks import met
from tunepass.space.feasible.ranges.bounds import TermRange
from tunepass.space.feasible.ranges.box_search import resample
from tunepass.space.feasible.ranges.contraction import Contraction, Ranges
from tunepass.space.feasible.ranges.coordinates import Coordinates
from tunepass.space.parameter import Integer, Real
from tunepass.space.prior import Floats

PARTICLES = 1024
FEWEST_PARTICLES = 64  # where constraints are long
WORK = 1 << 24  # nodes visited for a particle, in one pass over all parameters
MOST_PARTICLES = 1 << 14  # in a pass after one without any feasible particle
PASSES = 4  # over all parameters, until a quarter of the particles is feasible
BELOW_ONE = float(np.nextafter(1.0, 0.0))
SHRINKAGES = 24  # points tried of a line
FIRST_MOVES, MOVES = 10, 2  # of each particle for each parameter: before the first draw, and for every draw
MOST_FIRST, MOST_MOVES = 400, 64
ANEW = 16  # passes that add rows to those of particles that the moves leave where they are
LEAST_MOVED = 0.25  # of the particles: where the moves change fewer, others are drawn parameter by parameter
Prefixes = Callable[[int, np.random.Generator], Columns]


@dataclass(frozen=True, slots=True)
class Particles:
    """Rows of listed parameters, positions (n, d) and logarithms of weights (n,)."""

    prefix: Columns
    position: Floats
    log_weight: Floats

    @classmethod
    def none(cls, prefix: Columns, coordinates: int) -> Particles:
        return cls(prefix, np.empty((0, coordinates)), np.empty(0))


class ConditionedSampler:
    """Rows of `parameters` and of listed ones that meet `expressions`; `prefixes` draws rows of the listed ones, and is
    None where there are none. `prior`: by the parameters' priors."""

    def __init__(
        self,
        parameters: Sequence[Real | Integer],
        expressions: Sequence[nodes.Expr],
        prefixes: Prefixes | None,
        *,
        prior: bool,
    ):
        self.coordinates = Coordinates(parameters, prior=prior)
        self.expressions, self.prefixes = tuple(expressions), prefixes
        self._program = CompiledExpressions(self.expressions)
        self.contraction = Contraction(expressions, self.coordinates.names)
        work = max(1, self.contraction.nodes * len(parameters))
        self.particles = max(FEWEST_PARTICLES, min(PARTICLES, WORK // work))
        self._population: tuple[Columns, Floats] | None = None

    def draw(self, n: int, rng: np.random.Generator) -> Columns:
        """About n feasible rows of all names, near uniform; fewer where no more are found."""
        prefix, position = self._settled()
        if not len(position):
            return self.rows(prefix, position)
        moves = min(MOST_MOVES, MOVES * len(self.coordinates))
        parts: list[Columns] = []
        for start in range(0, n, len(position)):
            pick = rng.permutation(len(position))[: n - start]
            moved = self._moved(take(prefix, pick), position[pick], moves, rng, others=position)
            parts.append(self.rows(take(prefix, pick), moved))
            before = self.rows(take(prefix, pick), position[pick])
            if np.any(keys(parts[-1]) != keys(before), axis=1).mean() < LEAST_MOVED:
                return self._anew(parts[-1], n, rng)
        return join(parts)

    def _anew(self, rows: Columns, n: int, rng: np.random.Generator) -> Columns:
        """Distinct rows, some of them drawn parameter by parameter: of solutions that lie apart no line leads on."""
        distinct = take(rows, dedupe(keys(rows))[1])
        for _ in range(ANEW):
            if length(distinct) >= n:
                break
            particles = self._pass(MOST_PARTICLES, rng)
            both = join([distinct, self.rows(particles.prefix, particles.position)])
            distinct = take(both, dedupe(keys(both))[1])
        return take(distinct, rng.permutation(length(distinct)))

    def rows(self, prefix: Columns, position: Floats) -> Columns:
        """The rows of particles."""
        return {**prefix, **self.coordinates.columns(position)}

    def _settled(self) -> tuple[Columns, Floats]:
        """Particles that every draw starts from: the same whatever was drawn before."""
        if self._population is None:
            rng = np.random.default_rng(0)
            prefix, position = self._particles(rng)
            if len(position):
                pick = np.arange(self.particles) % len(position)
                prefix, position = take(prefix, pick), position[pick]
                position = self._moved(
                    prefix, position, min(MOST_FIRST, FIRST_MOVES * len(self.coordinates)), rng, others=position
                )
            self._population = prefix, position
        return self._population

    # -- particles drawn parameter by parameter

    def _particles(self, rng: np.random.Generator) -> tuple[Columns, Floats]:
        """Feasible particles, resampled by weight; none where no pass has any."""
        passes: list[Particles] = []
        for number in range(PASSES):
            many = self.particles << (2 * number if not passes else 0)
            latest = self._pass(min(many, max(self.particles, MOST_PARTICLES)), rng)
            passes += [latest] if len(latest.position) else []
            if 4 * sum(len(p.position) for p in passes) >= self.particles:
                break
        if not passes:
            return latest.prefix, latest.position
        prefix, position = join([p.prefix for p in passes]), np.concatenate([p.position for p in passes])
        log_weight = np.concatenate([p.log_weight for p in passes])
        pick = resample(np.exp(log_weight - log_weight.max()), max(len(position), self.particles // 4), rng)
        return take(prefix, pick), position[pick]

    def _pass(self, n: int, rng: np.random.Generator) -> Particles:
        """Feasible ones of n particles that are drawn in one order of the parameters."""
        prefix = self._listed(n, rng)
        if prefix is None:
            return Particles.none(self._listed_columns(rng), len(self.coordinates))
        known = self.contraction.known(prefix, n)
        box: Ranges = {c.parameter.name: c.whole(n) for c in self.coordinates.each}
        position, log_weight = np.zeros((n, len(self.coordinates))), np.zeros(n)
        for i in rng.permutation(len(self.coordinates)):
            coordinate = self.coordinates.each[i]
            possible = self.contraction.contract(box, known, n)
            a, b = coordinate.interval(box[coordinate.parameter.name])
            with np.errstate(divide="ignore"):
                log_weight += np.where(possible & (b >= a), np.log(np.maximum(b - a, 1e-300)), -np.inf)
            if not np.isfinite(log_weight).any():
                return Particles.none(take(prefix, slice(0, 0)), len(self.coordinates))
            position[:, i] = np.clip(a + rng.random(n) * (b - a), 0.0, BELOW_ONE)
            value = coordinate.values(position[:, i]).astype(np.float64)
            box[coordinate.parameter.name] = TermRange(value, value, False)
            weight = np.exp(log_weight - log_weight.max())
            if weight.sum() ** 2 < 0.5 * n * (weight**2).sum():
                pick = resample(weight, n, rng)
                prefix, position = take(prefix, pick), position[pick]
                log_weight = np.full(n, log_weight.max() + np.log(weight.mean()))
                known = {key: values[pick] for key, values in known.items()}
                box = {name: TermRange(_rows(r.lo, pick), _rows(r.hi, pick), False) for name, r in box.items()}
        feasible = np.flatnonzero(self.met(self.rows(prefix, position), n) & np.isfinite(log_weight))
        return Particles(take(prefix, feasible), position[feasible], log_weight[feasible] - np.log(n))

    def _listed(self, n: int, rng: np.random.Generator) -> Columns | None:
        """n rows of the listed parameters; None where none is found."""
        if self.prefixes is None:
            return {}
        drawn = self.prefixes(n, rng)
        if not length(drawn):
            return None
        return drawn if length(drawn) == n else take(drawn, rng.integers(length(drawn), size=n))

    def _listed_columns(self, rng: np.random.Generator) -> Columns:
        return {} if self.prefixes is None else take(self.prefixes(1, rng), slice(0, 0))

    def met(self, rows: Columns, n: int) -> Mask:
        """Mask of the rows (n,) that meet all expressions."""
        try:
            return self._program.satisfied(rows, n)
        except ExpressionError:  # an integer overflows in some row: there its expression does not hold
            return met(self.expressions, rows, n)

    # -- particles moved along lines

    def _moved(self, prefix: Columns, position: Floats, moves: int, rng: np.random.Generator, others: Floats) -> Floats:
        """The particles after `moves` moves of each; `others` (m, d) give directions."""
        position, n = position.copy(), len(position)
        for number in range(moves):
            direction = np.zeros_like(position)
            direction[np.arange(n), rng.integers(position.shape[1], size=n)] = 1.0
            if number % 2 and len(others) > 2:
                a, b = rng.integers(len(others), size=(2, n))
                across = others[a] - others[b]
                apart = np.any(across != 0, axis=1)
                direction[apart] = across[apart]
            self._move(prefix, position, direction, rng)
        return position

    def _move(self, prefix: Columns, position: Floats, direction: Floats, rng: np.random.Generator) -> None:
        """Each particle to a feasible point drawn from its line, in place."""
        with np.errstate(divide="ignore", invalid="ignore"):
            to_low, to_high = -position / direction, (1.0 - position) / direction
        still = direction == 0
        low = np.where(still, -np.inf, np.minimum(to_low, to_high)).max(axis=1)
        high = np.where(still, np.inf, np.maximum(to_low, to_high)).min(axis=1)
        left = np.arange(len(position))
        for _ in range(SHRINKAGES):
            step = low[left] + rng.random(len(left)) * (high[left] - low[left])
            point = np.clip(position[left] + step[:, None] * direction[left], 0.0, BELOW_ONE)
            feasible = self.met(self.rows(take(prefix, left), point), len(left))
            position[left[feasible]] = point[feasible]
            low[left[~feasible & (step < 0)]] = step[~feasible & (step < 0)]
            high[left[~feasible & (step >= 0)]] = step[~feasible & (step >= 0)]
            left = left[~feasible]
            if not len(left):
                break


def _rows(ends: Column | float, pick: Indices) -> Floats:
    return np.asarray(ends, np.float64)[pick]
