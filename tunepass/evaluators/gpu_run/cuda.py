"""CUDA through the driver API: objects that nvcc made, run on NVIDIA's devices."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunepass.evaluators.gpu_run import libcuda, nvml
from tunepass.evaluators.gpu_run.driver import DeviceFailure, Driver, TooManyResources
from tunepass.evaluators.gpu_run.protocol import Clock, Device, LaunchWords, Loaded, Place
from tunepass.ir.gpu_call import Three

POINTER = 8  # bytes
FLUSHED = 2  # times the cache's size is written to empty it
USUAL_SHARED = 48 << 10  # bytes of a block, of which no more are given unless asked for
REFUSED = {
    libcuda.INVALID_VALUE: "threads of a block, blocks of the grid or shared memory of a block",
    701: "registers for the threads of a block",  # LAUNCH_OUT_OF_RESOURCES
    720: "multiprocessors for all blocks at once",  # COOPERATIVE_LAUNCH_TOO_LARGE
}
STAGES = {
    200: "compile",  # INVALID_IMAGE
    209: "compile",  # NO_BINARY_FOR_GPU
    218: "compile",  # INVALID_PTX
    222: "compile",  # UNSUPPORTED_PTX_VERSION
    700: "out_of_bounds",  # ILLEGAL_ADDRESS
    702: "timeout",  # LAUNCH_TIMEOUT
    **dict.fromkeys((710, 714, 715, 716, 717, 718, 719), "crash"),  # ASSERT ... LAUNCH_FAILED
}
STICKY = 700  # from here on the context is lost


@dataclass(frozen=True, slots=True)
class LoadedModule:
    """`parameters`: the bytes of each, if the driver says them; `shared_byte` is what the kernel has without asking."""

    module: int
    function: int
    shared_byte: int
    parameters: tuple[int, ...] | None


class Cuda(Driver):
    def __init__(self) -> None:
        with told("run"):
            self.lib = libcuda.LibCuda()
        self.places: tuple[Place, ...] = ()
        self.buffers: dict[int, int] = {}  # addresses of those that are arguments, by number
        self.pristine: dict[int, int] = {}
        self.modules: dict[str, LoadedModule] = {}

    def devices(self) -> tuple[Device, ...]:
        with told("run"):
            return tuple(self._described(self.lib.device(number)) for number in range(self.lib.count()))

    def open(self, number: int) -> Device:
        with told("run"):
            device = self.lib.device(number)
            self.lib.enter(device)
            facts = self._described(device)
            self.nvml = nvml.find(self.lib.bus(device))
            self.first, self.last = self.lib.event(), self.lib.event()
            self.cache_byte = FLUSHED * facts.l2_byte
            self.cache = self.lib.allocate(self.cache_byte) if self.cache_byte else 0
        return facts

    def _described(self, device: int) -> Device:
        def of(which: libcuda.DeviceAttribute, step: int = 0) -> int:
            return self.lib.attribute(device, which + step)

        def three(which: libcuda.DeviceAttribute) -> Three:
            return of(which), of(which, 1), of(which, 2)

        which, version = libcuda.DeviceAttribute, self.lib.version()
        counter = nvml.find(self.lib.bus(device))
        return Device(
            name=self.lib.name(device),
            vendor="NVIDIA",
            version=f"CUDA driver {version // 1000}.{version % 1000 // 10}",
            is_gpu=True,
            threads=of(which.THREADS_PER_BLOCK),
            block=three(which.BLOCK_X),
            grid=three(which.GRID_X),
            shared_byte=max(of(which.SHARED_PER_BLOCK), of(which.SHARED_PER_BLOCK_OPT_IN)),
            memory_byte=self.lib.memory_byte(device),
            l2_byte=of(which.L2_BYTE),
            multiprocessors=of(which.MULTIPROCESSORS),
            clock_mhz=of(which.CLOCK_KHZ) // 1000,
            memory_clock_mhz=of(which.MEMORY_CLOCK_KHZ) // 1000,
            memory_bus_bit=of(which.MEMORY_BUS_BIT),
            registers=of(which.REGISTERS_PER_MULTIPROCESSOR),
            shared_per_multiprocessor_byte=of(which.SHARED_PER_MULTIPROCESSOR),
            threads_per_multiprocessor=of(which.THREADS_PER_MULTIPROCESSOR),
            blocks_per_multiprocessor=of(which.BLOCKS_PER_MULTIPROCESSOR),
            warp=of(which.WARP),
            capability=f"{of(which.CAPABILITY_MAJOR)}.{of(which.CAPABILITY_MINOR)}",
            counts_energy=counter is not None and counter.energy_j() is not None,
        )

    def allocate(self, places: Sequence[Place]) -> None:
        with told("memory"):
            for address in (*self.buffers.values(), *self.pristine.values()):
                self.lib.free(address)
            self.buffers, self.pristine, self.places = {}, {}, tuple(places)
            for number, place in enumerate(places):
                if not place.symbol:
                    self.buffers[number] = self.lib.allocate(place.whole)
                if place.written:
                    self.pristine[number] = self.lib.allocate(place.whole)

    def load(self, key: str, path: str, function: str, options: Sequence[str]) -> Loaded:
        lib, which = self.lib, libcuda.FunctionAttribute
        with told("compile"):
            module = lib.load(Path(path).read_bytes())
            entry = lib.function(module, function)
            shared_byte = lib.function_attribute(entry, which.SHARED_BYTE)
            self.modules[key] = LoadedModule(module, entry, shared_byte, lib.parameters(entry))
            return Loaded(
                registers=lib.function_attribute(entry, which.REGISTERS),
                shared_byte=shared_byte,
                local_byte=lib.function_attribute(entry, which.LOCAL_BYTE),
                threads=lib.function_attribute(entry, which.THREADS_PER_BLOCK),
                log="",
            )

    def unload(self, key: str) -> None:
        module = self.modules.pop(key, None)
        if module is not None:
            with told("run"):
                self.lib.unload(module.module)

    def put(self, key: str, arena: memoryview) -> None:
        with told("run"):
            for number, place in enumerate(self.places):
                address = self._address(key, number)
                self.lib.put(address, _piece(arena, place))
                if number in self.pristine:
                    self.lib.put(self.pristine[number], _piece(arena, place))

    def _address(self, key: str, number: int) -> int:
        """Of the whole buffer. A symbol has an address of its own in each module."""
        place = self.places[number]
        if not place.symbol:
            return self.buffers[number]
        try:
            address, size = self.lib.symbol(self.modules[key].module, place.symbol)
        except libcuda.CudaError as error:
            if error.code != libcuda.NOT_FOUND:
                raise
            raise DeviceFailure("run", f"the module has no variable {place.symbol}", doubtful=False) from error
        if size < place.size:
            words = f"{place.symbol} has {size:,} bytes in the module, its pragma states {place.size:,}"
            raise DeviceFailure("run", words, doubtful=False)
        return address

    def get(self, key: str, arena: memoryview) -> None:
        with told("crash"):
            self.lib.synchronise()
            for number, place in enumerate(self.places):
                self.lib.get(_piece(arena, place), self._address(key, number))

    def restore(self, key: str) -> None:
        with told("crash"):
            for number, address in self.pristine.items():
                self.lib.copy(self._address(key, number), address, self.places[number].whole)

    def flush(self) -> None:
        if self.cache_byte:
            with told("crash"):
                self.lib.clear(self.cache, self.cache_byte)

    def launch(self, key: str, launch: LaunchWords) -> None:
        lib, module = self.lib, self.modules[key]
        arguments = [
            bytes.fromhex(a.data)
            if a.kind == "scalar"
            else (self.buffers[a.number] + self.places[a.number].guard).to_bytes(POINTER, "little")
            for a in launch.arguments
        ]
        _check_arguments(arguments, module.parameters)
        with told("crash", launching=True):
            if launch.dynamic_shared and module.shared_byte + launch.dynamic_shared > USUAL_SHARED:
                lib.set_attribute(module.function, libcuda.FunctionAttribute.DYNAMIC_SHARED_BYTE, launch.dynamic_shared)
            lib.record(self.first)
            lib.launch(module.function, launch.grid, launch.block, launch.dynamic_shared, arguments)
            lib.record(self.last)

    def elapsed_s(self) -> float:
        with told("crash"):
            self.lib.wait_for(self.last)
            return self.lib.between_s(self.first, self.last)

    def clock(self) -> Clock:
        return self.nvml.clock() if self.nvml is not None else Clock()

    def energy_j(self) -> float | None:
        return self.nvml.energy_j() if self.nvml is not None else None


def _check_arguments(arguments: Sequence[bytes], parameters: tuple[int, ...] | None) -> None:
    """The driver would read what is not there."""
    if parameters is None:
        return
    if len(arguments) != len(parameters):
        words = f"the kernel has {len(parameters)} arguments, its pragma states {len(arguments)}"
        raise DeviceFailure("run", words, doubtful=False)
    for number, (data, size) in enumerate(zip(arguments, parameters, strict=True), 1):
        if len(data) != size:
            words = f"argument {number} does not match the kernel's: {len(data)} bytes, where it has {size}"
            raise DeviceFailure("run", words, doubtful=False)


@contextlib.contextmanager
def told(stage: str, launching: bool = False) -> Iterator[None]:
    """What the driver reports as what the protocol knows; errors that are of no stage by themselves are of `stage`."""
    try:
        yield
    except libcuda.CudaError as error:
        if launching and error.code in REFUSED:
            raise TooManyResources(REFUSED[error.code]) from error
        if error.code == libcuda.OUT_OF_MEMORY:
            raise DeviceFailure("memory", str(error), doubtful=stage != "memory") from error
        doubtful = error.code >= STICKY or stage != "compile"
        raise DeviceFailure(STAGES.get(error.code, stage), str(error), doubtful) from error


def _piece(arena: memoryview, place: Place) -> memoryview:
    return arena[place.start : place.start + place.whole]
