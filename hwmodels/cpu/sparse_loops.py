"""The loops that a tensor kernel's directives make: what each is derived from, and which stand outside which.

The order is kept as a relation, `a` stands outside `b`, which is a constant where the directives settle it and a
comparison of positions in a permutation parameter where that does. Positions count from 0, the outermost loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunepass.expr import algebra as alg
from tunepass.expr import typing
from tunepass.expr.nodes import BOOL, Constant, Expr, OrderType, Type
from tunepass.hwmodels.cpu.loops import real
from tunepass.ir import tensor as t

YES, NO = Constant(True, BOOL), Constant(False, BOOL)


@dataclass(frozen=True, slots=True)
class Parts:
    """The variable's values are `outer` and `inner` ones; the inner loop has `factor` of them, the outer one where it
    is `divided`."""

    outer: str
    inner: str
    factor: Expr
    divided: bool


@dataclass(frozen=True, slots=True)
class Renamed:
    """The same variable under another name; `by_position` from there on."""

    to: str
    by_position: bool


@dataclass(frozen=True, slots=True)
class FusedInto:
    """The variable is the `outer` or the inner part of a fused one."""

    fused: str
    outer: bool


Derivation = Parts | Renamed | FusedInto


def roots(body: t.TensorKernel) -> tuple[str, ...]:
    """The index variables in the order of loops that no directive changes: the result's first, each as early as the
    levels of sparse tensors let it."""
    all_accesses = (body.assignment.left, *t.accesses(body.assignment.right))
    waiting = list(dict.fromkeys(name for access in all_accesses for name in access.index))
    before = [edge for access in all_accesses for edge in _edges(access, body.tensor(access.tensor))]
    placed: list[str] = []
    while waiting:
        ready = [v for v in waiting if all(a in placed for a, b in before if b == v)]
        chosen = (ready or waiting)[0]  # formats that contradict each other have no order
        waiting.remove(chosen)
        placed.append(chosen)
    return tuple(placed)


def _edges(access: t.Access, tensor: t.Tensor) -> list[tuple[str, str]]:
    """A compressed level is reached through all levels before it."""
    stored = [access.index[mode] for mode in tensor.format.order]
    levels = tensor.format.levels
    return [(stored[a], stored[b]) for b in range(len(stored)) if levels[b] == "compressed" for a in range(b)]


class SparseLoops:
    """The loops of a body after all its directives; `types` are those of the kernel's parameters."""

    def __init__(self, body: t.TensorKernel, types: Mapping[str, Type]):
        self.types = types
        self.roots = roots(body)
        self.derived: dict[str, Derivation] = {}
        self.unrolled: dict[str, Expr] = {}
        self.parallel: dict[str, t.Parallelize] = {}
        self.precomputed: list[t.Precompute] = []
        self.names: list[str] = list(self.roots)
        places = list(enumerate(self.names))
        self._outside: dict[tuple[str, str], Expr] = {
            (a, b): YES if p < q else NO for p, a in places for q, b in places
        }
        self._permutation: tuple[str, tuple[str, ...]] | None = None
        for directive in body.schedule:
            self._apply(directive)
        self.positions = {name: self._position(name) for name in self.names}

    @property
    def depth(self) -> int:
        return len(self.names)

    def outside(self, a: str, b: str) -> Expr:
        return self._outside[a, b]

    def from_on(self, name: str, position: int) -> Expr:
        """Does the loop stand at `position` or further inside?"""
        return YES if position <= 0 else alg.compare(self.positions[name], ">=", position)

    def innermost(self, name: str) -> Expr:
        return alg.compare(self.positions[name], "==", self.depth - 1)

    def at(self, position: Expr, values: Sequence[Expr]) -> Expr:
        """The value of a position, `values` having one for each."""
        result = values[-1]
        for q in reversed(range(len(values) - 1)):
            result = alg.where(alg.compare(position, "<=", q), values[q], result)
        return result

    def leaves(self, variable: str) -> tuple[str, ...]:
        """The loops that the variable's values come from."""
        match self.derived.get(variable):
            case Parts(outer, inner):
                return (*self.leaves(outer), *self.leaves(inner))
            case Renamed(to):
                return self.leaves(to)
            case FusedInto(fused):
                return self.leaves(fused)
            case _:
                return (variable,)

    def is_loop(self, variable: str) -> bool:
        """Is the variable one loop, perhaps under another name?"""
        match self.derived.get(variable):
            case Renamed(to):
                return self.is_loop(to)
            case derived:
                return derived is None

    def unit(self, variable: str) -> str:
        """The loop along which the variable goes by one."""
        match self.derived.get(variable):
            case Parts(_, inner):
                return self.unit(inner)
            case Renamed(to):
                return self.unit(to)
            case FusedInto(fused):
                return self.unit(fused)
            case _:
                return variable

    def deepest(self, variables: Sequence[str]) -> Expr:
        """The position of the loop that settles the last of the variables; -1 without any."""
        places = [self.positions[leaf] for v in variables for leaf in self.leaves(v)]
        return alg.maximum(*places) if places else alg.lift(-1)

    def by_position(self, variable: str) -> bool:
        """Do positions of a level stand for the variable before it is split?"""
        match self.derived.get(variable):
            case Renamed(to, by_position):
                return by_position or self.by_position(to)
            case FusedInto(fused):
                return self.by_position(fused)
            case Parts(outer, inner):
                return self._reaches_fused(outer) or self._reaches_fused(inner)
            case _:
                return True

    def _reaches_fused(self, variable: str) -> bool:
        """Is a part of the variable fused? Then positions are split all the same."""
        match self.derived.get(variable):
            case Parts(outer, inner):
                return self._reaches_fused(outer) or self._reaches_fused(inner)
            case Renamed(to):
                return self._reaches_fused(to)
            case derived:
                return isinstance(derived, FusedInto)

    def _apply(self, directive: t.Directive) -> None:
        match directive:
            case t.Split(v, outer, inner, factor) if v in self.names:
                self.derived[v] = Parts(outer, inner, real(factor), False)
                self._replace(v, (outer, inner))
            case t.Divide(v, outer, inner, factor) if v in self.names:
                self.derived[v] = Parts(outer, inner, real(factor), True)
                self._replace(v, (outer, inner))
            case t.Fuse(outer, inner, fused) if outer in self.names and inner in self.names:
                self.derived[outer], self.derived[inner] = FusedInto(fused, True), FusedInto(fused, False)
                self.names.remove(inner)
                self._replace(outer, (fused,))
            case t.Pos(v, position) if v in self.names:
                self.derived[v] = Renamed(position, True)
                self._replace(v, (position,))
            case t.Bound(v, bounded) if v in self.names:
                self.derived[v] = Renamed(bounded, False)
                self._replace(v, (bounded,))
            case t.Reorder(variables, parameter):
                self._reorder(variables, parameter)
            case t.Unroll(v, factor) if v in self.names:
                self.unrolled[v] = real(alg.maximum(1, factor))
            case t.Parallelize(v) if v in self.names:
                self.parallel[v] = directive
            case t.Precompute():
                self.precomputed.append(directive)
            case _:
                pass  # of a variable that is no loop, as a workspace's own

    def _replace(self, old: str, new: tuple[str, ...]) -> None:
        place = self.names.index(old)
        others = [name for name in self.names if name != old]
        self.names[place : place + 1] = new
        for name in new:
            for other in others:
                self._outside[name, other] = self._outside[old, other]
                self._outside[other, name] = self._outside[other, old]
        for p, a in enumerate(new):
            for q, b in enumerate(new):
                self._outside[a, b] = YES if p < q else NO

    def _reorder(self, variables: tuple[str, ...], parameter: str | None) -> None:
        listed = [v for v in variables if v in self.names]
        for p, a in enumerate(listed):
            for q, b in enumerate(listed):
                if a != b:
                    order = parameter and alg.compare(
                        self._place(parameter, variables, a), "<", self._place(parameter, variables, b)
                    )
                    self._outside[a, b] = order or (YES if p < q else NO)
        if parameter is not None:
            self._permutation = (parameter, variables)

    def _place(self, parameter: str, variables: tuple[str, ...], variable: str) -> Expr:
        kind = self.types[parameter]
        assert isinstance(kind, OrderType)
        item = variable if variable in kind.items else kind.items[variables.index(variable)]
        return typing.call("pos", (typing.name(parameter, self.types), typing.constant(item)))

    def _position(self, name: str) -> Expr:
        """How many loops stand outside; simply the place in a permutation that orders the loop."""
        others = [other for other in self.names if other != name]
        parameter, listed = self._permutation or ("", ())
        if name in listed and all(v in self.names for v in listed):
            rest = [self._outside[other, name] for other in others if other not in listed]
            if all(isinstance(r, Constant) for r in rest):
                return alg.add(self._place(parameter, listed, name), sum(r == YES for r in rest))
        return alg.add(*(alg.where(self._outside[other, name], 1, 0) for other in others)) if others else alg.lift(0)
