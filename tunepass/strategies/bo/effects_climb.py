"""The most useful configuration under drawn effects, over a list of values of each parameter.

Of a parameter with too many values to list them there are some over its range, and those of the climb's starts. A
change of a value adds what its own effects and those of its pairs add, so all changes of a configuration cost about as
much as one row does, and only the best of them are asked whether they are feasible. Where no single change is better,
two values change together.

    symbol    meaning
    p, m      parameters, values of all of them in one numbering
    i         (p,) the values of a configuration, one a parameter
    A         (m,) log prior of a value less its single effects
    G         (k, k) joint effects of two values, of the parameters that have any; H = G + G'
    u(i)      sum_q A[i_q] - sum_qr G[i_q, i_r], up to a constant
    h         (k,) of a value v: sum_q H[v, i_q]

    v instead of c adds    A[v] - A[c] - h[v] + h[c] + H[v, c] - (H[v, v] + H[c, c]) / 2
    v and w instead of c and d add what each adds, and - H[v, w] + H[v, d] + H[c, w] - H[c, d]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

import numpy as np

from tunepass.space.columns import Column, Columns, Indices, Mask, join, take
from tunepass.space.configuration import Configuration
from tunepass.space.neighbourhood import LONG, Neighbourhood
from tunepass.space.parameter import Parameter, Real
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats
from tunepass.surrogates.pairs import Effects, best_changes

Rows = Callable[[Columns], Floats]  # of configurations, (n, f)
Judged = Callable[[Indices, Floats], Floats]  # what the values of configurations (n, p) are worth (n,), given u
PLACES = 9  # values over the range of a parameter that has too many to list
SINGLE_THREAD = 200_000  # products of a multiplication of matrices up to which OpenBLAS starts no threads
CHECKED_CHANGES = 24  # changes of a configuration that are asked for feasibility in a step, at most


def can_climb(space: Space) -> bool:
    """Has every configuration a value of each parameter, and is a value its own step away from any other?"""
    return not space.activity and all(p.is_scalar and (p.size is None or p.size >= 2) for p in space.parameters)


def is_listed(parameter: Parameter) -> bool:
    return parameter.size is not None and parameter.size <= LONG


class Values:
    """Values of a space's parameters, all of them where they can be listed; `columns` are the default with each (m).

    Configurations of `starts` have a value for each parameter here, others only where all are listed. `codes` of what
    is listed are those of `like`, if it is given.
    """

    def __init__(self, space: Space, rows: Rows, starts: Columns | None = None, like: Values | None = None):
        known = space.columns([space.default])
        known = known if starts is None else join([known, starts])
        self.space, self._values = space, {p.name: _listed_values(p, known[p.name]) for p in space.parameters}
        sizes = np.array([len(values) for values in self._values.values()])
        self.first = np.cumsum(sizes) - sizes  # (p,)
        self.parameter = np.repeat(np.arange(len(sizes)), sizes)  # (m,)
        self.all_listed = all(is_listed(p) for p in space.parameters)
        default = self.of(space.columns([space.default]))[0]
        every = np.tile(default, (len(self.parameter), 1))
        every[np.arange(len(every)), self.parameter] = np.arange(len(every))
        self.columns = self.as_columns(every)
        if like is None:
            codes = rows(self.columns)
            varies = np.maximum.reduceat(codes, self.first) > np.minimum.reduceat(codes, self.first)  # (p, f)
            self.owner = varies.argmax(axis=0)  # (f,)
            self.codes = np.where(self.owner == self.parameter[:, None], codes, 0.0)  # (m, f)
        else:
            self.owner = like.owner
            self.codes = self._codes_like(like, rows)

    def _codes_like(self, like: Values, rows: Rows) -> Floats:
        new = np.isin(self.parameter, [i for i, p in enumerate(self.space.parameters) if not is_listed(p)])
        codes = np.empty((len(self.parameter), like.codes.shape[1]))
        codes[~new] = like.codes[np.isin(like.parameter, self.parameter[~new])]
        codes[new] = np.where(self.owner == self.parameter[new][:, None], rows(take(self.columns, new)), 0.0)
        return codes

    def of(self, columns: Columns) -> Indices:
        """The values of configurations (n, p)."""
        parts = [p.find(columns[p.name]) if is_listed(p) else np.searchsorted(self._values[p.name], columns[p.name])
                 for p in self.space.parameters]  # fmt: skip
        return np.asarray(self.first + np.stack(parts, axis=1))

    def as_columns(self, chosen: Indices) -> Columns:
        index = chosen - self.first
        return {name: values[index[:, number]] for number, (name, values) in enumerate(self._values.items())}

    def feasible(self, chosen: Indices) -> Mask:
        """Mask (n,) of feasible configurations, given by their values (n, p)."""
        return self.space.contains_values(chosen - self.first, self._values)


def _listed_values(parameter: Parameter, known: Column) -> Column:
    """All values of a parameter in order; of one with too many, some over its range and the `known` ones, ascending."""
    if is_listed(parameter):
        return parameter.at(np.arange(parameter.size or 0))
    if isinstance(parameter, Real):
        return np.unique(np.concatenate([parameter.from_unit(np.linspace(0, 1, PLACES)), known]))
    places = np.linspace(0, (parameter.size or 1) - 1, PLACES).astype(np.int64)
    return np.unique(np.concatenate([parameter.at(places), known]))


class EffectsClimb:
    """Climbs under one draw. `log_prior` (m,) is that of the values, of a configuration up to the constant `offset`."""

    def __init__(self, values: Values, effects: Effects, log_prior: Floats, offset: float = 0.0):
        self.values, self._offset = values, offset
        joint = np.isin(values.parameter, values.owner[effects.columns])
        self._joint = np.flatnonzero(joint)  # (k,)
        self._place = np.where(joint, np.cumsum(joint) - 1, -1)  # (m,)
        codes = values.codes[self._joint][:, effects.columns]
        self._upper = np.triu(effects.joint)
        g = _product(_product(codes, self._upper), np.ascontiguousarray(codes.T))
        self._h = g + g.T
        self._alone = log_prior - np.einsum("mf,f->m", values.codes, effects.single)
        self._codes = np.ascontiguousarray(values.codes[:, effects.columns])

    def utilities(self, chosen: Indices) -> Floats:
        """u (n,) of the values (n, p) of configurations."""
        z = self._codes[chosen].sum(axis=1)  # (n, columns)
        return np.asarray(self._offset + self._alone[chosen].sum(axis=1) - (_product(z, self._upper) * z).sum(axis=1))

    def changes(self, heads: Indices) -> tuple[Indices, Indices, Floats]:
        """The best changes of configurations (n, p): the changed ones (c, p), whose each is, and what it adds (c,). Two
        values change where no single change is better."""
        owner, first, second, gains = best_changes(
            heads, self.values.parameter, self._alone, self._place, self._joint, self._h, CHECKED_CHANGES
        )
        rows = heads[owner]
        rows[np.arange(len(rows)), self.values.parameter[first]] = first
        two = np.flatnonzero(second >= 0)
        rows[two, self.values.parameter[second[two]]] = second[two]
        return rows, owner, gains

    def best_free(
        self, starts: Columns, judged: Judged, neighbourhood: Neighbourhood, taken: Set[Configuration], steps: int
    ) -> Configuration | None:
        """The best one met that is not in `taken`; None when all are."""
        met = list(self._climb(starts, judged, neighbourhood, steps))
        rows, worth = (np.concatenate(parts) for parts in zip(*met))
        order = np.argsort(-worth, kind="stable")
        for begin in range(0, len(order), 16):  # nearly always answered within the first few
            chosen = self.values.as_columns(rows[order[begin : begin + 16]])
            for configuration in self.values.space.configurations(chosen):
                if configuration not in taken:
                    return configuration
        return None

    def _climb(
        self, starts: Columns, judged: Judged, neighbourhood: Neighbourhood, steps: int
    ) -> Iterator[tuple[Indices, Floats]]:
        """All that is met (n, p), and what it is worth (n,). None goes where one was before."""
        heads = self.values.of(starts)
        utilities = self.utilities(heads)
        worth = judged(heads, utilities)
        yield heads, worth
        reached: set[bytes] = set()
        for _ in range(steps):
            rows, owner, changed = self._neighbours(heads, utilities, neighbourhood)
            if not len(rows):
                return
            values = judged(rows, changed)
            yield rows, values
            order = np.lexsort((-values, owner))
            best = order[np.unique(owner[order], return_index=True)[1]]  # the best neighbour of each head
            best = best[values[best] > worth[owner[best]]]
            best = np.array([row for row in best if not _seen(rows[row], reached)], np.int64)
            if not len(best):
                return
            heads, utilities, worth = rows[best], changed[best], values[best]

    def _neighbours(
        self, heads: Indices, utilities: Floats, neighbourhood: Neighbourhood
    ) -> tuple[Indices, Indices, Floats]:
        """The feasible ones of the best changes of all heads, which head each is of, and u of each."""
        rows, owner, added = self.changes(heads)
        inside = self.values.feasible(rows)
        if neighbourhood.keep is not None and inside.any():
            inside[inside] = neighbourhood.keep(self.values.as_columns(rows[inside]))
        return rows[inside], owner[inside], (utilities[owner] + added)[inside]


def _product(a: Floats, b: Floats) -> Floats:
    """a b, a few rows at a time: of more BLAS starts threads, which cost more time than they save."""
    product = np.empty((len(a), b.shape[1]))
    few = max(1, SINGLE_THREAD // max(1, b.size))
    for first in range(0, len(a), few):
        np.dot(a[first : first + few], b, out=product[first : first + few])
    return product


def _seen(row: Indices, reached: set[bytes]) -> bool:
    """Is it in `reached`, where it is from now on?"""
    key = row.tobytes()
    seen = key in reached
    reached.add(key)
    return seen
