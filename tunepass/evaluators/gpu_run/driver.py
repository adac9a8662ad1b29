"""The role of a driver: what the worker needs of OpenCL or CUDA, and how they fail."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tunepass.evaluators.gpu_run.protocol import Clock, Device, LaunchWords, Loaded, Place


class DeviceFailure(Exception):
    """A call failed at a stage of tunepass.study.outcome. `doubtful`: the device's state is in doubt from here on."""

    def __init__(self, stage: str, log: str, doubtful: bool = True):
        super().__init__(log)
        self.stage, self.log, self.doubtful = stage, log, doubtful


class TooManyResources(Exception):
    """The device lacks what a launch needs; the message names it."""


class Driver(ABC):
    """Holds one device. Every method may raise DeviceFailure, `load` and the launches also TooManyResources.

    Launches are queued: `elapsed_s` waits for the one that was given a number. The bytes of buffers are those of the
    arena, guards included.
    """

    @abstractmethod
    def devices(self) -> tuple[Device, ...]:
        """All there are, by number."""

    @abstractmethod
    def open(self, number: int) -> Device:
        """Take the device of that number."""

    @abstractmethod
    def allocate(self, places: Sequence[Place]) -> None:
        """Have these buffers, twice where the kernel writes to them, and no others."""

    @abstractmethod
    def load(self, key: str, path: str, function: str, options: Sequence[str]) -> Loaded:
        """Load, and where it is source compile, the module in the file."""

    @abstractmethod
    def unload(self, key: str) -> None: ...

    @abstractmethod
    def put(self, key: str, arena: memoryview) -> None:
        """Copy the arena to the buffers, and to the second ones that `restore` reads."""

    @abstractmethod
    def get(self, key: str, arena: memoryview) -> None:
        """Wait for the launches and copy the buffers to the arena."""

    @abstractmethod
    def restore(self, key: str) -> None:
        """Queue: the written buffers are as they were put."""

    @abstractmethod
    def flush(self) -> None:
        """Queue: nothing of the buffers is in the caches."""

    @abstractmethod
    def launch(self, key: str, launch: LaunchWords) -> None:
        """Queue the launch."""

    def begun(self) -> None:  # noqa: B027 (most compile nothing before they run it)
        """Wait until the last launch runs."""

    @abstractmethod
    def elapsed_s(self) -> float:
        """Wait for the last launch: seconds by the device's clock."""

    def clock(self) -> Clock:
        return Clock()

    def energy_j(self) -> float | None:
        """Since some time in the past; None where the device does not count it."""
        return None
