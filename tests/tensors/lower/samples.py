"""Kernels with schedules: BaCO's five by their templates, and what else loops can be made of."""

from __future__ import annotations

from dataclasses import dataclass

from tests.tensors.kernels import directives, kernel
from tunepass.ir.tensor import TensorKernel
from tunepass.tensors.lower import CFunction, lower
from tunepass.tensors.schedule.nest import scheduled_nest

OMP = "NoRaces,dynamic,4,2"


@dataclass(frozen=True)
class Sample:
    name: str
    left: str
    right: str
    formats: str
    schedule: str = ""

    def kernel(self) -> TensorKernel:
        return kernel(self.left, self.right, self.formats, directives(self.schedule))

    def function(self, name: str | None = None) -> CFunction:
        return lower(scheduled_nest(self.kernel(), {}), name or self.name)


SPMV = ("y(i)", "B(i,j) * x(j)", "B=ds")
SPMM = ("A(i,k)", "B(i,j) * C(j,k)", "B=ds")
SDDMM = ("A(i,j)", "B(i,j) * C(i,k) * D(k,j)", "A=ds B=ds D=dd:1,0")
TTV = ("A(i,j)", "B(i,j,k) * c(k)", "A=ds B=dss")
MTTKRP = ("A(i,j)", "B(i,k,l) * D(l,j) * C(k,j)", "B=dss")
NNZ = "fuse(i,j,f) pos(f,p,B)"

SPGEMM = ("A(i,k)", "B(i,j) * C(j,k)", "B=ds C=ds")
ALONG = ("A(i,j)", "B(i,j) * C(i,j)", "A=ds B=ds C=ds")

BACO = (
    Sample(
        "spmv",
        *SPMV,
        "split(i,i0,i1,16) split(i1,i10,i11,4) split(j,j0,j1,8) reorder(i0,i10,i11,j1,j0) "
        f"parallelize(i0,CPUThread,{OMP}) parallelize(j1,CPUVector,IgnoreRaces)",
    ),
    Sample(
        "spmm",
        *SPMM,
        "split(i,i0,i1,16) pos(j,jpos,B) split(jpos,jpos0,jpos1,8) reorder(i0,i1,jpos0,k,jpos1) unroll(jpos1,8) "
        f"parallelize(i0,CPUThread,{OMP}) parallelize(k,CPUVector,IgnoreRaces)",
    ),
    Sample(
        "sddmm",
        *SDDMM,
        "split(i,i0,i1,16) pos(j,jpos,B) split(jpos,jpos0,jpos1,8) reorder(i0,i1,jpos0,k,jpos1) unroll(jpos1,8) "
        f"parallelize(i0,CPUThread,{OMP}) parallelize(jpos1,CPUVector,ParallelReduction)",
    ),
    Sample(
        "ttv",
        *TTV,
        "split(i,i0,i1,16) fuse(i1,j,f) pos(f,fpos,B) split(fpos,chunk,fpos2,4) pos(k,kpos,B) "
        "split(kpos,kpos1,kpos2,8) reorder(i0,chunk,fpos2,kpos1,kpos2) "
        f"parallelize(chunk,CPUThread,{OMP}) parallelize(kpos2,CPUVector,ParallelReduction)",
    ),
    Sample(
        "mttkrp",
        *MTTKRP,
        f"split(i,i1,i2,16) reorder(i1,i2,k,l,j) parallelize(i1,CPUThread,{OMP})",
    ),
)
OTHERS = (
    Sample("plain_spmv", *SPMV),
    Sample("plain_spmm", *SPMM),
    Sample("plain_sddmm", *SDDMM),
    Sample("plain_ttv", *TTV),
    Sample("plain_mttkrp", *MTTKRP),
    Sample("csc", "y(i)", "B(i,j) * x(j)", "B=ds:1,0"),
    Sample("csc_threads", "y(i)", "B(i,j) * x(j)", "B=ds:1,0", "parallelize(j,CPUThread,Atomics)"),
    Sample("dcsr", "y(i)", "B(i,j) * x(j)", "B=ss", "split(i,i0,i1,4) split(j,j0,j1,3) reorder(i0,i1,j0,j1)"),
    Sample("tiles_outside", *SPMV, "split(i,i0,i1,4) split(j,j0,j1,3) reorder(i1,j0,i0,j1)"),
    Sample("inner_outside", *SPMV, "split(i,i0,i1,4) split(j,j0,j1,3) reorder(j1,i1,i0,j0)"),
    Sample("divided", *SPMV, "divide(i,i0,i1,3) divide(j,j0,j1,2) reorder(i0,j0,i1,j1)"),
    Sample("by_entries", *SPMV, f"{NNZ} split(p,p0,p1,8) parallelize(p0,CPUThread,Atomics)"),
    Sample("by_one_entry", *SPMV, f"{NNZ} parallelize(p,CPUThread,Atomics)"),
    Sample("by_entries_dcsr", "y(i)", "B(i,j) * x(j)", "B=ss", f"{NNZ} split(p,p0,p1,8)"),
    Sample("by_entries_csf", "A(i,j)", "B(i,j,k) * c(k)", "A=ss B=sss", f"{NNZ} divide(p,p0,p1,3)"),
    Sample("all_fused", "a", "B(i,j,k) * c(k)", "B=dss", "fuse(i,j,f) fuse(f,k,g) pos(g,p,B) split(p,p0,p1,7)"),
    Sample("blocked_format", "y(i)", "B(i,j,k) * x(j,k)", "B=dsd"),
    Sample("scalar", "a", "B(i,j)", "B=ds", "parallelize(i,CPUThread,ParallelReduction)"),
    Sample("scalar_atomic", "a", "B(i,j) * x(j)", "B=ds", "parallelize(i,CPUThread,Atomics)"),
    Sample("residual", "y(i)", "2 * b(i) - alpha * B(i,j) * x(j)", "B=ds"),
    Sample("added", "A(i,j)", "B(i,j) + C(i,j)", "B=ds"),
    Sample("negated_pattern", "A(i,j)", "-B(i,j) / (C(i,j) * 4)", "A=ds B=ds"),
    Sample("broadcast", "A(i,k)", "B(i,j)", "B=ds"),
    Sample(
        "no_sparse", "A(i,k)", "B(i,j) * C(j,k)", "", "reorder(i,k,j) split(i,i0,i1,4) fuse(i1,k,f) split(f,f0,f1,3)"
    ),
    Sample("dense_transposed", "A(i,k)", "B(i,j) * C(j,k)", "A=dd:1,0 B=ds C=dd:1,0", "reorder(i,k,j)"),
    Sample("bounded", *SPMM, "bound(k,kb,4,MaxExact) reorder(i,kb,j) unroll(kb,4)"),
    Sample("workspace", *MTTKRP, "reorder(i,k,l,j) precompute(B(i,k,l)*D(l,j),j,j,w) split(i,i0,i1,4)"),
    Sample("steps_beyond_the_end", *SPMV, "divide(i,i0,i1,8) fuse(i1,j,f) pos(f,p,B)"),
    Sample("sum_in_workspace", "A(i,j)", "B(i,j) + C(i,j)", "B=ds", "precompute(B(i,j)+C(i,j),{i,j},{i,j},w)"),
    Sample("renamed_workspace", *SPMV, "precompute(B(i,j)*x(j),j,jw,w)"),
    Sample(
        "nested_workspaces",
        "A(i,j)",
        "B(i,k,l,m) * E(m,j) * D(l,j) * C(k,j)",
        "B=ssss",
        "split(i,i1,i2,16) reorder(i1,i2,k,l,m,j) precompute(B(i,k,l,m)*E(m,j)*D(l,j),j,j,v) "
        "precompute(B(i,k,l,m)*E(m,j),j,j,w) parallelize(i1,CPUThread,NoRaces,dynamic,4,2)",
    ),
)
INTERSECTIONS = (
    Sample("spgemm", *SPGEMM, f"split(i,i0,i1,16) parallelize(i0,CPUThread,{OMP})"),
    Sample("merged", *ALONG),
)
OTHERS += (
    *INTERSECTIONS,
    Sample("spgemm_workspace", *SPGEMM, "precompute(B(i,j)*C(j,k),k,kw,w) parallelize(i,CPUThread,NoRaces)"),
    Sample("spgemm_tiles", *SPGEMM, "split(k,k0,k1,4) reorder(i,k0,j,k1)"),
    Sample("other_positions", *ALONG, "pos(j,jpos,C) split(jpos,jpos0,jpos1,3)"),
    Sample("merged_by_threads", *ALONG, "parallelize(j,CPUThread,NoRaces)"),
    Sample("three", "A(i,j)", "B(i,j) * C(i,j) * D(i,j)", "A=ss B=ds C=ds D=ss"),
    Sample("sparse_vector", *SPMV[:2], "B=ds x=s"),
    Sample("rows_of_both", "y(i)", "B(i,j) * c(i)", "B=ds c=s"),
    Sample("chain", "A(i,l)", "B(i,j) * C(j,k) * D(k,l)", "B=ss C=ds D=ss"),
    Sample("square", "a", "B(i,j) * C(i,j)", "B=ds C=sd", "parallelize(i,CPUThread,ParallelReduction)"),
)
