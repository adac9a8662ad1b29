"""Devices of plug-ins: the YAML that an entry point in `tunepass.devices` names, for the family that reads it."""

from __future__ import annotations

import re

from tunepass import registry
from tunepass.diagnostics import Source

# A key of a device's file: the family; without one, `fpga`.
FAMILY_OF = {"architecture": "gpu", "flop_per_s": "dnn", "sram": "accelerator"}


def plugin_device(name: str, family: str) -> Source | None:
    """The YAML of a plug-in's device, if its keys are those of the family; None for another or an unknown device."""
    source = registry.device_source(name)
    return source if source is not None and family_of(source.text) == family else None


def family_of(text: str) -> str:
    """The family that a device's YAML is of, by its keys."""
    keys = (key for key in FAMILY_OF if re.search(rf"(?m)^{key}[ \t]*:", text))
    return next((FAMILY_OF[key] for key in keys), "fpga")
