"""Costs of a model through its backend: limits, devices, and what is told of wrong ones."""

from __future__ import annotations

import pytest

from tests.frontends.dnn.sources import keras_kernel
from tunepass.backends.base import Target, backend_for
from tunepass.diagnostics import SourceError, TunepassError
from tunepass.expr.python_eval import evaluate
from tunepass.ir.kernel import Kernel

MODEL = """
# tunepass param units: ordinal(64, 1024) = 64
# tunepass param batch: ordinal(1, 512) = 1
# tunepass limit weight_byte <= 100 kB
units = 64
model = keras.Sequential([keras.Input((64,)), layers.Dense(units), layers.Dense(10)])
"""


@pytest.fixture
def kernel() -> Kernel:
    return keras_kernel(MODEL)


def fits(kernel: Kernel, device: str | None, **values: int) -> object:
    costs = backend_for(kernel, Target(device=device)).costs()
    assert costs is not None
    return evaluate(costs.fits, values)


def test_a_limit_of_the_source_decides_what_fits(kernel: Kernel) -> None:
    assert fits(kernel, None, units=64, batch=1) is True
    assert fits(kernel, None, units=1024, batch=1) is False


def test_the_devices_memory_decides_as_well() -> None:
    kernel = keras_kernel(MODEL.replace("# tunepass limit weight_byte <= 100 kB\n", ""))
    assert fits(kernel, "microcontroller", units=64, batch=1) is True
    assert fits(kernel, "microcontroller", units=1024, batch=512) is False
    assert fits(kernel, "t4", units=1024, batch=512) is True


def test_without_a_device_there_are_no_times(kernel: Kernel) -> None:
    known = backend_for(kernel, Target()).costs()
    assert known is not None
    assert "time" not in known.values
    assert {"weights", "flops", "training_byte", "memory"} <= set(known.values)
    with pytest.raises(TunepassError, match="has no 'time'"):
        backend_for(kernel, Target(objectives=("time",))).objectives()


def test_a_limit_of_nothing_known_is_told_at_its_place() -> None:
    kernel = keras_kernel(MODEL.replace("weight_byte", "wieght_byte"))
    with pytest.raises(SourceError, match=r"model.py:6:18: error: there is no resource `wieght_byte`"):
        backend_for(kernel, Target())


def test_estimates_say_where_weights_and_operations_are(kernel: Kernel) -> None:
    backend = backend_for(kernel, Target(device="t4"))
    costs = backend.costs()
    assert costs is not None
    assert [part.label for part in costs.areas] == ["dense", "dense_1"]
