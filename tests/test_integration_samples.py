"""Every program of samples/integrations, run with the package that it is for."""

from __future__ import annotations

import ast
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import run_python

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "samples" / "integrations"
QUICK = {
    "optuna_sampler.py": ("optuna", "optuna", r"best time: ([\d.]+) s with \{'tile': \d+, ", 2.5),
    "skopt_optimizer.py": ("skopt", "skopt", r"best loss: ([\d.]+) with rate=[\d.]+, depth=\d+, ", 1.5),
    "ax_client.py": (None, None, r"best time: ([\d.]+) s in trial \d+ with \{'tile': ", 2.5),
    "pyatf_technique.py": ("pyatf", "pyatf", r"lowest cost: ([\d.]+) with block=\d+, thread=\d+", 2.0),
}
SLOW = {
    "ray_search.py": ("ray.tune", "ray", r"best time: ([\d.]+) s with \{'tile': \d+, ", 16.0),
    "nni_tuner.py": ("nni", "nni", r"lowest cost: ([\d.]+) with \{'tile': \d+, ", 27.0),
    "dask_cluster.py": ("distributed", "dask", r"choice    BLOCK=8\n  cost      56 -> ([\d.]+),", 7.0),
}
STORE = "postgres_store.py"


def copied(folder: Path, extra: str | None, package: str | None) -> Path:
    """The samples in a folder, where a program that needs a package can run."""
    if package:
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'tunepass[{extra}]'")
    return Path(shutil.copytree(SAMPLES, folder / "samples", ignore=shutil.ignore_patterns("__pycache__")))


def lowest(output: str, pattern: str) -> float:
    """The value that a program prints."""
    found = re.search(pattern, output)
    assert found is not None, output
    return float(found[1])


@pytest.mark.parametrize("name", QUICK)
def test_a_program(tmp_path: Path, name: str) -> None:
    package, extra, pattern, bound = QUICK[name]
    done = run_python(copied(tmp_path, extra, package) / name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert lowest(done.stdout, pattern) <= bound


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_a_program_that_starts_processes(tmp_path: Path, name: str) -> None:
    """The programs use another port and another home folder here than a user's."""
    package, extra, pattern, bound = SLOW[name]
    program = copied(tmp_path, extra, package) / name
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program.write_text(program.read_text().replace("port=8090", f"port={port}"))
    environment = {**os.environ, "HOME": str(tmp_path), "RAY_USAGE_STATS_ENABLED": "0"}
    words = [sys.executable, str(program)]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert lowest(done.stdout, pattern) <= bound


def test_a_store_that_several_processes_share(tmp_path: Path, postgres_url: str) -> None:
    program = copied(tmp_path, None, None) / STORE
    for _ in range(2):  # the second time nothing is left to evaluate
        done = subprocess.run(
            [sys.executable, str(program), postgres_url], capture_output=True, text=True, check=False, timeout=300
        )
        assert done.returncode == 0, done.stderr
        assert "12 trials, " in done.stdout
        assert lowest(done.stdout, r"best time: ([\d.]+) s with \{'tile': 32, ") <= 2.0


def test_each_program_is_tested_named_in_the_documents_and_says_what_it_needs() -> None:
    programs = {path.name: path.read_text() for path in SAMPLES.glob("*.py")}
    assert set(programs) == {*QUICK, *SLOW, STORE}
    documents = "".join((ROOT / "docs" / name).read_text() for name in ("integrations.md", "dask.md", "store.md"))
    for name, text in programs.items():
        described = ast.get_docstring(ast.parse(text)) or ""
        extra = "postgres" if name == STORE else {**QUICK, **SLOW}[name][1]
        assert f"python samples/integrations/{name}" in described and f"`samples/integrations/{name}`" in documents
        assert (f"pip install 'tunepass[{extra}]'" if extra else "pip install tunepass") in described
