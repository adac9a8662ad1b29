"""A device that models run on, read from YAML and nowhere else: peak rates by precision, memory and its bandwidth.

`efficiency` is the share of the peak that operators of a class reach where that was measured; 1 elsewhere, as in Gao et
al., ICSE 2021, section IV-C.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

import yaml

from tunepass.diagnostics import Source, spelling_hint
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.plugin_devices import plugin_device
from tunepass.yaml_nodes import Composer, NodeReader

PRECISIONS = ("float64", "float32", "float16", "bfloat16", "int8")
KEYS = ("name", "description", "source", "flop_per_s", "byte_per_s", "memory_byte", "context_byte", "efficiency")
SIZE_LIMIT, DEPTH_LIMIT = 1 << 16, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """`flop_per_s` by precision, `context_byte` what the framework and the driver take before a model is there."""

    name: str
    description: str
    source: str
    flop_per_s: Mapping[str, float]
    byte_per_s: float
    memory_byte: int
    context_byte: int
    efficiency: Mapping[str, float]

    def rate(self, precision: str) -> float:
        """Flops a second; a precision that the device has no rate for runs as float32."""
        return self.flop_per_s.get(precision, self.flop_per_s["float32"])


def names() -> tuple[str, ...]:
    folder = resources.files("tunepass.hwmodels.dnn").joinpath("devices")
    return tuple(sorted(path.name.removesuffix(".yaml") for path in folder.iterdir() if path.name.endswith(".yaml")))


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
    path = resources.files("tunepass.hwmodels.dnn").joinpath(f"devices/{name}.yaml")
    return read(Source(f"{name}.yaml", path.read_text(encoding="utf-8")))


def read(source: Source) -> Accelerator:
    """The device in a file. ModelError, with the place, for what is missing or no positive number."""
    return _Reader(source, ModelError, "the files of tunepass/hwmodels/dnn/devices are whole ones").accelerator()


class _Reader(NodeReader[ModelError]):
    def accelerator(self) -> Accelerator:
        node = Composer("a device", ModelError, SIZE_LIMIT, DEPTH_LIMIT, self.hint).compose(self.source)
        if node is None:
            raise ModelError(f"{self.source.name} is empty", hint=self.hint)
        top = self.record(node, "a device", KEYS, KEYS[:-1])
        rates = self.record(top["flop_per_s"], "`flop_per_s`", PRECISIONS, ("float32",))
        shares = self.mapping(top["efficiency"], "`efficiency`") if "efficiency" in top else {}
        return Accelerator(
            name=self.text(top["name"]),
            description=self.text(top["description"]),
            source=self.text(top["source"]),
            flop_per_s={precision: self.number(rate) for precision, rate in rates.items()},
            byte_per_s=self.number(top["byte_per_s"]),
            memory_byte=int(self.number(top["memory_byte"])),
            context_byte=int(self.number(top["context_byte"], least=0.0)),
            efficiency={name: self.number(share) for name, share in shares.items()},
        )

    def text(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            raise self.fail("this is one text", node)
        return str(node.value)

    def number(self, node: yaml.Node, least: float = 1e-9) -> float:
        try:
            value = float(self.text(node))
        except ValueError:
            value = -1.0
        if not least <= value < 1e18:
            raise self.fail("this is a positive number", node)
        return value
