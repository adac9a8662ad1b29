"""Matrices of networks: power grids, circuits, people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunepass.tensors.data.families.base import Family, Pattern, cumulated, drawn, from_keys, symmetric


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerNetwork(Family):
    """The Jacobian of a power flow, like ACTIVSg10K: each branch of a network that is nearly a tree couples angle and
    magnitude of its two buses, which are numbered near each other."""

    rows: int = 60_000
    nonzeros: int = 408_000

    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        buses = max(self.rows // 2, 1)
        branches = max((self.nonzeros // 4 - buses) // 2, 0)
        child = np.concatenate([np.arange(1, buses), rng.integers(0, buses, max(branches - buses + 1, 0))])[:branches]
        near = np.exp(rng.random(child.size) * np.log(max(buses / 8, 2))).astype(np.int64)  # mostly near, some far
        pattern = symmetric(buses, child, np.abs(child - near) % buses, diagonal=True)
        i, j = pattern.indices
        blocks = [np.stack([i + a * buses, j + b * buses]) for a in (0, 1) for b in (0, 1)]
        return Pattern((2 * buses, 2 * buses), np.concatenate(blocks, axis=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Circuit(Family):
    """A circuit simulation, like scircuit: a full diagonal, few short connections per node, and `rails` nodes that many
    others are connected to."""

    rows: int = 80_000
    nonzeros: int = 450_000
    rails: int = 6

    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        pairs = max(self.nonzeros - self.rows, 0) // 2
        to_rails = min(pairs // 50, self.rows * self.rails)
        i = rng.integers(0, self.rows, pairs)
        distance = np.exp(rng.random(pairs) * np.log(max(self.rows / 20, 2))).astype(np.int64)
        j = np.abs(i - distance) % self.rows
        weights = 1.0 / np.arange(1, self.rails + 1)  # the first rail has the most
        j[:to_rails] = rng.permutation(self.rows)[drawn(cumulated(weights), to_rails, rng)] if to_rails else 0
        return symmetric(self.rows, i, j, diagonal=True)

    def problem(self) -> str | None:
        return None if 1 <= self.rails <= self.rows else "1 <= rails <= rows must hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Social(Family):
    """A social network like email-Enron: the chance of a link is the product of two weights that fall as a power law
    (Chung and Lu 2002), so that degrees do too, with this exponent."""

    rows: int = 37_000
    nonzeros: int = 370_000
    exponent: float = 2.0

    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        ranks = np.arange(self.rows) + 1.0 + self.rows / 2000
        people = rng.permutation(self.rows)
        distribution = cumulated(ranks ** (-1 / (self.exponent - 1)))
        keys = np.zeros(0, np.int64)
        for _ in range(20):  # links that are drawn again do not count
            missing = self.nonzeros // 2 - keys.size
            if missing <= 0:
                break
            i, j = (people[drawn(distribution, missing + missing // 4 + 8, rng)] for _ in range(2))
            low, high = np.minimum(i, j)[i != j], np.maximum(i, j)[i != j]
            keys = rng.permutation(np.unique(np.concatenate([keys, low * self.rows + high])))
        links = from_keys((self.rows, self.rows), keys[: self.nonzeros // 2])
        return symmetric(self.rows, links.indices[0], links.indices[1], diagonal=False)

    def problem(self) -> str | None:
        return None if 1.5 <= self.exponent <= 10 else "1.5 <= exponent <= 10 must hold"
