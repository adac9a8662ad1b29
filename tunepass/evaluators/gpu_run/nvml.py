"""Clocks, what keeps them down, and energy, from NVIDIA's management library.

Values and signatures: NVML API reference guide (nvml.h). Only this module sees the library.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from tunepass.evaluators.gpu_run.protocol import Clock

LIBRARY = "libnvidia-ml.so.1"
CLOCK_OF_MULTIPROCESSORS = 1
THROTTLES = {  # nvmlClocksThrottleReason*; that the device idles, or was told its clocks, is none
    0x04: "the power cap",
    0x08: "a slowdown of the hardware",
    0x20: "heat (software)",
    0x40: "heat (hardware)",
    0x80: "the power brake",
}


@dataclass(frozen=True, slots=True)
class Nvml:
    """One device."""

    _lib: ctypes.CDLL
    _handle: ctypes.c_void_p

    def clock(self) -> Clock:
        """Zero and empty where the device does not say."""
        mhz, reasons = ctypes.c_uint(), ctypes.c_ulonglong()
        self._lib.nvmlDeviceGetClockInfo(self._handle, ctypes.c_int(CLOCK_OF_MULTIPROCESSORS), ctypes.byref(mhz))
        self._lib.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle, ctypes.byref(reasons))
        return Clock(mhz.value, ", ".join(words for bit, words in THROTTLES.items() if reasons.value & bit))

    def energy_j(self) -> float | None:
        """Since the driver was loaded; None before Volta."""
        millijoule = ctypes.c_ulonglong()
        if self._lib.nvmlDeviceGetTotalEnergyConsumption(self._handle, ctypes.byref(millijoule)):
            return None
        return millijoule.value * 1e-3


def find(bus: str, library: str = LIBRARY) -> Nvml | None:
    """The device at that address of the PCI bus; None where there is no such library or device."""
    try:
        lib, handle = ctypes.CDLL(library), ctypes.c_void_p()
        if lib.nvmlInit_v2() or lib.nvmlDeviceGetHandleByPciBusId_v2(bus.encode(), ctypes.byref(handle)):
            return None
    except (OSError, AttributeError):
        return None
    return Nvml(lib, handle)
