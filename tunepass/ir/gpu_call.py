"""A launch of a GPU kernel in one configuration: every expression of its body as a number.

An evaluator that runs kernels knows these and no bodies. `call_at` makes one of a body and a configuration.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tunepass.diagnostics import ExpressionError
from tunepass.expr.nodes import CategoryType, Expr, Name, OrderType, walk
from tunepass.expr.numpy_eval import evaluate
from tunepass.ir.c_kernel import Direction
from tunepass.ir.gpu import GpuBuffer, GpuKernel, GpuScalar, Launch, Memory
from tunepass.ir.gpu_elements import Dialect, element_byte, numbers_of, plain_name
from tunepass.space.configuration import Configuration

INDEX = "i"  # the name of the index in an expression that fills a buffer
Three = tuple[int, int, int]  # x, y, z
REAL = {"half": "f2", "float": "f4", "double": "f8"}  # bfloat16 is no type of NumPy's
UNSIGNED = re.compile(r"u|bool|size_t")


class NoLaunch(Exception):
    """The kernel cannot be launched in this configuration; the message says why."""


@dataclass(frozen=True, slots=True)
class ElementNumber:
    """A number in an element: NumPy's type (`f4`) and the byte where it begins."""

    dtype: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Element:
    """`bytes` of memory that hold these numbers; the rest, if any, means nothing."""

    bytes: int
    numbers: tuple[ElementNumber, ...]

    @property
    def run(self) -> str:
        """The type of its numbers, if they are of one type and follow one another from its start; else empty."""
        dtype = self.numbers[0].dtype
        size = np.dtype(dtype).itemsize
        return dtype if all(n == ElementNumber(dtype, k * size) for k, n in enumerate(self.numbers)) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledScalar:
    """A scalar by value."""

    name: str
    element: Element
    value: int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledBuffer:
    """A buffer of `count` elements; `fill` is over the index alone."""

    name: str
    element: Element
    direction: Direction
    count: int
    memory: Memory = "global"
    symbol: bool = False
    fill: Expr | None = None
    lo: float | None = None
    hi: float | None = None

    @property
    def bytes(self) -> int:
        return self.count * self.element.bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuCall:
    """The function, its launch in blocks and threads, and its arguments in their order; symbols come last. Where
    `passed` names some, only these are passed, in that order: all buffers lie on the device as for any other call."""

    function: str
    grid: Three
    block: Three
    dynamic_shared: int = 0
    arguments: tuple[CalledScalar | CalledBuffer, ...] = ()
    passed: tuple[str, ...] | None = None

    @property
    def threads(self) -> int:
        """Threads of a block."""
        x, y, z = self.block
        return x * y * z

    @property
    def buffers(self) -> tuple[CalledBuffer, ...]:
        """Buffers in the device's memory."""
        return tuple(a for a in self.arguments if isinstance(a, CalledBuffer) and a.memory != "local")

    @property
    def in_order(self) -> tuple[CalledScalar | CalledBuffer, ...]:
        """The arguments of the function: symbols are none."""
        if self.passed is None:
            return tuple(a for a in self.arguments if not (isinstance(a, CalledBuffer) and a.symbol))
        named = {argument.name: argument for argument in self.arguments}
        return tuple(named[name] for name in self.passed)


def call_at(kernel: GpuKernel, configuration: Configuration, given: Mapping[str, int | float] | None = None) -> GpuCall:
    """The launch, with the sizes' values or those `given`. Raises NoLaunch."""
    return _call(kernel, kernel.function, kernel.launch, configuration, given)


def reference_call_at(
    kernel: GpuKernel, configuration: Configuration, given: Mapping[str, int | float] | None = None
) -> GpuCall | None:
    """The launch of the kernel that the source names as its reference; None where it names none. Raises NoLaunch."""
    if kernel.reference is None:
        return None
    call = _call(kernel, kernel.reference.function, kernel.reference.launch, configuration, given)
    return replace(call, passed=kernel.reference.passed)


def _call(
    kernel: GpuKernel,
    function: str,
    launch: Launch,
    configuration: Configuration,
    given: Mapping[str, int | float] | None,
) -> GpuCall:
    def number(e: Expr, subject: str) -> int | float:
        return value_at(kernel.at(e, given), configuration, subject)

    def whole(e: Expr, subject: str, least: int) -> int:
        value = number(e, subject)
        if value != int(value) or value < least:
            raise NoLaunch(f"{subject} must be a whole number >= {least}, got {value:g}")
        return int(value)

    def three(extent: tuple[Expr, Expr, Expr], subject: str) -> Three:
        x, y, z = (whole(e, f"the {subject}'s {axis}", 1) for e, axis in zip(extent, "xyz", strict=True))
        return x, y, z

    def scalar(argument: GpuScalar) -> CalledScalar:
        element = element_of(argument, kernel.dialect)
        stated = (given or {}).get(argument.name)
        value = number(argument.value, f"`{argument.name}`") if stated is None else stated
        return CalledScalar(name=argument.name, element=element, value=value)

    def buffer(argument: GpuBuffer) -> CalledBuffer:
        bounds = [
            None if e is None else float(number(e, f"the range of `{argument.name}`"))
            for e in (argument.lo, argument.hi)
        ]
        fill = None if argument.fill is None else kernel.at(argument.fill, given)
        return CalledBuffer(
            name=argument.name,
            element=element_of(argument, kernel.dialect),
            direction=argument.direction,
            count=whole(argument.length, f"the length of `{argument.name}`", 1),
            memory=argument.memory,
            symbol=argument.symbol,
            fill=fill,
            lo=bounds[0],
            hi=bounds[1],
        )

    shared = launch.dynamic_shared
    return GpuCall(
        function=function,
        grid=three(launch.grid, "grid"),
        block=three(launch.block, "block"),
        dynamic_shared=0 if shared is None else whole(shared, "the dynamic shared memory", 0),
        arguments=tuple(scalar(a) if isinstance(a, GpuScalar) else buffer(a) for a in kernel.arguments),
    )


def element_of(argument: GpuScalar | GpuBuffer, dialect: Dialect) -> Element:
    """What is in memory. Raises NoLaunch for a type whose numbers are not known."""
    layout = argument.layout if isinstance(argument, GpuBuffer) else None
    if layout is not None:
        return Element(layout.byte, tuple(ElementNumber(_dtype(n.type, dialect), n.offset) for n in layout.numbers))
    element = numbers_of(argument.element, dialect)
    if element is None:
        raise NoLaunch(f"no buffer can be filled with elements of type `{argument.element}`")
    number, how_many, size = element
    dtype = _dtype(number, dialect)
    step = np.dtype(dtype).itemsize
    return Element(size, tuple(ElementNumber(dtype, k * step) for k in range(how_many)))


def _dtype(number: str, dialect: Dialect) -> str:
    name = plain_name(number)
    if name in REAL:
        return REAL[name]
    size = element_byte(name, dialect)
    if name == "bfloat16" or size is None:
        raise NoLaunch(f"no buffer can be filled with numbers of type `{number}`")
    return f"{'u' if UNSIGNED.match(name) else 'i'}{size}"


def value_at(e: Expr, configuration: Configuration, subject: str) -> int | float:
    """The number that `e` is in the configuration. Raises NoLaunch where it has none."""
    columns = {}
    for node in walk(e):
        if isinstance(node, Name) and node.name not in columns:
            value = configuration.get(node.name)
            if value is None:
                raise NoLaunch(f"{subject} is over `{node.name}`, which is no parameter")
            match node.type:
                case CategoryType(values):
                    columns[node.name] = np.array([values.index(str(value))])
                case OrderType(items):
                    assert isinstance(value, tuple)
                    columns[node.name] = np.array([[items.index(item) for item in value]])
                case _:
                    columns[node.name] = np.array([value])
    try:
        result = evaluate(e, columns, 1)
    except ExpressionError as error:
        raise NoLaunch(f"{subject} has no value: {error}") from error
    if not result.defined[0]:
        raise NoLaunch(f"{subject} has no value")
    number = result.values[0].item()
    return number if isinstance(number, (int, float)) else float(number)
