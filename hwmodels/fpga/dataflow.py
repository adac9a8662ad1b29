"""The dataflow of an innermost body: latency, initiation interval, delay lines. Independent of every parameter.

t(v) = max over inputs u of t(u), plus latency(v)              when a value is ready
L    = max t(v)                                                 latency of the body
II   = max over accumulations of t(write) - t(read)             at least 1
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tunepass.hwmodels.fpga.curves import evaluate
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.ir.hardware import Operation

_WRITES = ("_store", "_write", "_enq", "_shift")
_READS = ("_load", "_read", "_deq")


@dataclass(frozen=True, slots=True)
class DelayLine:
    """A value of `width_bit` that waits `cycles` for its last reader."""

    width_bit: int
    cycles: int


@dataclass(frozen=True, slots=True)
class BodyTiming:
    latency: int
    interval: int
    delays: tuple[DelayLine, ...]


def latency_of(operation: Operation, device: Fpga, in_cycle: bool = False) -> int:
    """Cycles of one operation; ones that the device does not list are wires."""
    table = device.latency_in_reduce if in_cycle else device.latency
    polynomial = table.get(operation.name)
    return math.ceil(evaluate(polynomial, operation.element.bits) - 1e-9) if polynomial else 0


def analyse(operations: tuple[Operation, ...], device: Fpga, in_cycle: bool = False) -> BodyTiming:
    """Latency, II and delay lines of a body. `in_cycle`: it is an accumulation's tight loop."""
    cyclic = _accumulations(operations)
    inside = {i for path in cyclic.values() for i in path}
    latency = [latency_of(op, device, in_cycle or i in inside) for i, op in enumerate(operations)]
    ready = [0] * len(operations)
    for i, op in enumerate(operations):
        ready[i] = max((ready[j] for j in op.inputs), default=0) + latency[i]
    interval = 1
    for (read, write), path in cyclic.items():
        special = any(operations[i].name == "fix_add" for i in path)  # an integer sum is specialised: II 1
        interval = max(interval, 1 if special else ready[write] - ready[read])
    return BodyTiming(max(ready, default=0), interval, _delays(operations, device, latency, ready))


def _delays(
    operations: tuple[Operation, ...], device: Fpga, latency: list[int], ready: list[int]
) -> tuple[DelayLine, ...]:
    """One line for each value, as long as its last reader needs."""
    longest: dict[int, int] = {}
    for i, op in enumerate(operations):
        starts = ready[i] - latency[i]
        for j in op.inputs:
            registers = latency[j] if operations[j].name in device.retimed else 0
            wait = registers + starts - ready[j]
            if wait > 0:
                longest[j] = max(longest.get(j, 0), wait)
    return tuple(DelayLine(operations[j].element.bits, cycles) for j, cycles in sorted(longest.items()))


def _accumulations(operations: tuple[Operation, ...]) -> dict[tuple[int, int], frozenset[int]]:
    """(read, write) of one memory where the write depends on the read: the operations between."""
    between = {}
    for w, write in enumerate(operations):
        if write.memory is None or not write.name.endswith(_WRITES):
            continue
        above = _ancestors(operations, w)
        for r in above:
            read = operations[r]
            if read.memory == write.memory and read.name.endswith(_READS):
                between[r, w] = frozenset(i for i in above if r in _ancestors(operations, i)) | {r, w}
    return between


def _ancestors(operations: tuple[Operation, ...], start: int) -> set[int]:
    seen: set[int] = set()
    pending = list(operations[start].inputs)
    while pending:
        i = pending.pop()
        if i not in seen:
            seen.add(i)
            pending.extend(operations[i].inputs)
    return seen
