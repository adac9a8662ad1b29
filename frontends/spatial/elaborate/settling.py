"""A program with open sizes made one without: what is said of them, then what times assume.

On-chip memories have the words that the hardware is built with: a size that is open there says nothing of the app's
problem, and is taken as 1, so that no area is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TypeVar

import numpy as np

from tunepass.diagnostics import Span
from tunepass.expr import algebra
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import Expr, Name, free_names
from tunepass.expr.printer import to_text
from tunepass.frontends.spatial.elaborate.context import Context
from tunepass.frontends.spatial.elaborate.numbers.extents import MEAN, OPEN, Extent, Extents, is_open
from tunepass.ir.hardware import Controller, Counter, Memory, Program, Transfer

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Settled:
    """`program` has numbers and parameters only; of `bounded` the assumed sizes are still symbols, so that nothing
    follows from them. `assumed` are those that the program depends on, with their values."""

    program: Program
    bounded: Program
    assumed: tuple[tuple[Extent, Expr], ...]


def settle(context: Context, program: Program) -> Settled:
    extents = context.extents
    bounded = _resolved(program, extents.bounds())
    values = _values(extents, bounded)
    needed = sorted(_open_names(bounded), key=lambda symbol: int(symbol.removeprefix(OPEN)))
    assumed = tuple((extents.by_symbol[symbol], values[symbol]) for symbol in needed)
    return Settled(_not_negative(context, _resolved(_built(bounded), values)), bounded, assumed)


def _resolved(program: Program, values: dict[str, Expr]) -> Program:
    """The program with symbols replaced until none of `values` is left."""
    while values and not _open_names(program).isdisjoint(values):
        program = mapped(program, lambda e: algebra.substitute(e, values))
    return program


def _values(extents: Extents, program: Program) -> dict[str, Expr]:
    """What is assumed for every symbol: for a loop that goes through memories, no more than their words."""
    words: dict[str, list[Expr]] = {}
    for counter, size in _reached(program):
        for symbol in _symbol(counter.stop):
            words.setdefault(symbol, []).append(size)
    values = {}
    for symbol, extent in extents.by_symbol.items():
        sizes = [extent.assumed] if extent.why else words.get(symbol, [extent.assumed])
        fixed = [size for size in sizes if algebra.number(size) is not None]
        values[symbol] = algebra.minimum(*fixed) if fixed else sizes[0]
    return values


def mapped(part: Part, change: Callable[[Expr], Expr]) -> Part:
    """A program, or a part of one, with every expression in it changed."""
    if isinstance(part, Expr):
        return change(part)  # type: ignore[return-value]  # an expression gives an expression
    if isinstance(part, tuple):
        items = tuple(mapped(item, change) for item in part)
        return part if all(a is b for a, b in zip(items, part)) else items  # type: ignore[return-value]
    if not is_dataclass(part) or isinstance(part, (type, Span)):
        return part
    old = {field.name: getattr(part, field.name) for field in fields(part)}
    new = {name: mapped(value, change) for name, value in old.items()}
    changed = {name: value for name, value in new.items() if value is not old[name]}
    return replace(part, **changed) if changed else part


def expressions(part: object) -> Iterator[Expr]:
    """Every expression of a program or of a part of one."""
    if isinstance(part, Expr):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from expressions(item)
    elif is_dataclass(part) and not isinstance(part, (type, Span)):
        for field in fields(part):
            yield from expressions(getattr(part, field.name))


def _not_negative(context: Context, program: Program) -> Program:
    """Loops that would run backwards run not at all, and nothing is moved."""
    ends = {d.name: d.ends for d in context.declared}
    lo, hi = ({name: np.array([pair[i]]) for name, pair in ends.items()} for i in (0, 1))

    def negative(e: Expr) -> bool:
        return bool(IntervalExtension([e]).bounds(lo, hi, 1)[0].lo[0] < 0)

    def counter(c: Counter) -> Counter:
        step = algebra.number(c.step)
        if c.stop is None or (step is not None and step < 0) or not negative(algebra.sub(c.stop, c.start)):
            return c
        return replace(c, stop=algebra.maximum(c.start, c.stop))

    def transfer(t: Transfer) -> Transfer:
        lengths = tuple(algebra.maximum(0, length) if negative(length) else length for length in t.lengths)
        return t if lengths == t.lengths else replace(t, lengths=lengths)

    def within(controller: Controller) -> Controller:
        stages = tuple(within(s) if isinstance(s, Controller) else transfer(s) for s in controller.stages)
        return replace(controller, counters=tuple(map(counter, controller.counters)), stages=stages)

    return replace(program, accel=within(program.accel))


def _open_names(program: Program) -> set[str]:
    return {name for e in expressions(program) for name in free_names(e) if name.startswith(OPEN)}


def _symbol(e: Expr | None) -> Iterator[str]:
    if isinstance(e, Name) and e.name.startswith(OPEN):
        yield e.name


def _built(program: Program) -> Program:
    """On-chip memories without what is assumed."""

    def built(memories: Iterable[Memory]) -> tuple[Memory, ...]:
        return tuple(
            m if m.kind == "dram" else replace(m, dims=tuple(algebra.lift(1) if is_open(d) else d for d in m.dims))
            for m in memories
        )

    def within(controller: Controller) -> Controller:
        stages = tuple(within(stage) if isinstance(stage, Controller) else stage for stage in controller.stages)
        return replace(controller, stages=stages, memories=built(controller.memories))

    return replace(program, accel=within(program.accel), memories=built(program.memories))


def _reached(program: Program) -> Iterator[tuple[Counter, Expr]]:
    """Counters with an on-chip memory that they alone address, and its words in that dimension."""
    sizes = {memory.name: memory.dims for memory in program.all_memories() if memory.kind != "dram"}
    counters = {counter.name: counter for c in program.accel.walk() for counter in c.counters if is_open(counter.stop)}
    for controller in program.accel.walk() if counters else ():
        for operation in controller.operations:
            for index, words in zip(operation.index, sizes.get(operation.memory or "", ())):
                if index.affine and len(index.counters) == 1 and index.counters[0] in counters and not is_open(words):
                    yield counters[index.counters[0]], words


def warn_of_assumed(context: Context, assumed: Iterable[tuple[Extent, Expr]]) -> None:
    """A warning for every size that times assume; what is only the middle of a known range is none."""
    for extent, value in assumed:
        if extent.why == MEAN or extent.span is None:
            continue
        taken = to_text(value) + (f", as `{extent.why}` has it" if extent.why else "")
        hint = f"give --size {extent.name}=N"
        hint = f"say `bound({extent.name}) = n`, or {hint}" if extent.host else hint
        context.warn(f"`{extent.name}` is not known here; times assume {taken}", extent.span, hint)
