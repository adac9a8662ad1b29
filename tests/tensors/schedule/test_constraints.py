"""Derived constraints accept what `scheduled_nest` accepts, and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.tensors.kernels import directives, kernel
from tests.tensors.schedule.test_nest import MTTKRP, SDDMM, SPMM, SPMV, TTV
from tunepass.expr.python_eval import UndefinedValue, evaluate
from tunepass.ir.tensor import Reorder, TensorKernel
from tunepass.space.configuration import Value
from tunepass.space.constraint import Constraint
from tunepass.space.parameter import Categorical, Integer, Ordinal, Parameter, Permutation
from tunepass.space.space import Space
from tunepass.tensors.schedule.constraints import derived_constraints
from tunepass.tensors.schedule.nest import IllegalSchedule, scheduled_nest
from tunepass.tensors.schedule.orders import precedences_of


def powers(name: str, low: int, high: int) -> Ordinal:
    return Ordinal(name, [2**k for k in range(low.bit_length() - 1, high.bit_length())])


def threads(most: int) -> tuple[Parameter, ...]:
    return (Categorical("omp", ["static", "dynamic"]), powers("omp_chunk", 1, 256), powers("threads", 1, most))


ON_THREADS = "CPUThread,NoRaces,omp,omp_chunk,threads"
POSITIONS = "split(i,i0,i1,chunk) pos(j,jpos,B) split(jpos,jpos0,jpos1,unroll) reorder(order) unroll(jpos1,unroll)"
ORDER = Permutation("order", ["i0", "i1", "jpos0", "k", "jpos1"])
SIZES = (powers("chunk", 2, 512), powers("unroll", 2, 512))
SPMV_PARAMETERS = (
    *(powers(f"c{n}", 2, 1024) for n in (1, 2, 3)),
    Permutation("order", ["i0", "i10", "i11", "j1", "j0"]),
    *threads(64),
)
TTV_PARAMETERS = (
    *(powers("ci", 2, 1024), powers("cf", 2, 1024), powers("ck", 1, 1024)),
    Permutation("order", ["i0", "chunk", "fpos2", "kpos1", "kpos2"]),
    *threads(64),
)
BACO = {
    "SpMM": (
        SPMM,
        f"{POSITIONS} parallelize(i0,{ON_THREADS}) parallelize(k,CPUVector,IgnoreRaces)",
        (*SIZES, ORDER, *threads(32)),
        ["unroll < chunk", "pos(order, 'i0') < pos(order, 'k') and pos(order, 'i1') < pos(order, 'k')"],
        46_656,
    ),
    "SDDMM": (
        SDDMM,
        f"{POSITIONS} parallelize(i0,{ON_THREADS}) parallelize(jpos1,CPUVector,ParallelReduction)",
        (*SIZES, ORDER, *threads(32)),
        ["unroll < chunk"],
        77_760,
    ),
    "SpMV": (
        SPMV,
        "split(i,i0,i1,c1) split(i1,i10,i11,c2) split(j,j0,j1,c3) reorder(order)"
        f" parallelize(i0,{ON_THREADS}) parallelize(j1,CPUVector,IgnoreRaces)",
        SPMV_PARAMETERS,
        ["order[4] == 'j0'"],
        3_024_000,
    ),
    "TTV": (
        ("A(i,j)", "B(i,j,k) * c(k)", "B=dss"),
        "split(i,i0,i1,ci) fuse(i1,j,f) pos(f,fpos,B) split(fpos,chunk,fpos2,cf) pos(k,kpos,B)"
        f" split(kpos,kpos1,kpos2,ck) reorder(order) parallelize(chunk,{ON_THREADS})",
        TTV_PARAMETERS,
        [],
        554_400,  # of 16,632,000; BaCO knows of no constraint
    ),
}


@pytest.mark.parametrize("name", BACO)
def test_the_published_spaces(name: str) -> None:
    parts, schedule, parameters, stated, size = BACO[name]
    body = kernel(*parts, schedule=directives(schedule, parameters))
    derived = derived_constraints(body, parameters)
    written = [Constraint.parse(text, parameters) for text in stated]
    assert Space(list(parameters), [*derived, *written]).size == size


def accepted(body: TensorKernel, values: dict[str, Value]) -> bool:
    try:
        scheduled_nest(body, values)
    except IllegalSchedule:
        return False
    return True


def satisfied(constraints: tuple[Constraint, ...], values: dict[str, Value]) -> bool:
    try:
        return all(evaluate(constraint.expression, values) for constraint in constraints)
    except UndefinedValue:
        return False


def check(
    body: TensorKernel,
    parameters: tuple[Parameter, ...],
    constraints: tuple[Constraint, ...] | None = None,
    fixed: Mapping[str, Value] | None = None,
) -> tuple[int, int]:
    """How many configurations of `parameters` are accepted, of how many. `constraints` are derived unless given."""
    try:
        constraints = constraints or derived_constraints(body, parameters)
    except IllegalSchedule:
        constraints = None
    count = total = 0
    for chosen in itertools.product(*(p.domain for p in parameters)):
        values = {**(fixed or {}), **dict(zip((p.name for p in parameters), chosen))}
        legal = accepted(body, values)
        assert legal == (constraints is not None and satisfied(constraints, values)), (values, constraints)
        count, total = count + legal, total + 1
    return count, total


F = Integer("f", -1, 3)
G = Ordinal("g", [0, 1, 2])


def order(name: str, *loops: str) -> Permutation:
    return Permutation(name, loops)


CASES: list[tuple[tuple[str, ...], str, tuple[Parameter, ...]]] = [
    (SPMM, "split(i,i0,i1,f) reorder(o) unroll(i1,g)", (F, G, order("o", "i0", "i1", "j", "k"))),
    (SPMM, "split(k,k0,k1,f) bound(k1,kb,g,MaxExact)", (F, G)),
    (SPMM, "divide(k,k0,k1,f) bound(k0,kb,g,MaxExact) parallelize(i,CPUThread,NoRaces,p,g,f)",
     (F, G, Categorical("p", ["static", "guided", "dynamic"]))),
    (SPMM, "precompute(B(i,j)*C(j,k),k,kw,w) bound(kw,kb,4,MaxExact) split(kb,k0,k1,f) unroll(k1,g)", (F, G)),
    (SPMM, "precompute(B(i,j)*C(j,k),k,kw,w) bound(kw,kb,g,MaxExact) bound(k,kc,f,MaxExact)", (F, G)),
    (SPMM, "reorder(o) split(j,j0,j1,4) reorder(q)", (order("o", "i", "j", "k"), order("q", "j0", "j1"))),
    (SPMM, "reorder(o) fuse(i,k,f) reorder(q)", (order("o", "i", "j", "k"), order("q", "f", "j"))),
    (SPMV, "split(i,i0,i1,4) split(j,j0,j1,4) reorder(o)", (order("o", "i0", "i1", "j0", "j1"),)),
    (TTV, "fuse(i,j,f) pos(f,fpos,B) split(fpos,g0,g1,4) reorder(o)", (order("o", "k", "g1", "g0"),)),
    (TTV, "split(i,i0,i1,4) reorder(o) fuse(i1,j,f) pos(f,fpos,B)", (order("o", "i0", "i1", "j", "k"),)),
    (MTTKRP, "reorder(o) precompute(B(i,k,l)*D(l,j),j,j,w)", (order("o", "i", "k", "l", "j"),)),
    (MTTKRP, "precompute(B(i,k,l)*D(l,j),j,j,w) reorder(o)", (order("o", "l", "j"),)),
    (MTTKRP, "precompute(B(i,k,l)*D(l,j),j,j,w) reorder(o)", (order("o", "i", "k"),)),
    (SPMM, "reorder(o) parallelize(j,CPUThread,Temporary)", (order("o", "i", "j", "k"),)),
    (SPMM, "split(k,k0,k1,4) reorder(o)", (order("o", "k0", "k1"),)),
    (SPMM, "split(i,i0,i1,4) reorder(i0,j,i1,k) reorder(o)", (order("o", "j", "i1"),)),
    (SPMM, "split(i,i0,i1,4) reorder(i0,j,i1,k) reorder(o)", (order("o", "i0", "j"),)),
    (SPMM, "parallelize(j,CPUThread,NoRaces) reorder(o)", (order("o", "i", "k"),)),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "schedule", "parameters"), CASES, ids=[case[1] for case in CASES])
def test_the_constraints_are_the_rules(
    parts: tuple[str, ...], schedule: str, parameters: tuple[Parameter, ...]
) -> None:
    body = kernel(*parts, schedule=directives(schedule, parameters))
    accepted_count, total = check(body, parameters)
    assert accepted_count < total or total == 2


def test_items_that_are_numbers_stand_for_the_loops() -> None:
    parameter = Permutation("o", 3)
    body = kernel(*SPMM, schedule=(Reorder(("i", "j", "k"), "o"),))
    assert check(body, (parameter,)) == (3, 6)


def test_a_requirement_reads_as_positions() -> None:
    o = order("o", "i0", "i1", "j", "k")
    body = kernel(*SPMM, schedule=directives("split(i,i0,i1,4) reorder(o)", (o,)))
    texts = [constraint.text for constraint in derived_constraints(body, (o,))]
    assert texts == ['pos(o, "i0") < pos(o, "j")', 'pos(o, "i1") < pos(o, "j")']


EXPRESSIONS = [
    SPMV,
    SPMM,
    SDDMM,
    TTV,
    ("A(i,k)", "B(i,j) * C(j,k)", "B=ss:1,0"),
    ("A(i,j)", "B(i,j) + C(i,j)", "B=ds"),
    ("A(i,j)", "B(i,j) * C(i,j)", "A=sd B=sd"),
    ("y(i)", "A(i,j) * x(j) + z(i)", "A=ds"),
]
FORMS = [
    "split({0},{0}0,{0}1,{n})",
    "divide({0},{0}0,{0}1,{n})",
    "pos({0},{0}pos,B)",
    "fuse({0},{1},{0}{1})",
    "bound({0},{0}b,{n},MaxExact)",
    "parallelize({0},CPUThread,Atomics)",
    "unroll({0},{n})",
]


@st.composite
def templates(draw: st.DrawFn) -> tuple[TensorKernel, tuple[Parameter, ...]]:
    """A few directives of any loops that are there, and a permutation of the loops of a block at any place."""
    parts = draw(st.sampled_from(EXPRESSIONS))
    parameters: list[Parameter] = [Integer("n", 0, 2)]
    words: list[str] = []
    for at in range(draw(st.integers(1, 4))):
        try:
            nest = scheduled_nest(
                kernel(*parts, schedule=directives(" ".join(words), tuple(parameters))),
                {p.name: p.default if p.name != "n" else 2 for p in parameters},
            )
        except IllegalSchedule:
            break
        loops = [loop.variable for loop in nest.loops]
        if draw(st.booleans()):
            start = draw(st.integers(0, len(loops) - 1))
            block = loops[start : start + draw(st.integers(1, 4))]
            parameters.append(Permutation(f"o{at}", block))
            words.append(f"reorder(o{at})")
        else:
            first = draw(st.integers(0, len(loops) - 1))
            pair = (loops[first], loops[(first + 1) % len(loops)])
            words.append(draw(st.sampled_from(FORMS)).format(*pair, n=draw(st.sampled_from(["n", "2"]))))
    taken = tuple(parameters)
    return kernel(*parts, schedule=directives(" ".join(words), taken)), taken


@examples(150)
@given(templates())
def test_the_constraints_are_the_rules_of_any_template(made: tuple[TensorKernel, tuple[Parameter, ...]]) -> None:
    check(*made)


@given(st.integers(1, 4).flatmap(lambda k: st.sets(st.permutations(range(k)).map(tuple), min_size=1)))
@examples(60)
def test_any_set_of_orders_is_written_by_precedences(legal: set[tuple[int, ...]]) -> None:
    every = list(itertools.permutations(range(len(next(iter(legal))))))
    alternatives = precedences_of(sorted(legal), every, [len(every[0])])
    held = {
        chosen
        for chosen in every
        if any(all(chosen.index(a) < chosen.index(b) for a, b in pairs) for pairs in alternatives)
    }
    assert held == legal
