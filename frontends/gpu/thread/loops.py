"""How often a loop's text is there after unrolling: from its head and its `#pragma unroll`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.frontends.gpu.thread.words import Arithmetic

NONE = algebra.lift(0)
UNROLLED = 16  # trips up to which nvcc unrolls a loop that no pragma speaks of


@dataclass(frozen=True, slots=True)
class Repeats:
    """`merged`: no loop is left. `whole`: 1 where the copies are all trips. `free`: neither a pragma nor trips that are
    known say anything."""

    copies: Expr
    whole: Expr = NONE
    merged: bool = False
    free: bool = False


def repeats(arithmetic: Arithmetic, head: Sequence[str] | None, unroll: Sequence[str] | None) -> Repeats:
    """`head` is what stands in the parentheses of a `for`, None for another loop; `unroll` the words after `#pragma
    unroll`, None where there is none."""
    count, strided = (None, False) if head is None else trips(arithmetic, head)
    factor = None if not unroll else arithmetic.read(unroll)
    if count is None:
        return Repeats(factor or algebra.lift(1), free=unroll is None)
    if unroll is None:
        few = algebra.compare(count, "<=", UNROLLED)
        left = algebra.minimum(count, UNROLLED) if strided else 1
        whole = algebra.lift(0) if strided else algebra.where(few, 1, 0)
        return Repeats(algebra.where(few, count, left), whole)
    if not unroll:
        return Repeats(count, merged=True)
    if factor is None:
        return Repeats(algebra.lift(1))
    return Repeats(algebra.minimum(factor, count), algebra.where(algebra.compare(factor, ">=", count), 1, 0))


def trips(arithmetic: Arithmetic, head: Sequence[str]) -> tuple[Expr | None, bool]:
    """Of `int i = 0; i < N; i++` and the like; None where they are not over the parameters alone. A loop that begins at
    the thread's number is `strided`: its trips are those of the first thread."""
    parts: list[list[str]] = [[]]
    for word in head:
        if word == ";":
            parts.append([])
        else:
            parts[-1].append(word)
    if len(parts) != 3 or "=" not in parts[0] or not parts[1]:
        return None, False
    start, name = parts[0][parts[0].index("=") + 1 :], parts[0][parts[0].index("=") - 1]
    sign = next((word for word in parts[1] if word in ("<", "<=", ">", ">=", "!=")), None)
    if sign is None or parts[1][0] != name:
        return None, False
    stop, step = parts[1][parts[1].index(sign) + 1 :], parts[2]
    if any(word in ("/=", ">>=") for word in step):
        first = arithmetic.read(start)
        return (None if first is None else algebra.add(1, algebra.apply("floor", algebra.apply("log2", first)))), False
    strided = start[:1] in (["threadIdx"], ["get_local_id"]) and "+=" in step
    if strided:
        start = ["0"]
    if sign in (">", ">="):
        start, stop = stop, start
    distance, by = _distance(arithmetic, start, stop), arithmetic.read(_step(step))
    if distance is None or by is None or "*=" in step or "<<=" in step:
        return None, False
    return algebra.ceildiv(algebra.add(distance, 1) if sign in ("<=", ">=") else distance, by), strided


def _step(step: Sequence[str]) -> Sequence[str]:
    sign = next((word for word in step if word in ("+=", "-=")), None)
    return ["1"] if sign is None else step[step.index(sign) + 1 :]


def _distance(arithmetic: Arithmetic, start: Sequence[str], stop: Sequence[str]) -> Expr | None:
    if len(stop) > len(start) and list(stop[: len(start)]) == list(start) and stop[len(start)] == "+":
        return arithmetic.read(stop[len(start) + 1 :])
    first, last = arithmetic.read(start), arithmetic.read(stop)
    return None if first is None or last is None else algebra.sub(last, first)
