"""Optuna's distributions: parameters of tunepass for them, and values that they contain."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from tunepass.diagnostics import SpaceError
from tunepass.integrations.parameters import Foreign, categorical, identifier, place_of
from tunepass.space.configuration import Value
from tunepass.space.parameter import Integer, Parameter, Real


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A parameter of tunepass that stands for `distribution`, which is called `name` in Optuna."""

    name: str
    distribution: BaseDistribution
    parameter: Parameter

    def native(self, value: Foreign) -> Value | None:
        """The parameter's value; None for one that it does not have."""
        if isinstance(self.distribution, CategoricalDistribution):
            index = place(self.distribution, value)
            return None if index is None else self.parameter.domain[index]
        return self.parameter.canonical(value)

    def foreign(self, value: Value) -> Foreign:
        """The inverse of `native`."""
        if isinstance(self.distribution, CategoricalDistribution):
            return self.distribution.choices[self.parameter.domain.index(value)]
        return float(value) if isinstance(self.distribution, FloatDistribution) else value  # type: ignore[arg-type]


def counterpart(
    name: str, distribution: BaseDistribution, used_names: Collection[str], when: str | None = None
) -> Counterpart | None:
    """The counterpart of a distribution; None for one whose values tunepass cannot count, such as steps by the billion.

    Args:
        name: of the distribution.
        distribution: of more than one value.
        used_names: names of other parameters.
        when: the condition under which the parameter is active; None: always.
    """
    parameter = identifier(name, used_names)
    try:
        match distribution:
            case FloatDistribution():
                d = distribution
                native_parameter: Parameter = Real(parameter, d.low, d.high, step=d.step, log=d.log, when=when)
            case IntDistribution():
                d = distribution
                native_parameter = Integer(parameter, d.low, d.high, step=d.step, log=d.log, when=when)
            case CategoricalDistribution():
                native_parameter = categorical(parameter, distribution.choices, when)
            case _:
                return None
    except SpaceError:
        return None
    return Counterpart(name, distribution, native_parameter)


def hull(first: BaseDistribution, second: BaseDistribution) -> BaseDistribution:
    """The smallest distribution of the same kind that has the values of both; `first` if it is another kind."""
    if first == second or type(first) is not type(second) or isinstance(first, CategoricalDistribution):
        return first
    low, high = min(first.low, second.low), max(first.high, second.high)
    alike = first.step == second.step and first.low == second.low
    if isinstance(first, IntDistribution):
        return IntDistribution(low, high, log=first.log, step=first.step if alike else 1)
    return FloatDistribution(low, high, log=first.log, step=first.step if alike else None)


def contains(distribution: BaseDistribution, value: Foreign) -> bool:
    """Is it one of the values of the distribution, in its type?"""
    if isinstance(distribution, CategoricalDistribution):
        return place(distribution, value) is not None
    return value is not None and nearest(distribution, value) == value


def nearest(distribution: BaseDistribution, value: Foreign) -> Foreign | None:
    """The value of the distribution that is nearest to a number, or the choice that equals it; None without one."""
    if isinstance(distribution, CategoricalDistribution):
        index = place(distribution, value)
        return None if index is None else distribution.choices[index]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    clipped = min(max(value, distribution.low), distribution.high)
    if isinstance(distribution, IntDistribution):
        steps = round((clipped - distribution.low) / distribution.step)
        return int(distribution.low + steps * distribution.step)
    return _on_grid(distribution, float(clipped)) if distribution.step is not None else float(clipped)


def _on_grid(distribution: FloatDistribution, value: float) -> float:
    low, step = Decimal(str(distribution.low)), Decimal(str(distribution.step))
    on_grid = float(low + round((Decimal(value) - low) / step) * step)
    return value if math.isclose(on_grid, value, rel_tol=1e-12) else min(on_grid, distribution.high)


def place(distribution: CategoricalDistribution, value: Foreign) -> int | None:
    """The place of a choice; None without one."""
    return place_of(distribution.choices, value)


def random_value(distribution: BaseDistribution, rng: np.random.Generator) -> Foreign:
    """Uniform over the choices or the range, on its scale."""
    match distribution:
        case CategoricalDistribution(choices=choices):
            return choices[int(rng.integers(len(choices)))]
        case IntDistribution(log=True):
            low, high = math.log(distribution.low - 0.5), math.log(distribution.high + 0.5)
            return min(max(round(math.exp(rng.uniform(low, high))), distribution.low), distribution.high)
        case IntDistribution():
            count = (distribution.high - distribution.low) // distribution.step + 1
            wide = int.from_bytes(rng.bytes(8 + count.bit_length() // 8), "big")  # ranges may exceed 64 bits
            return distribution.low + wide % count * distribution.step
        case FloatDistribution(log=True):
            value = math.exp(rng.uniform(math.log(distribution.low), math.log(distribution.high)))
            return min(max(value, distribution.low), distribution.high)
    if distribution.step is None:
        return float(rng.uniform(distribution.low, distribution.high))
    count = round((distribution.high - distribution.low) / distribution.step) + 1
    return nearest(distribution, distribution.low + int(rng.integers(count)) * distribution.step)
