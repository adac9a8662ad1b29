"""Which devices kernels can be run on."""

from __future__ import annotations

import pytest

from tunepass.evaluators.gpu_run import found as module
from tunepass.evaluators.gpu_run.found import found_devices, troubled_devices
from tunepass.evaluators.gpu_run.protocol import Device


def test_each_device_has_an_address_and_kernels_on_the_processor_no_rights() -> None:
    for found in found_devices():
        assert found.address == f"{found.driver}:{found.number}" and found.device.name
        assert found.setting.trust == ("program" if found.device.is_gpu else "kernel")
        assert found.device.threads > 0 and found.device.memory_byte > 0


def test_there_are_none_where_there_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert found_devices("opencl") == ()


def test_devices_keep_their_numbers_beside_one_that_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    words = {"vendor": "v", "version": "1", "is_gpu": False, "threads": 1, "block": (1, 1, 1), "grid": (1, 1, 1)}
    sizes = {"shared_byte": 0, "memory_byte": 1, "l2_byte": 0, "multiprocessors": 1, "clock_mhz": 1}
    old = Device(name="old", **words, **sizes, trouble="error: unknown target CPU 'generic'")
    new = Device(name="new", **words, **sizes)
    monkeypatch.setattr(module, "devices_of", lambda driver: (old, new))
    monkeypatch.setattr(module, "may_be_there", lambda driver: driver == "opencl")
    assert [device.address for device in found_devices()] == ["opencl:1"]
    assert [device.address for device in troubled_devices()] == ["opencl:0"]
    assert found_devices("cuda") == ()
