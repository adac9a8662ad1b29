"""Bodies made into controllers: innermost ones with a dataflow, outer ones with stages and a schedule."""

from __future__ import annotations

from collections.abc import Sequence

from tunepass.diagnostics import Span
from tunepass.frontends.spatial.elaborate.bodies import BodyBuilder, dataflow, stages
from tunepass.ir.hardware import Controller, ControllerKind, Counter, Schedule


def controller(
    label: str,
    kind: ControllerKind,
    body: BodyBuilder,
    outer: Schedule,
    span: Span,
    *,
    counters: Sequence[Counter] = (),
    interval: int | None = None,
) -> Controller:
    """A controller without a reduction; all its operations are kept. `outer` is its schedule where it has stages."""
    inner = body.is_inner and outer is not Schedule.PARALLEL
    return Controller(
        label=label,
        kind=kind,
        schedule=Schedule.INNER if inner else outer,
        counters=tuple(counters),
        stages=() if inner else stages(body),
        operations=dataflow(body.ops, body.ops) if inner else (),
        memories=tuple(body.memories),
        interval=interval,
        span=span,
    )
