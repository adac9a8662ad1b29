"""The state in which a transform sequence is followed: nests, and what its values stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tunepass.expr.nodes import Expr
from tunepass.integrations.mlir.reader import SsaValue
from tunepass.ir.tiled_nests import TileLoop
from tunepass.space.configuration import Value


@dataclass(frozen=True, slots=True)
class Nest:
    """An operation of `linalg` by its number, its loops so far, and its own indices in the order of its loops."""

    op: int
    indices: tuple[str, ...]
    loops: tuple[TileLoop, ...] = ()
    unrolled: tuple[tuple[int, Expr], ...] = ()  # copies of a loop's body, by the loop's place
    vectors: bool = False
    touched: bool = False


@dataclass(frozen=True, slots=True)
class Handle:
    """Operations that a value of the sequence stands for: nests by their numbers, with `loop` a loop of each, with
    `inside` all that functions hold. `unknown` says why the model cannot tell."""

    nests: tuple[int, ...] = ()
    loop: int | None = None
    inside: bool = False
    unknown: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """Nests, and the meaning of the sequence's values, under some choices of knobs."""

    nests: tuple[Nest, ...]
    choices: Mapping[str, Value] = field(default_factory=dict)
    handles: Mapping[SsaValue, Handle] = field(default_factory=dict)
    numbers: Mapping[SsaValue, Expr] = field(default_factory=dict)

    def of(self, value: SsaValue) -> Handle:
        return self.handles.get(value, Handle(unknown="a value from outside of the sequence"))

    def bound(self, results: Sequence[SsaValue], handles: Sequence[Handle]) -> State:
        return replace(self, handles={**self.handles, **dict(zip(results, handles))})

    def renamed(self, values: Sequence[SsaValue], others: Sequence[SsaValue]) -> State:
        """With `others` for what `values` stand for."""
        numbers = {other: self.numbers[value] for value, other in zip(values, others) if value in self.numbers}
        bound = self.bound(others, [self.of(value) for value in values])
        return replace(bound, numbers={**self.numbers, **numbers})

    def changed(self, numbers: Sequence[int], change: Callable[[Nest], Nest]) -> State:
        nests = [replace(change(n), touched=True) if n.op in numbers else n for n in self.nests]
        return replace(self, nests=tuple(nests))
