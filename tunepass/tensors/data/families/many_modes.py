"""Tensors of any number of modes: uniform ones, and some with the extents and skews of FROSTT's and others' (BaCO,
Table 4), at a scale."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunepass.tensors.data.families.base import Family, Pattern, cumulated, drawn, from_keys
from tunepass.tensors.data.stored import Int64s

SMALL_MODE = 100  # modes below keep their extent at every scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform(Family):
    """Entries anywhere; of the extents as many are used as there are modes."""

    modes: ClassVar[tuple[int, ...]] = (1, 2, 3, 4)
    rows: int = 2_000
    columns: int = 2_000
    layers: int = 100
    slices: int = 10
    nonzeros: int = 250_000

    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        extents = (self.rows, self.columns, self.layers, self.slices)[:modes]
        places = math.prod(extents)
        nonzeros = min(self.nonzeros, places)
        if places <= 4 * nonzeros:
            keys = rng.permutation(places)[:nonzeros].astype(np.int64)
        else:
            keys = distinct(nonzeros, lambda count: rng.integers(0, places, count), rng)
        return from_keys(extents, keys)

    def problem(self) -> str | None:
        if self.rows * self.columns * self.layers * self.slices >= 2**62:
            return "the product of the extents is below 2^62"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled(Family):
    """A tensor of `scale` times the entries of a known one, about as dense: its larger modes shrink alike."""

    full_extents: ClassVar[tuple[int, ...]]
    full_nonzeros: ClassVar[int]
    scale: float = 0.1

    def pattern(self, modes: int, rng: np.random.Generator) -> Pattern:
        full = self.full_extents_of(modes)
        large = sum(extent >= SMALL_MODE for extent in full)
        shrink = self.scale ** (1 / large)
        extents = tuple(max(round(e * shrink), 2) if e >= SMALL_MODE else e for e in full)
        nonzeros = min(round(self.full_nonzeros_of(modes) * self.scale), math.prod(extents) // 4)

        def draw(count: int) -> Int64s:
            return np.ravel_multi_index(tuple(self.places(extents, count, rng)), extents).astype(np.int64)

        return from_keys(extents, distinct(nonzeros, draw, rng))

    def full_extents_of(self, modes: int) -> tuple[int, ...]:
        return self.full_extents

    def full_nonzeros_of(self, modes: int) -> int:
        return self.full_nonzeros

    @abstractmethod
    def places(self, extents: tuple[int, ...], count: int, rng: np.random.Generator) -> list[Int64s]:
        """So many places, by mode, some perhaps alike."""

    def problem(self) -> str | None:
        return None if 0 < self.scale <= 4 else "0 < scale <= 4 must hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Uber(Scaled):
    """Pick-ups by day, hour, latitude and longitude: hours and days are uneven, places crowd in a city's middle.
    Without the hours it has three modes."""

    modes = (3, 4)
    full_extents = (183, 24, 1140, 1717)
    full_nonzeros = 3_309_490

    def full_extents_of(self, modes: int) -> tuple[int, ...]:
        return self.full_extents if modes == 4 else (self.full_extents[0], *self.full_extents[2:])

    def full_nonzeros_of(self, modes: int) -> int:
        return self.full_nonzeros if modes == 4 else 1_117_629

    def places(self, extents: tuple[int, ...], count: int, rng: np.random.Generator) -> list[Int64s]:
        *times, latitude, longitude = extents
        uneven = [waves(extent, count, rng) for extent in times]
        return [*uneven, crowded(latitude, count, rng), crowded(longitude, count, rng)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nips(Scaled):
    """Words of papers by paper, author, word and year: a paper has one year and few authors, words are Zipf's."""

    modes = (4,)
    full_extents = (2482, 2862, 14036, 17)
    full_nonzeros = 3_101_609

    def places(self, extents: tuple[int, ...], count: int, rng: np.random.Generator) -> list[Int64s]:
        papers, authors, words, years = extents
        paper = rng.integers(0, papers, count)
        author = (paper * 7919 + zipf(3, count, 1.0, rng) * 104_729) % authors
        return [paper, author, zipf(words, count, 0.8, rng), paper * years // papers]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chicago(Scaled):
    """Crimes by day, hour, community and type: types are skewed most, hours come in waves."""

    modes = (4,)
    full_extents = (6186, 24, 77, 32)
    full_nonzeros = 5_330_673

    def places(self, extents: tuple[int, ...], count: int, rng: np.random.Generator) -> list[Int64s]:
        days, hours, communities, types = extents
        day, hour = rng.integers(0, days, count), waves(hours, count, rng)
        return [day, hour, zipf(communities, count, 0.5, rng), zipf(types, count, 1.0, rng)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facebook(Scaled):
    """Wall posts by day, writer and owner: more on later days, people are active by a power law."""

    modes = (3,)
    full_extents = (1504, 42390, 39986)
    full_nonzeros = 737_934
    scale: float = 0.5

    def places(self, extents: tuple[int, ...], count: int, rng: np.random.Generator) -> list[Int64s]:
        days, writers, owners = extents
        day = (days * rng.random(count) ** 0.4).astype(np.int64)
        writer = zipf(writers, count, 0.6, rng)
        friend = (writer * 31 + zipf(200, count, 0.7, rng) * 7907) % owners  # few write to few
        return [day, writer, friend]


def distinct(count: int, draw: Callable[[int], Int64s], rng: np.random.Generator) -> Int64s:
    """So many distinct keys, fewer where draws keep giving the same ones."""
    keys = np.zeros(0, np.int64)
    for _ in range(30):
        missing = count - keys.size
        if missing <= 0:
            break
        keys = np.unique(np.concatenate([keys, draw(missing + missing // 4 + 8)]))
    return rng.permutation(keys)[:count]


def zipf(extent: int, count: int, exponent: float, rng: np.random.Generator) -> Int64s:
    """Indices whose frequencies fall as a power of their rank; ranks are scattered over the mode."""
    ranks = drawn(cumulated(np.arange(1, extent + 1) ** -exponent), count, rng)
    return np.random.Generator(np.random.PCG64(extent)).permutation(extent)[ranks].astype(np.int64)


def waves(extent: int, count: int, rng: np.random.Generator) -> Int64s:
    """Indices with a busy and a quiet time."""
    return drawn(cumulated(1 + 0.7 * np.sin(2 * np.pi * np.arange(extent) / extent)), count, rng)


def crowded(extent: int, count: int, rng: np.random.Generator) -> Int64s:
    """Indices most of which are near the middle."""
    distance = (np.arange(extent) - extent / 2) / (extent / 12)
    return drawn(cumulated(1 / (1 + distance**2)), count, rng)
