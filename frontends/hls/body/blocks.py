"""A block while it is read: its operations, none of them twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tunepass.diagnostics import Span
from tunepass.ir.hls import HlsBlock, HlsOperation

Key = tuple[object, ...]


@dataclass(slots=True)
class BlockBuilder:
    """Equal operations on equal inputs are one, and so are loads of one element without a store between them; what was
    stored unguarded is not loaded again."""

    serial: int
    operations: list[HlsOperation] = field(default_factory=list)
    known: dict[Key, int] = field(default_factory=dict)
    loaded: dict[str, dict[Key, int]] = field(default_factory=dict)  # by array
    dirty: dict[str, Span | None] = field(default_factory=dict)  # scalars that were assigned

    def add(self, operation: HlsOperation) -> int:
        key = (operation.name, operation.element, operation.inputs, operation.subscripts, operation.value)
        if key not in self.known:
            self.operations.append(operation)
            self.known[key] = len(self.operations) - 1
        return self.known[key]

    def load(self, operation: HlsOperation) -> int:
        assert operation.array is not None
        kept = self.loaded.setdefault(operation.array, {})
        key = (operation.subscripts, operation.inputs)
        if key not in kept:
            self.operations.append(operation)
            kept[key] = len(self.operations) - 1
        return kept[key]

    def store(self, operation: HlsOperation) -> None:
        assert operation.array is not None
        self.operations.append(operation)
        key = (operation.subscripts, operation.inputs[1:])
        self.loaded[operation.array] = {} if operation.guarded else {key: operation.inputs[0]}

    def queue(self, operation: HlsOperation) -> int:
        """An access to a FIFO: each is another."""
        self.operations.append(operation)
        return len(self.operations) - 1

    def closed(self, span: Span | None) -> HlsBlock:
        return HlsBlock(operations=tuple(self.operations), span=span)


def renumbered(operations: Sequence[HlsOperation], keep: Sequence[bool]) -> tuple[HlsOperation, ...]:
    """Those to keep, their inputs by their new positions."""
    position: dict[int, int] = {}
    kept: list[HlsOperation] = []
    for at, operation in enumerate(operations):
        if keep[at]:
            position[at] = len(kept)
            inputs = tuple(position[i] for i in operation.inputs)
            condition = None if operation.condition is None else position[operation.condition]
            kept.append(replace(operation, inputs=inputs, condition=condition))
    return tuple(kept)
