"""Every block of docs/applications.md: descriptions are read without a warning, consoles are run."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.program import run_tunepass
from tunepass.diagnostics import Source
from tunepass.frontends.app.frontend import AppFrontend

ROOT = Path(__file__).parents[1]
HEAT = ROOT / "samples" / "apps" / "heat"
TEXT = (ROOT / "docs" / "applications.md").read_text()
DESCRIPTIONS = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
CONSOLES = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(DESCRIPTIONS)))
def test_descriptions(number: int) -> None:
    parsed = AppFrontend().parse(Source("app/tune.yaml", DESCRIPTIONS[number]))
    assert len(parsed.kernels) == 1 and not parsed.warnings


def test_the_samples_are_shown_as_they_are() -> None:
    assert (HEAT / "tune.yaml").read_text() == DESCRIPTIONS[0]
    assert (HEAT.parent / "stack" / "tune.yaml").read_text() in DESCRIPTIONS


def test_there_is_no_other_kind_of_block() -> None:
    assert set(re.findall(r"^```(\w+)$", TEXT, re.MULTILINE)) == {"yaml", "console"}


@pytest.mark.skipif(not (shutil.which("make") and shutil.which("gcc")), reason="needs make and gcc")
@pytest.mark.parametrize("number", range(len(CONSOLES)))
def test_consoles(number: int, tmp_path: Path) -> None:
    """With a smaller plate and few evaluations; numbers and choices are the machine's, the rest is as printed."""
    command, expected = CONSOLES[number]
    target = tmp_path / "samples" / "apps" / "heat"
    shutil.copytree(HEAT, target, ignore=shutil.ignore_patterns(".tunepass", "tunepass.lock"))
    text = (HEAT / "tune.yaml").read_text()
    (target / "tune.yaml").write_text(text.replace("./heat 400 200", "./heat 64 20\n  repeats: 2"))
    words = shlex.split(command.replace("--budget 60s", "--max-evals 3"))
    assert words[0] == "tunepass"
    done = run_tunepass(words[1:], tmp_path)
    assert done.returncode == 0, done.stderr
    if words[1] == "space":
        assert done.stdout == expected
    else:
        assert shape(done.stdout) == shape(expected)


def shape(text: str) -> list[str]:
    """The first words of the lines: what was found differs, and a machine may fail some."""
    found = [line.split()[0] for line in text.splitlines()]
    return [word for word in found if word != "failed"]
