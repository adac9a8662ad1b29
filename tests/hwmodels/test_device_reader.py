"""Descriptions of devices as dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
import yaml

from tunepass.diagnostics import Source
from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.device_reader import DeviceReader, plain_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    size_byte: int
    miss_ns: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    name: str
    cache: Cache
    cores: tuple[int, ...]
    spare: int = field(metadata={"least": 0})
    shared: bool = False


def decoded(text: str) -> Machine:
    reader = DeviceReader(Source("m.yaml", text), "a hint")

    def cores(node: yaml.Node) -> tuple[int, ...]:
        return tuple(reader.integer(item) for item in reader.items(node, "cores"))

    return reader.decoded(Machine, reader.top("a machine"), "a machine", {"cores": cores}, {"name": "m"})


def test_each_field_is_read_as_it_is_annotated() -> None:
    machine = decoded("cache: {size_byte: 64}\ncores: [1, 2]\nspare: 0\nshared: true\n")
    assert machine == Machine(name="m", cache=Cache(size_byte=64), cores=(1, 2), spare=0, shared=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "m.yaml is empty"),
        ("name: n\n", "m.yaml:1:1: error: a machine has no `name`"),
        ("cache: {size_byte: 64}\ncores: []\n", "a machine lacks `spare`"),
        ("cache: {size: 64}\ncores: []\nspare: 0\n", "m.yaml:1:9: error: cache has no `size`"),
        ("cache: {size_byte: 0}\ncores: []\nspare: 0\n", "m.yaml:1:20: error: this is a positive number"),
        ("cache: {size_byte: 64}\ncores: []\nspare: [0]\n", "m.yaml:3:8: error: this is one text"),
    ],
)
def test_what_does_not_fit_is_told_where_it_stands(text: str, message: str) -> None:
    with pytest.raises(ModelError) as error:
        decoded(text)
    assert message in str(error.value)


def test_plain_data_has_the_types_of_its_fields() -> None:
    assert plain_record(Cache, {"size_byte": 64.0, "miss_ns": 2}) == Cache(size_byte=64, miss_ns=2.0)
    assert plain_record(Cache, {"miss_ns": 2}, size_byte=1) == Cache(size_byte=1, miss_ns=2.0)
    with pytest.raises(KeyError):
        plain_record(Cache, {"size_byte": 64})
