"""A schedule for an expression that was written without one: directives, and parameters for their numbers.

| parameter | choice |
|---|---|
| chunk | how many rows a thread takes at a time: the split of the outermost loop that may run on threads |
| unroll | copies of the loop over a segment's positions, side by side |
| tile_k | the tile of a dense loop, of an expression without a sparse operand |
| order | of the loops, all or the innermost `MOST_ORDERED` |
| threads, omp, omp_chunk | OpenMP's: how many, and how they share the loop |

Steps are tried one after the other, and one that breaks a rule for this expression is left out: the default is legal.
At the defaults loops run in storage order, rows on threads, the dense loop that memory lies along in vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tunepass.expr.nodes import Name
from tunepass.expr.typing import name
from tunepass.ir import tensor as t
from tunepass.ir.tensor import accesses
from tunepass.space.parameter import Categorical, Ordinal, Parameter, Permutation
from tunepass.tensors.notation import all_variables
from tunepass.tensors.schedule.nest import IllegalSchedule, ScheduledNest, scheduled_nest

MOST_ORDERED = 6  # loops that are reordered: 720 orders
MOST_TILED = 3
CHUNK, UNROLL, TILE = 32, 1, 64  # defaults


@dataclass(frozen=True, slots=True)
class Proposal:
    """The directives name the parameters, whose defaults are legal."""

    parameters: tuple[Parameter, ...] = ()
    directives: tuple[t.Directive, ...] = ()

    def and_also(self, parameters: Sequence[Parameter], directives: Sequence[t.Directive]) -> Proposal:
        return Proposal((*self.parameters, *parameters), (*self.directives, *directives))


def proposal(assignment: t.Assignment, tensors: tuple[t.Tensor, ...], most_threads: int = 1) -> Proposal:
    """Raises IllegalSchedule for an expression of which no loops are legal."""
    return _Proposing(t.TensorKernel(assignment=assignment, tensors=tensors), most_threads).propose()


def powers(parameter: str, low: int, high: int, default: int) -> Ordinal:
    """Powers of two from `low` on, and `high`."""
    values = [2**k for k in range(low.bit_length() - 1, high.bit_length())]
    return Ordinal(parameter, sorted({*values, high}), default=default, log=True)


@dataclass(frozen=True, slots=True)
class _Proposing:
    body: t.TensorKernel
    most_threads: int

    def propose(self) -> Proposal:
        draft = Proposal()
        self._nest(draft)
        steps = (self._rows, self._positions) if self._sparse() else (self._tiles,)
        for step in (*steps, self._order, self._unroll, self._vector, self._threads):
            draft = next((candidate for candidate in step(draft) if self._is_legal(candidate)), draft)
        return draft

    def _is_legal(self, draft: Proposal) -> bool:
        try:
            self._nest(draft)
        except IllegalSchedule:
            return False
        return True

    def _nest(self, draft: Proposal) -> ScheduledNest:
        defaults = {parameter.name: parameter.default for parameter in draft.parameters}
        return scheduled_nest(replace(self.body, schedule=draft.directives), defaults)

    def _sparse(self) -> tuple[t.Access, t.Tensor] | None:
        """The first sparse operand."""
        read = ((access, self.body.tensor(access.tensor)) for access in accesses(self.body.assignment.right))
        return next(((access, tensor) for access, tensor in read if tensor.format.sparse), None)

    # --- steps: what may be added to a proposal, the best first

    def _rows(self, draft: Proposal) -> Iterator[Proposal]:
        """Chunks of the outermost loop, where the result has it: threads may take them."""
        for outermost in self._nest(draft).loops[:1]:
            if outermost.variable in self.body.assignment.left.index or not self.body.assignment.left.index:
                yield from self._chunks(draft, outermost.variable, powers("chunk", 2, 512, CHUNK))

    def _positions(self, draft: Proposal) -> Iterator[Proposal]:
        """Chunks of the innermost segments, to be unrolled."""
        sparse = self._sparse()
        assert sparse
        access, tensor = sparse
        if tensor.format.levels[-1] == "compressed":
            yield from self._chunks(draft, access.index[tensor.format.order[-1]], powers("unroll", 1, 64, UNROLL))

    def _tiles(self, draft: Proposal) -> Iterator[Proposal]:
        """Tiles of the loops of a dense expression."""
        for loop in self._nest(draft).loops[:MOST_TILED]:
            draft = draft.and_also(*self._split(loop.variable, powers(f"tile_{loop.variable}", 8, 256, TILE)))
        yield draft

    def _order(self, draft: Proposal) -> Iterator[Proposal]:
        """Dense tiles stand outside of what they are tiles of; else loops are in storage order."""
        block = [loop.variable for loop in self._nest(draft).loops][-MOST_ORDERED:]
        tiles = {d.outer for d in draft.directives if isinstance(d, t.Split)} if not self._sparse() else set()
        if len(block) > 1:
            items = sorted(block, key=lambda loop: loop not in tiles)
            yield draft.and_also([Permutation("order", items)], [t.Reorder(tuple(items), "order")])

    def _unroll(self, draft: Proposal) -> Iterator[Proposal]:
        for d in draft.directives:
            if isinstance(d, t.Split) and isinstance(d.factor, Name) and d.factor.name == "unroll":
                yield draft.and_also((), [t.Unroll(d.inner, d.factor)])

    def _vector(self, draft: Proposal) -> Iterator[Proposal]:
        """The innermost dense loop along which a tensor lies in memory."""
        nest, sparse = self._nest(draft), self._sparse()
        along = {
            access.index[self.body.tensor(access.tensor).format.order[-1]] for access in self._used() if access.index
        }
        along -= set(sparse[0].index) if sparse else set()
        for loop in reversed(nest.loops):
            if along & set(nest.roots(loop.variable)):
                for race in ("IgnoreRaces", "ParallelReduction"):
                    summed = not set(nest.roots(loop.variable)) <= set(self.body.assignment.left.index)
                    if summed == (race == "ParallelReduction"):
                        yield draft.and_also((), [t.Parallelize(loop.variable, "CPUVector", race)])

    def _threads(self, draft: Proposal) -> Iterator[Proposal]:
        """The outermost loop; the sum of a scalar is one of each thread's."""
        if self.most_threads == 1:
            return
        parameters = (
            Categorical("omp", ["static", "dynamic"]),
            powers("omp_chunk", 1, 256, 1),
            powers("threads", 1, self.most_threads, self.most_threads),
        )
        policy, chunk, threads = (name(p.name, {p.name: p.type}) for p in parameters)
        race: t.Race = "NoRaces" if self.body.assignment.left.index else "ParallelReduction"
        for loop in self._nest(draft).loops[:1]:
            yield draft.and_also(parameters, [t.Parallelize(loop.variable, "CPUThread", race, policy, chunk, threads)])

    # --- parts

    def _used(self) -> tuple[t.Access, ...]:
        return (self.body.assignment.left, *accesses(self.body.assignment.right))

    def _chunks(self, draft: Proposal, variable: str, size: Ordinal) -> Iterator[Proposal]:
        """By positions where a level is compressed: chunks of its coordinates would have to be searched for."""
        sparse = self._sparse()
        if sparse and "compressed" in _levels_of(*sparse, variable):
            position = self._new_names(variable, ("pos",))[0]
            parameters, splits = self._split(position, size)
            yield draft.and_also(parameters, [t.Pos(variable, position, sparse[1].name), *splits])
        else:
            yield draft.and_also(*self._split(variable, size))

    def _split(self, variable: str, size: Ordinal) -> tuple[list[Parameter], list[t.Directive]]:
        outer, inner = self._new_names(variable, ("0", "1"))
        return [size], [t.Split(variable, outer, inner, name(size.name, {size.name: size.type}))]

    def _new_names(self, base: str, endings: tuple[str, ...]) -> tuple[str, ...]:
        """Names that nothing has: `i0` and `i1`, or `ix0` and `ix1` where there is one of these."""
        used = {tensor.name for tensor in self.body.tensors} | set(all_variables(self.body.assignment))
        while used & {base + ending for ending in endings}:
            base += "x"
        return tuple(base + ending for ending in endings)


def _levels_of(access: t.Access, tensor: t.Tensor, variable: str) -> list[str]:
    """How the modes that `variable` indexes are stored."""
    levels = zip(tensor.format.order, tensor.format.levels)
    return [level for mode, level in levels if access.index[mode] == variable]
