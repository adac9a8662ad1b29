"""The body of a function for high-level synthesis: its loops and what pragmas ask of them, its arrays, its operations.

Numbers are expressions over the kernel's parameters. Loops are counted by iterations, from 0, whatever the source's
index runs over. Calls are read in place. In a block the operations form a dataflow graph: an operation names its inputs
by position in `HlsBlock.operations`; what a value passes from one block to another goes through a scalar, which is an
array without dimensions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from tunepass.diagnostics import Span
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import Expr
from tunepass.ir.body import Body
from tunepass.ir.graph import UNTRAINED, Training
from tunepass.ir.hardware import Element

ZERO, ONE = lift(0), lift(1)
HlsDialect = Literal["vitis", "merlin", "intel"]
Storage = Literal["scalar", "local", "global", "constant", "stream"]
"""Where an array is: registers, on-chip memory, DRAM behind an interface, a table, a FIFO."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsPartition:
    """`array_partition`: dimension `dim` (1: the outermost, 0: all) in `factor` banks; complete: one an element."""

    kind: Literal["complete", "cyclic", "block"]
    dim: int
    factor: Expr
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsArray:
    """`dims` outermost first; empty for scalars. `name` is unique in the kernel.

    `port` is the interface that a global array shares with others of the same name, `port_bit` its width where pragmas
    give one. `copies`: the buffers of a ping-pong memory. `resource`: what pragmas store it in (bram, uram, lutram)."""

    name: str
    element: Element
    storage: Storage
    dims: tuple[Expr, ...] = ()
    partitions: tuple[HlsPartition, ...] = ()
    port: str | None = None
    port_bit: Expr | None = None
    copies: Expr = ONE
    resource: str | None = None
    read: bool = True
    written: bool = True
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsSubscript:
    """One dimension of an address: `offset` plus, for each loop, elements for each of its iterations.

    `affine` False: it also depends on data, and nothing is known but the loops of `terms` that move it."""

    terms: tuple[tuple[str, Expr], ...] = ()
    offset: Expr = ZERO
    affine: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsOperation:
    """`name` as in ir.hardware: fix_add, flt_mul, mux, ...; `load`, `store` of an array (a scalar's too), `constant`,
    `index`: a number that loops' iterations give, by its one subscript.

    The inputs of a store are the value, then what its address is computed from where that depends on data; those of a
    load the latter alone. `guarded`: under a condition that data decide. Inputs are in the order of the source's
    operands; `value` is a constant's, where it is known. A store under a condition of its block has the position of
    what decides it."""

    name: str
    element: Element
    inputs: tuple[int, ...] = ()
    array: str | None = None
    subscripts: tuple[HlsSubscript, ...] = ()
    guarded: bool = False
    value: int | float | None = None
    condition: int | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsBlock:
    """Statements without loops, both sides of their conditions included (if-conversion)."""

    operations: tuple[HlsOperation, ...]
    span: Span | None = None

    def inputs(self, operation: HlsOperation) -> tuple[Element, ...]:
        """The types of what goes into one of the operations."""
        return tuple(self.operations[at].element for at in operation.inputs)


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsRegion:
    """The body of a called function or of a scope with pragmas of its own. `dataflow`: its items run as tasks that
    overlap, FIFOs or ping-pong buffers between them. `allocation` limits operators: (operation, most of them)."""

    label: str
    items: tuple[HlsItem, ...]
    dataflow: bool = False
    allocation: tuple[tuple[str, Expr], ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsLoop:
    """`trip` iterations, of which a triangular loop has as many as it has in the mean; `most` the longest run's.

    `unroll` copies of the body at once (1: none; `trip`: all); `pipelined` 1 or 0; `interval` the initiation interval
    that is asked for; `flattened` 1: pipelined with all loops inside unrolled (Merlin's `flatten`). `coarse` 1: the
    plain `pipeline` of Merlin around loops, stages that overlap. `tile`: Merlin's factor. `reductions`: arrays and
    scalars that pragmas say are reduced in a tree. `independent`: arrays that pragmas say have no dependence carried
    by this loop. `assumed` says where `trip` is a guess and why: it scales times and never constrains."""

    name: str
    trip: Expr
    items: tuple[HlsItem, ...]
    most: Expr | None = None
    unroll: Expr = ONE
    pipelined: Expr = ZERO
    flattened: Expr = ZERO
    coarse: Expr = ZERO
    interval: Expr | None = None
    tile: Expr = ONE
    dataflow: bool = False
    reductions: tuple[str, ...] = ()
    independent: tuple[str, ...] = ()
    guarded: bool = False
    assumed: str | None = None
    span: Span | None = None


HlsItem = HlsBlock | HlsLoop | HlsRegion


@dataclass(frozen=True, slots=True, kw_only=True)
class NdRange:
    """How many work-items an OpenCL kernel is run for, and what its attributes ask: `group` in work-items a group,
    `width` of them along dimension 0 (None: all), `simd` of them at once in each of `compute_units` copies. A barrier
    ends a block. In the terms of subscripts, what a work-item's number moves stands beside loops under the call that
    gives it: `get_global_id(0)`, `get_local_id(1)`, `get_group_id(0)`. `work_items` 1: a task, one loop after another.
    """

    work_items: Expr
    group: Expr
    width: Expr | None = None
    simd: Expr = ONE
    compute_units: Expr = ONE


@dataclass(frozen=True, slots=True)
class HlsVariant:
    """What a function is where the parameters of its types' widths have these values."""

    values: tuple[tuple[str, int], ...]
    body: HlsKernel


@dataclass(frozen=True, slots=True, kw_only=True)
class HlsKernel(Body):
    """`whole` holds the function's statements. `launches`: how often the host starts it, where the source says so;
    `rate`: how often a second it has to be able to. `training`: the command that measures what no model knows.

    `variants`: all combinations of the parameters that are widths of types; the kernel itself has their defaults."""

    kind: ClassVar[str] = "hls"
    dialect: HlsDialect
    function: str
    whole: HlsRegion
    arrays: tuple[HlsArray, ...]
    range: NdRange | None = None
    launches: Expr = ONE
    clock_hz: Expr | None = None  # what the source asks for
    rate: Expr | None = None
    training: Training = UNTRAINED
    variants: tuple[HlsVariant, ...] = ()
    span: Span | None = None

    def array(self, name: str) -> HlsArray:
        return next(array for array in self.arrays if array.name == name)

    def loops(self) -> Iterator[HlsLoop]:
        """All loops, outermost first, in the order of the source."""
        yield from (item for item in items_of(self.whole) if isinstance(item, HlsLoop))


def items_of(item: HlsItem) -> Iterator[HlsItem]:
    """The item and all that is in it, in the order of the source."""
    yield item
    if not isinstance(item, HlsBlock):
        for inside in item.items:
            yield from items_of(inside)
