"""Every block of docs/dask.md: the build is run, and Dask knows each key of the configuration."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.commands.test_build_dask import PROGRAM
from tests.program import run_tunepass
from tunepass.executors.dask.session import POLL_S, QUICK_S, Limits

TEXT = (Path(__file__).parents[1] / "docs" / "dask.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_the_kinds_of_blocks() -> None:
    assert re.findall(r"^```(\w+)$", TEXT, re.MULTILINE) == ["console", "console", "yaml"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1])
def test_the_commands(tmp_path: Path, number: int) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed")
    (tmp_path / "p.c").write_text(PROGRAM)
    (tmp_path / "samples").symlink_to(Path(__file__).parents[1] / "samples")
    command, expected = blocks("console")[number].removeprefix("$ ").split("\n", 1)
    done = run_tunepass(shlex.split(command)[1:], tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line in expected.splitlines()] == expected.splitlines()


def test_dask_knows_each_key_of_the_configuration() -> None:
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    pytest.importorskip("distributed")
    (text,) = blocks("yaml")
    keys, known = [("distributed", yaml.safe_load(text)["distributed"])], []
    while keys:
        name, value = keys.pop()
        dask.config.get(name)  # KeyError for one that Dask has no default for
        known.append(name)
        keys += [(f"{name}.{key}", each) for key, each in value.items()] if isinstance(value, dict) else []
    assert "distributed.comm.tls.scheduler.cert" in known


def test_the_limits_are_those_of_the_session() -> None:
    limits = Limits()
    assert (limits.most_losses, limits.times, limits.least_s, limits.first_s) == (4, 10.0, 300.0, 3600.0)
    assert limits.none_left_s == 60.0 and QUICK_S == 0.5 and POLL_S < QUICK_S
