"""A family of tensors: its fields are its arguments, each with a default."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tunepass.tensors.data.stored import Int64s

MOST_EXTENT = 10_000_000
MOST_ENTRIES = 50_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """Pattern of entries: distinct places `indices[:, e]`, in any order."""

    extents: tuple[int, ...]
    indices: Int64s  # (modes, n)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family(ABC):
    """The same arguments give the same tensor. Bounds of arguments that are no counts are checked by `problem`."""

    modes: ClassVar[tuple[int, ...]] = (2,)  # of the tensors it has
    seed: int = 1

    @abstractmethod
    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        """The places of a tensor of so many modes."""

    def problem(self) -> str | None:
        """Problem of the arguments together, if there is one."""
        return None


def symmetric(extent: int, i: Int64s, j: Int64s, *, diagonal: bool) -> Pattern:
    """The matrix with entries at (i, j), at (j, i), and, if so, on its whole diagonal."""
    keys = [i * extent + j, j * extent + i]
    if diagonal:
        keys.append(np.arange(extent) * (extent + 1))
    return from_keys((extent, extent), np.unique(np.concatenate(keys)))


def from_keys(extents: tuple[int, ...], keys: Int64s) -> Pattern:
    """Places by their number, the last mode varying fastest."""
    return Pattern(extents, np.stack(np.unravel_index(keys, extents)).astype(np.int64))


def cumulated(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """The distribution function of weights, for `drawn`."""
    sums = np.cumsum(weights)
    return np.asarray(sums / sums[-1])


def drawn(distribution: NDArray[np.float64], count: int, rng: np.random.Generator) -> Int64s:
    """So many numbers, each drawn as the distribution says."""
    return np.searchsorted(distribution, rng.random(count), side="right").astype(np.int64)
