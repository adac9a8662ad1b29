"""The host's device: from figures to YAML and back, where it is kept, what happens without one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tunepass.hwmodels.base import ModelError
from tunepass.hwmodels.cpu.device import load, read
from tunepass.hwmodels.cpu.host import Facts, cache_file, device_text, host, measured, program, usable_cores

FACTS = Facts(
    processor="A processor: with a colon", compiler="cc 1.0", cores=4, vector_byte=32, registers=16,
    levels=((32768, 8), (1048576, 16)),
)  # fmt: skip
PRINTED = """\
warm_up 2
operation 0.1
chain 1
forward 3.5
division 1.5
call 8
load 0.2
store 0.25
issue 0.1
entry 13.4
page 2.5
stream 0 0.3
scatter 0 1.5
stream 1 0.5
scatter 1 1.9
stream 2 5.5
scatter 2 11.9
"""


def test_figures_become_a_device() -> None:
    device = read(device_text(FACTS, measured(PRINTED)), "host.yaml")
    assert (device.name, device.description, device.cores) == ("host", "A processor: with a colon", 4)
    first, second = device.levels
    assert (first.miss_ns, first.scattered_ns, first.sets) == (0.2, 0.4, 64)
    assert (second.miss_ns, second.scattered_ns, second.sets) == (5.0, 10.0, 1)
    assert device.core.forward_ns == 2.5 and device.core.enter_ns == pytest.approx(0.5 * (13.4 - 8.5 * 0.4))
    assert device.pages.miss_ns == 2.0 and device.pages.size_byte == load().pages.size_byte


def test_a_difference_that_noise_makes_negative_is_a_little() -> None:
    device = read(device_text(FACTS, measured(PRINTED.replace("stream 1 0.5", "stream 1 0.1"))), "host.yaml")
    assert 0 < device.levels[0].miss_ns < 0.1


@pytest.mark.parametrize("printed", ["operation fast\n", "operation -1\n", "operation 0\n", "operation 1 2 3\n", "\n"])
def test_what_is_no_figure_is_an_error(printed: str) -> None:
    with pytest.raises(ModelError, match="no figure"):
        measured(printed)


def test_a_figure_that_is_missing_is_an_error() -> None:
    with pytest.raises(ModelError, match="did not print 'scatter 2'"):
        device_text(FACTS, measured(PRINTED.replace("scatter 2 11.9\n", "")))


def test_where_it_is_kept(tmp_path: Path) -> None:
    own = cache_file("p", {"TUNEPASS_CACHE": str(tmp_path)})
    assert own.parent == tmp_path and own.name.startswith("host-") and own.suffix == ".yaml"
    assert cache_file("p", {"XDG_CACHE_HOME": "/caches"}).parent == Path("/caches/tunepass")
    assert cache_file("p", {}).parent == Path.home() / ".cache" / "tunepass"
    assert cache_file("p", {}) != cache_file("q", {})


def test_what_was_kept_is_used_and_nothing_else_is_measured(tmp_path: Path) -> None:
    where = {"TUNEPASS_CACHE": str(tmp_path)}
    default = replace(load(), cores=usable_cores())
    assert host("p", where) == default and default.cores >= 1
    cache_file("p", where).write_text(device_text(FACTS, measured(PRINTED)))
    assert host("p", where).name == "host" and host("q", where) == default
    cache_file("p", where).write_text("name: host\n")
    with pytest.raises(ModelError, match="lacks"):
        host("p", where)


def test_the_program_is_there() -> None:
    assert "int main(" in program()
