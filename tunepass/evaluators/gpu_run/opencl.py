"""OpenCL through pyopencl; PoCL makes a device of the processor."""

from __future__ import annotations

import contextlib
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyopencl as cl

from tunepass.evaluators.gpu_run.driver import DeviceFailure, Driver, TooManyResources
from tunepass.evaluators.gpu_run.protocol import Argument, Device, LaunchWords, Loaded, Place
from tunepass.ir.gpu_call import Three

Status = cl.status_code
REFUSED = {
    Status.OUT_OF_RESOURCES: "registers or local memory",
    Status.INVALID_WORK_GROUP_SIZE: "threads of a block (the work-group size)",
    Status.INVALID_WORK_ITEM_SIZE: "threads of a block in one dimension",
    Status.INVALID_GLOBAL_WORK_SIZE: "the size of the grid",
    Status.INVALID_WORK_DIMENSION: "the dimensions of the grid",
}
MEMORY = {Status.MEM_OBJECT_ALLOCATION_FAILURE, Status.OUT_OF_HOST_MEMORY, Status.INVALID_BUFFER_SIZE}
ARGUMENTS = {Status.INVALID_ARG_SIZE, Status.INVALID_ARG_VALUE, Status.INVALID_ARG_INDEX, Status.INVALID_KERNEL_ARGS}
POLL_S = 1e-3
SMALLEST = "kernel void smallest(global float *x) { x[get_global_id(0)] = 1.0f; }"
FLUSHED = 2  # times the cache's size is written to empty it


class OpenCl(Driver):
    def devices(self) -> tuple[Device, ...]:
        return tuple(replace(described(device), trouble=trouble(device)) for device in all_devices())

    def open(self, number: int) -> Device:
        devices = all_devices()
        if number >= len(devices):
            raise DeviceFailure("run", f"there is no OpenCL device {number}, there are {len(devices)}")
        self.device = devices[number]
        with told("run"):
            self.context = cl.Context([self.device])
            self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self.places: tuple[Place, ...] = ()
        self.buffers: list[cl.Buffer] = []
        self.arguments: list[cl.Buffer] = []  # the buffers without their guard zones
        self.pristine: dict[int, cl.Buffer] = {}
        self.kernels: dict[str, cl.Kernel] = {}
        self.event: cl.Event | None = None
        facts = described(self.device)
        self.cache = (
            cl.Buffer(self.context, cl.mem_flags.READ_WRITE, FLUSHED * facts.l2_byte) if facts.l2_byte else None
        )
        return facts

    def allocate(self, places: Sequence[Place]) -> None:
        symbol = next((place.symbol for place in places if place.symbol), "")
        if symbol:
            raise DeviceFailure(
                "run", f"{symbol}: an OpenCL buffer has to be an argument of the kernel", doubtful=False
            )
        self.buffers, self.arguments, self.pristine = [], [], {}
        self.places = tuple(places)
        with told("memory"):
            for number, place in enumerate(places):
                flags = cl.mem_flags.READ_WRITE
                buffer = cl.Buffer(self.context, flags, place.whole)
                self.buffers.append(buffer)
                self.arguments.append(buffer.get_sub_region(place.guard, place.size) if place.guard else buffer)
                if place.written:
                    self.pristine[number] = cl.Buffer(self.context, flags, place.whole)

    def load(self, key: str, path: str, function: str, options: Sequence[str]) -> Loaded:
        program = cl.Program(self.context, Path(path).read_text(errors="surrogateescape"))
        with warnings.catch_warnings(), told("compile"):
            warnings.simplefilter("ignore")  # the compiler's, which are in the log
            program.build(list(options), [self.device], cache_dir=False)
            kernel = cl.Kernel(program, function)
            info = cl.kernel_work_group_info
            self.kernels[key] = kernel
            return Loaded(
                registers=-1,
                shared_byte=kernel.get_work_group_info(info.LOCAL_MEM_SIZE, self.device),
                local_byte=kernel.get_work_group_info(info.PRIVATE_MEM_SIZE, self.device),
                threads=kernel.get_work_group_info(info.WORK_GROUP_SIZE, self.device),
                log=str(program.get_build_info(self.device, cl.program_build_info.LOG)).strip()[-4000:],
            )

    def unload(self, key: str) -> None:
        self.kernels.pop(key, None)

    def put(self, key: str, arena: memoryview) -> None:
        with told("run"):
            for number, place in enumerate(self.places):
                cl.enqueue_copy(self.queue, self.buffers[number], _piece(arena, place))
                if number in self.pristine:
                    cl.enqueue_copy(self.queue, self.pristine[number], self.buffers[number])
            self.queue.finish()

    def get(self, key: str, arena: memoryview) -> None:
        with told("crash"):
            self.queue.finish()
            for number, place in enumerate(self.places):
                cl.enqueue_copy(self.queue, _piece(arena, place), self.buffers[number])
            self.queue.finish()

    def restore(self, key: str) -> None:
        with told("crash"):
            for number, buffer in self.pristine.items():
                cl.enqueue_copy(self.queue, self.buffers[number], buffer)

    def flush(self) -> None:
        if self.cache is not None:
            with told("crash"):
                cl.enqueue_fill_buffer(self.queue, self.cache, np.uint32(0), 0, self.cache.size)

    def launch(self, key: str, launch: LaunchWords) -> None:
        kernel = self.kernels[key]
        if kernel.num_args != len(launch.arguments):
            raise DeviceFailure(
                "run",
                f"the kernel has {kernel.num_args} arguments, its pragma states {len(launch.arguments)}",
                doubtful=False,
            )
        for number, argument in enumerate(launch.arguments):
            with told("run", f"argument {number + 1} does not match the kernel's: "):
                kernel.set_arg(number, self._value(argument))
        x, y, z = (blocks * threads for blocks, threads in zip(launch.grid, launch.block, strict=True))
        with told("crash", launching=True):
            self.event = cl.enqueue_nd_range_kernel(self.queue, kernel, (x, y, z), launch.block)

    def begun(self) -> None:
        """PoCL compiles for the size of the block, which may take a minute, when a launch is due."""
        assert self.event is not None
        running = cl.command_execution_status.RUNNING
        with told("crash"):
            self.queue.flush()
            while self.event.command_execution_status > running:
                time.sleep(POLL_S)

    def _value(self, argument: Argument) -> cl.Buffer | cl.LocalMemory | bytes:
        match argument.kind:
            case "buffer":
                return self.arguments[argument.number]
            case "local":
                return cl.LocalMemory(argument.number)
            case _:
                return bytes.fromhex(argument.data)

    def elapsed_s(self) -> float:
        assert self.event is not None
        with told("crash"):
            self.event.wait()
            return float(self.event.profile.end - self.event.profile.start) * 1e-9


def all_devices() -> list[cl.Device]:
    """GPUs first, then in the order of the platforms."""
    try:
        platforms = cl.get_platforms()
    except cl.Error:
        return []
    devices = []
    for platform in platforms:
        with contextlib.suppress(cl.Error):
            devices += platform.get_devices()
    return sorted(devices, key=lambda device: not device.type & cl.device_type.GPU)


def trouble(device: cl.Device) -> str:
    """Why no kernel compiles for it, or ''. A PoCL older than the processor says "unknown target CPU"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cl.Program(cl.Context([device]), SMALLEST).build(devices=[device], cache_dir=False)
        except cl.Error as error:
            lines = [line.strip() for line in str(error).splitlines()]
            return next((line for line in lines if line.startswith("error: ")), lines[0])
    return ""


def described(device: cl.Device) -> Device:
    gpu = bool(device.type & cl.device_type.GPU)
    x, y, z = (*device.max_work_item_sizes, 1, 1)[:3]
    most = (1 << 31) - 1
    grid: Three = (most, most, most)
    return Device(
        name=device.name.strip(),
        vendor=device.vendor.strip(),
        version=f"{device.platform.name.strip()}, {device.version.strip()}, driver {device.driver_version.strip()}",
        is_gpu=gpu,
        threads=int(device.max_work_group_size),
        block=(int(x), int(y), int(z)),
        grid=grid,
        shared_byte=int(device.local_mem_size),
        memory_byte=int(device.global_mem_size),
        l2_byte=int(device.global_mem_cache_size) if gpu else 0,
        multiprocessors=int(device.max_compute_units),
        clock_mhz=int(device.max_clock_frequency),
        capability=_capability(device) if gpu else "",
    )


def _capability(device: cl.Device) -> str:
    """NVIDIA's extension tells it."""
    try:
        return f"{device.compute_capability_major_nv}.{device.compute_capability_minor_nv}"
    except (cl.Error, AttributeError):
        return ""


@contextlib.contextmanager
def told(stage: str, prefix: str = "", launching: bool = False) -> Iterator[None]:
    """What pyopencl raises as what the protocol knows; other errors are of that stage."""
    try:
        yield
    except cl.Error as error:
        code, log = error.code, f"{prefix}{error}".strip()[-4000:]
        if launching and code in REFUSED:
            raise TooManyResources(REFUSED[code]) from error
        if code in MEMORY:
            raise DeviceFailure("memory", log, doubtful=False) from error
        if code in ARGUMENTS:
            raise DeviceFailure("run", log, doubtful=False) from error
        raise DeviceFailure(stage, log, doubtful=stage != "compile") from error


def _piece(arena: memoryview, place: Place) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.frombuffer(arena, np.uint8, place.whole, place.start)
