"""`tunepass devices`: the devices that models know, and what they hold."""

from __future__ import annotations

import argparse

from tunepass.commands.answer import Answer, Json, table
from tunepass.hwmodels.fpga import device as devices


def run(options: argparse.Namespace) -> Answer:
    found = [devices.load(name) for name in devices.names()]
    rows = [("device", "family", "clock", "holds")]
    for one in found:
        holds = ", ".join(f"{limit:,} {name}" for name, limit in one.capacity.items())
        rows.append((one.name, one.family, f"{one.clock_hz / 1e6:g} MHz", holds))
    data: Json = [
        {
            "name": one.name,
            "family": one.family,
            "description": one.description,
            "clock_hz": one.clock_hz,
            "capacity": dict(one.capacity),
        }
        for one in found
    ]
    return Answer(table(rows), data)
