"""The body of a GPU kernel: how it is launched, with what arguments, and what its source states of its work.

Numbers are expressions over the kernel's parameters and the names of its scalar arguments (its sizes); `GpuKernel.at`
puts the sizes' values in their place. Threads, elements and bytes are counted as the two languages count them: `grid`
is in blocks (work-groups), `block` in threads (work-items).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from tunepass.diagnostics import Span
from tunepass.expr.algebra import lift, substitute
from tunepass.expr.nodes import Expr
from tunepass.ir.body import Body
from tunepass.ir.c_kernel import Direction
from tunepass.ir.gpu_elements import Dialect
from tunepass.ir.gpu_thread import ThreadCode

Memory = Literal["global", "constant", "local"]  # of a buffer; local is OpenCL's shared memory, given at the launch
Place = Literal["global", "readonly", "shared", "constant", "texture"]  # what an access goes through
Extent3 = tuple[Expr, Expr, Expr]  # x, y, z


@dataclass(frozen=True, slots=True)
class NumberOf:
    """A number in an element: its C type and the byte where it begins."""

    type: str
    offset: int


@dataclass(frozen=True, slots=True)
class ElementLayout:
    """An element of `byte` bytes that holds these numbers: a struct's members, one by one."""

    byte: int
    numbers: tuple[NumberOf, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuScalar:
    """A scalar passed by value; `value` is an expression over the scalars before it and the parameters. All numbers of
    a vector (`float4`) have that value."""

    name: str
    element: str  # the C type
    value: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuBuffer:
    """`length` elements. Inputs are filled with `fill(i)` if given, else uniform in [lo, hi].

    A buffer that is no argument of the function is a `symbol`: a `__constant__` or `__device__` array of the file. What
    a number or a vector (`float4`) is made of, `ir.gpu_elements` says; a struct has a `layout`."""

    name: str
    element: str
    direction: Direction
    length: Expr
    memory: Memory = "global"
    fill: Expr | None = None  # also over the index `i`
    lo: Expr | None = None
    hi: Expr | None = None
    symbol: bool = False
    layout: ElementLayout | None = None


GpuArgument = GpuScalar | GpuBuffer


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """Blocks of the grid, threads of a block, and the bytes of shared memory that are asked for at the launch."""

    grid: Extent3
    block: Extent3
    dynamic_shared: Expr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadWork:
    """What one thread executes, in operations; additions and multiplications count one each, a fused pair two.

    `special` are divisions, roots, exponentials and the like. `independent` of the operations do not wait for one
    another (instruction-level parallelism). `barriers` are of one block."""

    flops: Expr
    double: bool = False
    integer: Expr | None = None
    special: Expr | None = None
    barriers: Expr | None = None
    independent: Expr | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuAccess:
    """What one thread reads or writes of an array: `count` elements, `vector` of them an instruction.

    Neighbouring threads of a warp are `stride` elements apart (0: all read the same, 1: coalesced), and the rows of a
    block `row_stride` (left out: each follows where the one before ends), which in shared memory says how many banks
    they meet. `distinct` elements are touched by a block, `total` by the launch; left out,
    no two accesses meet. `reused` elements a block finds in the caches beside those it fetched itself are not told:
    that is what the caches' sizes decide."""

    array: str
    place: Place
    written: bool
    count: Expr
    element_byte: int
    stride: Expr
    vector: Expr
    row_stride: Expr | None = None
    distinct: Expr | None = None
    total: Expr | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceKernel:
    """Another kernel of the file, whose results are right; `passed` are the kernel's arguments that it takes, in its
    order. What it does not take is not compared."""

    function: str
    launch: Launch
    passed: tuple[str, ...] | None = None  # None: all
    namespaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sizes:
    """The values of a scalar argument that variants are tuned for: `sizes(n = 256, 1024, 4096)`."""

    name: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuKernel(Body):
    """A `__global__` or `__kernel` function. `shared` (bytes a block, static and dynamic together), `registers` (a
    thread) and `accumulators` (values that live in a thread over its loops) are what the source states, if it does."""

    kind: ClassVar[str] = "gpu"
    dialect: Dialect
    function: str
    arguments: tuple[GpuArgument, ...]
    launch: Launch
    shared: Expr | None = None
    registers: Expr | None = None
    accumulators: Expr | None = None
    thread: ThreadCode | None = None  # what the text says; None where it was not understood
    work: ThreadWork | None = None
    accesses: tuple[GpuAccess, ...] = ()
    sizes: tuple[Sizes, ...] = ()
    reference: ReferenceKernel | None = None  # None: what the default configuration computes
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None
    namespaces: tuple[str, ...] = ()  # around the function, from the outside in; unnamed ones are empty
    span: Span | None = None

    def scalars(self, given: Mapping[str, int | float] | None = None) -> dict[str, Expr]:
        """The scalars' values over the parameters alone, those `given` in place of the source's."""
        known: dict[str, Expr] = {}
        for argument in self.arguments:
            if isinstance(argument, GpuScalar):
                stated = (given or {}).get(argument.name)
                known[argument.name] = substitute(argument.value, known) if stated is None else lift(stated)
        return known

    def at(self, expression: Expr, given: Mapping[str, int | float] | None = None) -> Expr:
        """The expression over the parameters alone, with the sizes' values or those `given`."""
        return substitute(expression, self.scalars(given))
