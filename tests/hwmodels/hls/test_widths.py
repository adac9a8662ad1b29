"""A design whose widths are parameters has, at each combination, the price of the source with these widths."""

from dataclasses import replace

import pytest

from tests.hwmodels.hls.nests import kernel as kernel_of
from tunepass.diagnostics import Source
from tunepass.expr.algebra import lift
from tunepass.expr.nodes import free_names
from tunepass.expr.python_eval import evaluate
from tunepass.frontends.hls.frontend import HlsFrontend
from tunepass.hwmodels.base import ONE, Costs, EstimatePart
from tunepass.hwmodels.fpga.device import load
from tunepass.hwmodels.hls.model import costs
from tunepass.hwmodels.hls.widths import choice, joined
from tunepass.ir.hls import HlsKernel, HlsVariant

SCALE = """#pragma tunepass param W: ordinal(8, 18, 40) = 18
#pragma tunepass param I: ordinal(4, 6) = 6
#pragma tunepass param U: pow2(1, 4) = 1
#pragma tunepass hls scale
#define W 18
#define I 6
#define U 1
void scale(ap_fixed<W, I> *in, ap_fixed<W, I> *out, ap_fixed<W, I> by)
{
  ap_fixed<W, I> kept[64];
  for (int i = 0; i < 64; i++) {
#pragma HLS pipeline
#pragma HLS unroll factor=U
    kept[i] = in[i] * by;
  }
  for (int i = 0; i < 64; i++) out[i] = kept[63 - i] + by;
}
"""


def priced(text: str) -> Costs:
    (kernel,) = HlsFrontend().parse(Source("scale.cpp", text)).kernels
    return costs(kernel.body_as(HlsKernel), load("vu9p"))


def with_widths(width: int, integer: int) -> str:
    lines = [
        line
        for line in SCALE.splitlines()
        if not line.startswith(("#pragma tunepass param W", "#pragma tunepass param I"))
    ]
    return "\n".join(lines).replace("define W 18", f"define W {width}").replace("define I 6", f"define I {integer}")


@pytest.mark.parametrize("width", (8, 18, 40))
@pytest.mark.parametrize("integer", (4, 6))
def test_each_width_has_the_price_of_the_source_with_it(width: int, integer: int) -> None:
    everything, alone = priced(SCALE), priced(with_widths(width, integer))
    for copies in (1, 4):
        wide, narrow = {"W": width, "I": integer, "U": copies}, {"U": copies}
        for name, e in everything.values.items():
            assert evaluate(e, wide) == evaluate(alone.values[name], narrow), name
        assert evaluate(everything.fits, wide) == evaluate(alone.fits, narrow)


def test_wider_numbers_take_more() -> None:
    """Products of 8 bits are LUTs, so that only those of wider numbers can be compared by LUTs."""
    price = priced(SCALE)

    def taken(resource: str, width: int) -> float:
        return float(evaluate(price.values[resource], {"W": width, "I": 4, "U": 1}))  # type: ignore[arg-type]

    assert taken("dsps", 8) == 0 < taken("dsps", 18) < taken("dsps", 40)
    assert taken("luts", 18) < taken("luts", 40)


def test_where_widths_share_an_expression_it_is_told_once() -> None:
    (kernel,) = HlsFrontend().parse(Source("scale.cpp", SCALE)).kernels
    variants = kernel.body_as(HlsKernel).variants
    cases = [(variant.values, lift(7)) for variant in variants]
    assert choice(cases) == lift(7)
    told = choice([(variant.values, lift(dict(variant.values)["W"])) for variant in variants])
    assert free_names(told) == {"W"}


def test_parts_are_told_where_all_widths_have_the_same() -> None:
    one, same = HlsVariant((("W", 8),), kernel_of(arrays=())), HlsVariant((("W", 9),), kernel_of(arrays=()))
    part = EstimatePart("add", 0, {"luts": lift(8)})
    wider, other = replace(part, values={"luts": lift(9)}), replace(part, label="mul")
    first = Costs({}, {}, ONE, {}, areas=(part,))
    (told,) = joined((one, same), (first, replace(first, areas=(wider,)))).areas
    assert [evaluate(told.values["luts"], {"W": width}) for width in (8, 9)] == [8, 9]
    assert joined((one, same), (first, replace(first, areas=(other,)))).areas == ()
