"""Shared code of all models of FPGAs: their devices."""

from __future__ import annotations

from abc import ABC

from tunepass.hwmodels.base import CostModel, DeviceSummary
from tunepass.hwmodels.fpga import device as devices


class OnFpgas(CostModel, ABC):
    """A hardware model whose devices are the FPGAs of `hwmodels/devices`, or a user's file."""

    def devices(self) -> tuple[str, ...]:
        return tuple(devices.names())

    def summary(self, device: str) -> DeviceSummary:
        fpga = devices.load(device)
        return DeviceSummary(fpga.name, fpga.family, fpga.description, fpga.clock_hz, fpga.capacity, fpga.digest)
