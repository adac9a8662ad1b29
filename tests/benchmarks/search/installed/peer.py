"""What the benchmark asks of a peer, and the forms in which a space is stated to one that has no kinds of ours."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunepass.space.configuration import Configuration, Value
from tunepass.space.parameter import Categorical, Permutation, Real
from tunepass.space.space import Space

Floats = NDArray[np.float64]


class Peer(ABC):
    """A tuner that proposes one configuration at a time, and is told losses (smaller is better).

    `asks`: how often it is asked for one evaluation. What breaks a known constraint is refused at no cost, and it is
    asked again; after the last ask a uniform feasible configuration is evaluated instead.
    """

    asks = 200

    @abstractmethod
    def ask(self) -> Configuration: ...

    @abstractmethod
    def tell(self, configuration: Configuration, loss: float, failed: bool) -> None:
        """The loss of the configuration that was asked last; of one that failed, the worst loss measured so far."""

    @abstractmethod
    def tell_other(self, configuration: Configuration, loss: float, failed: bool) -> None:
        """The same of a configuration that was not asked: the default, or a feasible one in place of refused ones."""

    def refuse(self, configuration: Configuration, worst: float) -> None:
        """The configuration that was asked last breaks a known constraint."""
        self.tell(configuration, worst, True)


@dataclass(frozen=True, slots=True)
class Task:
    """A search of `evals` evaluations."""

    space: Space
    seed: int
    evals: int


@dataclass(frozen=True, slots=True)
class Coded:
    """One parameter: a range of reals, or a list of values with or without an order; a permutation is a category."""

    name: str
    values: tuple[Value, ...]  # none of a real
    ordered: bool
    bounds: tuple[float, float] = (0.0, 0.0)
    log: bool = False

    @property
    def is_real(self) -> bool:
        return not self.values

    @property
    def steps(self) -> list[float]:
        """Numbers of an ordered list at their distances: logarithms on the log scale."""
        numbers = [float(str(value)) for value in self.values]
        return np.log2(numbers).tolist() if self.log else numbers

    def code(self, value: Value) -> float:
        """The place in the list, or the real itself."""
        return float(str(value)) if self.is_real else float(self.values.index(value))

    def value(self, code: float) -> Value:
        return float(code) if self.is_real else self.values[int(code)]


def coded(space: Space) -> tuple[Coded, ...]:
    return tuple(_coded(parameter) for parameter in space.parameters)


def _coded(parameter: object) -> Coded:
    if isinstance(parameter, Real):
        return Coded(parameter.name, (), True, (parameter.lo, parameter.hi), parameter.log)
    if isinstance(parameter, (Categorical, Permutation)):
        return Coded(parameter.name, tuple(parameter.domain), False)
    values = tuple(parameter.domain)  # type: ignore[attr-defined]
    return Coded(parameter.name, values, True, log=bool(parameter.log))  # type: ignore[attr-defined]


def configuration_of(codes: Mapping[str, float], parameters: Sequence[Coded]) -> Configuration:
    return Configuration({p.name: p.value(codes[p.name]) for p in parameters})


def codes_of(configuration: Configuration, parameters: Sequence[Coded]) -> dict[str, float]:
    return {p.name: p.code(configuration[p.name]) for p in parameters}
