"""Matrices with entries near the diagonal, or at few distances from it: discretised equations, chains of states."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from tunepass.tensors.data.families.base import Family, Pattern, from_keys
from tunepass.tensors.data.stored import Int64s


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh(Family):
    """Finite elements on a grid of 2 or 3 dimensions, like filter3D (25 entries a row) or laminar_duct3D (56): a point
    is coupled to those nearest to it; numbers within a stretch of the grid are shuffled."""

    rows: int = 16_000
    nonzeros: int = 400_000
    dimensions: int = 3

    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        side = max(round(self.rows ** (1 / self.dimensions)), 1)
        points = np.stack(np.unravel_index(np.arange(self.rows), (2 * side + 8, *(side,) * (self.dimensions - 1))))
        shape = (int(points[0].max()) + 1, *(side,) * (self.dimensions - 1))
        number = np.argsort(np.arange(self.rows) + rng.random(self.rows) * min(side, 64))
        keys = [np.zeros(0, np.int64)]
        for offset in _nearest(self.dimensions, max(self.nonzeros // self.rows, 1)):
            other = points + np.array(offset)[:, None]
            inside = np.all((other >= 0) & (other < np.array(shape)[:, None]), axis=0)
            target = np.ravel_multi_index(tuple(other[:, inside]), shape)
            existing = target < self.rows
            keys.append(number[np.flatnonzero(inside)[existing]] * self.rows + number[target[existing]])
        return from_keys((self.rows, self.rows), np.concatenate(keys))

    def problem(self) -> str | None:
        if self.dimensions not in (2, 3):
            return "a mesh has 2 or 3 dimensions"
        return None if self.nonzeros <= 500 * self.rows else "nonzeros <= 500 * rows must hold"


def _nearest(dimensions: int, count: int) -> list[tuple[int, ...]]:
    """The nearest offsets of a grid, with each its opposite; about so many."""
    reach = math.ceil(count ** (1 / dimensions) / 2) + 1
    offsets = list(itertools.product(range(-reach, reach + 1), repeat=dimensions))
    offsets.sort(key=lambda offset: (sum(x * x for x in offset), max(offset, tuple(-x for x in offset)), offset))
    return offsets[: count + (1 - count % 2)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Banded(Family):
    """Entries at random within `band` of the diagonal, which is full."""

    rows: int = 20_000
    nonzeros: int = 400_000
    band: int = 100

    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        i = rng.integers(0, self.rows, int(self.nonzeros * 1.1))
        j = i + rng.integers(-self.band, self.band + 1, i.size)
        inside = (j >= 0) & (j < self.rows)
        keys = rng.permutation(np.unique((i * self.rows + j)[inside]))[: max(self.nonzeros - self.rows, 0)]
        diagonal = np.arange(self.rows) * (self.rows + 1)
        return from_keys((self.rows, self.rows), np.union1d(keys, diagonal))

    def problem(self) -> str | None:
        return None if self.band >= 1 else "band >= 1 must hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dna(Family):
    """A walk of polymer states, like the cage matrices (van Heukelum et al. 2002): a state is a word of three letters,
    and from it a letter moves to the next; 16 entries a row, at distances that are powers of three."""

    rows: int = 26_000

    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        states = np.arange(self.rows)
        keys: list[Int64s] = [states * (self.rows + 1)]
        step = 1
        while step < self.rows:
            letter = states // step % 3
            for move in (-1, 1):
                source = states[(letter + move >= 0) & (letter + move < 3) & (states + move * step < self.rows)]
                keys.append(source * self.rows + source + move * step)
            step *= 3
        return from_keys((self.rows, self.rows), np.concatenate(keys))
