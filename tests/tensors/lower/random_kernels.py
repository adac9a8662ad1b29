"""Random kernels with random legal schedules: what `scheduled_nest` accepts of directives that are tried one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from tests.tensors.kernels import access, expression, tensor_format
from tunepass.expr.typing import constant
from tunepass.ir.tensor import (
    Assignment,
    Binary,
    Bound,
    Directive,
    Divide,
    Fuse,
    Negation,
    Parallelize,
    Pos,
    Precompute,
    Reorder,
    Split,
    Tensor,
    TensorExpr,
    TensorKernel,
    Unroll,
    accesses,
)
from tunepass.tensors.schedule.nest import IllegalSchedule, ScheduledNest, scheduled_nest

EXPRESSIONS = (  # left, right, formats a sparse operand may have, whether the result may share its levels
    ("y(i)", "B(i,j) * x(j)", 2, False),
    ("y(j)", "B(i,j) * x(i)", 2, False),
    ("A(i,k)", "B(i,j) * C(j,k)", 2, False),
    ("A(i,j)", "B(i,j) * C(i,k) * D(k,j)", 2, True),
    ("A(i,j)", "B(i,j,k) * c(k)", 3, True),
    ("A(i,j)", "B(i,k,l) * D(l,j) * C(k,j)", 3, False),
    ("A(i,k,l)", "B(i,j,k) * C(j,l)", 3, False),
    ("a", "B(i,j) * C(i,j)", 2, False),
    ("a", "B(i,j,k,l) * c(l)", 4, False),
    ("y(i)", "b(i) - 3 * B(i,j) * x(j) + B(i,j)", 2, False),
    ("A(i,j)", "B(i,j) + C(i,j) * 2", 2, False),
    ("A(i,j)", "B(i,j) * C(i,j) - B(i,j)", 2, True),
    ("y(i)", "B(i,j) * (x(j) + c(i)) * alpha", 2, False),
    ("A(i,k)", "C(i,j) * D(j,k) + E(i,k)", 0, False),
)
PRODUCTS = (  # the same, and other operands that may be sparse too
    ("A(i,k)", "B(i,j) * C(j,k)", 2, False, "C"),
    ("A(i,j)", "B(i,j) * C(i,j)", 2, True, "C"),
    ("A(i,j)", "C(i,j) * B(i,j) * D(i,j)", 2, True, "CD"),
    ("y(i)", "B(i,j) * x(j)", 2, False, "x"),
    ("A(i,j)", "B(i,j) * c(i) * C(j,i)", 2, True, "cC"),
    ("A(i,k)", "B(i,j) * B(j,k)", 2, False, ""),
    ("a", "B(i,j) * C(i,j) * D(j)", 2, False, "CD"),
    ("A(i,l)", "B(i,j) * C(j,k) * D(k,l)", 2, False, "CD"),
    ("A(i,j)", "B(i,k,l) * C(k,j) * D(l,j)", 3, False, "CD"),
    ("y(i)", "B(i,j) * x(j) - 2 * B(i,j) * C(i,j) + b(i)", 2, False, "Cxb"),
)
FACTORS = (1, 2, 3, 4, 5, 8, 16)


def unscheduled(random: Random, several: bool = False) -> TensorKernel:
    """`several`: terms with several sparse operands."""
    left, right, order, shares, others = random.choice(PRODUCTS) if several else (*random.choice(EXPRESSIONS), "")
    assignment = Assignment(access(left), expression(right), random.random() < 0.15)
    modes = list(range(order))
    random.shuffle(modes)
    if random.random() < 0.5:
        modes.sort()
    levels = "".join(random.choice("dss") for _ in modes)
    sparse = tensor_format(levels + ":" + ",".join(map(str, modes))) if order else None
    tensors = {}
    for used in (assignment.left, *accesses(assignment.right)):
        dense = list(range(len(used.index)))
        if random.random() < 0.3:
            random.shuffle(dense)
        form = tensor_format("d" * len(dense) + ":" + ",".join(map(str, dense)) if dense else "")
        if used.tensor == "B" and sparse is not None:
            form = sparse
        elif used.tensor in others:
            levels_of_it = "".join(random.choice("dsss") for _ in dense)
            form = tensor_format(levels_of_it + ":" + ",".join(map(str, dense)))
        if used.tensor == "A" and shares and sorted(modes[: len(used.index)]) == dense and random.random() < 0.7:
            form = tensor_format(levels[: len(dense)] + ":" + ",".join(map(str, modes[: len(dense)])))
        tensors.setdefault(used.tensor, Tensor(name=used.tensor, index=used.index, format=form))
    return TensorKernel(assignment=assignment, tensors=tuple(tensors.values()))


def scheduled(random: Random, several: bool = False) -> tuple[TensorKernel, ScheduledNest] | None:
    """A kernel with a schedule of a few directives; None where not even its plain loops are legal."""
    body = unscheduled(random, several)
    nest = accepted(body)
    if nest is None:
        return None
    for step in range(random.randrange(0, 9)):
        for _ in range(6):
            tried = replace(body, schedule=(*body.schedule, directive(random, body, nest, step)))
            made = accepted(tried)
            if made is not None:
                body, nest = tried, made
                break
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        tried = replace(body, schedule=(*body.schedule, parallel(random, nest)))
        made = accepted(tried)
        if made is not None:
            body, nest = tried, made
    return body, nest


def accepted(body: TensorKernel) -> ScheduledNest | None:
    try:
        return scheduled_nest(body, {})
    except IllegalSchedule:
        return None


def directive(random: Random, body: TensorKernel, nest: ScheduledNest, step: int) -> Directive:
    loops = [loop.variable for loop in nest.loops] or ["i"]
    one, factor = random.choice(loops), constant(random.choice(FACTORS))
    at = random.randrange(len(loops))
    match random.choice(("split", "split", "divide", "fuse", "pos", "pos", "reorder", "reorder", "bound", "more")):
        case "split":
            return Split(one, f"u{step}", f"v{step}", factor)
        case "divide":
            return Divide(one, f"u{step}", f"v{step}", factor)
        case "fuse":
            return Fuse(loops[at], loops[(at + 1) % len(loops)], f"f{step}")
        case "pos":
            sparse = [tensor.name for tensor in body.tensors if tensor.format.sparse]
            return Pos(one, f"p{step}", random.choice(sparse) if len(sparse) > 1 else "B")
        case "reorder":
            random.shuffle(loops)
            return Reorder(tuple(loops))
        case "bound":
            return Bound(one, f"b{step}", factor)
    if random.random() < 0.5:
        return Unroll(one, factor)
    return precomputed(random, body, step)


def precomputed(random: Random, body: TensorKernel, step: int) -> Directive:
    parts = list(pieces(body.assignment))
    part = random.choice(parts)
    names = list(dict.fromkeys(v for used in accesses(part) for v in used.index))
    chosen = tuple(random.sample(names, random.randint(0, len(names))))
    same = random.random() < 0.5
    return Precompute(part, chosen, chosen if same else tuple(f"{v}w{step}" for v in chosen), f"w{step}")


def pieces(assignment: Assignment) -> Iterator[object]:
    for term in summands(assignment.right):
        found = [term]
        for part in found:
            yield part
            found += [side for name in ("left", "right") if (side := getattr(part, name, None)) is not None]


def summands(whole: TensorExpr) -> tuple[TensorExpr, ...]:
    match whole:
        case Negation(operand):
            return summands(operand)
        case Binary("+" | "-", left, right):
            return summands(left) + summands(right)
    return (whole,)


def parallel(random: Random, nest: ScheduledNest) -> Directive:
    loops = [loop.variable for loop in nest.all_loops] or ["i"]
    unit = random.choice(("CPUThread", "CPUThread", "CPUVector"))
    race = random.choice(("NoRaces", "Atomics", "Temporary", "ParallelReduction", "IgnoreRaces"))
    policy, chunk, threads = (
        constant(random.choice(("static", "dynamic"))),
        constant(random.choice((1, 3))),
        constant(2),
    )
    if random.random() < 0.3:
        return Parallelize(random.choice(loops), unit, race)
    return Parallelize(random.choice(loops), unit, race, policy, chunk, threads)
