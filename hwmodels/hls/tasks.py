"""Tasks of a `dataflow` region, which run at once as far as what passes between them lets them.

once        the longest path: a task begins when those that fill an array for it have ended, and ends no earlier than
            those whose stream it reads; tasks that nothing connects run side by side
in a loop   the slowest task: of the others each works on another iteration, arrays are kept twice
"""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.expr import algebra as alg
from tunepass.expr.nodes import Expr
from tunepass.ir.hls import HlsBlock, HlsItem, HlsKernel, items_of


def together(kernel: HlsKernel, tasks: Sequence[HlsItem], times: Sequence[Expr], repeated: bool) -> Expr:
    """Cycles of all tasks, by those of each."""
    if repeated or not tasks:
        return alg.maximum(0, *times)
    ends: list[Expr] = []
    for at, task in enumerate(tasks):
        passed = [_passed(kernel, earlier, task) for earlier in tasks[:at]]
        starts = [end for end, (arrays, _) in zip(ends, passed) if arrays]
        waits = [end for end, (_, streams) in zip(ends, passed) if streams]
        start = alg.maximum(*starts) if starts else alg.lift(0)
        ends.append(alg.maximum(alg.add(start, times[at]), *waits))
    return alg.maximum(*ends)


def _passed(kernel: HlsKernel, earlier: HlsItem, later: HlsItem) -> tuple[bool, bool]:
    """Does an array, and does a stream, go from one task to a later one?"""
    shared = _arrays(earlier, "store") & _arrays(later, "load")
    storages = {kernel.array(name).storage for name in shared}
    return bool(storages & {"local", "global"}), "stream" in storages


def _arrays(task: HlsItem, operation: str) -> frozenset[str]:
    blocks = [item for item in items_of(task) if isinstance(item, HlsBlock)]
    return frozenset(o.array for b in blocks for o in b.operations if o.name == operation and o.array is not None)
