"""What a kernel is judged by."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import TunepassError, nearest
from tunepass.ir.application import Application
from tunepass.ir.c_kernel import CKernel
from tunepass.ir.kernel import Kernel
from tunepass.study.objective import Objective

TIME = Objective("time", unit="ms")
INSTRUCTIONS = Objective("instructions")  # of a call, counted by cachegrind: the same on every run


def of_kernel(kernel: Kernel, names: Sequence[str] = ()) -> tuple[Objective, ...]:
    """The objectives called `names`, in that order. Without names: the metrics of a `run`; else the time of a call, or
    of the whole run, in ms."""
    body = kernel.body
    run = body.run if isinstance(body, (CKernel, Application)) else None
    metrics = run.metrics if run else ()
    usual = tuple(Objective(m.objective, unit=m.unit, maximise=m.maximise) for m in metrics) or (TIME,)
    called = isinstance(body, CKernel) and body.call is not None
    if not called or INSTRUCTIONS.name not in names:
        return tuple(_find(usual, name) for name in names) or usual
    if len(names) > 1:
        raise TunepassError(
            "instructions are counted, not timed: search for them alone", hint="--objective instructions"
        )
    return (INSTRUCTIONS,)


def picked(objectives: Sequence[Objective], name: str | None) -> Objective:
    """The objective the choice is to be the best of: the first, unless one is named."""
    return objectives[0] if name is None else _find(objectives, name)


def _find(objectives: Sequence[Objective], name: str) -> Objective:
    by_name = {o.name: o for o in objectives}
    if name not in by_name:
        close = nearest(name, by_name)
        hint = f"did you mean {close!r}?" if close else "a `metric` of a `run` pragma names an objective"
        raise TunepassError(f"no objective {name!r} is measured here; there are {', '.join(by_name)}", hint=hint)
    return by_name[name]
