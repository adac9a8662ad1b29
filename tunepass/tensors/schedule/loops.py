"""A scheduled nest: concrete loops, and how every loop's variable comes from the index variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tunepass.ir.tensor import Assignment, BoundKind, Race, Tensor, TensorExpr, Unit


@dataclass(frozen=True, slots=True)
class SplitBy:
    """`inner` has the extent `factor`."""

    parent: str
    outer: str
    inner: str
    factor: int


@dataclass(frozen=True, slots=True)
class DivideBy:
    """`outer` has the extent `factor`."""

    parent: str
    outer: str
    inner: str
    factor: int


@dataclass(frozen=True, slots=True)
class FuseOf:
    """`fused` runs over all pairs of `outer` and `inner`."""

    outer: str
    inner: str
    fused: str


@dataclass(frozen=True, slots=True)
class PosOf:
    """`position` runs over the positions that `variable`'s coordinates have in a compressed level of `tensor`."""

    variable: str
    position: str
    tensor: str


@dataclass(frozen=True, slots=True)
class BoundOf:
    """`bounded` is `variable` with the constant extent `extent`."""

    variable: str
    bounded: str
    extent: int
    bound: BoundKind = "MaxExact"


Derivation = SplitBy | DivideBy | FuseOf | PosOf | BoundOf


def parents(derivation: Derivation) -> tuple[str, ...]:
    """The variables that it takes."""
    match derivation:
        case SplitBy(parent=parent) | DivideBy(parent=parent):
            return (parent,)
        case FuseOf(outer=outer, inner=inner):
            return (outer, inner)
        case PosOf(variable=variable) | BoundOf(variable=variable):
            return (variable,)


def children(derivation: Derivation) -> tuple[str, ...]:
    """The variables that it makes."""
    match derivation:
        case SplitBy(outer=outer, inner=inner) | DivideBy(outer=outer, inner=inner):
            return (outer, inner)
        case FuseOf(fused=fused):
            return (fused,)
        case PosOf(position=position):
            return (position,)
        case BoundOf(bounded=bounded):
            return (bounded,)


@dataclass(frozen=True, slots=True)
class NestLoop:
    """A loop. `policy`, `chunk` and `threads` are OpenMP's, None where they are left to it; `unroll` 1 leaves it."""

    variable: str
    unit: Unit = "NotParallel"
    race: Race = "IgnoreRaces"
    policy: str | None = None
    chunk: int | None = None
    threads: int | None = None
    unroll: int = 1


@dataclass(frozen=True, slots=True)
class Workspace:
    """`name(workspace_variables) = expression`, computed inside the first `outer` loops of the statement that reads it
    (`parent`: another workspace's, or None for the nest's own), by `loops` inside those.

    It is dense over the `variables` that it is read with, and new, all zero, at every iteration of the outer loops.
    """

    name: str
    expression: TensorExpr
    variables: tuple[str, ...]
    workspace_variables: tuple[str, ...]
    parent: str | None
    outer: int
    loops: tuple[NestLoop, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """`target(index) += expression` with all loops around it, the outermost first; `workspace` None: the result."""

    workspace: str | None
    target: str
    index: tuple[str, ...]
    expression: TensorExpr
    loops: tuple[str, ...]
    outer: int = 0  # how many of them are around the statement that reads the workspace too


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledNest:
    """`loops` are those around the result's statement, the outermost first. `assignment` reads the workspaces."""

    assignment: Assignment
    tensors: tuple[Tensor, ...]
    loops: tuple[NestLoop, ...]
    derivations: tuple[Derivation, ...] = ()  # in the order of application
    workspaces: tuple[Workspace, ...] = ()

    @property
    def all_loops(self) -> tuple[NestLoop, ...]:
        """All loops, with those of workspaces."""
        return self.loops + tuple(loop for workspace in self.workspaces for loop in workspace.loops)

    def loop(self, variable: str) -> NestLoop:
        return next(loop for loop in self.all_loops if loop.variable == variable)

    def tensor(self, name: str) -> Tensor | None:
        """None for a workspace."""
        return next((tensor for tensor in self.tensors if tensor.name == name), None)

    def parents(self, variable: str) -> tuple[str, ...]:
        """The variables that it is directly derived from."""
        return next((parents(d) for d in self.derivations if variable in children(d)), ())

    def ancestors(self, variable: str) -> tuple[str, ...]:
        """The variable itself first, then all that it comes from."""
        ancestors = [variable]
        for name in ancestors:
            ancestors += [parent for parent in self.parents(name) if parent not in ancestors]
        return tuple(ancestors)

    def roots(self, variable: str) -> tuple[str, ...]:
        """The index variables of the expression that it comes from: (i, j) for i and j fused."""
        parents = self.parents(variable)
        return tuple(dict.fromkeys(r for parent in parents for r in self.roots(parent))) if parents else (variable,)

    def leaves(self, variable: str, loops: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Loops among `loops` (the nest's own) that are derived from `variable`, the outermost first."""
        around = loops if loops is not None else tuple(loop.variable for loop in self.loops)
        return tuple(name for name in around if variable in self.ancestors(name))

    def positions(self, loops: tuple[str, ...]) -> tuple[PosOf, ...]:
        """The derivations into positions that `loops` come from."""
        used = {name for loop in loops for name in self.ancestors(loop)}
        return tuple(d for d in self.derivations if isinstance(d, PosOf) and d.position in used)

    def renamed_variables(self) -> dict[str, str]:
        """Index variable that each variable of a workspace stands for."""
        names: dict[str, str] = {}
        for workspace in self.workspaces:
            pairs = zip(workspace.variables, workspace.workspace_variables)
            names |= {new: names.get(old, old) for old, new in pairs if new != old}
        return names

    def workspace(self, name: str) -> Workspace:
        return next(workspace for workspace in self.workspaces if workspace.name == name)

    def around(self, workspace: str | None) -> tuple[NestLoop, ...]:
        """All loops around the statement that computes `workspace`; around the result's, for None."""
        if workspace is None:
            return self.loops
        reader = self.workspace(workspace)
        return self.around(reader.parent)[: reader.outer] + reader.loops

    def statements(self) -> Iterator[Statement]:
        """The result's statement first, then one for each workspace."""
        left, names = self.assignment.left, tuple(loop.variable for loop in self.loops)
        yield Statement(None, left.tensor, left.index, self.assignment.right, names)
        for workspace in self.workspaces:
            names = tuple(loop.variable for loop in self.around(workspace.name))
            yield Statement(
                workspace.name,
                workspace.name,
                workspace.workspace_variables,
                workspace.expression,
                names,
                workspace.outer,
            )
