"""`tunepass devices`: the devices that models know, and what they hold, those of plug-ins too; then the GPUs of this
machine."""

from __future__ import annotations

import argparse
from collections.abc import Set
from typing import cast

from tunepass import registry
from tunepass.diagnostics import TunepassError
from tunepass.evaluators.gpu_run.found import found_devices
from tunepass.hwmodels.base import CostModel, DeviceSummary
from tunepass.hwmodels.plugin_devices import family_of
from tunepass.reports.answer import Answer, Json, table


def run(options: argparse.Namespace) -> Answer:
    families = registry.built_in("cost_models")
    models = [cast("type[CostModel]", registry.find("cost_models", family))() for family in families]
    known = {name: model for model in reversed(models) for name in reversed(model.devices())}  # families share devices
    summaries = [known[name].summary(name) for name in reversed(known)]
    of_plugins, faults = plugin_summaries(set(known))
    releases = {summary.name: release for summary, release in of_plugins}
    summaries += [summary for summary, _ in of_plugins]
    rows = [("device", "family", "clock", "holds")]
    for device in summaries:
        holds = ", ".join(f"{limit:,} {name}" for name, limit in device.capacity.items())
        clock = "" if device.clock_hz is None else f"{device.clock_hz / 1e6:g} MHz"
        package = f" (of {releases[device.name]})" if device.name in releases else ""
        rows.append((device.name + package, device.family, clock, holds))
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
            **({"package": releases[device.name]} if device.name in releases else {}),
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
    return Answer(table(rows), listed, notes=tuple(faults))


def plugin_summaries(built_in: Set[str]) -> tuple[list[tuple[DeviceSummary, str]], list[str]]:
    """Devices of plug-ins with the packages that state them, and a line for each that cannot be read."""
    summaries: list[tuple[DeviceSummary, str]] = []
    faults: list[str] = []
    for name in registry.plugin_names("devices"):
        if name in built_in:
            continue  # `tunepass plugins` tells of the clash
        try:
            source = registry.device_source(name)
            if source is not None:
                model = cast("type[CostModel]", registry.find("cost_models", family_of(source.text)))()
                summaries.append((model.summary(name), registry.device_release(name)))
        except TunepassError as error:
            faults.append(f"left out: {name}: {error.sentence}")
    return summaries, faults
