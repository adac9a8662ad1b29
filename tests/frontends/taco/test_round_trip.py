"""What is written for TACO reads as what was meant: schedules, expressions, formats."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frontends.taco.sources import parse
from tunepass.diagnostics import Source
from tunepass.expr.algebra import lift
from tunepass.frontends.taco.lowering import lower_body
from tunepass.frontends.taco.parser import parse_expression
from tunepass.frontends.taco.reading import read_file
from tunepass.frontends.taco.text import declaration_text, directive_text, schedule_text
from tunepass.ir.tensor import (
    Access,
    Binary,
    Bound,
    Directive,
    Divide,
    Format,
    Fuse,
    Negation,
    Number,
    Parallelize,
    Pos,
    Precompute,
    Reorder,
    Split,
    Tensor,
    TensorExpr,
    Unroll,
)
from tunepass.tensors.notation import expression_text

EXPRESSION = "A(i,k) = B(i,j) * C(j,k)"
PARTS = (Access("B", ("i", "j")), Binary("*", Access("B", ("i", "j")), Access("C", ("j", "k"))))
AMOUNTS = st.integers(1, 2**31 - 1).map(lift)


@st.composite
def schedules(draw: st.DrawFn) -> tuple[Directive, ...]:
    """Over the loops of EXPRESSION: each directive names loops that those before it have left."""
    loops, made, schedule = ["i", "j", "k"], 0, list[Directive]()
    for kind in draw(
        st.lists(st.sampled_from(["split", "divide", "fuse", "pos", "reorder", "precompute", "bound", "unroll"]))
    ):
        a, *others = draw(st.permutations(loops))
        new = [f"{a[0]}{draw(st.sampled_from(['', 'x', '_']))}{made + place}" for place in (0, 1)]
        made += 2
        match kind:
            case "split" | "divide":
                schedule.append((Split if kind == "split" else Divide)(a, *new, draw(AMOUNTS)))
                loops = [*others, *new]
            case "fuse" if others:
                schedule.append(Fuse(a, others[0], new[0]))
                loops = [*others[1:], new[0]]
            case "pos":
                schedule.append(Pos(a, new[0], draw(st.sampled_from("BC"))))
                loops = [*others, new[0]]
            case "reorder" if others:
                schedule.append(Reorder((a, *others[: draw(st.integers(1, len(others)))])))
            case "precompute":
                workspace = draw(st.sampled_from([None, f"w{made}"]))
                schedule.append(Precompute(draw(st.sampled_from(PARTS)), (a,), (new[0],), workspace))
                loops = [a, *others, new[0]]
            case "bound":
                schedule.append(Bound(a, new[0], draw(AMOUNTS), draw(st.sampled_from(["MaxExact", "MinExact"]))))
                loops = [*others, new[0]]
            case "unroll":
                schedule.append(Unroll(a, draw(AMOUNTS)))
    return (*schedule, *draw(parallel_loops(loops)))


@st.composite
def parallel_loops(draw: st.DrawFn, loops: list[str]) -> list[Directive]:
    chosen = draw(st.lists(st.sampled_from(loops), unique=True, max_size=2))
    races = st.sampled_from(["NoRaces", "Atomics", "IgnoreRaces", "Temporary", "ParallelReduction"])
    found: list[Directive] = []
    for loop in chosen:
        policy = draw(st.sampled_from([None, lift("static"), lift("dynamic")]))
        threads = draw(st.sampled_from([None, lift(4)]))
        chunk = draw(st.sampled_from([None, lift(16)])) if policy is not None else None
        found.append(Parallelize(loop, "CPUThread", draw(races), policy, chunk, threads))
    return found


def read(text: str) -> tuple[Directive, ...]:
    """Without spans."""
    lowered = lower_body(read_file(Source("kernel.taco", f"{EXPRESSION}\nschedule {text}" if text else EXPRESSION)))
    bare = (replace(directive, span=None) for directive in lowered.body.schedule)
    return tuple(replace(d, expression=without_spans(d.expression)) if isinstance(d, Precompute) else d for d in bare)


def without_spans(expression: TensorExpr) -> TensorExpr:
    match expression:
        case Access():
            return replace(expression, span=None)
        case Negation(operand):
            return Negation(without_spans(operand))
        case Binary(operator, left, right):
            return Binary(operator, without_spans(left), without_spans(right))
    return expression


def without_openmp(directive: Directive) -> Directive:
    if isinstance(directive, Parallelize):
        return replace(directive, policy=None, chunk=None, threads=None)
    return directive


@given(schedules())
def test_a_schedule_for_the_tool_reads_as_the_same(schedule: tuple[Directive, ...]) -> None:
    """What OpenMP is told is in other arguments of the tool."""
    text = schedule_text(schedule, {})
    assert "=" not in text and " " not in text
    assert read(text) == tuple(without_openmp(directive) for directive in schedule)


@given(schedules())
def test_a_schedule_for_a_file_reads_as_the_same(schedule: tuple[Directive, ...]) -> None:
    assert read(", ".join(directive_text(directive, {}) for directive in schedule)) == schedule


NUMBERS = st.one_of(
    st.integers(0, 10**17).map(Number), st.floats(0, 1e9, allow_nan=False).map(lambda value: Number(float(value)))
)
ACCESSES = st.builds(Access, st.sampled_from("BCde"), st.lists(st.sampled_from("ijk"), unique=True).map(tuple))
EXPRESSIONS = st.recursive(
    st.one_of(ACCESSES, NUMBERS),
    lambda inner: st.one_of(inner.map(Negation), st.builds(Binary, st.sampled_from("+-*/"), inner, inner)),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_an_expression_reads_as_the_same(expression: TensorExpr) -> None:
    text = expression_text(expression)
    again = parse_expression(Source("kernel.taco", text), text, 0)
    assert expression_text(again) == text and without_spans(again) == expression


@given(
    st.lists(st.sampled_from(["dense", "compressed"]), min_size=1, max_size=4).flatmap(
        lambda levels: st.permutations(range(len(levels))).map(lambda order: Format(tuple(levels), tuple(order)))
    ),
    st.sampled_from(["double", "float", "int", "long"]),
)
@pytest.mark.slow
def test_a_declaration_reads_as_the_same(format_: Format, element: str) -> None:
    index = tuple("ijkl"[: len(format_.levels)])
    tensor = Tensor(name="B", index=index, format=format_, element=element)  # type: ignore[arg-type]
    (kernel,) = parse(f"{declaration_text(tensor)}\na = B({','.join(index)})").kernels
    (again,) = [t for t in lower_body(read_file(kernel.source)).body.tensors if t.name == "B"]
    assert replace(again, span=None) == tensor
