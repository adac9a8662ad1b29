"""A launch of a GPU kernel in one configuration: every expression of its body as a number.

An evaluator that runs kernels knows these and no bodies. `call_at` makes one of a body and a configuration.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tunepass.diagnostics import ExpressionError
from tunepass.expr.nodes import CategoryType, Expr, Name, OrderType, walk
from tunepass.expr.numpy_eval import evaluate
from tunepass.ir.c_kernel import Direction
from tunepass.ir.gpu import Dialect, GpuBuffer, GpuKernel, GpuScalar, Launch, Memory
from tunepass.space.configuration import Configuration

INDEX = "i"  # the name of the index in an expression that fills a buffer
Three = tuple[int, int, int]  # x, y, z
VECTOR = re.compile(r"([a-z]+(?: [a-z]+)*?)(2|3|4|8|16)")
REAL = {"half": "f2", "__half": "f2", "float": "f4", "double": "f8"}
SIGNED = {"char": 1, "signed char": 1, "short": 2, "int": 4, "long long": 8, "long": 8, "ptrdiff_t": 8}
UNSIGNED = {"bool": 1, "unsigned char": 1, "unsigned short": 2, "unsigned": 4, "unsigned int": 4, "size_t": 8}
UNSIGNED |= {"unsigned long": 8, "unsigned long long": 8, "uchar": 1, "ushort": 2, "uint": 4, "ulong": 8}
INTEGERS = {name: f"i{size}" for name, size in SIGNED.items()} | {name: f"u{size}" for name, size in UNSIGNED.items()}
STANDARD = {f"{sign}int{8 * size}_t": f"{sign or 'i'}{size}" for sign in ("", "u") for size in (1, 2, 4, 8)}
NUMBERS = {**REAL, **INTEGERS, **STANDARD}


class NoLaunch(Exception):
    """The kernel cannot be launched in this configuration; the message says why."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element in memory: `lanes` numbers of NumPy's type (`f4`), of which the first `used` hold values."""

    dtype: str
    lanes: int = 1
    used: int = 1

    @property
    def bytes(self) -> int:
        return np.dtype(self.dtype).itemsize * self.lanes


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
    """The function, its launch in blocks and threads, and its arguments in their order; symbols come last."""

    function: str
    grid: Three
    block: Three
    dynamic_shared: int = 0
    arguments: tuple[CalledScalar | CalledBuffer, ...] = ()

    @property
    def threads(self) -> int:
        """Of a block."""
        x, y, z = self.block
        return x * y * z

    @property
    def buffers(self) -> tuple[CalledBuffer, ...]:
        """Those in the device's memory."""
        return tuple(a for a in self.arguments if isinstance(a, CalledBuffer) and a.memory != "local")


def call_at(kernel: GpuKernel, configuration: Configuration, given: Mapping[str, int | float] | None = None) -> GpuCall:
    """The launch, with the sizes' values or those `given`. Raises NoLaunch."""
    return _call(kernel, kernel.function, kernel.launch, configuration, given)


def reference_call_at(
    kernel: GpuKernel, configuration: Configuration, given: Mapping[str, int | float] | None = None
) -> GpuCall | None:
    """The launch of the kernel that the source names as its reference; None where it names none. Raises NoLaunch."""
    if kernel.reference is None:
        return None
    return _call(kernel, kernel.reference.function, kernel.reference.launch, configuration, given)


def _call(
    kernel: GpuKernel,
    function: str,
    launch: Launch,
    configuration: Configuration,
    given: Mapping[str, int | float] | None,
) -> GpuCall:
    def number(e: Expr, what: str) -> int | float:
        return value_at(kernel.at(e, given), configuration, what)

    def whole(e: Expr, what: str, least: int) -> int:
        value = number(e, what)
        if value != int(value) or value < least:
            raise NoLaunch(f"{what} must be a whole number >= {least}, got {value:g}")
        return int(value)

    def three(extent: tuple[Expr, Expr, Expr], what: str) -> Three:
        x, y, z = (whole(e, f"the {what}'s {axis}", 1) for e, axis in zip(extent, "xyz", strict=True))
        return x, y, z

    def scalar(argument: GpuScalar) -> CalledScalar:
        element = element_of(argument.element, kernel.dialect)
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
            element=element_of(argument.element, kernel.dialect),
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


def element_of(text: str, dialect: Dialect) -> Element:
    """The C type's layout: numbers and vectors of them, of which those of three take the room of four in OpenCL.
    Raises NoLaunch for any other type."""
    name = " ".join(text.replace("const", " ").split())
    if name in NUMBERS:
        return Element(NUMBERS[name])
    match = VECTOR.fullmatch(name)
    if match and match[1] in NUMBERS:
        lanes = int(match[2])
        return Element(NUMBERS[match[1]], 4 if lanes == 3 and dialect == "opencl" else lanes, lanes)
    raise NoLaunch(f"no buffer can be filled with elements of type `{text}`")


def value_at(e: Expr, configuration: Configuration, what: str) -> int | float:
    """The number that `e` is in the configuration. Raises NoLaunch where it has none."""
    columns = {}
    for node in walk(e):
        if isinstance(node, Name) and node.name not in columns:
            value = configuration.get(node.name)
            if value is None:
                raise NoLaunch(f"{what} is over `{node.name}`, which is no parameter")
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
        raise NoLaunch(f"{what} has no value: {error}") from error
    if not result.defined[0]:
        raise NoLaunch(f"{what} has no value")
    number = result.values[0].item()
    return number if isinstance(number, (int, float)) else float(number)
