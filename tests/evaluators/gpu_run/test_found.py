"""Which devices kernels can be run on."""

from __future__ import annotations

import pytest

from tunepass.evaluators.gpu_run.found import found_devices


def test_each_device_has_an_address_and_kernels_on_the_processor_no_rights() -> None:
    for found in found_devices():
        assert found.address == f"{found.driver}:{found.number}" and found.device.name
        assert found.setting.trust == ("program" if found.device.is_gpu else "kernel")
        assert found.device.threads > 0 and found.device.memory_byte > 0


def test_there_are_none_where_there_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert found_devices("opencl") == ()
