"""`tunepass hypermapper`: a client on two pipes, the folder for HYPERMAPPER_HOME, fronts, and mistakes."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interchange.hypermapper.scenarios import fields
from tests.program import run_tunepass
from tunepass.cli import main

SAMPLE = Path(__file__).parents[2] / "samples" / "hypermapper"


@pytest.mark.parametrize("home", [False, True])
def test_the_sample_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: bool) -> None:
    shutil.copytree(SAMPLE, tmp_path / "sample", ignore=shutil.ignore_patterns("*.csv", "*.log", "__pycache__"))
    if home:
        assert main(["hypermapper", "--home", str(tmp_path / "home")]) == 0
        monkeypatch.setenv("HYPERMAPPER_HOME", str(tmp_path / "home"))
    words = [sys.executable, str(tmp_path / "sample" / "client.py")]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.startswith("best time: ") and "without effect" not in done.stderr
    table = (tmp_path / "matmul_output_samples.csv").read_text().splitlines()
    assert table[0] == "tile,unroll,order,time,Valid,timestamp" and len(table) == 17
    assert any('"(0, 1, 2)"' in line for line in table)


@pytest.fixture(scope="module")
def cpp_client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client in C++, compiled."""
    if (compiler := shutil.which("g++")) is None:
        pytest.skip("g++ is not installed: the client in C++ is not compiled")
    client = tmp_path_factory.mktemp("cpp") / "client"
    words = [compiler, "-std=c++11", "-Wall", "-Wextra", "-Werror", "-o", str(client), str(SAMPLE / "client.cpp")]
    subprocess.run(words, check=True, timeout=120)
    return client


def run_cpp(client: Path, folder: Path, scenario: dict[str, object]) -> subprocess.CompletedProcess[str]:
    """Run the client in a folder, with the folder for HYPERMAPPER_HOME written there."""
    assert main(["hypermapper", "--home", str(folder / "home")]) == 0
    (folder / "scenario.json").write_text(json.dumps(scenario))
    environment = {**os.environ, "HYPERMAPPER_HOME": str(folder / "home")}
    words = [str(client), "scenario.json"]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_the_client_in_cpp(tmp_path: Path, cpp_client: Path) -> None:
    """Ten evaluations, with permutations, infeasible rows and times of six decimals."""
    given = json.loads((SAMPLE / "scenario.json").read_text())
    given["design_of_experiment"]["number_of_samples"], given["optimization_iterations"] = 4, 6
    done = run_cpp(cpp_client, tmp_path, given)
    assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
    with (tmp_path / "matmul_output_samples.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 10 and len({(row["tile"], row["unroll"], row["order"]) for row in rows}) == 10
    assert all((row["Valid"] == "True") == (int(row["tile"]) < 128) for row in rows)
    best = min(float(row["time"]) for row in rows if row["Valid"] == "True")
    assert done.stdout == f"best time: {best:g} of 10 configurations\n"


def test_the_client_in_cpp_ends_with_a_tuner_that_refuses_its_scenario(tmp_path: Path, cpp_client: Path) -> None:
    given = json.loads((SAMPLE / "scenario.json").read_text())
    done = run_cpp(cpp_client, tmp_path, {**given, "optimization_iterations": "many"})
    assert done.returncode == 1 and not done.stdout and done.stderr.endswith("the tuner's output ended\n")
    assert "error: " in done.stderr and "optimization_iterations" in done.stderr


def client_files(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch, **more: object) -> Path:
    """A scenario, and a client that sends the text."""
    path = folder / "scenario.json"
    given = {**fields(), "hypermapper_mode": {"mode": "client-server"}, "run_directory": str(folder), **more}
    path.write_text(json.dumps(given, indent=1))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return path


@pytest.mark.parametrize("ending", [[], ["--hypermapper3-ending"]])
def test_the_whole_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], ending: list[str]
) -> None:
    path = client_files(
        tmp_path, "f,x\n2,3\n", monkeypatch, design_of_experiment={"number_of_samples": 1}, optimization_iterations=0
    )
    assert main(["hypermapper", str(path), *ending]) == 0
    last = b"Best point found:\nx,f\n3,2.0\n\nEnd of Optimization\n" if ending else b"End of HyperMapper\n"
    assert capfdbinary.readouterr() == (b"Request 1\nx\n3\n" + last, b"")


def test_a_client_that_goes_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = client_files(tmp_path, "x,f\n3,1", monkeypatch)
    assert main(["hypermapper", str(path)]) == 2
    captured = capfd.readouterr()
    assert captured.err.startswith("error: the client's output ended, inside line 2: 0 of 10 requested results")
    assert captured.out.count("Request") == 1


def test_a_mistake_in_the_scenario(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    parameters = {"x": {"parameter_type": "integer", "values": [0, 9], "constraints": ["open('x') > 1"]}}
    path = client_files(tmp_path, "", monkeypatch, input_parameters=parameters)
    assert main(["hypermapper", str(path)]) == 2
    captured = capfd.readouterr()
    assert f"{path}:13:" in captured.err and "`open` is not a function here" in captured.err and "^^^" in captured.err
    assert not captured.out and not list(tmp_path.glob("*.csv"))


def test_pareto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    path = client_files(tmp_path, "", monkeypatch)
    (tmp_path / "application_output_samples.csv").write_text("x,f\n1,3\n2,1\n")
    assert main(["hypermapper", "--pareto", str(path)]) == 0
    assert "1 points" in capsys.readouterr().out
    assert (tmp_path / "application_output_pareto.csv").read_text() == "x,f,Timestamp\n2,1,0.0\n"
    assert main(["hypermapper", "--pareto", str(path), "application_output_samples.csv", "front.csv"]) == 0
    assert (tmp_path / "front.csv").exists()  # names are relative to `run_directory`
    assert main(["hypermapper", str(path), "a.csv"]) == 2 and main(["hypermapper"]) == 2


def test_home_starts_this_tunepass(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert main(["hypermapper", "--home", str(home)]) == 0
    files = sorted(str(path.relative_to(home)) for path in home.rglob("*.py"))
    assert files == [
        *("baco/__init__.py", "baco/run.py", "hypermapper/__init__.py", "hypermapper/optimizer.py"),
        *("scripts/compute_pareto.py", "scripts/hypermapper.py", "scripts/plot_hvi.py"),
        *("scripts/plot_optimization_results.py", "scripts/plot_pareto.py"),
    ]
    (tmp_path / "scenario.json").write_text(json.dumps({**fields(), "design_of_experiment": {"number_of_samples": 3}}))
    program = tmp_path / "user.py"
    program.write_text(
        "from baco.run import optimize\nfrom hypermapper import optimizer\n"
        "assert optimizer.optimize is optimize\noptimize('scenario.json', lambda values: values['x'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(home)}
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout == "Best point found:\nx,f\n0,0.0\n"
    assert main(["hypermapper", "--home", str(home)]) == 0


def test_home_starts_the_plotting_commands(tmp_path: Path) -> None:
    assert main(["hypermapper", "--home", str(tmp_path)]) == 0
    (tmp_path / "scenario.json").write_text(json.dumps(fields()))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.csv").write_text("x,f\n1,3\n2,1\n")
    script, command = tmp_path / "scripts" / "plot_optimization_results.py", tmp_path / "bin"
    assert script.read_text() == (command / "hm-plot-optimization-results").read_text()
    words = [str(script), "-j", "scenario.json", "-i", "run", "-o", "regret.svg"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "regret.svg\n" and "Regret" in (tmp_path / "regret.svg").read_text()


def test_home_leaves_other_programs_alone(tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "hypermapper.py").write_text("print('HyperMapper')\n")
    done = run_tunepass(["hypermapper", "--home", str(tmp_path)], tmp_path)
    assert done.returncode == 2 and "is not a file of tunepass" in done.stderr
    assert not (tmp_path / "baco").exists()
