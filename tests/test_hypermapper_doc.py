"""Every block of docs/hypermapper.md: consoles and the program are run, and the shown protocol is read."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import run_python, run_tunepass
from tunepass.cli import main
from tunepass.interchange.hypermapper.reading import read_scenario
from tunepass.interchange.hypermapper.wire import ClientLines, read_reply, request_text
from tunepass.space.configuration import Configuration

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples" / "hypermapper"
TEXT = (ROOT / "docs" / "hypermapper.md").read_text()
CONSOLES = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
PROGRAMS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
TEXTS = re.findall(r"^```text\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_the_kinds_of_blocks() -> None:
    assert re.findall(r"^```(\w+)$", TEXT, re.MULTILINE) == ["console", "console", "text", "python", "text", "text"]


@pytest.mark.parametrize("number", range(len(CONSOLES)))
def test_consoles(number: int, tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "samples" / "hypermapper")
    command, expected = CONSOLES[number]
    program, *words = shlex.split(command)
    if program == "tunepass":
        done = run_tunepass(words, tmp_path)
    else:
        started = [sys.executable, *words]
        done = subprocess.run(started, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == expected.replace("/home/me", str(tmp_path))


def test_the_program(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAMS[0])
    done = run_python(tmp_path / "program.py", tmp_path)
    assert done.returncode == 0 and done.stdout == "Best point found:\ntile,unroll,time\n32,4,1.0\n", done.stderr
    assert (tmp_path / "copy_output_samples.csv").exists()


def test_the_protocol() -> None:
    scenario = read_scenario(SAMPLE / "scenario.json")
    request = [
        Configuration({"tile": 8, "unroll": 1, "order": (0, 1, 2)}),
        Configuration({"tile": 32, "unroll": 4, "order": (1, 0, 2)}),
    ]
    sent = "".join(f"{line[2:]}\n" for line in TEXTS[0].splitlines() if line.startswith("<"))
    assert sent == request_text(scenario.parameters, request) + "End of HyperMapper\n"
    reply = "".join(f"{line[2:]}\n" for line in TEXTS[0].splitlines() if line.startswith(">"))
    answers = dict(read_reply(scenario, request, ClientLines(io.BytesIO(reply.encode())), []))
    assert [answers[configuration].objectives for configuration in request] == [("8.0",), ("3.0",)]


def test_the_command_of_fronts() -> None:
    assert TEXTS[1].split()[:3] == ["tunepass", "hypermapper", "--pareto"]


@pytest.mark.parametrize("line", TEXTS[2].splitlines())
def test_the_commands_of_pictures(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The usage that each command prints begins with the documented words."""
    words = line.split()[1:3]
    assert main([*words, "--help"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    required = [word for word in line.split()[3:] if word.startswith("--")]
    assert printed.startswith(f"usage: {line if not required else ' '.join(line.split()[:3])}")
    assert all(word in printed for word in required)
