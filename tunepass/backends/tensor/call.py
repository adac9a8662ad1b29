"""How a generated harness calls a tensor kernel: the C function's arguments, filled from stored tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tunepass.backends.tensor.data import DataSet
from tunepass.frontends.c.harness.contents import Content, FileNumbers, TableNumbers
from tunepass.frontends.c.harness.plan import CArray, CScalar
from tunepass.frontends.c.harness.source import HARNESS_VERSION
from tunepass.frontends.c.harness.text import harness_text
from tunepass.ir.c_kernel import Leaf
from tunepass.ir.tensor import Access, Binary, Element, Negation, Tensor, TensorExpr, TensorKernel, accesses
from tunepass.tensors.data.cache import array_places
from tunepass.tensors.data.pack import unpack
from tunepass.tensors.data.stored import DTYPE_OF, StoredTensor
from tunepass.tensors.data.stored import Values as Numbers
from tunepass.tensors.evaluation import Operand, SparseEntries
from tunepass.tensors.lower.function import Argument, CFunction, Extent, Values

STATUS = Leaf(path="", element="int")  # what the function returns
C_TYPE: Mapping[Element, str] = {"double": "double", "float": "float", "int": "int", "long": "long"}


@dataclass(frozen=True, slots=True)
class RandomRange:
    """Range of the random numbers of a tensor."""

    lo: float
    hi: float

    def texts(self, element: Element) -> tuple[str, str]:
        whole = element in ("int", "long")
        lo, hi = (f"INT64_C({int(v)})" if whole else f"({v!r})" for v in (self.lo, self.hi))
        return lo, hi


REAL, WHOLE = RandomRange(-1.0, 1.0), RandomRange(-9, 9)  # sums of products of whole numbers stay below 2^31
REAL_DIVISOR, WHOLE_DIVISOR = RandomRange(0.5, 2.0), RandomRange(1, 9)


@dataclass(frozen=True, slots=True)
class TensorCall:
    """A kernel's C function with the data it is called with: first what is bound, then each further set."""

    body: TensorKernel
    function: CFunction
    data: tuple[DataSet, ...]

    def harness(self) -> str:
        first, *further = (self.arguments(data) for data in self.data)
        return harness_text(
            self.function.name,
            self.function.signature,
            first,
            returned=(STATUS,),
            further=further,
            title=f"harness {HARNESS_VERSION} of {self.function.name}",
        )

    def arguments(self, data: DataSet) -> list[CScalar | CArray]:
        return [self._argument(argument, data) for argument in self.function.arguments]

    def _argument(self, argument: Argument, data: DataSet) -> CScalar | CArray:
        if isinstance(argument, Extent):
            return CScalar(name=argument.name, element="int", value=f"INT64_C({data.extents[argument.variable]})")
        if isinstance(argument, Values):
            lo, hi = self.range_of(argument.tensor).texts(argument.element)
            return CArray(
                name=argument.name,
                element=C_TYPE[argument.element],
                direction=argument.direction,
                length=self._count(argument.tensor, data),
                lo=lo,
                hi=hi,
            )
        array = "pos" if type(argument).__name__ == "Positions" else "crd"
        content, count = _structure(data.stored[argument.tensor], argument.level, array)
        return CArray(name=argument.name, element="int", direction="in", length=count, content=content)

    def range_of(self, name: str) -> RandomRange:
        whole = self.body.tensor(name).element in ("int", "long")
        if name in _divisors(self.body.assignment.right):
            return WHOLE_DIVISOR if whole else REAL_DIVISOR
        return WHOLE if whole else REAL

    def stored(self, name: str, data: DataSet) -> StoredTensor | None:
        """A sparse result has the structure of the operand whose pattern it has."""
        pattern = self.function.pattern
        if name != self.body.assignment.left.tensor or pattern is None:
            return data.stored.get(name)
        return truncated(data.stored[pattern.operand], self.body.tensor(name), pattern.levels)

    def output_bytes(self, data: DataSet) -> int:
        result = self.body.tensor(self.body.assignment.left.tensor)
        return self._count(result.name, data) * DTYPE_OF[result.element].itemsize

    def _count(self, name: str, data: DataSet) -> int:
        stored = self.stored(name, data)
        if stored is not None:
            return int(stored.vals.size)
        return math.prod(self.shape(name, data))

    def shape(self, name: str, data: DataSet) -> tuple[int, ...]:
        """By mode."""
        every = (self.body.assignment.left, *accesses(self.body.assignment.right))
        access = next(access for access in every if access.tensor == name)
        return tuple(data.extents[variable] for variable in access.index)

    def operand(self, name: str, values: Numbers, data: DataSet) -> Operand:
        """The tensor whose values, in storage order, these are."""
        tensor, stored = self.body.tensor(name), self.stored(name, data)
        if stored is None or not tensor.format.sparse:
            shape = self.shape(name, data)
            by_level = values.reshape([shape[mode] for mode in tensor.format.order])
            return by_level.transpose(np.argsort(np.array(tensor.format.order, np.int64)))
        entries = unpack(replace(stored, vals=values))
        return SparseEntries(entries.indices.astype(np.int64), entries.values)


def truncated(operand: StoredTensor, result: Tensor, levels: int) -> StoredTensor:
    """The stored result whose structure is the operand's first levels."""
    levels_left = operand.levels[:levels]
    extents = [0] * levels
    for level, mode in zip(levels_left, result.format.order):
        extents[mode] = level.extent
    count = 1
    for level in levels_left:
        count = count * level.extent if level.crd is None else int(level.crd.size)
    return StoredTensor(
        name=result.name,
        extents=tuple(extents),
        format=result.format,
        element=result.element,
        levels=levels_left,
        vals=np.zeros(count, DTYPE_OF[result.element]),
    )


def _structure(stored: StoredTensor, level: int, array: str) -> tuple[Content, int]:
    """Where `pos` or `crd` of a level stands, and how many numbers that are."""
    if stored.path is not None:
        place = next(p for p in array_places(stored) if (p.level, p.array) == (level, array))
        return FileNumbers(stored.path, place.offset), place.count
    numbers = stored.levels[level].pos if array == "pos" else stored.levels[level].crd
    assert numbers is not None
    return TableNumbers(tuple(numbers.tolist())), int(numbers.size)


def _divisors(expression: TensorExpr) -> set[str]:
    """Tensors that something is divided by."""
    match expression:
        case Negation(operand):
            return _divisors(operand)
        case Binary(operator, left, right):
            divisors = {access.tensor for access in accesses(right)} if operator == "/" else set[str]()
            return divisors | _divisors(left) | _divisors(right)
        case Access():
            return set()
    return set()


def drawn_arrays(arguments: Sequence[CScalar | CArray]) -> dict[str, int]:
    """The number of each array in the harness."""
    arrays = [argument for argument in arguments if isinstance(argument, CArray)]
    return {array.name: number for number, array in enumerate(arrays)}
