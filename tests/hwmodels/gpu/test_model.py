"""The model of GPU kernels as a whole: what it answers, what it tells apart, and its readers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.hwmodels.gpu.kernels import INTEGER, Built, convolution, matmul, value
from tunepass import registry
from tunepass.diagnostics import Source
from tunepass.expr.interval.extension import IntervalExtension
from tunepass.expr.nodes import Name, free_names
from tunepass.expr.numpy_eval import evaluate
from tunepass.expr.vm.compiled_expressions import CompiledExpressions
from tunepass.hwmodels.base import CostModel
from tunepass.hwmodels.gpu.device import load, names
from tunepass.hwmodels.gpu.model import GpuModel, priced
from tunepass.hwmodels.gpu.resources import Resources, stated_resources
from tunepass.ir.gpu import GpuKernel
from tunepass.ir.kernel import Kernel
from tunepass.space.parameter import Ordinal
from tunepass.testing.cost_model import CostModelContract

KERNELS = {"matmul": matmul(), "convolution": convolution()}
PLAIN = {"BX": 16, "BY": 16, "TX": 1, "TY": 1}


def time_ms(kernel: GpuKernel, device: str = "a100", **chosen: int) -> float:
    gpu = load(device)
    return value(priced(kernel, gpu, stated_resources(kernel, gpu)).values["time"], {**PLAIN, **chosen})


def test_the_registry_knows_it() -> None:
    model = registry.find("cost_models", "gpu")()
    assert isinstance(model, GpuModel) and "a100" in model.devices()
    summary = model.summary("a100")
    assert summary.family == "gpu" and summary.capacity["SMs"] == 108


@pytest.mark.parametrize("device", names())
@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.each_value
@pytest.mark.slow_but(4)
def test_every_device_prices_every_kernel(name: str, device: str) -> None:
    gpu = load(device)
    found = priced(KERNELS[name], gpu, stated_resources(KERNELS[name], gpu))
    assert found.units["time"] == "ms" and free_names(found.values["time"]) == set(PLAIN)
    assert 1e-3 < value(found.values["time"], PLAIN) < 1e4
    assert value(found.fits, PLAIN) == 1


def test_register_tiles_pay_in_a_matrix_product() -> None:
    tiled = {"TX": 8, "TY": 8}
    assert time_ms(matmul(4096), **tiled) < 0.5 * time_ms(matmul(4096))
    flops = 2 * 4096**3
    assert flops / (time_ms(matmul(4096), **tiled) / 1e3) < 19.5e12  # no more than the A100 has


def test_bank_conflicts_cost_as_much_as_was_measured() -> None:
    """KTT's rows of the 2080 Ti, (BX, BY, TX, TY): 2.1 ms for (32, 16, 2, 2), 3.96 ms for (16, 16, 2, 2)."""
    one, two = (time_ms(convolution(), "2080-ti", BX=x, BY=16, TX=2, TY=2) for x in (32, 16))
    assert 1.6 < two / one < 2.2
    assert 1.6 < one < 2.8


def test_a_block_too_large_does_not_fit() -> None:
    gpu = load("2080-ti")
    found = priced(convolution(), gpu, stated_resources(convolution(), gpu))
    assert value(found.fits, {"BX": 64, "BY": 16, "TX": 1, "TY": 1}) == 1
    assert value(found.fits, {"BX": 64, "BY": 32, "TX": 1, "TY": 1}) == 0  # 2048 threads
    assert value(found.fits, {"BX": 128, "BY": 8, "TX": 1, "TY": 10}) == 0  # 53 KB of static arrays


def test_what_is_asked_for_at_the_launch_may_be_more_than_static_arrays() -> None:
    built, gpu = Built(), load("a100")
    for dynamic, fits in ((None, 0), (100_000, 1)):
        kernel = built.kernel(grid=(1,), block=(128,), shared=100_000, dynamic=dynamic)
        assert value(priced(kernel, gpu, stated_resources(kernel, gpu)).fits) == fits


def test_measured_registers_can_be_put_in() -> None:
    gpu, free = load("a100"), Name("registers", INTEGER)
    stated = stated_resources(matmul(), gpu)
    resources = Resources(registers=free, spill_byte=stated.spill_byte, shared=stated.shared)
    found = priced(matmul(), gpu, resources)
    assert "registers" in free_names(found.values["time"]) and "registers" in free_names(found.fits)
    few, many = (value(found.values["occupancy"], {**PLAIN, "registers": n}) for n in (32, 128))
    assert (few, many) == (1.0, 0.25)


def test_spilled_registers_cost() -> None:
    gpu, built = load("a100"), Built("N")
    kernel = built.kernel(grid=(10000,), block=(256,), accumulators="N")
    found = priced(kernel, gpu, stated_resources(kernel, gpu))
    assert [value(found.values["registers"], {"N": n}) for n in (8, 400)] == [34, 255]
    assert value(found.values["time"], {"N": 400}) > 2 * value(found.values["time"], {"N": 8})


def test_where_the_time_goes() -> None:
    gpu = load("a100")
    found = priced(matmul(), gpu, stated_resources(matmul(), gpu))
    columns = {name: np.array([number]) for name, number in PLAIN.items()}
    (launch,) = GpuModel().breakdown(found, "a100", columns).time
    assert [part.label for part in launch.inside] == [
        "issue", "arithmetic", "integer", "special", "load", "latency", "L2", "DRAM",
    ]  # fmt: skip
    assert max(p.values["time"] for p in launch.inside) <= launch.values["time"]


def test_a_kernel_of_another_kind_has_no_costs() -> None:
    assert GpuModel().costs(Kernel(name="f", language="c", source=Source("a.c", "")), "a100") is None


def test_a_kernel_of_this_kind_has() -> None:
    found = GpuModel().costs(Kernel(name="f", language="cuda", source=Source("a.cu", ""), body=matmul()), "a100")
    assert found is not None and found.name == "the GPU model"


def test_the_virtual_machine_reads_it() -> None:
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(1, 33, 200) for name in PLAIN}
    for kernel in KERNELS.values():
        gpu = load("a100")
        found = priced(kernel, gpu, stated_resources(kernel, gpu))
        time = found.values["time"]
        (compiled,) = CompiledExpressions([time]).evaluate(columns, 200)
        assert np.allclose(compiled.values, evaluate(time, columns, 200).values, rtol=1e-12)


@examples(30)
@given(st.data())
@pytest.mark.slow
def test_bounds_over_boxes_hold_every_time_in_them(data: st.DataObject) -> None:
    kernel = KERNELS[data.draw(st.sampled_from(sorted(KERNELS)))]
    ends = {name: sorted(data.draw(st.tuples(st.integers(1, 40), st.integers(1, 40)))) for name in PLAIN}
    gpu = load("mi250x")
    time = priced(kernel, gpu, stated_resources(kernel, gpu)).values["time"]
    lo = {name: np.array([low]) for name, (low, _) in ends.items()}
    hi = {name: np.array([high]) for name, (_, high) in ends.items()}
    (bounds,) = IntervalExtension([time]).bounds(lo, hi, 1)
    inside = {name: data.draw(st.integers(low, high)) for name, (low, high) in ends.items()}
    assert bounds.lo[0] <= value(time, inside) <= bounds.hi[0]
    assert bounds.lo[0] > 0


class TestGpuModelContract(CostModelContract):
    @pytest.fixture
    def model(self) -> CostModel:
        return GpuModel()

    @pytest.fixture
    def kernel(self) -> Kernel:
        parameters = tuple(Ordinal(name, [number, 32], default=number) for name, number in PLAIN.items())
        return Kernel(name="f", language="cuda", source=Source("a.cu", ""), parameters=parameters, body=matmul())
