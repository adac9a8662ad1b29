"""The functions of CUDA's driver API that are used here: each allocates, calls, checks the code and returns.

Names, values and signatures: CUDA Driver API reference manual 13.0 (cuda.h). Only this module sees ctypes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from enum import IntEnum

from tunepass.ir.gpu_call import Three

LIBRARY = "libcuda.so.1"
INVALID_VALUE, OUT_OF_MEMORY, NOT_FOUND = 1, 2, 500


class DeviceAttribute(IntEnum):
    THREADS_PER_BLOCK = 1
    BLOCK_X = 2
    GRID_X = 5
    SHARED_PER_BLOCK = 8
    WARP = 10
    CLOCK_KHZ = 13
    MULTIPROCESSORS = 16
    MEMORY_CLOCK_KHZ = 36
    MEMORY_BUS_BIT = 37
    L2_BYTE = 38
    THREADS_PER_MULTIPROCESSOR = 39
    CAPABILITY_MAJOR = 75
    CAPABILITY_MINOR = 76
    SHARED_PER_MULTIPROCESSOR = 81
    REGISTERS_PER_MULTIPROCESSOR = 82
    SHARED_PER_BLOCK_OPT_IN = 97
    BLOCKS_PER_MULTIPROCESSOR = 106


class FunctionAttribute(IntEnum):
    THREADS_PER_BLOCK = 0
    SHARED_BYTE = 1
    LOCAL_BYTE = 3
    REGISTERS = 4
    DYNAMIC_SHARED_BYTE = 8


class CudaError(Exception):
    """A function returned an error; `code` is its number."""

    def __init__(self, code: int, name: str, words: str, function: str):
        super().__init__(f"{name}: {words} ({function})")
        self.code, self.name = code, name


class LibCuda:
    """The library, whose context is current in the thread that opened it. OSError where there is no such library."""

    def __init__(self, library: str = LIBRARY):
        self._lib = ctypes.CDLL(library)
        self._call("cuInit", ctypes.c_uint(0))

    def _call(self, function: str, *arguments: object) -> None:
        code: int = getattr(self._lib, function)(*arguments)
        if code:
            raise CudaError(code, self._text("cuGetErrorName", code), self._text("cuGetErrorString", code), function)

    def _text(self, function: str, code: int) -> str:
        text = ctypes.c_char_p()
        getattr(self._lib, function)(ctypes.c_int(code), ctypes.byref(text))
        return text.value.decode(errors="replace") if text.value else f"CUDA error {code}"

    def _pointer(self, function: str, *arguments: object) -> int:
        """Result of functions that return a pointer or a handle by their first argument."""
        handle = ctypes.c_void_p()
        self._call(function, ctypes.byref(handle), *arguments)
        return handle.value or 0

    def _integer(self, name: str, *words: object) -> int:
        value = ctypes.c_int()
        self._call(name, ctypes.byref(value), *words)
        return value.value

    def _device_text(self, name: str, size: int, device: int) -> str:
        text = ctypes.create_string_buffer(size)
        self._call(name, text, ctypes.c_int(size), ctypes.c_int(device))
        return text.value.decode(errors="replace")

    # --- devices

    def version(self) -> int:
        """13000 for 13.0."""
        return self._integer("cuDriverGetVersion")

    def count(self) -> int:
        return self._integer("cuDeviceGetCount")

    def device(self, number: int) -> int:
        return self._integer("cuDeviceGet", ctypes.c_int(number))

    def name(self, device: int) -> str:
        return self._device_text("cuDeviceGetName", 256, device)

    def bus(self, device: int) -> str:
        """The address on the PCI bus, by which NVML knows the device."""
        return self._device_text("cuDeviceGetPCIBusId", 64, device)

    def memory_byte(self, device: int) -> int:
        value = ctypes.c_size_t()
        self._call("cuDeviceTotalMem_v2", ctypes.byref(value), ctypes.c_int(device))
        return value.value

    def attribute(self, device: int, which: int) -> int:
        """0 where the driver does not know the attribute."""
        try:
            return self._integer("cuDeviceGetAttribute", ctypes.c_int(which), ctypes.c_int(device))
        except CudaError as error:
            if error.code != INVALID_VALUE:
                raise
            return 0

    def enter(self, device: int) -> None:
        """Make the device's primary context the current one."""
        context = self._pointer("cuDevicePrimaryCtxRetain", ctypes.c_int(device))
        self._call("cuCtxSetCurrent", ctypes.c_void_p(context))

    # --- memory

    def allocate(self, size: int) -> int:
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def free(self, address: int) -> None:
        self._call("cuMemFree_v2", ctypes.c_uint64(address))

    def put(self, address: int, data: memoryview) -> None:
        source = (ctypes.c_char * len(data)).from_buffer(data)
        self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), source, ctypes.c_size_t(len(data)))

    def get(self, data: memoryview, address: int) -> None:
        target = (ctypes.c_char * len(data)).from_buffer(data)
        self._call("cuMemcpyDtoH_v2", target, ctypes.c_uint64(address), ctypes.c_size_t(len(data)))

    def copy(self, target: int, source: int, size: int) -> None:
        """Queued."""
        words = (ctypes.c_uint64(target), ctypes.c_uint64(source), ctypes.c_size_t(size), ctypes.c_void_p())
        self._call("cuMemcpyDtoDAsync_v2", *words)

    def clear(self, address: int, size: int) -> None:
        """Queued: whole words of four bytes."""
        words = (ctypes.c_uint64(address), ctypes.c_uint(0), ctypes.c_size_t(size // 4), ctypes.c_void_p())
        self._call("cuMemsetD32Async", *words)

    # --- modules

    def load(self, image: bytes) -> int:
        return self._pointer("cuModuleLoadData", image)

    def unload(self, module: int) -> None:
        self._call("cuModuleUnload", ctypes.c_void_p(module))

    def function(self, module: int, name: str) -> int:
        return self._pointer("cuModuleGetFunction", ctypes.c_void_p(module), name.encode())

    def symbol(self, module: int, name: str) -> tuple[int, int]:
        """The address of a variable of the module, and its bytes."""
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        words = (ctypes.byref(address), ctypes.byref(size), ctypes.c_void_p(module), name.encode())
        self._call("cuModuleGetGlobal_v2", *words)
        return address.value, size.value

    def function_attribute(self, function: int, which: FunctionAttribute) -> int:
        return self._integer("cuFuncGetAttribute", ctypes.c_int(which), ctypes.c_void_p(function))

    def set_attribute(self, function: int, which: FunctionAttribute, value: int) -> None:
        self._call("cuFuncSetAttribute", ctypes.c_void_p(function), ctypes.c_int(which), ctypes.c_int(value))

    def parameters(self, function: int) -> tuple[int, ...] | None:
        """The bytes of each; None where the driver is older than 12.4 and does not say."""
        if not hasattr(self._lib, "cuFuncGetParamInfo"):
            return None
        sizes: list[int] = []
        while True:
            offset, size = ctypes.c_size_t(), ctypes.c_size_t()
            words = (ctypes.c_void_p(function), ctypes.c_size_t(len(sizes)), ctypes.byref(offset), ctypes.byref(size))
            try:
                self._call("cuFuncGetParamInfo", *words)
            except CudaError as error:
                return tuple(sizes) if error.code == INVALID_VALUE else None
            sizes.append(size.value)

    # --- launches

    def launch(self, function: int, grid: Three, block: Three, shared: int, arguments: Sequence[bytes]) -> None:
        """Queued; an argument is its bytes."""
        buffers = [ctypes.create_string_buffer(data, len(data)) for data in arguments]
        addresses = (ctypes.c_void_p * max(1, len(buffers)))(*(ctypes.addressof(buffer) for buffer in buffers))
        extents = [ctypes.c_uint(value) for value in (*grid, *block, shared)]
        self._call("cuLaunchKernel", ctypes.c_void_p(function), *extents, ctypes.c_void_p(), addresses, None)

    def event(self) -> int:
        return self._pointer("cuEventCreate", ctypes.c_uint(0))

    def record(self, event: int) -> None:
        """Queued."""
        self._call("cuEventRecord", ctypes.c_void_p(event), ctypes.c_void_p())

    def wait_for(self, event: int) -> None:
        self._call("cuEventSynchronize", ctypes.c_void_p(event))

    def between_s(self, first: int, last: int) -> float:
        milliseconds = ctypes.c_float()
        words = (ctypes.byref(milliseconds), ctypes.c_void_p(first), ctypes.c_void_p(last))
        self._call("cuEventElapsedTime", *words)
        return float(milliseconds.value) * 1e-3

    def synchronise(self) -> None:
        self._call("cuCtxSynchronize")
