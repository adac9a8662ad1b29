"""Parameters and the constraints that tie them: the set of feasible configurations, counted, drawn and walked.

A space is a product of groups: a diagram for every set of parameters that constraints tie together, and every other
parameter alone. Without real parameters and within the node limit it is `complete`: everything is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunepass.diagnostics import Diagnostic, Severity, SpaceError
from tunepass.expr import nodes
from tunepass.expr.numpy_eval import satisfied
from tunepass.space.columns import Columns, length, replaced, take
from tunepass.space.configuration import Configuration, Value
from tunepass.space.constraint import Constraint
from tunepass.space.defaults import settle
from tunepass.space.feasible import table
from tunepass.space.feasible.compile import TooLarge
from tunepass.space.feasible.conflict import conflicting, describe
from tunepass.space.feasible.diagram import dedupe
from tunepass.space.feasible.group import DiagramGroup, FreeGroup, Group, RealGroup, build_group, components
from tunepass.space.feasible.rejection import RejectionGroup
from tunepass.space.parameter import Column, Parameter
from tunepass.space.prior import Floats

NODE_LIMIT = 5_000_000
LISTED = 1 << 17  # spaces up to this size are shuffled rather than drawn from
DRAW_ROUNDS = 24  # rounds without a new row before a draw gives up
SAMPLED_ROUNDS = 2  # the same, where a round has searched already


class Space:
    """`complete`: sizes, ranks and enumeration are exact. `warnings`: what the user should know, as diagnostics.

    A space with real parameters is not `finite`: it has no `size`, `rank`, `unrank` or `enumerate`. Past `node_limit`
    diagram nodes the space is sampled instead of counted, and `complete` is false.
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        constraints: Sequence[Constraint | str] = (),
        *,
        node_limit: int = NODE_LIMIT,
    ):
        self.parameters = tuple(parameters)
        _check_parameters(self.parameters)
        self._by_name = {p.name: p for p in self.parameters}
        self.constraints = tuple(
            c if isinstance(c, Constraint) else Constraint.parse(c, self.parameters) for c in constraints
        )
        _check_names(self.constraints, {p.name: p.type for p in self.parameters})
        self.node_limit = node_limit
        self._notes: tuple[Diagnostic, ...] = ()
        self._came_short = False
        self._set_groups(tuple(self._groups()))

    @classmethod
    def from_table(cls, rows: Sequence[Mapping[str, Value]], parameters: Sequence[Parameter] | None = None) -> Space:
        """The space whose feasible configurations are exactly `rows`; parameters default to the values that occur."""
        parameters = table.parameters_of(rows) if parameters is None else tuple(parameters)
        space = cls(parameters)
        space._set_groups((table.group_of(rows, space.parameters),))
        return space

    def _set_groups(self, groups: tuple[Group, ...]) -> None:
        self.groups = groups
        self.finite = not any(p.size is None for p in self.parameters)
        self.complete = not any(isinstance(g, RejectionGroup) for g in groups)

    @cached_property
    def _settled(self) -> tuple[Configuration, tuple[Diagnostic, ...]]:
        return settle(self)

    @property
    def default(self) -> Configuration:
        """The parameters' defaults; where those are infeasible together, a feasible configuration near them."""
        return self._settled[0]

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return self._notes + self._settled[1]

    # --- the feasible set

    def _groups(self) -> Iterator[Group]:
        for names, numbers in components(self.parameters, self.constraints):
            mine = [p for p in self.parameters if p.name in names]
            if not numbers:
                p = mine[0]
                yield RealGroup(p) if p.size is None else FreeGroup(p, p.size)
                continue
            yield self._tied(mine, [self.constraints[i] for i in numbers])
        for c in self.constraints:
            if not c.names and not _always(c.expression):
                raise self._empty([c])

    def _tied(self, parameters: list[Parameter], constraints: list[Constraint]) -> Group:
        expressions = [c.expression for c in constraints]
        try:
            group = build_group(parameters, expressions, self.node_limit)
        except TooLarge:
            real = any(p.size is None for p in parameters)
            what = "has constraints over reals" if real else f"passes {self.node_limit} diagram nodes"
            self._warn(f"this space {what}: it is sampled, not counted", constraints)
            sampled = RejectionGroup(parameters, expressions, self.node_limit)
            if sampled.empty:
                raise self._empty(constraints) from None
            return sampled
        if group.size == 0:
            raise self._empty(constraints)
        return group

    def _warn(self, message: str, constraints: Sequence[Constraint]) -> None:
        self._notes += (Diagnostic(message, constraints[0].span, severity=Severity.WARNING),)

    def _empty(self, constraints: Sequence[Constraint]) -> SpaceError:
        return describe(conflicting(self.parameters, constraints, self.node_limit))

    def conflicts(self) -> tuple[Constraint, ...]:
        """A minimal set of constraints that no configuration meets: empty, for a space that exists."""
        return ()

    @property
    def dense(self) -> int:
        """How many assignments the discrete parameters have, feasible or not."""
        return math.prod(p.size for p in self.parameters if p.size is not None)

    @property
    def size(self) -> int:
        """How many configurations are feasible, exactly."""
        self._require_counted("size")
        return math.prod(g.size for g in self.groups)

    def _require_counted(self, what: str) -> None:
        if not self.finite:
            raise SpaceError(f"a space with real parameters has no {what}")
        if not self.complete:
            raise SpaceError(f"this space is sampled, not counted (past {self.node_limit} nodes): it has no {what}")

    # --- batches of columns

    def columns(self, configurations: Sequence[Configuration]) -> Columns:
        """Columns of configurations; a missing parameter or a value outside its domain raises SpaceError."""
        out: dict[str, Column] = {}
        for p in self.parameters:
            try:
                values = [c[p.name] for c in configurations]
            except KeyError:
                raise SpaceError(f"{p.name}: a configuration must give it a value") from None
            for v in values:
                p.check(v)
            out[p.name] = p.column(values)
        return out

    def configurations(self, columns: Columns) -> list[Configuration]:
        names = [p.name for p in self.parameters]
        lists = [p.values(columns[p.name]) for p in self.parameters]
        return [Configuration(dict(zip(names, row))) for row in zip(*lists)]

    def contains_columns(self, columns: Columns) -> NDArray[np.bool_]:
        """Which rows (n,) are feasible."""
        n = length(columns)
        if n == 0:
            return np.zeros(0, dtype=bool)
        ok = np.ones(n, dtype=bool)
        for g in self.groups:
            ok &= g.contains(columns)
        return ok

    def contains_indices(self, indices: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows (n, parameters) of indices in the domains are feasible, in a space that is `listed`."""
        ok = np.ones(len(indices), dtype=bool)
        for g in self.groups:
            if isinstance(g, DiagramGroup):
                ok &= g.diagram.contains(indices[:, [self._numbers[name] for name, _ in g.layers]])
        return ok

    @cached_property
    def listed(self) -> bool:
        """Is every configuration a row of places in the parameters' domains, all of them counted?"""
        return self.complete and self.finite and all(p.is_scalar for p in self.parameters)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {p.name: number for number, p in enumerate(self.parameters)}

    def sample_columns(self, n: int, rng: np.random.Generator, prior: bool = False) -> Columns:
        """Up to n distinct feasible rows, uniform, or by the parameters' priors restricted to what is feasible.

        Fewer only when fewer exist; in a sampled space also when fewer are found, which `warnings` then says.
        Rows of prior mass zero come last.
        """
        if n <= 0:
            return self._none()
        if self.finite and self.complete and not prior and self.size <= max(LISTED, 2 * n):
            return self._at(rng.permutation(self.size)[:n])
        rows = self._distinct(n, rng, prior=prior)
        if prior and length(rows) < n and self.finite and self.complete and self.size <= 4 * max(LISTED, n):
            rows = self._topped_up(rows, n, rng)
        return rows

    def _distinct(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        kept, idle = self._none(), 0
        while length(kept) < n and idle < (DRAW_ROUNDS if self.complete else SAMPLED_ROUNDS):
            before = length(kept)
            drawn = self._draw(max(n - before, 64), rng, prior=prior)
            both = self._joined(kept, drawn)
            first = dedupe(self._keys(both))[1][:n]
            kept = {name: c[first] for name, c in both.items()}
            idle = idle + 1 if length(kept) == before else 0
        if length(kept) < n and not self.complete and not self._came_short:
            self._came_short = True
            self._notes += (Diagnostic(f"sampling found only {length(kept)} of {n} rows", severity=Severity.WARNING),)
        return kept

    def _draw(self, n: int, rng: np.random.Generator, *, prior: bool) -> Columns:
        parts = [g.draw_by_prior(n, rng) if prior else g.draw(n, rng) for g in self.groups]
        m = min((length(p) for p in parts), default=0)
        out: dict[str, Column] = {}
        for part in parts:
            order = rng.permutation(length(part))[:m] if length(part) > m else slice(None)
            out.update({name: c[order] for name, c in part.items()})
        return out

    def _topped_up(self, found: Columns, n: int, rng: np.random.Generator) -> Columns:
        """The rest of `n` from the rows not found yet, likelier ones more likely (Gumbel top-k)."""
        everything = self._at(np.arange(self.size))
        rest = np.setdiff1d(np.arange(self.size), self._ranks(found))
        others = {name: c[rest] for name, c in everything.items()}
        score = self.log_prior(others) + rng.gumbel(size=len(rest))
        pick = np.argsort(-score, kind="stable")[: n - length(found)]
        return self._joined(found, {name: c[pick] for name, c in others.items()})

    def enumerate_columns(self, chunk: int = 65536) -> Iterator[Columns]:
        """Every feasible configuration in order of rank, `chunk` rows at a time."""
        self._require_counted("enumeration")
        for start in range(0, self.size, chunk):
            yield self._at(np.arange(start, min(start + chunk, self.size)))

    def neighbour_columns(self, configuration: Configuration) -> Columns:
        """Feasible rows that change one parameter: to any other value, or by a swap or an insertion in an order. Reals
        stay as they are."""
        columns = self.columns([configuration])
        steps = {p.name: g.steps(p, columns) for g in self.groups for p in g.parameters if p.size is not None}
        rows, _ = replaced(columns, steps)
        return take(rows, self.contains_columns(rows))

    def log_prior(self, columns: Columns, least: float = 0.0) -> Floats:
        """Log of the prior probability (density, for reals) of every row (n,), not renormalised to what is feasible.

        Only parameters with a prior count, each value with a probability of `least` or more.
        """
        total = np.zeros(length(columns))
        for p in self.parameters:
            if p.prior is not None:
                total += p.log_prior(columns[p.name], least)
        return total

    # --- single configurations

    def sample(self, n: int, rng: np.random.Generator, prior: bool = False) -> list[Configuration]:
        """Up to n distinct feasible configurations; see `sample_columns`."""
        return self.configurations(self.sample_columns(n, rng, prior))

    def contains(self, configuration: Mapping[str, Value]) -> bool:
        if set(configuration) != set(self._by_name):
            return False
        if not all(p.admits(configuration[p.name]) for p in self.parameters):
            return False
        if self.listed:
            indices = np.array([[p.domain.index(_plain(configuration[p.name])) for p in self.parameters]], np.int64)
            return bool(self.contains_indices(indices)[0])
        return bool(self.contains_columns(self.columns([Configuration(configuration)]))[0])

    def neighbours(self, configuration: Configuration) -> list[Configuration]:
        return self.configurations(self.neighbour_columns(configuration))

    def rank(self, configuration: Configuration) -> int:
        """The place of a feasible configuration in the enumeration."""
        self._require_counted("ranks")
        total = 0
        columns = self.columns([configuration])
        for g in self.groups:
            inside, rank = g.walk(columns)
            if not inside[0]:
                raise SpaceError(f"only a feasible configuration has a rank, got {configuration!r}")
            total = total * g.size + int(rank[0])
        return total

    def unrank(self, rank: int) -> Configuration:
        """The configuration at a place in the enumeration."""
        self._require_counted("ranks")
        if not 0 <= rank < self.size:
            raise SpaceError(f"0 <= rank < {self.size} must hold, got {rank=}")
        out: dict[str, Column] = {}
        for g in reversed(self.groups):
            rank, own = divmod(rank, g.size)
            out.update(g.unrank(np.array([own], dtype=np.int64 if own < 1 << 62 else object)))
        return self.configurations(out)[0]

    def enumerate(self) -> Iterator[Configuration]:
        for columns in self.enumerate_columns():
            yield from self.configurations(columns)

    # --- inside

    def _at(self, ranks: NDArray[np.int64]) -> Columns:
        """Rows at places `ranks` of the enumeration, all below 2**62."""
        out: dict[str, Column] = {}
        for g in reversed(self.groups):
            if g.size < 1 << 62:
                ranks, own = np.divmod(ranks, g.size)
            else:
                ranks, own = np.zeros_like(ranks), ranks
            out.update(g.unrank(own))
        return out

    def _ranks(self, columns: Columns) -> NDArray[np.int64]:
        total = np.zeros(length(columns), dtype=np.int64)
        for g in self.groups:
            total = total * g.size + g.walk(columns)[1].astype(np.int64)
        return total

    def _none(self) -> Columns:
        return {p.name: p.column([]) for p in self.parameters}

    def _joined(self, a: Columns, b: Columns) -> Columns:
        return {p.name: np.concatenate([a[p.name], b[p.name]]) for p in self.parameters}

    def _keys(self, columns: Columns) -> NDArray[np.int64]:
        """Rows as 64-bit words (n, m), equal exactly where the configurations are."""
        words = []
        for p in self.parameters:
            c = columns[p.name]
            words.append(c.view(np.int64) if c.dtype == np.float64 else c.astype(np.int64))
        n = length(columns)
        return (
            np.concatenate([w.reshape(n, math.prod(w.shape[1:])) for w in words], axis=1)
            if words
            else np.zeros((n, 0), np.int64)
        )


def _plain(value: Value) -> Value:
    """Python's own number: a long range finds no other kind without looking at every one of its own."""
    return value.item() if isinstance(value, np.generic) else value


def _always(e: nodes.Expr) -> bool:
    return bool(satisfied(e, {}, 1)[0])


def _check_parameters(parameters: tuple[Parameter, ...]) -> None:
    if not parameters:
        raise SpaceError("a space has at least one parameter, got none")
    seen: set[str] = set()
    for p in parameters:
        if not isinstance(p, Parameter):
            raise SpaceError(f"parameters are Real, Integer, Ordinal, Categorical or Permutation, got {p!r}")
        if p.name in seen:
            raise SpaceError(f"parameter names must be distinct, got {p.name!r} twice", p.span)
        seen.add(p.name)


def _check_names(constraints: Sequence[Constraint], types: Mapping[str, nodes.Type]) -> None:
    for c in constraints:
        for node in c.names:
            if types.get(node.name) != node.type:
                raise SpaceError(f"a constraint names parameters of its space, got {node.name!r}", node.span)
