"""Loop nests as C++ writes them: the indices' types and their initial values."""

from __future__ import annotations

import pytest

from tunepass.diagnostics import Source, SourceError
from tunepass.frontends.c.frontend import CFrontend
from tunepass.frontends.c.lowering import rewritten
from tunepass.ir.kernel import Kernel
from tunepass.space.configuration import Configuration

NEST = """\
#include <cstddef>
#pragma tunepass param T: ordinal(1, 32)
#pragma tunepass param U: ordinal(1, 4)
#pragma tunepass kernel scale(n = 100, x: inout double[n])
void scale(int n, double *x)
{
#pragma tunepass loop(i) tile(i: T) unroll(i: U)
    for (INDEX; i < n; ++i)
        BODY
}
"""


def kernel(index: str, body: str = "x[i] *= 2.0;") -> Kernel:
    return CFrontend().parse(Source("scale.cpp", NEST.replace("INDEX", index).replace("BODY", body))).kernels[0]


@pytest.mark.parametrize(
    "index,type_",
    [
        ("std::size_t i = 0", "long"),
        ("std::ptrdiff_t i{0}", "ptrdiff_t"),
        ("std::int32_t i = {0}", "int32_t"),
        ("std :: uint64_t i{}", "long"),
        ("int i{0}", "int"),
        ("size_t i = 0", "long"),
    ],
)
def test_index_types(index: str, type_: str) -> None:
    """An index without a sign is counted in one that has a sign: it may pass the end by a tile."""
    text = rewritten(kernel(index), Configuration({"T": 32, "U": 4}))
    assert f"for ({type_} i_tile = 0; i_tile < n; i_tile += 32)" in text
    assert f"const {type_} i_end = n < i_tile + 32 ? n : i_tile + 32;" in text


@pytest.mark.parametrize("index,hint", [("auto i = 0", "std::size_t"), ("double v : x", "a loop over a range")])
def test_what_has_no_index_of_a_type(index: str, hint: str) -> None:
    with pytest.raises(SourceError) as caught:
        if ":" in index:
            CFrontend().parse(Source("f.cpp", NEST.replace("INDEX; i < n; ++i", index).replace("BODY", ";")))
        else:
            kernel(index)
    (problem,) = caught.value.diagnostics
    assert hint in (problem.hint or "") and problem.span is not None and problem.span.line == 8


def test_a_loop_over_a_range_in_the_body_stays() -> None:
    body = "for (double v : {1.0, 2.0}) x[i] += v;"
    text = rewritten(kernel("std::size_t i = 0", body), Configuration({"T": 32, "U": 1}))
    assert body in text and "i_tile" in text
