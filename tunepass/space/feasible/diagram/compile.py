"""Compiles the constraints of one group of variables into a diagram, layer by layer from the front.

A node is a set of partial assignments that no later constraint can tell apart: they agree on every bound subterm that
an undecided constraint still needs. `Rows` are the nodes of one layer; binding the next variable crosses them with its
values, drops the pairs that some constraint rules out, and gives pairs with equal frontiers one node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunepass.expr import nodes
from tunepass.space.columns import Indices, Mask
from tunepass.space.feasible.diagram.diagram import Diagram, dedupe
from tunepass.space.feasible.diagram.evaluate import Known, TermEvaluator
from tunepass.space.feasible.diagram.layer import Layer, Nodes
from tunepass.space.feasible.diagram.rows import Choices, PairSelection, Rows, joined, stacked
from tunepass.space.feasible.diagram.terms import Term, Terms

BLOCK = 1 << 17  # pairs expanded at a time: a column of them stays within the cache
ARCS_PER_NODE = 4  # the limit on arcs, as a multiple of the limit on nodes
WORK_PER_NODE = 20  # and on pairs looked at


class TooLarge(Exception):
    """The diagram would pass its limit; the space falls back to sampling."""


@dataclass(frozen=True, slots=True)
class PendingConstraint:
    """A constraint as a term. `decidable`: its range over completions may settle it before all is bound."""

    term: Term
    decidable: bool


class DiagramBuilder:
    """`order` lists the variables a layer each; `constraints` mention no other variable, but may mention free ones
    (`loose`, a mask) that are never bound, such as reals: those constraints only prune by their range."""

    def __init__(
        self,
        terms: Terms,
        constraints: Sequence[Term],
        order: Sequence[int],
        domains: dict[int, Choices],
        node_limit: int,
    ):
        self.terms, self.order, self.domains = terms, tuple(order), domains
        self.constraints = [PendingConstraint(t, _decidable(t)) for t in constraints]
        self.node_limit = node_limit
        self.places = _places(constraints)

    def build(self) -> Diagram:
        """Raises TooLarge past the limits on nodes, arcs and work."""
        rows, layers, before = Rows(1), [], 0
        total_nodes, total_arcs, work = 1, 0, 0
        for depth, number in enumerate(self.order):
            width = len(self.domains[number].index)
            work += rows.n * width
            if work > WORK_PER_NODE * self.node_limit:
                raise TooLarge
            layer, rows = self._layer(rows, number, before, last=depth + 1 == len(self.order))
            layers.append(layer)
            total_nodes += rows.n
            total_arcs += len(layer.child)
            if total_nodes > self.node_limit or total_arcs > ARCS_PER_NODE * self.node_limit:
                raise TooLarge
            before |= 1 << number
            if rows.n == 0:
                break
        for number in self.order[len(layers) :]:
            empty = np.zeros(0, dtype=np.int32)
            layers.append(Layer(np.zeros(1, dtype=np.int64), empty, empty, self.domains[number].width))
        return Diagram(layers)

    def _layer(self, rows: Rows, number: int, before: int, *, last: bool) -> tuple[Layer, Rows]:
        domain = self.domains[number]
        step = max(1, BLOCK // max(1, len(domain.index)))
        sources, values, ids, distinct_rows = [], [], [], []
        seen = 0
        for start in range(0, rows.n, step):
            block = rows if rows.n <= step else rows.take(np.arange(start, min(rows.n, start + step)))
            with np.errstate(divide="ignore", invalid="ignore"):  # rows that need a value no more hold zeros
                source, value, following = self.expand(block, number, before, last=last)
            local, first = dedupe(following.key())
            sources.append(source + start)
            values.append(domain.index[value].astype(np.int32))
            ids.append(local + np.int32(seen))
            distinct_rows.append(following.take(first))
            seen += len(first)
            if seen > self.node_limit or sum(map(len, ids)) > ARCS_PER_NODE * self.node_limit:
                raise TooLarge
        source = joined(sources)
        child: Nodes = joined(ids)
        following = distinct_rows[0]
        if len(distinct_rows) > 1:
            following = stacked(distinct_rows)
            again, first = dedupe(following.key())
            child, following = again[child], following.take(first)
        begin = np.zeros(rows.n + 1, dtype=np.int64)
        np.cumsum(np.bincount(source, minlength=rows.n), out=begin[1:])
        return Layer(begin, joined(values), child, domain.width), following

    def expand(
        self, rows: Rows, number: int, before: int, *, last: bool, domain: Choices | None = None
    ) -> tuple[Indices, Indices, Rows]:
        """Feasible pairs of a row and a value of variable `number`: row numbers, places in the domain, rows beyond."""
        domain = domain or self.domains[number]
        bound = before | 1 << number
        d = len(domain.index)
        known = {t: (v[:, None], None if s is None else s[:, None]) for t, (v, s) in rows.terms.items()}
        known[self.terms.variable(number)] = (domain.column[None, :], None)
        ok = np.ones((rows.n, d), dtype=bool)
        used = self._lay(rows, number, domain, known, ok)
        evaluator = TermEvaluator(self.terms, known, before, bound)
        settled: dict[int, Mask] = {}
        pending: list[int] = []
        settled_before: list[int] = []
        for c, constraint in enumerate(self.constraints):
            mask = constraint.term.mask
            if not mask >> number & 1 and not mask & ~before:
                continue
            if c in rows.done and rows.done[c].all():
                if mask & ~bound:
                    settled_before.append(c)
                continue
            if not mask & ~bound:
                if mask >> number & 1:
                    self._require(evaluator, constraint.term, rows.done.get(c), ok)
                continue
            if mask & bound:
                pending.append(c)
                if constraint.decidable and mask >> number & 1:
                    self._decide(evaluator, c, rows, ok, settled)
        flat = np.flatnonzero(ok)
        source = flat // d
        value = flat - source * d
        following = Rows(len(flat))
        if not last:  # behind the last layer there is one node, whatever was settled on the way
            following.done = {c: np.ones(len(flat), dtype=bool) for c in settled_before}
            pick = PairSelection(flat, source, value, rows.n, d)
            following.used = {p: pick(u) for p, u in used.items()}
            self._frontier(evaluator, pending, rows, settled, pick, following)
        return source, value, following

    def _require(self, evaluator: TermEvaluator, t: Term, done: Mask | None, ok: Mask) -> None:
        where = ok if done is None else ok & ~done[:, None]
        met: Mask = evaluator.satisfied(t, where)
        np.logical_and(ok, met if done is None else np.logical_or(met, done[:, None]), out=ok)

    def _decide(self, evaluator: TermEvaluator, c: int, rows: Rows, ok: Mask, settled: dict[int, Mask]) -> None:
        """Drops pairs at which a constraint can no longer hold, and notes those at which it must."""
        done = rows.done.get(c)
        lo, hi, undefined = evaluator.range(self.constraints[c].term)
        if np.ndim(hi) == 0 and hi == 1 and (np.ndim(lo) == 0 and lo == 0):
            return
        possible = np.greater(hi, 0)
        if not possible.all():
            np.logical_and(ok, possible if done is None else np.logical_or(possible, done[:, None]), out=ok)
        certain = np.greater(lo, 0)
        if not undefined and certain.any():
            settled[c] = certain if done is None else np.logical_or(certain, done[:, None])

    def _frontier(
        self,
        evaluator: TermEvaluator,
        pending: list[int],
        rows: Rows,
        settled: dict[int, Mask],
        pick: PairSelection,
        following: Rows,
    ) -> None:
        """Values of the bound subterms that undecided constraints need; zero in rows where none needs them."""
        needed: dict[Term, Mask | None] = {}
        for c in pending:
            done = settled.get(c, rows.done[c][:, None] if c in rows.done else None)
            open_: Mask | None = None
            if done is not None:
                following.done[c] = pick(done)
                open_ = ~following.done[c]
                if not open_.any():
                    continue
            for t in self.terms.frontier(self.constraints[c].term, evaluator.bound):
                if t not in needed:
                    needed[t] = open_
                else:
                    so_far = needed[t]
                    needed[t] = None if so_far is None or open_ is None else so_far | open_
        for t, open_ in needed.items():
            if t.kind == "place" and t.mask & ~evaluator.bound and t not in evaluator.known:
                continue
            term_values, its_status = evaluator.value(t)
            values, status = pick(term_values), None if its_status is None else pick(its_status)
            if open_ is not None:
                values = np.where(open_, values, values.dtype.type(0))
                status = None if status is None else np.where(open_, status, np.uint8(0))
            following.terms[t] = (values, status)

    def _lay(self, rows: Rows, number: int, domain: Choices, known: Known, ok: Mask) -> dict[str, Indices]:
        """A permutation's position takes an item not used yet; places of items follow. Returns the items used."""
        used: dict[str, Indices] = {p: u[:, None] for p, u in rows.used.items()}
        variable = self.terms.variables[number]
        if variable.position < 0:
            return used
        name, item = variable.parameter, domain.index[None, :]
        before = used.pop(name, np.zeros((rows.n, 1), dtype=np.int64))
        np.logical_and(ok, (before >> item & 1) == 0, out=ok)
        for t in self.places.get(name, ()):
            was = known[t][0] if t in known else np.full((1, 1), -1, dtype=np.int64)
            known[t] = (np.where(item == t.code, variable.position, was), None)
        if variable.position + 1 < len(self.terms.positions[name]):
            used[name] = before | np.int64(1) << item
        return used


def _decidable(t: Term) -> bool:
    """An equation with a remainder is not settled by ranges worth their time."""
    e = t.expr
    if t.kind == "apply" and isinstance(e, nodes.Compare) and e.ops[0] in ("==", "!="):
        return not any(isinstance(c.expr, nodes.Binary) and c.expr.op == "%" for c in t.children)
    return True


def _places(constraints: Sequence[Term]) -> dict[str, list[Term]]:
    """The place terms that constraints mention, by permutation."""
    places: dict[str, dict[int, Term]] = {}
    stack = list(constraints)
    while stack:
        t = stack.pop()
        if t.kind == "place":
            places.setdefault(t.owner, {})[t.code] = t
        stack.extend(t.children)
    return {name: list(by_code.values()) for name, by_code in places.items()}
