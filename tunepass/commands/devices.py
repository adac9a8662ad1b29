"""`tunepass devices`: the devices that models know, and what they hold; then the GPUs of this machine."""

from __future__ import annotations

import argparse
from typing import cast

from tunepass import registry
from tunepass.commands.answer import Answer, Json, table
from tunepass.evaluators.gpu_run.found import found_devices
from tunepass.hwmodels.base import CostModel


def run(options: argparse.Namespace) -> Answer:
    families = registry.built_in("cost_models")
    models = [cast("type[CostModel]", registry.find("cost_models", family))() for family in families]
    known = {name: model for model in reversed(models) for name in reversed(model.devices())}  # families share devices
    summaries = [known[name].summary(name) for name in reversed(known)]
    rows = [("device", "family", "clock", "holds")]
    for device in summaries:
        holds = ", ".join(f"{limit:,} {name}" for name, limit in device.capacity.items())
        clock = "" if device.clock_hz is None else f"{device.clock_hz / 1e6:g} MHz"
        rows.append((device.name, device.family, clock, holds))
    devices = found_devices()
    for entry in devices:
        clock = f"{entry.device.clock_mhz} MHz" if entry.device.clock_mhz else ""
        rows.append((entry.address, "this machine's", clock, entry.device.name))
    listed: list[Json] = [
        {
            "name": device.name,
            "family": device.family,
            "description": device.description,
            "clock_hz": device.clock_hz,
            "capacity": dict(device.capacity),
        }
        for device in summaries
    ]
    listed += [
        {
            "name": entry.address,
            "family": "this machine's",
            "description": entry.device.name,
            "clock_hz": entry.device.clock_mhz * 1e6 or None,
            "capacity": {"multiprocessors": entry.device.multiprocessors, "memory_byte": entry.device.memory_byte},
        }
        for entry in devices
    ]
    return Answer(table(rows), listed)
