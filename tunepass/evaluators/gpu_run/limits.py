"""Limits of a launch: those of the device, and of a compiled function on it."""

from __future__ import annotations

from tunepass.evaluators.gpu_run.protocol import Device, Loaded
from tunepass.ir.gpu_call import CalledBuffer, GpuCall


def lacking(device: Device, call: GpuCall) -> str:
    """The limit that the launch breaks, in words; empty: none of those that are known before it is compiled."""
    if call.threads > device.threads:
        return f"threads of a block: {call.threads:,} of at most {device.threads:,}"
    for resource, requested, most in (
        ("threads of a block", call.block, device.block),
        ("blocks", call.grid, device.grid),
    ):
        for axis, have, limit in zip("xyz", requested, most, strict=True):
            if have > limit:
                return f"{resource} in {axis}: {have:,} of at most {limit:,}"
    local = sum(a.bytes for a in call.arguments if isinstance(a, CalledBuffer) and a.memory == "local")
    shared = call.dynamic_shared + local
    if shared > device.shared_byte:
        return f"shared memory of a block: {shared:,} of at most {device.shared_byte:,} bytes"
    needed = sum(buffer.bytes for buffer in call.buffers)
    if needed > device.memory_byte:
        return f"memory: {needed:,} of {device.memory_byte:,} bytes"
    return ""


def too_large(device: Device, call: GpuCall, loaded: Loaded) -> str:
    """The limit that the function breaks now that it is compiled; empty: none."""
    if 0 < loaded.threads < call.threads:
        registers = f", with {loaded.registers} registers each" if loaded.registers > 0 else ""
        return f"threads of a block: {call.threads:,} of at most {loaded.threads:,} of this function{registers}"
    shared = loaded.shared_byte + call.dynamic_shared
    if shared > device.shared_byte:
        return f"shared memory of a block: {shared:,} of at most {device.shared_byte:,} bytes"
    return ""
