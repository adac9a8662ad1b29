"""Cycles of DRAM transfers under contention (spatial-lang, StratixVLatencyModel; HyperMapper 2.0 ran on it).

    c        transfers that compete, see contention()
    r, b, p  rows, words of a row, words moved a cycle
    load     cols = max(b, 96); base = ceil((1 + o(cols, r) ln c / ln 12) (110 + r (53 + cols)))
             floor(base * f(c, r, cols, p)), times c / C beyond the C readers that were fitted; but the copies of a load
             in a loop with several lanes wait no longer than if they took turns
    store    f = 1 + s p for p < 8, else o p + (1 - 8 o) + 8 s, with o = 0.02 c - 0.019, s = 0.0175 (0 below c = 8);
             cycles = r * ceil(min(b / p * f, b (1 + s)))
f of the load is a net of sigmoids fitted to measurements (the device's `fitted` section); its inputs are clamped to the
box in which it was. What no board can move faster is told by bandwidth.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tunepass.expr import algebra
from tunepass.expr.nodes import Expr
from tunepass.hwmodels.fpga.device import Fpga
from tunepass.hwmodels.fpga.memory_board import Dram, FittedBox, TileLoad
from tunepass.ir.hardware import Controller, Schedule, Stage, Transfer

# The net's inputs are divided by these.
READERS, ROWS, COLUMNS, PAR = 15.0, 10_000.0, 24_576.0, 192.0
SATURATED = 12  # readers: what contention costs is told by it
SHORT, MEDIUM = 96, 192  # words: rows of these lengths have their own cost of contention


def contention(accel: Controller, overlap: Mapping[str, Expr], pars: Mapping[str, Expr]) -> dict[int, Expr]:
    """Competing transfers for each transfer, by id of the Transfer object.

    Counted upwards: a transfer is 1; stages that run together add up, stages that take turns count by their largest;
    a loop multiplies by its par. Then downwards: stages that run together see their parent's count; those that take
    turns see their own share of it.
    """
    requests: dict[int, Expr] = {}
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
        requests[id(stage)] = algebra.mul(inside, pars[stage.label])
        return requests[id(stage)]

    seen: dict[int, Expr] = {}

    def share(stage: Stage, given: Expr) -> None:
        if isinstance(stage, Transfer):
            seen[id(stage)] = given
            return
        running = algebra.lift(1) if stage.schedule is Schedule.PARALLEL else overlap[stage.label]
        for child in stage.stages:
            count_of_child = requests.get(id(child), algebra.lift(1))
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


@dataclass(frozen=True, slots=True)
class Readers:
    """The transfers that compete with one, itself counted: in all `copies` of it side by side, and in one."""

    competing: Expr
    in_one_copy: Expr
    copies: Expr


def cycles(transfer: Transfer, readers: Readers, device: Fpga) -> Expr:
    """Cycles of one transfer, all its rows, as long as the channels of the board suffice."""
    words, rows = transfer.lengths[-1], algebra.mul(*transfer.lengths[:-1])
    competing = readers.competing
    if transfer.kind == "load":
        together = load(words, rows, transfer.par, competing, device.dram, device.tile_load)
        if algebra.number(readers.copies) == 1:
            return together
        alone = load(words, rows, transfer.par, readers.in_one_copy, device.dram, device.tile_load)
        return algebra.minimum(together, algebra.mul(readers.copies, alone))
    if transfer.kind == "store":
        return algebra.mul(store(words, transfer.par, competing), rows)
    # Gather and scatter: one address a cycle and lane after the command; no measurement stands behind it.
    start = device.dram.command_cycles + device.dram.row_cycles
    return algebra.add(start, algebra.mul(algebra.ceildiv(algebra.mul(rows, words), transfer.par), competing))


def load(words: Expr, rows: Expr, par: Expr, competing: Expr, dram: Dram, net: TileLoad) -> Expr:
    columns, box = algebra.maximum(dram.shortest_words, words), box_of(rows, net)
    few = algebra.number(algebra.maximum(competing, box.readers)) == box.readers
    readers = competing if few else algebra.minimum(competing, box.readers)
    slower = algebra.add(1.0, algebra.mul(_overhead(columns, rows), algebra.div(_log(readers), math.log(SATURATED))))
    alone = algebra.add(dram.command_cycles, algebra.mul(rows, algebra.add(dram.row_cycles, columns)))
    base = _ceil(algebra.mul(slower, alone))
    loaded = _floor(algebra.mul(base, speedup(columns, rows, par, readers, net)))
    if few:
        return loaded
    # Beyond what was fitted the channels are as good as full: twice the readers wait twice as long.
    return _ceil(algebra.mul(loaded, algebra.maximum(1.0, algebra.div(competing, box.readers))))


def _overhead(columns: Expr, rows: Expr) -> Expr:
    """Share that contention adds: rows of the two shortest lengths have their own."""
    value = algebra.number(columns)
    short = _logistic(0.307, -0.096, 0.21, rows) if value in (None, SHORT) else algebra.lift(0.165)
    medium = _logistic(0.185, -0.24, -0.8, rows) if value in (None, MEDIUM) else algebra.lift(0.165)
    if value is not None:
        return short if value == SHORT else medium
    longer = algebra.where(algebra.compare(columns, "==", MEDIUM), medium, 0.165)
    return algebra.where(algebra.compare(columns, "==", SHORT), short, longer)


def _logistic(most: float, slope: float, shift: float, rows: Expr) -> Expr:
    return algebra.mul(most, _sigmoid(algebra.sub(0, algebra.add(algebra.mul(slope, rows), shift))))


def box_of(rows: Expr, net: TileLoad) -> FittedBox:
    """What was fitted of a load with so many rows: one, or what may be several."""
    return net.row if algebra.number(rows) == 1 else net.tile


def speedup(columns: Expr, rows: Expr, par: Expr, competing: Expr, net: TileLoad) -> Expr:
    """The share of `base` that a load with `par` lanes takes, in (0, 1]; 1 for one lane. `competing` is in the box."""
    if algebra.number(par) == 1:
        return algebra.lift(1)
    box = box_of(rows, net)
    inputs = (
        algebra.div(competing, READERS),
        algebra.div(algebra.minimum(rows, box.rows), ROWS),
        algebra.div(algebra.minimum(columns, box.columns), COLUMNS),
        algebra.div(algebra.minimum(par, box.par), PAR),
    )
    hidden = [_sigmoid(_affine(row, inputs)) for row in net.hidden]
    several = _sigmoid(_affine(net.output, tuple(hidden)))
    return algebra.where(algebra.compare(par, "==", 1), 1.0, several)


def within_fit(transfer: Transfer, competing: Expr, net: TileLoad) -> Expr:
    """Does a transfer stay within the box in which the net was fitted? True without any transfer."""
    words, rows = transfer.lengths[-1], algebra.mul(*transfer.lengths[:-1])
    if transfer.kind != "load" or algebra.number(transfer.par) == 1:
        return algebra.lift(True)
    box = box_of(rows, net)
    quantities = ((competing, box.readers), (rows, box.rows), (words, box.columns), (transfer.par, box.par))
    return algebra.both(*(algebra.compare(value, "<=", most) for value, most in quantities))


def store(words: Expr, par: Expr, competing: Expr) -> Expr:
    o = algebra.add(algebra.mul(0.02, competing), -0.019)
    s = _where(algebra.compare(competing, "<", 8), competing, lambda c: c < 8, 0.0, 0.0175)
    few = algebra.add(1.0, algebra.mul(s, par))
    many = algebra.add(algebra.mul(o, par), 1.0, algebra.mul(-8, o), algebra.mul(8, s))
    factor = _where(algebra.compare(par, "<", 8), par, lambda p: p < 8, few, many)
    one = algebra.mul(words, algebra.add(1.0, s))  # lanes that hinder each other cost no more than one of them
    return _ceil(algebra.minimum(algebra.mul(algebra.div(words, par), factor), one))


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
