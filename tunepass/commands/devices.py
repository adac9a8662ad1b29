"""`tunepass devices`: the devices that models know, and what they hold."""

from __future__ import annotations

import argparse
from typing import cast

from tunepass import registry
from tunepass.commands.answer import Answer, Json, table
from tunepass.hwmodels.base import CostModel


def run(options: argparse.Namespace) -> Answer:
    models = [cast("type[CostModel]", registry.cost_model(family))() for family in registry.COST_MODELS]
    summaries = [model.summary(name) for model in models for name in model.devices()]
    rows = [("device", "family", "clock", "holds")]
    for device in summaries:
        holds = ", ".join(f"{limit:,} {name}" for name, limit in device.capacity.items())
        clock = "" if device.clock_hz is None else f"{device.clock_hz / 1e6:g} MHz"
        rows.append((device.name, device.family, clock, holds))
    data: Json = [
        {
            "name": device.name,
            "family": device.family,
            "description": device.description,
            "clock_hz": device.clock_hz,
            "capacity": dict(device.capacity),
        }
        for device in summaries
    ]
    return Answer(table(rows), data)
