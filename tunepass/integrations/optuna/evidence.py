"""The define-by-run search space that finished trials show: distributions, and when parameters are active.

A parameter that not every trial has is active under a condition on one other, suggested before it: values of that one
with which it occurs, and none with which it does not. Without such a condition it is not part of the space.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial

from tunepass.integrations.optuna.distributions import hull, place
from tunepass.integrations.parameters import Foreign

MOST_VALUES = 64  # of a number, beyond which a condition on it is a threshold


@dataclass(slots=True)
class Occurrence:
    """The values that a parent had in trials with a child, or without it; of a categorical one the choices' places."""

    values: set[float] | None = field(default_factory=set)  # None: more than MOST_VALUES
    least: float = float("inf")
    most: float = float("-inf")

    def add(self, value: float) -> None:
        if self.values is not None:
            self.values.add(value)
            self.values = self.values if len(self.values) <= MOST_VALUES else None
        self.least, self.most = min(self.least, value), max(self.most, value)


@dataclass(slots=True)
class Pair:
    """A child and a parent: where both occur, where only the parent does, and whether the child occurred alone."""

    both: Occurrence = field(default_factory=Occurrence)
    parent_only: Occurrence = field(default_factory=Occurrence)
    child_only: bool = False


@dataclass(frozen=True, slots=True)
class Threshold:
    """The parent's values from `bound` on (`above`), or up to it."""

    parent: str
    bound: float
    above: bool


@dataclass(frozen=True, slots=True)
class OneOf:
    """These values of the parent; of a categorical one the choices' places."""

    parent: str
    values: tuple[float, ...]


Condition = Threshold | OneOf


@dataclass(frozen=True, slots=True)
class InferredParameter:
    """A distribution with the condition under which trials have it; None: all do."""

    name: str
    distribution: BaseDistribution
    condition: Condition | None = None


class Evidence:
    """Takes in trials one by one; `parameters` are those of the space that they have in common."""

    def __init__(self) -> None:
        self._trials: list[Mapping[str, Foreign]] = []
        self._distributions: dict[str, BaseDistribution] = {}  # in the order of their first suggestion
        self._count: dict[str, int] = {}
        self._pairs: dict[str, dict[str, Pair]] = {}  # by child that not every trial has, then by parent
        self._parameters: tuple[InferredParameter, ...] | None = ()

    def __len__(self) -> int:
        return len(self._trials)

    def add(self, trial: FrozenTrial) -> None:
        params = trial.params
        if not params:
            return
        for name, distribution in trial.distributions.items():
            known = self._distributions.get(name)
            wider = distribution if known is None else hull(known, distribution)
            if known is None or wider != known:
                self._distributions[name] = wider
                self._parameters = None
            self._count[name] = self._count.get(name, 0) + 1
        self._trials.append(params)
        if self._pairs or len(params) < len(self._distributions) or any(self._partial(name) for name in params):
            self._parameters = None
            for name in self._distributions:
                if name in self._pairs:
                    self._compare(name, params)
                elif self._partial(name):
                    self._pairs[name] = {}
                    for earlier in self._trials:
                        self._compare(name, earlier)

    def _partial(self, name: str) -> bool:
        return self._count[name] < len(self._trials)

    def _compare(self, child: str, params: Mapping[str, Foreign]) -> None:
        pairs, has_child = self._pairs[child], child in params
        for parent, distribution in self._distributions.items():
            if parent == child:
                continue
            pair = pairs.setdefault(parent, Pair())
            if parent not in params:
                pair.child_only |= has_child
                continue
            occurrence = pair.both if has_child else pair.parent_only
            value = params[parent]
            number = place(distribution, value) if isinstance(distribution, CategoricalDistribution) else value
            if isinstance(number, int | float):
                occurrence.add(number)

    @property
    def parameters(self) -> tuple[InferredParameter, ...]:
        """Parents stand before their children."""
        if self._parameters is None:
            self._parameters = self._inferred()
        return self._parameters

    def _inferred(self) -> tuple[InferredParameter, ...]:
        chosen: dict[str, InferredParameter] = {}
        for name, distribution in self._distributions.items():
            if not self._partial(name):
                chosen[name] = InferredParameter(name, distribution)
                continue
            parents = [parent for parent in chosen if not chosen[parent].distribution.single()]
            conditions = [c for c in (self._condition(name, parent) for parent in parents) if c is not None]
            conditions.sort(key=lambda c: isinstance(c, OneOf) and self._is_continuum(c.parent))
            condition = conditions[0] if conditions else None
            if condition is not None:
                chosen[name] = InferredParameter(name, distribution, condition)
        return tuple(chosen.values())

    def _is_continuum(self, name: str) -> bool:
        distribution = self._distributions[name]
        return isinstance(distribution, FloatDistribution) and distribution.step is None

    def _condition(self, child: str, parent: str) -> Condition | None:
        """The condition on the parent that says in which trials the child occurs; None without one."""
        pair = self._pairs[child].get(parent)
        if pair is None or pair.child_only or set() in (pair.both.values, pair.parent_only.values):
            return None
        both, other = pair.both, pair.parent_only
        if not isinstance(self._distributions[parent], CategoricalDistribution):
            if both.least > other.most:
                return Threshold(parent, both.least, above=True)
            if both.most < other.least:
                return Threshold(parent, both.most, above=False)
        if self._is_continuum(parent) and both.values is not None and len(both.values) > 1:
            return None  # values of a continuum are apart by chance alone
        if both.values is None or other.values is None or both.values & other.values:
            return None
        return OneOf(parent, tuple(sorted(both.values)))
