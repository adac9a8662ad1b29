"""The package in samples/plugin, installed in a folder of its own, works through every command, with no line of glue
and with public names alone."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin_packages import install_project
from tunepass import plugins
from tunepass.cli import main

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "samples" / "plugin"
PUBLIC = {"tunepass", "tunepass.extension", "tunepass.testing"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the Python path in which the package is installed."""
    folder = tmp_path_factory.mktemp("site")
    install_project(SAMPLE, folder)
    return folder


@pytest.fixture
def folder(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a plan in it."""
    monkeypatch.syspath_prepend(site)
    monkeypatch.chdir(tmp_path)
    shutil.copy(SAMPLE / "copy.plan", tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    capsys.readouterr()
    status = main(words)
    return status, capsys.readouterr().out


def as_program(site: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(ROOT)])}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_a_program_of_its_own_builds_a_plan(site: Path, folder: Path) -> None:
    built = as_program(site, folder, "-m", "tunepass", "build", "copy.plan", "--strategy", "branch_and_bound")
    assert built.returncode == 0, built.stderr
    text = (folder / "out" / "copy.tuned.plan").read_text()
    assert text.endswith("tile = 64\nunroll = 2\n")
    assert "plugins: tunepass-plan 1.0" in (folder / "tunepass.lock").read_text()


def test_every_reading_command_knows_the_language(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    space = json.loads(run(capsys, "space", "copy.plan", "--format", "json")[1])
    assert (space["dense"], space["feasible"]) == (16, 13)
    price = json.loads(run(capsys, "estimate", "copy.plan", "--set", "tile=64,unroll=2", "--format", "json")[1])
    assert price["values"] == {"cycles": 64 * 72}
    status, out = run(capsys, "build", "copy.plan", "--max-evals", "15", "--format", "json")
    assert status == 0 and json.loads(out)["choice"] == {"tile": 64, "unroll": 2}
    assert run(capsys, "verify", "copy.plan") == (0, "copy.plan::copy: fits\n")
    assert "13 trials" in run(capsys, "explain", "copy.plan")[1]
    assert run(capsys, "build", "copy.plan", "--frozen")[0] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--strategy", "hill_climber"),
        ("--strategy", "tunepass_plan.hill_climber:HillClimber"),
        ("--strategy", "bayesian", "--surrogate", "neighbours"),
        ("--strategy", "bayesian", "--surrogate", "tunepass_plan.neighbours:Neighbours"),
    ],
)
def test_the_search_takes_the_strategy_and_the_surrogate(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = run(capsys, "build", "copy.plan", "--max-evals", "15", "--format", "json", *words)
    assert status == 0 and json.loads(out)["choice"] == {"tile": 64, "unroll": 2}


def test_the_device_prices_a_spatial_program(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(ROOT / "samples" / "spatial" / "DotProduct.scala")
    status, out = run(capsys, "estimate", source, "--device", "half-stratix-v", "--format", "json")
    listed = {d["name"]: d.get("package") for d in json.loads(run(capsys, "devices", "--format", "json")[1])}
    assert (listed["half-stratix-v"], listed["stratix-v"]) == ("tunepass-plan 1.0", None)
    assert "half-stratix-v (of tunepass-plan 1.0)" in run(capsys, "devices")[1]
    whole = json.loads(run(capsys, "estimate", source, "--device", "stratix-v", "--format", "json")[1])
    assert status == 0 and json.loads(out)["device"] == "half-stratix-v"
    assert json.loads(out)["values"]["alms"] == whole["values"]["alms"]
    shutil.copy(source, folder)
    words = ("build", "DotProduct.scala", "--device", "half-stratix-v", "--objective", "cycles", "--max-evals", "3")
    assert run(capsys, *words)[0] == 0
    assert "plugins: tunepass-plan 1.0" in (folder / "tunepass.lock").read_text()
    assert run(capsys, "verify", "DotProduct.scala")[0] == 0


def test_another_version_of_the_package_makes_its_locks_stale(
    site: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, "build", "copy.plan", "--max-evals", "3")[0] == 0
    metadata = site / "tunepass_plan-1.0.dist-info" / "METADATA"
    text = metadata.read_text()
    metadata.write_text(text.replace("Version: 1.0", "Version: 1.1"))
    plugins.forget()
    try:
        status, out = run(capsys, "verify", "copy.plan")
        assert status == 3 and "plugins: tunepass-plan 1.0 -> tunepass-plan 1.1" in out
    finally:
        metadata.write_text(text)
        plugins.forget()


def test_its_own_tests_pass_where_it_is_installed(site: Path, tmp_path: Path) -> None:
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", str(SAMPLE / "tests"))
    done = as_program(site, tmp_path, *words, f"--rootdir={SAMPLE}")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", sorted(SAMPLE.rglob("*.py")), ids=lambda path: path.stem)
def test_it_imports_public_names_alone(path: Path) -> None:
    tree = ast.walk(ast.parse(path.read_text()))
    modules = {node.module for node in tree if isinstance(node, ast.ImportFrom)}
    tree = ast.walk(ast.parse(path.read_text()))
    modules |= {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
    assert {name for name in modules if name and name.split(".")[0] == "tunepass"} <= PUBLIC
