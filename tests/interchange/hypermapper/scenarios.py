"""Scenarios of our own writing, and a client in place of a compiler."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tunepass.diagnostics import Source
from tunepass.interchange.hypermapper.reading import scenario_of
from tunepass.interchange.hypermapper.scenario import Scenario

INTEGERS = {"x": {"parameter_type": "integer", "values": [0, 9], "parameter_default": 3}}
ORDERS = {
    "tile": {"parameter_type": "ordinal", "values": [16, 4, 8], "parameter_default": 4},
    "p": {"parameter_type": "permutation", "values": [3], "parameter_default": [0, 1, 2]},
}
REALS = {
    "x0": {"parameter_type": "real", "values": [-20, 20], "parameter_default": 0},
    "x1": {"parameter_type": "integer", "values": [-20, 20]},
}


def fields(parameters: Mapping[str, object] = INTEGERS, **more: object) -> dict[str, object]:
    return {"optimization_objectives": ["f"], "input_parameters": parameters, **more}


def source(parameters: Mapping[str, object] = INTEGERS, **more: object) -> Source:
    return Source("scenario.json", json.dumps(fields(parameters, **more), indent=2))


def scenario(parameters: Mapping[str, object] = INTEGERS, **more: object) -> Scenario:
    return scenario_of(source(parameters, **more))


def client_scenario(folder: Path, parameters: Mapping[str, object] = INTEGERS, **more: object) -> Scenario:
    """A scenario for a client, with its files in a folder."""
    mode = {"hypermapper_mode": {"mode": "client-server"}}
    return scenario(parameters, **{**mode, "run_directory": str(folder), **more})
