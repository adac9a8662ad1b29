"""Directives to loops."""

from __future__ import annotations

import pytest

from tests.tensors.kernels import directives, kernel
from tunepass.ir.tensor import TensorKernel
from tunepass.tensors.schedule.nest import IllegalSchedule, ScheduledNest, scheduled_nest

SPMV = ("y(i)", "B(i,j) * x(j)", "B=ds")
SPMM = ("A(i,k)", "B(i,j) * C(j,k)", "B=ds")
SDDMM = ("A(i,j)", "B(i,j) * C(i,k) * D(k,j)", "A=ds B=ds")
TTV = ("A(i,j)", "B(i,j,k) * c(k)", "B=sss")
MTTKRP = ("A(i,j)", "B(i,k,l) * D(l,j) * C(k,j)", "B=sss")


def nest_of(parts: tuple[str, ...], schedule: str) -> ScheduledNest:
    return scheduled_nest(kernel(*parts, schedule=directives(schedule)), {})


def loops(nest: ScheduledNest) -> str:
    return " ".join(loop.variable for loop in nest.loops)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (SPMV, "i j"),
        (SPMM, "i j k"),  # as TACO does: C is walked along its rows
        (SDDMM, "i k j"),
        (TTV, "i j k"),
        (MTTKRP, "i k l j"),
        (("y(i)", "B(i,j) * x(j)", "B=ds:1,0"), "j i"),
        (("A(i,j)", "B(i,j) + C(i,j)", "B=ds"), "i j"),
        (("a", "b(i) * c(i)"), "i"),
    ],
)
def test_loops_start_in_storage_order(parts: tuple[str, ...], expected: str) -> None:
    assert loops(nest_of(parts, "")) == expected


POSITIONS = "split(i,i0,i1,16) pos(j,jpos,B) split(jpos,jpos0,jpos1,8)"


@pytest.mark.parametrize(
    ("parts", "schedule", "expected"),
    [
        (SPMM, f"{POSITIONS} reorder(i0,i1,jpos0,k,jpos1)", "i0 i1 jpos0 k jpos1"),
        (SPMM, f"{POSITIONS} reorder(k,i1,i0,jpos1,jpos0)", "k i1 i0 jpos1 jpos0"),
        (SPMV, "split(i,i0,i1,16) split(i1,i10,i11,8) split(j,j0,j1,4) reorder(i0,i10,i11,j1,j0)", "i0 i10 i11 j1 j0"),
        (SPMV, "split(j,j0,j1,4) reorder(j0,i,j1)", "j0 i j1"),
        (TTV, "fuse(i,j,f) pos(f,fpos,B) split(fpos,chunk,fpos2,16) reorder(chunk,fpos2,k)", "chunk fpos2 k"),
        (SPMV, "fuse(i,j,f) pos(f,fpos,B) divide(fpos,t,fpos2,4) parallelize(t,CPUThread,Atomics)", "t fpos2"),
        (SPMM, "bound(k,kb,64,MaxExact) split(kb,k0,k1,8) unroll(k1,8)", "i j k0 k1"),
    ],
)  # fmt: skip
def test_loops_are_rewritten(parts: tuple[str, ...], schedule: str, expected: str) -> None:
    assert loops(nest_of(parts, schedule)) == expected


def test_a_workspace_takes_the_loops_that_it_needs() -> None:
    """The schedule of TACO's MTTKRP benchmark."""
    order = "split(i,i1,i2,16) reorder(i1,i2,k,l,j)"
    nest = nest_of(MTTKRP, f"{order} precompute(B(i,k,l)*D(l,j),j,j,w) parallelize(i1,CPUThread,NoRaces)")
    (workspace,) = nest.workspaces
    assert loops(nest) == "i1 i2 k j"
    assert (workspace.outer, [loop.variable for loop in workspace.loops]) == (3, ["l", "j"])


def test_workspaces_nest() -> None:
    """MTTKRP of four modes: C's factor is applied once for each k, D's once for each l."""
    parts = ("A(i,j)", "B(i,k,l,m) * E(m,j) * D(l,j) * C(k,j)", "B=ssss")
    order = "split(i,i1,i2,16) reorder(i1,i2,k,l,m,j)"
    nest = nest_of(parts, f"{order} precompute(B(i,k,l,m)*E(m,j)*D(l,j),j,j,v) precompute(B(i,k,l,m)*E(m,j),j,j,w)")
    around = {made.name: [loop.variable for loop in nest.around(made.name)] for made in nest.workspaces}
    assert loops(nest) == "i1 i2 k j"
    assert around == {"v": ["i1", "i2", "k", "l", "j"], "w": ["i1", "i2", "k", "l", "m", "j"]}


def test_a_renamed_workspace_variable_is_a_loop_of_its_own() -> None:
    nest = nest_of(SPMM, "precompute(B(i,j)*C(j,k),k,kw,w) split(kw,kw0,kw1,8)")
    (workspace,) = nest.workspaces
    assert loops(nest) == "i k"
    assert [loop.variable for loop in workspace.loops] == ["j", "kw0", "kw1"]
    assert workspace.workspace_variables == ("kw",)


def test_what_a_loop_comes_from() -> None:
    nest = nest_of(TTV, "split(i,i0,i1,4) fuse(i1,j,f) pos(f,fpos,B) split(fpos,chunk,fpos2,16)")
    assert loops(nest) == "i0 chunk fpos2 k"
    assert nest.roots("fpos2") == ("i", "j")
    assert nest.leaves("i") == ("i0", "chunk", "fpos2")


def test_a_vector_around_threads_is_given_up() -> None:
    nest = nest_of(SPMM, "reorder(k,i,j) parallelize(i,CPUThread,NoRaces) parallelize(k,CPUVector,IgnoreRaces)")
    assert [loop.unit for loop in nest.loops] == ["NotParallel", "CPUThread", "NotParallel"]


BOTH_TERMS = ("A(i,j)", "B(i,j) + B(i,j) * c(j)", "A=ds B=ds")
RING = ("a", "B(i,j) * C(j,k) * D(k,i)", "B=ss")
SPGEMM = ("A(i,k)", "B(i,j) * C(j,k)", "B=ds C=ds")
BROKEN = [
    ("expression", ("y(i)", "B(i,j) / C(i,j)", "C=ds"), ""),
    ("expression", ("y(i)", "B(i,j) * C(i,i)", "B=ds C=ds"), ""),
    ("expression", ("A(i,j)", "B(i,j) * (C(i,j) + D(i,j))", "A=ds B=ds:1,0 C=ds"), ""),
    ("expression", ("y(i)", "x(i) / z(j)"), ""),
    ("expression", ("y(i)", "y(i) * B(i,j)", "B=ds"), ""),
    ("expression", ("y(i)", "B(i,i)", "B=ds"), ""),
    ("expression", ("A(i,j)", "B(i,j) + C(i,j)", "A=ds B=ds"), ""),
    ("expression", ("A(i,j)", "B(i,j) + C(i,j)", "A=ds B=ds C=ds"), ""),
    ("expression", ("A(i,k)", "B(i,j) * C(j,k)", "A=ds B=ds"), ""),
    ("variable", SPMM, "split(q,q0,q1,4)"),
    ("variable", SPMM, "split(i,i0,i1,4) unroll(i,4)"),
    ("name", SPMM, "split(i,k,i1,4)"),
    ("name", SPMM, "split(i,i0,i0,4)"),
    ("name", SPMM, "split(i,i0,i1,4) split(i0,i,i2,4)"),
    ("name", SPMM, "split(i,B,i1,4)"),
    ("factor", SPMM, "split(i,i0,i1,0)"),
    ("factor", SPMM, "divide(i,i0,i1,-3)"),
    ("factor", SPMM, "parallelize(i,CPUThread,NoRaces,static,0)"),
    ("nested", SPMM, "fuse(i,k,f)"),
    ("nested", SPMM, "reorder(i,k)"),
    ("nested", SPMM, "reorder(i,i)"),
    ("nested", MTTKRP, "precompute(B(i,k,l)*D(l,j),j,j,w) reorder(k,j)"),
    ("concordant", SPMM, "reorder(j,i)"),
    ("concordant", SPMM, "split(i,i0,i1,4) reorder(i0,j,i1)"),
    ("concordant", SPMM, "pos(j,jpos,B) split(jpos,jpos0,jpos1,4) reorder(jpos0,i,jpos1)"),
    ("concordant", SPMV, "split(i,i0,i1,4) split(j,j0,j1,4) reorder(j0,j1,i0,i1)"),
    ("concordant", TTV, "fuse(i,j,f) pos(f,fpos,B) reorder(k,fpos)"),
    ("concordant", ("A(i,j)", "B(i,j) * C(i,j)", "B=ds C=ds:1,0"), ""),
    ("concordant", SPGEMM, "reorder(i,k,j)"),
    ("concordant", SPGEMM, "reorder(k,i,j)"),
    ("position", SPGEMM, "pos(j,jpos,C)"),
    ("position", ("A(i,k)", "B(i,j) * B(j,k)", "B=ds"), "pos(k,kpos,B)"),
    ("position", ("A(i,j)", "B(i,j) * C(i,j)", "A=ds B=ds C=ss"), "pos(j,jpos,C)"),
    ("position", SPMM, "pos(i,ipos,B)"),
    ("position", SPMM, "pos(k,kpos,B)"),
    ("position", SPMM, "pos(j,jpos,C)"),
    ("position", SPMM, "pos(j,jpos,A)"),
    ("position", SPMM, "pos(j,jpos,B) pos(jpos,jpos2,B)"),
    ("position", SPMM, "split(j,j0,j1,4) pos(j0,jpos,B)"),
    ("position", ("A(i,j)", "B(i,j) + C(i,j)", "B=ds"), "pos(j,jpos,B)"),
    ("fused", SPMV, "fuse(i,j,f)"),
    ("fused", ("y(i)", "B(i,j) * x(j) + z(i)"), "fuse(i,j,f)"),
    ("fused", SPMM, "pos(j,jpos,B) fuse(jpos,k,f)"),
    ("constant", SPMM, "unroll(k,4)"),
    ("constant", SPMM, "pos(j,jpos,B) unroll(jpos,4)"),
    ("constant", SPMM, "split(k,k0,k1,4) unroll(k0,4)"),
    ("bound", SPMM, "bound(k,kb,64,MinExact)"),
    ("bound", SPMM, "split(k,k0,k1,4) bound(k1,kb,8,MaxExact)"),
    ("bound", SPMM, "pos(j,jpos,B) bound(jpos,jb,8,MaxExact)"),
    ("workspace", SPMM, "precompute(B(i,k),k,k,w)"),
    ("workspace", SPMM, "precompute(B(i,j)*C(j,k),{j,k},{k},w)"),
    ("workspace", ("y(i)", "B(i,j) / c(j)", "B=ds"), "precompute(c(j),j,j,w)"),
    ("workspace", SPMM, "precompute(C(j,k),j,jw,w)"),
    ("workspace", SPMM, "precompute(B(i,j)*C(j,k),k,k,w) precompute(w(k),k,k,v)"),
    ("workspace", SDDMM, "precompute(B(i,j)*C(i,k)*D(k,j),j,jw,w)"),
    ("workspace", ("y(i)", "B(i,j) * x(j) + z(i)"), "precompute(z(i),i,i,w)"),
    ("variable", SPMM, "precompute(B(i,j),k,k,w)"),
    ("workspace", ("A(i,j)", "B(i,j) + C(i,j)", "B=ds"), "precompute(B(i,j)+C(i,j),{},{},w)"),
    ("workspace", TTV, "split(k,k0,k1,8) reorder(i,k0,j,k1) precompute(B(i,j,k)*c(k),{},{},w)"),
    ("workspace", MTTKRP, "precompute(B(i,k,l)*D(l,j)*C(k,j),j,jw,w) precompute(B(i,k,l)*D(l,jw),{i,jw},{i,jw},v)"),
    ("workspace", ("y(i)", "B(i,j) * x(j) + z(i)"), "precompute(B(i,j)*x(j)+z(i),{i,j},{i,j},w)"),
    ("workspace", SPMM, "split(k,k0,k1,4) precompute(B(i,j)*C(j,k),k,kw,w)"),
    ("workspace", ("A(i,k)", "C(i,j) * D(j,k) + E(i,k)"), "reorder(j,i,k) precompute(C(i,j)*D(j,k)+E(i,k),{},{},w)"),
    ("workspace", BOTH_TERMS, "precompute(B(i,j)+B(i,j)*c(j),{i,j},{i,j},w) precompute(B(i,j)*c(j),j,jv,v)"),
    ("position", SPMV, "precompute(B(i,j),{i,j},{iw,j},w) pos(j,p,B)"),
    ("position", RING, "reorder(i,k,j) precompute(B(i,j)*C(j,k)*D(k,i),{j,k},{j,k},w) pos(j,p,B)"),
    ("race", SPMM, "parallelize(j,CPUThread,NoRaces)"),
    ("race", SPMM, "parallelize(j,CPUThread,IgnoreRaces)"),
    ("race", SPMM, "parallelize(j,CPUVector,NoRaces)"),
    ("race", SPMM, "parallelize(j,CPUVector,Atomics)"),
    ("race", SPMM, "parallelize(j,CPUThread,Temporary)"),
    ("race", SPMV, "fuse(i,j,f) pos(f,fpos,B) parallelize(fpos,CPUThread,NoRaces)"),
    ("parallel", SPMM, "parallelize(i,CPUThread,NoRaces) parallelize(k,CPUThread,NoRaces)"),
    ("parallel", SPMM, "parallelize(i,CPUThread,NoRaces) split(i,i0,i1,4)"),
    ("parallel", SPMM, "parallelize(i,CPUThread,NoRaces) reorder(k,i)"),
    ("parallel", SPMM, "parallelize(i,CPUThread,NoRaces) parallelize(i,CPUVector,NoRaces)"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "parts", "schedule"), BROKEN, ids=[f"{b[0]}: {b[2] or b[1][1]}" for b in BROKEN])
def test_an_illegal_schedule_names_its_rule(rule: str, parts: tuple[str, ...], schedule: str) -> None:
    with pytest.raises(IllegalSchedule) as refused:
        nest_of(parts, schedule)
    assert refused.value.rule == rule, refused.value
    assert f"[{rule}]" in str(refused.value)


ALLOWED = [
    (SPMM, "parallelize(j,CPUThread,Atomics)"),
    (SPMM, "reorder(i,k,j) parallelize(j,CPUVector,ParallelReduction)"),
    (SPMM, "reorder(i,k,j) parallelize(j,CPUThread,Temporary)"),
    (SPMV, "split(j,j0,j1,4) pos(j1,jpos,B)"),
    (("a", "b(i) * c(i)"), "parallelize(i,CPUThread,ParallelReduction)"),
    (("A(i,k)", "B(i,j) * C(j,k)"), "fuse(i,j,f) split(f,f0,f1,16)"),
    (SDDMM, "split(i,i0,i1,16) parallelize(i0,CPUThread,NoRaces)"),
    (SPMM, "precompute(B(i,j)*C(j,k),k,k,w) parallelize(i,CPUThread,NoRaces)"),
]


@pytest.mark.parametrize(("parts", "schedule"), ALLOWED, ids=[a[1] for a in ALLOWED])
def test_legal_schedules_are_accepted(parts: tuple[str, ...], schedule: str) -> None:
    nest_of(parts, schedule)


def test_a_stated_extent_must_be_the_known_one() -> None:
    def body(extent: int) -> TensorKernel:
        return kernel(*SPMM, schedule=directives(f"bound(k,kb,{extent},MaxExact)"), k=64)

    assert loops(scheduled_nest(body(64), {})) == "i j kb"
    with pytest.raises(IllegalSchedule, match="k has the extent 64, not 32"):
        scheduled_nest(body(32), {})
