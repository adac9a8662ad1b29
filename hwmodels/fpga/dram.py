"""Cycles of DRAM transfers under contention (spatial-lang, StratixVLatencyModel; HyperMapper 2.0 ran on it).

    c     transfers that compete, see contention()
    b, p  words of the innermost dimension, words moved a cycle; every outer dimension repeats the transfer
    load  cols = max(b, 96); base = ceil((1 + o(cols) ln c / ln 12) (110 + 53 + cols)); floor(base * f(c, cols, p))
    store f = 1 + s p for p < 8, else o p + (1 - 8 o) + 8 s, with o = 0.02 c - 0.019, s = 0.0175 (0 below c = 8);
          cycles = ceil(b / p * f)
f of the load is a net of sigmoids fitted to measurements, see the device's `fitted` section.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.device import Fpga, TileLoad
from tunepass.ir.hardware import Controller, Schedule, Stage, Transfer

COMMAND, ROW = 110, 53  # cycles of a command, and of a burst beyond its words
SHORTEST = 96  # words: shorter rows cost as much
# The net's inputs are divided by these.
READERS, COLUMNS, PAR = 15.0, 24576.0, 192.0


def contention(accel: Controller, overlap: Mapping[str, Expr], pars: Mapping[str, Expr]) -> dict[int, Expr]:
    """Competing transfers for each transfer, by id of the Transfer object.

    Counted upwards: a transfer is 1; stages that run together add up, stages that take turns count by their largest;
    a loop multiplies by its par. Then downwards: stages that run together see their parent's count; those that take
    turns see their own share of it.
    """
    own: dict[int, Expr] = {}
    largest: dict[int, Expr] = {}

    def count(stage: Stage) -> Expr:
        if isinstance(stage, Transfer):
            return algebra.lift(1)
        counts = [count(s) for s in stage.stages]
        counts = [c for c in counts if algebra.number(c) != 0]
        together = algebra.add(*counts) if counts else algebra.lift(0)
        turns = algebra.maximum(*counts) if counts else algebra.lift(0)
        largest[id(stage)] = turns
        running = algebra.lift(1) if stage.schedule is Schedule.PARALLEL else overlap[stage.label]
        inside = (
            algebra.where(algebra.compare(running, "!=", 0), together, turns)
            if _open(running)
            else (together if algebra.number(running) else turns)
        )
        own[id(stage)] = algebra.mul(inside, pars[stage.label])
        return own[id(stage)]

    seen: dict[int, Expr] = {}

    def share(stage: Stage, given: Expr) -> None:
        if isinstance(stage, Transfer):
            seen[id(stage)] = given
            return
        running = algebra.lift(1) if stage.schedule is Schedule.PARALLEL else overlap[stage.label]
        for child in stage.stages:
            count_of_child = own.get(id(child), algebra.lift(1))
            if algebra.number(count_of_child) == 0:
                continue
            turn = algebra.mul(algebra.floordiv(given, largest[id(stage)]), count_of_child)
            if _open(running):
                share(child, algebra.where(algebra.compare(running, "!=", 0), given, turn))
            else:
                share(child, given if algebra.number(running) else turn)

    share(accel, count(accel))
    return seen


def _open(running: Expr) -> bool:
    return algebra.number(running) is None


def cycles(transfer: Transfer, competing: Expr, device: Fpga) -> Expr:
    """Cycles of one transfer, all its rows."""
    words, rows = transfer.lengths[-1], algebra.mul(*transfer.lengths[:-1])
    if transfer.kind == "load":
        return algebra.mul(load(words, transfer.par, competing, device.tile_load), rows)
    if transfer.kind == "store":
        return algebra.mul(store(words, transfer.par, competing), rows)
    # Gather and scatter: one address a cycle and lane after the command; no measurement stands behind it.
    return algebra.add(COMMAND + ROW, algebra.mul(algebra.ceildiv(words, transfer.par), competing))


def load(words: Expr, par: Expr, competing: Expr, net: TileLoad) -> Expr:
    columns = algebra.maximum(SHORTEST, words)
    overhead = algebra.where(
        algebra.compare(columns, "==", SHORTEST),
        0.307 / (1 + math.exp(-0.096 + 0.21)),
        algebra.where(algebra.compare(columns, "==", 192), 0.185 / (1 + math.exp(-0.24 - 0.8)), 0.165),
    )
    value = algebra.number(columns)
    if value is not None:
        first, second = 0.307 / (1 + math.exp(-0.096 + 0.21)), 0.185 / (1 + math.exp(-0.24 - 0.8))
        overhead = algebra.lift(first if value == SHORTEST else second if value == 192 else 0.165)
    slower = algebra.add(1.0, algebra.mul(overhead, algebra.div(_log(competing), math.log(12))))
    base = _ceil(algebra.mul(slower, algebra.add(COMMAND + ROW, columns)))
    return _floor(algebra.mul(base, speedup(columns, par, competing, net)))


def speedup(columns: Expr, par: Expr, competing: Expr, net: TileLoad) -> Expr:
    """The share of `base` that a load with `par` lanes takes, in (0, 1]; 1 for one lane."""
    if algebra.number(par) == 1:
        return algebra.lift(1)
    inputs = (algebra.div(competing, READERS), algebra.div(columns, COLUMNS), algebra.div(par, PAR))
    hidden = [_sigmoid(_affine(row, inputs)) for row in net.hidden]
    return _sigmoid(_affine(net.output, tuple(hidden)))


def store(words: Expr, par: Expr, competing: Expr) -> Expr:
    o = algebra.add(algebra.mul(0.02, competing), -0.019)
    s = _where(algebra.compare(competing, "<", 8), competing, lambda c: c < 8, 0.0, 0.0175)
    few = algebra.add(1.0, algebra.mul(s, par))
    many = algebra.add(algebra.mul(o, par), 1.0, algebra.mul(-8, o), algebra.mul(8, s))
    factor = _where(algebra.compare(par, "<", 8), par, lambda p: p < 8, few, many)
    return _ceil(algebra.mul(algebra.div(words, par), factor))


def _affine(weights: tuple[float, ...], inputs: tuple[Expr, ...]) -> Expr:
    """weights[0] + sum of weights[i] * inputs[i - 1]."""
    return algebra.add(weights[0], *(algebra.mul(w, x) for w, x in zip(weights[1:], inputs)))


def _sigmoid(x: Expr) -> Expr:
    value = algebra.number(x)
    if value is not None:
        return algebra.lift(1 / (1 + math.exp(-value)) if value > -700 else 0.0)  # exp(710) is no double
    return algebra.div(1.0, algebra.add(1.0, algebra.apply("exp", algebra.sub(0, x))))


def _where(condition: Expr, subject: Expr, test: object, then: Expr | float, otherwise: Expr | float) -> Expr:
    value = algebra.number(subject)
    if value is not None and callable(test):
        return algebra.lift(then if test(value) else otherwise)
    return algebra.where(condition, then, otherwise)


def _log(e: Expr) -> Expr:
    value = algebra.number(e)
    return algebra.lift(math.log(value)) if value is not None and value > 0 else algebra.apply("log", e)


def _ceil(e: Expr) -> Expr:
    value = algebra.number(e)
    return algebra.lift(math.ceil(value)) if value is not None else algebra.apply("ceil", e)


def _floor(e: Expr) -> Expr:
    value = algebra.number(e)
    return algebra.lift(math.floor(value)) if value is not None else algebra.apply("floor", e)
