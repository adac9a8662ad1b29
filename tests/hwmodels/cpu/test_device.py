"""Processors from YAML."""

from __future__ import annotations

import pytest

from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.cpu.device import load, read

TEXT = """\
name: p
description: a test
source: made up
cores: 2
vector_byte: 32
registers: 16
core: {operation_ns: 0.1, load_ns: 0.1, store_ns: 0.2, issue_ns: 0.05, division_ns: 1, call_ns: 9, chain_ns: 1,
  forward_ns: 2, enter_ns: 3, fork_ns: 4000}
levels:
- {name: L1, size_byte: 32768, block_byte: 64, ways: 8, miss_ns: 1, scattered_ns: 2}
- {name: L2, size_byte: 1048576, block_byte: 64, miss_ns: 3, scattered_ns: 9, shared: true}
pages: {name: TLB, size_byte: 262144, block_byte: 4096, miss_ns: 2, scattered_ns: 3}
"""


def test_the_default_says_where_its_numbers_are_from() -> None:
    device = load()
    assert [level.name for level in device.levels] == ["L1", "L2", "L3"] and "Optimization Reference" in device.source
    sizes = [level.size_byte for level in device.levels]
    assert sizes == sorted(sizes) and device.levels[0].sets == 64


def test_a_whole_device() -> None:
    device = read(TEXT, "p.yaml")
    assert (device.cores, device.vector_byte, device.core.enter_ns) == (2, 32, 3.0)
    assert [level.sets for level in device.levels] == [64, 1] and device.levels[1].shared


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        ("cores: 2\n", "", "a processor lacks `cores`", 1),
        ("cores: 2", "cores: many", "this is a positive number", 4),
        ("chain_ns: 1", "chain_ns: -1", "this is a positive number", 7),
        ("registers", "regsters", "a processor has no `regsters`", 6),
        ("miss_ns: 3", "miss_ns: [3]", "this is one text", 11),
        ("levels:\n", "levels: []\nother:\n", "a processor has no `other`", 10),
    ],
)
def test_what_is_wrong_is_said_where_it_is(old: str, new: str, message: str, line: int) -> None:
    with pytest.raises(ModelError) as caught:
        read(TEXT.replace(old, new, 1), "p.yaml")
    diagnostic = caught.value.diagnostics[0]
    assert diagnostic.message == message and diagnostic.span is not None and diagnostic.span.line == line


@pytest.mark.parametrize("text", ["", "a: [", "- a"])
def test_hostile_text(text: str) -> None:
    with pytest.raises(ModelError):
        read(text, "p.yaml")
