"""A device that models run on, read from YAML and nowhere else: peak rates by precision, memory and its bandwidth.

`efficiency` is the share of the peak that operators of a class reach where that was measured; 1 elsewhere, as in Gao et
al., ICSE 2021, section IV-C.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

import yaml

from tunepass.diagnostics import Source, spelling_hint
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.device_reader import DeviceReader, shipped_names, shipped_text
from tunepass.hwmodels.plugin_devices import plugin_device

PRECISIONS = ("float64", "float32", "float16", "bfloat16", "int8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """`flop_per_s` by precision, `context_byte` what the framework and the driver take before a model is there."""

    name: str
    description: str
    source: str
    flop_per_s: Mapping[str, float]
    byte_per_s: float
    memory_byte: int
    context_byte: int = field(metadata={"least": 0})
    efficiency: Mapping[str, float] = field(default_factory=dict)

    def rate(self, precision: str) -> float:
        """Flops a second; a precision that the device has no rate for runs as float32."""
        return self.flop_per_s.get(precision, self.flop_per_s["float32"])


def names() -> tuple[str, ...]:
    return shipped_names("tunepass.hwmodels.dnn")


@cache
def load(name: str) -> Accelerator:
    """ModelError, with a near name, for a device that does not ship with tunepass."""
    if name not in names() and (plugin := plugin_device(name, "dnn")):
        return replace(read(plugin), name=name)
    if name not in names():
        raise ModelError(
            f"no device {name!r} for models; known: {', '.join(names())}",
            hint=spelling_hint(name, names(), quote=repr),
        )
    return read(Source(f"{name}.yaml", shipped_text("tunepass.hwmodels.dnn", f"devices/{name}.yaml")))


def read(source: Source) -> Accelerator:
    """The device in a file. ModelError, with the place, for what is missing or no positive number."""
    return _Reader(source, "the files of tunepass/hwmodels/dnn/devices are whole ones").accelerator()


class _Reader(DeviceReader):
    def accelerator(self) -> Accelerator:
        readers = {"flop_per_s": self.rates, "efficiency": self.shares}
        return self.decoded(Accelerator, self.top("a device"), "a device", readers)

    def rates(self, node: yaml.Node) -> dict[str, float]:
        rates = self.record(node, "`flop_per_s`", PRECISIONS, ("float32",))
        return {precision: self.number(rate) for precision, rate in rates.items()}

    def shares(self, node: yaml.Node) -> dict[str, float]:
        return {name: self.number(share) for name, share in self.mapping(node, "`efficiency`").items()}
