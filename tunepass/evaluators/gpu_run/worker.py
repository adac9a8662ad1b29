"""The process that holds a device: does what it is told, message by message, until nobody is there any more.

python -I -m tunepass.evaluators.gpu_run.worker DRIVER      socket: descriptor 3, arena: descriptor 4
"""

from __future__ import annotations

import mmap
import os
import socket
import sys
import time
from statistics import median

from tunepass.evaluators.gpu_run import protocol
from tunepass.evaluators.gpu_run.driver import DeviceFailure, Driver, TooManyResources
from tunepass.evaluators.gpu_run.protocol import LaunchWords, Message
from tunepass.evaluators.measure.timing import median_interval

SOCKET, ARENA = 3, 4
ENERGY_LAUNCHES = 20  # between two looks at the clock


class Worker:
    def __init__(self, driver: Driver, arena: int):
        self.driver, self._file = driver, arena
        self._arena: mmap.mmap | None = None

    def answer(self, message: Message) -> Message:
        try:
            return self._done(message)
        except DeviceFailure as failure:
            return protocol.Broken(failure.stage, failure.log, failure.doubtful)
        except TooManyResources as refused:
            return protocol.Refused(str(refused))
        except MemoryError as error:
            return protocol.Broken("memory", f"the worker lacks memory: {error}")

    def _done(self, message: Message) -> Message:
        driver = self.driver
        match message:
            case protocol.ListDevices():
                return protocol.Devices(driver.devices())
            case protocol.Open(number):
                return driver.open(number)
            case protocol.Allocate(size, places):
                if self._arena is not None:
                    self._arena.close()
                self._arena = mmap.mmap(self._file, size) if size else None
                driver.allocate(places)
            case protocol.Load(key, path, function, options):
                return driver.load(key, path, function, options)
            case protocol.Unload(key):
                driver.unload(key)
            case protocol.Begin(key, launch):
                self._begin(key, launch)
            case protocol.Finish(key):
                return self._finish(key)
            case protocol.Time(key, launch, plan):
                return self._time(key, launch, plan)
            case protocol.MeasureEnergy(key, launch, seconds):
                return self._energy(key, launch, seconds)
            case _:
                return protocol.Broken("run", f"{type(message).__name__} is no order")
        return protocol.Done()

    def _begin(self, key: str, launch: LaunchWords) -> None:
        with memoryview(self._arena or b"") as arena:
            self.driver.put(key, arena)
        self.driver.launch(key, launch)
        self.driver.begun()

    def _finish(self, key: str) -> Message:
        seconds = self.driver.elapsed_s()
        with memoryview(self._arena or b"") as arena:
            self.driver.get(key, arena)
        return protocol.Ran(seconds)

    def _time(self, key: str, launch: LaunchWords, plan: protocol.Plan) -> Message:
        driver, before = self.driver, protocol.Clock()
        samples: list[float] = []
        with memoryview(self._arena or b"") as arena:
            driver.put(key, arena)
            self._warm_up(key, launch, plan.warmup_s)
            before, started = driver.clock(), time.monotonic()
            while not self._enough(samples, plan, time.monotonic() - started):
                samples.append(self._sample(key, launch))
            after = driver.clock()
            driver.get(key, arena)
        return protocol.Timed(tuple(samples), self._behind(samples, plan), before, after)

    def _sample(self, key: str, launch: LaunchWords) -> float:
        self.driver.restore(key)
        self.driver.flush()
        self.driver.launch(key, launch)
        return self.driver.elapsed_s()

    def _warm_up(self, key: str, launch: LaunchWords, seconds: float) -> None:
        """At least one launch: the first may still compile."""
        started = time.monotonic()
        while True:
            self._sample(key, launch)
            if time.monotonic() - started >= seconds:
                return

    def _enough(self, samples: list[float], plan: protocol.Plan, seconds: float) -> bool:
        if len(samples) >= plan.most or (samples and self._behind(samples, plan)):
            return True
        if len(samples) < plan.least:
            return seconds >= 5 * plan.budget_s and len(samples) >= plan.probe
        lo, hi = median_interval(samples)
        return seconds >= plan.budget_s or (hi - lo) / 2 <= plan.precision * median(samples)

    def _behind(self, samples: list[float], plan: protocol.Plan) -> bool:
        return 0 < plan.cutoff_s < min(samples) and len(samples) >= plan.probe

    def _energy(self, key: str, launch: LaunchWords, seconds: float) -> Message:
        driver, launches = self.driver, 0
        with memoryview(self._arena or b"") as arena:
            driver.put(key, arena)
        first, started = driver.energy_j(), time.monotonic()
        while time.monotonic() - started < seconds:
            for _ in range(ENERGY_LAUNCHES):
                driver.launch(key, launch)
            driver.elapsed_s()
            launches += ENERGY_LAUNCHES
        last = driver.energy_j()
        if first is None or last is None or last <= first:
            return protocol.Broken("metric", "the device does not count its energy", device=False)
        return protocol.Energy((last - first) / launches, launches)


def driver_named(name: str) -> Driver:
    """Its module is imported here: each needs a library that may not be there."""
    if name == "opencl":
        from tunepass.evaluators.gpu_run.opencl import OpenCl

        return OpenCl()
    from tunepass.evaluators.gpu_run.cuda import Cuda

    return Cuda()


def serve(name: str, talk: socket.socket, arena: int) -> None:
    worker: Worker | None = None
    with talk, talk.makefile("rb") as lines:
        for line in lines:
            message = protocol.decoded(line)
            try:
                worker = worker or Worker(driver_named(name), arena)
                answer = worker.answer(message)
            except (ImportError, OSError) as error:
                answer = protocol.Broken("run", f"{type(error).__name__}: {error}")
            talk.sendall(protocol.encoded(answer))


if __name__ == "__main__":
    serve(sys.argv[1], socket.socket(fileno=SOCKET), ARENA)
    os._exit(0)  # a driver's own threads may not end by themselves
