"""The body of a tensor kernel: an index expression, the formats of its tensors, and a schedule of directives.

The language is TACO's (Kjolstad et al. 2017, "The tensor algebra compiler"; Senanayake et al. 2020, "A sparse iteration
space transformation framework for sparse tensor algebra"): `A(i,k) = B(i,j) * C(j,k)` sums over what is not on the
left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from tunepass.diagnostics import Span
from tunepass.expr.nodes import Expr
from tunepass.ir.body import Body

Level = Literal["dense", "compressed"]
Element = Literal["double", "float", "int", "long"]
Unit = Literal["NotParallel", "CPUThread", "CPUVector"]
Race = Literal["IgnoreRaces", "NoRaces", "Atomics", "Temporary", "ParallelReduction"]
BoundKind = Literal["MinExact", "MinConstraint", "MaxExact", "MaxConstraint"]
Operator = Literal["+", "-", "*", "/"]


@dataclass(frozen=True, slots=True)
class Format:
    """How a tensor is stored: `levels[l]` stores the mode `order[l]`. CSR is (dense, compressed) in the order (0, 1),
    CSC the same in the order (1, 0), CSF all compressed. A scalar has no level."""

    levels: tuple[Level, ...]
    order: tuple[int, ...]

    @property
    def sparse(self) -> bool:
        return "compressed" in self.levels


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """A tensor as declared; `index` names its modes, as its first access does."""

    name: str
    index: tuple[str, ...]
    format: Format
    element: Element = "double"
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """`B(i,j)`: a tensor at index variables; a scalar has none."""

    tensor: str
    index: tuple[str, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A number in an expression."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Negation:
    operand: TensorExpr


@dataclass(frozen=True, slots=True)
class Binary:
    operator: Operator
    left: TensorExpr
    right: TensorExpr


TensorExpr = Access | Number | Negation | Binary


def accesses(expression: TensorExpr) -> Iterator[Access]:
    """Every access, from left to right."""
    match expression:
        case Access():
            yield expression
        case Negation(operand):
            yield from accesses(operand)
        case Binary(_, left, right):
            yield from accesses(left)
            yield from accesses(right)


@dataclass(frozen=True, slots=True)
class Assignment:
    """`left = right`, or `left += right` where it `accumulates`. Index variables of the right that are not on the left
    are summed over, each sum around the smallest term that holds all uses of its variable."""

    left: Access
    right: TensorExpr
    accumulates: bool = False


# Directives, in TACO's order of application. A number of a directive is an expression over the kernel's parameters.


@dataclass(frozen=True, slots=True)
class Split:
    """i becomes i0 and i1; i1 has the constant extent `factor`."""

    variable: str
    outer: str
    inner: str
    factor: Expr
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Divide:
    """i becomes i0 and i1; i0 has the constant extent `factor`."""

    variable: str
    outer: str
    inner: str
    factor: Expr
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Fuse:
    """i and the j directly inside it become one loop."""

    outer: str
    inner: str
    fused: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Pos:
    """i, a coordinate of a compressed level of `tensor`, is iterated by positions."""

    variable: str
    position: str
    tensor: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Reorder:
    """The loops in this order, or in that of the permutation `parameter`, whose items are then `variables`."""

    variables: tuple[str, ...]
    parameter: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Precompute:
    """`expression` is computed over `workspace_variables`, in place of `variables`, into a workspace."""

    expression: TensorExpr
    variables: tuple[str, ...]
    workspace_variables: tuple[str, ...]
    workspace: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """i becomes `bounded`, whose extent is stated to be `extent`."""

    variable: str
    bounded: str
    extent: Expr
    bound: BoundKind = "MaxExact"
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Unroll:
    variable: str
    factor: Expr
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Parallelize:
    """`policy` (static or dynamic), `chunk` and `threads` are OpenMP's, None where they are left to it."""

    variable: str
    unit: Unit
    race: Race
    policy: Expr | None = None
    chunk: Expr | None = None
    threads: Expr | None = None
    span: Span | None = None


Directive = Split | Divide | Fuse | Pos | Reorder | Precompute | Bound | Unroll | Parallelize


@dataclass(frozen=True, slots=True)
class BoundFile:
    """`bind B = "matrix.mtx"`: where a tensor's numbers are, relative to the source."""

    tensor: str
    path: Path
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Generated:
    """`generate B = mesh(rows = 20000, nonzeros = 100000, seed = 1)`: a tensor of that family."""

    tensor: str
    family: str
    arguments: tuple[tuple[str, int | float], ...]
    span: Span | None = None


Data = BoundFile | Generated


@dataclass(frozen=True, slots=True)
class LevelStatistics:
    """A level of a stored tensor: `extent` of its mode, `nodes` stored at it, and, of a compressed one, how long the
    segments are: (length, how many parents have it), shortest first, lengths being binned where there are many.
    `spread` is the mean distance of neighbouring coordinates within a segment."""

    extent: int
    nodes: int
    lengths: tuple[tuple[float, int], ...] = ()
    spread: float = 1.0


@dataclass(frozen=True, slots=True)
class TensorStatistics:
    """Statistics of the numbers bound to a tensor, level by level in storage order."""

    tensor: str
    levels: tuple[LevelStatistics, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorKernel(Body):
    """An index expression with its tensors, the extents of index variables that are stated, and its schedule.

    `proposed`: the schedule was left out of the source and derived. `statistics` are filled in by the backend, which
    reads the data.
    """

    kind: ClassVar[str] = "tensor"
    assignment: Assignment
    tensors: tuple[Tensor, ...]
    extents: tuple[tuple[str, int], ...] = ()  # `dim k = 64`
    schedule: tuple[Directive, ...] = ()
    data: tuple[Data, ...] = ()
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None
    proposed: bool = False
    statistics: tuple[TensorStatistics, ...] = ()

    def tensor(self, name: str) -> Tensor:
        return next(tensor for tensor in self.tensors if tensor.name == name)
