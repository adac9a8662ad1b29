"""Parameters with conditions, drawn as if all were active; then inactive ones get their defaults.

So are programs drawn by the priors, in which an inactive parameter has no part, and uniformly where no diagram counts.
A constraint that somebody wrote reads a parameter only where it is active, so that the defaults do not break it; rows
in which they break a derived one are left out.

Where such draws never have some value of a parameter that conditions read, since few rows with it are feasible, a share
of the rows is drawn with that value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tunepass.expr.nodes import free_names
from tunepass.space.activity import Activity
from tunepass.space.columns import Columns, Indices, Mask, join, length, take
from tunepass.space.configuration import Value
from tunepass.space.feasible.group import DiagramGroup, ParameterGroup
from tunepass.space.feasible.product import GroupProduct
from tunepass.space.parameter import Parameter


class CountedConditionalGroup(DiagramGroup):
    """A diagram with one row for each program; `drawn` gives the group that draws by the priors."""

    def __init__(self, group: DiagramGroup, drawn: Callable[[], ConditionalGroup]):
        super().__init__(group.parameters, group.layers, group.diagram)
        self._drawn = drawn
        self._by_prior: ConditionalGroup | None = None

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        if all(p.prior is None for p in self.parameters):
            return self.draw(n, rng)
        if self._by_prior is None:
            self._by_prior = self._drawn()
        return self._by_prior.draw_by_prior(n, rng)


TRIAL_ROWS = 256  # that say which values draws have
MOST_VALUES = 16  # of a parameter whose values are looked for
MakeBranch = Callable[[Parameter, Value], GroupProduct | None]


@dataclass(frozen=True, slots=True)
class Branch:
    """The other parameters' rows where `parameter` has `value`."""

    parameter: Parameter
    value: Value
    product: GroupProduct

    def draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        rows = self.product.draw(n, rng, prior=prior)
        return {**rows, self.parameter.name: self.parameter.column([self.value] * length(rows))}


class ConditionalGroup(ParameterGroup):
    """The rows of `product` with the default in place of every inactive value; neither counted nor ranked.

    `branch`: the product of the others where one parameter has a value, None where that is empty. `finite`: none is
    real; then the group has rows that could be counted, and is not `counted`.
    """

    size = 1

    def __init__(self, parameters: Sequence[Parameter], product: GroupProduct, activity: Activity, branch: MakeBranch):
        self.parameters, self._product, self._activity = tuple(parameters), product, activity
        self._branch = branch
        self.counted = product.complete and not product.finite

    def unrank(self, ranks: Indices) -> Columns:
        raise AssertionError("a group with uncounted conditions is not ranked")

    def walk(self, columns: Columns) -> tuple[Mask, Indices]:
        return self.contains(columns), np.zeros(length(columns), dtype=np.int64)

    def contains(self, columns: Columns) -> Mask:
        return self._product.contains(columns) & self._activity.is_canonical(columns)

    def draw(self, n: int, rng: np.random.Generator) -> Columns:
        return self._draw(n, rng, prior=False)

    def draw_by_prior(self, n: int, rng: np.random.Generator) -> Columns:
        return self._draw(n, rng, prior=True)

    def _draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        rows = self._canonical(self._product.draw(n, rng, prior=prior))
        if not self._rare:
            return rows
        share = -(-n // (len(self._rare) + 1))
        parts = [self._canonical(branch.draw(share, rng, prior=prior)) for branch in self._rare]
        drawn = sum(length(part) for part in parts)
        rows = join([take(rows, slice(0, max(0, n - drawn))), *(part for part in parts if length(part))])
        return take(rows, rng.permutation(length(rows))[:n])

    @cached_property
    def _rare(self) -> tuple[Branch, ...]:
        """The branches that draws of the product never have; by a seed of its own, so that they are always the same."""
        if self._product.complete:
            return ()
        drawn, rng = self._product.draw(TRIAL_ROWS, np.random.default_rng(0), prior=False), np.random.default_rng(0)
        read = {name for e in self._activity.whole.values() for name in free_names(e)}
        branches = []
        for p in self.parameters:
            if p.name not in read or not _is_listed_alike(p):
                continue
            seen = set(p.values(drawn[p.name])) if length(drawn) else set()
            for value in p.domain:
                product = None if value in seen else self._branch(p, value)
                branch = None if product is None else Branch(p, value, product)
                if branch is not None and length(self._canonical(branch.draw(1, rng, prior=False))):
                    branches.append(branch)
        return tuple(branches)

    def _canonical(self, drawn: Columns) -> Columns:
        rows = self._activity.canonical(drawn)
        return take(rows, self._product.contains(rows)) if length(rows) else rows


def _is_listed_alike(p: Parameter) -> bool:
    """Are its values few, and of one type, so that conditions have them as they are?"""
    few = p.is_scalar and p.size is not None and p.size <= MOST_VALUES
    return few and len({type(value) for value in p.domain}) == 1 and p.domain[0] is not None
