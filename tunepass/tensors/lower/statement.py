"""One statement of a nest: a product that is added to a result, its loops, and how each of its levels is reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from tunepass.ir.tensor import Access
from tunepass.tensors.lower.function import LoweringError
from tunepass.tensors.lower.storage import Storage
from tunepass.tensors.lower.text import Quantity
from tunepass.tensors.lower.variables import Variables
from tunepass.tensors.schedule.loops import Derivation, parents
from tunepass.tensors.schedule.nest import NestLoop, PosOf, Workspace
from tunepass.tensors.terms import Term


@dataclass(frozen=True, slots=True)
class Producer:
    """A workspace, the access that writes it, and the terms it is the sum of."""

    workspace: Workspace
    access: Access
    terms: tuple[Term, ...]
    depth: int  # how many loops of the statement that reads it are around


@dataclass(slots=True, kw_only=True)
class Statement:
    """`result += term` inside `loops`, which follow the operand `sparse`, of the term or of a producer.

    `others` are the term's further sparse operands. Where a loop is over the index variable of a compressed level of
    one of them, and over no positions of `sparse`, it goes through the entries of that level (`walked`, by loop). All
    their other levels are looked up where the coordinate is known.
    """

    result: Access
    term: Term
    loops: tuple[NestLoop, ...]
    variables: Variables
    storage: Storage
    sparse: Access | None
    others: tuple[Access, ...] = ()
    producers: tuple[Producer, ...] = ()
    given: frozenset[str] = frozenset()  # index variables whose values enclosing loops give
    sought: bool = False  # enclosing loops give no positions of `sparse`, which are looked up
    index_of: dict[str, int] = field(init=False)
    levels: tuple[str, ...] = field(init=False)  # index variables of the sparse operand's levels that loops go through
    walked: dict[str, tuple[Access, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.index_of = {loop.variable: index for index, loop in enumerate(self.loops)}
        stored = self.storage.stored(self.sparse) if self.sparse else ()
        covered = {root for loop in self.loops for root in self.variables.roots(loop.variable)} | self.given
        self.levels = tuple(takewhile(lambda root: root in covered, stored))
        if self.sparse is not None and len(set(stored)) < len(stored):
            raise LoweringError(f"the sparse {self.sparse.tensor} has an index variable twice", self.sparse.span)
        self.walked = {}
        for access in self.others:
            for level in range(len(access.index)):
                if (loop := self._walking(access, level)) is not None:
                    self.walked.setdefault(loop, (access, level))

    def _walking(self, access: Access, level: int) -> str | None:
        """The loop that can go through the entries of the level."""
        *above, root = self.storage.stored(access)[: level + 1]
        depth = self.depth_of(root)
        if not self.storage.compressed(access, level) or depth == 0 or self.loops[depth - 1].variable != root:
            return None
        outside = all(self.depth_of(other) < depth for other in above)
        return root if outside and root not in self.by_positions() else None

    def unconditional(self) -> tuple[int, int]:
        """How many loops go through all that `sparse` and the extents say, other operands being looked up deeper: for
        what stands inside these loops, and for what stands there before anything is looked up."""
        inside, before = len(self.loops), len(self.loops)
        if self.sought and any(self.compressed(level) for level, root in enumerate(self.levels) if root in self.given):
            return -1, 0
        for access in self.others:
            for level, root in enumerate(self.storage.stored(access)):
                if self.storage.compressed(access, level):
                    depth = self.depth_of(root)
                    is_walked = self.walked.get(root) == (access, level)
                    inside, before = min(inside, depth - 1), min(before, depth - is_walked)
        return inside, before

    def compressed(self, level: int) -> bool:
        assert self.sparse
        return self.storage.tensors[self.sparse.tensor].format.levels[level] == "compressed"

    def depth_of(self, root: str) -> int:
        """How many loops are around where the index variable is known."""
        if root in self.given:
            return 0
        return 1 + max(self.index_of.get(leaf, -1) for leaf in self.variables.leaves(root))

    def roots_at(self, index: int) -> tuple[str, ...]:
        return self.variables.roots(self.loops[index].variable)

    def free(self) -> frozenset[str]:
        return frozenset(self.result.index)

    def reduces(self, index: int) -> bool:
        """Do several steps of the loop add to one number of the result?"""
        return not set(self.roots_at(index)) <= self.free()

    def position_variables(self) -> dict[str, str]:
        """Leaves that count positions, and the position variable each is of."""
        positions: dict[str, str] = {}
        for derivation in self.variables.derivations:
            if isinstance(derivation, PosOf):
                positions |= dict.fromkeys(self.variables.leaves(derivation.position), derivation.position)
        return positions

    def resolvers(self) -> frozenset[str]:
        """Leaves whose loops go through positions, though they are not position variables."""
        positions = self.position_variables()
        leaves = set()
        for level, root in enumerate(self.levels):
            if self.compressed(level) and root not in self.given:
                leaf = self.loops[self.depth_of(root) - 1].variable
                leaves |= {leaf} - set(positions)
        return frozenset(leaves)

    def by_positions(self) -> frozenset[str]:
        return self.resolvers() | frozenset(self.position_variables()) | frozenset(self.walked)

    def enumerated(self, root: str) -> bool:
        """Do the loops go through all coordinates of the index variable?"""
        return root in self.given or not self.variables.leaves(root) & self.by_positions()


def usable_loops(
    loops: Sequence[NestLoop],
    derivations: Sequence[Derivation],
    roots: Iterable[str],
    sparse: Access | None,
    levels: Sequence[str],
    sizes: Mapping[str, Quantity],
) -> tuple[tuple[NestLoop, ...], Variables] | None:
    """The scheduled loops of a term over the index variables `roots`; None where one of them is of others too, or goes
    through positions the term does not have."""
    roots = tuple(roots)
    variables = Variables(derivations, dict(sizes))
    usable = [loop for loop in loops if set(variables.roots(loop.variable)) & set(roots)]
    covered = {root for loop in usable for root in variables.roots(loop.variable)}
    follows = all(position.tensor == (sparse and sparse.tensor) for position in positions_above(usable, variables))
    if covered == set(roots) and follows:
        computable = tuple(d for d in derivations if {r for p in parents(d) for r in variables.roots(p)} <= covered)
        return tuple(usable), Variables(computable, dict(sizes))
    return None


def plain_loops(
    loops: Sequence[NestLoop], derivations: Sequence[Derivation], roots: Sequence[str], levels: Sequence[str]
) -> tuple[NestLoop, ...]:
    """A loop for each index variable, in the scheduled order as far as that follows the sparse operand."""
    variables = Variables(derivations, {})
    met = [root for loop in loops for root in variables.roots(loop.variable) if root in roots]
    order = list(dict.fromkeys([*met, *roots]))
    ranked = iter([root for root in levels if root in order])
    order = [next(ranked) if root in levels else root for root in order]
    return tuple(NestLoop(root) for root in order)


def positions_above(loops: Sequence[NestLoop], variables: Variables) -> list[PosOf]:
    leaves = {loop.variable for loop in loops}
    return [d for d in variables.derivations if isinstance(d, PosOf) and variables.leaves(d.position) & leaves]
