"""The devices of this machine that kernels can be run on, by address: `cuda:0`, `opencl:1`."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tunepass.evaluators.gpu_run import protocol
from tunepass.evaluators.gpu_run.libcuda import LIBRARY
from tunepass.evaluators.gpu_run.protocol import Device, ProtocolError
from tunepass.evaluators.gpu_run.session import WorkerSetting, devices_of

DRIVERS = ("cuda", "opencl")
OF_NVIDIA = ("/dev/nvidiactl", "/dev/dxg")  # where the library is found by a path that is not the usual


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """One device of a driver, by its number."""

    driver: str
    number: int
    device: Device

    @property
    def address(self) -> str:
        return f"{self.driver}:{self.number}"

    def encode(self) -> str:
        """The device as text, for a process on a machine that may not have it."""
        return f"{self.address} {protocol.encoded(self.device).decode().strip()}"

    @staticmethod
    def decode(text: str) -> FoundDevice:
        """Raises ProtocolError for what `encode` does not write."""
        address, _, line = text.partition(" ")
        driver, _, number = address.partition(":")
        device = protocol.decoded(line.encode())
        if driver not in DRIVERS or not (number.isdecimal() and len(number) <= 3) or not isinstance(device, Device):
            raise ProtocolError(f"{text[:80]!r} is no device")
        return FoundDevice(driver, int(number), device)

    @property
    def setting(self) -> WorkerSetting:
        """Where the processor poses as the device, kernels run in the worker's process, with the rights of kernels."""
        return WorkerSetting(
            driver=self.driver, number=self.number, trust="program" if self.device.is_gpu else "kernel"
        )


def found_devices(driver: str = "") -> tuple[FoundDevice, ...]:
    """Devices of one driver, or of all, that can run kernels."""
    return tuple(device for device in _listed(driver) if not device.device.trouble)


def troubled_devices(driver: str = "") -> tuple[FoundDevice, ...]:
    """Devices whose compiler fails."""
    return tuple(device for device in _listed(driver) if device.device.trouble)


def _listed(driver: str) -> Iterator[FoundDevice]:
    """Asked once. A driver whose library is there is started, in a process of its own."""
    for name in DRIVERS:
        if name == (driver or name) and may_be_there(name):
            yield from (FoundDevice(name, number, device) for number, device in enumerate(devices_of(name)))


def may_be_there(driver: str) -> bool:
    """Is the driver's library installed? Nothing is started."""
    if driver == "opencl":
        return importlib.util.find_spec("pyopencl") is not None
    try:
        ctypes.CDLL(LIBRARY)  # nothing starts before it is initialised; ctypes.util.find_library would start gcc
    except OSError:
        return any(Path(file).exists() for file in OF_NVIDIA)
    return True
