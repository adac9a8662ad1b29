"""Threads: the share of the busiest core, what starting and feeding a team costs, and what writing together does.

| symbol | meaning |
|---|---|
| n | iterations of the parallel loop, each time it is begun |
| c | iterations that a thread takes at once |
| T, p | threads, and cores that they can run on at once |
| v | standard deviation over mean of an iteration's work: the segments' own over the root of how many it has |

Chunks that are dealt out (`static`) leave the busiest thread ceil(ceil(n / c) / T) of them, and by chance more work
than the mean; those that are taken (`dynamic`) end at most one chunk apart, and cost a dispatch each. More threads than
cores take turns, and longer to start.
"""

from __future__ import annotations

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import CategoryType, Constant, Expr
from tunepass.hwmodels.cpu.device import Cpu
from tunepass.hwmodels.cpu.loops import real
from tunepass.hwmodels.cpu.sparse_counts import Counts
from tunepass.hwmodels.cpu.sparse_loops import NO, YES, FusedInto
from tunepass.ir.tensor import Parallelize

ABOVE_MEAN = 0.8  # standard deviations by which the busiest of a few threads is above the mean
DISPATCHES = 3.0  # calls that handing out a chunk takes; threads hand out one after the other
ATOMIC_CALLS = 2.0  # an element that is updated atomically, in calls


class Threads:
    """A loop over threads."""

    def __init__(self, counts: Counts, directive: Parallelize, device: Cpu):
        self.counts, self.device, self.directive = counts, device, directive
        loops = counts.loops
        self.position = loops.positions[directive.variable]
        depth = loops.depth
        self.entries = loops.at(self.position, [counts.entries(q) for q in range(depth)])
        self.trips = alg.maximum(1.0, loops.at(self.position, [counts.trips(q) for q in range(depth)]))
        stated = directive.threads
        self.threads = alg.maximum(1.0, real(stated)) if stated is not None else alg.lift(float(device.cores))
        self.cores = alg.minimum(self.threads, float(device.cores))
        self.dynamic = _is_dynamic(directive.policy)
        self.chunk = self._chunk()
        self.chunks = alg.ceildiv(self.trips, self.chunk)

    def share(self) -> Expr:
        """The part of the work that the busiest core has."""
        shared = alg.where(self.dynamic, self._taken(), self._dealt())
        alone = self._longest()
        return alg.minimum(1.0, alg.where(alg.compare(self.cores, ">", 1), alg.maximum(shared, alone), 1.0))

    def ns(self, stores: Expr) -> Expr:
        """Starting teams, dispatching chunks, and `stores` that threads may not do at the same time."""
        core = self.device.core
        started = alg.add(1.0, alg.sub(self.threads, self.cores))
        fork = alg.where(alg.compare(self.threads, ">", 1), alg.mul(core.fork_ns, started), 0.0)
        dispatch = alg.mul(DISPATCHES * core.call_ns, self.chunks)
        team = alg.add(fork, alg.where(self.dynamic, dispatch, 0.0))
        together = alg.mul(ATOMIC_CALLS * core.call_ns, stores) if self.directive.race == "Atomics" else alg.lift(0.0)
        return alg.add(alg.mul(self.entries, team), alg.div(together, self.cores))

    def _chunk(self) -> Expr:
        """c: stated, else all of a thread's iterations where they are dealt out, and 1 where they are taken."""
        if self.directive.chunk is not None:
            return alg.minimum(self.trips, alg.maximum(1.0, real(self.directive.chunk)))
        return alg.where(self.dynamic, 1.0, alg.ceildiv(self.trips, self.threads))

    def _dealt(self) -> Expr:
        rounds = alg.ceildiv(self.chunks, self.threads)
        threads_per_core = alg.ceildiv(alg.minimum(self.chunks, self.threads), self.cores)
        even = alg.div(alg.mul(rounds, threads_per_core, self.chunk), self.trips)
        each = alg.maximum(1.0, alg.div(self.trips, self.cores))
        above = alg.div(alg.mul(ABOVE_MEAN, self._variation()), alg.apply("sqrt", each))
        return alg.minimum(1.0, alg.mul(even, alg.add(1.0, above)))

    def _taken(self) -> Expr:
        waiting = alg.mul(0.5, alg.div(self.chunk, self.trips), alg.add(1.0, self._variation()))
        return alg.add(alg.div(1.0, alg.minimum(self.cores, self.chunks)), waiting)

    def _variation(self) -> Expr:
        """v of the notation."""
        squares: list[Expr] = []
        for inside in self._inside():
            parents = [self.counts.nodes(inside[0], q + 1) for q in range(self.counts.loops.depth)]
            held = alg.maximum(1.0, self.counts.loops.at(self.position, parents))
            squares.append(alg.div(inside[1] * inside[1], held))
        return alg.apply("sqrt", alg.add(0.0, *squares))

    def _longest(self) -> Expr:
        """The share of the longest segment, which no thread can leave to another."""
        shares = [inside[2] for inside in self._inside()]
        return alg.lift(max(shares, default=0.0))

    def _inside(self) -> list[tuple[tuple[str, ...], float, float]]:
        """The levels of segments: the variables before, the lengths' variation, the longest one's share of all nodes.
        Positions of a loop that is fused with the rows are all alike."""
        loops = self.counts.loops
        levels: list[tuple[tuple[str, ...], float, float]] = []
        for name in loops.roots:
            segments = self.counts.ranges[name].segments
            derived = loops.derived.get(name)
            if segments is None or not segments.before or (isinstance(derived, FusedInto) and not derived.outer):
                continue
            if self.directive.variable in loops.leaves(name):
                continue
            levels.append((segments.before, segments.variation, segments.longest / segments.nodes))
        return levels


def _is_dynamic(policy: Expr | None) -> Expr:
    if policy is None:
        return NO
    if isinstance(policy, Constant):
        return YES if policy.value in ("dynamic", 1) else NO
    if isinstance(policy.type, CategoryType):
        if "dynamic" not in policy.type.values:
            return NO
        return alg.compare(policy, "==", typing.constant("dynamic"))
    return alg.compare(policy, "!=", 0)
