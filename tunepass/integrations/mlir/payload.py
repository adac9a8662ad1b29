"""Operations of `linalg` as loop nests: trip counts, affine accesses and the work of an iteration."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tunepass.diagnostics import Source
from tunepass.expr.nodes import INTEGER
from tunepass.expr.parser import parse
from tunepass.expr.python_eval import evaluate
from tunepass.integrations.mlir.reader import ModuleReader, Operation, SsaValue
from tunepass.ir.accesses import Access, IterationWork

SHAPED = re.compile(
    r"(?:memref|tensor)<(?P<shape>(?:(?:\d+|\?)x)*)(?P<element>[a-z]+\d*[a-zA-Z0-9]*)"
    r"(?:, strided<\[(?P<strides>[^\]]*)\](?:, offset: (?P<offset>[\d?]+))?>)?>"
)
ELEMENT = re.compile(r"(?:bf|f|i|si|ui)(\d+)")
MAP = re.compile(r"affine_map<\((?P<dims>[^)]*)\) -> \((?P<results>.*)\)>", re.DOTALL)
NOT_AFFINE = re.compile(r"\b(?:floordiv|ceildiv|mod|s\d+)\b")
INDEX_BYTE = 8
DIVISIONS = ("arith.divf", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui", "math.sqrt", "math.rsqrt")
CHEAP = ("math.absf", "math.absi", "math.fma", "math.copysign", "math.floor", "math.ceil")
FREE = ("linalg.yield", "linalg.index", "arith.constant")
SAME_MEMORY = ("memref.subview", "memref.cast")
CONTAINERS = ("func.func", "builtin.module")


class NotModelledError(Exception):
    """An operation that the CPU model has no numbers for, and why."""

    def __init__(self, op: Operation, reason: str):
        super().__init__(reason)
        self.op = op


def index_name(number: int) -> str:
    """The name of an iteration's index in a nest."""
    return f"d{number}"


def linalg_operations(module: Operation, reader: ModuleReader) -> list[Operation]:
    """The operations of `linalg` with indexing maps in functions of the module; not those in other loops."""
    return [op for op in _in_containers(module, reader) if reader.indexing_maps(op)]


def _in_containers(op: Operation, reader: ModuleReader) -> Iterator[Operation]:
    for operations in reader.regions(op):
        for child in operations:
            yield child
            if reader.name(child) in CONTAINERS:
                yield from _in_containers(child, reader)


def work_of(op: Operation, reader: ModuleReader) -> IterationWork:
    """One iteration of an operation of `linalg`, in elements of its operands.

    Raises:
        NotModelledError: a shape that is not static; a type, map or operation in the body that the model has no numbers
            for.
    """
    maps = [_coefficients(op, text, reader) for text in reader.indexing_maps(op)]
    operands = list(reader.operands(op))
    regions = reader.regions(op)
    if len(operands) != len(maps) or not regions:
        raise NotModelledError(op, f"{reader.name(op)} has no body, or a map is missing")
    body, arguments = regions[0], list(reader.arguments(op))
    types = [reader.type_text(operand) for operand in operands]
    shapes = [_shape(op, text, reader) for text in types]
    results = len(reader.operands(body[-1]))  # what linalg.yield is given: one value for each output
    accesses: dict[object, Access] = {}
    for place, (operand, text, shape, results_of_map) in enumerate(zip(operands, types, shapes, maps)):
        access = Access(
            array=_root(operand, reader),
            element_byte=_element_byte(op, text, reader),
            strides=_strides(text, shape, results_of_map),
            offset=_offset(text, shape, results_of_map),
            read=place < len(operands) - results or _is_used(arguments[place], body, reader),
            written=place >= len(operands) - results,
        )
        key = access.array, access.strides, access.offset
        known = accesses.get(key, access)
        accesses[key] = replace(access, read=access.read or known.read, written=access.written or known.written)
    counted = [_kind(op, inner, reader) for inner in body]
    return IterationWork(
        trips=_trips(op, maps, shapes, reader),
        accesses=tuple(accesses.values()),
        operations=counted.count("operation"),
        divisions=counted.count("division"),
        calls=counted.count("call"),
        chained=_chained(arguments[len(operands) - results :], body, reader),
    )


def _coefficients(op: Operation, text: str, reader: ModuleReader) -> list[list[int]]:
    """For each result of an affine map the factor of each index, and last the constant."""
    affine = MAP.fullmatch(text)
    if affine is None or NOT_AFFINE.search(affine["results"]):
        raise NotModelledError(op, f"{reader.name(op)} has the map {text}, which is not a sum of indices")
    dims = [name.strip() for name in affine["dims"].split(",") if name.strip()]
    types, origin = dict.fromkeys(dims, INTEGER), dict.fromkeys(dims, 0)
    rows = []
    for result in filter(None, (part.strip() for part in affine["results"].split(","))):
        expression = parse(result, types, source=Source("<map>", result))
        constant = int(evaluate(expression, origin))
        rows.append([*(int(evaluate(expression, {**origin, name: 1})) - constant for name in dims), constant])
    return rows


def _shape(op: Operation, text: str, reader: ModuleReader) -> list[int]:
    shaped = SHAPED.fullmatch(text)
    if shaped is None:
        if ELEMENT.fullmatch(text) or text == "index":
            return []
        raise NotModelledError(op, f"{reader.name(op)} has an operand of the type {text}")
    if "?" in shaped["shape"] or "?" in (shaped["strides"] or ""):
        raise NotModelledError(op, f"{reader.name(op)} has an operand of the type {text}, whose shape is not static")
    return [int(size) for size in shaped["shape"].split("x") if size]


def _steps(text: str, shape: Sequence[int]) -> list[int]:
    """Elements from one value of each subscript to the next."""
    shaped = SHAPED.fullmatch(text)
    if shaped is not None and shaped["strides"] is not None:
        return [int(step) for step in shaped["strides"].split(",") if step.strip()]
    return [math.prod(shape[place + 1 :]) for place in range(len(shape))]


def _strides(text: str, shape: Sequence[int], rows: Sequence[Sequence[int]]) -> tuple[tuple[str, int], ...]:
    steps = _steps(text, shape)
    count = len(rows[0]) - 1 if rows else 0
    totals = [sum(row[number] * step for row, step in zip(rows, steps)) for number in range(count)]
    return tuple((index_name(number), total) for number, total in enumerate(totals) if total)


def _offset(text: str, shape: Sequence[int], rows: Sequence[Sequence[int]]) -> int:
    shaped = SHAPED.fullmatch(text)
    stated = shaped["offset"] if shaped is not None else None
    base = int(stated) if stated and stated != "?" else 0
    return base + sum(row[-1] * step for row, step in zip(rows, _steps(text, shape)))


def _element_byte(op: Operation, text: str, reader: ModuleReader) -> int:
    shaped = SHAPED.fullmatch(text)
    element = shaped["element"] if shaped is not None else text
    bits = ELEMENT.match(element)
    if element == "index":
        return INDEX_BYTE
    if bits is None:
        raise NotModelledError(op, f"{reader.name(op)} has elements of the type {element}")
    return max(1, int(bits[1]) // 8)


def _trips(
    op: Operation, maps: Sequence[list[list[int]]], shapes: Sequence[list[int]], reader: ModuleReader
) -> tuple[tuple[str, int], ...]:
    """The size of the operand's dimension that each index alone moves through."""
    count = max((len(rows[0]) - 1 for rows in maps if rows), default=0)
    trips: dict[int, int] = {}
    for rows, shape in zip(maps, shapes):
        for row, size in zip(rows, shape):
            moved = [number for number, factor in enumerate(row[:-1]) if factor]
            if len(moved) == 1 and row[moved[0]] == 1 and row[-1] == 0:
                trips.setdefault(moved[0], size)
    missing = [index_name(number) for number in range(count) if number not in trips]
    if missing:
        raise NotModelledError(op, f"no operand of {reader.name(op)} tells how often {', '.join(missing)} iterates")
    return tuple((index_name(number), trips[number]) for number in range(count))


def _kind(op: Operation, inner: Operation, reader: ModuleReader) -> str:
    name = reader.name(inner)
    if name in FREE:
        return "free"
    if name in DIVISIONS:
        return "division"
    if name.startswith("arith.") or name in CHEAP:
        return "operation"
    if name.startswith("math."):
        return "call"
    raise NotModelledError(op, f"the body of {reader.name(op)} has {name}")


def _root(value: SsaValue, reader: ModuleReader) -> str:
    """A name for the memory that a value is a part of."""
    owner = reader.owner(value)
    while owner is not None and reader.name(owner) in SAME_MEMORY:
        value = reader.operands(owner)[0]
        owner = reader.owner(value)
    return f"a{hash(value)}"


def _is_used(argument: SsaValue, body: Sequence[Operation], reader: ModuleReader) -> bool:
    return any(argument == operand for inner in body for operand in reader.operands(inner))


def _chained(outputs: Sequence[SsaValue], body: Sequence[Operation], reader: ModuleReader) -> int:
    """Operations one after another between an output's element as it was and as it becomes; at least 1."""
    depth = dict.fromkeys(outputs, 0)
    for inner in body[:-1]:
        before = [depth[operand] for operand in reader.operands(inner) if operand in depth]
        if before:
            depth |= dict.fromkeys(reader.results(inner), max(before) + 1)
    return max([1, *(depth.get(operand, 0) for operand in reader.operands(body[-1]))])
