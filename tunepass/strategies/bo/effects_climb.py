"""The most useful configuration under drawn effects, where the values of all parameters are listed.

A change of a value adds what its own effects and those of its pairs add, so all changes of a configuration cost about
as much as one row does, and only the best of them are asked whether they are feasible. Where no single change is
better, two values change together.

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

from tunepass.space.columns import Columns, Indices
from tunepass.space.configuration import Configuration
from tunepass.space.neighbourhood import LONG, Neighbourhood
from tunepass.space.space import Space
from tunepass.surrogates.base import Floats
from tunepass.surrogates.pairs import Effects, best_changes

Rows = Callable[[Columns], Floats]  # of configurations, (n, f)
Judged = Callable[[Indices, Floats], Floats]  # what the values of configurations (n, p) are worth (n,), given u
CHECKED_CHANGES = 24  # changes of a configuration that are asked for feasibility in a step, at most


def can_list(space: Space) -> bool:
    return (
        space.listed
        and not space.activity
        and all(p.size is not None and 2 <= p.size <= LONG for p in space.parameters)
    )


class Values:
    """All values of a space's parameters; `columns` are the default with each of them (m)."""

    def __init__(self, space: Space, rows: Rows):
        sizes = np.array([p.size or 0 for p in space.parameters])
        self.space = space
        self.first = np.cumsum(sizes) - sizes  # (p,)
        self.parameter = np.repeat(np.arange(len(sizes)), sizes)  # (m,)
        default = self.of(space.columns([space.default]))[0]
        every = np.tile(default, (len(self.parameter), 1))
        every[np.arange(len(every)), self.parameter] = np.arange(len(every))
        self.columns = self.as_columns(every)
        codes = rows(self.columns)
        varies = np.maximum.reduceat(codes, self.first) > np.minimum.reduceat(codes, self.first)  # (p, f)
        self.owner = varies.argmax(axis=0)  # (f,)
        self.codes = np.where(self.owner == self.parameter[:, None], codes, 0.0)  # (m, f)

    def of(self, columns: Columns) -> Indices:
        """The values of configurations (n, p)."""
        return np.asarray(self.first + np.stack([p.find(columns[p.name]) for p in self.space.parameters], axis=1))

    def as_columns(self, chosen: Indices) -> Columns:
        index = chosen - self.first
        return {p.name: p.at(index[:, number]) for number, p in enumerate(self.space.parameters)}


class EffectsClimb:
    """Climbs under one draw. `log_prior` (m,) is that of the values, of a configuration up to the constant `offset`."""

    def __init__(self, values: Values, effects: Effects, log_prior: Floats, offset: float = 0.0):
        self.values, self._offset = values, offset
        joint = np.isin(values.parameter, values.owner[effects.columns])
        self._joint = np.flatnonzero(joint)  # (k,)
        self._place = np.where(joint, np.cumsum(joint) - 1, -1)  # (m,)
        codes = values.codes[self._joint][:, effects.columns]
        self._g = codes @ np.triu(effects.joint) @ codes.T
        self._h = self._g + self._g.T
        self._alone = log_prior - values.codes @ effects.single

    def utility(self, chosen: Indices) -> float:
        """u of the values (p,) of a configuration."""
        pairs = self._joint_places(chosen)
        return float(self._offset + self._alone[chosen].sum() - self._g[np.ix_(pairs, pairs)].sum())

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

    def _joint_places(self, chosen: Indices) -> Indices:
        places = self._place[chosen]
        return np.asarray(places[places >= 0])

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
        utilities = np.array([self.utility(head) for head in heads])
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
        inside = self.values.space.contains_indices(rows - self.values.first)
        if neighbourhood.keep is not None and inside.any():
            inside[inside] = neighbourhood.keep(self.values.as_columns(rows[inside]))
        return rows[inside], owner[inside], (utilities[owner] + added)[inside]


def _seen(row: Indices, reached: set[bytes]) -> bool:
    """Is it in `reached`, where it is from now on?"""
    key = row.tobytes()
    seen = key in reached
    reached.add(key)
    return seen
