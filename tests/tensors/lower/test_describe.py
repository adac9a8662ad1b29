"""What callers are told of a function's arguments."""

from __future__ import annotations

from tunepass.diagnostics import Source
from tunepass.frontends.taco.frontend import TacoFrontend
from tunepass.ir.tensor import TensorKernel
from tunepass.tensors.lower import lower
from tunepass.tensors.lower.describe import described
from tunepass.tensors.schedule.nest import scheduled_nest

SDDMM = """\
tensor A(i,j) = ds
tensor B(i,j) = ds
tensor C(i,k) dense
tensor D(k,j) dense:1,0
A(i,j) = B(i,j) * C(i,k) * D(k,j)
dim k = 5
schedule reorder(i, j, k)
"""


def lines(text: str) -> list[str]:
    body = TacoFrontend().parse(Source("f.taco", text)).kernels[0].body_as(TensorKernel)
    return described(body, lower(scheduled_nest(body, {}), "f"))


def test_every_argument_has_a_line() -> None:
    assert lines(SDDMM) == [
        "i_size  the extent of i",
        "j_size  the extent of j",
        "k_size  the extent of k",
        "A_vals  the numbers of A, in the order of B's, written",
        "B2_pos  B, level 2: where each segment begins, from 0, and where the last one ends",
        "B2_crd  B, level 2: the coordinates of j, ascending in each segment",
        "B_vals  the numbers of B, in the order of its last level, read",
        "C_vals  the numbers of C, by i, k, the last one innermost, read",
        "D_vals  the numbers of D, by j, k, the last one innermost, read",
    ]


def test_scalars_and_what_is_added_to_are_told() -> None:
    told = lines("tensor a\ntensor B(i) = s\na += B(i)\nschedule bound(i, ib, 7, MaxExact)\ndim i = 7\n")
    assert any(line.endswith("the number a, added to") for line in told)
    assert any(
        line.endswith("B, level 1: where each segment begins, from 0, and where the last one ends") for line in told
    )
