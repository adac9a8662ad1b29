"""Cycles, controller by controller (spatial-lang, LatencyAnalyzer).

    N          product over counters of ceildiv(ceildiv(stop - start, step), par)
    h(P)       ceil(log2 P), the height of a reduction tree
    inner loop                 L + (N - 1) II + 1
    inner reduction            L + L_red h(P) + (N - 1) II + 1
    Parallel                   max over stages + 1
    MetaPipe                   max (N - 1) II + sum + 1            over its stages
    Sequential                 N sum + 1
    outer reduction            one more stage: L_red h(P) + cycle
    block reduction            one more stage: load + L_red h(Pm) + N_r (load + red + store)
    DRAM                       a transfer, a Parallel, an iteration of a MetaPipe: their floor at least (bandwidth.py)
The design starts after the device's startup cycles. Unit pipes have no + 1.
"""

from __future__ import annotations

import math

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.base import EstimatePart
from tunepass.hwmodels.fpga import dram
from tunepass.hwmodels.fpga.area import par_of, pipelined
from tunepass.hwmodels.fpga.bandwidth import Bandwidth
from tunepass.hwmodels.fpga.curves import evaluate
from tunepass.hwmodels.fpga.dataflow import analyse
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.places import errors_at, placed
from tunepass.hwmodels.fpga.widths import Close, by_width, closed_operations, elements_of, number_by_width
from tunepass.ir.hardware import Controller, Counter, Program, Schedule, Stage, Transfer

STORE = 1  # cycles of a register write
LOOPS = ("foreach", "reduce", "memreduce")
REPEATED = (*LOOPS, "fsm")  # a state machine's steps do not overlap


def trips(counters: tuple[Counter, ...]) -> Expr:
    """N: iterations, with all lanes busy; a counter without end counts once."""
    bounded = [c for c in counters if c.stop is not None]
    return algebra.mul(
        *(algebra.ceildiv(algebra.ceildiv(algebra.sub(c.stop or 0, c.start), c.step), c.par) for c in bounded)
    )


def _together(controller: Controller) -> bool:
    """Do the stages start together, so that the slowest counts?"""
    streams = controller.schedule is Schedule.STREAM and controller.kind not in LOOPS
    return streams or controller.schedule in (Schedule.PARALLEL, Schedule.FORK)


class CycleModel:
    """Cycles of a program on a device."""

    def __init__(self, program: Program, device: Fpga):
        self.program, self.device = program, device
        controllers = list(program.accel.walk())
        overlap = {c.label: pipelined(c) for c in controllers}
        pars = {c.label: par_of(c.counters) for c in controllers}
        self.competing = dram.contention(program.accel, overlap, pars)
        self.in_one_copy = dram.contention(program.accel, overlap, dict.fromkeys(pars, algebra.lift(1)))
        self.bandwidth = Bandwidth(program, device)
        self.parts: list[EstimatePart] = []

    def total(self) -> Expr:
        startup = algebra.lift(self.device.startup_cycles)
        self.parts.append(EstimatePart("startup", 0, {"cycles": startup}))
        return algebra.add(startup, self._controller(self.program.accel, 0))

    def within_fit(self) -> Expr:
        """Does every load lie within the range of the fit?"""
        net = self.device.tile_load
        return algebra.both(
            *(dram.within_fit(t, self._readers(t).competing, net) for t in self.program.accel.transfers())
        )

    def _readers(self, transfer: Transfer) -> dram.Readers:
        one = algebra.lift(1)
        competing, alone = (known.get(id(transfer), one) for known in (self.competing, self.in_one_copy))
        return dram.Readers(competing, alone, self.bandwidth.copies_of(transfer))

    def _stage(self, stage: Stage, depth: int) -> Expr:
        if isinstance(stage, Controller):
            return self._controller(stage, depth)
        free = dram.cycles(stage, self._readers(stage), self.device)
        cycles = algebra.maximum(free, self.bandwidth.floor([stage]))
        self.parts.append(EstimatePart(f"{stage.kind} {stage.local}", depth, {"cycles": cycles}, stage.span))
        return cycles

    def _controller(self, controller: Controller, depth: int) -> Expr:
        index = len(self.parts)
        inner = controller.schedule is Schedule.INNER
        with errors_at(controller.span):
            cycles = placed(self._inner(controller) if inner else self._outer(controller, depth), controller.span)
        loop = controller.kind in LOOPS
        part = EstimatePart(
            controller.label,
            depth,
            {"cycles": cycles},
            controller.span,
            times=trips(controller.counters) if controller.kind in REPEATED else None,
            overlap=pipelined(controller) if loop and not inner else None,
            combine="leaf" if inner else "slowest" if _together(controller) else "turns",
        )
        self.parts.insert(index, part)
        return cycles

    def _inner(self, controller: Controller) -> Expr:
        timing = by_width(elements_of(controller.operations), lambda close: self._timing(controller, close))
        latency = timing["latency"]
        interval = algebra.lift(controller.interval) if controller.interval else timing["interval"]
        if controller.kind not in ("foreach", "reduce"):
            return algebra.mul(latency, trips(controller.counters))
        tree: Expr = algebra.lift(0)
        if controller.reduction is not None:
            tree = algebra.mul(self._combine(controller, False), algebra.ceil_log2(par_of(controller.counters)))
            if not controller.interval:
                interval = algebra.maximum(interval, algebra.add(self._combine(controller, True), STORE))
        repeats = algebra.mul(algebra.sub(trips(controller.counters), 1), interval)
        return algebra.add(latency, tree, repeats, 1)

    def _timing(self, controller: Controller, close: Close) -> dict[str, int]:
        body = analyse(closed_operations(controller.operations, close), self.device)
        return {"latency": self._stretched(body.latency), "interval": body.interval}

    def _stretched(self, latency: int) -> int:
        """Bodies take longer than the sum of their operations: a device's fitted factor."""
        return math.floor(latency * self.device.body_stretch + 0.5)

    def _combine(self, controller: Controller, in_cycle: bool) -> Expr:
        """Latency of the combining function."""
        assert controller.reduction is not None
        operations = controller.reduction.operations

        def latency(close: Close) -> int:
            return analyse(closed_operations(operations, close), self.device, in_cycle).latency

        return number_by_width(elements_of(operations), latency)

    def _outer(self, controller: Controller, depth: int) -> Expr:
        stages = [self._stage(stage, depth + 1) for stage in controller.stages]
        if controller.schedule is Schedule.PARALLEL:
            return algebra.add(self._slowest(controller, stages), 1) if stages else algebra.lift(1)
        if controller.schedule is Schedule.FORK:
            return algebra.maximum(*stages)
        if controller.reduction is not None:
            stages.append(self._reduction_stage(controller))
            label = f"{controller.label} accumulation"
            self.parts.append(EstimatePart(label, depth + 1, {"cycles": stages[-1]}, controller.span))
        if controller.kind in ("accel", "unit", "case", "fsm"):
            overhead = 1 if controller.kind == "fsm" else 0
            if controller.schedule is Schedule.STREAM:
                return algebra.add(self._slowest(controller, stages), overhead)
            return algebra.add(algebra.mul(algebra.add(*stages), trips(controller.counters)), overhead)
        n, together = trips(controller.counters), algebra.add(*stages)
        interval = controller.interval or 1
        slowest = self._slowest(controller, stages)
        piped = algebra.add(algebra.mul(slowest, algebra.sub(n, 1), interval), together, 1)
        turns = algebra.add(algebra.mul(n, together), 1)
        overlap = pipelined(controller)
        fixed = algebra.number(overlap)
        if fixed is not None:
            return piped if fixed else turns
        return algebra.where(algebra.compare(overlap, "!=", 0), piped, turns)

    def _slowest(self, controller: Controller, stages: list[Expr]) -> Expr:
        """Cycles of stages that run at the same time and share the channels to DRAM."""
        shared = self.bandwidth.together(controller.stages)
        return algebra.maximum(*stages) if algebra.number(shared) == 0 else algebra.maximum(*stages, shared)

    def _reduction_stage(self, controller: Controller) -> Expr:
        tree = algebra.mul(self._combine(controller, False), algebra.ceil_log2(par_of(controller.counters)))
        tight = self._combine(controller, True)
        if controller.kind != "memreduce":
            return algebra.add(tree, tight, STORE)
        load = math.ceil(evaluate(self.device.latency["sram_load"], 0))
        accumulate = algebra.add(load, tight, math.ceil(evaluate(self.device.latency["sram_store"], 0)))
        return algebra.add(load, tree, algebra.mul(trips(controller.reduce_counters), accumulate))
