"""A program of nested hardware controllers (Spatial and its like): what an FPGA model needs of an accelerator.

Sizes, trip counts and parallel factors are expressions over the kernel's parameters. Inside an innermost controller the
operations form a dataflow graph: an operation names its inputs by position in `Controller.operations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Literal

from tunepass.diagnostics import Span
from tunepass.expr.nodes import Expr
from tunepass.ir.body import Body


@dataclass(frozen=True, slots=True)
class Fixed:
    """Fixed point: Int is Fixed(True, 32, 0)."""

    signed: bool
    integer: int
    fraction: int

    @property
    def bits(self) -> int:
        return self.integer + self.fraction


@dataclass(frozen=True, slots=True)
class Width:
    """A number of bits that is a parameter; `values` ascending, `default` as the source has it."""

    parameter: str
    default: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TunedFixed(Fixed):
    """Fixed point with one or two widths that are parameters; what does not ask sees the widths that the source has."""

    widths: tuple[Width, ...]


@dataclass(frozen=True, slots=True)
class Floating:
    """Floating point: Float is Floating(24, 8), the hidden bit counted in the significand."""

    significand: int
    exponent: int

    @property
    def bits(self) -> int:
        return self.significand + self.exponent


@dataclass(frozen=True, slots=True)
class Bit:
    @property
    def bits(self) -> int:
        return 1


@dataclass(frozen=True, slots=True)
class Struct:
    """A tuple or a case class; `fields` in the order of their declaration."""

    fields: tuple[tuple[str, Element], ...]

    @property
    def bits(self) -> int:
        return sum(element.bits for _, element in self.fields)


Element = Fixed | Floating | Bit | Struct
INT = Fixed(True, 32, 0)
FLOAT = Floating(24, 8)
BIT = Bit()


class Schedule(str, Enum):
    """How the stages of a controller overlap. INNER: no stages, one pipelined body of operations."""

    INNER = "inner"
    PIPELINED = "pipelined"  # MetaPipe
    SEQUENTIAL = "sequential"
    PARALLEL = "parallel"  # all stages start together, the controller ends with the last (ForkJoin)
    FORK = "fork"  # one of the stages runs, by a condition
    STREAM = "stream"


@dataclass(frozen=True, slots=True)
class Counter:
    """`start until stop by step par par`; its `name` is unique in the program. `stop` None: runs for ever."""

    name: str
    start: Expr
    stop: Expr | None
    step: Expr
    par: Expr
    span: Span | None = None


MemoryKind = Literal["dram", "sram", "reg", "fifo", "filo", "regfile", "lut", "linebuffer", "argin", "argout", "stream"]


@dataclass(frozen=True, slots=True)
class Memory:
    """`dims` is empty for scalars; a FIFO has its depth as the only dimension. `name` is unique in the program."""

    name: str
    kind: MemoryKind
    element: Element
    dims: tuple[Expr, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class AddressIndex:
    """One dimension of an address: the counters it is affine in; `affine` False: it also depends on data."""

    counters: tuple[str, ...] = ()
    affine: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """A node of an inner body's dataflow. `name`: fix_add, flt_mul, mux, sram_load, reg_write, …"""

    name: str
    element: Element
    inputs: tuple[int, ...] = ()
    memory: str | None = None  # for load, store and the queue operations
    index: tuple[AddressIndex, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Reduction:
    """The combining function of a reduction: `operations` read the inputs `a` (0) and `b` (1), both of `element`."""

    accumulator: str
    element: Element
    operations: tuple[Operation, ...]
    kind: str = "custom"  # sum, product, min, max or custom
    source: str | None = None  # the memory that a block reduction reads


TransferKind = Literal["load", "store", "gather", "scatter"]


@dataclass(frozen=True, slots=True)
class Transfer:
    """A tile between DRAM and an on-chip memory; `lengths` per dimension, in words, outermost first."""

    kind: TransferKind
    dram: str
    local: str
    element: Element
    lengths: tuple[Expr, ...]
    par: Expr
    aligned: bool = False
    span: Span | None = None


ControllerKind = Literal["accel", "unit", "foreach", "reduce", "memreduce", "parallel", "fsm", "switch", "case"]


@dataclass(frozen=True, slots=True)
class Controller:
    """A node of the controller tree.

    `operations` and `outputs` describe an innermost body; an outer controller has `stages` in program order instead.
    `toggle` names the Boolean parameter that chooses PIPELINED (True) over SEQUENTIAL (False), if one does.
    A block reduction (`kind` memreduce) also runs over `reduce_counters`, the indices of its accumulator.
    """

    label: str
    kind: ControllerKind
    schedule: Schedule
    counters: tuple[Counter, ...] = ()
    stages: tuple[Stage, ...] = ()
    operations: tuple[Operation, ...] = ()
    memories: tuple[Memory, ...] = ()
    reduction: Reduction | None = None
    reduce_counters: tuple[Counter, ...] = ()
    toggle: str | None = None
    interval: int | None = None  # an initiation interval the user asked for
    span: Span | None = None

    def walk(self) -> Iterator[Controller]:
        """This controller and all below it, in program order."""
        yield self
        for stage in self.stages:
            if isinstance(stage, Controller):
                yield from stage.walk()

    def transfers(self) -> Iterator[Transfer]:
        """The transfers below it, in program order."""
        for stage in self.stages:
            if isinstance(stage, Transfer):
                yield stage
            else:
                yield from stage.transfers()


Stage = Controller | Transfer


@dataclass(frozen=True, slots=True)
class Program(Body):
    """The body of an accelerator program: its controller tree, and the memories declared outside of it."""

    kind: ClassVar[str] = "accelerator"
    accel: Controller
    memories: tuple[Memory, ...] = ()

    def elements(self) -> Iterator[Element]:
        """The element types of memories and operations."""
        for memory in self.all_memories():
            yield memory.element
        for controller in self.accel.walk():
            reduced = controller.reduction.operations if controller.reduction is not None else ()
            for operation in (*controller.operations, *reduced):
                yield operation.element

    def tuned_widths(self) -> frozenset[str]:
        """The parameters that are widths."""
        return frozenset(width.parameter for element in self.elements() for width in _widths(element))

    def all_memories(self) -> Iterator[Memory]:
        yield from self.memories
        for controller in self.accel.walk():
            yield from controller.memories


def _widths(element: Element) -> Iterator[Width]:
    if isinstance(element, TunedFixed):
        yield from element.widths
    elif isinstance(element, Struct):
        for _, field in element.fields:
            yield from _widths(field)
